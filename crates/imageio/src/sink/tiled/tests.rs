//! Files of all forms, read again by our own reader; what other programs read of them is checked in the second tier.

use std::io::{self, BufWriter, Cursor, Seek, SeekFrom, Write};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use onceflow_region::{Access, Budget, ByteOrder, Dense, Pixels, ReadMeter, Source};
use onceflow_store::publish;
use proptest::prelude::*;

use super::*;
use crate::PngScales;
use crate::pyramid::tests::{HeldSource, halved};
use crate::pyramid::{PyramidError, PyramidOptions, PyramidWork, PyramidWritten, write_pyramid};
use crate::{open_bytes, open_metered};

const ELEMENTS: [Element; 10] = [
    Element::U8,
    Element::I8,
    Element::U16,
    Element::I16,
    Element::I32,
    Element::U32,
    Element::I64,
    Element::U64,
    Element::F32,
    Element::F64,
];

/// Pixels of any type, from bytes that look random; real numbers are finite.
fn image(width: usize, height: usize, channels: usize, element: Element) -> Dense {
    let values = width * height * channels;
    let mut state = 7u64;
    let mut byte = || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 40) as u8
    };
    let bytes = (0..values * element.bytes() as usize).map(|_| byte()).collect();
    let pixels = match Pixels::from_bytes(element, bytes, ByteOrder::Little) {
        Pixels::F32(values) => {
            Pixels::F32(values.iter().map(|value| if value.is_finite() { *value } else { 0.5 }).collect())
        }
        Pixels::F64(values) => {
            Pixels::F64(values.iter().map(|value| if value.is_finite() { *value } else { 0.5 }).collect())
        }
        other => other,
    };
    Dense::new(width, height, channels, pixels).unwrap()
}

/// Smooth colours, as tissue has.
fn smooth(width: usize, height: usize, channels: usize) -> Dense {
    let value = |at: usize| {
        let (pixel, channel) = (at / channels, at % channels);
        let (x, y) = ((pixel % width) as f64, (pixel / width) as f64);
        (128.0 + 60.0 * (x / 17.0 + channel as f64).sin() + 50.0 * (y / 23.0).cos()) as u8
    };
    let values = (0..width * height * channels).map(value).collect();
    Dense::new(width, height, channels, Pixels::U8(values)).unwrap()
}

fn write_with(
    source: &dyn Source,
    pyramid: &Pyramid,
    sink: impl ScaleSink,
) -> Result<PyramidWritten, PyramidError> {
    let stop = AtomicBool::new(false);
    let work = PyramidWork { threads: 2, budget: Budget::new(1 << 30), watch: &|_, _| {}, stop: &stop };
    write_pyramid(source, pyramid, &work, Box::new(sink))
}

fn plan(source: &HeldSource, tile: u64) -> Pyramid {
    Pyramid::plan(source.info(), &PyramidOptions { tile: [tile; 2], ..PyramidOptions::default() }).unwrap()
}

/// The file that an image becomes.
fn file(image: &Dense, form: TiffForm, big: bool) -> (Pyramid, Vec<u8>) {
    let source = HeldSource::new(image.clone(), Access::Boxes);
    let pyramid = plan(&source, form.tile);
    let mut bytes = Cursor::new(Vec::new());
    let mut sink = TiffScales::new(&mut bytes, "test.tif", &pyramid, form).unwrap();
    sink.classic = if big { 0 } else { sink.classic };
    write_with(&source, &pyramid, sink).unwrap();
    (pyramid, bytes.into_inner())
}

fn scales_of(source: &dyn Source) -> Vec<Dense> {
    let read = |scale| source.read_scale(scale, source.info().scale_bounds(scale).unwrap()).unwrap();
    (0..source.info().scales.len()).map(read).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn what_is_written_is_read_again_at_every_scale(
        (width, height) in (1usize..75, 1usize..75),
        channels in prop_oneof![Just(1usize), Just(3)],
        element in prop::sample::select(&ELEMENTS[..]),
        compression in prop_oneof![Just(TiffCompression::None), Just(TiffCompression::Deflate)],
        (tile, big) in (prop_oneof![Just(16u64), Just(32), Just(48)], any::<bool>()),
    ) {
        let image = image(width, height, channels, element);
        let (pyramid, bytes) = file(&image, TiffForm { tile, compression }, big);
        prop_assert_eq!(bytes[2], if big { 43 } else { 42 });
        let source = open_bytes("test.tif", bytes).unwrap();
        let info = source.info();
        prop_assert_eq!(info.um_per_pixel, Some(0.25));
        prop_assert_eq!(info.details.tile, Some([tile; 2]));
        prop_assert_eq!(scales_of(&*source), halved(&image, &pyramid));
    }
}

#[test]
fn jpeg_stays_near_the_image() {
    for (channels, quality, most) in [(1, 95, 1.5), (3, 95, 2.0), (3, 80, 4.0), (3, 10, 20.0)] {
        let image = smooth(150, 110, channels);
        let form = TiffForm { tile: 64, compression: TiffCompression::Jpeg(quality) };
        let (pyramid, bytes) = file(&image, form, false);
        let source = open_bytes("test.tif", bytes).unwrap();
        assert_eq!(source.info().details.compression.as_deref(), Some("JPEG"));
        let (found, expected) = (scales_of(&*source), halved(&image, &pyramid));
        assert_eq!(found.len(), 3);
        for (found, expected) in found.iter().zip(&expected) {
            let differences = found.as_u8().unwrap().iter().zip(expected.as_u8().unwrap());
            let sum: u64 = differences.map(|(a, b)| u64::from(a.abs_diff(*b))).sum();
            let mean = sum as f64 / found.pixels().len() as f64;
            assert!(mean < most, "quality {quality}: {mean}");
        }
    }
}

#[test]
fn what_a_form_does_not_have_is_refused() {
    let source = HeldSource::new(image(40, 40, 1, Element::U16), Access::Boxes);
    let pyramid = plan(&source, 16);
    for (tile, compression) in [
        (24, TiffCompression::None),
        (0, TiffCompression::None),
        (8192, TiffCompression::None),
        (16, TiffCompression::Jpeg(80)),
        (16, TiffCompression::Jpeg(0)),
    ] {
        let sink =
            TiffScales::new(Cursor::new(Vec::new()), "a.tif", &pyramid, TiffForm { tile, compression });
        assert!(matches!(sink, Err(SinkError::Form { .. })), "{tile} {compression:?}");
    }
    let huge = Pyramid { scales: vec![[1 << 33, 5]], ..pyramid };
    let form = TiffForm { tile: 16, compression: TiffCompression::None };
    assert!(TiffScales::new(Cursor::new(Vec::new()), "a.tif", &huge, form).is_err());
}

#[test]
fn a_file_without_all_tiles_is_not_finished() {
    let pyramid = plan(&HeldSource::new(image(40, 40, 1, Element::U8), Access::Boxes), 16);
    let form = TiffForm { tile: 16, compression: TiffCompression::None };
    let mut sink = TiffScales::new(Cursor::new(Vec::new()), "a.tif", &pyramid, form).unwrap();
    sink.put(0, Bounds::plane(16, 0, 16, 16).unwrap(), vec![0; 256]).unwrap();
    assert!(sink.put(9, Bounds::plane(0, 0, 16, 16).unwrap(), vec![0; 256]).is_err());
    assert!(sink.put(0, Bounds::plane(0, 99, 16, 16).unwrap(), vec![0; 256]).is_err());
    let error = Box::new(sink).finish().unwrap_err().to_string();
    assert!(error.contains("13 that were not put"), "{error}");
}

/// All tiles of a large slide have the same bytes: what is read of it is counted, not looked at.
#[test]
fn of_a_large_slide_only_the_tiles_of_the_box_are_read() {
    let side = 100_000u64;
    let whole = Bounds::plane(0, 0, side, side).unwrap();
    let held = HeldSource::new(image(512, 512, 1, Element::U8), Access::Boxes);
    let mut info = held.info().clone();
    (info.width, info.height, info.scales) =
        (side, side, vec![onceflow_region::ImageScale::whole(side, side)]);
    let pyramid =
        Pyramid::plan(&info, &PyramidOptions { tile: [512; 2], ..PyramidOptions::default() }).unwrap();
    assert_eq!((pyramid.bounds, pyramid.scales.len()), (whole, 9));
    let path = tempfile::tempdir().unwrap();
    let path = path.path().join("slide.tif");
    let form = TiffForm { tile: 512, compression: TiffCompression::Deflate };
    let to = BufWriter::new(std::fs::File::create(&path).unwrap());
    let mut sink = TiffScales::new(to, "slide.tif", &pyramid, form).unwrap();
    let tile = Dense::new(512, 512, 1, Pixels::U8(vec![200; 512 * 512])).unwrap();
    let bytes = sink.encoder().encode(0, tile.bounds(), &tile).unwrap();
    for (scale, [width, height]) in pyramid.scales.iter().enumerate() {
        for y in (0..*height).step_by(512) {
            for x in (0..*width).step_by(512) {
                sink.put(scale, Bounds::plane(x as i64, y as i64, 512, 512).unwrap(), bytes.clone()).unwrap();
            }
        }
    }
    Box::new(sink).finish().unwrap();
    let meter = Arc::new(ReadMeter::default());
    let source = open_metered(&path, Arc::clone(&meter)).unwrap();
    assert_eq!((source.info().width, source.info().scales.len()), (side, 9));
    // Tables of 8 bytes for each tile are read once, when the file is opened.
    assert!(meter.bytes() < 8 * 52_000 + 200_000, "{}", meter.bytes());
    for (x, y, most) in [(512 * 90, 512 * 70, 1), (50_000, 70_000, 4), (99_488, 99_488, 4)] {
        let before = meter.bytes();
        let read = source.read(Bounds::plane(x, y, 512, 512).unwrap()).unwrap();
        assert!(read.as_u8().unwrap().iter().all(|value| *value == 200));
        // A reader takes 8 KiB at a time.
        assert!(meter.bytes() - before <= most * (bytes.len() as u64 + 8192), "{}", meter.bytes() - before);
    }
}

/// A file that takes so many bytes and no more.
struct Full<W> {
    to: W,
    left: usize,
}

impl<W: Write> Write for Full<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if bytes.len() > self.left {
            return Err(io::ErrorKind::StorageFull.into());
        }
        self.left -= bytes.len();
        self.to.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.to.flush()
    }
}

impl<W: Seek> Seek for Full<W> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.to.seek(to)
    }
}

#[test]
fn a_full_disk_leaves_what_was_there() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("image.tif");
    std::fs::write(&path, "before").unwrap();
    let source = HeldSource::new(image(70, 50, 3, Element::U8), Access::Boxes);
    let pyramid = plan(&source, 16);
    let form = TiffForm { tile: 16, compression: TiffCompression::Deflate };
    let write = |left: usize| {
        publish::Publisher::new().write_file(&path, |file| {
            let sink = TiffScales::new(Full { to: file, left }, "image.tif", &pyramid, form)?;
            write_with(&source, &pyramid, sink)
        })
    };
    for left in [0, 10, 16, 500, 5000, 14_000] {
        let error = write(left).unwrap_err();
        let full = matches!(&error, PyramidError::Sink(SinkError::Write { error, .. }) if error.kind() == io::ErrorKind::StorageFull);
        assert!(full, "{left}: {error}");
        assert_eq!(std::fs::read(&path).unwrap(), b"before");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1, "{left}");
    }
    write(1 << 20).unwrap();
    assert_eq!(crate::open(&path).unwrap().info().scales.len(), 4);
}

#[test]
fn png_files_take_the_whole_image() {
    for (channels, element) in [(1, Element::U8), (3, Element::U8), (1, Element::U16), (3, Element::U16)] {
        let image = image(37, 400, channels, element);
        let source = HeldSource::new(image.clone(), Access::Boxes);
        let tile = PngScales::<Vec<u8>>::band(37, channels, element);
        let options = PyramidOptions { tile, single: true, ..PyramidOptions::default() };
        let pyramid = Pyramid::plan(source.info(), &options).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.png");
        let sink = PngScales::new(std::fs::File::create(&path).unwrap(), "a.png", &pyramid).unwrap();
        write_with(&source, &pyramid, sink).unwrap();
        let written = crate::open(&path).unwrap();
        assert_eq!(written.info().um_per_pixel, Some(0.25));
        assert_eq!(scales_of(&*written), [image]);
        let full = PngScales::new(Full { to: Vec::new(), left: 500 }, "a.png", &pyramid).unwrap();
        assert!(matches!(
            write_with(&source, &pyramid, full),
            Err(PyramidError::Sink(SinkError::Write { .. }))
        ));
    }
    let real = HeldSource::new(image(3, 3, 1, Element::F32), Access::Boxes);
    assert!(PngScales::new(Vec::new(), "a.png", &plan(&real, 16)).is_err());
    let label = Dense::new(1, 1, 1, Pixels::U32(vec![65536])).unwrap();
    let label = HeldSource::new(label, Access::Boxes);
    let pyramid = plan(&label, 16);
    let sink = PngScales::new(Vec::new(), "a.png", &pyramid).unwrap();
    assert!(matches!(write_with(&label, &pyramid, sink), Err(PyramidError::Sink(SinkError::Form { .. }))));
}
