//! Study files and image sheets: any text gives a study or messages that can be printed.
#![no_main]

use libfuzzer_sys::fuzz_target;
use onceflow_study::{StudyCounts, SourceText, parse_sheet, parse_study, read_workflow, shipped_workflow};

fuzz_target!(|text: &str| {
    let source = SourceText::new("study.toml", text);
    let workflow = shipped_workflow("nuclei").and_then(|source| read_workflow(&source).ok());
    let sheet = parse_sheet(&source).ok();
    if let Ok(file) = parse_study(&source) {
        let (study, messages) = file.resolve(workflow.as_ref(), sheet.as_ref());
        let _ = messages.to_string();
        if let Some(study) = study {
            let _ = StudyCounts::of(&study);
        }
    }
});
