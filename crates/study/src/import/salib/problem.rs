//! The problem dictionary as JSON.

use std::sync::Arc;

use super::super::checked::space_of;
use super::super::{ImportReport, Imported};
use super::entry::{SalibParameter, placed};
use crate::{
    Data, Diagnostic, FromNode, LocatedNode, Problem, SourceSpan, SourceText, TableReader, nearest,
    parse_json,
};

/// Reads SALib's problem dictionary, written as JSON.
pub fn read_salib_problem(source: &Arc<SourceText>) -> Imported {
    let node = parse_json(source).map_err(|error| hint_at_python(*error, source))?;
    let mut report = ImportReport::new(source);
    let lists = ProblemLists::read(source, &node, &mut report);
    let entries = lists.as_ref().and_then(|lists| entries(lists, &mut report));
    let space = entries.and_then(|entries| space_of(placed(entries, &mut report), &mut report));
    let outputs = lists.map(|lists| lists.outputs).unwrap_or_default();
    report.finish(space.map(|space| Problem { space, outputs, design: None }))
}

/// A dictionary copied out of a Python program is the mistake most often made.
fn hint_at_python(mut error: Diagnostic, source: &SourceText) -> Diagnostic {
    let text = &source.text;
    if text.contains('\'') || text.contains("None") || text.contains("np.") || text.contains("problem =") {
        error.hint = Some(
            "this looks like Python: write it as JSON with json.dump(problem, open(file, \"w\"))".into(),
        );
    } else if text.contains("NaN") || text.contains("Infinity") {
        error.hint = Some("write finite numbers".into());
    }
    error
}

/// The lists of the dictionary with their places.
struct ProblemLists<'a> {
    names: Vec<(String, SourceSpan)>,
    bounds: (&'a [LocatedNode], SourceSpan),
    groups: Option<(Vec<(String, SourceSpan)>, SourceSpan)>,
    dists: Option<(Vec<(String, SourceSpan)>, SourceSpan)>,
    outputs: Vec<String>,
}

impl<'a> ProblemLists<'a> {
    fn read(source: &'a Arc<SourceText>, node: &'a LocatedNode, report: &mut ImportReport) -> Option<Self> {
        let mut fields = TableReader::new(source, node, "problem", &mut report.diagnostics)?;
        let count: Option<u64> = fields.optional("num_vars");
        let count_span = fields.span("num_vars");
        let names = fields.required::<LocatedTexts>("names");
        let bounds = fields.required::<&[LocatedNode]>("bounds");
        let bounds_span = fields.span("bounds");
        let (groups, groups_span) = (fields.optional::<LocatedTexts>("groups"), fields.span("groups"));
        let (dists, dists_span) = (fields.optional::<LocatedTexts>("dists"), fields.span("dists"));
        let outputs = fields.optional::<LocatedTexts>("outputs");
        let others = fields.others();
        others.into_iter().for_each(|entry| unknown(entry, report));
        let (names, bounds) = (names?.0?, bounds?);
        if count.is_some_and(|count| count != names.len() as u64) {
            let expected = format!("{}, the number of names", names.len());
            report.error(count_span, "`num_vars` is wrong", expected, count.unwrap_or(0).to_string());
        }
        let of = |texts: Option<LocatedTexts>, span| texts.and_then(|t| t.0).map(|t| (t, span));
        let outputs =
            outputs.and_then(|t| t.0).unwrap_or_default().into_iter().map(|(name, _)| name).collect();
        let (groups, dists) = (of(groups, groups_span), of(dists, dists_span));
        Some(Self { names, bounds: (bounds, bounds_span), groups, dists, outputs })
    }
}

/// Texts with their places; `None` for Python's `None`.
struct LocatedTexts(Option<Vec<(String, SourceSpan)>>);

impl<'a> FromNode<'a> for LocatedTexts {
    fn from_node(node: &'a LocatedNode) -> Result<Self, crate::Mismatch> {
        if node.data == Data::Null {
            return Ok(Self(None));
        }
        let nodes = <&[LocatedNode]>::from_node(node)?;
        let texts: Result<Vec<_>, _> = nodes.iter().map(|n| Ok((String::from_node(n)?, n.span))).collect();
        texts.map(|texts| Self(Some(texts)))
    }
}

const KEYS: [&str; 6] = ["num_vars", "names", "bounds", "groups", "dists", "outputs"];

/// SALib ignores keys it does not know, which hides `group` for `groups`.
fn unknown(entry: &crate::TableEntry, report: &mut ImportReport) {
    match nearest(&entry.key, KEYS) {
        Some(meant) => {
            let (message, found) = ("a problem has no such key", format!("`{}`", entry.key));
            let hint = Some(format!("write `{meant}`"));
            report.error_with_hint(
                entry.key_span,
                message,
                format!("one of {}", KEYS.join(", ")),
                found,
                hint,
            );
        }
        None => report.note(entry.key_span, format!("the key `{}` is skipped", entry.key)),
    }
}

fn entries(lists: &ProblemLists<'_>, report: &mut ImportReport) -> Option<Vec<SalibParameter>> {
    let count = lists.names.len();
    let lengths = [
        ("bounds", Some((lists.bounds.0.len(), lists.bounds.1))),
        ("groups", lists.groups.as_ref().map(|(list, span)| (list.len(), *span))),
        ("dists", lists.dists.as_ref().map(|(list, span)| (list.len(), *span))),
    ];
    let mut fits = true;
    for (key, length) in lengths {
        if let Some((length, span)) = length.filter(|(length, _)| *length != count) {
            let expected = format!("{count} entries, one for each name");
            report.error(span, format!("`{key}` has the wrong length"), expected, length.to_string());
            fits = false;
        }
    }
    if !fits {
        return None;
    }
    let at = |list: &Option<(Vec<(String, SourceSpan)>, SourceSpan)>, i: usize| {
        list.as_ref().map(|(l, _)| l[i].clone())
    };
    let bounds = lists.bounds.0.iter().map(|node| numbers(node, report)).collect::<Option<Vec<_>>>()?;
    let entry = |(i, bounds): (usize, Vec<f64>)| SalibParameter {
        name: lists.names[i].clone(),
        bounds: (bounds, lists.bounds.0[i].span),
        dist: at(&lists.dists, i),
        group: at(&lists.groups, i),
    };
    Some(bounds.into_iter().enumerate().map(entry).collect())
}

fn numbers(node: &LocatedNode, report: &mut ImportReport) -> Option<Vec<f64>> {
    let numbers =
        node.as_list().and_then(|list| list.iter().map(LocatedNode::as_number).collect::<Option<Vec<_>>>());
    if numbers.is_none() {
        report.error(node.span, "these bounds cannot be read", "a list of numbers", node.describe());
    }
    numbers
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Distribution, Domain};

    fn read(text: &str) -> Result<(Problem, String), String> {
        let read = read_salib_problem(&SourceText::new("p.json", text));
        read.map(|(problem, notes)| (problem, notes.to_string())).map_err(|errors| errors.to_string())
    }

    #[test]
    fn the_dictionary_of_the_manual_is_read() {
        let (problem, notes) = read(
            r#"{"num_vars": 3, "names": ["x1", "x2", "x3"],
                "bounds": [[-3.14159265359, 3.14159265359], [-3.14159265359, 3.14159265359], [0, 1]],
                "groups": ["a", "a", "x3"], "dists": null, "outputs": ["Y"], "sample_scaled": true}"#,
        )
        .unwrap();
        assert_eq!(problem.outputs, ["Y"]);
        assert_eq!(problem.space.parameters()[2].domain, Domain::Continuous { from: 0.0, to: 1.0 });
        let factors: Vec<_> = problem.space.factors().iter().map(|f| f.name.as_str()).collect();
        assert_eq!(factors, ["a", "x3"]);
        assert_eq!(problem.space.parameters()[2].group, None, "a group of its own name is no group");
        assert_eq!(notes, "p.json:3:78: note: the key `sample_scaled` is skipped");
    }

    #[test]
    fn every_distribution_has_its_bounds() {
        let (problem, notes) = read(
            r#"{"names": ["a", "b", "c", "d", "e", "f", "g", "h", "i"],
                "bounds": [[0, 1], [1, 100], [1, 3, 0.5], [3, 0.5], [0, 1], [-2, 2, 0, 1], [0, 1], [1.5, 2], [1.5, 2, 3]],
                "dists": ["unif", "logunif", "triang", "triang", "norm", "truncnorm", "lognorm", "weibull", "weibull"]}"#,
        )
        .unwrap();
        let inf = f64::INFINITY;
        let expected = [
            (0.0, 1.0, Distribution::Uniform),
            (1.0, 100.0, Distribution::LogUniform),
            (1.0, 3.0, Distribution::Triangular { peak: 2.0 }),
            (0.0, 3.0, Distribution::Triangular { peak: 1.5 }),
            (-inf, inf, Distribution::Normal { mean: 0.0, sd: 1.0 }),
            (-2.0, 2.0, Distribution::Normal { mean: 0.0, sd: 1.0 }),
            (0.0, inf, Distribution::LogNormal { mean: 0.0, sd: 1.0 }),
            (0.0, inf, Distribution::Weibull { shape: 1.5, scale: 2.0, location: 0.0 }),
            (3.0, inf, Distribution::Weibull { shape: 1.5, scale: 2.0, location: 3.0 }),
        ];
        for (parameter, (from, to, distribution)) in problem.space.parameters().iter().zip(expected) {
            assert_eq!(parameter.domain, Domain::Continuous { from, to }, "{}", parameter.name);
            assert_eq!(parameter.distribution, distribution, "{}", parameter.name);
        }
        assert!(notes.contains("warning: two numbers for `triang`"), "{notes}");
    }

    #[test]
    fn mistakes_are_pointed_at() {
        let cases = [
            ("{'num_vars': 1}", "this looks like Python"),
            (r#"{"num_vars": 1, "names": ["a"], "bounds": [[NaN, 1]]}"#, "write finite numbers"),
            (
                r#"{"num_vars": 2, "names": ["a"], "bounds": [[0, 1]]}"#,
                "p.json:1:14: error: `num_vars` is wrong; expected 1, the number of names, found 2",
            ),
            (
                r#"{"names": ["a", "b"], "bounds": [[0, 1]]}"#,
                "`bounds` has the wrong length; expected 2 entries, one for each name, found 1",
            ),
            (r#"{"names": ["a"], "bounds": [[0, 1]], "dists": []}"#, "`dists` has the wrong length"),
            (
                r#"{"names": ["a"], "bounds": [[0, 1]], "groups": ["a", "b"]}"#,
                "`groups` has the wrong length",
            ),
            (
                r#"{"names": ["a"], "bounds": [[1, 1]]}"#,
                "p.json:1:29: error: the values of `a` are not a valid range; expected from < to, found 1..1",
            ),
            (r#"{"names": ["a"], "bounds": [[0, "1"]]}"#, "expected a list of numbers"),
            (
                r#"{"names": ["a"], "bounds": [[0, 1, 2]]}"#,
                "do not fit its distribution `unif`; expected 2 numbers: lower end, upper end, found [0.0, 1.0, 2.0]",
            ),
            (
                r#"{"names": ["a"], "bounds": [[0, 1]], "dists": ["uniform"]}"#,
                "expected one of unif, logunif, triang, norm, truncnorm, lognorm, weibull, found `uniform`",
            ),
            (r#"{"names": ["a"], "bounds": [[0, 1]], "dists": ["nrom"]}"#, "to do: write `norm`"),
            (
                r#"{"names": ["a", "a"], "bounds": [[0, 1], [0, 1]]}"#,
                "p.json:1:17: error: two parameters have the same name",
            ),
            (
                r#"{"names": ["a", "b"], "bounds": [[0, 1], [0, 1]], "groups": ["g", "g"]}"#,
                "all parameters are in one group; expected at least two groups, found only `g`",
            ),
            (
                r#"{"names": ["a", "b"], "bounds": [[0, 1], [0, 1]], "groups": ["a", "a"]}"#,
                "a group is called like a parameter",
            ),
            (
                r#"{"names": ["a", "b"], "bounds": [[0, 1], [0, 1]], "group": ["g", "h"]}"#,
                "to do: write `groups`",
            ),
            (
                r#"{"names": ["a"], "bounds": [[0, 1]], "dists": ["logunif"]}"#,
                "expected a lower end above 0, found 0",
            ),
            (
                r#"{"names": ["a"], "bounds": [[0, -1]], "dists": ["norm"]}"#,
                "expected a standard deviation above 0, found -1",
            ),
            (
                r#"{"names": ["a"], "bounds": [[0, 1, 2]], "dists": ["triang"]}"#,
                "expected a peak between the ends, found 2",
            ),
            (r#"{"names": [], "bounds": []}"#, "at least one parameter"),
            ("[1]", "expected a table"),
        ];
        for (text, expected) in cases {
            let refused = read(text).unwrap_err();
            assert!(refused.contains(expected), "{text}: {refused}");
        }
    }
}
