//! Staging in words, as a configuration has it.

use std::fmt;
use std::str::FromStr;

use super::{Distribution, Placement, Staging, StagingError};

/// The most writers; more would only wait for each other.
const WRITERS: usize = 1024;

impl FromStr for Staging {
    type Err = StagingError;

    fn from_str(text: &str) -> Result<Staging, StagingError> {
        let (kind, words) = text.split_once(':').map_or((text, None), |(kind, words)| (kind, Some(words)));
        let co_located = match kind {
            "co-located" => true,
            "separated" => false,
            _ => return Err(wrong(text, "name one of the two, and put a colon before the choices")),
        };
        let batch = if co_located { 1 } else { 4 };
        let mut choices = Choices { co_located, writers: 1, group: 1, batch, distribution: None };
        words.into_iter().flat_map(|words| words.split(',')).try_for_each(|word| choices.read(word))?;
        let Choices { writers, group: group_size, batch, distribution, .. } = choices;
        let placement = match co_located {
            true => Placement::CoLocated { group_size, batch, distribution },
            false => {
                let distribution = distribution.unwrap_or(Distribution::RoundRobin);
                Placement::Separated { writers, group_size, batch, distribution }
            }
        };
        // The text as it was written, without the choices that were left out.
        check(placement).map_err(|error| match error {
            StagingError::Words { todo, .. } => wrong(text, todo),
            other => other,
        })?;
        Ok(Staging { placement })
    }
}

impl fmt::Display for Staging {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.placement {
            Placement::CoLocated { group_size: 1, batch: 1, distribution: None } => f.write_str("co-located"),
            Placement::CoLocated { group_size, batch, distribution } => {
                write!(f, "co-located:group={group_size},batch={batch}")?;
                distribution.map_or(Ok(()), |distribution| write!(f, ",{distribution}"))
            }
            Placement::Separated { writers, group_size, batch, distribution } => {
                write!(f, "separated:writers={writers},group={group_size},batch={batch},{distribution}")
            }
        }
    }
}

impl fmt::Display for Distribution {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Distribution::RoundRobin => f.write_str("round-robin"),
            Distribution::Random(0) => f.write_str("random"),
            Distribution::Random(seed) => write!(f, "random={seed}"),
        }
    }
}

struct Choices {
    /// Whether there are no writers to be chosen.
    co_located: bool,
    writers: usize,
    group: usize,
    batch: usize,
    distribution: Option<Distribution>,
}

impl Choices {
    fn read(&mut self, word: &str) -> Result<(), StagingError> {
        let number = |text: &str| text.parse().map_err(|_| wrong(word, "give a whole number"));
        match word.split_once('=') {
            Some(("group", count)) => self.group = number(count)?,
            Some(("batch", count)) => self.batch = number(count)?,
            Some(("writers", _)) if self.co_located => {
                return Err(wrong(word, "leave out the writers: the computing threads write"));
            }
            Some(("writers", count)) => self.writers = number(count)?,
            Some(("random", seed)) => {
                let seed = seed.parse().map_err(|_| wrong(word, "give a whole number"))?;
                self.distribution = Some(Distribution::Random(seed));
            }
            None if word == "random" => self.distribution = Some(Distribution::Random(0)),
            None if word == "round-robin" => self.distribution = Some(Distribution::RoundRobin),
            _ => return Err(wrong(word, "leave out other words")),
        }
        Ok(())
    }
}

/// Whether there are writers, groups of them, and batches.
pub(super) fn check(placement: Placement) -> Result<(), StagingError> {
    let (writers, group_size, batch) = match placement {
        // Any thread may come: there are no more of them than a group may have.
        Placement::CoLocated { group_size, batch, .. } => (WRITERS, group_size, batch),
        Placement::Separated { writers, group_size, batch, .. } => (writers, group_size, batch),
    };
    let todo = match (writers, group_size, batch) {
        (0, _, _) => "writers is a number from 1 to 1024",
        (writers, _, _) if writers > WRITERS => "writers is a number from 1 to 1024",
        (_, 0, _) => "group is at least 1, and at most the number of writers",
        (writers, group_size, _) if group_size > writers => {
            "group is at least 1, and at most the number of writers"
        }
        (_, _, 0) => "batch is at least 1",
        _ => return Ok(()),
    };
    Err(StagingError::Words { found: Staging { placement }.to_string(), todo })
}

fn wrong(found: &str, todo: &'static str) -> StagingError {
    StagingError::Words { found: found.to_owned(), todo }
}
