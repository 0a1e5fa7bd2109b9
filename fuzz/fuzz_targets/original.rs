//! Stage descriptors of the Region Templates system.
#![no_main]

use libfuzzer_sys::fuzz_target;
use onceflow_study::{SourceText, import_original};

fuzz_target!(|text: &str| {
    if let Err(messages) = import_original(&SourceText::new("stage.json", text)) {
        assert!(messages.has_errors());
    }
});
