//! A program as an operation: its inputs are written as files, it is run, and its outputs are read.

mod command;
mod repeat;
mod script;
mod serve;

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::Arc;

use onceflow_kernels::object_cache::ObjectCache;
use onceflow_runtime::{Call, Done, Operation, OperationError};
use onceflow_study::{Diagnostic, Scope};

use self::repeat::RepeatCheck;
use self::serve::ServerPool;
use crate::container::Container;
use crate::environment::find;
use crate::error::ProgramError;
use crate::failure::{ProgramFailure, check_end};
use crate::folder::{RegionFiles, lay_out, stage};
use crate::logs::{self, LogMode};
use crate::process::ProcessLimits;
use crate::python::BOOT;
use crate::task::ProgramTask;
use crate::units::{Program, ProgramRun, UnitReuse, whole};
use crate::workspace::{KeptFolders, ProgramWorkspace};

/// A program as an operation.
#[derive(Debug)]
pub struct ExternalOperation {
    task: Arc<ProgramTask>,
    /// The command as it is started; a program that is not started for each task has no placeholders in it.
    words: Vec<String>,
    scope: Scope,
    workspace: Arc<ProgramWorkspace>,
    container: Option<Container>,
    /// The program's files as they were when the run began.
    staged: PathBuf,
    /// Idle processes of a program that serves.
    servers: ServerPool,
    repeats: RepeatCheck,
    /// Results of units, when the program works unit by unit.
    units: Option<UnitReuse>,
}

/// The folder in which a process runs, and the file it prints into.
struct ProcessFolder {
    path: PathBuf,
    log: PathBuf,
}

impl ExternalOperation {
    /// The operation of a task. Results of units are kept in `cache`, when there is one.
    ///
    /// # Errors
    /// When this machine lacks the program, or its files have changed since they were digested.
    pub fn new(
        task: Arc<ProgramTask>,
        scope: Scope,
        workspace: Arc<ProgramWorkspace>,
        cache: Option<&Arc<ObjectCache>>,
    ) -> Result<Self, ProgramError> {
        let container = Container::of(&task)?;
        let staged = workspace.new_folder("files");
        fs::create_dir_all(&staged)
            .and_then(|()| stage(&task, &staged, workspace.kept.is_some()))
            .map_err(ProgramError::write(&staged))?;
        let program = match &task.function {
            Some(function) => function.interpreter.as_str(),
            None => task.command.command.first().map_or("", String::as_str),
        };
        if container.is_none() && find(program, &staged).is_none() {
            return Err(missing(&task, program));
        }
        let (servers, repeats) = (ServerPool::default(), RepeatCheck::default());
        let units = UnitReuse::of(&task, cache);
        let words = match &task.function {
            // Packages in the user's own folder are not seen.
            Some(function) => [&function.interpreter, "-s", "-c", BOOT].map(str::to_owned).to_vec(),
            None => task.command.command.clone(),
        };
        Ok(Self { task, words, scope, workspace, container, staged, servers, repeats, units })
    }

    /// Runs a process for one call.
    fn run_process(&self, run: &ProgramRun<'_>) -> Result<Done, ProgramFailure> {
        let call = &run.call;
        let ProcessFolder { path: folder, log } = self.process_folder("task", call.row);
        let files = RegionFiles { task: &self.task, folder: &folder };
        self.lay_out(&folder)?;
        files.write(call.inputs)?;
        let words = self.words(call)?;
        if self.keeps_folders() {
            self.write_script(&folder, &words)?;
        }
        let process = self.start(&folder, &words, &log, Stdio::null())?;
        let end = process.wait(self.limits(), &log)?;
        let done = check_end(&end)
            .and_then(|()| Ok(Done::with(files.read(run.size).map_err(ProgramFailure::output)?)));
        let done = self.with_log(done, &log, 0, run);
        if !self.keeps_folders() {
            // What cannot be removed now is removed with the temporary folder of the workspace.
            let _ = fs::remove_dir_all(&folder).and_then(|()| fs::remove_file(&log));
        }
        done
    }

    /// Whether the folders of tasks remain after the run.
    fn keeps_folders(&self) -> bool {
        self.workspace.kept.is_some()
    }

    /// A folder for a new process, and its log: beside the folder, which holds only declared files, or in it when it is kept.
    fn process_folder(&self, what: &str, row: u32) -> ProcessFolder {
        match &self.workspace.kept {
            Some(kept) => {
                let path = KeptFolders(kept).of(&self.task.name, row);
                ProcessFolder { log: path.join("log.txt"), path }
            }
            None => {
                let path = self.workspace.new_folder(what);
                ProcessFolder { log: path.with_extension("log"), path }
            }
        }
    }

    /// Puts the program's files into a new folder.
    fn lay_out(&self, folder: &Path) -> io::Result<()> {
        lay_out(&self.task, &self.staged, folder)
    }

    fn limits(&self) -> ProcessLimits {
        let declared = &self.task.command.declared;
        ProcessLimits { time: declared.time, memory: declared.memory }
    }

    /// Keeps the log of an instance, and adds its last line to a failure.
    fn with_log(
        &self,
        done: Result<Done, ProgramFailure>,
        log: &Path,
        from: u64,
        run: &ProgramRun<'_>,
    ) -> Result<Done, ProgramFailure> {
        let Call { site, row, .. } = run.call;
        if let Some(to) = self.workspace.log(&self.task.name, self.scope, site, row)? {
            // A log that cannot be kept is no reason to lose the result.
            let _ = logs::keep(log, from, &to, LogMode { failed: done.is_err(), append: run.again });
        }
        done.map_err(|failure| failure.with_last_line(logs::last_line(log, from)))
    }
}

impl Program for ExternalOperation {
    fn task(&self) -> &ProgramTask {
        &self.task
    }

    fn size(&self, call: &Call<'_>) -> Result<(u64, u64), OperationError> {
        self.workspace.size(self.scope, call.site).map_err(|failure| failure.into_error(&self.task))
    }

    fn once(&self, run: &ProgramRun<'_>) -> Result<Done, OperationError> {
        let done = if self.task.command.serve { self.servers.run(self, run) } else { self.run_process(run) };
        done.map_err(|failure| failure.into_error(&self.task))
    }
}

impl Operation for ExternalOperation {
    fn run(&self, call: &Call<'_>) -> Result<Done, OperationError> {
        if self.workspace.twice
            && self.task.is_exact()
            && let Some(done) = self.check_repeats(call)?
        {
            return Ok(done);
        }
        match &self.units {
            Some(units) => units.run(self, call),
            None => self.once(&whole(self, call)?),
        }
    }
}

fn missing(task: &ProgramTask, program: &str) -> ProgramError {
    let error = Diagnostic::error(format!("task `{}` runs `{program}`", task.name));
    let error = error.expected_found("a program of that name", "none on the PATH or among its files");
    let hint = format!(
        "install {program}, add its folder to PATH, or declare it under `files` and call it ./{program}"
    );
    ProgramError::Environment(Box::new(error.with_hint(hint)))
}
