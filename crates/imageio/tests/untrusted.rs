//! Files that are cut off, corrupt, absurd or something else: always an error that helps, never a panic.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stderr)]

mod support;

use std::io::Cursor;

use onceflow_imageio::{open, open_bytes};
use onceflow_region::{Source, SourceError};
use png::{BitDepth, ColorType};
use tiff::encoder::{Compression, DeflateLevel, Predictor, TiffEncoder, colortype};

use support::{Noise, TiffForm, boxed, interlaced_png, png, png_file, png_with, stored, texture};

fn lzw_tiff(compression: Compression) -> Vec<u8> {
    let mut file = Cursor::new(Vec::new());
    let encoder = TiffEncoder::new(&mut file).unwrap();
    let mut encoder = encoder.with_compression(compression).with_predictor(Predictor::Horizontal);
    let mut image = encoder.new_image::<colortype::RGB8>(13, 11).unwrap();
    image.rows_per_strip(3).unwrap();
    image.write_data(&texture(13 * 11 * 3)).unwrap();
    file.into_inner()
}

/// Small files of every form.
fn files() -> Vec<Vec<u8>> {
    let tiles = TiffForm { tile: Some((16, 16)), ..TiffForm::new(21, 18, 3, 1) };
    let values: Vec<u16> = texture(21 * 18 * 3).into_iter().map(u16::from).collect();
    let big = TiffForm { big_tiff: true, big_endian: true, ..tiles };
    let palette =
        png_with(6, 3, ColorType::Indexed, BitDepth::Two, &[0b0001_1000, 0, 1, 0x40, 2, 0x80], |encoder| {
            encoder.set_palette(vec![1, 2, 3, 10, 20, 30, 100, 150, 200]);
        });
    vec![
        png(9, 7, ColorType::Rgba, BitDepth::Eight, &texture(9 * 7 * 4)),
        png(9, 7, ColorType::Grayscale, BitDepth::Sixteen, &texture(9 * 7 * 2)),
        palette,
        interlaced_png(11, 9, &texture(99)),
        lzw_tiff(Compression::Lzw),
        lzw_tiff(Compression::Deflate(DeflateLevel::Fast)),
        lzw_tiff(Compression::Packbits),
        tiles.write(&values),
        big.write(&values),
    ]
}

/// Opens and reads any bytes; the test is that this returns.
fn read(bytes: Vec<u8>) -> Result<u64, SourceError> {
    let source = open_bytes("changed", bytes)?;
    let (width, height) = (source.info().width, source.info().height);
    source.read(boxed(0, 0, width.min(64), height.min(64))).and(source.read(boxed(
        width as i64 - 1,
        height as i64 - 1,
        1,
        1,
    )))?;
    Ok(source.read(boxed(0, 0, width, height))?.bytes())
}

#[test]
fn no_changed_file_panics() {
    let mut noise = Noise(2026);
    let (mut refused, mut accepted) = (0, 0);
    for file in files() {
        for _ in 0..700 {
            let mut changed = file.clone();
            for _ in 0..1 + noise.below(4) {
                let place = noise.below(changed.len());
                changed[place] =
                    [noise.next() as u8, 0, 255, changed[place] ^ 1 << noise.below(8)][noise.below(4)];
            }
            *if read(changed).is_ok() { &mut accepted } else { &mut refused } += 1;
        }
    }
    assert!(refused > 1000 && accepted > 0, "{refused} refused, {accepted} accepted");
}

#[test]
fn every_cut_is_an_error() {
    for (index, file) in files().into_iter().enumerate() {
        let whole = read(file.clone());
        assert!(whole.is_ok(), "file {index}: {whole:?}");
        // The directory of a TIFF file may be followed by its unused last offset.
        for length in 0..file.len() - 8 {
            assert!(read(file[..length].to_vec()).is_err(), "file {index} cut to {length} of {}", file.len());
        }
    }
}

#[test]
fn a_changed_png_pixel_is_never_served() {
    let file = png(40, 40, ColorType::Grayscale, BitDepth::Eight, &texture(1600));
    let start = file.windows(4).position(|name| name == b"IDAT").unwrap() + 4;
    for place in start..file.len() - 16 {
        let mut changed = file.clone();
        changed[place] ^= 4;
        let source = open_bytes("changed.png", changed).unwrap();
        assert!(source.read(boxed(0, 0, 40, 1)).is_err(), "byte {place}");
    }
}

fn message(found: Result<std::sync::Arc<dyn Source>, SourceError>) -> String {
    found.map(|source| source.info().format.clone()).unwrap_err().to_string()
}

#[test]
fn what_is_no_image_is_said() {
    let folder = tempfile::tempdir().unwrap();
    let case = |name: &str, bytes: &[u8]| {
        let path = folder.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        message(open(&path)).replace(&path.display().to_string(), name)
    };
    let expected = |name: &str, found: &str| {
        format!(
            "{name}: expected a PNG, JPEG or TIFF image, or a slide, found {found}; convert it to PNG or TIFF"
        )
    };
    assert_eq!(
        case("empty.png", b""),
        "empty.png: expected a PNG, JPEG or TIFF image, or a slide, found an empty file; copy or export it again: \
         nothing was written into it"
    );
    assert_eq!(
        case("text.png", "Grüße\n".as_bytes()),
        "text.png: expected a PNG, JPEG or TIFF image, or a slide, found a text; name an image: this file holds text"
    );
    assert_eq!(
        case("photo.png", &[0xff, 0xd8, 0xff, 0xe0, 0, 16]),
        "photo.png: expected a whole JPEG image, found one that ends too early; copy or export the file again"
    );
    assert_eq!(
        case("noise.tif", &[1, 2, 3, 255]),
        expected("noise.tif", "a file that begins with the bytes 01 02 03 ff")
    );
    let folder_message = message(open(folder.path()));
    assert!(folder_message.ends_with("expected an image file, or a folder with an OME-Zarr image, found a folder without zarr.json; name the image itself"));
    let missing = message(open(&folder.path().join("none.png")));
    assert!(missing.contains("none.png") && missing.ends_with("check the name"), "{missing}");
}

#[test]
fn absurd_sizes_are_refused_before_memory_is_taken() {
    let absurd =
        |width, height| message(open_bytes("a.png", png_file(width, height, false, &stored(&[0, 1]))));
    let error = absurd(0x7fff_ffff, 0x7fff_ffff);
    assert!(error.starts_with("a.png: expected rows of at most 64 MiB"), "{error}");
    let error = absurd(60_000, 60_000);
    assert_eq!(
        error,
        "a.png: expected data for 60000 x 60000 pixels, found a file of 70 bytes, which cannot hold them; \
         copy the file again"
    );

    let form = TiffForm::new(4, 4, 1, 1);
    let absurd = |tag: u16, value: u32| {
        let mut file = form.write(&[0; 16]);
        let entry = [tag.to_le_bytes(), 4u16.to_le_bytes()].concat();
        let place = file.windows(4).position(|bytes| bytes == entry).unwrap();
        file[place + 8..place + 12].copy_from_slice(&value.to_le_bytes());
        open_bytes("a.tif", file).map(|source| source.info().width)
    };
    let error = absurd(256, u32::MAX).unwrap_err().to_string();
    assert_eq!(
        error,
        "a.tif: expected a width from 1 to 16777216, found 4294967295; copy or export the file again"
    );
    assert!(absurd(257, 0).is_err() && absurd(257, u32::MAX).is_err());
    assert_eq!(absurd(278, u32::MAX), Ok(4));
}

#[test]
fn large_reads_are_refused() {
    // What follows the image makes the file long enough for the sides to be believed.
    let large = |interlaced| {
        let mut file = png_file(40_000, 30_000, interlaced, &stored(&vec![0; 40_001 * 3]));
        file.resize(file.len() + 2_000_000, 0);
        open_bytes("large.png", file).unwrap()
    };
    let error = large(false).read(boxed(0, 0, 40_000, 30_000)).unwrap_err();
    assert!(matches!(error, SourceError::TooLarge { bytes: 1_200_000_000, .. }), "{error}");
    assert!(error.to_string().contains("a read of at most 1 GiB, found"), "{error}");
    assert!(error.to_string().contains("of 1.1 GiB; read it in parts"), "{error}");
    assert_eq!(large(false).read(boxed(5, 2, 1, 1)).unwrap().bytes(), 1);
    assert!(large(false).read(boxed(5, 3, 1, 1)).is_err());
    let error = large(true).read(boxed(0, 0, 1, 1)).unwrap_err().to_string();
    assert!(error.contains("an interlaced image of at most 1 GiB"), "{error}");
}

#[test]
fn boxes_outside_are_refused() {
    let source = open_bytes("a.png", png(4, 3, ColorType::Grayscale, BitDepth::Eight, &texture(12))).unwrap();
    for (x, y, w, h) in [(-1, 0, 2, 2), (0, 0, 5, 1), (0, 2, 1, 2), (i64::MAX - 1, 0, 1, 1), (1, 1, 0, 1)] {
        let error = source.read(boxed(x, y, w, h)).unwrap_err();
        assert!(matches!(error, SourceError::Outside { width: 4, height: 3, .. }), "{error}");
    }
}

#[test]
fn forms_that_are_not_read_are_said() {
    let mut tiff = TiffForm::new(4, 4, 1, 1).write(&[0; 16]);
    let entry = [259u16.to_le_bytes(), 3u16.to_le_bytes()].concat();
    let place = tiff.windows(4).position(|bytes| bytes == entry).unwrap();
    let mut compressed = |number: u16| {
        tiff[place + 8..place + 10].copy_from_slice(&number.to_le_bytes());
        message(open_bytes("slide.tif", tiff.clone()))
    };
    assert_eq!(
        compressed(50000),
        "slide.tif: expected no compression, LZW, deflate, PackBits or JPEG, found Zstandard (compression 50000); \
         convert it with LZW"
    );
    let error = compressed(33005);
    assert!(
        error.contains("JPEG 2000 (compression 33005), which is read through the library OpenSlide"),
        "{error}"
    );
}

#[test]
fn a_file_that_changes_is_not_read_on() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.png");
    std::fs::write(&path, png(2, 2, ColorType::Grayscale, BitDepth::Eight, &[1, 2, 3, 4])).unwrap();
    let source = open(&path).unwrap();
    std::fs::write(&path, png(2, 2, ColorType::Rgb, BitDepth::Eight, &texture(12))).unwrap();
    let error = source.read(boxed(0, 0, 2, 2)).unwrap_err().to_string();
    assert!(error.contains("one that was written to since"), "{error}");
    assert!(source.digest().is_err());
}
