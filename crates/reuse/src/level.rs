//! How much equal work is found: each level finds what the one before it finds, and more.

use std::fmt;

/// What makes two tasks one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Level {
    /// Nothing: every row replicates the workflow.
    None,
    /// A whole stage with equal parameters and equal inputs.
    Stage,
    /// An equal task after an equal beginning of its stage's chain.
    Task,
    /// An equal task, equal in the parameters it reads and the regions it takes.
    Dataflow,
    /// An equal task, equal in the parameters it reads and in what the regions it takes turn out to hold.
    Convergent,
    /// The same for each object of a region, where a task works on objects one by one.
    #[default]
    Object,
}

impl Level {
    /// All levels, each after those it contains.
    pub const ALL: [Self; 6] =
        [Self::None, Self::Stage, Self::Task, Self::Dataflow, Self::Convergent, Self::Object];
    /// The levels of which everything is known before anything runs.
    pub const PLANNED: [Self; 4] = [Self::None, Self::Stage, Self::Task, Self::Dataflow];
    /// Of these, the levels that merge anything: an account says how much each of them does.
    pub const MERGING: [Self; 3] = [Self::Stage, Self::Task, Self::Dataflow];

    /// The word used in files and on the command line.
    pub fn word(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Stage => "stage",
            Self::Task => "task",
            Self::Dataflow => "dataflow",
            Self::Convergent => "convergent",
            Self::Object => "object",
        }
    }

    /// The highest level up to this one of which everything is known before anything runs.
    #[must_use]
    pub fn planned(self) -> Self {
        self.min(Self::Dataflow)
    }

    /// The level with that word.
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|level| level.word() == word)
    }
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.word())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_name_each_level_once_and_the_last_is_the_default() {
        for level in Level::ALL {
            assert_eq!(Level::from_word(level.word()), Some(level));
        }
        assert_eq!(Level::from_word("everything"), None);
        assert!(Level::ALL.is_sorted());
        assert_eq!(Level::ALL.last(), Some(&Level::default()));
    }
}
