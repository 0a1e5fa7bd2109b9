//! How a Zarr v3 array lies in its files, as its metadata say it; sizes are checked before they are used.

use onceflow_region::{ByteOrder, Element, size_words};
use serde_json::Value;

use super::codec::Codecs;
use super::json::{self, BadMetadata};

/// A Zarr array whose sizes and codecs are such that we read it.
#[derive(Debug, Clone, PartialEq)]
pub struct ArrayLayout {
    /// Places along each axis.
    pub shape: Vec<u64>,
    /// The type of the values.
    pub element: Element,
    /// Places along each axis of what one file holds.
    pub(super) file: Vec<u64>,
    /// Places along each axis of what is decoded at once: the file, or a chunk of it.
    pub(super) cell: Vec<u64>,
    /// How the values of a cell became bytes.
    pub codecs: Codecs,
    /// How a file of several cells says where they are; `None` when a file is one cell.
    pub(super) index: Option<ShardIndexForm>,
    /// The value of what was not written, lowest byte first.
    pub(super) fill: [u8; 8],
    /// How files are named.
    pub(super) keys: ChunkKeys,
    /// Whether a file that is not there was lost, rather than never written.
    pub(super) complete: bool,
    /// What the axes are called.
    pub names: Vec<Option<String>>,
}

/// How a shard says where its chunks are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ShardIndexForm {
    /// Whether it stands at the end of the file rather than at its beginning.
    pub(super) at_end: bool,
    /// Whether a checksum follows it.
    pub(super) checked: bool,
    /// Whether its numbers have their lowest byte first.
    pub(super) little: bool,
}

/// How the files of an array are named.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ChunkKeys {
    /// Whether names begin with `c`.
    pub(super) prefixed: bool,
    /// What stands between numbers.
    pub(super) separator: char,
}

/// The most axes.
const MOST_AXES: usize = 8;

/// The most bytes that are decoded at once.
const CELL_LIMIT: u64 = 256 << 20;

/// The most chunks of a shard.
const MOST_CHUNKS: u64 = 1 << 20;

/// The longest axis.
const LONGEST: u64 = 1 << 48;

/// The attribute by which we say that every file of an array was written.
pub(super) const COMPLETE: &str = "onceflow_every_chunk_is_written";

impl ArrayLayout {
    /// Reads the metadata of an array.
    ///
    /// # Errors
    /// When they are not those of an array that we read.
    pub fn parse(metadata: &Value) -> Result<ArrayLayout, BadMetadata> {
        check_format(metadata)?;
        let shape = json::numbers(metadata, "shape", None)?;
        check_axes(&shape)?;
        let rank = shape.len();
        let element = element(json::text(metadata, "data_type")?)?;
        let file = chunk_shape(metadata, rank)?;
        let codecs = json::list(metadata, "codecs")?;
        let (cell, codecs, index) = match codecs {
            [only] if codec_name(only) == Some("sharding_indexed") => sharded(only, rank)?,
            codecs => (file.clone(), Codecs::parse(codecs, rank)?, None),
        };
        check_cells(&file, &cell, element)?;
        let complete = metadata.get("attributes").and_then(|attributes| attributes.get(COMPLETE));
        Ok(ArrayLayout {
            file,
            cell,
            codecs,
            index,
            element,
            fill: fill(metadata.get("fill_value"), element)?,
            keys: keys(metadata)?,
            complete: complete == Some(&Value::Bool(true)),
            names: names(metadata, rank),
            shape,
        })
    }

    /// Bytes of the values of a cell.
    pub(super) fn cell_bytes(&self) -> usize {
        // Checked when the metadata was read.
        (self.cell.iter().product::<u64>() * self.element.bytes()) as usize
    }

    /// The value of what was not written, as it would stand in a file.
    pub(super) fn fill_bytes(&self) -> Vec<u8> {
        let mut value = self.fill[..self.element.bytes() as usize].to_vec();
        if self.codecs.order == ByteOrder::Big {
            value.reverse();
        }
        value
    }

    /// How many cells a file has along each axis.
    pub(super) fn cells_per_file(&self) -> Vec<u64> {
        self.file.iter().zip(&self.cell).map(|(file, cell)| file / cell).collect()
    }

    /// The name of a file by its place in the grid of files.
    pub(super) fn key(&self, place: &[u64]) -> String {
        let numbers: Vec<String> = place.iter().map(u64::to_string).collect();
        let separator = self.keys.separator.to_string();
        let joined = numbers.join(&separator);
        if self.keys.prefixed { format!("c{separator}{joined}") } else { joined }
    }
}

/// The name of a codec or another extension: a text, or the name of an object.
pub(super) fn codec_name(value: &Value) -> Option<&str> {
    value.as_str().or_else(|| value.get("name")?.as_str())
}

fn check_format(metadata: &Value) -> Result<(), BadMetadata> {
    let format = metadata.get("zarr_format");
    if format.and_then(Value::as_u64) != Some(3) {
        return Err(json::wrong("zarr_format 3", format));
    }
    if json::text(metadata, "node_type")? != "array" {
        return Err(json::wrong("node_type \"array\"", metadata.get("node_type")));
    }
    match metadata.get("storage_transformers") {
        Some(Value::Array(list)) if !list.is_empty() => {
            Err(json::wrong("no storage_transformers", metadata.get("storage_transformers")))
        }
        _ => Ok(()),
    }
}

pub(super) fn check_axes(shape: &[u64]) -> Result<(), BadMetadata> {
    let expected = format!("1 to {MOST_AXES} axes of at most {LONGEST} places");
    match shape.len() {
        1..=MOST_AXES if shape.iter().all(|&side| side <= LONGEST) => Ok(()),
        _ => Err(BadMetadata::new(expected, format!("shape {shape:?}"))),
    }
}

fn chunk_shape(metadata: &Value, rank: usize) -> Result<Vec<u64>, BadMetadata> {
    let grid = metadata.get("chunk_grid").unwrap_or(&Value::Null);
    if codec_name(grid) != Some("regular") {
        return Err(json::wrong("the chunk_grid \"regular\"", metadata.get("chunk_grid")));
    }
    json::numbers(grid.get("configuration").unwrap_or(&Value::Null), "chunk_shape", Some(rank))
}

type Sharded = (Vec<u64>, Codecs, Option<ShardIndexForm>);

fn sharded(codec: &Value, rank: usize) -> Result<Sharded, BadMetadata> {
    let configuration = codec.get("configuration").unwrap_or(&Value::Null);
    let cell = json::numbers(configuration, "chunk_shape", Some(rank))?;
    let codecs = Codecs::parse(json::list(configuration, "codecs")?, rank)?;
    let at_end = match configuration.get("index_location").map(Value::as_str) {
        None | Some(Some("end")) => true,
        Some(Some("start")) => false,
        _ => return Err(json::wrong("index_location start or end", configuration.get("index_location"))),
    };
    let (little, checked) = Codecs::parse_index(json::list(configuration, "index_codecs")?)?;
    Ok((cell, codecs, Some(ShardIndexForm { at_end, checked, little })))
}

pub(super) fn check_cells(file: &[u64], cell: &[u64], element: Element) -> Result<(), BadMetadata> {
    let values = product(cell.iter().copied()).and_then(|values| values.checked_mul(element.bytes()));
    if !values.is_some_and(|bytes| (1..=CELL_LIMIT).contains(&bytes)) {
        let expected = format!("chunks of 1 byte to {}", size_words(CELL_LIMIT));
        return Err(BadMetadata::new(expected, format!("chunks of {cell:?} values of {element}")));
    }
    let mut sides = file.iter().zip(cell);
    if !sides.all(|(file, cell)| *file > 0 && file.is_multiple_of(*cell)) {
        let expected = "shards that whole chunks fill";
        return Err(BadMetadata::new(expected, format!("shards of {file:?} with chunks of {cell:?}")));
    }
    let chunks = product(file.iter().zip(cell).map(|(file, cell)| file / cell));
    match chunks.is_some_and(|chunks| chunks <= MOST_CHUNKS) {
        true => Ok(()),
        false => {
            let found = format!("shards of {file:?} with chunks of {cell:?}");
            Err(BadMetadata::new(format!("at most {MOST_CHUNKS} chunks in a shard"), found))
        }
    }
}

fn product(mut sides: impl Iterator<Item = u64>) -> Option<u64> {
    sides.try_fold(1u64, |all, side| all.checked_mul(side))
}

fn keys(metadata: &Value) -> Result<ChunkKeys, BadMetadata> {
    let encoding = metadata.get("chunk_key_encoding").unwrap_or(&Value::Null);
    let (prefixed, usual) = match codec_name(encoding) {
        Some("default") => (true, '/'),
        Some("v2") => (false, '.'),
        _ => return Err(json::wrong("the chunk_key_encoding default or v2", Some(encoding))),
    };
    let separator = encoding.get("configuration").and_then(|configuration| configuration.get("separator"));
    let separator = match separator.map(Value::as_str) {
        None => usual,
        Some(Some("/")) => '/',
        Some(Some(".")) => '.',
        _ => return Err(json::wrong("the separator / or .", separator)),
    };
    Ok(ChunkKeys { prefixed, separator })
}

fn names(metadata: &Value, rank: usize) -> Vec<Option<String>> {
    let names = metadata.get("dimension_names").and_then(Value::as_array);
    let mut names: Vec<_> = names
        .map_or_else(Vec::new, |names| names.iter().map(|name| name.as_str().map(str::to_owned)).collect());
    names.resize(rank, None);
    names
}

/// The names that Zarr has for the types of values.
const ELEMENTS: [(&str, Element); 10] = [
    ("uint8", Element::U8),
    ("int8", Element::I8),
    ("uint16", Element::U16),
    ("int16", Element::I16),
    ("int32", Element::I32),
    ("uint32", Element::U32),
    ("int64", Element::I64),
    ("uint64", Element::U64),
    ("float32", Element::F32),
    ("float64", Element::F64),
];

/// What Zarr calls a type of values.
pub(super) fn element_name(element: Element) -> &'static str {
    ELEMENTS.iter().find(|(_, its)| *its == element).map_or("uint8", |(name, _)| name)
}

fn element(name: &str) -> Result<Element, BadMetadata> {
    let found = ELEMENTS.iter().find(|(its, _)| *its == name).map(|(_, element)| *element);
    found.ok_or_else(|| {
        BadMetadata::new(
            "whole numbers of 8 to 64 bits or real ones of 32 or 64",
            format!("data_type {name}"),
        )
    })
}

/// The value of what was not written. A real number may be a word, or its bits.
pub(super) fn fill(value: Option<&Value>, element: Element) -> Result<[u8; 8], BadMetadata> {
    let wrong = || json::wrong(&format!("a fill_value of {element}"), value);
    let value = value.ok_or_else(wrong)?;
    let number = match element {
        Element::F32 => real(value).map(|real| match real {
            Real::Value(real) => u64::from((real as f32).to_bits()),
            Real::Bits(bits) => bits,
        }),
        Element::F64 => real(value).map(|real| match real {
            Real::Value(real) => real.to_bits(),
            Real::Bits(bits) => bits,
        }),
        _ => integer(value).filter(|number| whole(element).contains(number)).map(|number| number as u64),
    };
    number.map(u64::to_le_bytes).ok_or_else(wrong)
}

fn integer(value: &Value) -> Option<i128> {
    value.as_u64().map(i128::from).or_else(|| value.as_i64().map(i128::from))
}

/// The numbers that a type of whole ones has.
fn whole(element: Element) -> std::ops::RangeInclusive<i128> {
    let bits = element.bytes() * 8;
    match element {
        Element::U8 | Element::U16 | Element::U32 | Element::U64 => 0..=(1 << bits) - 1,
        _ => -(1 << (bits - 1))..=(1 << (bits - 1)) - 1,
    }
}

enum Real {
    Value(f64),
    Bits(u64),
}

fn real(value: &Value) -> Option<Real> {
    let word = |word: &str| match word {
        "NaN" => Some(Real::Value(f64::NAN)),
        "Infinity" => Some(Real::Value(f64::INFINITY)),
        "-Infinity" => Some(Real::Value(f64::NEG_INFINITY)),
        _ => u64::from_str_radix(word.strip_prefix("0x")?, 16).ok().map(Real::Bits),
    };
    value.as_f64().map(Real::Value).or_else(|| word(value.as_str()?))
}
