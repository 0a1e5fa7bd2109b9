//! `[[phase]]`.

use std::sync::Arc;

use super::method::{ReadMethod, read_method};
use super::{at_least, read_each};
use crate::located::{Located, LocatedNode, TableReader};
use crate::{Diagnostics, Method, Share, SourceSpan, SourceText};

/// A phase as it is written.
#[derive(Clone, Debug)]
pub(crate) struct PhaseEntry {
    pub(crate) name: Located<String>,
    /// With the place of its size; `None` when it could not be read.
    pub(crate) method: Option<Located<Method>>,
    pub(crate) seed: Option<u64>,
    pub(crate) keep: Option<KeepEntry>,
    pub(crate) estimator: Option<&'static str>,
    pub(crate) analyses: Vec<Located<&'static str>>,
}

/// A rule as it is written.
#[derive(Clone, Debug)]
pub(crate) struct KeepEntry {
    pub(crate) span: SourceSpan,
    pub(crate) phase: Option<Located<String>>,
    pub(crate) metric: Option<Located<String>>,
    pub(crate) share: Option<f64>,
    pub(crate) at_least: Option<u64>,
    pub(crate) at_most: Option<u64>,
    pub(crate) names: Option<Vec<Located<String>>>,
}

const ESTIMATORS: [(&str, &str); 4] =
    [("controlled", "controlled"), ("saltelli", "saltelli"), ("janon", "janon"), ("martinez", "martinez")];

/// The words of `analyze --method`, and `moat` for those who know the papers.
const ANALYSES: [(&str, &str); 7] = [
    ("vbd", "vbd"),
    ("morris", "morris"),
    ("moat", "morris"),
    ("correlation", "correlation"),
    ("rbd-fast", "rbd-fast"),
    ("delta", "delta"),
    ("pawn", "pawn"),
];

/// Reads the tables of `[[phase]]`.
pub(crate) fn read_phases(
    source: &Arc<SourceText>,
    nodes: Option<&[LocatedNode]>,
    diagnostics: &mut Diagnostics,
) -> Vec<PhaseEntry> {
    read_each(source, nodes, "phase", diagnostics, |fields| read_phase(source, fields))
}

fn read_phase(source: &Arc<SourceText>, mut fields: TableReader<'_, '_>) -> Option<PhaseEntry> {
    let name = fields.required("name");
    let read = read_method(&mut fields);
    let seed = fields.optional("seed");
    let keep = fields.optional("keep");
    let keep = keep.and_then(|node| read_keep(source, node, fields.diagnostics()));
    let is_vbd = matches!(read, ReadMethod::Complete(Method::Saltelli(_), _));
    let estimator = if is_vbd { fields.word("estimator", &ESTIMATORS) } else { None };
    let analyses = read_analyses(&mut fields);
    let method = match read {
        ReadMethod::Unknown => None,
        ReadMethod::WithoutSize => {
            fields.finish();
            None
        }
        ReadMethod::Complete(method, size) => {
            let method = Located { value: method, span: fields.span(size) };
            fields.finish();
            Some(method)
        }
    };
    Some(PhaseEntry { name: name?, method, seed, keep, estimator, analyses })
}

/// One word or a list of words.
fn read_analyses(fields: &mut TableReader<'_, '_>) -> Vec<Located<&'static str>> {
    let Some(node): Option<&LocatedNode> = fields.optional("analysis") else { return Vec::new() };
    let nodes = node.as_list().unwrap_or(std::slice::from_ref(node));
    nodes.iter().filter_map(|node| fields.word_at("analysis", node, &ANALYSES)).collect()
}

/// A table of the rule, or just a list of names.
fn read_keep(
    source: &Arc<SourceText>,
    node: &LocatedNode,
    diagnostics: &mut Diagnostics,
) -> Option<KeepEntry> {
    if node.as_list().is_some() {
        let names = TableReader::read(source, "keep", node, diagnostics);
        return Some(KeepEntry { names, ..KeepEntry::empty(node.span) });
    }
    let mut fields = TableReader::new(source, node, "rule `keep`", diagnostics)?;
    let names: Option<Vec<_>> = fields.optional("names");
    let mut keep = KeepEntry { names, ..KeepEntry::empty(node.span) };
    if keep.names.is_none() {
        keep.phase = fields.required("phase");
        keep.metric = fields.optional("metric");
        keep.share = fields.optional("share").map(|share: Share| share.0);
        keep.at_least = at_least(&mut fields, "at_least", 1);
        keep.at_most = at_least(&mut fields, "at_most", keep.at_least.unwrap_or(1));
    } else {
        // It says nothing more than the names do, but people like to say where they come from.
        keep.phase = fields.optional("phase");
    }
    fields.finish();
    Some(keep)
}

impl KeepEntry {
    fn empty(span: SourceSpan) -> Self {
        Self { span, phase: None, metric: None, share: None, at_least: None, at_most: None, names: None }
    }
}
