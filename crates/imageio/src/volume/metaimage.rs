//! The head of MetaImage files: lines of names and values, then the values, or the name of the file that has them.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use onceflow_region::{ByteOrder, Element, SourceError, VolumeGeometry};

use super::header::{TODO, VolumeHeader, VolumePacking, bounds};
use super::write::WrittenVolume;
use crate::origin::ByteOrigin;

/// The longest head.
pub(super) const HEAD: usize = 1 << 16;

/// Whether these bytes begin a MetaImage file.
pub(super) fn is_metaimage(first: &[u8]) -> bool {
    first.starts_with(b"ObjectType") || first.starts_with(b"NDims")
}

/// The head, and the name of the file with the values when it is another.
pub(super) struct MetaImageHead {
    pub(super) header: VolumeHeader,
    pub(super) file: Option<String>,
}

/// Reads the head; it is not yet known whether there are enough values.
pub(super) fn header(origin: &ByteOrigin, head: &[u8]) -> Result<MetaImageHead, SourceError> {
    let words = MetaImageWords::of(origin, head)?;
    words.check()?;
    let axes = words.number("NDims")?.unwrap_or(0.0) as usize;
    let sides = words.numbers("DimSize")?;
    if !(2..=4).contains(&axes) || sides.len() != axes {
        let found = format!("{axes} with sides of {sides:?}");
        return Err(origin.content("a volume with 2 to 4 axes", found, TODO));
    }
    let side = |axis: usize| sides.get(axis).map_or(1, |&side| if side >= 0.0 { side as u64 } else { 0 });
    let local = words.get("ElementDataFile") == Some("LOCAL");
    let skipped = words.number("HeaderSize")?.unwrap_or(0.0);
    let at = if local { words.end as u64 } else { skipped.max(0.0) as u64 };
    let packed = words.is("CompressedData");
    let header = VolumeHeader {
        format: if local { "mha" } else { "mhd" },
        bounds: bounds(origin, std::array::from_fn(side))?,
        stored: element(origin, words.get("ElementType").unwrap_or("nothing"))?,
        order: if words.is("BinaryDataByteOrderMSB") || words.is("ElementByteOrderMSB") {
            ByteOrder::Big
        } else {
            ByteOrder::Little
        },
        packing: if packed { VolumePacking::Zlib { at } } else { VolumePacking::None },
        start: if packed { 0 } else { at },
        scaling: None,
        geometry: words.geometry(axes)?,
    };
    let file = if local { None } else { Some(words.data_file()?) };
    Ok(MetaImageHead { header, file })
}

struct MetaImageWords<'a> {
    origin: &'a ByteOrigin,
    words: BTreeMap<&'a str, &'a str>,
    /// Where the values begin that follow the head.
    end: usize,
}

impl<'a> MetaImageWords<'a> {
    fn of(origin: &'a ByteOrigin, head: &'a [u8]) -> Result<MetaImageWords<'a>, SourceError> {
        let mut words = MetaImageWords { origin, words: BTreeMap::new(), end: 0 };
        for line in head.split_inclusive(|&byte| byte == b'\n') {
            words.end += line.len();
            let text = std::str::from_utf8(line).ok().and_then(|line| line.split_once('='));
            let Some((name, value)) = text else { break };
            words.words.insert(name.trim(), value.trim());
            // What follows are values.
            if name.trim() == "ElementDataFile" && line.ends_with(b"\n") {
                return Ok(words);
            }
        }
        let found = format!("none in the first {} bytes", words.end);
        Err(origin.content("a line ElementDataFile in the head of a MetaImage", found, TODO))
    }

    fn get(&self, name: &str) -> Option<&'a str> {
        self.words.get(name).copied()
    }

    fn is(&self, name: &str) -> bool {
        self.get(name).is_some_and(|value| value.eq_ignore_ascii_case("true") || value == "1")
    }

    /// The number under a name; `None` when the head does not say it. What is no number is an error, never a default: a wrong
    /// place of the values or a wrong spacing would look like a good file.
    fn number(&self, name: &str) -> Result<Option<f64>, SourceError> {
        match self.numbers(name)?[..] {
            [] => Ok(None),
            [number] => Ok(Some(number)),
            _ => Err(self.no_number(name)),
        }
    }

    /// The numbers under a name; none when the head does not say them.
    fn numbers(&self, name: &str) -> Result<Vec<f64>, SourceError> {
        let words = self.get(name).unwrap_or_default().split_whitespace();
        words.map(|word| word.parse().map_err(|_| self.no_number(name))).collect()
    }

    fn no_number(&self, name: &str) -> SourceError {
        let found = format!("`{}`", self.get(name).unwrap_or_default());
        self.origin.content(&format!("numbers as {name} in the head of a MetaImage"), found, TODO)
    }

    fn check(&self) -> Result<(), SourceError> {
        let refuse =
            |expected: &str, found: &str| Err(self.origin.content(expected, found, "convert it first"));
        if self.get("ObjectType").is_some_and(|kind| kind != "Image") {
            return refuse("a MetaImage of type Image", self.get("ObjectType").unwrap_or_default());
        }
        if self.get("BinaryData").is_some() && !self.is("BinaryData") {
            return refuse("binary values", "values as text");
        }
        match self.number("ElementNumberOfChannels")? {
            Some(channels) if channels != 1.0 => refuse("one value per place", &channels.to_string()),
            _ => Ok(()),
        }
    }

    /// Three axes of what there is; a plane lies at depth 0, and time has no place.
    fn geometry(&self, axes: usize) -> Result<VolumeGeometry, SourceError> {
        let mut geometry = VolumeGeometry::default();
        let first = |names: [&str; 3]| -> Result<Vec<f64>, SourceError> {
            let said = names.into_iter().find(|name| self.get(name).is_some_and(|text| !text.is_empty()));
            let Some(name) = said else { return Ok(Vec::new()) };
            let numbers = self.numbers(name)?;
            if numbers.iter().all(|number| number.is_finite()) {
                Ok(numbers)
            } else {
                Err(self.no_number(name))
            }
        };
        let spacing = first(["ElementSpacing", "ElementSize", "Spacing"])?;
        if spacing.iter().any(|number| *number <= 0.0) {
            return Err(self.origin.content(
                "distances above 0 between places",
                format!("{spacing:?}"),
                TODO,
            ));
        }
        geometry.spacing = std::array::from_fn(|axis| spacing.get(axis).copied().unwrap_or(1.0));
        let offset = first(["Offset", "Position", "Origin"])?;
        geometry.origin = std::array::from_fn(|axis| offset.get(axis).copied().unwrap_or(0.0));
        let matrix = first(["TransformMatrix", "Rotation", "Orientation"])?;
        if !matrix.is_empty() && matrix.len() != axes * axes {
            let expected = format!("{} numbers for the directions of {axes} axes", axes * axes);
            return Err(self.origin.content(&expected, matrix.len().to_string(), TODO));
        }
        if !matrix.is_empty() {
            for axis in 0..axes.min(3) {
                for part in 0..axes.min(3) {
                    geometry.directions[axis][part] = matrix[axis * axes + part];
                }
            }
        }
        Ok(geometry)
    }

    /// A file beside the header; paths to other folders are not trusted.
    fn data_file(&self) -> Result<String, SourceError> {
        let name = self.get("ElementDataFile").unwrap_or_default();
        let list = name.is_empty() || name.starts_with("LIST") || name.contains('%');
        let elsewhere = name.contains(['/', '\\']) || name == "..";
        if list || elsewhere {
            let expected = "LOCAL, or the name of a file beside it, as ElementDataFile";
            return Err(self.origin.content(expected, name, "convert it to .mha"));
        }
        if self.number("HeaderSize")?.is_some_and(|size| size < 0.0) {
            let expected = "a HeaderSize from 0 on";
            return Err(self.origin.content(expected, "a negative one", "convert it to .mha"));
        }
        Ok(name.to_owned())
    }
}

const ELEMENTS: [(&str, Element); 12] = [
    ("MET_UCHAR", Element::U8),
    ("MET_CHAR", Element::I8),
    ("MET_USHORT", Element::U16),
    ("MET_SHORT", Element::I16),
    ("MET_UINT", Element::U32),
    ("MET_INT", Element::I32),
    ("MET_ULONG_LONG", Element::U64),
    ("MET_LONG_LONG", Element::I64),
    ("MET_FLOAT", Element::F32),
    ("MET_DOUBLE", Element::F64),
    // These have 4 bytes in MetaImage files on every machine.
    ("MET_ULONG", Element::U32),
    ("MET_LONG", Element::I32),
];

fn element(origin: &ByteOrigin, name: &str) -> Result<Element, SourceError> {
    let found = ELEMENTS.iter().find(|(word, _)| *word == name).map(|(_, element)| *element);
    found.ok_or_else(|| {
        origin.content("an ElementType from MET_UCHAR to MET_DOUBLE", name, "convert it first")
    })
}

/// The head of a volume whose values follow; `packed` says how many bytes they have when they are packed.
pub(super) fn head(volume: &WrittenVolume, packed: Option<usize>) -> String {
    let size = volume.size;
    let axes = if size[3] > 1 { 4 } else { 3 };
    let VolumeGeometry { spacing, origin, directions } = volume.geometry;
    let pad = |numbers: [f64; 3], last: f64| list(&[&numbers[..], &[last]].concat()[..axes]);
    let matrix: Vec<f64> = (0..axes * axes)
        .map(|at| match (at / axes, at % axes) {
            (axis @ 0..3, part @ 0..3) => directions[axis][part],
            (axis, part) => f64::from(u8::from(axis == part)),
        })
        .collect();
    let element = ELEMENTS.iter().find(|(_, element)| *element == volume.element);
    let channels = match volume.components {
        1 => String::new(),
        several => format!("ElementNumberOfChannels = {several}\n"),
    };
    let mut text =
        format!("ObjectType = Image\nNDims = {axes}\nBinaryData = True\nBinaryDataByteOrderMSB = False\n");
    // Writing to a text cannot fail.
    let _ = match packed {
        Some(bytes) => write!(text, "CompressedData = True\nCompressedDataSize = {bytes}\n"),
        None => writeln!(text, "CompressedData = False"),
    };
    let _ = write!(
        text,
        "TransformMatrix = {}\nOffset = {}\nElementSpacing = {}\nDimSize = {}\n{channels}ElementType = {}\nElementDataFile = LOCAL\n",
        list(&matrix),
        pad(origin, 0.0),
        pad(spacing, 1.0),
        size[..axes].iter().map(u64::to_string).collect::<Vec<_>>().join(" "),
        element.map_or("MET_UCHAR", |(name, _)| name),
    );
    text
}

fn list(numbers: &[f64]) -> String {
    numbers.iter().map(f64::to_string).collect::<Vec<_>>().join(" ")
}
