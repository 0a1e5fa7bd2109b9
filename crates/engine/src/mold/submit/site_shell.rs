//! Commands of a batch system, on this machine or on another by ssh; files go there and back by rsync.

use std::path::{Path, PathBuf};
use std::time::Duration;

use onceflow_cluster::JobSystem;
use onceflow_study::Diagnostic;

use crate::EngineError;
use crate::work::driver::{CommandError, answer};

/// A machine that has the commands of a batch system.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RemoteSite {
    /// Its name for ssh.
    pub host: String,
    /// The folder of the workflow there.
    pub folder: String,
}

/// Where commands are carried out.
#[derive(Clone, Debug)]
pub(in crate::mold) struct SiteShell {
    remote: Option<RemoteSite>,
    local: PathBuf,
}

/// Questions that must have an answer are asked so often.
const TRIES: u32 = 3;
const BETWEEN_TRIES: Duration = Duration::from_secs(1);

/// Parts of the folder that nodes need.
const SENT: [&str; 2] = ["jobs", "programs"];

impl RemoteSite {
    /// Reads `host:folder`.
    ///
    /// # Errors
    /// With what was expected.
    pub fn parse(text: &str) -> Result<Self, String> {
        let expected =
            || "expected HOST:FOLDER with a whole path, such as login.site:/scratch/me/first".to_owned();
        let (host, folder) = text.split_once(':').ok_or_else(expected)?;
        // A name that begins like an option would be one.
        if host.is_empty() || host.starts_with('-') || !folder.starts_with('/') {
            return Err(expected());
        }
        Ok(Self { host: host.into(), folder: folder.trim_end_matches('/').into() })
    }
}

impl SiteShell {
    pub(in crate::mold) fn new(remote: Option<RemoteSite>, local: &Path) -> Self {
        Self { remote, local: std::path::absolute(local).unwrap_or_else(|_| local.to_path_buf()) }
    }

    /// The folder as nodes see it.
    pub(super) fn folder(&self) -> String {
        self.remote.as_ref().map_or_else(|| self.local.display().to_string(), |remote| remote.folder.clone())
    }

    /// What a command says when it ends well.
    pub(in crate::mold) fn run(&self, words: &[String]) -> Result<String, CommandError> {
        match &self.remote {
            None => answer(words),
            Some(remote) => answer(&remote.words(&quoted(words))),
        }
    }

    /// All that a command says, errors too, however it ends.
    pub(in crate::mold) fn hear(&self, words: &[String]) -> Result<String, CommandError> {
        let line = format!("{} 2>&1; true", quoted(words));
        match &self.remote {
            None => answer(&["sh".into(), "-c".into(), line]),
            Some(remote) => answer(&remote.words(&line)),
        }
    }

    /// Asks again when there is no answer; the last reason.
    pub(in crate::mold) fn patiently<T>(
        &self,
        ask: impl Fn(&Self) -> Result<T, String>,
    ) -> Result<T, String> {
        for _ in 1..TRIES {
            if let Ok(answer) = ask(self) {
                return Ok(answer);
            }
            std::thread::sleep(BETWEEN_TRIES);
        }
        ask(self)
    }

    /// Sends scripts and programs to the other machine.
    pub(super) fn send(&self) -> Result<(), EngineError> {
        let Some(remote) = &self.remote else { return Ok(()) };
        self.copied(answer(&remote.words(&format!("mkdir -p {}", quote(&remote.folder)))))?;
        let there = format!("{}:{}/", remote.host, remote.folder);
        let here = SENT.iter().map(|part| self.local.join(part).display().to_string());
        self.copied(answer(&rsync(here.chain([there]))))
    }

    /// Takes what jobs wrote down from the other machine. While it cannot be reached, what is known stays.
    pub(super) fn fetch(&self) -> Result<(), CommandError> {
        let Some(remote) = &self.remote else { return Ok(()) };
        let there = format!("{}:{}/jobs/", remote.host, remote.folder);
        answer(&rsync([there, format!("{}/", self.local.join("jobs").display())])).map(drop)
    }

    fn copied(&self, said: Result<String, CommandError>) -> Result<(), EngineError> {
        let host = self.remote.as_ref().map_or("", |remote| remote.host.as_str());
        said.map(drop).map_err(|error| {
            let message = Diagnostic::error(format!("files cannot be sent to {host}"));
            let message = message.expected_found("ssh and rsync without questions", error.to_string());
            EngineError::environment(message.with_hint(format!("try it yourself: ssh {host} true")))
        })
    }

    /// Refuses to begin where commands are missing, and names them.
    pub(in crate::mold) fn check(&self, system: &dyn JobSystem) -> Result<(), EngineError> {
        let own: &[&str] = if self.remote.is_some() { &["ssh", "rsync"] } else { system.commands() };
        let missing: Vec<&str> = own.iter().copied().filter(|name| !is_there(name)).collect();
        if !missing.is_empty() {
            return Err(self.missing(&missing, "this machine", system));
        }
        let Some(remote) = &self.remote else { return Ok(()) };
        let asked: Vec<String> = system
            .commands()
            .iter()
            .map(|name| format!("command -v {name} >/dev/null || echo {name}"))
            .collect();
        let said = answer(&remote.words(&format!("{}; true", asked.join("; "))));
        let said = said.map_err(|error| {
            let message = Diagnostic::error(format!("{} cannot be reached", remote.host));
            EngineError::environment(message.expected_found("ssh without questions", error.to_string()))
        })?;
        let missing: Vec<&str> = said.lines().filter(|line| system.commands().contains(line)).collect();
        if missing.is_empty() { Ok(()) } else { Err(self.missing(&missing, &remote.host, system)) }
    }

    fn missing(&self, names: &[&str], place: &str, system: &dyn JobSystem) -> EngineError {
        let message = Diagnostic::error(format!("{place} has no commands of {}", system.word()));
        let message =
            message.expected_found(system.commands().join(", "), format!("no {}", names.join(", no ")));
        EngineError::environment(
            message.with_hint("begin on a login node of the cluster, or name one with --ssh HOST:FOLDER"),
        )
    }
}

impl RemoteSite {
    fn words(&self, line: &str) -> Vec<String> {
        ["ssh", "-o", "BatchMode=yes", &self.host, line].map(str::to_owned).to_vec()
    }
}

fn rsync(paths: impl IntoIterator<Item = String>) -> Vec<String> {
    ["rsync", "-a"].map(str::to_owned).into_iter().chain(paths).collect()
}

fn is_there(name: &str) -> bool {
    let folders = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&folders).any(|folder| folder.join(name).is_file())
}

fn quoted(words: &[String]) -> String {
    words.iter().map(|word| quote(word)).collect::<Vec<_>>().join(" ")
}

fn quote(word: &str) -> String {
    format!("'{}'", word.replace('\'', "'\\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_machine_is_a_name_and_a_whole_path() {
        let site = RemoteSite::parse("login:/scratch/me/").unwrap();
        assert_eq!((site.host.as_str(), site.folder.as_str()), ("login", "/scratch/me"));
        for wrong in ["login", "login:relative", ":/scratch", "-oProxyCommand=x:/a"] {
            assert!(RemoteSite::parse(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn what_a_failing_command_says_is_heard() {
        let shell = SiteShell::new(None, Path::new("."));
        let words = ["sh", "-c", "echo it\\'s; echo no >&2; exit 3"].map(str::to_owned);
        assert_eq!(shell.hear(&words), Ok("it's\nno\n".into()));
        assert!(shell.run(&words).is_err());
    }
}
