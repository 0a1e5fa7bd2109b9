//! Why attributes of a described graph cannot be found.

/// Why a flow graph has no attributes. Each names what stands in the description.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say what the fields are")]
pub enum AttributeError {
    #[error("the graph has no target: expected the blocks whose result is kept, found none")]
    NoTarget,
    #[error("target `{name}` is no block of the graph: expected one that a variable comes from or goes to")]
    UnknownTarget { name: String },
    #[error("`source` is the target: expected a block that computes something, since the source only gives")]
    SourceIsTarget,
    #[error("variable `{variable}` goes to `source`: expected another block, since the source takes nothing")]
    IntoSource { variable: String },
    #[error("variable `{name}` stands twice: expected one variable of a name")]
    VariableTwice { name: String },
    #[error("blocks wait for each other: expected a graph without cycles, found {cycle}")]
    Cycle { cycle: String },
    #[error("the variables have more than {most} bytes together: expected fewer, found a size that is wrong")]
    TooManyBytes { most: u64 },
    #[error("the unrolled graph has more than {most} blocks and edges: expected fewer passes of the loops")]
    TooLarge { most: usize },
    #[error("the graph has {found} loops: expected at most {most}")]
    TooManyLoops { most: usize, found: usize },
    #[error("loop `{name}` has no passes: expected 1 or more, found 0")]
    NoPass { name: String },
    #[error("loop `{name}` has the block `{block}`, which no variable names: expected blocks of the graph")]
    UnknownBlock { name: String, block: String },
    #[error(
        "loops `{one}` and `{other}` share some blocks: expected one inside the other, or none in common"
    )]
    Overlap { one: String, other: String },
    #[error(
        "variable `{variable}` is carried around loop `{name}`: expected a block of that loop, found `{block}`"
    )]
    NotInLoop { variable: String, name: String, block: String },
    #[error(
        "variable `{variable}` has a first value but no loop carries it: expected it to come from a block of a loop"
    )]
    NoLoop { variable: String },
    #[error("variable `{variable}` has {found} sizes: expected one, or one for each of {expected} passes")]
    Sizes { variable: String, expected: usize, found: usize },
}

impl AttributeError {
    /// The name in the description that it is about.
    pub fn place(&self) -> Option<&str> {
        match self {
            Self::UnknownTarget { name } | Self::VariableTwice { name } | Self::NoPass { name } => Some(name),
            Self::IntoSource { variable } | Self::NoLoop { variable } | Self::Sizes { variable, .. } => {
                Some(variable)
            }
            Self::NotInLoop { variable, .. } => Some(variable),
            Self::UnknownBlock { block, .. } => Some(block),
            Self::Overlap { other, .. } => Some(other),
            Self::SourceIsTarget => Some(super::SOURCE),
            Self::Cycle { cycle } => cycle.split(" -> ").next(),
            Self::NoTarget
            | Self::TooManyBytes { .. }
            | Self::TooLarge { .. }
            | Self::TooManyLoops { .. } => None,
        }
    }
}
