//! A study of existing images: a sheet that lists them, and the study that names it.

use std::path::{Component, Path, PathBuf};

use onceflow_engine::{is_pattern, matching, open_image};
use onceflow_region::ImageInfo;
use onceflow_study::{Diagnostic, ImagesTemplate, StudyImage, counted, images_template, sheet_text};
use onceflow_terminal::{Exit, Failure, Terminal, engine_failure};
use serde_json::json;

use super::resolution::{ImageResolution, working};
use super::{qupath, workflow};
use crate::args::{InitArgs, ProblemFormat};
use crate::file::{OutputTarget, Overwrite};
use crate::pairs::{DrawnFiles, FolderFiles, LeftOut, file_name, stem};

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
        FoundImages::open(files(inputs)?, args, path.parent().unwrap_or(Path::new("")), terminal)?;
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

/// The image files, without duplicates, and what was drawn on them.
fn files(inputs: &[PathBuf]) -> Result<FolderFiles, Failure> {
    let mut found = FolderFiles::default();
    let (named, others): (Vec<_>, Vec<_>) = inputs.iter().cloned().partition(|input| is_one_file(input));
    for input in &others {
        let more = of_input(input)?;
        if more.images.is_empty() {
            let error = Diagnostic::error(format!("no image in {}", input.display()));
            let error = error.expected_found("at least one image", "no image");
            return Err(Failure::bad_input(
                error.with_hint("put patterns in quotes; `**` means any folders"),
            ));
        }
        found.add(more);
    }
    found.add(match named.len() {
        // A single file is an image, whatever its name says.
        0 | 1 => FolderFiles::of_images(named),
        _ => FolderFiles::of_files(named),
    });
    Ok(found)
}

fn is_one_file(input: &Path) -> bool {
    let (text, ending) = (input.to_string_lossy(), ending(input));
    let is_pattern = is_pattern(&text) && !text.starts_with("synth:");
    !is_pattern && ending != "qpproj" && (!input.is_dir() || ending == "zarr")
}

fn of_input(input: &Path) -> Result<FolderFiles, Failure> {
    let wrong = |error: std::io::Error| unreadable(input, &error);
    if input.is_dir() {
        let project = input.join("project.qpproj");
        return if project.is_file() { of_project(&project) } else { FolderFiles::of(input).map_err(wrong) };
    }
    if ending(input) == "qpproj" {
        return of_project(input);
    }
    Ok(FolderFiles::of_files(matching(input).map_err(wrong)?))
}

/// The images that a QuPath project names; truth is what was exported into its folder.
fn of_project(project: &Path) -> Result<FolderFiles, Failure> {
    let folder = project.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let beside = FolderFiles::of(folder).map_err(|error| unreadable(folder, &error))?;
    Ok(beside.of_project(qupath::images(project)?, &folder.join("data")))
}

fn ending(path: &Path) -> String {
    path.extension().map_or_else(String::new, |ending| ending.to_string_lossy().to_lowercase())
}

fn unreadable(path: &Path, error: &std::io::Error) -> Failure {
    let message = Diagnostic::error(format!("cannot read the folder {}", path.display()));
    Failure::environment(message.expected_found("a readable folder", onceflow_region::io_words(error)))
}

/// The truth beside the images, or that of the folder or file that was named.
fn truths(files: &FolderFiles, named: Option<&Path>) -> Result<DrawnFiles, Failure> {
    match named {
        None => Ok(DrawnFiles::beside(files)),
        Some(file) if file.is_file() && files.images.len() == 1 => Ok(DrawnFiles::given(file)),
        Some(folder) => DrawnFiles::of_folder(folder, &files.images),
    }
}

/// The images with their truth.
#[derive(Default)]
struct FoundImages {
    images: Vec<StudyImage>,
    seen: Vec<ImageResolution>,
    /// Images and their truth, as they are called.
    pairs: Vec<(PathBuf, PathBuf)>,
    unreadable: usize,
    /// Truth files that belong to no image.
    unmatched: Vec<PathBuf>,
    /// Other files that are not used, and why.
    left_out: Vec<LeftOut>,
}

impl FoundImages {
    fn open(
        files: FolderFiles,
        args: &InitArgs,
        folder: &Path,
        terminal: &Terminal,
    ) -> Result<Self, Failure> {
        let mut truths = truths(&files, args.truth.as_deref())?;
        let mut found = Self::default();
        for file in &files.images {
            match open_image(&file.to_string_lossy(), Path::new("")) {
                Ok(source) => found.add(file, source.info(), truths.take(file, &stem(file)), folder),
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
        let (unmatched, richer) = truths.rest();
        found.unmatched = unmatched;
        found.left_out = files.left_out.into_iter().chain(richer).collect();
        Ok(found)
    }

    fn add(&mut self, file: &Path, info: &ImageInfo, truth: Option<PathBuf>, folder: &Path) {
        self.seen.push(ImageResolution { file: file.to_path_buf(), um_per_pixel: info.um_per_pixel });
        self.pairs.extend(truth.iter().map(|truth| (file.to_path_buf(), truth.clone())));
        self.images.push(image(file, truth, folder));
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
            "pairs": self.pairs.iter().map(|(image, truth)| json!({ "image": image, "truth": truth })).collect::<Vec<_>>(),
            "unmatched_truth": self.unmatched,
            "left_out": self.left_out.iter().map(|left| json!({ "file": left.file, "why": left.why })).collect::<Vec<_>>(),
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
        if args.truth.is_some() || !self.pairs.is_empty() || !self.unmatched.is_empty() {
            terminal.say(&format!("truth      {}", self.truth_words()));
        }
        self.say_pairs(terminal);
        terminal.say(&format!("resolution {because}"));
        terminal.say(&format!("{wrote} {study} and {sheet}"));
        if !args.dry_run {
            terminal.say(&format!("next: onceflow check {study}"));
        }
    }

    /// The first pairs, and the first files that are not used.
    fn say_pairs(&self, terminal: &Terminal) {
        let pairs =
            self.pairs.iter().map(|(image, truth)| format!("{} with {}", file_name(image), truth.display()));
        say_some("pairs", pairs.collect(), terminal);
        let left_out = self.left_out.iter().map(|left| format!("{}: {}", left.file.display(), left.why));
        say_some("left out", left_out.collect(), terminal);
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

/// A line for each of the first few.
fn say_some(word: &str, lines: Vec<String>, terminal: &Terminal) {
    const SHOWN: usize = 3;
    for (at, line) in lines.iter().take(SHOWN).enumerate() {
        let word = if at == 0 { word } else { "" };
        terminal.say(&format!("{word:<10} {line}"));
    }
    if lines.len() > SHOWN {
        terminal.say(&format!("{:<10} and {} more", "", lines.len() - SHOWN));
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
pub(super) fn relative(path: &Path, folder: &Path) -> String {
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
