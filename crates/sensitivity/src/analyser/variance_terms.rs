//! Columns of products of outputs, each over the rows where none of its outputs failed.

use std::collections::HashMap;

use super::columns::PackedColumns;
use crate::RowRole;

/// Columns made once for each term and set of rows.
pub(super) struct Terms {
    pub(super) columns: PackedColumns,
    outputs: HashMap<RowRole, Vec<f64>>,
    masks: HashMap<Vec<bool>, usize>,
    places: HashMap<(VarianceTerm, usize), usize>,
}

/// A column with the column of ones and zeros that says which rows it counts.
#[derive(Clone, Copy, Debug)]
pub(super) struct MaskedColumn {
    pub(super) sum: usize,
    pub(super) count: usize,
}

impl MaskedColumn {
    /// From the sums of all columns.
    pub(super) fn of(self, sums: &[f64]) -> f64 {
        sums[self.sum] / sums[self.count]
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum VarianceTerm {
    Value(RowRole),
    Product(RowRole, RowRole),
    /// Saltelli's `b (ab - a)`.
    Saltelli(usize),
    /// Jansen's `(a - ab)^2`.
    Jansen(usize),
    /// `ba_j ab_k - a b`.
    Closed(usize, usize),
}

impl VarianceTerm {
    fn roles(self) -> Vec<RowRole> {
        match self {
            Self::Value(x) => vec![x],
            Self::Product(x, y) => vec![x, y],
            Self::Saltelli(f) => vec![RowRole::A, RowRole::B, RowRole::Ab(f)],
            Self::Jansen(f) => vec![RowRole::A, RowRole::Ab(f)],
            Self::Closed(f, g) => vec![RowRole::Ba(f), RowRole::Ab(g), RowRole::A, RowRole::B],
        }
    }

    /// From the outputs of its roles.
    fn value(self, y: &[f64]) -> f64 {
        match self {
            Self::Value(_) => y[0],
            Self::Product(..) => y[0] * y[1],
            Self::Saltelli(_) => y[1] * (y[2] - y[0]),
            Self::Jansen(_) => (y[0] - y[1]).powi(2),
            Self::Closed(..) => y[0] * y[1] - y[2] * y[3],
        }
    }
}

impl Terms {
    /// No column yet; `outputs` hold one centred output per role and base row.
    pub(super) fn new(rows: usize, outputs: HashMap<RowRole, Vec<f64>>) -> Self {
        Self { columns: PackedColumns::new(rows), outputs, masks: HashMap::new(), places: HashMap::new() }
    }

    /// Over all rows that have what the term needs.
    pub(super) fn mean(&mut self, term: VarianceTerm) -> MaskedColumn {
        let mask = self.mask(&term.roles());
        self.mean_over(term, mask)
    }

    /// `count` is the column of a mask; rows outside it add nothing.
    pub(super) fn mean_over(&mut self, term: VarianceTerm, count: usize) -> MaskedColumn {
        if let Some(sum) = self.places.get(&(term, count)) {
            return MaskedColumn { sum: *sum, count };
        }
        let mask = self.masks.iter().find(|(_, column)| **column == count).map(|(mask, _)| mask);
        let inside = |row: usize| mask.is_none_or(|m| m[row]);
        let values = vectors(&self.outputs, &term.roles());
        let value = |row: usize| {
            let mut y = [0.0; 4];
            y.iter_mut().zip(&values).for_each(|(y, vector)| *y = vector[row]);
            if inside(row) { term.value(&y) } else { 0.0 }
        };
        let sum = self.columns.push((0..self.columns.rows()).map(value));
        self.places.insert((term, count), sum);
        MaskedColumn { sum, count }
    }

    /// The column that counts the rows where all these outputs are there.
    pub(super) fn mask(&mut self, roles: &[RowRole]) -> usize {
        let values = vectors(&self.outputs, roles);
        let inside: Vec<bool> =
            (0..self.columns.rows()).map(|row| values.iter().all(|v| v[row].is_finite())).collect();
        if let Some(column) = self.masks.get(&inside) {
            return *column;
        }
        let column = self.columns.push(inside.iter().map(|i| f64::from(u8::from(*i))));
        self.masks.insert(inside, column);
        column
    }
}

fn vectors<'a>(outputs: &'a HashMap<RowRole, Vec<f64>>, roles: &[RowRole]) -> Vec<&'a [f64]> {
    roles.iter().filter_map(|r| outputs.get(r)).map(Vec::as_slice).collect()
}
