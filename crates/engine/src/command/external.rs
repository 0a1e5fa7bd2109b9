//! A program as an operation: given its regions as files, run, and asked for what it made.

use std::ffi::OsString;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use onceflow_region::Region;
use onceflow_runtime::{Call, Done, Operation, OperationError};
use onceflow_study::{Diagnostic, Scope};

use super::LOG_MARK;
use super::container::{Contained, Container};
use super::folder::{RegionFiles, input, lay_out, output, stage};
use super::log::{self, Keeping};
use super::own::OwnTask;
use super::process::{Ended, Limits, Process};
use super::program::{environment, find};
use super::serve::Servers;
use super::units::{Given, Program, Units, whole};
use super::workshop::{Kept, Workshop};
use crate::EngineError;
use crate::objects_seen::ObjectsSeen;

/// A program as an operation.
#[derive(Debug)]
pub(crate) struct External {
    pub(super) task: Arc<OwnTask>,
    scope: Scope,
    pub(super) workshop: Arc<Workshop>,
    container: Option<Container>,
    /// The files as they were when the run began.
    staged: PathBuf,
    /// Processes that wait for more, when it serves.
    servers: Servers,
    /// Whether two runs of the first instance gave the same bytes, once that is known.
    same: Mutex<Option<Result<(), OperationError>>>,
    /// What is known of its units, when it works unit by unit.
    units: Option<Units>,
}

/// The exit code with which a program says that it may go better another time: EX_TEMPFAIL.
const TRY_AGAIN: i32 = 75;

/// Signals by which somebody else ends a program: HUP, INT, KILL, TERM.
const FROM_OUTSIDE: [i32; 4] = [1, 2, 9, 15];

impl External {
    /// A program that can be run here; it remembers the units it works on, where it is given a table for them.
    ///
    /// # Errors
    /// When it is not there, or its files have changed since they were looked at.
    pub(crate) fn new(
        task: Arc<OwnTask>,
        scope: Scope,
        workshop: Arc<Workshop>,
        seen: Option<&Arc<ObjectsSeen>>,
    ) -> Result<Self, EngineError> {
        let container = Container::of(&task)?;
        let staged = workshop.next("files");
        let unusable = |error| EngineError::Write { path: staged.clone(), error };
        std::fs::create_dir_all(&staged).map_err(unusable)?;
        stage(&task, &staged, workshop.kept.is_some()).map_err(unusable)?;
        let program = task.command.command.first().map_or("", String::as_str);
        if container.is_none() && find(program, &staged).is_none() {
            return Err(missing(&task, program));
        }
        let (servers, same) = (Servers::default(), Mutex::new(None));
        let units = Units::of(&task, seen);
        Ok(Self { task, scope, workshop, container, staged, servers, same, units })
    }

    fn in_folder(&self, given: &Given<'_>) -> Result<Done, Failure> {
        let call = &given.call;
        let kept = self.workshop.kept.as_deref().map(|kept| Kept(kept).of(&self.task.name, call.row));
        let folder = kept.clone().unwrap_or_else(|| self.workshop.next("task"));
        // The log lies beside the folder, which holds nothing that was not declared.
        let log = kept.as_ref().map_or_else(|| folder.with_extension("log"), |kept| kept.join("log.txt"));
        let files = RegionFiles { task: &self.task, folder: &folder };
        self.lay_out(&folder)?;
        files.write(call.inputs)?;
        let words = self.words(call)?;
        if kept.is_some() {
            self.write_script(&folder, &words)?;
        }
        let ended =
            self.start(&folder, &words, &log, Stdio::null()).and_then(|p| p.wait(self.limits(), &log))?;
        let done =
            judged(&ended).and_then(|()| Ok(Done::with(files.read(given.size).map_err(Failure::made)?)));
        let done = self.with_log(done, &log, 0, given);
        if kept.is_none() {
            // What cannot be removed goes with the folder of all tasks.
            let _ = std::fs::remove_dir_all(&folder).and_then(|()| std::fs::remove_file(&log));
        }
        done
    }

    /// Puts the program's files into a new folder.
    pub(super) fn lay_out(&self, folder: &Path) -> io::Result<()> {
        lay_out(&self.task, &self.staged, folder)
    }

    pub(super) fn limits(&self) -> Limits {
        let declared = &self.task.command.declared;
        Limits { time: declared.time, memory: declared.memory }
    }

    /// Keeps the log of an instance, and tells its last line with a failure.
    pub(super) fn with_log(
        &self,
        done: Result<Done, Failure>,
        log: &Path,
        from: u64,
        given: &Given<'_>,
    ) -> Result<Done, Failure> {
        let Call { site, row, .. } = given.call;
        if let Some(to) = self.workshop.log(&self.task.name, self.scope, site, row) {
            // A log that cannot be kept is no reason to lose the result.
            let _ = log::keep(log, from, &to, Keeping { failed: done.is_err(), again: given.again });
        }
        done.map_err(|failure| Failure { last_line: log::last_line(log, from), ..failure })
    }

    /// The command with the values of this instance.
    fn words(&self, call: &Call<'_>) -> Result<Vec<String>, Failure> {
        let spec = &self.task.spec;
        let value = |name: &str| {
            let taken = spec.inputs.iter().find(|region| region.name == name).map(input);
            let made = || spec.outputs.iter().find(|region| region.name == name).map(output);
            let read = || spec.parameters.iter().position(|parameter| parameter.name == name);
            match taken.or_else(made) {
                Some(file) => Some(file.display().to_string()),
                None => read().and_then(|place| call.parameters.get(place)).map(ToString::to_string),
            }
        };
        self.task
            .command
            .filled(&value)
            .ok_or_else(|| Failure::new("a placeholder of the command has no value"))
    }

    /// Starts the command in a folder.
    pub(super) fn start(
        &self,
        folder: &Path,
        words: &[String],
        log: &Path,
        stdin: Stdio,
    ) -> io::Result<Process> {
        let (started, container) = self.started(folder, words);
        let mut command = self.command(&started, folder)?;
        let log = File::create(log)?;
        command.stdin(stdin).stderr(log.try_clone()?);
        if self.task.command.serve {
            command.stdout(Stdio::piped())
        } else {
            command.stdout(log)
        };
        Process::start(command, &self.workshop.watcher, container, self.limits())
    }

    fn command(&self, words: &[OsString], folder: &Path) -> io::Result<Command> {
        let (program, arguments) =
            words.split_first().ok_or_else(|| io::Error::other("a command without words"))?;
        let mut command = match &self.container {
            Some(_) => Command::new(program),
            None => {
                let name = program.to_string_lossy();
                let found = find(&name, folder)
                    .ok_or_else(|| io::Error::other(format!("there is no program {name}")))?;
                let mut command = Command::new(found);
                #[cfg(unix)]
                std::os::unix::process::CommandExt::arg0(&mut command, program);
                command
            }
        };
        command.args(arguments).current_dir(folder).env_clear().envs(self.environment(folder));
        Ok(command)
    }

    fn environment(&self, folder: &Path) -> Vec<(String, OsString)> {
        let mut variables = environment(folder, self.task.command.declared.device);
        variables.insert("ONCEFLOW_TASK".into(), self.task.name.clone().into());
        variables.insert("ONCEFLOW_RUN".into(), self.workshop.watcher.token.clone().into());
        if self.task.command.serve {
            variables.insert("ONCEFLOW_SERVE".into(), "1".into());
        }
        variables.into_iter().collect()
    }

    /// The words that are started, and who must be asked to end them when they are no child of ours.
    fn started(&self, folder: &Path, words: &[String]) -> (Vec<OsString>, Option<(String, String)>) {
        let own = words.iter().map(OsString::from);
        let Some(container) = &self.container else { return (own.collect(), None) };
        let name = format!(
            "onceflow-{}",
            folder
                .components()
                .rev()
                .take(2)
                .map(|c| c.as_os_str().to_string_lossy())
                .collect::<Vec<_>>()
                .join("-")
        );
        let (environment, memory) = (self.environment(folder), self.task.command.declared.memory);
        let of = Contained { folder, environment: &environment, name: &name, memory };
        let declared = &self.task.command;
        let before = container.words(&of, declared.declared.device, declared.serve);
        (before.into_iter().chain(own).collect(), container.server().map(|server| (server, name)))
    }

    /// A script that repeats the instance in its folder.
    pub(super) fn write_script(&self, folder: &Path, words: &[String]) -> io::Result<()> {
        let (started, _) = self.started(folder, words);
        let here = folder.display().to_string();
        let quoted = |text: &str| {
            let plain = |c: char| c.is_ascii_alphanumeric() || "-_./:=,+@%".contains(c);
            let whole = !text.is_empty() && text.chars().all(plain);
            if whole { text.to_owned() } else { format!("'{}'", text.replace('\'', "'\\''")) }
        };
        let word = |word: &OsString| quoted(&word.to_string_lossy());
        let variable = |(name, value): &(String, OsString)| {
            let value = value.to_string_lossy();
            if value == here { format!("{name}=\"$PWD\"") } else { format!("{name}={}", quoted(&value)) }
        };
        let environment: Vec<String> = self.environment(folder).iter().map(variable).collect();
        let command: Vec<String> = started.iter().map(word).collect();
        let task = if self.task.command.serve { "< task.json" } else { "" };
        let script = format!(
            "#!/bin/sh\n# Repeats the task {} as it was run.\ncd \"$(dirname \"$0\")\" || exit\nexec env -i {} \\\n  {} {task}\n",
            self.task.name,
            environment.join(" "),
            command.join(" ")
        );
        let path = folder.join("command.sh");
        std::fs::write(&path, script)?;
        #[cfg(unix)]
        std::fs::set_permissions(&path, std::os::unix::fs::PermissionsExt::from_mode(0o755))?;
        Ok(())
    }

    /// Runs the first instance twice; whoever asks meanwhile waits, so that nothing of a wrong claim is believed.
    fn checked(&self, call: &Call<'_>) -> Result<Option<Done>, OperationError> {
        let mut same = self.same.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = same.as_ref() {
            return known.clone().map(|()| None);
        }
        // A failure says nothing about repeating: the next instance is the first.
        let start = Instant::now();
        let first = self.once(&whole(self, call))?;
        let seconds = start.elapsed().as_secs_f64();
        let found = compared(&first, &self.once(&whole(self, call))?, &self.task);
        *same = Some(found.clone());
        found?;
        match &self.units {
            Some(units) => units.first(self, call, first, seconds).map(Some),
            None => Ok(Some(first)),
        }
    }
}

impl Program for External {
    fn task(&self) -> &OwnTask {
        &self.task
    }

    fn size(&self, call: &Call<'_>) -> (u64, u64) {
        self.workshop.size(self.scope, call.site)
    }

    fn once(&self, given: &Given<'_>) -> Result<Done, OperationError> {
        let done =
            if self.task.command.serve { self.servers.run(self, given) } else { self.in_folder(given) };
        done.map_err(|failure| failure.into_error(&self.task))
    }
}

impl Operation for External {
    fn run(&self, call: &Call<'_>) -> Result<Done, OperationError> {
        if self.workshop.twice
            && self.task.is_exact()
            && let Some(done) = self.checked(call)?
        {
            return Ok(done);
        }
        match &self.units {
            Some(units) => units.run(self, call),
            None => self.once(&whole(self, call)),
        }
    }
}

/// Why a program did not give what it should.
#[derive(Debug)]
pub(super) struct Failure {
    pub(super) what: String,
    /// Whether it may go better another time.
    pub(super) transient: bool,
    pub(super) last_line: Option<String>,
}

impl Failure {
    pub(super) fn new(what: impl Into<String>) -> Self {
        Self { what: what.into(), transient: false, last_line: None }
    }

    /// What it made is not what was asked for.
    pub(super) fn made(why: String) -> Self {
        Self::new(format!("did not make what it should: {why}"))
    }

    pub(super) fn into_error(self, task: &OwnTask) -> OperationError {
        let last = self.last_line.map(|line| format!("{LOG_MARK}{line}")).unwrap_or_default();
        let message = format!("`{}` {}{last}", shown(&task.command.command), self.what);
        if self.transient { OperationError::transient(message) } else { OperationError::new(message) }
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Self::new(format!("could not be run: {error}"))
    }
}

/// What the end of a program means.
pub(super) fn judged(ended: &Ended) -> Result<(), Failure> {
    let failed = |what: String, transient| Err(Failure { what, transient, last_line: None });
    match ended {
        Ended::Code(0) => Ok(()),
        Ended::Code(code) => failed(format!("ended with exit code {code}"), *code == TRY_AGAIN),
        Ended::Signal(signal) => {
            failed(format!("was ended by signal {signal}"), FROM_OUTSIDE.contains(signal))
        }
        Ended::Stopped(why) => failed(why.clone(), false),
    }
}

/// `python flood.py ...`: enough of a command to know it by.
pub(super) fn shown(command: &[String]) -> String {
    let first: Vec<&str> = command.iter().take(2).map(String::as_str).collect();
    let more = if command.len() > 2 { " ..." } else { "" };
    format!("{}{more}", first.join(" "))
}

fn compared(first: &Done, second: &Done, task: &OwnTask) -> Result<(), OperationError> {
    if first.ended != second.ended {
        return Err(differ(task, "end in different ways"));
    }
    for ((one, two), region) in first.outputs.iter().zip(&second.outputs).zip(&task.spec.outputs) {
        if !one.is_same(two) {
            let name = &region.name;
            return Err(match difference(one, two) {
                Some((count, all)) => differ(task, &format!("differ in {count} of {all} values of `{name}`")),
                None => differ(task, &format!("differ in `{name}`")),
            });
        }
    }
    Ok(())
}

fn differ(task: &OwnTask, how: &str) -> OperationError {
    let command = shown(&task.command.command);
    OperationError::new(format!(
        "`{command}` is declared exact, but two runs of one task {how}; \
         give it a fixed seed, or declare \"repeats\": \"close\" or \"never\""
    ))
}

/// Values of two images that are not the same, and how many there are.
fn difference(one: &Region, two: &Region) -> Option<(usize, usize)> {
    let bytes = |region: &Region| {
        let mut bytes = Vec::new();
        super::form::write_plain(&mut bytes, region.as_dense()?).ok()?;
        Some((bytes, region.as_dense()?.element().bytes() as usize))
    };
    let ((one, size), (two, _)) = (bytes(one)?, bytes(two)?);
    let count = one.chunks(size).zip(two.chunks(size)).filter(|(a, b)| a != b).count();
    Some((count, one.len() / size))
}

fn missing(task: &OwnTask, program: &str) -> EngineError {
    let error = Diagnostic::error(format!("task `{}` runs `{program}`", task.name));
    let error = error.expected_found("a program of that name", "none on the PATH or among its files");
    let hint = format!(
        "install {program}, add its folder to PATH, or declare it under `files` and call it ./{program}"
    );
    EngineError::Environment(Box::new(error.with_hint(hint)))
}
