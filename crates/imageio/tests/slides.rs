//! Slides: JPEG files and tiles, pyramids, what files say of themselves, and how little of a large one is read.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stderr)]

mod support;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use onceflow_imageio::{open, open_bytes, open_metered};
use onceflow_region::{Dense, Element, MeteredSource, Pixels, ReadMeter, Source, SourceError};

use support::jpeg::{JpegForm, tables};
use support::tiff::{Directory, TagValue, tiff};
use support::{Noise, boxed, texture};

fn whole(source: &dyn Source) -> Dense {
    source.read(source.info().bounds().unwrap()).unwrap()
}

fn value(colour: usize, column: usize, row: usize) -> u8 {
    (colour * 83 + column * 29 + row * 51 + 7) as u8
}

/// Any box of any scale equals the crop of the whole scale.
fn boxes_are_crops(source: &dyn Source) {
    let mut noise = Noise(4);
    for scale in 0..source.info().scales.len() {
        let image = source.read_scale(scale, source.info().scale_bounds(scale).unwrap()).unwrap();
        let (width, height) = (image.width(), image.height());
        for _ in 0..25 {
            let (x, y) = (noise.below(width), noise.below(height));
            let (w, h) = (1 + noise.below(width - x), 1 + noise.below(height - y));
            let bounds = boxed(x as i64, y as i64, w as u64, h as u64);
            assert_eq!(source.read_scale(scale, bounds).unwrap(), image.crop(bounds).unwrap(), "{bounds}");
        }
    }
}

#[test]
fn jpeg_files() {
    for (colours, progressive) in [(1, false), (1, true), (3, false), (3, true)] {
        let form = JpegForm { progressive, ..JpegForm::new(45, 30, colours) };
        // Grey as brightness with differences of 0: no arithmetic on colours blurs it.
        let grey = |colour: usize, column, row| if colour == 0 { value(0, column, row) } else { 128 };
        let source = open_bytes("a.jpg", form.write(grey)).unwrap();
        let expected: Vec<u8> =
            form.pixels(grey).chunks(colours).flat_map(|pixel| vec![pixel[0]; colours]).collect();
        assert_eq!(whole(&*source), Dense::new(45, 30, colours, Pixels::U8(expected)).unwrap());
        boxes_are_crops(&*source);
        let info = source.info();
        let compression = if progressive { "progressive JPEG" } else { "JPEG" };
        assert_eq!((info.format.as_str(), info.details.compression.as_deref()), ("jpeg", Some(compression)));
    }
}

/// Tiles of 16 x 16 pixels, two across and two down, with or without tables of their own.
fn jpeg_tiles(colours: usize, short: bool) -> (Directory, Vec<u8>) {
    let (form, all) = (JpegForm::new(16, 16, colours), JpegForm::new(25, 30, colours));
    let tile = |index: usize| {
        let (left, top) = (index % 2 * 2, index / 2 * 2);
        let shifted = move |colour, column, row| value(colour, column + left, row + top);
        if short { form.write_short(shifted) } else { form.write(shifted) }
    };
    let directory = Directory::tiles([25, 30], [16, 16], colours, (0..4).map(tile).collect()).short(259, 7);
    let shared = [&[0xff, 0xd8][..], &tables(), &[0xff, 0xd9]].concat();
    let directory = if short { directory.with(347, TagValue::Bytes(shared)) } else { directory };
    (directory, all.pixels(value))
}

#[test]
fn jpeg_tiles_with_and_without_common_tables() {
    for (colours, short) in [(1, false), (1, true), (3, false), (3, true)] {
        let (directory, expected) = jpeg_tiles(colours, short);
        let source = open_bytes("a.tif", tiff(vec![directory], None)).unwrap();
        assert_eq!(whole(&*source), Dense::new(25, 30, colours, Pixels::U8(expected)).unwrap());
        assert_eq!(source.info().details.tile, Some([16, 16]));
        boxes_are_crops(&*source);
    }
}

/// The formula of JFIF, to a grey level.
#[test]
fn jpeg_tiles_of_brightness_and_differences() {
    let (directory, values) = jpeg_tiles(3, true);
    let source = open_bytes("a.tif", tiff(vec![directory.short(262, 6)], None)).unwrap();
    let found = whole(&*source);
    for (pixel, stored) in found.as_u8().unwrap().chunks(3).zip(values.chunks(3)) {
        let [y, b, r] = [f64::from(stored[0]), f64::from(stored[1]) - 128.0, f64::from(stored[2]) - 128.0];
        let expected = [y + 1.402 * r, y - 0.344136 * b - 0.714136 * r, y + 1.772 * b];
        for (found, expected) in pixel.iter().zip(expected) {
            assert!(
                (f64::from(*found) - expected.clamp(0.0, 255.0)).abs() <= 1.01,
                "{pixel:?} of {stored:?}"
            );
        }
    }
}

#[test]
fn jpeg_strips() {
    let form = JpegForm::new(24, 8, 3);
    let strips = (0..3).map(|strip| {
        let form = JpegForm { height: if strip == 2 { 4 } else { 8 }, ..form };
        form.write(move |colour, column, _| value(colour, column, strip))
    });
    let directory = Directory::tiles([24, 20], [24, 8], 3, strips.collect()).strips(8).short(259, 7);
    let source = open_bytes("a.tif", tiff(vec![directory], None)).unwrap();
    assert_eq!(whole(&*source).as_u8(), Some(&JpegForm::new(24, 20, 3).pixels(value)[..]));
    boxes_are_crops(&*source);
}

/// Uncompressed tiles of a texture.
fn plain(width: usize, height: usize) -> Directory {
    let (across, down) = (width.div_ceil(16), height.div_ceil(16));
    let tiles = (0..across * down).map(|index| texture(256 * 3 + index)[index..].to_vec()).collect();
    Directory::tiles([width, height], [16, 16], 3, tiles)
}

#[test]
fn pyramids_along_the_chain() {
    let thumbnail = Directory::tiles([40, 30], [40, 30], 3, vec![texture(3600)]).strips(30);
    let macro_image = Directory::tiles([70, 20], [16, 16], 3, vec![texture(768); 10]);
    let chain = vec![plain(165, 123), thumbnail, plain(82, 61), plain(41, 30), macro_image];
    let source = open_bytes("a.svs", tiff(chain, None)).unwrap();
    let sizes: Vec<(u64, u64)> =
        source.info().scales.iter().map(|scale| (scale.width, scale.height)).collect();
    assert_eq!(sizes, [(165, 123), (82, 61), (41, 30)]);
    let downsample = source.info().scales[1].downsample;
    assert!((downsample - (165.0 / 82.0 + 123.0 / 61.0) / 2.0).abs() < 1e-12);
    boxes_are_crops(&*source);
    let outside = source.read_scale(1, boxed(80, 0, 3, 1)).unwrap_err();
    assert!(matches!(outside, SourceError::Outside { width: 82, height: 61, .. }), "{outside}");
    let error = source.read_scale(3, boxed(0, 0, 1, 1)).unwrap_err().to_string();
    assert_eq!(error, "a.svs: expected a scale from 0 to 2, found 3; image info lists them");
    let metered = MeteredSource::new(Arc::clone(&source));
    assert_eq!(metered.read_scale(2, boxed(0, 0, 4, 4)).unwrap().bytes(), metered.meter().bytes());
}

fn ome(channels: u32, depths: u32) -> String {
    format!(
        r#"<?xml version="1.0"?><OME><Image><Pixels SizeC="{channels}" SizeZ="{depths}" SizeT="1" PhysicalSizeX="0.25"
        PhysicalSizeY="0.25" PhysicalSizeXUnit="µm" PhysicalSizeYUnit="µm"/></Image></OME>"#
    )
}

#[test]
fn pyramids_within_a_directory() {
    let mut first = plain(160, 120).text(&ome(3, 1));
    first.own = vec![plain(80, 60), plain(40, 30)];
    let source = open_bytes("a.ome.tif", tiff(vec![first], None)).unwrap();
    let info = source.info();
    assert_eq!((info.format.as_str(), info.um_per_pixel, info.scales.len()), ("ome-tiff", Some(0.25), 3));
    assert_eq!(info.scales[2].downsample, 4.0);
    boxes_are_crops(&*source);
}

#[test]
fn planes_of_an_ome_file_that_cannot_be_read_are_no_single_plane() {
    let text = ome(3, 1).replace("SizeZ=\"1\"", "SizeZ=\"many\"");
    let file = tiff(vec![plain(20, 20).text(&text)], None);
    let error = open_bytes("a.ome.tif", file).map(|_| ()).unwrap_err().to_string();
    assert!(error.contains("expected whole numbers in its OME-XML, found SizeZ=\"many\""), "{error}");
}

#[test]
fn planes_of_an_ome_file_are_refused() {
    let refused = |channels, depths| {
        let file = tiff(vec![plain(20, 20).text(&ome(channels, depths))], None);
        open_bytes("a.ome.tif", file).map(|_| ()).unwrap_err().to_string()
    };
    let error = refused(5, 1);
    assert!(error.contains("found 5 channels in planes of their own, 1 depths and 1 times"), "{error}");
    assert!(refused(3, 7).contains("found 7 depths and 1 times; export one plane"));
}

#[test]
fn slides_say_who_made_them() {
    let text = "Aperio Image Library v11.2.1\r\n46000x32914 [0,100 2220x2967] (240x240) JPEG/RGB Q=30|AppMag = 20|MPP = 0.4990";
    let source = open_bytes("a.svs", tiff(vec![plain(20, 20).text(text)], None)).unwrap();
    let info = source.info();
    assert_eq!((info.format.as_str(), info.um_per_pixel), ("svs", Some(0.499)));
    assert_eq!((info.details.vendor.as_deref(), info.details.objective_power), (Some("aperio"), Some(20.0)));
    let absent = open_bytes("a.svs", tiff(vec![plain(20, 20).text("Aperio")], None)).unwrap();
    assert_eq!(absent.info().um_per_pixel, None);
}

#[test]
fn slides_that_need_openslide_say_so() {
    let foreign = [
        plain(20, 20).short(65420, 1),
        plain(20, 20)
            .text("<?xml version=\"1.0\"?><scn xmlns=\"http://www.leica-microsystems.com/scn/2010/10/01\">"),
        plain(20, 20).with(700, TagValue::Bytes(b"<iScan>".to_vec())),
        plain(20, 20).with(305, TagValue::Text("Philips DP v1.0".into())),
    ];
    for directory in foreign {
        let error = open_bytes("a.tif", tiff(vec![directory], None)).map(|_| ()).unwrap_err();
        assert!(matches!(error, SourceError::Library { .. }), "{error}");
        assert!(error.to_string().contains("Debian and Ubuntu: libopenslide0"), "{error}");
    }
    let mirax = open_bytes("a.mrxs", JpegForm::new(8, 8, 1).write(value)).map(|_| ()).unwrap_err();
    assert!(mirax.to_string().contains("a MIRAX slide"), "{mirax}");
}

#[test]
fn colours_in_planes_of_their_own() {
    let plane =
        |colour: usize, bytes: usize| (0..20 * 20 * bytes).map(move |at| (at * 7 + colour * 50) as u8);
    let strip = |colour: usize, bytes: usize, part: usize| {
        plane(colour, bytes).skip(part * 8 * 20 * bytes).take(8 * 20 * bytes).collect::<Vec<u8>>()
    };
    for bytes in [1, 2] {
        // Alpha has strips as well, and they are not even read.
        let strips = (0..4).flat_map(|colour| (0..3).map(move |part| strip(colour, bytes, part))).collect();
        let directory = Directory::tiles([20, 20], [20, 8], 4, strips).strips(8).short(284, 2);
        let directory = directory.with(258, TagValue::Short(vec![8 * bytes as u64; 4]));
        let source = open_bytes("a.tif", tiff(vec![directory], None)).unwrap();
        let planes: Vec<Vec<u8>> = (0..3).map(|colour| plane(colour, bytes).collect()).collect();
        let stored = (0..400)
            .flat_map(|at| planes.iter().flat_map(move |plane| plane[at * bytes..][..bytes].to_vec()));
        let stored: Vec<u8> = stored.collect();
        let expected = match bytes {
            1 => Pixels::U8(stored),
            _ => Pixels::U16(stored.chunks(2).map(|pair| u16::from_le_bytes([pair[0], pair[1]])).collect()),
        };
        assert_eq!(whole(&*source), Dense::new(20, 20, 3, expected).unwrap());
        boxes_are_crops(&*source);
    }
}

#[test]
fn values_of_other_types() {
    let grey = |bits: u64, format: u64, bytes: Vec<u8>| {
        let directory =
            Directory::tiles([2, 1], [2, 1], 1, vec![bytes]).strips(1).short(258, bits).short(339, format);
        whole(&*open_bytes("a.tif", tiff(vec![directory], None)).unwrap()).into_pixels()
    };
    assert_eq!(grey(8, 2, vec![255, 1]), Pixels::I8(vec![-1, 1]));
    assert_eq!(grey(16, 2, vec![255, 255, 1, 0]), Pixels::I16(vec![-1, 1]));
    assert_eq!(grey(32, 3, [1.5f32, -2.0].map(f32::to_le_bytes).concat()), Pixels::F32(vec![1.5, -2.0]));
    assert_eq!(grey(64, 3, [1.5f64, -2.0].map(f64::to_le_bytes).concat()), Pixels::F64(vec![1.5, -2.0]));
    let white = Directory::tiles([2, 1], [2, 1], 1, vec![vec![0, 250]]).strips(1).short(262, 0);
    assert_eq!(whole(&*open_bytes("a.tif", tiff(vec![white], None)).unwrap()).as_u8(), Some(&[255, 5][..]));
}

/// 512 x 512 pixels of a large image touch at most nine of its tiles of 256, and nothing else of its pixels.
#[test]
fn a_box_of_a_large_image_touches_only_its_tiles() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("large.tif");
    let tile = vec![90; 256 * 256 * 3];
    let directory = Directory::tiles([6144, 4096], [256, 256], 3, vec![tile; 24 * 16]);
    std::fs::write(&path, tiff(vec![directory], None)).unwrap();
    let meter = Arc::new(ReadMeter::default());
    let source = open_metered(&path, Arc::clone(&meter)).unwrap();
    let opened = meter.bytes();
    assert!(opened < 40_000, "{opened} bytes to open");
    assert_eq!(source.read(boxed(2100, 1300, 512, 512)).unwrap().bytes(), 512 * 512 * 3);
    let (read, tile) = (meter.bytes() - opened, 256 * 256 * 3);
    // The rows of the outer tiles that lie beside the box are not read either; readers take blocks of 8 KiB.
    assert!(read <= 9 * (tile + 8192), "{read} bytes for nine tiles of {tile}");
    assert!(read >= 512 * 512 * 3);
}

#[test]
fn what_is_wrong_with_a_slide_is_said() {
    let message = |file: Vec<u8>| {
        let read = |source: Arc<dyn Source>| source.read(source.info().bounds().unwrap()).map(|_| ());
        open_bytes("a.tif", file).and_then(read).unwrap_err().to_string()
    };
    let error = message(tiff(vec![plain(20, 20), plain(10, 10)], Some(0)));
    assert!(error.contains("expected a chain of directories that ends, found one at byte"), "{error}");
    let far = plain(16, 16).with(324, TagValue::Long(vec![4_000_000_000]));
    let error = message(tiff(vec![far], None));
    assert!(
        error.contains("expected tile 0 with 16 x 16 pixels, found 768 bytes from byte 4000000000 on"),
        "{error}"
    );
    let few = plain(64, 64).with(325, TagValue::Long(vec![768; 3]));
    assert!(
        message(tiff(vec![few], None)).contains("expected 16 strips or tiles, found 16 places and 3 lengths")
    );
    // A tile that would be 192 MB of a few bytes.
    let bomb = Directory::tiles([8192, 8192], [8192, 8192], 3, vec![vec![0; 100]]).short(259, 8);
    assert!(message(tiff(vec![bomb], None)).contains("found 100 bytes, which cannot hold it"));
    let huge = Directory::tiles([1 << 20, 1 << 20], [1 << 20, 1 << 20], 3, vec![vec![0; 100]]).short(259, 5);
    let source = open_bytes("a.tif", tiff(vec![huge], None)).unwrap();
    let error = source.read(boxed(0, 1000, 1, 1)).unwrap_err().to_string();
    assert!(error.contains("expected strips or tiles of at most 256 MiB"), "{error}");
    let corrupt = plain(16, 16).short(259, 8);
    assert!(
        message(tiff(vec![corrupt], None)).contains("found 768 bytes of data that is corrupt or too short")
    );
    let odd = Directory::tiles([1 << 24, 1 << 24], [1, 1], 1, vec![vec![0]]);
    assert!(message(tiff(vec![odd], None)).contains("expected 281474976710656 strips or tiles"));
}

#[test]
fn jpeg_tiles_that_are_wrong_are_said() {
    let tile = |bytes: Vec<u8>| {
        let directory = Directory::tiles([16, 16], [16, 16], 3, vec![bytes]).short(259, 7);
        let source = open_bytes("a.tif", tiff(vec![directory], None)).unwrap();
        source.read(boxed(0, 0, 16, 16)).map(|_| ()).unwrap_err().to_string()
    };
    let stream = JpegForm::new(16, 16, 3).write(value);
    for length in (2..stream.len() - 1).step_by(7) {
        let error = tile(stream[..length].to_vec());
        assert!(error.contains("expected tile 0"), "{error}");
    }
    let error = tile(JpegForm::new(8, 16, 3).write(value));
    assert!(error.contains("found a JPEG of 8 x 16 pixels with 3 colours"), "{error}");
    assert!(tile(JpegForm::new(16, 16, 1).write(value)).contains("with 1 colours"));
    let missing = tile(JpegForm::new(16, 16, 3).write_short(value));
    assert!(missing.contains("expected tile 0 as a JPEG image"), "{missing}");
}

#[test]
fn jpeg_files_that_are_wrong_are_said() {
    let stream = JpegForm::new(40, 30, 3).write(value);
    for length in 3..stream.len() {
        let source = open_bytes("a.jpg", stream[..length].to_vec());
        assert!(source.is_err(), "cut to {length} of {}", stream.len());
    }
    let mut large = stream.clone();
    let sides = large.windows(2).position(|pair| pair == [0xff, 0xc0]).unwrap() + 5;
    large[sides..sides + 4].fill(0xff);
    let error = open_bytes("a.jpg", large).map(|_| ()).unwrap_err().to_string();
    assert!(error.contains("expected data for 65535 x 65535 pixels, found a JPEG of"), "{error}");
}

fn slide(name: &str) -> Option<PathBuf> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/wsi").join(name);
    if !path.is_file() {
        eprintln!("skipped: the real slide {name} is not there");
        return None;
    }
    Some(path)
}

/// Zeros over the tiles of a slide that OpenSlide reads: an error, the same again, and no crash.
#[test]
fn a_broken_slide_is_an_error_of_openslide() {
    let Some(path) = slide("TCGA-CR-7395-01A-01-TS1.svs") else { return };
    let mut bytes = std::fs::read(path).unwrap();
    bytes[100_000..2_000_000].fill(0);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("broken.svs");
    std::fs::write(&path, bytes).unwrap();
    let Ok(source) = open(&path) else {
        eprintln!("skipped: OpenSlide is not installed");
        return;
    };
    let read = || source.read(boxed(0, 0, 4000, 2000)).map(|_| ()).unwrap_err().to_string();
    let error = read();
    assert!(error.contains("expected a slide that OpenSlide reads"), "{error}");
    assert_eq!(read(), error);
    assert!(source.read(boxed(0, 0, 8, 8)).is_err());
}

fn means(image: &Dense) -> [f64; 3] {
    let values = image.as_u8().unwrap();
    [0, 1, 2].map(|colour| {
        let sum: u64 = values.iter().skip(colour).step_by(3).map(|&value| u64::from(value)).sum();
        sum as f64 * 3.0 / values.len() as f64
    })
}

/// Means by OpenSlide 3.4.1; another JPEG decoder differs by a grey level here and there.
#[test]
fn a_real_slide_with_jpeg_tiles() {
    let Some(path) = slide("CMU-1-Small-Region.svs") else { return };
    let source = open(&path).unwrap();
    let info = source.info();
    assert_eq!(
        (info.width, info.height, info.um_per_pixel, info.element),
        (2220, 2967, Some(0.499), Element::U8)
    );
    assert_eq!((info.format.as_str(), info.details.tile), ("svs", Some([240, 240])));
    for (x, y, expected) in CMU {
        let found = means(&source.read(boxed(x, y, 512, 512)).unwrap());
        let near = found.iter().zip(expected).all(|(found, expected)| (found - expected).abs() < 0.02);
        assert!(near, "{found:?}, expected {expected:?} at {x}, {y}");
    }
}

#[test]
fn a_real_slide_with_jpeg_2000_tiles() {
    let Some(path) = slide("TCGA-CR-7395-01A-01-TS1.svs") else { return };
    let source = match open(&path) {
        Ok(source) => source,
        Err(error) => {
            let message = error.to_string();
            assert!(message.contains("JPEG 2000 (compression 33005), which is read through"), "{message}");
            eprintln!("skipped: OpenSlide is not installed");
            return;
        }
    };
    let info = source.info();
    assert_eq!((info.format.as_str(), info.um_per_pixel, info.scales.len()), ("svs", None, 2));
    assert!(info.details.library.as_deref().is_some_and(|library| library.starts_with("OpenSlide ")));
    for (scale, x, y, expected) in TCGA {
        let found = means(&source.read_scale(scale, boxed(x, y, 512, 512)).unwrap());
        let near = found.iter().zip(expected).all(|(found, expected)| (found - expected).abs() < 0.2);
        assert!(near, "{found:?}, expected {expected:?} at {x}, {y} of scale {scale}");
    }
    let part = boxed(1000, 700, 300, 200);
    let around = source.read(boxed(900, 600, 600, 500)).unwrap();
    assert_eq!(source.read(part).unwrap(), around.crop(boxed(100, 100, 300, 200)).unwrap());
    assert_eq!(source.digest(), open(&path).unwrap().digest());
}

const CMU: [(i64, i64, [f64; 3]); 3] = [
    (0, 0, [244.8294, 243.2065, 243.0443]),
    (700, 900, [192.0937, 156.2815, 181.3054]),
    (1700, 2400, [229.2354, 223.8849, 227.8759]),
];

const TCGA: [(usize, i64, i64, [f64; 3]); 3] = [
    (0, 0, 0, [254.9047, 254.8707, 254.8939]),
    (0, 1500, 2000, [203.5769, 111.7183, 157.9202]),
    (1, 600, 800, [201.025, 107.4231, 154.5393]),
];
