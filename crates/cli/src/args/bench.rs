//! `onceflow bench`: everything after it goes to the program `onceflow-bench`.

use std::ffi::OsString;

use clap::Args;

/// Arguments of `bench`.
#[derive(Debug, Args)]
#[command(disable_help_flag = true)]
pub(crate) struct BenchProgramArgs {
    /// Arguments of the program `onceflow-bench`; --help lists them
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "ARGUMENTS")]
    pub(crate) arguments: Vec<OsString>,
}

impl BenchProgramArgs {
    /// Whether failures are printed as JSON too.
    pub(crate) fn wants_json(&self) -> bool {
        self.arguments.iter().any(|argument| argument == "--json")
    }
}
