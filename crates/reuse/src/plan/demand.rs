//! Which rows ask for a node.

use super::classes::Classes;

/// The rows of one task, class by class.
#[derive(Clone, Debug)]
pub(super) struct Demand {
    /// Where the rows of a class begin; one more entry than classes.
    starts: Vec<u32>,
    rows: Vec<u32>,
}

impl Demand {
    pub(super) fn new(classes: &Classes) -> Self {
        let mut starts = vec![0; classes.count as usize + 1];
        for class in &classes.of {
            starts[*class as usize + 1] += 1;
        }
        for class in 0..classes.count as usize {
            starts[class + 1] += starts[class];
        }
        let mut next = starts.clone();
        let mut rows = vec![0; classes.of.len()];
        for (row, class) in classes.of.iter().enumerate() {
            let place = &mut next[*class as usize];
            rows[*place as usize] = row as u32;
            *place += 1;
        }
        Self { starts, rows }
    }

    /// The rows of a class, ascending.
    pub(super) fn of(&self, class: u32) -> &[u32] {
        let class = class as usize;
        &self.rows[self.starts[class] as usize..self.starts[class + 1] as usize]
    }
}
