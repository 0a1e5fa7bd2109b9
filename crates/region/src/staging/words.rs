//! Staging in words, as a configuration has it.

use std::fmt;
use std::str::FromStr;

use super::{Distribution, Placement, Staging, StagingError};

/// The most writers; more would only wait for each other.
const WRITERS: usize = 1024;

impl FromStr for Staging {
    type Err = StagingError;

    fn from_str(text: &str) -> Result<Staging, StagingError> {
        if text == "co-located" {
            return Ok(Staging { placement: Placement::CoLocated });
        }
        let rest = text.strip_prefix("separated").ok_or_else(|| wrong(text, "name one of the two"))?;
        let words = match rest.strip_prefix(':') {
            Some(words) => words.split(',').collect(),
            None if rest.is_empty() => Vec::new(),
            None => return Err(wrong(text, "put a colon before the choices")),
        };
        let mut choices = Choices { writers: 1, group: 1, batch: 4, distribution: Distribution::RoundRobin };
        words.into_iter().try_for_each(|word| choices.read(word))?;
        let Choices { writers, group: group_size, batch, distribution } = choices;
        check(writers, group_size, batch)?;
        Ok(Staging { placement: Placement::Separated { writers, group_size, batch, distribution } })
    }
}

impl fmt::Display for Staging {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Placement::Separated { writers, group_size, batch, distribution } = self.placement else {
            return f.write_str("co-located");
        };
        write!(f, "separated:writers={writers},group={group_size},batch={batch},")?;
        match distribution {
            Distribution::RoundRobin => f.write_str("round-robin"),
            Distribution::Random(0) => f.write_str("random"),
            Distribution::Random(seed) => write!(f, "random={seed}"),
        }
    }
}

struct Choices {
    writers: usize,
    group: usize,
    batch: usize,
    distribution: Distribution,
}

impl Choices {
    fn read(&mut self, word: &str) -> Result<(), StagingError> {
        let number = |text: &str| text.parse().map_err(|_| wrong(word, "give a whole number"));
        match word.split_once('=') {
            Some(("writers", count)) => self.writers = number(count)?,
            Some(("group", count)) => self.group = number(count)?,
            Some(("batch", count)) => self.batch = number(count)?,
            Some(("random", seed)) => {
                let seed = seed.parse().map_err(|_| wrong(word, "give a whole number"))?;
                self.distribution = Distribution::Random(seed);
            }
            None if word == "random" => self.distribution = Distribution::Random(0),
            None if word == "round-robin" => self.distribution = Distribution::RoundRobin,
            _ => return Err(wrong(word, "leave out what is none of these")),
        }
        Ok(())
    }
}

/// Whether there are writers, groups of them, and batches.
pub(super) fn check(writers: usize, group_size: usize, batch: usize) -> Result<(), StagingError> {
    let found = || format!("writers={writers},group={group_size},batch={batch}");
    if writers == 0 || writers > WRITERS {
        return Err(StagingError::Words { found: found(), todo: "let there be 1 to 1024 writers" });
    }
    if group_size == 0 || group_size > writers {
        return Err(StagingError::Words {
            found: found(),
            todo: "let a group have 1 writer up to all of them",
        });
    }
    if batch == 0 {
        return Err(StagingError::Words { found: found(), todo: "let a batch have at least 1 blob" });
    }
    Ok(())
}

fn wrong(found: &str, todo: &'static str) -> StagingError {
    StagingError::Words { found: found.to_owned(), todo }
}
