//! Clearing of plateaus that are not extrema.

use std::ops::Range;

use super::Extrema;
use crate::{Connectivity, GreyValue, View, ViewMut};

/// Some rows of an image in which plateaus are cleared.
#[derive(Debug)]
pub(super) struct PlateauClearing<'a, T> {
    image: View<'a, T>,
    connectivity: Connectivity,
    rows: Range<usize>,
    /// These rows alone.
    target: ViewMut<'a, u8>,
    stack: &'a mut Vec<(u32, u32)>,
    beyond: &'a mut Vec<Beyond<T>>,
}

/// Columns of a row that lie beside a cleared run of this value.
#[derive(Clone, Debug)]
pub(super) struct Beyond<T> {
    y: usize,
    columns: Range<usize>,
    value: T,
}

impl<'a, T: GreyValue> PlateauClearing<'a, T> {
    pub(super) fn new(
        extrema: Extrema<'a, T>,
        rows: Range<usize>,
        target: ViewMut<'a, u8>,
        stack: &'a mut Vec<(u32, u32)>,
        beyond: &'a mut Vec<Beyond<T>>,
    ) -> Self {
        let Extrema { image, connectivity, .. } = extrema;
        Self { image, connectivity, rows, target, stack, beyond }
    }

    /// A neighbour of equal height of a pixel that is not an extremum is not one either: from each pixel on the stack its
    /// run of the plateau is cleared, and one pixel of each run beside it is pushed.
    pub(super) fn run(mut self) {
        let height = self.image.height();
        while let Some((x, y)) = self.stack.pop() {
            let y = y as usize;
            let (value, columns) = self.clear_run(x as usize, y);
            for y in [y.wrapping_sub(1), y + 1].into_iter().filter(|y| *y < height) {
                let runs = Beyond { y, columns: columns.clone(), value };
                if self.rows.contains(&y) { self.stack_runs(runs) } else { self.beyond.push(runs) }
            }
        }
    }

    /// Clears the run of a plateau around a pixel; returns its value and the columns beside it.
    fn clear_run(&mut self, x: usize, y: usize) -> (T, Range<usize>) {
        let values = self.image.row(y);
        let value = values[x];
        let (before, after) = self.target.row_mut(y - self.rows.start).split_at_mut(x);
        let left = before.iter_mut().zip(values).rev().take_while(|(flag, v)| **flag != 0 && **v == value);
        let left = left.map(|(flag, _)| *flag = 0).count();
        let right = after[1..].iter_mut().zip(&values[x + 1..]);
        let right =
            right.take_while(|(flag, v)| **flag != 0 && **v == value).map(|(flag, _)| *flag = 0).count();
        let reach = self.connectivity.reach();
        (value, (x - left).saturating_sub(reach)..(x + 1 + right + reach).min(values.len()))
    }

    /// Clears and pushes the first pixel of each run in these columns that has this value and is still set.
    pub(super) fn stack_runs(&mut self, Beyond { y, columns, value }: Beyond<T>) {
        let values = &self.image.row(y)[columns.clone()];
        let flags = &mut self.target.row_mut(y - self.rows.start)[columns.clone()];
        let mut in_run = false;
        for ((flag, v), x) in flags.iter_mut().zip(values).zip(columns) {
            let member = *flag != 0 && *v == value;
            if member && !in_run {
                *flag = 0;
                self.stack.push((x as u32, y as u32));
            }
            in_run = member;
        }
    }
}
