//! Rows while they are being made, and the marking of those that repeat an earlier one.

use onceflow_study::Design;
use rayon::prelude::*;

use crate::{RowRole, Sample, SampleRow};

/// Rows while they are being made.
#[derive(Debug)]
pub(super) struct SampledRows {
    parameters: usize,
    rows: Vec<SampleRow>,
    values: Vec<f64>,
}

impl SampledRows {
    /// Room for rows of so many parameters.
    pub(super) fn with_capacity(parameters: usize, rows: usize) -> Self {
        Self {
            parameters,
            rows: Vec::with_capacity(rows),
            values: Vec::with_capacity(rows.saturating_mul(parameters)),
        }
    }

    /// Rows without a role in a design.
    pub(super) fn points(parameters: usize, values: Vec<f64>) -> Self {
        let count = (values.len() / parameters) as u64;
        Self { parameters, rows: (0..count).map(SampleRow::point).collect(), values }
    }

    /// Adds a row.
    pub(super) fn push(&mut self, role: RowRole, base: u64, replicate: u64, values: &[f64]) {
        let id = self.rows.len() as u64;
        self.rows.push(SampleRow { id, role, base, replicate, duplicate_of: None });
        self.values.extend_from_slice(values);
    }

    /// Whether there are no rows yet.
    pub(super) fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Marks duplicates and makes the sample.
    pub(super) fn into_sample(mut self, design: &Design) -> Sample {
        mark_duplicates(&mut self.rows, &self.values, self.parameters);
        Sample {
            design: Some(design.clone()),
            rows: self.rows,
            values: self.values,
            parameters: self.parameters,
        }
    }
}

/// Sorts the rows by a hash of their bits, so that equal ones stand side by side, the first of them first.
fn mark_duplicates(rows: &mut [SampleRow], values: &[f64], parameters: usize) {
    let numbers = |row: usize| &values[row * parameters..(row + 1) * parameters];
    let mut order: Vec<(u64, usize)> =
        (0..rows.len()).into_par_iter().map(|row| (hash(numbers(row)), row)).collect();
    order.par_sort_unstable();
    for alike in order.chunk_by(|a, b| a.0 == b.0).filter(|alike| alike.len() > 1) {
        for (place, (_, row)) in alike.iter().enumerate() {
            let earlier =
                alike[..place].iter().find(|(_, earlier)| same_bits(numbers(*earlier), numbers(*row)));
            rows[*row].duplicate_of = earlier.map(|(_, earlier)| *earlier as u64);
        }
    }
}

fn hash(numbers: &[f64]) -> u64 {
    numbers.iter().fold(0, |hash: u64, x| {
        let mixed = (hash ^ x.to_bits()).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        mixed ^ (mixed >> 29)
    })
}

fn same_bits(a: &[f64], b: &[f64]) -> bool {
    a.iter().map(|x| x.to_bits()).eq(b.iter().map(|x| x.to_bits()))
}
