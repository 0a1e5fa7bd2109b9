//! What a file is, by its name and its text.

use crate::SourceText;
use crate::import::TAVERNA_NAMESPACE;
use crate::located::{LocatedNode, parse_json};

/// The kinds of files that can be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileKind {
    /// A study, in TOML.
    Study,
    /// A workflow descriptor, in JSON.
    Workflow,
    /// A stage descriptor of the Region Templates framework, in JSON.
    OriginalStage,
    /// A Taverna 2 workflow, in XML.
    Taverna,
    /// A SALib problem, in JSON.
    SalibProblem,
    /// A SALib parameter file: one parameter per line.
    SalibParameters,
    /// A Dakota input file.
    DakotaInput,
}

impl FileKind {
    /// What it is, for people.
    pub fn about(self) -> &'static str {
        match self {
            Self::Study => "a study",
            Self::Workflow => "a workflow descriptor",
            Self::OriginalStage => "a stage descriptor of the Region Templates framework",
            Self::Taverna => "a Taverna 2 workflow",
            Self::SalibProblem => "a SALib problem",
            Self::SalibParameters => "a SALib parameter file",
            Self::DakotaInput => "a Dakota input file",
        }
    }
}

/// The kind of a file, or `None` when it is of none of these kinds. A broken file is classified by its likely kind, so that
/// the reader of that kind can report the errors.
pub fn detect(name: &str, text: &str) -> Option<FileKind> {
    let text = text.trim_start_matches('\u{feff}');
    let ending = name.rsplit(['.', '/', '\\']).next().unwrap_or_default().to_ascii_lowercase();
    match (ending.as_str(), text.trim_start().chars().next()) {
        ("t2flow", _) => Some(FileKind::Taverna),
        ("toml", _) => Some(FileKind::Study),
        (_, Some('<')) => text.contains(TAVERNA_NAMESPACE).then_some(FileKind::Taverna),
        (_, Some('{')) => json_kind(name, text),
        ("json", _) => None,
        _ => plain_kind(text),
    }
}

/// Keys that only one kind has, the most specific first.
const TELLING: [(&str, FileKind); 7] = [
    ("workflow", FileKind::Workflow),
    ("stages", FileKind::Workflow),
    ("num_vars", FileKind::SalibProblem),
    ("bounds", FileKind::SalibProblem),
    ("dr_args", FileKind::OriginalStage),
    ("tasks", FileKind::OriginalStage),
    ("call", FileKind::OriginalStage),
];

fn json_kind(name: &str, text: &str) -> Option<FileKind> {
    let node = parse_json(&SourceText::new(name, text));
    let table = node.as_ref().ok().and_then(LocatedNode::as_table);
    let has = |key: &str| match table {
        Some(table) => table.get(key).is_some(),
        None => text.contains(&format!("\"{key}\"")),
    };
    TELLING.iter().find(|(key, _)| has(key)).map(|(_, kind)| *kind)
}

fn plain_kind(text: &str) -> Option<FileKind> {
    let lines = || text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
    let words = || lines().filter_map(|line| line.split([' ', '\t', ',', '=']).next());
    if lines().any(is_table_header) {
        return Some(FileKind::Study);
    }
    let blocks = ["method", "variables", "responses"];
    if blocks
        .iter()
        .filter(|block| words().any(|word| word.trim_end_matches(',').eq_ignore_ascii_case(block)))
        .count()
        >= 2
    {
        return Some(FileKind::DakotaInput);
    }
    let mut rows = lines().peekable();
    if rows.peek().is_some() && rows.all(is_parameter_line) {
        return Some(FileKind::SalibParameters);
    }
    lines().any(is_assignment).then_some(FileKind::Study)
}

/// `[parameters]` or `[[phase]]`.
fn is_table_header(line: &str) -> bool {
    let line = line.split('#').next().unwrap_or_default().trim();
    let inside = line.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
    inside.is_some_and(|name| {
        name.trim_matches(['[', ']']).chars().all(|c| c.is_alphanumeric() || "._-".contains(c))
    })
}

/// `name low high …`, by spaces or commas.
fn is_parameter_line(line: &str) -> bool {
    let mut fields = line.split([',', ' ', '\t']).filter(|field| !field.is_empty()).skip(1);
    let mut number = || fields.next().is_some_and(|field| field.parse::<f64>().is_ok());
    number() && number()
}

/// `name = …` at the start of a line: TOML without tables.
fn is_assignment(line: &str) -> bool {
    let key = line.split_once('=').map(|(key, _)| key.trim());
    key.is_some_and(|key| !key.is_empty() && key.chars().all(|c| c.is_alphanumeric() || "_-.".contains(c)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_known_by_name_and_text() {
        let cases = [
            ("study.toml", "", Some(FileKind::Study)),
            ("study", "name = \"x\"\n[parameters]\n", Some(FileKind::Study)),
            ("study", "# nothing but\nname = \"x\"\n", Some(FileKind::Study)),
            ("a.json", "{\"workflow\": \"x\", \"stages\": [], \"tasks\": 1}", Some(FileKind::Workflow)),
            ("a.json", "{\"workflow\": \"x\", \"sta", Some(FileKind::Workflow)),
            (
                "a.json",
                "\u{feff} {\"num_vars\": 1, \"names\": [\"a\"], \"bounds\": [[0, 1]]}",
                Some(FileKind::SalibProblem),
            ),
            (
                "a.json",
                "{\"name\": \"Segmentation\", \"dr_args\": [], \"tasks\": []}",
                Some(FileKind::OriginalStage),
            ),
            (
                "a.json",
                "{\"name\": \"Normalization\", \"call\": \"f\", \"args\": []}",
                Some(FileKind::OriginalStage),
            ),
            ("a.json", "[1]", None),
            ("a.json", "{}", None),
            ("a.t2flow", "garbage", Some(FileKind::Taverna)),
            ("a.xml", "<workflow xmlns=\"http://taverna.sf.net/2008/xml/t2flow\"/>", Some(FileKind::Taverna)),
            ("a.xml", "<html/>", None),
            ("p.txt", "# name low high\nx1 0 1\nx2,-3.5,1e3,group,unif\n", Some(FileKind::SalibParameters)),
            (
                "moat.in",
                "method,\n  psuade_moat\nvariables,\n  continuous_design = 2\n",
                Some(FileKind::DakotaInput),
            ),
            ("moat.in", "METHOD\n sampling\nRESPONSES\n", Some(FileKind::DakotaInput)),
            ("notes.txt", "buy milk", None),
            ("empty", "", None),
        ];
        for (name, text, kind) in cases {
            assert_eq!(detect(name, text), kind, "{name}: {text}");
        }
    }
}
