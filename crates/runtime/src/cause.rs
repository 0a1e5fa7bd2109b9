//! Why something was decided, in words that a trace can show.

use std::fmt;

/// Why a task was started, or a bucket handed out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Cause {
    /// It comes next in the order that needs least memory.
    InOrder,
    /// It came first.
    FirstCome,
    /// It goes on with the path that was begun last.
    Deepest,
    /// It gains least from a GPU, and a CPU was free.
    SmallestSpeedup,
    /// It gains most from a GPU, and a GPU was free.
    LargestSpeedup,
    /// What it reads lies there already.
    DataThere,
    /// What should come before it does not fit the memory that is free.
    FitsMemory,
    /// It failed before for a reason that may pass.
    TriedAgain,
    /// What it made was let go to make room, and is needed again.
    MadeAgain,
    /// A node asked for work.
    NodeAsked,
    /// The node that had it was lost.
    NodeLost,
}

impl Cause {
    /// The cause in words.
    pub fn words(self) -> &'static str {
        match self {
            Self::InOrder => "next in the order that needs least memory",
            Self::FirstCome => "first come",
            Self::Deepest => "deepest of the active paths",
            Self::SmallestSpeedup => "smallest speedup for a cpu",
            Self::LargestSpeedup => "largest speedup for a gpu",
            Self::DataThere => "data already there",
            Self::FitsMemory => "first that fits the memory that is free",
            Self::TriedAgain => "tried again",
            Self::MadeAgain => "memory released it before",
            Self::NodeAsked => "node asked",
            Self::NodeLost => "node lost",
        }
    }
}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.words())
    }
}
