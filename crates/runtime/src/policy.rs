//! Which of the tasks that could run is started next, and where: a closed set of rules.

use std::fmt;

/// How the next task is chosen for a worker that is free.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Policy {
    /// In which order tasks that could run are taken.
    pub order: TaskOrder,
    /// Whether a task whose data lie on a device is preferred there, as long as it loses less than the transfer costs.
    pub locality: bool,
    /// Whether a GPU is given its next task while it computes, so that copies run beside computing.
    pub prefetch: bool,
}

/// The order in which tasks that could run are taken.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TaskOrder {
    /// Site by site, row by row, depth first: what was begun is finished before the next is begun.
    #[default]
    Reservation,
    /// First come, first served.
    FirstCome,
    /// Depth first from a stack, with at most so many paths active at a time, as RMSR was published.
    ActivePaths(usize),
    /// By what a task gains on a GPU: CPUs take the smallest, GPUs the largest (PATS).
    Speedup,
}

/// Why a text names no policy.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "expected reservation, fcfs, pats or rmsr:K with K from 1 on, each with +locality and +prefetch if wanted, found \
     \"{0}\"; such as pats+locality+prefetch"
)]
pub struct PolicyError(pub String);

impl Policy {
    /// Only an order.
    pub const fn of(order: TaskOrder) -> Self {
        Self { order, locality: false, prefetch: false }
    }

    /// Reads a policy as [`Policy`] writes itself.
    ///
    /// # Errors
    /// When the text names none.
    pub fn parse(text: &str) -> Result<Self, PolicyError> {
        let wrong = || PolicyError(text.to_owned());
        let mut words = text.split('+').map(str::trim);
        let mut policy = Self::of(words.next().and_then(TaskOrder::parse).ok_or_else(wrong)?);
        for word in words {
            match word {
                "locality" if !policy.locality => policy.locality = true,
                "prefetch" if !policy.prefetch => policy.prefetch = true,
                _ => return Err(wrong()),
            }
        }
        Ok(policy)
    }
}

impl TaskOrder {
    fn parse(text: &str) -> Option<Self> {
        match text {
            "reservation" => Some(Self::Reservation),
            "fcfs" => Some(Self::FirstCome),
            "pats" => Some(Self::Speedup),
            _ => {
                let paths = text.strip_prefix("rmsr:")?.parse().ok()?;
                (paths > 0).then_some(Self::ActivePaths(paths))
            }
        }
    }
}

impl fmt::Display for Policy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.order {
            TaskOrder::Reservation => f.write_str("reservation")?,
            TaskOrder::FirstCome => f.write_str("fcfs")?,
            TaskOrder::Speedup => f.write_str("pats")?,
            TaskOrder::ActivePaths(paths) => write!(f, "rmsr:{paths}")?,
        }
        let words = [(self.locality, "+locality"), (self.prefetch, "+prefetch")];
        words.iter().filter(|(set, _)| *set).try_for_each(|(_, word)| f.write_str(word))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_policy_reads_back_and_anything_else_is_refused() {
        for text in
            ["reservation", "fcfs", "rmsr:4", "pats+locality", "pats+locality+prefetch", "fcfs+prefetch"]
        {
            assert_eq!(Policy::parse(text).unwrap().to_string(), text);
        }
        assert_eq!(Policy::parse("reservation").unwrap(), Policy::default());
        for text in ["", "rmsr", "rmsr:0", "rmsr:-1", "pats+", "pats+locality+locality", "heft", "PATS"] {
            let said = Policy::parse(text).unwrap_err().to_string();
            assert!(said.contains(&format!("found \"{text}\"")), "{said}");
        }
    }
}
