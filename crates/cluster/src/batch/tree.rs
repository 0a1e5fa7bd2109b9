//! Jobs by their place, found by width and length: a binary tree of the least of each.

/// A set of jobs in which the first that fits is found without looking at all.
#[derive(Clone, Debug)]
pub(super) struct JobTree {
    /// Leaves, a power of two.
    size: usize,
    /// The least width and the least length below each inner node and at each leaf; the root is 1.
    least: Vec<(u64, u64)>,
}

/// What a job must be to start now.
#[derive(Clone, Copy, Debug)]
pub(super) struct Hole {
    /// Nodes that are free.
    pub(super) nodes: u64,
    /// A job no longer than this may take all of them.
    pub(super) length: u64,
    /// A longer one only so many.
    pub(super) extra: u64,
}

const NONE: (u64, u64) = (u64::MAX, u64::MAX);

impl Hole {
    const ANY: Self = Self { nodes: u64::MAX - 1, length: u64::MAX - 1, extra: 0 };

    /// Whether a job of this width and length fits.
    pub(super) fn fits(&self, (nodes, length): (u64, u64)) -> bool {
        nodes <= self.nodes && (length <= self.length || nodes <= self.extra)
    }
}

impl JobTree {
    /// No jobs, of at most so many.
    pub(super) fn new(jobs: usize) -> Self {
        let size = jobs.next_power_of_two();
        Self { size, least: vec![NONE; 2 * size] }
    }

    pub(super) fn insert(&mut self, job: u32, nodes: u64, length: u64) {
        self.set(job, (nodes, length));
    }

    pub(super) fn remove(&mut self, job: u32) {
        self.set(job, NONE);
    }

    /// The least width of all jobs in it.
    pub(super) fn least_nodes(&self) -> u64 {
        self.least[1].0
    }

    /// The first job from a place on.
    pub(super) fn next(&self, from: u32) -> Option<u32> {
        self.fitting(from, Hole::ANY)
    }

    /// The first job from a place on that fits.
    pub(super) fn fitting(&self, from: u32, hole: Hole) -> Option<u32> {
        let mut at = self.size + from as usize;
        if from as usize >= self.size {
            return None;
        }
        // Up and to the right until something below fits, then down to the first that does.
        loop {
            if let Some(found) = self.down(at, hole) {
                return Some(found);
            }
            while at & 1 == 1 {
                at >>= 1;
            }
            if at == 0 {
                return None;
            }
            at += 1;
        }
    }

    /// The first leaf below a node that fits. The least width and length may be of two jobs, so that none does.
    fn down(&self, at: usize, hole: Hole) -> Option<u32> {
        if !hole.fits(self.least[at]) {
            return None;
        }
        if at >= self.size {
            return Some((at - self.size) as u32);
        }
        self.down(2 * at, hole).or_else(|| self.down(2 * at + 1, hole))
    }

    fn set(&mut self, job: u32, value: (u64, u64)) {
        let mut at = self.size + job as usize;
        self.least[at] = value;
        while at > 1 {
            at >>= 1;
            let (a, b) = (self.least[2 * at], self.least[2 * at + 1]);
            let least = (a.0.min(b.0), a.1.min(b.1));
            if self.least[at] == least {
                break;
            }
            self.least[at] = least;
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn it_finds_what_a_walk_over_all_jobs_finds(
            jobs in proptest::collection::vec(proptest::option::of((1u64..9, 0u64..9)), 1..40),
            from in 0u32..45, nodes in 0u64..10, length in 0u64..10, extra in 0u64..10,
        ) {
            let mut tree = JobTree::new(jobs.len());
            for (place, job) in jobs.iter().enumerate() {
                tree.insert(place as u32, 1, 1);
                match job {
                    Some((nodes, length)) => tree.insert(place as u32, *nodes, *length),
                    None => tree.remove(place as u32),
                }
            }
            let hole = Hole { nodes, length, extra };
            let walk = |hole: Hole| {
                let fits = |place: &usize| jobs[*place].is_some_and(|job| hole.fits(job));
                (from as usize..jobs.len()).find(fits).map(|place| place as u32)
            };
            prop_assert_eq!(tree.fitting(from, hole), walk(hole));
            prop_assert_eq!(tree.next(from), walk(Hole::ANY));
        }
    }
}
