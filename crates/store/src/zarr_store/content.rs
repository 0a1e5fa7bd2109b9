//! The files of one region: written into a folder, and read again with everything checked.

use std::borrow::Cow;
use std::fs::{self, File};
use std::io::{self, IoSlice, Write as _};
use std::path::Path;

use onceflow_region::source::dense;
use onceflow_region::{Bounds, Dense, Digest, READ_LIMIT, Region, RegionKind, SourceError};
use serde_json::{Value, json};

use super::marker::{Marker, digest_of};
use super::pieces::{self, RegionPieces};
use super::{TODO, table};
use crate::zarr::ArrayLayout;
use crate::zarr::ZarrFolder;
use crate::zarr::json;
use crate::zarr::{ArrayForm, Compression};
use crate::zarr::{PlaneAxes, ZarrArray};

/// What Zarr calls the file that describes an array.
pub(super) const METADATA: &str = "zarr.json";

/// Files, with the digests of their bytes.
type FileDigests = Vec<(String, Digest)>;

/// Writes the pieces of a region but for the metadata of its folder, which it gives, with the digests of the files that have
/// no checksums of their own.
pub(super) fn write(
    folder: &Path,
    kind: RegionKind,
    pieces: &RegionPieces<'_>,
    compression: Compression,
) -> io::Result<(Value, FileDigests)> {
    let mut files = Vec::new();
    let mut metadata = json!({"zarr_format": 3, "node_type": "group", "attributes": {}});
    for (name, array) in &pieces.arrays {
        if pieces::is_array(kind) {
            metadata = write_array(folder, array, compression)?;
        } else {
            let within = folder.join(name);
            fs::create_dir(&within)?;
            let bytes = serde_json::to_vec(&write_array(&within, array, compression)?)?;
            fs::write(within.join(METADATA), &bytes)?;
            files.push((format!("{name}/{METADATA}"), digest_of(&bytes)));
        }
    }
    for (name, table) in &pieces.tables {
        let (name, bytes) = (format!("{name}.parquet"), table::write(table)?);
        fs::write(folder.join(&name), &bytes)?;
        files.push((name, digest_of(&bytes)));
    }
    Ok((metadata, files))
}

/// Writes the shards of an array; gives its metadata.
fn write_array(folder: &Path, array: &Dense, compression: Compression) -> io::Result<Value> {
    let form = ArrayForm::of_region(array, compression);
    for bounds in form.shards() {
        let corner = [bounds.y(), bounds.x()].map(|at| at.unsigned_abs() as usize);
        let mut file = File::create(folder.join(form.key(&bounds)))?;
        form.write(array, corner, &mut |pieces| write_all(&mut file, pieces))?;
    }
    Ok(form.metadata())
}

/// Writes bytes that do not lie together, without bringing them together.
fn write_all(file: &mut File, pieces: &[Cow<'_, [u8]>]) -> io::Result<()> {
    let mut slices: Vec<IoSlice<'_>> = pieces.iter().map(|piece| IoSlice::new(piece)).collect();
    let mut rest = &mut slices[..];
    while !rest.is_empty() {
        match file.write_vectored(rest) {
            Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
            Ok(written) => IoSlice::advance_slices(&mut rest, written),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// Reads a region.
pub(super) fn read(folder: &ZarrFolder, path: &str, marker: &Marker) -> Result<Region, SourceError> {
    let (arrays, tables) = pieces::names(marker.id.kind);
    let mut pieces = RegionPieces { header: marker.header.clone(), ..RegionPieces::default() };
    for name in arrays {
        let stored = Stored::open(folder, path, name, marker)?;
        pieces.arrays.push((name, Cow::Owned(stored.read(folder, None)?)));
    }
    for name in tables {
        pieces.tables.push((name, Cow::Owned(read_table(folder, path, name, marker)?)));
    }
    let broken = || SourceError::content(&folder.file_name(path), "the pieces of a region", "others", TODO);
    pieces::together(marker.id.kind, pieces).ok_or_else(broken)
}

/// Reads a box of a plane.
pub(super) fn read_part(
    folder: &ZarrFolder,
    path: &str,
    marker: &Marker,
    bounds: Bounds,
) -> Result<Dense, SourceError> {
    Stored::open(folder, path, "pixels", marker)?.read(folder, Some(bounds))
}

fn read_table(
    folder: &ZarrFolder,
    path: &str,
    name: &str,
    marker: &Marker,
) -> Result<onceflow_region::Table, SourceError> {
    let file = format!("{name}.parquet");
    let relative = format!("{path}/{file}");
    let bytes = checked(folder, &relative, &file, marker)?;
    let broken = |found: String| SourceError::content(&folder.file_name(&relative), "a table", found, TODO);
    table::read(bytes).map_err(broken)
}

/// All bytes of a file, when they are those that the marker knows.
fn checked(folder: &ZarrFolder, relative: &str, name: &str, marker: &Marker) -> Result<Vec<u8>, SourceError> {
    let wrong = |expected: &str, found: String| {
        SourceError::content(&folder.file_name(relative), expected, found, TODO)
    };
    let expected = marker.digest(name).ok_or_else(|| wrong("a digest in the marker", "none".into()))?;
    let bytes = folder.small(relative, READ_LIMIT)?;
    let bytes = bytes.ok_or_else(|| wrong("the file as it was written", "no file".into()))?;
    let found = digest_of(&bytes);
    match found == expected {
        true => Ok(bytes),
        false => Err(wrong(&format!("bytes with digest {expected}"), format!("{found}"))),
    }
}

/// An array of the store.
struct Stored {
    array: ZarrArray,
    name: String,
}

impl Stored {
    fn open(folder: &ZarrFolder, path: &str, name: &str, marker: &Marker) -> Result<Stored, SourceError> {
        let path = if pieces::is_array(marker.id.kind) { path.to_owned() } else { format!("{path}/{name}") };
        let relative = format!("{path}/{METADATA}");
        let file = folder.file_name(&relative);
        let layout = match pieces::is_array(marker.id.kind) {
            true => ArrayLayout::parse(&marker.metadata),
            false => {
                let bytes = checked(folder, &relative, &format!("{name}/{METADATA}"), marker)?;
                json::parse(&bytes).and_then(|metadata| ArrayLayout::parse(&metadata))
            }
        };
        let layout = layout.map_err(|wrong| wrong.in_file(&file))?;
        if layout.shape.len() != 3 {
            return Err(SourceError::content(
                &file,
                "channels, rows and columns",
                format!("shape {:?}", layout.shape),
                TODO,
            ));
        }
        let plane = PlaneAxes { channels: Some(0), rows: 1, columns: 2 };
        Ok(Stored { array: ZarrArray::new(&path, layout, plane), name: folder.file_name(&path) })
    }

    /// The pixels of a box, or of all.
    fn read(&self, folder: &ZarrFolder, bounds: Option<Bounds>) -> Result<Dense, SourceError> {
        let [channels, height, width] = self.array.size;
        let whole = Bounds::plane(0, 0, width, height).ok_or_else(|| self.too_large())?;
        let bounds = bounds.unwrap_or(whole);
        let outside =
            || SourceError::Outside { file: self.name.clone(), width, height, bounds: Box::new(bounds) };
        let inside = Some(bounds).filter(|bounds| whole.contains(bounds));
        let [x, y, wide, high] = inside.as_ref().and_then(Bounds::indices).ok_or_else(outside)?;
        let range = |start: usize, length: usize| start as u64..(start + length) as u64;
        let pixels = self.array.read(folder, range(y, high), range(x, wide), 1)?;
        dense(&self.name, [wide, high], channels as usize, pixels)
    }

    fn too_large(&self) -> SourceError {
        let found = format!("shape {:?}", self.array.layout().shape);
        SourceError::content(&self.name, "sides that a box can have", found, TODO)
    }
}
