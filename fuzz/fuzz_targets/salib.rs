//! SALib problems and parameter files.
#![no_main]

use libfuzzer_sys::fuzz_target;
use onceflow_study::{SourceText, read_salib_parameters, read_salib_problem};

fuzz_target!(|text: &str| {
    let source = SourceText::new("problem", text);
    for read in [read_salib_problem(&source), read_salib_parameters(&source)] {
        if let Err(messages) = read {
            assert!(messages.has_errors());
        }
    }
});
