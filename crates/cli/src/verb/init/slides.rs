//! A study of existing images: a sheet that lists them, and the study that names it.

use std::path::{Component, Path, PathBuf};

use onceflow_engine::{is_pattern, matching, open_image};
use onceflow_study::{Diagnostic, ImagesTemplate, StudyImage, counted, images_template, sheet_text};
use onceflow_terminal::{Exit, Failure, Terminal, engine_failure};
use serde_json::json;

use super::resolution::{ImageResolution, working};
use super::truth::{TruthFiles, stem};
use super::{qupath, workflow};
use crate::args::{InitArgs, ProblemFormat};
use crate::file::{OutputTarget, Overwrite};

/// File extensions of images that are taken from a folder; the format is recognised by the first bytes.
const ENDINGS: [&str; 16] = [
    "svs", "tif", "tiff", "ndpi", "mrxs", "scn", "bif", "vms", "vmu", "svslide", "czi", "dcm", "png", "jpg",
    "jpeg", "zarr",
];

/// Writes both files and prints a summary.
pub(super) fn run(args: &InitArgs, inputs: &[PathBuf], terminal: &Terminal) -> Result<Exit, Failure> {
    if args.to != ProblemFormat::Study {
        let error = Diagnostic::error("images can be written into a study only");
        return Err(Failure::bad_input(error.expected_found("--to study", "another format")));
    }
    let study = args.output.clone().unwrap_or_else(|| "study.toml".into());
    let target = OutputTarget::new(Some(&study));
    let Some(path) = target.path() else { return Err(no_file()) };
    let sheet = OutputTarget::File(path.with_file_name(sheet_name(path)));
    let (workflow, reference) = workflow(args, &target)?;
    let mut found =
        FoundImages::open(&files(inputs)?, args, path.parent().unwrap_or(Path::new("")), terminal)?;
    let working = working(&found.seen);
    let images = ImagesTemplate {
        sheet: sheet_name(path),
        um_per_pixel: working.um_per_pixel,
        because: working.because.clone(),
        with_truth: found.images.iter().any(|image| image.truth.is_some()),
    };
    let texts = [images_template(&workflow, &reference, &images), sheet_text(&found.images)];
    write(args, [&target, &sheet], &texts, terminal)?;
    if args.json {
        terminal.json(&found.account(args, [&target, &sheet], &working.because))?;
    }
    found.say(args, [&target, &sheet], &working.because, terminal);
    Ok(Exit::Ok)
}

fn no_file() -> Failure {
    let error = Diagnostic::error("standard output cannot hold two files, a study and its sheet of images");
    Failure::bad_input(error.expected_found("-o FILE, or no -o for study.toml", "-"))
}

/// `images.csv` beside `study.toml`.
fn sheet_name(study: &Path) -> String {
    match study.file_stem().map(|stem| stem.to_string_lossy().into_owned()) {
        Some(stem) if stem != "study" => format!("{stem}-images.csv"),
        _ => "images.csv".into(),
    }
}

/// Writes both, or neither when one exists.
fn write(
    args: &InitArgs,
    targets: [&OutputTarget; 2],
    texts: &[String; 2],
    terminal: &Terminal,
) -> Result<(), Failure> {
    if args.dry_run {
        return Ok(());
    }
    let is_there = |target: &&OutputTarget| target.path().is_some_and(Path::exists);
    if let Some(there) = targets.into_iter().find(is_there).filter(|_| !args.force) {
        // It refuses, and says so.
        return there.write("", Overwrite::Refuse, terminal);
    }
    let each = targets.into_iter().zip(texts).rev();
    each.into_iter().try_for_each(|(target, text)| target.write(text, Overwrite::Replace, terminal))
}

/// The image files, without duplicates.
fn files(inputs: &[PathBuf]) -> Result<Vec<PathBuf>, Failure> {
    let mut files: Vec<PathBuf> = Vec::new();
    for input in inputs {
        let more = of_input(input)?;
        if more.is_empty() {
            let error = Diagnostic::error(format!("no image in {}", input.display()));
            let error = error.expected_found("at least one image", "no image");
            return Err(Failure::bad_input(
                error.with_hint("put patterns in quotes; `**` means any folders"),
            ));
        }
        more.into_iter().for_each(|file| {
            if !files.contains(&file) {
                files.push(file);
            }
        });
    }
    Ok(files)
}

fn of_input(input: &Path) -> Result<Vec<PathBuf>, Failure> {
    let text = input.to_string_lossy();
    let ending = ending(input);
    if is_pattern(&text) && !text.starts_with("synth:") {
        return matching(input).map_err(|error| unreadable(input, &error));
    }
    if ending == "qpproj" {
        return qupath::images(input);
    }
    if input.is_dir() && ending != "zarr" {
        let entries = std::fs::read_dir(input).and_then(|list| list.collect::<Result<Vec<_>, _>>());
        let entries = entries.map_err(|error| unreadable(input, &error))?;
        let paths = entries.into_iter().map(|entry| entry.path());
        let mut images: Vec<_> =
            paths.filter(|path| ENDINGS.contains(&self::ending(path).as_str())).collect();
        images.sort();
        return Ok(images);
    }
    Ok(vec![input.to_path_buf()])
}

fn ending(path: &Path) -> String {
    path.extension().map_or_else(String::new, |ending| ending.to_string_lossy().to_lowercase())
}

fn unreadable(path: &Path, error: &std::io::Error) -> Failure {
    let message = Diagnostic::error(format!("cannot read the folder {}", path.display()));
    Failure::environment(message.expected_found("a readable folder", error.to_string()))
}

/// The images with their truth.
struct FoundImages {
    images: Vec<StudyImage>,
    seen: Vec<ImageResolution>,
    unreadable: usize,
    /// Truth files that belong to no image.
    unmatched: Vec<PathBuf>,
}

impl FoundImages {
    fn open(files: &[PathBuf], args: &InitArgs, folder: &Path, terminal: &Terminal) -> Result<Self, Failure> {
        let mut truths = TruthFiles::of(args.truth.as_deref(), files)?;
        let mut found = Self { images: Vec::new(), seen: Vec::new(), unreadable: 0, unmatched: Vec::new() };
        for file in files {
            match open_image(&file.to_string_lossy(), Path::new("")) {
                Ok(source) => {
                    found.seen.push(ImageResolution {
                        file: file.clone(),
                        um_per_pixel: source.info().um_per_pixel,
                    });
                    found.images.push(image(file, truths.take(file), folder));
                }
                Err(error) => {
                    found.unreadable += 1;
                    let said = engine_failure(error).into_messages().into_iter();
                    let warning = |m| Diagnostic { severity: onceflow_study::Severity::Warning, ..m };
                    terminal.diagnostics(&said.map(warning).collect::<Vec<_>>());
                }
            }
        }
        if found.images.is_empty() {
            let error = Diagnostic::error("no image can be read");
            return Err(Failure::bad_input(error.expected_found("at least one image", "no image")));
        }
        tell_apart(&mut found.images);
        found.unmatched = truths.rest();
        Ok(found)
    }

    fn without_truth(&self) -> Vec<&str> {
        self.images.iter().filter(|i| i.truth.is_none()).map(|i| i.name.as_str()).collect()
    }

    fn account(&self, args: &InitArgs, targets: [&OutputTarget; 2], because: &str) -> serde_json::Value {
        json!({
            "version": 1,
            "file": targets[0].path(),
            "sheet": targets[1].path(),
            "written": !args.dry_run,
            "images": self.images.len(),
            "unreadable": self.unreadable,
            "with_truth": self.images.len() - self.without_truth().len(),
            "without_truth": self.without_truth(),
            "unmatched_truth": self.unmatched,
            "um_per_pixel": self.seen.iter().map(|seen| seen.um_per_pixel).collect::<Vec<_>>(),
            "resolution": because,
        })
    }

    fn say(&mut self, args: &InitArgs, targets: [&OutputTarget; 2], because: &str, terminal: &Terminal) {
        let wrote = if args.dry_run { "would write" } else { "wrote" };
        let [study, sheet] = targets.map(|t| t.path().unwrap_or(Path::new("")).display().to_string());
        let left_out = match self.unreadable {
            0 => String::new(),
            n => format!("; {n} cannot be read and left out"),
        };
        terminal.say(&format!("images     {}{left_out}", self.images.len()));
        if args.truth.is_some() {
            terminal.say(&format!("truth      {}", self.truth_words()));
        }
        terminal.say(&format!("resolution {because}"));
        terminal.say(&format!("{wrote} {study} and {sheet}"));
        if !args.dry_run {
            terminal.say(&format!("next: onceflow check {study}"));
        }
    }

    fn truth_words(&self) -> String {
        let without = self.without_truth();
        let mut words =
            format!("{} of {}", self.images.len() - without.len(), counted(self.images.len(), "image"));
        if !without.is_empty() {
            words.push_str(&format!("; none for {}", some(&without)));
        }
        if !self.unmatched.is_empty() {
            let files: Vec<_> = self.unmatched.iter().map(|file| file.display().to_string()).collect();
            let files: Vec<_> = files.iter().map(String::as_str).collect();
            words.push_str(&format!("; of no image: {}", some(&files)));
        }
        words
    }
}

/// The first few, and how many more.
fn some(names: &[&str]) -> String {
    const SHOWN: usize = 5;
    let shown = names.iter().take(SHOWN).copied().collect::<Vec<_>>().join(", ");
    if names.len() > SHOWN { format!("{shown} and {} more", names.len() - SHOWN) } else { shown }
}

fn image(file: &Path, truth: Option<PathBuf>, folder: &Path) -> StudyImage {
    let truth = truth.map(|truth| relative(&truth, folder));
    StudyImage { truth, ..StudyImage::of_file(stem(file), relative(file, folder)) }
}

/// Images of one name are named by their files.
fn tell_apart(images: &mut [StudyImage]) {
    let names: Vec<String> = images.iter().map(|image| image.name.clone()).collect();
    for image in images {
        if names.iter().filter(|name| **name == image.name).count() > 1 {
            image.name.clone_from(&image.file);
        }
    }
}

/// A path relative to the folder of the study.
fn relative(path: &Path, folder: &Path) -> String {
    if path.to_string_lossy().starts_with("synth:") {
        return path.display().to_string();
    }
    let here = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let (Ok(path_there), Ok(here)) = (plain(path), plain(here)) else { return path.display().to_string() };
    let common = path_there.components().zip(here.components()).take_while(|(a, b)| a == b).count();
    let up = here.components().skip(common).map(|_| Component::ParentDir);
    let relative: PathBuf = up.chain(path_there.components().skip(common)).collect();
    relative.display().to_string()
}

/// An absolute path without `..`; links stay what they are called, unless the way leads back up.
fn plain(path: &Path) -> std::io::Result<PathBuf> {
    let absolute = std::path::absolute(path)?;
    let leads_up = absolute.components().any(|part| part == Component::ParentDir);
    if leads_up { absolute.canonicalize() } else { Ok(absolute) }
}
