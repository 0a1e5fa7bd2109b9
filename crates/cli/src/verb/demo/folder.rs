//! The folder of the demo: replaced only when it contains nothing but files that a demo wrote.

use std::path::Path;
use std::{fs, io};

use onceflow_engine::{Painted, open_source};
use onceflow_imageio::png_bytes;
use onceflow_region::Dense;
use onceflow_study::Diagnostic;
use onceflow_terminal::{Failure, unwritable};

use super::tissue::painted;
use crate::args::SIDES;
use crate::diagnostics::from_region_error;
use crate::file::{make_folder, write_bytes};

/// The tissue.
pub(super) const IMAGE: &str = "tissue.png";
/// The nuclei of the tissue.
pub(super) const TRUTH: &str = "truth.png";
/// The study.
pub(super) const STUDY: &str = "study.toml";

/// A folder that the demo may write into.
pub(super) struct DemoFolder<'a> {
    path: &'a Path,
    used: bool,
}

impl<'a> DemoFolder<'a> {
    /// Refuses a folder with other files, an edited study or another image.
    pub(super) fn at(path: &'a Path) -> Result<Self, Failure> {
        match holds(path).map_err(|error| unwritable(path, &error))? {
            FolderContents::Nothing => Ok(Self { path, used: false }),
            FolderContents::Demo => Ok(Self { path, used: true }),
            FolderContents::Else(found) => Err(refused(path, found)),
        }
    }

    /// Whether an earlier demo is in it.
    pub(super) fn is_used(&self) -> bool {
        self.used
    }

    /// Writes study, tissue and truth, in this order, so that the folder of an interrupted demo is recognised.
    pub(super) fn write(&self, seed: u64, painted: &Painted) -> Result<(), Failure> {
        make_folder(self.path)?;
        for name in [IMAGE, TRUTH].into_iter().filter(|_| self.used) {
            let path = self.path.join(name);
            match fs::remove_file(&path) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => {
                    return Err(unwritable(&path, &error));
                }
                _ => {}
            }
        }
        write_bytes(&self.path.join(STUDY), study(seed).as_bytes())?;
        for (name, picture) in pictures(painted) {
            let error = |error| from_region_error(format!("cannot write {name}"), &error);
            write_bytes(&self.path.join(name), &png_bytes(picture).map_err(error)?)?;
        }
        Ok(())
    }
}

/// What a folder contains.
enum FolderContents {
    Nothing,
    Demo,
    Else(&'static str),
}

fn holds(path: &Path) -> io::Result<FolderContents> {
    if !path.exists() {
        return Ok(FolderContents::Nothing);
    }
    if !path.is_dir() {
        return Ok(FolderContents::Else("a file"));
    }
    if fs::read_dir(path)?.next().is_none() {
        return Ok(FolderContents::Nothing);
    }
    let Ok(text) = fs::read_to_string(path.join(STUDY)) else {
        return Ok(FolderContents::Else("other files"));
    };
    Ok(match seed_of(&text) {
        None => FolderContents::Else("a study that is not the demo's, or was edited"),
        Some(seed) if has_own_pictures(path, seed) => FolderContents::Demo,
        Some(_) => FolderContents::Else("pictures that are not the demo's"),
    })
}

/// The study with its seed.
fn study(seed: u64) -> String {
    include_str!("study.toml").replace("= 2026\n", &format!("= {seed}\n"))
}

/// The seed of an unchanged study of a demo.
fn seed_of(text: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix("seed"))?;
    let seed = line.trim_start().strip_prefix('=')?.trim().parse().ok()?;
    (text == study(seed)).then_some(seed)
}

/// Whether existing pictures are the tissue of that seed, and not replaced by others.
fn has_own_pictures(path: &Path, seed: u64) -> bool {
    let read = |name: &str| fs::read(path.join(name)).ok();
    let Some(image) = read(IMAGE) else { return read(TRUTH).is_none() };
    let Some(ours) = side(path).and_then(|side| painted(side, seed, None).ok()) else { return false };
    let is_ours = |(name, picture): (&str, &Dense)| match (name, read(name)) {
        (IMAGE, _) => png_bytes(picture).is_ok_and(|bytes| bytes == image),
        (_, there) => there.is_none_or(|there| png_bytes(picture).is_ok_and(|bytes| bytes == there)),
    };
    pictures(&ours).all(is_ours)
}

/// The side of the tissue, when a demo may have made the picture.
fn side(path: &Path) -> Option<u64> {
    let side = open_source(IMAGE, path).ok()?.info().width;
    SIDES.contains(&side).then_some(side)
}

fn pictures(painted: &Painted) -> impl Iterator<Item = (&'static str, &Dense)> {
    [Some((IMAGE, &painted.image)), painted.truth.as_ref().map(|truth| (TRUTH, truth))].into_iter().flatten()
}

fn refused(path: &Path, found: &str) -> Failure {
    Failure::bad_input(
        Diagnostic::error(format!("{} is not the folder of a demo", path.display()))
            .expected_found("a new or empty folder, or that of an earlier demo", found)
            .with_hint("choose another folder after -o; nothing was changed in this one"),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_study_of_the_demo_is_known_by_its_text_whatever_its_seed() {
        assert_eq!(seed_of(&study(2026)), Some(2026));
        assert_eq!(seed_of(&study(7)), Some(7));
        assert_ne!(study(7), study(2026));
        assert_eq!(seed_of(&study(7).replace("base   = 128", "base   = 256")), None);
        assert_eq!(seed_of("seed = 7\n"), None);
        assert_eq!(seed_of(""), None);
    }
}
