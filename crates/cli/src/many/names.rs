//! The images that a command line names: paths, folders, patterns, lists in a file.

use std::collections::HashSet;
use std::path::Path;

use onceflow_study::Diagnostic;

use crate::file::read_text;
use crate::pairs::FolderFiles;
use onceflow_engine::TextLimit;
use onceflow_terminal::Failure;

/// One image, or several.
#[derive(Debug, PartialEq)]
pub(crate) enum NamedImages {
    One(String),
    Many(Vec<NamedImage>),
}

/// An image, and the name of its output files.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct NamedImage {
    pub(crate) image: String,
    pub(crate) name: String,
}

impl NamedImage {
    /// A single image.
    pub(crate) fn of(image: &str) -> Self {
        Self { image: image.to_owned(), name: stem(image) }
    }
}

/// Most images of a command; more are probably a mistake in a pattern.
const MOST: usize = 100_000;

/// The images that words name. One path is one image; a pattern or a list is several, whatever their number.
pub(crate) fn asked(words: &[String]) -> Result<NamedImages, Failure> {
    if let [word] = words
        && !word.starts_with('@')
        && !is_pattern(word)
        && !is_folder(word)
    {
        return Ok(NamedImages::One(word.clone()));
    }
    let mut images = Vec::new();
    for word in words {
        match word.strip_prefix('@') {
            Some(list) => from_list(Path::new(list), &mut images)?,
            None => from_word(word, Path::new(""), &mut images)?,
        }
    }
    let mut seen = HashSet::new();
    images.retain(|image| seen.insert(image.clone()));
    if images.is_empty() || images.len() > MOST {
        return Err(too_many_or_none(images.len()));
    }
    Ok(NamedImages::Many(named(images)))
}

/// Whether a word names a folder of images: not one of chunks (OME-Zarr), which is an image.
pub(crate) fn is_folder(word: &str) -> bool {
    let path = Path::new(word);
    let has = |name: &str| path.join(name).exists();
    path.is_dir() && !["zarr.json", ".zattrs", ".zgroup", ".zarray"].into_iter().any(has)
}

/// The images of a folder, without what was drawn on them.
fn from_folder(folder: &str, images: &mut Vec<String>) -> Result<(), Failure> {
    let found = FolderFiles::of(Path::new(folder)).map_err(|error| {
        let message = Diagnostic::error(format!("cannot read the folder {folder}"));
        Failure::environment(message.expected_found("a readable folder", onceflow_region::io_words(&error)))
    })?;
    if found.images.is_empty() {
        let message = Diagnostic::error(format!("no image in {folder}"));
        let message = message.expected_found("a folder with images", "none");
        return Err(message.with_hint("name the images, or put a pattern in quotes: 'slides/*.svs'").into());
    }
    images.extend(found.images.iter().map(|image| image.display().to_string()));
    Ok(())
}

fn is_pattern(word: &str) -> bool {
    word.contains(['*', '?', '[']) && !word.starts_with("synth:") && !Path::new(word).exists()
}

/// One path per line, relative to the list; empty lines and lines that begin with # are ignored.
fn from_list(list: &Path, images: &mut Vec<String>) -> Result<(), Failure> {
    let text = read_text(list, TextLimit::Description)?;
    let folder = list.parent().unwrap_or(Path::new(""));
    let lines = text.text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
    lines.into_iter().try_for_each(|line| from_word(line, folder, images))
}

fn from_word(word: &str, folder: &Path, images: &mut Vec<String>) -> Result<(), Failure> {
    let path =
        if word.starts_with("synth:") { word.to_owned() } else { folder.join(word).display().to_string() };
    if is_folder(&path) {
        return from_folder(&path, images);
    }
    if !is_pattern(&path) {
        images.push(path);
        return Ok(());
    }
    let wrong = |found: String, hint: &str| {
        let message = Diagnostic::error(format!("the pattern `{word}` matches no image"));
        Failure::bad_input(message.expected_found("a pattern that matches files", found).with_hint(hint))
    };
    let found =
        glob::glob(&path).map_err(|error| wrong(error.to_string(), "write it in quotes: 'slides/*.svs'"))?;
    let before = images.len();
    images.extend(found.filter_map(Result::ok).take(MOST + 1).map(|path| path.display().to_string()));
    if images.len() == before {
        return Err(wrong("none".into(), "check the folder and the ending"));
    }
    Ok(())
}

fn too_many_or_none(found: usize) -> Failure {
    let message = Diagnostic::error("wrong number of images");
    let message = message.expected_found(format!("1 to {MOST} images"), found.to_string());
    message.with_hint("check the pattern, or the list").into()
}

/// Output files have the name of the image without its extension; duplicates get a number.
fn named(images: Vec<String>) -> Vec<NamedImage> {
    let mut taken = HashSet::new();
    let mut name = |image: &str| {
        let stem = stem(image);
        let numbered = (2usize..).map(|number| format!("{stem}-{number}"));
        let mut names = std::iter::once(stem.clone()).chain(numbered);
        names.find(|name| taken.insert(name.to_lowercase())).unwrap_or(stem)
    };
    images.into_iter().map(|image| NamedImage { name: name(&image), image }).collect()
}

fn stem(image: &str) -> String {
    let last = image.trim_end_matches(['/', '\\']).rsplit(['/', '\\']).next().unwrap_or(image);
    let stem = match last.strip_suffix(".zarr").map(|name| name.strip_suffix(".ome").unwrap_or(name)) {
        Some(stem) => stem,
        None if image.starts_with("synth:") => last,
        None => last.rsplit_once('.').map_or(last, |(stem, _)| stem),
    };
    let known =
        |letter: char| if letter.is_alphanumeric() || "._-+ ".contains(letter) { letter } else { '-' };
    let stem: String = stem.chars().map(known).collect();
    if stem.is_empty() || stem == "summary" { format!("image-{stem}") } else { stem }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_called_like_their_images() {
        let names = |images: &[&str]| -> Vec<String> {
            named(images.iter().map(|image| (*image).to_owned()).collect())
                .into_iter()
                .map(|n| n.name)
                .collect()
        };
        assert_eq!(names(&["a/x.png", "b/x.tif", "B/X.svs"]), ["x", "x-2", "X-3"]);
        assert_eq!(names(&["s.ome.zarr/", "t.zarr"]), ["s", "t"]);
        assert_eq!(names(&["synth:64x32?seed=7"]), ["synth-64x32-seed-7"]);
        assert_eq!(names(&["summary.png", ".png", "TCGA-1.a.svs"]), ["image-summary", "image-", "TCGA-1.a"]);
    }

    #[test]
    fn one_word_is_one_image_unless_it_is_a_pattern() {
        let words = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
        assert_eq!(asked(&words(&["a.png"])).unwrap(), NamedImages::One("a.png".into()));
        assert_eq!(
            asked(&words(&["synth:8x8?seed=1"])).unwrap(),
            NamedImages::One("synth:8x8?seed=1".into())
        );
        let NamedImages::Many(two) = asked(&words(&["a.png", "b.png", "a.png"])).unwrap() else { panic!() };
        assert_eq!(two.len(), 2);
        assert!(asked(&words(&["nothing-*.here"])).is_err() && asked(&words(&["@nothing.txt"])).is_err());
        assert!(asked(&words(&["a[.png"])).is_err(), "an invalid pattern");
    }
}
