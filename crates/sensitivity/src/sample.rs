//! A sample: the rows of a design, each with its role.

use std::fmt;

use onceflow_study::{Design, Domain, Space, Value};

/// Rows with their roles and values, and the design that made them.
#[derive(Clone, Debug, PartialEq)]
pub struct Sample {
    /// The design, when it is known (a foreign table has none).
    pub design: Option<Design>,
    /// One entry per row, ids ascending.
    pub rows: Vec<SampleRow>,
    /// Row-major values, one per row and parameter of the space; a word stands as its place in the domain.
    pub values: Vec<f64>,
    /// Number of parameters: the length of a row in `values`.
    pub parameters: usize,
}

/// One row's place in its design.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SampleRow {
    /// Its number, by which results are matched.
    pub id: u64,
    /// Its role.
    pub role: RowRole,
    /// Number of its trajectory, star or base row; 0 for plain rows.
    pub base: u64,
    /// Number of the independent replicate it belongs to; 0 when there is only one.
    pub replicate: u64,
    /// The first row with the same values, when it is not this one.
    pub duplicate_of: Option<u64>,
}

impl SampleRow {
    /// A row without a role in a design.
    pub fn point(id: u64) -> Self {
        Self { id, role: RowRole::Point, base: 0, replicate: 0, duplicate_of: None }
    }
}

/// The role of a row in its design. Factors are given by their index in `Space::factors`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RowRole {
    /// No role: rows of Monte Carlo, Latin hypercubes, sequences and grids.
    Point,
    /// The workflow's defaults, against which metrics may compare.
    Reference,
    /// First row of a trajectory, or centre of a star.
    Start,
    /// Row of a trajectory or star in which this factor moved (from the row before, or from the centre).
    Step(usize),
    /// Base row A.
    A,
    /// Base row B.
    B,
    /// A with this factor from B.
    Ab(usize),
    /// B with this factor from A.
    Ba(usize),
}

impl RowRole {
    /// The text for files: `A`, `AB:G1`, `step:G1`.
    pub fn text(self, space: &Space) -> String {
        let with = |word: &str, factor: usize| {
            let name = space.factors().get(factor).map_or("?", |f| f.name.as_str());
            format!("{word}:{name}")
        };
        match self {
            Self::Point => "point".into(),
            Self::Reference => "reference".into(),
            Self::Start => "start".into(),
            Self::A => "A".into(),
            Self::B => "B".into(),
            Self::Step(factor) => with("step", factor),
            Self::Ab(factor) => with("AB", factor),
            Self::Ba(factor) => with("BA", factor),
        }
    }

    /// Reads what [`RowRole::text`] writes.
    pub fn parse(text: &str, space: &Space) -> Option<Self> {
        let plain = [Self::Point, Self::Reference, Self::Start, Self::A, Self::B];
        if let Some(role) = plain.into_iter().find(|r| r.text(space) == text) {
            return Some(role);
        }
        let (word, name) = text.split_once(':')?;
        let factor = space.factors().iter().position(|f| f.name == name)?;
        match word {
            "step" => Some(Self::Step(factor)),
            "AB" => Some(Self::Ab(factor)),
            "BA" => Some(Self::Ba(factor)),
            _ => None,
        }
    }
}

impl Sample {
    /// Number of rows.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there is no row.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The numbers of one row, a word as its place in the domain.
    pub fn numbers(&self, row: usize) -> &[f64] {
        &self.values[row * self.parameters..(row + 1) * self.parameters]
    }

    /// One value as the user writes it.
    pub fn value(&self, space: &Space, row: usize, parameter: usize) -> Value {
        let number = self.numbers(row)[parameter];
        match &space.parameters()[parameter].domain {
            words @ Domain::Categories(_) => words.value(number as u64).unwrap_or(Value::Real(number)),
            Domain::Integers { .. } => Value::Integer(number as i64),
            Domain::Continuous { .. } | Domain::Steps { .. } | Domain::Values(_) => Value::Real(number),
        }
    }

    /// How many rows repeat an earlier one.
    pub fn duplicates(&self) -> usize {
        self.rows.iter().filter(|r| r.duplicate_of.is_some()).count()
    }
}

/// Short account: method, seed, rows, duplicates.
impl fmt::Display for Sample {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(design) = &self.design {
            write!(f, "{}, seed {}: ", design.method.word(), design.seed)?;
        }
        write!(
            f,
            "{} rows of {} parameters, {} of them duplicates",
            self.len(),
            self.parameters,
            self.duplicates()
        )
    }
}
