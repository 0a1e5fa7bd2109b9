//! Image files of all forms that we read: the pixels, what is known before, and how little is read for a box.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stderr)]

mod support;

use std::io::Cursor;
use std::sync::Arc;

use onceflow_imageio::{open, open_bytes, open_metered};
use onceflow_region::{Dense, Element, MeteredSource, Pixels, ReadMeter, Source};
use png::{BitDepth, ColorType};
use tiff::encoder::{Compression, DeflateLevel, TiffEncoder, colortype};

use support::{Noise, TiffForm, boxed, interlaced_png, png, png_with, texture};

fn whole(source: &dyn Source) -> Dense {
    source.read(source.info().bounds().unwrap()).unwrap()
}

/// Any box equals the crop of the whole.
fn boxes_are_crops(source: &dyn Source) {
    let (image, mut noise) = (whole(source), Noise(11));
    let (width, height) = (image.width(), image.height());
    for _ in 0..40 {
        let (x, y) = (noise.below(width), noise.below(height));
        let (w, h) = (1 + noise.below(width - x), 1 + noise.below(height - y));
        let bounds = boxed(x as i64, y as i64, w as u64, h as u64);
        assert_eq!(source.read(bounds).unwrap(), image.crop(bounds).unwrap(), "{bounds}");
    }
}

#[test]
fn png_colours() {
    let data = texture(19 * 11 * 4);
    let rgba = open_bytes("a.png", png(19, 11, ColorType::Rgba, BitDepth::Eight, &data)).unwrap();
    let dropped: Vec<u8> = data.chunks(4).flat_map(|pixel| pixel[..3].to_vec()).collect();
    assert_eq!(whole(&*rgba), Dense::new(19, 11, 3, Pixels::U8(dropped)).unwrap());
    boxes_are_crops(&*rgba);

    let data = texture(19 * 11 * 3);
    let rgb = open_bytes("a.png", png(19, 11, ColorType::Rgb, BitDepth::Eight, &data)).unwrap();
    assert_eq!(whole(&*rgb).as_u8(), Some(&data[..]));
    boxes_are_crops(&*rgb);

    let palette = png_with(4, 1, ColorType::Indexed, BitDepth::Eight, &[2, 0, 1, 2], |encoder| {
        encoder.set_palette(vec![1, 2, 3, 10, 20, 30, 100, 150, 200]);
        encoder.set_trns(vec![0, 255]);
    });
    let colours = whole(&*open_bytes("a.png", palette).unwrap());
    assert_eq!(colours.as_u8(), Some(&[100, 150, 200, 1, 2, 3, 10, 20, 30, 100, 150, 200][..]));
}

#[test]
fn png_grey() {
    let data = texture(2 * 7 * 5);
    let expected: Vec<u16> = data.chunks(2).map(|pair| u16::from_be_bytes([pair[0], pair[1]])).collect();
    let labels = open_bytes("a.png", png(7, 5, ColorType::Grayscale, BitDepth::Sixteen, &data)).unwrap();
    assert_eq!((labels.info().element, labels.info().channels), (Element::U16, 1));
    assert_eq!(whole(&*labels).as_u16(), Some(&expected[..]));
    boxes_are_crops(&*labels);

    let alpha =
        open_bytes("a.png", png(2, 1, ColorType::GrayscaleAlpha, BitDepth::Eight, &[9, 0, 8, 255])).unwrap();
    assert_eq!(whole(&*alpha).as_u8(), Some(&[9, 8][..]));
    let bits = open_bytes("a.png", png(8, 1, ColorType::Grayscale, BitDepth::One, &[0b1010_0001])).unwrap();
    assert_eq!(whole(&*bits).as_u8(), Some(&[255, 0, 255, 0, 0, 0, 0, 255][..]));
}

#[test]
fn png_interlaced() {
    for (width, height) in [(1, 1), (3, 2), (9, 13), (40, 33)] {
        let data = texture(width * height);
        let source = open_bytes("a.png", interlaced_png(width, height, &data)).unwrap();
        assert_eq!(whole(&*source), support::grey(width, height, data));
        boxes_are_crops(&*source);
    }
}

#[test]
fn tiff_strips_with_compression() {
    let data = texture(23 * 17 * 3);
    for compression in [
        Compression::Uncompressed,
        Compression::Lzw,
        Compression::Deflate(DeflateLevel::Balanced),
        Compression::Packbits,
    ] {
        let mut file = Cursor::new(Vec::new());
        let mut encoder = TiffEncoder::new(&mut file).unwrap().with_compression(compression);
        let mut image = encoder.new_image::<colortype::RGB8>(23, 17).unwrap();
        image.rows_per_strip(4).unwrap();
        image.write_data(&data).unwrap();
        let source = open_bytes("a.tif", file.into_inner()).unwrap();
        assert_eq!(whole(&*source), Dense::new(23, 17, 3, Pixels::U8(data.clone())).unwrap());
        boxes_are_crops(&*source);
    }
}

#[test]
fn tiff_of_every_layout() {
    for index in 0..96 {
        let (samples, bytes) = ([1, 3, 4][index % 3], 1 + index / 3 % 2);
        let form = TiffForm {
            tile: [None, Some((16, 16)), Some((32, 16)), Some((16, 48))][index / 6 % 4],
            rows_per_strip: 5,
            big_endian: index / 24 % 2 == 1,
            big_tiff: index / 48 == 1,
            ..TiffForm::new(37, 29, samples, bytes)
        };
        let values: Vec<u16> =
            (0..37 * 29 * samples).map(|i| (i * 91 % if bytes == 1 { 256 } else { 65536 }) as u16).collect();
        let source = open_bytes("a.tif", form.write(&values)).unwrap();
        let channels = if samples == 1 { 1 } else { 3 };
        let kept: Vec<u16> = values.chunks(samples).flat_map(|pixel| pixel[..channels].to_vec()).collect();
        let pixels = match bytes {
            1 => Pixels::U8(kept.iter().map(|&value| value as u8).collect()),
            _ => Pixels::U16(kept),
        };
        assert_eq!(whole(&*source), Dense::new(37, 29, channels, pixels).unwrap(), "form {index}");
        boxes_are_crops(&*source);
    }
}

#[test]
fn tiff_of_wide_elements() {
    let mut file = Cursor::new(Vec::new());
    let mut encoder = TiffEncoder::new(&mut file).unwrap();
    encoder.write_image::<colortype::Gray32Float>(2, 2, &[0.5, -1.0, 2.0, 1e9]).unwrap();
    let source = open_bytes("a.tif", file.into_inner()).unwrap();
    assert_eq!(whole(&*source).as_f32(), Some(&[0.5, -1.0, 2.0, 1e9][..]));

    let mut file = Cursor::new(Vec::new());
    let mut encoder = TiffEncoder::new(&mut file).unwrap();
    encoder.write_image::<colortype::Gray32>(2, 1, &[70_000, u32::MAX]).unwrap();
    let source = open_bytes("a.tif", file.into_inner()).unwrap();
    assert_eq!(whole(&*source).as_u32(), Some(&[70_000, u32::MAX][..]));
}

#[test]
fn what_is_known_before_pixels_are_read() {
    let image = png_with(5, 4, ColorType::Rgb, BitDepth::Eight, &texture(60), |encoder| {
        let (xppu, yppu, unit) = (4_000_000, 4_000_000, png::Unit::Meter);
        encoder.set_pixel_dims(Some(png::PixelDimensions { xppu, yppu, unit }));
    });
    let source = open_bytes("a.png", image).unwrap();
    let info = source.info();
    assert_eq!((info.format.as_str(), info.width, info.height, info.channels), ("png", 5, 4, 3));
    assert_eq!((info.um_per_pixel, info.scales.len(), info.scales[0].downsample), (Some(0.25), 1, 1.0));

    let form = TiffForm { per_centimetre: Some(20_000), ..TiffForm::new(3, 2, 1, 2) };
    let source = open_bytes("a.tif", form.write(&[0; 6])).unwrap();
    let info = source.info();
    assert_eq!((info.format.as_str(), info.width, info.height, info.element), ("tiff", 3, 2, Element::U16));
    assert_eq!(info.um_per_pixel, Some(0.5));

    let plain = TiffForm { per_centimetre: Some(28), ..TiffForm::new(3, 2, 1, 1) };
    assert_eq!(open_bytes("a.tif", plain.write(&[0; 6])).unwrap().info().um_per_pixel, None);
}

#[test]
fn only_the_tiles_of_the_box_are_read() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("slide.tif");
    let form = TiffForm { tile: Some((64, 64)), ..TiffForm::new(1024, 1024, 3, 1) };
    std::fs::write(&path, form.write(&vec![7; 1024 * 1024 * 3])).unwrap();
    let file = Arc::new(ReadMeter::default());
    let source = MeteredSource::new(open_metered(&path, Arc::clone(&file)).unwrap());
    assert!(file.bytes() < 100_000, "opening read {} bytes", file.bytes());
    let before = file.bytes();
    assert_eq!(source.read(boxed(70, 200, 10, 10)).unwrap().bytes(), 300);
    assert!(file.bytes() - before < 64 * 64 * 3 + 100_000, "a box read {} bytes", file.bytes() - before);
    assert_eq!((source.meter().calls(), source.meter().bytes()), (1, 300));
}

#[test]
fn rows_below_the_box_are_not_read_again() {
    let mut noise = Noise(3);
    let data: Vec<u8> = (0..512 * 512).map(|_| noise.next() as u8).collect();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("image.png");
    std::fs::write(&path, png(512, 512, ColorType::Grayscale, BitDepth::Eight, &data)).unwrap();
    let file = Arc::new(ReadMeter::default());
    let source = open_metered(&path, Arc::clone(&file)).unwrap();
    let top = boxed(0, 0, 512, 16);
    let first = source.read(top).unwrap();
    let before = file.bytes();
    assert_eq!(source.read(top).unwrap(), first);
    assert!(file.bytes() - before < 512 * 512 / 2, "the second read took {} bytes", file.bytes() - before);
}

#[test]
fn the_digest_is_of_the_content() {
    let folder = tempfile::tempdir().unwrap();
    let image = |value| png(2, 1, ColorType::Grayscale, BitDepth::Eight, &[1, value]);
    let digest = |name: &str, value| {
        let path = folder.path().join(name);
        std::fs::write(&path, image(value)).unwrap();
        open(&path).unwrap().digest().unwrap()
    };
    assert_eq!(digest("a.png", 2), digest("b.tif", 2));
    assert_ne!(digest("a.png", 2), digest("a.png", 3));
    assert_eq!(digest("c.png", 2), open_bytes("memory", image(2)).unwrap().digest().unwrap());
}

/// Strips in any order give what the whole read gives, and strips from the top are decoded once.
#[test]
fn a_png_is_read_in_strips() {
    let values: Vec<u8> = (0..300 * 200u32).map(|at| (at.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
    let image = Dense::new(300, 200, 1, Pixels::U8(values)).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("strips.png");
    std::fs::write(&path, onceflow_imageio::png_bytes(&image).unwrap()).unwrap();
    let meter = Arc::new(ReadMeter::default());
    let source = open_metered(&path, meter.clone()).unwrap();
    let strip = |top: i64, rows: u64| {
        let bounds = onceflow_region::Bounds::plane(7, top, 100, rows).unwrap();
        assert_eq!(source.read(bounds).unwrap(), image.crop(bounds).unwrap(), "{top}");
    };
    for top in [0, 190, 50, 50, 60, 40, 199, 0] {
        strip(top, if top == 199 { 1 } else { 10 });
    }
    let before = meter.bytes();
    (0..40).for_each(|at| strip(at * 5, 5));
    let length = std::fs::metadata(&path).unwrap().len();
    assert!(meter.bytes() - before <= 2 * length, "{} of {length} bytes", meter.bytes() - before);
}
