//! Directories of a TIFF file as bytes: one for each scale, with offsets of 32 bits or, in BigTIFF, of 64.

use onceflow_region::Element;

use super::encode::{TilePredictor, subsampling};
use super::resolution::per_centimetre;
use super::{TiffCompression, TiffForm};
use crate::pyramid::Pyramid;

/// How wide offsets are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Offsets {
    /// 32 bits: every reader knows it.
    Narrow,
    /// 64 bits: BigTIFF.
    Wide,
}

impl Offsets {
    fn bytes(self) -> usize {
        if self == Offsets::Narrow { 4 } else { 8 }
    }

    fn number(self, number: u64) -> Vec<u8> {
        number.to_le_bytes()[..self.bytes()].to_vec()
    }
}

/// The entries of one directory.
pub(super) struct DirectoryWriter(Vec<TagEntry>);

struct TagEntry {
    tag: u16,
    values: TagValues,
}

enum TagValues {
    Text(String),
    Short(Vec<u16>),
    Long(Vec<u32>),
    Fractions(Vec<[u32; 2]>),
    /// Numbers as wide as offsets are.
    Places(Vec<u64>),
}

impl DirectoryWriter {
    pub(super) fn new(
        pyramid: &Pyramid,
        scale: usize,
        form: TiffForm,
        places: &[(u64, u64)],
    ) -> DirectoryWriter {
        let [width, height] = pyramid.scales[scale].map(|side| side as u32);
        let samples = pyramid.channels;
        let same = |number: u16| TagValues::Short(vec![number; samples]);
        let (unit, resolution) = match pyramid.um_per_pixel_at(scale).and_then(per_centimetre) {
            Some(resolution) => (3, resolution),
            // The size of pixels is unknown: 1 without a unit.
            None => (1, [1, 1]),
        };
        let tile = TagValues::Long(vec![form.tile as u32]);
        let mut entries = vec![
            (NEW_SUBFILE, TagValues::Long(vec![u32::from(scale > 0)])),
            (WIDTH, TagValues::Long(vec![width])),
            (HEIGHT, TagValues::Long(vec![height])),
            (BITS, same(pyramid.element.bytes() as u16 * 8)),
            (COMPRESSION, TagValues::Short(vec![compression(form.compression)])),
            (PHOTOMETRIC, TagValues::Short(vec![photometric(samples, form.compression)])),
            (SAMPLES, TagValues::Short(vec![samples as u16])),
            (ACROSS, TagValues::Fractions(vec![resolution])),
            (DOWN, TagValues::Fractions(vec![resolution])),
            (PLANES, TagValues::Short(vec![1])),
            (UNIT, TagValues::Short(vec![unit])),
            (SOFTWARE, TagValues::Text(concat!("onceflow ", env!("CARGO_PKG_VERSION")).to_owned())),
            (TILE_WIDTH, tile),
            (TILE_HEIGHT, TagValues::Long(vec![form.tile as u32])),
            (TILE_OFFSETS, TagValues::Places(places.iter().map(|place| place.0).collect())),
            (TILE_LENGTHS, TagValues::Places(places.iter().map(|place| place.1).collect())),
            (FORMAT, same(sample_format(pyramid.element))),
        ];
        entries.extend(of_compression(samples, pyramid.element, form.compression));
        entries.sort_by_key(|entry| entry.0);
        DirectoryWriter(entries.into_iter().map(|(tag, values)| TagEntry { tag, values }).collect())
    }

    /// Bytes of the entries and the number of entries, without what is stored elsewhere.
    fn length(&self, offsets: Offsets) -> usize {
        match offsets {
            Offsets::Narrow => 2 + self.0.len() * 12 + 4,
            Offsets::Wide => 8 + self.0.len() * 20 + 8,
        }
    }
}

/// What only some compressions have.
fn of_compression(samples: usize, element: Element, compression: TiffCompression) -> Vec<(u16, TagValues)> {
    match compression {
        TiffCompression::None => Vec::new(),
        TiffCompression::Deflate => {
            vec![(PREDICTOR, TagValues::Short(vec![TilePredictor::of(element) as u16]))]
        }
        TiffCompression::Jpeg(_) if samples == 1 => Vec::new(),
        TiffCompression::Jpeg(quality) => {
            let range = [[0, 1], [255, 1], [128, 1], [255, 1], [128, 1], [255, 1]];
            vec![
                (SUBSAMPLING, TagValues::Short(vec![subsampling(quality); 2])),
                (POSITIONING, TagValues::Short(vec![1])),
                (RANGE, TagValues::Fractions(range.to_vec())),
            ]
        }
    }
}

/// The header of a file whose first directory is at a place.
pub(super) fn header(offsets: Offsets, first: u64) -> Vec<u8> {
    match offsets {
        Offsets::Narrow => [b"II\x2a\0".to_vec(), offsets.number(first)].concat(),
        Offsets::Wide => [b"II\x2b\0\x08\0\0\0".to_vec(), offsets.number(first)].concat(),
    }
}

/// Where the first directory is, when directories come behind a place.
pub(super) fn first(offsets: Offsets, behind: u64) -> u64 {
    behind.next_multiple_of(offsets.bytes() as u64)
}

/// All directories, to be written behind a place of the file, each followed by its values.
pub(super) fn bytes(all: impl Iterator<Item = DirectoryWriter>, offsets: Offsets, behind: u64) -> Vec<u8> {
    let mut bytes = vec![0; (first(offsets, behind) - behind) as usize];
    let mut all = all.peekable();
    while let Some(directory) = all.next() {
        let start = bytes.len();
        let mut values_at = start + directory.length(offsets);
        let (mut entries, mut values) = (Vec::new(), Vec::new());
        for entry in &directory.0 {
            entries.extend(entry.bytes(offsets, behind, &mut values_at, &mut values));
        }
        match offsets {
            Offsets::Narrow => bytes.extend((directory.0.len() as u16).to_le_bytes()),
            Offsets::Wide => bytes.extend((directory.0.len() as u64).to_le_bytes()),
        }
        bytes.extend(entries);
        let next = if all.peek().is_some() { behind + values_at as u64 } else { 0 };
        bytes.extend(offsets.number(next));
        bytes.extend(values);
    }
    bytes
}

impl TagEntry {
    /// The entry; values that do not fit in it go behind the directory.
    fn bytes(&self, offsets: Offsets, behind: u64, values_at: &mut usize, values: &mut Vec<u8>) -> Vec<u8> {
        let (kind, count, mut field) = self.values.bytes(offsets);
        let mut entry = [self.tag.to_le_bytes(), kind.to_le_bytes()].concat();
        entry.extend(offsets.number(count as u64));
        if field.len() > offsets.bytes() {
            field.resize(field.len().next_multiple_of(8), 0);
            entry.extend(offsets.number(behind + *values_at as u64));
            *values_at += field.len();
            values.extend(field);
        } else {
            field.resize(offsets.bytes(), 0);
            entry.extend(field);
        }
        entry
    }
}

impl TagValues {
    /// The kind, the number of values, and their bytes.
    fn bytes(&self, offsets: Offsets) -> (u16, usize, Vec<u8>) {
        match self {
            TagValues::Text(text) => (2, text.len() + 1, [text.as_bytes(), &[0]].concat()),
            TagValues::Short(values) => {
                (3, values.len(), values.iter().flat_map(|v| v.to_le_bytes()).collect())
            }
            TagValues::Long(values) => {
                (4, values.len(), values.iter().flat_map(|v| v.to_le_bytes()).collect())
            }
            TagValues::Fractions(values) => {
                (5, values.len(), values.iter().flatten().flat_map(|v| v.to_le_bytes()).collect())
            }
            TagValues::Places(values) => {
                let kind = if offsets == Offsets::Narrow { 4 } else { 16 };
                (kind, values.len(), values.iter().flat_map(|v| offsets.number(*v)).collect())
            }
        }
    }
}

fn compression(compression: TiffCompression) -> u16 {
    match compression {
        TiffCompression::None => 1,
        TiffCompression::Deflate => 8,
        TiffCompression::Jpeg(_) => 7,
    }
}

fn photometric(samples: usize, compression: TiffCompression) -> u16 {
    match (samples, compression) {
        (1, _) => 1,
        (_, TiffCompression::Jpeg(_)) => 6,
        _ => 2,
    }
}

fn sample_format(element: Element) -> u16 {
    match element {
        Element::U8 | Element::U16 | Element::U32 | Element::U64 => 1,
        Element::I8 | Element::I16 | Element::I32 | Element::I64 => 2,
        Element::F32 | Element::F64 => 3,
    }
}

const NEW_SUBFILE: u16 = 254;
const WIDTH: u16 = 256;
const HEIGHT: u16 = 257;
const BITS: u16 = 258;
const COMPRESSION: u16 = 259;
const PHOTOMETRIC: u16 = 262;
const SAMPLES: u16 = 277;
const ACROSS: u16 = 282;
const DOWN: u16 = 283;
const PLANES: u16 = 284;
const UNIT: u16 = 296;
const SOFTWARE: u16 = 305;
const PREDICTOR: u16 = 317;
const TILE_WIDTH: u16 = 322;
const TILE_HEIGHT: u16 = 323;
const TILE_OFFSETS: u16 = 324;
const TILE_LENGTHS: u16 = 325;
const FORMAT: u16 = 339;
const SUBSAMPLING: u16 = 530;
const POSITIONING: u16 = 531;
const RANGE: u16 = 532;
