//! Which files belong together: images, and what was drawn on them, by a person or by a segmentation.

mod folder;
mod name;

use std::path::{Path, PathBuf};

use onceflow_study::Diagnostic;
use onceflow_terminal::Failure;

use crate::file::is_same;
pub(crate) use folder::FolderFiles;
pub(crate) use name::stem;
use name::{bare, rank};

/// What was drawn on an image: a mask, labels, outlines, or a folder with a mask for each object.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct DrawnFile {
    path: PathBuf,
    /// Its image, where the folders say so.
    of: Option<PathBuf>,
}

impl DrawnFile {
    fn new(path: PathBuf) -> Self {
        Self { path, of: None }
    }
}

/// A file that is not used, and why.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct LeftOut {
    pub(crate) file: PathBuf,
    pub(crate) why: String,
}

impl LeftOut {
    fn new(file: &Path, why: impl Into<String>) -> Self {
        Self { file: file.to_path_buf(), why: why.into() }
    }
}

/// What was drawn on images, the richest first.
#[derive(Clone, Debug, Default)]
pub(crate) struct DrawnFiles {
    files: Vec<DrawnFile>,
    /// The only file, which belongs to the only image, whatever they are called.
    given: bool,
    left_out: Vec<LeftOut>,
}

impl DrawnFiles {
    /// Those found beside images.
    pub(crate) fn beside(found: &FolderFiles) -> Self {
        Self::sorted(found.drawn.clone())
    }

    /// The file of the only image.
    pub(crate) fn given(file: &Path) -> Self {
        Self { given: true, ..Self::sorted(vec![DrawnFile::new(file.to_path_buf())]) }
    }

    /// Those of a folder: files beside images where there are such, else all but the images that are known.
    pub(crate) fn of_folder(folder: &Path, images: &[PathBuf]) -> Result<Self, Failure> {
        let read = || {
            let found = FolderFiles::of(folder)?;
            match found.drawn.iter().any(|drawn| drawn.path.is_dir() || name::is_drawn(&drawn.path)) {
                true => Ok(found.drawn),
                // Without images beside them, names of truth have no word more than those of images.
                false => {
                    let files = found.images.into_iter().filter(|file| rank(file).is_some());
                    Ok(files
                        .map(DrawnFile::new)
                        .chain(found.drawn)
                        .chain(folder::drawn_in(folder)?)
                        .collect())
                }
            }
        };
        let mut files: Vec<DrawnFile> = read().map_err(|error: std::io::Error| no_folder(folder, &error))?;
        files.retain(|drawn| !images.iter().any(|image| is_same(image, &drawn.path)));
        Ok(Self::sorted(files))
    }

    fn sorted(mut files: Vec<DrawnFile>) -> Self {
        files.retain(|drawn| rank(&drawn.path).is_some());
        files.sort_by_key(|drawn| (rank(&drawn.path), drawn.path.clone()));
        files.dedup_by(|a, b| a.path == b.path);
        Self { files, given: false, left_out: Vec::new() }
    }

    /// The names of their images, sorted.
    pub(crate) fn names(&self) -> Vec<String> {
        let mut names: Vec<String> = self.files.iter().map(|drawn| bare(&drawn.path)).collect();
        names.sort();
        names.dedup();
        names
    }

    /// Takes what was drawn on an image, the richest of several.
    pub(crate) fn take(&mut self, image: &Path, name: &str) -> Option<PathBuf> {
        let is_its = |drawn: &DrawnFile| match &drawn.of {
            Some(of) => of == image,
            None => self.given || is_named(&drawn.path, name),
        };
        let (its, others): (Vec<_>, Vec<_>) = self.files.drain(..).partition(is_its);
        self.files = others;
        let mut its = its.into_iter().map(|drawn| drawn.path);
        let taken = its.next()?;
        let why = format!("its image has truth already: {}", file_name(&taken));
        self.left_out.extend(its.map(|file| LeftOut::new(&file, &*why)));
        Some(taken)
    }

    /// Those of no image, and those of images that have a richer one.
    pub(crate) fn rest(self) -> (Vec<PathBuf>, Vec<LeftOut>) {
        (self.files.into_iter().map(|drawn| drawn.path).collect(), self.left_out)
    }
}

/// Whether a file is named after an image; its own name counts before what a word is taken away from.
fn is_named(file: &Path, name: &str) -> bool {
    [stem(file), bare(file)].iter().any(|found| found == name || found.to_lowercase() == name.to_lowercase())
}

pub(crate) fn file_name(path: &Path) -> String {
    path.file_name().map_or_else(|| path.display().to_string(), |name| name.to_string_lossy().into_owned())
}

fn no_folder(folder: &Path, error: &std::io::Error) -> Failure {
    let message = Diagnostic::error(format!("cannot read the folder {}", folder.display()));
    let message = message.expected_found("a folder of truth files", onceflow_region::io_words(error));
    Failure::bad_input(
        message.with_hint("give the folder of the truth files, or with one image its truth file"),
    )
}
