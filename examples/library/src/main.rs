//! Runs a study through the library: `library STUDY.toml FOLDER`.
#![allow(clippy::print_stdout, reason = "printing the answer is what it is for")]

use onceflow_engine::{RunFolder, RunResult, SettingsLayers, Silent, answer_text, open_study, run_study};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [file, folder] = words.as_slice() else { return Err("expected STUDY.toml FOLDER".into()) };
    let study = open_study(file.as_str(), &SettingsLayers::default())?;
    match run_study(&study, study.settings(), &RunFolder::new(folder), &mut Silent)? {
        RunResult::Ran(run) => print!("{}", answer_text(&run.answer)),
        RunResult::AlreadyComplete(summary) => print!("{summary}"),
    }
    Ok(())
}
