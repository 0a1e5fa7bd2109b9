//! A folder in which the built command runs, and what it said there.
#![allow(dead_code, unreachable_pub, reason = "each test file uses its part")]

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// An empty folder, removed when dropped.
pub struct Shell {
    folder: tempfile::TempDir,
}

/// What a command said and how it ended.
pub struct Said {
    pub exit: i32,
    pub stdout: String,
    pub stderr: String,
}

impl Shell {
    pub fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub fn write(&self, name: &str, text: impl AsRef<[u8]>) -> &Self {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
        self
    }

    pub fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap()
    }

    pub fn exists(&self, name: &str) -> bool {
        self.path(name).exists()
    }

    /// Names of all files, sorted.
    pub fn files(&self) -> Vec<String> {
        let mut names: Vec<String> = std::fs::read_dir(self.folder.path())
            .unwrap()
            .map(|e| e.unwrap().file_name().to_string_lossy().into_owned())
            .collect();
        names.sort();
        names
    }

    /// Runs `onceflow` with words separated by spaces; a word may stand in single quotes.
    pub fn run(&self, words: &str) -> Said {
        self.run_with(words, "", &[])
    }

    pub fn run_with(&self, words: &str, input: &str, environment: &[(&str, &str)]) -> Said {
        let mut command = command(self.folder.path());
        // The width for which help is broken into lines.
        if words.contains("--help") {
            command.env("COLUMNS", "100");
        }
        command.args(split(words)).envs(environment.iter().copied());
        let mut child =
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        // A command that reads no input may have ended before it is written.
        let _ = std::io::Write::write_all(&mut child.stdin.take().unwrap(), input.as_bytes());
        let output = child.wait_with_output().unwrap();
        let text = |bytes: Vec<u8>| {
            String::from_utf8(bytes).unwrap().replace(&self.folder.path().display().to_string(), "[folder]")
        };
        Said {
            exit: output.status.code().unwrap_or(-1),
            stdout: text(output.stdout),
            stderr: text(output.stderr),
        }
    }

    /// Runs and expects exit code 0.
    pub fn ok(&self, words: &str) -> Said {
        let said = self.run(words);
        assert_eq!(said.exit, 0, "onceflow {words}\n{said}");
        said
    }
}

/// The built command in a folder, with nothing of the tester's own environment that could change what it says.
pub fn command(folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_onceflow"));
    let ours = |name: &str| name.starts_with("ONCEFLOW_") || name.contains("COLOR");
    for (name, _) in std::env::vars().filter(|(name, _)| ours(name)) {
        command.env_remove(name);
    }
    command.current_dir(folder).env("ONCEFLOW_PROGRESS", "never").env_remove("COLUMNS");
    // Measured costs, results and the profile of the tester are not used.
    command
        .env("ONCEFLOW_COSTS", "none")
        .env("ONCEFLOW_STORE", "none")
        .env("XDG_CONFIG_HOME", folder.join("config"));
    command
}

fn split(words: &str) -> Vec<String> {
    let mut split = vec![String::new()];
    let mut quoted = false;
    for c in words.chars() {
        match c {
            '\'' => quoted = !quoted,
            ' ' if !quoted => split.push(String::new()),
            c => split.last_mut().unwrap().push(c),
        }
    }
    split.into_iter().filter(|w| !w.is_empty()).collect()
}

impl Said {
    pub fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|e| panic!("{e}\n{self}"))
    }
}

impl std::fmt::Display for Said {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "exit {}", self.exit)?;
        for (name, text) in [("stdout", &self.stdout), ("stderr", &self.stderr)] {
            if !text.is_empty() {
                write!(f, "\n--- {name}\n{}", text.trim_end())?;
            }
        }
        Ok(())
    }
}
