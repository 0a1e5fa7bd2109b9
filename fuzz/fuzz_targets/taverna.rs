//! Taverna workflows.
#![no_main]

use libfuzzer_sys::fuzz_target;
use onceflow_study::{SourceText, import_taverna};

fuzz_target!(|text: &str| {
    match import_taverna(&SourceText::new("a.t2flow", text)) {
        Ok((workflow, _)) => drop(workflow.to_string()),
        Err(messages) => assert!(messages.has_errors()),
    }
});
