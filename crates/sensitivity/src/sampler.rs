//! Samplers: from a space and a design to its rows, with the same bits on every machine and in every call.

mod error;
mod feasible;
mod grid;
mod halton;
mod latin;
mod morris;
mod owen;
mod rows;
mod saltelli;
mod sequences;
mod sobol;

use onceflow_study::{Design, Method, Space, Value};

use crate::Sample;
use crate::quantile::Quantile;
pub use error::SampleError;
use rows::SampledRows;
pub(crate) use sobol::{Directions, MOST_DIMENSIONS};

/// Most values (rows times parameters) of a sample: 2^31, or 16 GiB.
pub(crate) const MOST_VALUES: u128 = 1 << 31;

/// The rows of a design. Equal arguments give equal bits.
pub fn sample(space: &Space, design: &Design) -> Result<Sample, SampleError> {
    check_size(space, &design.method)?;
    let quantiles = Quantile::of_space(space)?;
    Ok(rows_of(space, &quantiles, design)?.into_sample(design))
}

fn rows_of(space: &Space, quantiles: &[Quantile], design: &Design) -> Result<SampledRows, SampleError> {
    let seed = design.seed;
    let seed_if = |scrambled: bool| scrambled.then_some(seed);
    match &design.method {
        Method::MonteCarlo { rows } => sequences::monte_carlo(space, quantiles, *rows, seed),
        Method::LatinHypercube { rows, kind } => latin::rows(space, quantiles, *rows, *kind, seed),
        Method::Halton { rows, scrambled } => sequences::halton(space, quantiles, *rows, seed_if(*scrambled)),
        Method::Hammersley { rows, scrambled } => {
            sequences::hammersley(space, quantiles, *rows, seed_if(*scrambled))
        }
        Method::Sobol { rows, scrambled } => sequences::sobol(space, quantiles, *rows, seed_if(*scrambled)),
        Method::Grid(grid) => grid::rows(space, quantiles, grid),
        Method::Morris(morris) => morris::rows(space, quantiles, morris, seed),
        Method::Saltelli(saltelli) => saltelli::rows(space, quantiles, saltelli, seed),
        // What a tuner will propose is not known before its rows are run: random rows stand for them in plans.
        Method::Tune(tune) => {
            sequences::monte_carlo(space, quantiles, tune.evaluations.saturating_sub(1).max(1), seed)
        }
    }
}

/// The sample of the same design with size `n` (trajectories, base rows or rows in all). It begins with the given rows, bit
/// for bit; a sample whose rows differ from those of its design is refused.
pub fn extend(space: &Space, sample: &Sample, n: u64) -> Result<Sample, SampleError> {
    let design = sample.design.as_ref().ok_or(SampleError::NoDesign)?;
    check_extension(&design.method, n)?;
    let method = design.method.clone().with_size(n);
    let extended = self::sample(space, &Design { method, seed: design.seed })?;
    if design.method.rows(space.factors().len()) != Some(sample.len() as u128) {
        return Err(SampleError::NotItsDesign { row: sample.len() });
    }
    match first_difference(sample, &extended) {
        None => Ok(extended),
        Some(row) => Err(SampleError::NotItsDesign { row }),
    }
}

fn check_extension(method: &Method, n: u64) -> Result<(), SampleError> {
    let size = method.size().filter(|_| method.extendable());
    let size = size.ok_or(SampleError::NotExtendable { method: method.word() })?;
    if size == 0 {
        return Err(SampleError::Zero { what: method.word() });
    }
    if n < size {
        return Err(SampleError::Shrinks { size, found: n });
    }
    let is_nested = matches!(method, Method::LatinHypercube { .. });
    if is_nested && !latin::is_grown_from(n, size) {
        let next = u128::from(size) * u128::from(n.div_ceil(size)).next_power_of_two();
        return Err(SampleError::NotDoubled { size, found: n, next });
    }
    Ok(())
}

/// The numbers of the row in which every parameter has its default (a word as its place in the domain).
pub fn reference_row(space: &Space) -> Result<Vec<f64>, SampleError> {
    let number = |parameter: &onceflow_study::Parameter| {
        let default = parameter.default.as_ref();
        let found = match default {
            Some(word @ Value::Text(_)) => parameter.domain.index_of(word).map(|place| place as f64),
            other => other.and_then(Value::as_f64),
        };
        found.ok_or_else(|| SampleError::NoDefault(parameter.name.clone()))
    };
    space.parameters().iter().map(number).collect()
}

/// Warnings about a design that is valid but not the best of its cost.
pub fn warnings(space: &Space, design: &Design) -> Vec<String> {
    match &design.method {
        Method::Saltelli(saltelli) => saltelli::warnings(space, saltelli),
        Method::Halton { scrambled: false, .. }
        | Method::Hammersley { scrambled: false, .. }
        | Method::Sobol { scrambled: false, .. } => sequences::warnings(space),
        _ => Vec::new(),
    }
}

/// Refuses designs without rows and those that no memory holds.
///
/// # Errors
/// As said.
pub fn check_size(space: &Space, method: &Method) -> Result<(), SampleError> {
    if method.size() == Some(0) {
        return Err(SampleError::Zero { what: method.word() });
    }
    let rows = method.rows(space.factors().len()).unwrap_or(0);
    let values = rows.saturating_mul(space.parameters().len() as u128);
    if values > MOST_VALUES {
        let what = "values (rows times parameters)";
        return Err(SampleError::TooMany {
            what,
            found: values,
            most: MOST_VALUES,
            to_do: "ask for fewer rows",
        });
    }
    Ok(())
}

/// Number of the first row in which the longer sample does not repeat the shorter one.
fn first_difference(shorter: &Sample, longer: &Sample) -> Option<usize> {
    if shorter.parameters != longer.parameters || shorter.values.len() != shorter.len() * shorter.parameters {
        return Some(0);
    }
    let bits =
        |sample: &Sample, row: usize| sample.numbers(row).iter().map(|x| x.to_bits()).collect::<Vec<_>>();
    (0..shorter.len()).find(|&row| {
        row >= longer.len()
            || shorter.rows[row] != longer.rows[row]
            || bits(shorter, row) != bits(longer, row)
    })
}
