//! Runs the study of a folder with an operation of our own: `own-operation FOLDER INTO`.
#![allow(clippy::print_stdout, reason = "printing the answer is what it is for")]

use std::path::Path;

use onceflow_engine::answer_text;
use own_operation::run_own_study;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [folder, into] = words.as_slice() else { return Err("expected two folders: FOLDER INTO".into()) };
    print!("{}", answer_text(&run_own_study(Path::new(folder), Path::new(into))?.answer));
    Ok(())
}
