//! The smallest attributes of a target, exactly, and under the paper's condition C3.

use super::search::{JoinRule, search};
use super::{AttributeGraph, GraphVariable};

/// Attributes that identify a target.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AttributeSet {
    /// Bytes of all together.
    pub bytes: u64,
    /// The variables, by their places in the graph.
    pub variables: Vec<usize>,
    /// The blocks that joined the target, by their numbers, the target's own left out.
    pub joined: Vec<usize>,
}

/// What identifies a target.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MinimalAttributes {
    /// All that enters the target itself.
    pub initial: AttributeSet,
    /// The fewest bytes that identify it.
    pub least: AttributeSet,
    /// The fewest bytes when a block joins only if all its readers have joined (condition C3): such blocks can be skipped.
    pub least_c3: AttributeSet,
    /// No attributes have fewer bytes than this. Less than those of `least` only when the search was given up.
    pub bound: u64,
}

impl MinimalAttributes {
    /// Whether `least` is proved to be the smallest.
    pub fn is_proved(&self) -> bool {
        self.bound == self.least.bytes
    }
}

/// The smallest attributes of the graph's target; of equal ones those nearest the target. A block that makes a barrier never
/// joins together with a block that reads it.
///
/// ```
/// use onceflow_reuse::attributes::{minimise, read_flow_descriptions};
/// use onceflow_study::SourceText;
///
/// let text = r#"
/// target = ["register"]
/// [[variable]]
/// name = "file"
/// bytes = 6
/// from = "source"
/// to = ["read"]
/// [[variable]]
/// name = "image"
/// bytes = "680 MB"
/// from = "read"
/// to = ["register"]
/// "#;
/// let described = read_flow_descriptions(&SourceText::new("graph.toml", text)).map_err(|e| e.to_string())?;
/// let found = minimise(&described[0].unroll()?);
/// assert_eq!((found.initial.bytes, found.least.bytes), (680_000_000, 6));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn minimise(graph: &AttributeGraph) -> MinimalAttributes {
    let (least, bound) = search(graph, JoinRule::Identify);
    let (least_c3, _) = search(graph, JoinRule::Skip);
    let initial = entering(graph, &graph.is_target());
    MinimalAttributes { initial, least, least_c3, bound }
}

/// What enters blocks from the others.
pub(super) fn entering(graph: &AttributeGraph, inside: &[bool]) -> AttributeSet {
    let is_target = graph.is_target();
    let joined = (0..inside.len()).filter(|block| inside[*block] && !is_target[*block]).collect();
    let enters = |variable: &GraphVariable| {
        variable.from.is_none_or(|from| !inside[from]) && variable.to.iter().any(|to| inside[*to])
    };
    let variables: Vec<usize> = (0..graph.variables.len()).filter(|n| enters(&graph.variables[*n])).collect();
    AttributeSet { bytes: variables.iter().map(|n| graph.variables[*n].bytes).sum(), variables, joined }
}
