//! Which images are meant by words of the command line: paths, patterns, lists in a file.

use std::collections::HashSet;
use std::path::Path;

use onceflow_study::Diagnostic;

use crate::failure::Failure;
use crate::file::{Limit, read_text};

/// One image, or several.
#[derive(Debug, PartialEq)]
pub(crate) enum Asked {
    One(String),
    Many(Vec<NamedImage>),
}

/// An image, and what its files are called.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct NamedImage {
    pub(crate) image: String,
    pub(crate) name: String,
}

/// More images than this are a mistake in a pattern.
const MOST: usize = 100_000;

/// The images that words mean. One path is one image; a pattern or a list is several, however many it holds.
pub(crate) fn asked(words: &[String]) -> Result<Asked, Failure> {
    if let [word] = words
        && !word.starts_with('@')
        && !is_pattern(word)
    {
        return Ok(Asked::One(word.clone()));
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
    Ok(Asked::Many(named(images)))
}

fn is_pattern(word: &str) -> bool {
    word.contains(['*', '?', '[']) && !word.starts_with("synth:") && !Path::new(word).exists()
}

/// A line each; empty ones and those that begin with # say nothing. Paths are relative to the list.
fn from_list(list: &Path, images: &mut Vec<String>) -> Result<(), Failure> {
    let text = read_text(list, Limit::Description)?;
    let folder = list.parent().unwrap_or(Path::new(""));
    let lines = text.text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
    lines.into_iter().try_for_each(|line| from_word(line, folder, images))
}

fn from_word(word: &str, folder: &Path, images: &mut Vec<String>) -> Result<(), Failure> {
    let path =
        if word.starts_with("synth:") { word.to_owned() } else { folder.join(word).display().to_string() };
    if !is_pattern(&path) {
        images.push(path);
        return Ok(());
    }
    let wrong = |found: String, hint: &str| {
        let message = Diagnostic::error(format!("the pattern `{word}` names no image"));
        Failure::bad_input(message.expected_found("a pattern that files match", found).with_hint(hint))
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
    let message = Diagnostic::error("the images cannot be worked on one after the other");
    let message = message.expected_found(format!("1 to {MOST} images"), found.to_string());
    message.with_hint("check the pattern, or the list").into()
}

/// Files are called like the image without its ending; a second one of that name gets a number.
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
        assert_eq!(asked(&words(&["a.png"])).unwrap(), Asked::One("a.png".into()));
        assert_eq!(asked(&words(&["synth:8x8?seed=1"])).unwrap(), Asked::One("synth:8x8?seed=1".into()));
        let Asked::Many(two) = asked(&words(&["a.png", "b.png", "a.png"])).unwrap() else { panic!() };
        assert_eq!(two.len(), 2);
        assert!(asked(&words(&["nothing-*.here"])).is_err() && asked(&words(&["@nothing.txt"])).is_err());
        assert!(asked(&words(&["a[.png"])).is_err(), "a pattern that is none");
    }
}
