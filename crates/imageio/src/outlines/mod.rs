//! Objects drawn as outlines: GeoJSON as QuPath writes it, or ImageScope's XML.

mod builder;
mod geojson;
mod imagescope;
mod raster;
mod source;

use std::fs::File;
use std::io::Read;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use onceflow_region::SourceError;

pub use source::OutlineSource;

use builder::OutlineBuilder;

/// The most bytes of a file of outlines.
const MOST_BYTES: u64 = 1 << 30;

/// The outlines of a file, in its order, in pixels of the whole image.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Outlines {
    file: String,
    points: Vec<[f64; 2]>,
    /// Where in `points` each ring ends.
    rings: Vec<u32>,
    shapes: Vec<OutlineShape>,
    /// Shapes that are cut out of others.
    holes: Vec<u32>,
    objects: u32,
    areas: Vec<[f64; 4]>,
    left_out: usize,
}

/// Rings that enclose some of an object.
#[derive(Debug, Clone, PartialEq, Eq)]
struct OutlineShape {
    /// The number of its object; 0 when it is only cut out of others.
    label: u32,
    rings: Range<u32>,
    rule: FillRule,
    /// What is cut out of it: a range of `holes`.
    holes: Range<u32>,
}

/// Which points lie inside rings that cross.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum FillRule {
    /// Those that an odd number of rings enclose: a ring in a ring is a hole.
    EvenOdd,
    /// Those that a ring goes around at all.
    NonZero,
}

impl Outlines {
    /// Whether a file begins like one of outlines rather than like an image.
    pub fn is_one(path: &Path) -> bool {
        // A pipe would make us wait for ever.
        if !path.is_file() {
            return false;
        }
        let mut first = Vec::new();
        let read = File::open(path).and_then(|file| file.take(64).read_to_end(&mut first));
        read.is_ok() && OutlineForm::of(&first).is_some()
    }

    /// Reads a file.
    ///
    /// # Errors
    /// When it cannot be read, or holds no outline.
    pub fn read(path: &Path) -> Result<Outlines, SourceError> {
        let name = path.display().to_string();
        let wrong = |error: std::io::Error| SourceError::File {
            file: name.clone(),
            reason: onceflow_region::io_words(&error),
            todo: "check the name and the disk",
        };
        let mut bytes = Vec::new();
        let file = File::open(path).map_err(wrong)?;
        file.take(MOST_BYTES + 1).read_to_end(&mut bytes).map_err(wrong)?;
        Outlines::parse(&name, &bytes)
    }

    /// Reads outlines that are in memory already; errors call them by the name given.
    ///
    /// # Errors
    /// When they are neither GeoJSON nor ImageScope's XML, hold no outline, or more than can be handled.
    pub fn parse(name: &str, bytes: &[u8]) -> Result<Outlines, SourceError> {
        let wrong = |error: OutlineProblem| SourceError::Content {
            file: name.to_owned(),
            expected: error.expected,
            found: error.found,
            todo: error.todo,
        };
        if bytes.len() as u64 > MOST_BYTES {
            return Err(wrong(OutlineProblem::new("at most 1 GiB", "more", "split the file")));
        }
        let bytes = without_mark(bytes);
        let mut builder = OutlineBuilder::default();
        match OutlineForm::of(bytes) {
            Some(OutlineForm::Json) => geojson::read(bytes, &mut builder),
            Some(OutlineForm::Xml) => imagescope::read(bytes, &mut builder),
            None => Err(OutlineProblem::new(
                "GeoJSON (QuPath) or XML (ImageScope)",
                "something else",
                "export the objects as GeoJSON",
            )),
        }
        .map_err(wrong)?;
        builder.finish(name).map_err(wrong)
    }

    /// How many objects there are; they are numbered from 1 on in the order of the file.
    pub fn objects(&self) -> u32 {
        self.objects
    }

    /// How many features of the file are no objects: they have no area, or only say where others lie.
    pub fn left_out(&self) -> usize {
        self.left_out
    }

    /// The boxes around annotations of the class `Region*`, which say where objects were drawn: left, top, right, bottom.
    pub fn areas(&self) -> &[[f64; 4]] {
        &self.areas
    }

    fn ring(&self, ring: u32) -> &[[f64; 2]] {
        let ring = ring as usize;
        let start = if ring == 0 { 0 } else { self.rings[ring - 1] as usize };
        &self.points[start..self.rings[ring] as usize]
    }

    /// The labels over an image, each pixel that of the last object in which its centre lies.
    pub fn over(self, info: &onceflow_region::ImageInfo, working: &crate::Working) -> Arc<OutlineSource> {
        Arc::new(OutlineSource::new(self, info, working))
    }
}

/// What is wrong with a file.
#[derive(Debug, Clone, PartialEq)]
struct OutlineProblem {
    expected: String,
    found: String,
    todo: &'static str,
}

impl OutlineProblem {
    fn new(expected: impl Into<String>, found: impl Into<String>, todo: &'static str) -> OutlineProblem {
        OutlineProblem { expected: expected.into(), found: found.into(), todo }
    }
}

enum OutlineForm {
    Json,
    Xml,
}

impl OutlineForm {
    fn of(first: &[u8]) -> Option<OutlineForm> {
        match without_mark(first).iter().find(|byte| !byte.is_ascii_whitespace()) {
            Some(b'{' | b'[') => Some(OutlineForm::Json),
            Some(b'<') => Some(OutlineForm::Xml),
            _ => None,
        }
    }
}

/// The bytes after a byte order mark.
fn without_mark(bytes: &[u8]) -> &[u8] {
    bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes)
}

#[cfg(test)]
mod tests;
