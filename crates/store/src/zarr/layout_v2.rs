//! Arrays of Zarr v2, as OME-Zarr 0.4 has them.

use onceflow_region::{ByteOrder, Element};
use serde_json::Value;

use super::codec::{Codecs, packing_named};
use super::json::{self, BadMetadata};
use super::layout::{ArrayLayout, ChunkKeys, check_axes, check_cells, fill};

impl ArrayLayout {
    /// Reads the metadata of an array of Zarr v2.
    ///
    /// # Errors
    /// When they are not those of an array that we read.
    pub fn parse_v2(metadata: &Value) -> Result<ArrayLayout, BadMetadata> {
        parse(metadata)
    }
}

fn parse(metadata: &Value) -> Result<ArrayLayout, BadMetadata> {
    let format = metadata.get("zarr_format");
    if format.and_then(Value::as_u64) != Some(2) {
        return Err(json::wrong("zarr_format 2", format));
    }
    let shape = json::numbers(metadata, "shape", None)?;
    check_axes(&shape)?;
    let file = json::numbers(metadata, "chunks", Some(shape.len()))?;
    let (element, order) = element(json::text(metadata, "dtype")?)?;
    check_cells(&file, &file, element)?;
    let codecs = Codecs { axes: axes(metadata, shape.len())?, order, packings: packings(metadata)? };
    let fill = match metadata.get("fill_value") {
        Some(Value::Null) | None => [0; 8],
        value => fill(value, element)?,
    };
    let separator = match metadata.get("dimension_separator").map(Value::as_str) {
        None | Some(Some(".")) => '.',
        Some(Some("/")) => '/',
        _ => return Err(json::wrong("the dimension_separator / or .", metadata.get("dimension_separator"))),
    };
    let (keys, names) = (ChunkKeys { prefixed: false, separator }, vec![None; shape.len()]);
    Ok(ArrayLayout {
        cell: file.clone(),
        file,
        codecs,
        index: None,
        element,
        fill,
        keys,
        complete: false,
        names,
        shape,
    })
}

fn packings(metadata: &Value) -> Result<Vec<super::codec::ChunkPacking>, BadMetadata> {
    if metadata.get("filters").and_then(Value::as_array).is_some_and(|filters| !filters.is_empty()) {
        return Err(json::wrong("no filters", metadata.get("filters")));
    }
    match metadata.get("compressor") {
        None | Some(Value::Null) => Ok(Vec::new()),
        Some(compressor) => {
            let packing = compressor.get("id").and_then(Value::as_str).and_then(packing_named);
            Ok(vec![packing.ok_or_else(|| json::wrong("a compressor that we read", Some(compressor)))?])
        }
    }
}

/// The order of the axes: the last changes fastest, or the first.
fn axes(metadata: &Value, rank: usize) -> Result<Vec<usize>, BadMetadata> {
    match json::text(metadata, "order")? {
        "C" => Ok((0..rank).collect()),
        "F" => Ok((0..rank).rev().collect()),
        _ => Err(json::wrong("the order C or F", metadata.get("order"))),
    }
}

fn element(dtype: &str) -> Result<(Element, ByteOrder), BadMetadata> {
    let wrong = || {
        BadMetadata::new("whole numbers of 8 to 64 bits or real ones of 32 or 64", format!("dtype {dtype}"))
    };
    let order = if dtype.starts_with('>') { ByteOrder::Big } else { ByteOrder::Little };
    let element = match dtype.get(1..).unwrap_or_default() {
        "u1" => Element::U8,
        "i1" => Element::I8,
        "u2" => Element::U16,
        "i2" => Element::I16,
        "u4" => Element::U32,
        "i4" => Element::I32,
        "u8" => Element::U64,
        "i8" => Element::I64,
        "f4" => Element::F32,
        "f8" => Element::F64,
        _ => return Err(wrong()),
    };
    if dtype.starts_with(['<', '>', '|']) { Ok((element, order)) } else { Err(wrong()) }
}
