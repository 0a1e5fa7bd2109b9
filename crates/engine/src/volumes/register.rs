//! One pair registered into a folder: checked, planned, run from a saved state where there is one, and written.

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::time::Instant;

use onceflow_kernels::registration::Affine;
use onceflow_kernels::{Cpu, Isa};
use onceflow_region::Digester;
use onceflow_registration::{
    Finished, LevelReport, Measures, OpenPair, OutputFolder, PairFiles, Progressed, RegistrationError,
    RegistrationParameters, Role, SUMMARY, UNFINISHED, bytes_to_register, prepare, register, saved,
};
use onceflow_store::publish::write_whole;
use onceflow_study::Diagnostic;

use super::follow::{Follower, IterationTold};
use crate::{EngineError, StopFlag};

/// What is registered, how, and where it is written.
#[derive(Clone, Debug)]
pub struct RegisterRequest {
    /// The files.
    pub files: PairFiles,
    /// The parameters.
    pub parameters: RegistrationParameters,
    /// The values that become 0 and 1, in place of the least and the greatest of each volume.
    pub window: Option<[f64; 2]>,
    /// The last level that is run.
    pub stop_after: Option<u32>,
    /// Where it is written.
    pub output: OutputFolder,
    /// Threads; the result does not depend on them.
    pub threads: NonZeroUsize,
    /// Bytes of memory.
    pub memory: u64,
    /// Whether files that are there are replaced.
    pub force: bool,
}

/// A registration whose files are open and fit each other.
#[derive(Debug)]
pub struct PlannedRegistration {
    request: RegisterRequest,
    pair: OpenPair,
    /// Bytes of memory that it takes.
    pub needed: u64,
    /// What is to be said before it.
    pub notes: Vec<Diagnostic>,
    /// Whether an earlier one was stopped in the folder, which goes on if it is of the same volumes and parameters.
    pub goes_on: bool,
}

/// A registration that is over.
#[derive(Clone, Debug)]
pub struct RegisteredPair {
    /// Its levels.
    pub levels: Vec<LevelReport>,
    /// What was measured.
    pub measures: Measures,
    /// The files that were written.
    pub files: Vec<PathBuf>,
    /// What is to be said of it.
    pub notes: Vec<Diagnostic>,
    /// Iterations that were taken from a registration that was stopped.
    pub resumed: u32,
    /// Seconds.
    pub seconds: f64,
}

impl RegisterRequest {
    /// Opens everything and checks it; nothing is written.
    ///
    /// # Errors
    /// When a file cannot be read or does not fit, files would be replaced, or memory is too small.
    pub fn plan(self) -> Result<PlannedRegistration, EngineError> {
        let pair = OpenPair::open(&self.files)?;
        let cpu = self.cpu();
        let grids = Role::BOTH.map(|role| pair.grid(role));
        let needed = bytes_to_register(&grids[0], &grids[1], &self.parameters, cpu)?;
        self.refuse_level()?;
        self.refuse_inputs(&pair)?;
        self.refuse_existing(&pair)?;
        if needed > self.memory {
            let task = "registration".to_owned();
            return Err(EngineError::Memory { task, needed, limit: self.memory });
        }
        let goes_on = self.output.folder.join(UNFINISHED).is_file();
        Ok(PlannedRegistration { notes: pair.doubts(), pair, needed, goes_on, request: self })
    }

    fn cpu(&self) -> Cpu {
        Cpu { isa: Isa::best(), threads: self.threads }
    }

    fn refuse_level(&self) -> Result<(), EngineError> {
        let (levels, asked) = (self.parameters.levels(), self.stop_after.unwrap_or(1));
        if asked <= levels {
            return Ok(());
        }
        let message = Diagnostic::error(format!("there is no level {asked} to stop after"));
        Err(message.expected_found(format!("a level from 1 to {levels}"), asked.to_string()).into())
    }

    /// What is read is not replaced, whatever is asked.
    fn refuse_inputs(&self, pair: &OpenPair) -> Result<(), EngineError> {
        let PairFiles { volumes, masks, labels, landmarks, .. } = &self.files;
        let others = [masks, labels, landmarks].into_iter().flatten().flatten();
        let inputs: Vec<PathBuf> =
            volumes.iter().chain(others).filter_map(|path| path.canonicalize().ok()).collect();
        let replaced = |file: &PathBuf| file.canonicalize().is_ok_and(|path| inputs.contains(&path));
        match self.output.files(pair).into_iter().find(replaced) {
            None => Ok(()),
            Some(file) => {
                let message =
                    Diagnostic::error(format!("the output would replace the input {}", file.display()));
                let message = message
                    .expected_found("another folder after -o", self.output.folder.display().to_string());
                Err(message.with_hint("choose another folder").into())
            }
        }
    }

    /// The folder may hold other files, but none of those that are written.
    fn refuse_existing(&self, pair: &OpenPair) -> Result<(), EngineError> {
        let folder = &self.output.folder;
        if folder.exists() && !folder.is_dir() {
            let error = std::io::ErrorKind::AlreadyExists.into();
            return Err(EngineError::Write { path: folder.clone(), error });
        }
        let there = self.output.files(pair).into_iter().find(|file| file.exists());
        let unfinished = folder.join(UNFINISHED).is_file() && !folder.join(SUMMARY).exists();
        match there.filter(|_| !self.force && !unfinished) {
            None => Ok(()),
            Some(file) => {
                let message = Diagnostic::error(format!("{} exists already", file.display()));
                let message = message.expected_found("a folder without a registration", "a file of one");
                Err(message.with_hint("choose another folder after -o, or add --force to replace it").into())
            }
        }
    }

    /// What a saved state is of: the contents of volumes and masks, and everything that its bytes depend on.
    fn identity(&self, pair: &OpenPair, start: &Affine) -> Result<String, RegistrationError> {
        let mut digester = Digester::new("onceflow registration of a pair v1");
        digester.text(env!("CARGO_PKG_VERSION"));
        digester.bytes(&pair.digest()?.0);
        for (name, value) in self.parameters.values(&pair.grid(Role::Fixed)) {
            digester.text(&format!("{name}={value}"));
        }
        digester.text(&format!("{:?}", self.window));
        // A file that says where to start is known by what it says.
        digester.wide(start.0.as_flattened(), f64::to_le_bytes);
        Ok(digester.finish().to_string())
    }
}

impl PlannedRegistration {
    /// The files that it writes.
    pub fn files(&self) -> Vec<PathBuf> {
        self.request.output.files(&self.pair)
    }

    /// Both volumes.
    pub fn pair(&self) -> &OpenPair {
        &self.pair
    }

    /// Registers, and writes the folder; `told` hears of each iteration. When it is stopped, its state is in the folder.
    ///
    /// # Errors
    /// When a volume cannot be registered, a file cannot be written, or it was stopped.
    pub fn run<'t>(
        self,
        stop: &'t StopFlag,
        told: &'t mut IterationTold<'t>,
    ) -> Result<RegisteredPair, EngineError> {
        let (began, request, pair, cpu) = (Instant::now(), &self.request, &self.pair, self.request.cpu());
        let [fixed, moving] =
            [pair.read(Role::Fixed, request.window)?, pair.read(Role::Moving, request.window)?];
        let mut notes = [fixed.notes, moving.notes].concat();
        let prepared = prepare(fixed.scaled, moving.scaled, &request.parameters, cpu)?;
        let (file, identity) =
            (request.output.folder.join(UNFINISHED), request.identity(pair, &prepared.affine)?);
        let from = self.saved(&file, &identity, &mut notes);
        let resumed = from.as_ref().map_or(0, iterations);
        make_folder(&request.output.folder)?;
        let before = from.clone().unwrap_or_else(|| Progressed {
            affine: prepared.affine,
            levels: Vec::new(),
            coefficients: Vec::new(),
            state: None,
        });
        let mut follower = Follower::new((file.clone(), identity), before, stop, told);
        let last = request.stop_after.unwrap_or(u32::MAX);
        let registered = register(&prepared, &request.parameters, last, from, (cpu, &mut follower));
        if let Some(error) = follower.into_error() {
            let message = Diagnostic::warning(format!("the state cannot be saved in {}", file.display()));
            notes.push(
                message.expected_found("a file that can be written", onceflow_region::io_words(&error)),
            );
        }
        if !matches!(registered, Ok(_) | Err(RegistrationError::Stopped)) {
            // Only an empty folder goes.
            let _ = std::fs::remove_dir(&request.output.folder);
        }
        let registered = registered?;
        let finished = Finished {
            registered: &registered,
            pair,
            fixed: prepared.fixed.full(),
            moving: prepared.moving.full(),
            parameters: &request.parameters,
        };
        // The summary of an earlier registration is not that of what is written now.
        let _ = std::fs::remove_file(request.output.folder.join(SUMMARY));
        let mut files = Vec::new();
        let measures = request.output.write(&finished, cpu, &mut |path| files.push(path.to_owned()))?;
        // What is left of it would only be refused later.
        let _ = std::fs::remove_file(&file);
        let seconds = began.elapsed().as_secs_f64();
        Ok(RegisteredPair { levels: registered.levels, measures, files, notes, resumed, seconds })
    }

    /// The state of a registration that was stopped, where it is of these volumes and parameters.
    fn saved(&self, file: &Path, identity: &str, notes: &mut Vec<Diagnostic>) -> Option<Progressed> {
        if !self.goes_on {
            return None;
        }
        let found = std::fs::read(file).ok().and_then(|bytes| saved::from_bytes(&bytes, identity));
        if found.is_none() {
            let message =
                format!("{} is of other volumes or parameters: the registration begins anew", file.display());
            notes.push(Diagnostic::note(message));
        }
        found
    }
}

fn iterations(progressed: &Progressed) -> u32 {
    let of_level = |level: &LevelReport| level.trace.last().map_or(0, |row| row.iteration);
    let running = progressed.state.as_ref().map_or(0, |state| state.iteration());
    progressed.levels.iter().map(of_level).sum::<u32>() + running
}

/// Makes the folder, and shows before the work that it can be written to.
fn make_folder(folder: &Path) -> Result<(), EngineError> {
    let failed = |error| EngineError::Write { path: folder.to_path_buf(), error };
    std::fs::create_dir_all(folder).map_err(failed)?;
    let probe = folder.join(".onceflow-probe");
    write_whole(&probe, b"").map_err(failed)?;
    std::fs::remove_file(&probe).map_err(failed)
}
