//! Workflow descriptors: any text gives a workflow or messages; what is read can be checked, flattened and printed.
#![no_main]

use libfuzzer_sys::fuzz_target;
use onceflow_study::{Catalogue, SourceText, check_workflow, read_workflow};

fuzz_target!(|text: &str| {
    match read_workflow(&SourceText::new("workflow.json", text)) {
        Ok(workflow) => {
            let _ = check_workflow(&workflow, &Catalogue::nuclei()).to_string();
            let _ = workflow.flatten().to_string();
        }
        Err(messages) => assert!(messages.has_errors()),
    }
});
