//! Rows while they are being made, and the marking of those that repeat an earlier one.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::hash::{BuildHasherDefault, Hash, Hasher};

use onceflow_study::Design;

use crate::{Role, Row, Sample};

/// Rows while they are being made.
#[derive(Debug)]
pub(super) struct Rows {
    parameters: usize,
    rows: Vec<Row>,
    values: Vec<f64>,
}

impl Rows {
    /// Room for rows of so many parameters.
    pub(super) fn with_capacity(parameters: usize, rows: usize) -> Self {
        Self {
            parameters,
            rows: Vec::with_capacity(rows),
            values: Vec::with_capacity(rows.saturating_mul(parameters)),
        }
    }

    /// Adds a row.
    pub(super) fn push(&mut self, role: Role, base: u64, replicate: u64, values: &[f64]) {
        let id = self.rows.len() as u64;
        self.rows.push(Row { id, role, base, replicate, duplicate_of: None });
        self.values.extend_from_slice(values);
    }

    /// Whether there is none yet.
    pub(super) fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Marks what repeats an earlier row and joins everything.
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

fn mark_duplicates(rows: &mut [Row], values: &[f64], parameters: usize) {
    let hasher = BuildHasherDefault::<WordHasher>::default();
    let mut first = HashMap::with_capacity_and_hasher(rows.len(), hasher);
    for (row, numbers) in rows.iter_mut().zip(values.chunks_exact(parameters)) {
        match first.entry(Bits(numbers)) {
            Entry::Occupied(earlier) => row.duplicate_of = Some(*earlier.get()),
            Entry::Vacant(place) => _ = place.insert(row.id),
        }
    }
}

/// A row's numbers, equal when their bits are.
struct Bits<'a>(&'a [f64]);

impl PartialEq for Bits<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.0.iter().map(|x| x.to_bits()).eq(other.0.iter().map(|x| x.to_bits()))
    }
}

impl Eq for Bits<'_> {}

impl Hash for Bits<'_> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.iter().for_each(|x| state.write_u64(x.to_bits()));
    }
}

/// A quick hash of 64-bit words; rows are ours, so that nobody chooses them to collide.
#[derive(Default)]
struct WordHasher(u64);

impl Hasher for WordHasher {
    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|byte| self.write_u64(u64::from(*byte)));
    }

    fn write_u64(&mut self, word: u64) {
        let mixed = (self.0 ^ word).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        self.0 = mixed ^ (mixed >> 29);
    }

    fn finish(&self) -> u64 {
        self.0.wrapping_mul(0xBF58_476D_1CE4_E5B9)
    }
}
