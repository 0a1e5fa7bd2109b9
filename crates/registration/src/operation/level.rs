//! The operation that runs a level, and the loop-carried regions between levels: coefficients, and the log of iterations.

use std::ops::ControlFlow;

use onceflow_kernels::registration::{Cost, Grid, Lattice, LevelProblem, LevelState, TraceRow, refine};
use onceflow_region::{Column, Region, Table};
use onceflow_runtime::{Done, OperationError};

use super::frame::{Frame, cpu};
use super::prepare::numbers;
use super::states::{LevelKey, ServedLevel};
use super::{Arguments, failed};
use crate::register::{LevelEnd, LevelReport, run_level};

const COEFFICIENTS: &str = "mm";

pub(super) fn level(arguments: &Arguments<'_>) -> Result<Done, OperationError> {
    let frame = Frame::of_call(arguments)?;
    let (bending, step, iterations) = (arguments.real(0)?, arguments.real(1)?, arguments.integer(2)?);
    let (halvings, factor) = (arguments.integer(3)?, arguments.real(4)?);
    check(bending, step, iterations)?;
    let before = levels_of(arguments.table(6)?)?;
    let vec = arguments.table(5)?.reals(COEFFICIENTS).unwrap_or_default();
    let (fixed, moving) = (frame.step(arguments, 0, halvings)?, frame.step(arguments, 1, halvings)?);
    let full = frame.grids[0];
    let lattice = lattice(&full, frame.spacing * factor)?;
    let start = match before.last() {
        None => vec![0.0; lattice.coefficients()],
        Some(last) => started(&self::lattice(&full, frame.spacing * last.factor)?, vec, &lattice)?,
    };
    let problem = LevelProblem {
        fixed: &fixed,
        moving: &moving,
        full: &full,
        affine: frame.affine,
        lattice,
        final_spacing: frame.spacing,
        similarity: frame.similarity,
        optimiser: frame.optimiser,
        tolerance: frame.tolerance,
        bending,
        step,
    };
    let number = before.len() as u32 + 1;
    let run = |state: Option<LevelState>, most: u32, observe: &mut dyn FnMut(&LevelState)| {
        let observe = &mut |state: &LevelState| {
            observe(state);
            ControlFlow::Continue(())
        };
        run_level(problem, number, (start.clone(), state), most, cpu(), observe)
            .map_err(|none| failed(format!("the volumes do not overlap enough: {} of {} voxels count, and the centres are {:.1} mm apart; to do: set initial = \"centres\"", none.counted, none.of, none.apart)))
    };
    let (end, known) = match arguments.states {
        None => (run(None, iterations, &mut |_| ())?, false),
        Some(states) => {
            let key = LevelKey::new(&frame, &start, [bending, step, factor, halvings.into()]);
            let ServedLevel { end, iterated } = states.level(&key, iterations, run)?;
            (end, !iterated)
        }
    };
    let LevelEnd { report, coefficients, .. } = end;
    let mut levels = before;
    levels.push(LoggedLevel { factor, report: LevelReport { level: number, ..report } });
    let regions = vec![Region::Table(vec_table(coefficients)?), Region::Table(log_table(&levels)?)];
    Ok(Done { known, ..Done::with(regions) })
}

fn check(bending: f64, step: f64, iterations: u32) -> Result<(), OperationError> {
    match () {
        () if !(bending.is_finite() && bending >= 0.0) => {
            Err(failed(format!("expected a finite bending weight from 0 on, found {bending}")))
        }
        () if !(step.is_finite() && step > 0.0) => {
            Err(failed(format!("expected a finite step above 0, found {step}")))
        }
        () if iterations == 0 => Err(failed("expected at least one iteration, found 0")),
        () => Ok(()),
    }
}

fn lattice(full: &Grid, spacing: f64) -> Result<Lattice, OperationError> {
    Lattice::new(full, spacing).map_err(|error| failed(error.to_string()))
}

/// The coefficients of the level before on the lattice of this one, of the same spacing or half of it.
fn started(from: &Lattice, vec: &[f64], to: &Lattice) -> Result<Vec<f64>, OperationError> {
    if vec.len() != from.coefficients() {
        return Err(failed(format!(
            "expected {} coefficients of the level before, found {}",
            from.coefficients(),
            vec.len()
        )));
    }
    if from.delta != to.delta && from.delta != 2.0 * to.delta {
        return Err(failed(format!(
            "expected the spacing of the level before or half of it, found {} after {}",
            to.delta, from.delta
        )));
    }
    Ok(refine(from, vec, to))
}

/// A level, and its spacing in spacings of the last one.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct LoggedLevel {
    pub(super) factor: f64,
    pub(super) report: LevelReport,
}

pub(super) fn vec_table(coefficients: Vec<f64>) -> Result<Table, OperationError> {
    numbers(COEFFICIENTS, coefficients)
}

/// The coefficients of a table.
pub(super) fn coefficients(table: &Table) -> &[f64] {
    table.reals(COEFFICIENTS).unwrap_or_default()
}

/// The iteration of a row that stands for a level without any.
const NONE: i64 = -1;

/// One row for each iteration of each level; a level whose volumes no longer overlap has one row without a cost.
pub(super) fn log_table(levels: &[LoggedLevel]) -> Result<Table, OperationError> {
    let none = TraceRow {
        iteration: u32::MAX,
        cost: Cost { total: 0.0, similarity: 0.0, bending: 0.0, counted: 0 },
        tries: 0,
    };
    let mut rows: Vec<(&LoggedLevel, TraceRow)> = Vec::new();
    for level in levels {
        match level.report.trace.is_empty() {
            true => rows.push((level, none)),
            false => rows.extend(level.report.trace.iter().map(|row| (level, *row))),
        }
    }
    let whole =
        |of: &dyn Fn(&(&LoggedLevel, TraceRow)) -> i64| Column::Integer(rows.iter().map(of).collect());
    let real = |of: &dyn Fn(&(&LoggedLevel, TraceRow)) -> f64| Column::Real(rows.iter().map(of).collect());
    let columns = vec![
        ("level".to_owned(), whole(&|(level, _)| level.report.level.into())),
        ("factor".to_owned(), real(&|(level, _)| level.factor)),
        (
            "status".to_owned(),
            Column::Text(rows.iter().map(|(level, _)| level.report.status.clone()).collect()),
        ),
        (
            "iteration".to_owned(),
            whole(&|(_, row)| if row.iteration == u32::MAX { NONE } else { row.iteration.into() }),
        ),
        ("cost".to_owned(), real(&|(_, row)| row.cost.total)),
        ("similarity".to_owned(), real(&|(_, row)| row.cost.similarity)),
        ("bending".to_owned(), real(&|(_, row)| row.cost.bending)),
        ("counted".to_owned(), whole(&|(_, row)| row.cost.counted.cast_signed())),
        ("tries".to_owned(), whole(&|(_, row)| row.tries.into())),
    ];
    Table::new(columns).map_err(|error| failed(error.to_string()))
}

/// The levels of a log.
pub(super) fn levels_of(table: &Table) -> Result<Vec<LoggedLevel>, OperationError> {
    read_levels(table).ok_or_else(|| failed("expected the log of the levels before"))
}

fn read_levels(table: &Table) -> Option<Vec<LoggedLevel>> {
    let (level, factor, status) = (table.integers("level")?, table.reals("factor")?, table.texts("status")?);
    let (iteration, tries, counted) =
        (table.integers("iteration")?, table.integers("tries")?, table.integers("counted")?);
    let (cost, similarity, bending) =
        (table.reals("cost")?, table.reals("similarity")?, table.reals("bending")?);
    let mut levels: Vec<LoggedLevel> = Vec::new();
    for at in 0..table.rows() {
        let number = u32::try_from(level[at]).ok()?;
        if levels.last().is_none_or(|last| last.report.level != number) {
            let report = LevelReport { level: number, status: status[at].clone(), trace: Vec::new() };
            levels.push(LoggedLevel { factor: factor[at], report });
        }
        if iteration[at] == NONE {
            continue;
        }
        let cost = Cost {
            total: cost[at],
            similarity: similarity[at],
            bending: bending[at],
            counted: counted[at].cast_unsigned(),
        };
        let row = TraceRow {
            iteration: u32::try_from(iteration[at]).ok()?,
            cost,
            tries: u32::try_from(tries[at]).ok()?,
        };
        levels.last_mut()?.report.trace.push(row);
    }
    Some(levels)
}
