//! Which truth belongs to which image: that of the same name, or the file that was given with a single image.

use std::path::{Path, PathBuf};

use onceflow_study::Diagnostic;
use onceflow_terminal::Failure;

use crate::file::is_same;

/// What truth is written in, the richest first.
const ENDINGS: [&str; 6] = ["geojson", "json", "xml", "png", "tif", "tiff"];
/// What names of truth add to those of their images.
const ADDED: [&str; 5] = ["labels", "mask", "truth", "annotations", "annotation"];

/// Truth files that no image has taken yet.
pub(super) struct TruthFiles {
    files: Vec<PathBuf>,
    /// Whether one file was given for one image, whatever they are called.
    given: bool,
}

impl TruthFiles {
    /// Those of a folder, without the images themselves, or the file of a single image.
    pub(super) fn of(folder: Option<&Path>, images: &[PathBuf]) -> Result<Self, Failure> {
        let Some(folder) = folder else { return Ok(Self { files: Vec::new(), given: false }) };
        if folder.is_file() && images.len() == 1 {
            return Ok(Self { files: vec![folder.into()], given: true });
        }
        let entries = folder.read_dir().and_then(|entries| entries.collect::<Result<Vec<_>, _>>());
        let entries = entries.map_err(|error| {
            let message = Diagnostic::error(format!("cannot read the folder {}", folder.display()));
            let message = message.expected_found("a folder of truth files", error.to_string());
            Failure::bad_input(
                message.with_hint("give the folder of the truth files, or with one image its truth file"),
            )
        })?;
        let mut files: Vec<PathBuf> = entries.iter().map(std::fs::DirEntry::path).collect();
        files.retain(|file| place(file).is_some() && !images.iter().any(|image| is_same(image, file)));
        files.sort_by_key(|file| (place(file), file.clone()));
        Ok(Self { files, given: false })
    }

    /// The truth of an image.
    pub(super) fn take(&mut self, image: &Path) -> Option<PathBuf> {
        let wanted = stem(image);
        let is_its = |file: &PathBuf| self.given || stem(file) == wanted || bare(&stem(file)) == wanted;
        let at = self.files.iter().position(is_its)?;
        Some(self.files.remove(at))
    }

    /// Those of no image.
    pub(super) fn rest(self) -> Vec<PathBuf> {
        self.files
    }
}

/// Where the form of a file stands among those of truth.
fn place(file: &Path) -> Option<usize> {
    let ending = file.extension()?.to_string_lossy().to_lowercase();
    ENDINGS.iter().position(|known| *known == ending)
}

/// `breast-01` for `slides/breast-01.ome.tif`.
pub(super) fn stem(file: &Path) -> String {
    let text = file.to_string_lossy();
    if text.starts_with("synth:") {
        return text.into_owned();
    }
    let stem = file.file_stem().map_or_else(String::new, |stem| stem.to_string_lossy().into_owned());
    stem.strip_suffix(".ome").map_or(stem.clone(), str::to_owned)
}

/// `breast-01` for `breast-01-labels`, `breast-01_mask`, `breast-01.truth`.
fn bare(stem: &str) -> String {
    let added = |word: &&str| {
        let rest = stem.strip_suffix(word)?;
        rest.strip_suffix(['-', '_', '.', ' '])
    };
    ADDED.iter().find_map(added).unwrap_or(stem).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn truth_is_found_by_its_name() {
        let folder = tempfile::tempdir().unwrap();
        for file in ["a.xml", "a.geojson", "b-labels.png", "c.ome.tif", "lost.png", "notes.txt"] {
            std::fs::write(folder.path().join(file), "").unwrap();
        }
        let mut truths = TruthFiles::of(Some(folder.path()), &[]).unwrap();
        let mut name = |image: &str| {
            let found = truths.take(Path::new(image))?;
            Some(found.file_name()?.to_string_lossy().into_owned())
        };
        assert_eq!(name("x/a.svs").as_deref(), Some("a.geojson"));
        assert_eq!(name("b.ndpi").as_deref(), Some("b-labels.png"));
        assert_eq!(name("c.ome.tif").as_deref(), Some("c.ome.tif"));
        assert_eq!(name("d.svs"), None);
        let rest: Vec<_> = truths.rest().iter().map(|f| f.file_name().unwrap().to_owned()).collect();
        assert_eq!(rest, ["a.xml", "lost.png"]);
    }

    #[test]
    fn a_file_is_the_truth_of_one_image_and_of_no_more() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("lost.png");
        std::fs::write(&file, "").unwrap();
        let images = ["a.svs", "b.svs"].map(PathBuf::from);
        let mut truths = TruthFiles::of(Some(&file), &images[..1]).unwrap();
        assert_eq!(truths.take(&images[0]), Some(file.clone()));
        let refused = TruthFiles::of(Some(&file), &images).map(TruthFiles::rest);
        assert!(format!("{:?}", refused.unwrap_err()).contains("give the folder"));
    }
}
