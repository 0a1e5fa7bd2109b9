//! `[[image]]` and `images`.

use std::sync::Arc;

use super::super::{Image, ImageBox};
use super::{positive, read_each};
use crate::located::{Fields, Located, Node};
use crate::{Diagnostics, Place, Source};

/// An image and where it is named.
#[derive(Clone, Debug)]
pub(crate) struct ImageEntry {
    pub(crate) image: Image,
    pub(crate) place: Place,
}

/// Reads the tables of `[[image]]`.
pub(crate) fn read_images(
    source: &Arc<Source>,
    nodes: Option<&[Node]>,
    diagnostics: &mut Diagnostics,
) -> Vec<ImageEntry> {
    read_each(source, nodes, "image", diagnostics, |fields| read_image(source, fields))
}

fn read_image(source: &Arc<Source>, mut fields: Fields<'_, '_>) -> Option<ImageEntry> {
    let name: Option<Located<String>> = fields.required("name");
    let file: Option<String> = fields.required("file");
    let bounds = fields.parsed("box", |numbers: Vec<u64>| check_bounds(&numbers));
    let truth = fields.optional("truth");
    let truth_box = fields.parsed("truth_box", |numbers: Vec<u64>| check_bounds(&numbers));
    let um_per_pixel = positive(&mut fields, "um_per_pixel");
    fields.finish();
    let name = name?;
    let place = Place::new(source, name.span);
    let image = Image { bounds, truth, truth_box, um_per_pixel, ..Image::of_file(name.value, file?) };
    Some(ImageEntry { image, place })
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
pub(crate) fn read_files(source: &Arc<Source>, files: &[Located<String>]) -> Vec<ImageEntry> {
    let entry = |file: &Located<String>| {
        let image = Image::of_file(stem(&file.value), &file.value);
        ImageEntry { image, place: Place::new(source, file.span) }
    };
    files.iter().map(entry).collect()
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
