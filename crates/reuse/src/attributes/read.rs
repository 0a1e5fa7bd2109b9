//! Descriptions of flow graphs, in TOML or JSON; one file may hold several in a JSON list.

use std::sync::Arc;

use onceflow_study::{
    Diagnostic, Diagnostics, FromNode, LocatedNode, Mismatch, Size, SourceText, TableReader, parse_json,
    parse_toml,
};

use super::{DescribedLoop, DescribedVariable, FlowDescription};

/// Keys of a list, in the singular of TOML's `[[variable]]` and the plural of JSON.
const VARIABLES: [&str; 2] = ["variable", "variables"];
const LOOPS: [&str; 2] = ["loop", "loops"];

/// Keys that tests write beside a graph: the expected answers.
const EXPECTED: [&str; 3] = ["initial", "least", "least_c3"];

/// Whether a text looks like the description of a flow graph rather than a study or a workflow.
pub fn is_flow_description(source: &Arc<SourceText>) -> bool {
    let Ok(node) = parse(source) else { return false };
    let first = node.as_list().and_then(<[LocatedNode]>::first).unwrap_or(&node);
    let has = |key: &str| first.as_table().is_some_and(|table| table.get(key).is_some());
    node.as_list().is_some() || VARIABLES.iter().any(|key| has(key))
}

/// Reads the descriptions of a text.
///
/// # Errors
/// With everything that is wrong in it, each with its place.
pub fn read_flow_descriptions(source: &Arc<SourceText>) -> Result<Vec<FlowDescription>, Diagnostics> {
    let node = parse(source).map_err(|error| Diagnostics(vec![*error]))?;
    let mut diagnostics = Diagnostics::default();
    let nodes = node.as_list().unwrap_or(std::slice::from_ref(&node));
    if nodes.is_empty() {
        let error = Diagnostic::error("the file describes no flow graph").at(source, node.span, "");
        diagnostics.push(error.expected_found("one graph or more", "an empty list"));
    }
    let described: Vec<_> = nodes.iter().filter_map(|node| read(source, node, &mut diagnostics)).collect();
    if diagnostics.has_errors() { Err(diagnostics) } else { Ok(described) }
}

fn parse(source: &Arc<SourceText>) -> Result<LocatedNode, Box<Diagnostic>> {
    let text = source.text.trim_start_matches('\u{feff}').trim_start();
    // A TOML text may begin with `[`, but a JSON list of graphs begins with `[{` or is empty.
    let list = text.strip_prefix('[').is_some_and(|rest| rest.trim_start().starts_with(['{', ']']));
    if text.starts_with('{') || list { parse_json(source) } else { parse_toml(source) }
}

fn read(
    source: &Arc<SourceText>,
    node: &LocatedNode,
    diagnostics: &mut Diagnostics,
) -> Option<FlowDescription> {
    let mut fields = TableReader::new(source, node, "flow graph", diagnostics)?;
    let name: Option<String> = fields.optional("name");
    let target: Option<Vec<String>> = fields.required("target");
    for key in EXPECTED {
        fields.has(key);
    }
    let variables: Vec<&LocatedNode> = list(&mut fields, VARIABLES);
    if variables.is_empty() {
        fields.error(VARIABLES[0], "the flow graph has no variables", "one [[variable]] or more");
    }
    let loops: Vec<&LocatedNode> = list(&mut fields, LOOPS);
    let inner = fields.diagnostics();
    let variables = variables.iter().map(|node| variable(source, node, inner)).collect::<Vec<_>>();
    let loops = loops.iter().map(|node| described_loop(source, node, inner)).collect::<Vec<_>>();
    fields.finish();
    let (variables, loops) =
        (variables.into_iter().collect::<Option<_>>()?, loops.into_iter().collect::<Option<_>>()?);
    Some(FlowDescription { name: name.unwrap_or_default(), variables, loops, target: target? })
}

fn list<'a>(fields: &mut TableReader<'a, '_>, keys: [&str; 2]) -> Vec<&'a LocatedNode> {
    keys.iter().filter_map(|key| fields.optional::<Vec<&LocatedNode>>(key)).flatten().collect()
}

/// One size, or one for each pass.
struct PassSizes(Vec<u64>);

impl<'a> FromNode<'a> for PassSizes {
    fn from_node(node: &'a LocatedNode) -> Result<Self, Mismatch> {
        let sizes = node.as_list().unwrap_or(std::slice::from_ref(node));
        let expected = "a size in bytes such as 8 or \"680 MB\", or a list of sizes, one for each pass";
        let size = |node: &LocatedNode| match node.as_text() {
            Some(text) => Size::parse(text).map(|size| size.0).map_err(|_| Mismatch::new(node, expected)),
            None => u64::from_node(node).map_err(|_| Mismatch::new(node, expected)),
        };
        let sizes = sizes.iter().map(size).collect::<Result<Vec<_>, _>>()?;
        if sizes.is_empty() { Err(Mismatch::new(node, expected)) } else { Ok(Self(sizes)) }
    }
}

fn variable(
    source: &Arc<SourceText>,
    node: &LocatedNode,
    diagnostics: &mut Diagnostics,
) -> Option<DescribedVariable> {
    let mut fields = TableReader::new(source, node, "variable", diagnostics)?;
    let name = fields.required("name");
    let bytes = fields.required::<PassSizes>("bytes");
    let (from, to) = (fields.required("from"), fields.required("to"));
    let barrier = fields.optional("barrier").unwrap_or(false);
    let (first, around) = (fields.optional("first"), fields.optional("around"));
    fields.finish();
    Some(DescribedVariable { name: name?, bytes: bytes?.0, from: from?, to: to?, barrier, first, around })
}

fn described_loop(
    source: &Arc<SourceText>,
    node: &LocatedNode,
    diagnostics: &mut Diagnostics,
) -> Option<DescribedLoop> {
    let mut fields = TableReader::new(source, node, "loop", diagnostics)?;
    let name = fields.required("name");
    let blocks = fields.required("blocks");
    let passes: Option<u64> = fields.required("passes");
    fields.finish();
    let passes = usize::try_from(passes?).unwrap_or(usize::MAX);
    Some(DescribedLoop { name: name?, blocks: blocks?, passes, until: passes })
}
