//! The registration of a pair: level after level, from a saved state where there is one.

use std::ops::ControlFlow;

use onceflow_kernels::Cpu;
use onceflow_kernels::registration::{
    Affine, AffineSearch, Lattice, LevelProblem, LevelRun, LevelState, NoOverlap, Pyramid, ScaledVolume,
    Start, TraceRow, Transform, initial, level_bytes, pyramid_bytes, refine,
};
use onceflow_kernels::registration::{Grid, LatticeError};
use onceflow_study::Diagnostic;

use crate::{Initial, RegistrationError, RegistrationParameters, affine_of_text};

/// Two volumes at each level, and the affine map between them.
#[derive(Clone, Debug, PartialEq)]
pub struct Prepared {
    /// The fixed volume.
    pub fixed: Pyramid,
    /// The moving one.
    pub moving: Pyramid,
    /// Where the registration starts.
    pub affine: Affine,
}

/// How a level ended.
#[derive(Clone, Debug, PartialEq)]
pub struct LevelReport {
    /// Its number, from 1 on.
    pub level: u32,
    /// `iterations`, `converged`, `stalled`, `flat` or `no_overlap`.
    pub status: String,
    /// The cost at the start, and after each iteration.
    pub trace: Vec<TraceRow>,
}

/// How far a registration is.
#[derive(Clone, Debug, PartialEq)]
pub struct Progressed {
    /// Where it started.
    pub affine: Affine,
    /// The levels that are over.
    pub levels: Vec<LevelReport>,
    /// The coefficients after these; none before the first.
    pub coefficients: Vec<f64>,
    /// The state of the level that runs.
    pub state: Option<LevelState>,
}

/// A registration that is over.
#[derive(Clone, Debug, PartialEq)]
pub struct Registered {
    /// Where places go.
    pub transform: Transform,
    /// Its levels.
    pub levels: Vec<LevelReport>,
}

/// What follows a registration, and may stop it.
pub trait FollowRegistration {
    /// A level has done an iteration.
    fn iteration(&mut self, level: u32, state: &LevelState) -> ControlFlow<()>;
    /// A level is over.
    fn level(&mut self, progressed: &Progressed);
    /// It was stopped, and can go on from here.
    fn stopped(&mut self, progressed: Progressed);
}

/// Halves the volumes level by level, and finds where to start.
///
/// # Errors
/// When the file of the start cannot be read, or the volumes do not overlap enough to find it.
pub fn prepare(
    fixed: ScaledVolume,
    moving: ScaledVolume,
    parameters: &RegistrationParameters,
    cpu: Cpu,
) -> Result<Prepared, RegistrationError> {
    let start = match &parameters.initial {
        Initial::Identity => Start::Identity,
        Initial::Centres => Start::Centres,
        Initial::Moments => Start::Moments,
        Initial::Affine => Start::Affine,
        Initial::File(path) => Start::Given(affine_of_text(path)?),
    };
    let RegistrationParameters { similarity, optimiser, tolerance, .. } = *parameters;
    let levels = parameters.levels();
    let (fixed, moving) = (Pyramid::new(fixed, levels, cpu), Pyramid::new(moving, levels, cpu));
    let search = AffineSearch { similarity, optimiser, tolerance };
    let affine = initial(start, &fixed, &moving, search, cpu).map_err(|none| no_overlap(none, parameters))?;
    Ok(Prepared { fixed, moving, affine })
}

/// Registers a prepared pair up to a level, from the state of an earlier one where it was stopped.
///
/// # Errors
/// When the volumes do not overlap at the start, the lattice has too many points, or it was stopped.
pub fn register(
    prepared: &Prepared,
    parameters: &RegistrationParameters,
    stop_after: u32,
    from: Option<Progressed>,
    (cpu, follow): (Cpu, &mut dyn FollowRegistration),
) -> Result<Registered, RegistrationError> {
    let full = *prepared.fixed.full().grid();
    let last = stop_after.clamp(1, parameters.levels());
    let from = from.filter(|from| fits(from, parameters, &full, last));
    let mut progressed = from.unwrap_or_else(|| Progressed {
        affine: prepared.affine,
        levels: Vec::new(),
        coefficients: Vec::new(),
        state: None,
    });
    for level in progressed.levels.len() as u32 + 1..=last {
        let problem = level_problem(prepared, parameters, level)?;
        let start = started(parameters, &full, level, &progressed.coefficients)?;
        let iterations = parameters.level(level).iterations;
        let state = progressed.state.take();
        let observe = &mut |state: &LevelState| follow.iteration(level, state);
        let LevelEnd { report, coefficients, state, stopped } =
            run_level(problem, level, (start, state), iterations, cpu, observe)
                .map_err(|none| no_overlap(none, parameters))?;
        if stopped {
            progressed.state = state;
            follow.stopped(progressed);
            return Err(RegistrationError::Stopped);
        }
        progressed.levels.push(report);
        progressed.coefficients = coefficients;
        follow.level(&progressed);
    }
    let lattice = parameters.lattice(&full, last).map_err(no_lattice)?;
    let Progressed { affine, levels, coefficients, .. } = progressed;
    Ok(Registered { transform: Transform { fixed: full, affine, lattice, coefficients }, levels })
}

/// Whether a registration that was stopped can go on: it has not gone further than is asked, and its levels follow one another.
fn fits(from: &Progressed, parameters: &RegistrationParameters, full: &Grid, last: u32) -> bool {
    let done = from.levels.len() as u32;
    let numbers = from.levels.iter().map(|level| level.level).eq(1..=done);
    let expected = match done {
        0 => Some(0),
        _ => parameters.lattice(full, done).ok().map(|lattice| lattice.coefficients()),
    };
    numbers
        && done <= last
        && (done < last || from.state.is_none())
        && expected == Some(from.coefficients.len())
}

/// How a level ended, or where it was stopped.
#[derive(Debug)]
pub(crate) struct LevelEnd {
    pub(crate) report: LevelReport,
    pub(crate) coefficients: Vec<f64>,
    /// From which it can go on; none where the volumes do not overlap.
    pub(crate) state: Option<LevelState>,
    /// Whether it was stopped before its end.
    pub(crate) stopped: bool,
}

/// What a level minimises.
pub(crate) fn level_problem<'p>(
    prepared: &'p Prepared,
    parameters: &RegistrationParameters,
    level: u32,
) -> Result<LevelProblem<'p>, RegistrationError> {
    let full = prepared.fixed.full().grid();
    let steps = prepared.fixed.level(level).zip(prepared.moving.level(level));
    let (fixed, moving) = steps.ok_or_else(|| RegistrationError::internal(format!("no level {level}")))?;
    let of_level = parameters.level(level);
    Ok(LevelProblem {
        fixed,
        moving,
        full,
        affine: prepared.affine,
        lattice: parameters.lattice(full, level).map_err(no_lattice)?,
        final_spacing: parameters.final_spacing(full),
        similarity: parameters.similarity,
        optimiser: parameters.optimiser,
        tolerance: parameters.tolerance,
        bending: of_level.bending,
        step: of_level.step,
    })
}

/// The coefficients that a level starts from: those of the level before on its own lattice.
pub(crate) fn started(
    parameters: &RegistrationParameters,
    full: &Grid,
    level: u32,
    before: &[f64],
) -> Result<Vec<f64>, RegistrationError> {
    let to = parameters.lattice(full, level).map_err(no_lattice)?;
    if level <= 1 {
        return Ok(vec![0.0; to.coefficients()]);
    }
    let from = parameters.lattice(full, level - 1).map_err(no_lattice)?;
    if before.len() != from.coefficients() {
        let found = before.len();
        return Err(RegistrationError::internal(format!("level {level} starts from {found} coefficients")));
    }
    Ok(refine(&from, before, &to))
}

/// Runs a level from its start or a state. At later levels than the first, volumes that no longer overlap keep what there is.
pub(crate) fn run_level(
    problem: LevelProblem<'_>,
    level: u32,
    (start, state): (Vec<f64>, Option<LevelState>),
    iterations: u32,
    cpu: Cpu,
    observe: &mut dyn FnMut(&LevelState) -> ControlFlow<()>,
) -> Result<LevelEnd, NoOverlap> {
    let resumed = state.and_then(|state| LevelRun::resume(problem, state, cpu));
    let mut run = match resumed {
        Some(run) => run,
        None => match LevelRun::new(problem, start.clone(), cpu) {
            Ok(run) => run,
            Err(none) if level == 1 => return Err(none),
            Err(_) => {
                let report = LevelReport { level, status: NO_OVERLAP.into(), trace: Vec::new() };
                return Ok(LevelEnd { report, coefficients: start, state: None, stopped: false });
            }
        },
    };
    let mut broken = false;
    let ended = run.run(iterations, &mut |state| {
        let flow = observe(state);
        broken = flow.is_break();
        flow
    });
    // A level that was over when it was stopped is over.
    let is_over = ended.is_some() || run.state().iteration() >= iterations;
    let status = ended.map_or_else(|| "iterations".to_owned(), |ended| ended.to_string());
    let state = run.into_state();
    let report = LevelReport { level, status, trace: state.trace().to_vec() };
    let coefficients = state.coefficients().to_vec();
    Ok(LevelEnd { report, coefficients, state: Some(state), stopped: broken && !is_over })
}

const NO_OVERLAP: &str = "no_overlap";

/// Bytes that a registration takes: both volumes scaled at each level, and the most that a level works with.
///
/// # Errors
/// When the lattice has too many points.
pub fn bytes_to_register(
    fixed: &Grid,
    moving: &Grid,
    parameters: &RegistrationParameters,
    cpu: Cpu,
) -> Result<u64, RegistrationError> {
    let lattice: Lattice = parameters.lattice(fixed, parameters.levels()).map_err(no_lattice)?;
    let values = |grid: &Grid| grid.voxels() as u64 * 5 + pyramid_bytes(grid.size(), parameters.levels());
    let level = level_bytes(fixed, moving, &lattice, parameters.similarity, cpu);
    // Results are made after the last level: displacements and determinants, or a warped volume beside the moving one.
    let results = fixed.voxels() as u64 * 16 + moving.voxels() as u64 * 8;
    Ok(values(fixed) + values(moving) + level.max(results))
}

fn no_lattice(error: LatticeError) -> RegistrationError {
    let words = error.to_string();
    let (expected, found) = words.split_once(", found ").unwrap_or((&words, "another"));
    let expected = expected.strip_prefix("expected ").unwrap_or(expected);
    let message = Diagnostic::error("the lattice of the registration cannot be");
    message.expected_found(expected, found).with_hint("choose a larger `spacing`").into()
}

fn no_overlap(none: NoOverlap, parameters: &RegistrationParameters) -> RegistrationError {
    let NoOverlap { counted, of, apart } = none;
    let message = Diagnostic::error("the volumes do not overlap enough to be registered");
    let message = message.expected_found(
        "at least 64 voxels, and 5 % of the fixed volume, that lie within the moving one",
        format!("{counted} of {of} voxels; the centres are {apart:.1} mm apart"),
    );
    let hint = match parameters.initial {
        Initial::Identity => {
            "set initial = \"centres\" (-p initial=centres), which moves the centres onto each other"
        }
        _ => "look at both volumes in a viewer: one may be of another part of the body",
    };
    message.with_hint(hint).into()
}
