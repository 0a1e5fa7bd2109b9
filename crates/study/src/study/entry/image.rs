//! `[[image]]` and `images`.

use std::collections::HashMap;
use std::sync::Arc;

use super::super::{ImageBox, StudyImage};
use super::{positive, read_each};
use crate::PAIR_COLUMNS;
use crate::located::{Located, LocatedNode, TableReader};
use crate::{Diagnostic, Diagnostics, SourceLocation, SourceText};

/// An image and where it is named.
#[derive(Clone, Debug)]
pub(crate) struct ImageEntry {
    pub(crate) image: StudyImage,
    pub(crate) place: SourceLocation,
    /// Whether it was listed without a name, and has that of its file.
    pub(crate) is_listed: bool,
}

/// Reads the tables of `[[image]]`.
pub(crate) fn read_images(
    source: &Arc<SourceText>,
    nodes: Option<&[LocatedNode]>,
    diagnostics: &mut Diagnostics,
) -> Vec<ImageEntry> {
    read_each(source, nodes, "image", diagnostics, |fields| read_image(source, fields))
}

fn read_image(source: &Arc<SourceText>, mut fields: TableReader<'_, '_>) -> Option<ImageEntry> {
    let name: Option<Located<String>> = fields.required("name");
    let fixed: Option<String> = fields.optional("fixed");
    let file: Option<String> = if fixed.is_some() { fixed } else { fields.required("file") };
    let bounds = fields.parsed("box", |numbers: Vec<u64>| check_bounds(&numbers));
    let truth = fields.optional("truth");
    let truth_box = fields.parsed("truth_box", |numbers: Vec<u64>| check_bounds(&numbers));
    let um_per_pixel = positive(&mut fields, "um_per_pixel");
    let columns = ["slide", "patient"].into_iter().chain(PAIR_COLUMNS);
    let groups: Vec<_> = columns.map(|key| (key, fields.optional::<String>(key))).collect();
    let columns = groups.into_iter().filter_map(|(key, group)| Some((key.to_owned(), group?))).collect();
    fields.finish();
    let name = name?;
    let place = SourceLocation::new(source, name.span);
    let image = StudyImage {
        bounds,
        truth,
        truth_box,
        um_per_pixel,
        columns,
        ..StudyImage::of_file(name.value, file?)
    };
    Some(ImageEntry { image, place, is_listed: false })
}

/// Four numbers make a box when it has an area and ends within 64 bits.
pub(crate) fn check_bounds(numbers: &[u64]) -> Result<ImageBox, String> {
    let &[x, y, width, height] = numbers else {
        return Err("four numbers: x, y, width, height".into());
    };
    if width == 0 || height == 0 {
        return Err("a box of at least 1 x 1 pixels (x, y, width, height)".into());
    }
    let ends = x.checked_add(width).and(y.checked_add(height));
    ends.map(|_| ImageBox { x, y, width, height }).ok_or_else(|| "a box within 2^64 pixels".into())
}

/// A list of files in place of tables: each is named by its file, without folder and ending.
pub(crate) fn read_files(source: &Arc<SourceText>, files: &[Located<String>]) -> Vec<ImageEntry> {
    files.iter().map(|file| listed(&file.value, SourceLocation::new(source, file.span))).collect()
}

/// A file that was listed.
pub(crate) fn listed(file: &str, place: SourceLocation) -> ImageEntry {
    ImageEntry { image: StudyImage::of_file(stem(file), file), place, is_listed: true }
}

/// Finds the files that a pattern such as `slides/*.svs` matches; an error is reported at the pattern's position.
pub type FindFiles<'a> = dyn FnMut(&str) -> Result<Vec<String>, Box<Diagnostic>> + 'a;

/// Replaces patterns by the files they match, and adds folders to equal names.
pub(crate) fn expand(entries: &mut Vec<ImageEntry>, find: &mut FindFiles<'_>, diagnostics: &mut Diagnostics) {
    for entry in std::mem::take(entries) {
        if !entry.is_listed || !is_pattern(&entry.image.file) {
            entries.push(entry);
            continue;
        }
        match find(&entry.image.file) {
            Ok(files) => entries.extend(files.iter().map(|file| listed(file, entry.place.clone()))),
            Err(error) => diagnostics.push((*error).at_place(Some(&entry.place), "")),
        }
    }
    let mut named: HashMap<String, usize> = HashMap::new();
    entries.iter().for_each(|entry| *named.entry(entry.image.name.clone()).or_default() += 1);
    for entry in entries.iter_mut().filter(|entry| entry.is_listed) {
        if named.get(&entry.image.name).is_some_and(|count| *count > 1) {
            entry.image.name.clone_from(&entry.image.file);
        }
    }
}

/// Whether a text is a pattern.
fn is_pattern(file: &str) -> bool {
    file.contains(['*', '?']) && !file.contains(':')
}

/// `breast-01` for `slides/breast-01.ome.tif`; patterns and synthetic images are named by all of their text.
fn stem(file: &str) -> &str {
    if file.contains(['*', '?', ':']) {
        return file;
    }
    let name = file.rsplit(['/', '\\']).next().unwrap_or(file);
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    let stem = stem.strip_suffix(".ome").unwrap_or(stem);
    if stem.is_empty() { name } else { stem }
}

#[cfg(test)]
mod tests {
    use super::stem;

    #[test]
    fn images_are_named_by_their_files() {
        let names = ["slides/breast-01.svs", "a.b.ome.tif", "slides/*.svs", "synth:64x64?seed=7", "C/.svs"];
        assert_eq!(names.map(stem), ["breast-01", "a.b", "slides/*.svs", "synth:64x64?seed=7", ".svs"]);
    }
}
