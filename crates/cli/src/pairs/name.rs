//! What names say of files: which image they belong to, and whether they are what was drawn on it.

use std::path::Path;

/// File extensions of images that are taken from a folder; the format is recognised by the first bytes.
const IMAGES: [&str; 16] = [
    "svs", "tif", "tiff", "ndpi", "mrxs", "scn", "bif", "vms", "vmu", "svslide", "czi", "dcm", "png", "jpg",
    "jpeg", "zarr",
];
/// What is drawn is written in these, the richest first.
const DRAWN: [&str; 6] = ["geojson", "json", "xml", "png", "tif", "tiff"];
/// What names of truth and results add to those of their images; the richest first.
const ADDED: [&str; 18] = [
    "labels",
    "label",
    "labelled",
    "instances",
    "instance",
    "nuclei",
    "annotations",
    "annotation",
    "truth",
    "gt",
    "groundtruth",
    "ground_truth",
    "seg",
    "segmentation",
    "masks",
    "mask",
    "binary",
    "bin",
];
/// Words that stand before the name too.
const FIRST: [&str; 4] = ["labels", "gt", "masks", "mask"];
/// Folders of what was drawn.
const DRAWN_FOLDERS: [&str; 18] = [
    "annotations",
    "annotation",
    "labels",
    "label",
    "truth",
    "truths",
    "gt",
    "ground truth",
    "groundtruth",
    "geojson",
    "xml",
    "instances",
    "masks",
    "mask",
    "binary masks",
    "binary mask",
    "segmentations",
    "exports",
];
/// Folders of images.
const IMAGE_FOLDERS: [&str; 9] =
    ["images", "image", "tissue images", "slides", "tiles", "imgs", "img", "tissue", "scans"];
/// What stands between a name and what is added to it.
const BETWEEN: [char; 4] = ['-', '_', '.', ' '];

/// The extension in small letters.
pub(super) fn ending(path: &Path) -> String {
    path.extension().map_or_else(String::new, |ending| ending.to_string_lossy().to_lowercase())
}

/// Whether a file may be an image, by its extension.
pub(super) fn is_image(path: &Path) -> bool {
    IMAGES.contains(&ending(path).as_str())
}

/// Whether a file holds outlines, by its extension; `.json` may hold anything.
pub(super) fn is_outlines(path: &Path) -> bool {
    matches!(ending(path).as_str(), "geojson" | "json" | "xml")
}

/// Where a file stands among those that were drawn on one image: the richest is taken.
pub(super) fn rank(path: &Path) -> Option<(usize, usize)> {
    if path.is_dir() {
        return Some((DRAWN.len(), 0));
    }
    let form = DRAWN.iter().position(|known| *known == ending(path))?;
    let stem = stem(path).to_lowercase();
    let word = ADDED.iter().position(|word| without(&stem, word).is_some()).unwrap_or(ADDED.len());
    Some((form, word))
}

/// `breast-01` for `slides/breast-01.ome.tif`.
pub(crate) fn stem(file: &Path) -> String {
    let text = file.to_string_lossy();
    if text.starts_with("synth:") {
        return text.into_owned();
    }
    let stem = file.file_stem().map_or_else(String::new, |stem| stem.to_string_lossy().into_owned());
    stem.strip_suffix(".ome").map_or(stem.clone(), str::to_owned)
}

/// The name of the image that a file was drawn on: `breast-01` for `breast-01-labels.png`, `mask_breast-01.png`,
/// `breast-01.svs.geojson`.
pub(super) fn bare(file: &Path) -> String {
    let stem = stem(file);
    let stem = match stem.rsplit_once('.') {
        Some((name, ending)) if IMAGES.contains(&ending.to_lowercase().as_str()) => name.to_owned(),
        _ => stem,
    };
    let small = stem.to_lowercase();
    // Letters of other lengths in small letters are left as they are.
    let added = ADDED.iter().find_map(|word| without(&small, word)).filter(|_| small.len() == stem.len());
    added.and_then(|range| stem.get(range)).map_or(stem.clone(), str::to_owned)
}

/// Whether a name says that something was drawn.
pub(super) fn is_drawn(file: &Path) -> bool {
    bare(file) != stem(file)
}

/// What is left of a name without a word at its end or its beginning.
fn without(name: &str, word: &str) -> Option<std::ops::Range<usize>> {
    let end = name.strip_suffix(word).and_then(|rest| rest.strip_suffix(BETWEEN)).map(|rest| 0..rest.len());
    let first = FIRST.contains(&word).then(|| name.strip_prefix(word)).flatten();
    let start = first.and_then(|rest| rest.strip_prefix(BETWEEN));
    end.or_else(|| start.map(|rest| name.len() - rest.len()..name.len())).filter(|range| !range.is_empty())
}

/// What a folder holds, by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FolderKind {
    Images,
    Drawn,
    Other,
}

impl FolderKind {
    pub(super) fn of(path: &Path) -> FolderKind {
        let name = path.file_name().map_or_else(String::new, |name| name.to_string_lossy().to_lowercase());
        let name = name.replace(['_', '-'], " ");
        match name.as_str() {
            name if IMAGE_FOLDERS.contains(&name) => FolderKind::Images,
            name if DRAWN_FOLDERS.contains(&name) => FolderKind::Drawn,
            _ => FolderKind::Other,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_what_was_drawn_lead_to_the_image() {
        for file in [
            "a-1.labels.png",
            "a-1_mask.png",
            "a-1.binary.png",
            "a-1.xml",
            "a-1.geojson",
            "a-1.svs.geojson",
            "mask_a-1.tif",
            "a-1-Mask.png",
            "a-1.ome.tif",
        ] {
            assert_eq!(bare(Path::new(file)), "a-1", "{file}");
        }
        assert_eq!(bare(Path::new("labels.png")), "labels");
        assert_eq!(bare(Path::new("unlabels.png")), "unlabels");
        assert_eq!(FolderKind::of(Path::new("x/Tissue Images")), FolderKind::Images);
        assert_eq!(FolderKind::of(Path::new("x/Binary_masks")), FolderKind::Drawn);
        assert_eq!(FolderKind::of(Path::new("x/breast")), FolderKind::Other);
    }

    #[test]
    fn the_richest_form_comes_first() {
        let mut files = ["a_mask.png", "a.xml", "a.labels.png", "a.geojson", "a.png"].map(Path::new);
        files.sort_by_key(|file| rank(file));
        assert_eq!(files, ["a.geojson", "a.xml", "a.labels.png", "a_mask.png", "a.png"].map(Path::new));
        assert_eq!(rank(Path::new("notes.txt")), None);
    }
}
