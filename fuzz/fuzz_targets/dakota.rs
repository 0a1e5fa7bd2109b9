//! Dakota input files.
#![no_main]

use libfuzzer_sys::fuzz_target;
use onceflow_study::{SourceText, read_dakota_input};

fuzz_target!(|text: &str| {
    if let Err(messages) = read_dakota_input(&SourceText::new("a.in", text)) {
        assert!(messages.has_errors());
    }
});
