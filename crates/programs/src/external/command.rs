//! The command of a task as a process: its words, environment and container.

use std::ffi::OsString;
use std::fs::File;
use std::io;
use std::path::Path;
use std::process::{Command, Stdio};

use onceflow_runtime::Call;

use super::ExternalOperation;
use crate::container::ContainerStart;
use crate::environment::{environment, find};
use crate::failure::ProgramFailure;
use crate::folder::{input, output};
use crate::process::{Process, ServedContainer};

impl ExternalOperation {
    /// The words of the command with the values of a call.
    pub(super) fn words(&self, call: &Call<'_>) -> Result<Vec<String>, ProgramFailure> {
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
        let words = self.task.command.filled(&value);
        words.ok_or_else(|| ProgramFailure::new("a placeholder of the command has no value"))
    }

    /// Starts the command in a folder; what it prints goes into `log`.
    pub(super) fn start(
        &self,
        folder: &Path,
        words: &[String],
        log: &Path,
        stdin: Stdio,
    ) -> io::Result<Process> {
        let (words, container) = self.with_container(folder, words);
        let mut command = self.command(&words, folder)?;
        let log = File::create(log)?;
        command.stdin(stdin).stderr(log.try_clone()?);
        if self.task.command.serve {
            command.stdout(Stdio::piped())
        } else {
            command.stdout(log)
        };
        Process::start(command, &self.workspace.watcher, container, self.limits())
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

    /// The variables that the program sees.
    pub(super) fn environment(&self, folder: &Path) -> Vec<(String, OsString)> {
        let mut variables = environment(folder, self.task.command.declared.device);
        variables.insert("ONCEFLOW_TASK".into(), self.task.name.clone().into());
        variables.insert("ONCEFLOW_RUN".into(), self.workspace.watcher.token.clone().into());
        if self.task.command.serve {
            variables.insert("ONCEFLOW_SERVE".into(), "1".into());
        }
        variables.into_iter().collect()
    }

    /// The words with those that start the container before them; and the container, when a server runs it.
    pub(super) fn with_container(
        &self,
        folder: &Path,
        words: &[String],
    ) -> (Vec<OsString>, Option<ServedContainer>) {
        let own = words.iter().map(OsString::from);
        let Some(container) = &self.container else { return (own.collect(), None) };
        let name = container_name(folder);
        let declared = &self.task.command.declared;
        let (environment, memory) = (self.environment(folder), declared.memory);
        let start = ContainerStart { folder, environment: &environment, name: &name, memory };
        let before = container.words(&start, declared.device, self.task.command.serve);
        let served = container.server().map(|program| ServedContainer { program, name });
        (before.into_iter().chain(own).collect(), served)
    }
}

/// A name that no other container has: the last two folders of a path that is used once.
fn container_name(folder: &Path) -> String {
    let last = folder.components().rev().take(2).map(|c| c.as_os_str().to_string_lossy());
    format!("onceflow-{}", last.collect::<Vec<_>>().join("-"))
}
