//! Two folders: files of the same name are compared, and all together.

use std::path::Path;

use onceflow_kernels::compare::ComparisonCounts;
use onceflow_study::Diagnostic;
use onceflow_terminal::{Exit, Failure, Terminal};

use super::counted;
use crate::agreement::{AGREEMENT, fields};
use crate::args::CompareArgs;
use crate::many::{self, NamedImage};
use crate::pairs::DrawnFiles;

/// Compares pair by pair, and prints a table.
pub(super) fn run(args: &CompareArgs, terminal: &Terminal) -> Result<Exit, Failure> {
    let (results, references) = (drawn(&args.result)?, drawn(&args.reference)?);
    let (pairs, alone) = pairs(&results, &references);
    if pairs.is_empty() {
        return Err(no_pairs(args, &results, &references));
    }
    alone.iter().for_each(|name| {
        terminal.say(&format!("note: {} has no file for {name}, which is left out", args.reference))
    });
    let images: Vec<NamedImage> = pairs.iter().map(|pair| pair.named.clone()).collect();
    let (mut all, mut next) = (ComparisonCounts::default(), pairs.iter());
    let ended = many::each(&images, terminal, |_| {
        let Some(pair) = next.next() else { return Err(Failure::internal("an image without its pair")) };
        let one =
            CompareArgs { result: pair.result.clone(), reference: pair.reference.clone(), ..args.clone() };
        let (_, counts) = counted(&one, terminal)?;
        all += counts;
        Ok(fields(&counts))
    });
    many::tell(&ended, (&AGREEMENT, Some(fields(&all))), None, args.json, terminal)
}

/// A result and its reference.
struct ComparedPair {
    named: NamedImage,
    result: String,
    reference: String,
}

fn drawn(folder: &str) -> Result<DrawnFiles, Failure> {
    DrawnFiles::of_folder(Path::new(folder), &[])
}

/// The pairs, and the names of results without a reference.
fn pairs(results: &DrawnFiles, references: &DrawnFiles) -> (Vec<ComparedPair>, Vec<String>) {
    let (mut results, mut references) = (results.clone(), references.clone());
    let (mut pairs, mut alone) = (Vec::new(), Vec::new());
    for name in results.names() {
        let path = |files: &mut DrawnFiles| {
            files.take(Path::new(&name), &name).map(|path| path.display().to_string())
        };
        match (path(&mut results), path(&mut references)) {
            (Some(result), Some(reference)) => {
                let named = NamedImage { image: name.clone(), name };
                pairs.push(ComparedPair { named, result, reference });
            }
            (Some(_), None) => alone.push(name),
            _ => {}
        }
    }
    (pairs, alone)
}

fn no_pairs(args: &CompareArgs, results: &DrawnFiles, references: &DrawnFiles) -> Failure {
    let some = |files: &DrawnFiles| match files.names().first() {
        Some(first) => format!("{}, such as {first}", onceflow_study::counted(files.names().len(), "name")),
        None => "no mask, label image or outlines".into(),
    };
    let (a, b) = (&args.result, &args.reference);
    let message = Diagnostic::error(format!("no file in {a} has the name of one in {b}"));
    let message = message.expected_found(
        "files of the same names, such as a.png and a.labels.png",
        format!("{a}: {}; {b}: {}", some(results), some(references)),
    );
    Failure::bad_input(message.with_hint("rename one of them, or compare two files"))
}
