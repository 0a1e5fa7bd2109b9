//! Regions as files that a program reads and writes: uncompressed TIFF for pixels, CSV for tables.

mod pixels;
mod table;
mod tiff;

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use onceflow_region::{Bounds, Dense, Element, Region, Source, rgb8};
use onceflow_study::RegionKind;

use pixels::checked;
use tiff::{StripLayout, write_head, write_pixels};

/// Rows of a whole image that are read at once.
const ROWS: u64 = 512;

/// The most bytes of a table that a program makes.
const MOST_TABLE: u64 = 256 << 20;

/// The extension of a region's file.
pub(crate) fn extension(kind: RegionKind) -> &'static str {
    if kind == RegionKind::Table { "csv" } else { "tif" }
}

/// Writes a region into a file.
///
/// # Errors
/// When it cannot be written, or is not of the kind.
pub(crate) fn write(path: &Path, region: &Region, kind: RegionKind) -> io::Result<()> {
    let mut file = BufWriter::new(File::create_new(path)?);
    match region {
        Region::Dense(dense) => write_dense(&mut file, dense)?,
        Region::Table(found) => table::write(&mut file, found)?,
        Region::Image(source) => write_source(&mut file, source.as_ref(), kind)?,
        other => return Err(io::Error::other(format!("expected a {kind}, found {:?}", other.kind()))),
    }
    file.flush()
}

/// Reads a region that a program made, of a kind and on a part of so many columns and rows.
///
/// # Errors
/// In words: what was expected and what was found.
pub(crate) fn read(path: &Path, kind: RegionKind, size: (u64, u64)) -> Result<Region, String> {
    let expected = format!("a {kind}");
    // A link could lead out of the folder.
    match path.symlink_metadata() {
        Ok(data) if data.is_file() && data.len() == 0 => {
            return Err(format!("expected {expected}, found an empty file"));
        }
        Ok(data) if data.is_file() && kind == RegionKind::Table && data.len() > MOST_TABLE => {
            return Err(format!("expected a table of at most {MOST_TABLE} bytes, found {}", data.len()));
        }
        Ok(data) if data.is_file() => {}
        Ok(_) => {
            return Err(format!("expected {expected} as a plain file, found something else of that name"));
        }
        Err(_) => return Err(format!("expected {expected}, found no file of that name")),
    }
    if kind == RegionKind::Table {
        return table::read(path).map(Region::Table);
    }
    checked(path, kind, size).map(Region::Dense)
}

/// The type of the pixels of a kind, and values per pixel; none for kinds without pixels.
pub(crate) fn element(kind: RegionKind) -> Option<(Element, usize)> {
    pixels::elements(kind).first().map(|element| (*element, pixels::channels(kind)))
}

/// The values of an image, one after another.
pub(crate) fn write_plain(to: &mut impl Write, dense: &Dense) -> io::Result<()> {
    write_pixels(to, dense.pixels())
}

fn write_dense(to: &mut impl Write, dense: &Dense) -> io::Result<()> {
    let (width, height) = (dense.width() as u64, dense.height() as u64);
    write_head(
        to,
        StripLayout { width, height, channels: dense.channels() as u32, element: dense.element() },
    )?;
    write_pixels(to, dense.pixels())
}

/// A whole image, which is never in memory at once.
fn write_source(to: &mut impl Write, source: &dyn Source, kind: RegionKind) -> io::Result<()> {
    let (width, height) = (source.info().width, source.info().height);
    let mut begun = false;
    for top in (0..height).step_by(ROWS as usize) {
        let strip = i64::try_from(top).ok().and_then(|y| Bounds::plane(0, y, width, ROWS.min(height - top)));
        let strip = strip.ok_or_else(|| io::Error::other("the image is larger than 2^63 pixels"))?;
        let mut dense = source.read(strip).map_err(io::Error::other)?;
        if kind == RegionKind::Rgb8 {
            dense = rgb8(&dense).map_err(io::Error::other)?;
        }
        if !begun {
            begun = true;
            write_head(
                to,
                StripLayout { width, height, channels: dense.channels() as u32, element: dense.element() },
            )?;
        }
        write_pixels(to, dense.pixels())?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use onceflow_region::{Column, Pixels, Table};
    use proptest::prelude::*;

    use super::*;

    fn back(region: &Region, kind: RegionKind, size: (u64, u64)) -> Result<Region, String> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("region");
        write(&path, region, kind).unwrap();
        read(&path, kind, size)
    }

    #[test]
    fn every_kind_comes_back() {
        use RegionKind::{F32, F64, I32, Labels, Mask, Rgb8, U8, U16};
        let cases = [
            (Mask, 1, Pixels::U8(vec![0, 255, 0, 255, 255, 0])),
            (U8, 1, Pixels::U8(vec![0, 1, 2, 3, 4, 255])),
            (Rgb8, 3, Pixels::U8((0..18).collect())),
            (U16, 1, Pixels::U16(vec![0, 1, 2, 3, 4, 65535])),
            (I32, 1, Pixels::I32(vec![i32::MIN, -1, 0, 1, 2, i32::MAX])),
            (Labels, 1, Pixels::U32(vec![0, 1, 70_000, u32::MAX, 4, 5])),
            (F32, 1, Pixels::F32(vec![0.1, -0.0, f32::MAX, f32::INFINITY, 4.0, 5.0])),
            (F64, 1, Pixels::F64(vec![0.1, -0.0, f64::MAX, 1e-300, 4.0, 5.0])),
        ];
        for (kind, channels, pixels) in cases {
            let region = Region::Dense(Dense::new(3, 2, channels, pixels).unwrap());
            assert_eq!(back(&region, kind, (3, 2)).map(|found| found.is_same(&region)), Ok(true), "{kind}");
            let found = back(&region, kind, (2, 3)).unwrap_err();
            assert!(found.contains("expected 2 x 3 pixels, found 3 x 2"), "{found}");
        }
    }

    #[test]
    fn a_table_comes_back() {
        let table = Table::new(vec![
            ("a, b".into(), Column::Integer(vec![1, -2])),
            ("real".into(), Column::Real(vec![0.1, 1e300])),
            ("word".into(), Column::Text(vec!["x\"y".into(), "ü, z".into()])),
        ]);
        let region = Region::Table(table.unwrap());
        assert_eq!(back(&region, RegionKind::Table, (0, 0)).map(|found| found.is_same(&region)), Ok(true));
    }

    #[test]
    fn garbage_is_told() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("made.tif");
        let read = || read(&path, RegionKind::Mask, (3, 2)).unwrap_err();
        assert_eq!(read(), "expected a mask, found no file of that name");
        std::fs::write(&path, b"").unwrap();
        assert_eq!(read(), "expected a mask, found an empty file");
        std::fs::write(&path, b"hello").unwrap();
        assert!(read().starts_with("expected a mask"), "{}", read());
        std::fs::remove_file(&path).unwrap();
        std::fs::create_dir(&path).unwrap();
        assert_eq!(read(), "expected a mask as a plain file, found something else of that name");
    }

    proptest! {
        #[test]
        fn no_file_is_too_strange(bytes in proptest::collection::vec(any::<u8>(), 1..400), head in any::<bool>()) {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("made");
            let mut whole = Vec::new();
            if head {
                let shape = StripLayout { width: 3, height: 2, channels: 1, element: onceflow_region::Element::U8 };
                write_head(&mut whole, shape).unwrap();
                let at = bytes[0] as usize % whole.len();
                whole[at] ^= bytes[bytes.len() / 2];
            }
            whole.extend(bytes);
            std::fs::write(&path, whole).unwrap();
            for kind in RegionKind::ALL.into_iter().filter(|kind| kind.has_file()) {
                let _ = read(&path, kind, (3, 2));
            }
        }
    }
}
