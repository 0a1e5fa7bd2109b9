//! The built program of the benchmarks in a folder of its own, and what it printed there.
#![allow(dead_code, unreachable_pub, reason = "each test file uses its part")]

use std::path::PathBuf;
use std::process::{Command, Stdio};

use serde_json::Value;

/// An empty folder in which the program runs, removed when dropped.
pub struct BenchFolder(tempfile::TempDir);

/// How the program ended, and what it printed.
#[derive(Debug)]
pub struct BenchOutput {
    pub exit: i32,
    pub stdout: String,
    pub stderr: String,
}

impl BenchFolder {
    pub fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// Runs `onceflow-bench` with words separated by spaces, without the tester's own settings.
    pub fn run(&self, words: &str) -> BenchOutput {
        let mut command = Command::new(env!("CARGO_BIN_EXE_onceflow-bench"));
        let ours = |name: &str| name.starts_with("ONCEFLOW_") || name.contains("COLOR");
        std::env::vars().filter(|(name, _)| ours(name)).for_each(|(name, _)| {
            command.env_remove(name);
        });
        command.current_dir(self.0.path()).env("ONCEFLOW_PROGRESS", "never").env("COLUMNS", "100");
        let output = command.args(words.split_whitespace()).stdin(Stdio::null()).output().unwrap();
        let [stdout, stderr] = [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).unwrap());
        BenchOutput { exit: output.status.code().unwrap_or(-1), stdout, stderr }
    }

    /// Runs, expects exit code 0, and gives the JSON object.
    pub fn json(&self, words: &str) -> Value {
        let output = self.run(words);
        assert_eq!(output.exit, 0, "onceflow-bench {words}\n{output:?}");
        serde_json::from_str(&output.stdout).unwrap_or_else(|error| panic!("{error}\n{output:?}"))
    }
}
