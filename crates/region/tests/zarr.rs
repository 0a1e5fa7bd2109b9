//! Zarr and OME-Zarr beside the crate `zarrs`: what it writes we read, what we write it reads, whatever codecs there are.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stderr)]

mod support;

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use onceflow_region::publish::{Publisher, is_temporary};
use onceflow_region::pyramid::{Pyramid, Wish, Work, write_pyramid};
use onceflow_region::source::open_metered;
use onceflow_region::zarr::{Compression, OmeZarr, OmeZarrSink};
use onceflow_region::{Budget, Dense, Element, Meter, Pixels, Region, Source, open, open_bytes, png_bytes};
use proptest::prelude::*;
use serde_json::{Value, json};
use support::{boxed, texture};
use zarrs::array::{Array, ArrayBytes, ArrayMetadata};
use zarrs::filesystem::FilesystemStore;

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

/// An array as somebody else may have written it.
#[derive(Debug, Clone)]
struct Other {
    kind: (&'static str, Element),
    shape: Vec<u64>,
    names: &'static str,
    chunk: Vec<u64>,
    /// How many chunks a shard has along each axis.
    shard: Option<Vec<u64>>,
    codecs: Vec<Value>,
    endian: &'static str,
    index_at: &'static str,
    separator: &'static str,
}

impl Other {
    fn metadata(&self) -> Value {
        let mut codecs = self.codecs.clone();
        let place = codecs.iter().position(|codec| codec["name"] != "transpose").unwrap_or(codecs.len());
        codecs.insert(place, json!({"name": "bytes", "configuration": {"endian": self.endian}}));
        let mut file = self.chunk.clone();
        if let Some(shard) = &self.shard {
            file.iter_mut().zip(shard).for_each(|(side, chunks)| *side *= chunks);
            let index =
                [json!({"name": "bytes", "configuration": {"endian": "little"}}), json!({"name": "crc32c"})];
            codecs = vec![json!({"name": "sharding_indexed", "configuration": {
                "chunk_shape": self.chunk, "codecs": codecs, "index_codecs": index, "index_location": self.index_at,
            }})];
        }
        json!({
            "zarr_format": 3, "node_type": "array", "shape": self.shape, "data_type": self.kind.0, "fill_value": 7,
            "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": file}},
            "chunk_key_encoding": {"name": "default", "configuration": {"separator": self.separator}},
            "codecs": codecs,
            "dimension_names": self.names.chars().map(String::from).collect::<Vec<_>>(),
        })
    }

    fn axis(&self, name: char) -> Option<usize> {
        self.names.chars().position(|its| its == name)
    }

    fn size(&self) -> [usize; 3] {
        let along = |name| self.axis(name).map_or(1, |axis| self.shape[axis] as usize);
        [along('c'), along('y'), along('x')]
    }

    /// Writes values so that the value of a place is known, and gives the image that they are.
    fn write(&self, path: &Path) -> Dense {
        let metadata = ArrayMetadata::try_from(self.metadata().to_string().as_str()).unwrap();
        let store = Arc::new(FilesystemStore::new(path).unwrap());
        let array = Array::new_with_metadata(store, "/", metadata).unwrap();
        array.store_metadata().unwrap();
        let bytes = self.kind.1.bytes() as usize;
        let count: u64 = self.shape.iter().product();
        let values = texture(count as usize * bytes);
        array.store_array_subset(&array.subset_all(), ArrayBytes::new_flen(values.clone())).unwrap();
        self.image(&values)
    }

    /// The image of values that lie as the axes say.
    fn image(&self, values: &[u8]) -> Dense {
        let bytes = self.kind.1.bytes() as usize;
        let [channels, height, width] = self.size();
        let stride =
            |name| self.axis(name).map_or(0, |axis| self.shape[axis + 1..].iter().product::<u64>() as usize);
        let mut image = Vec::new();
        for (y, x, c) in (0..height * width * channels)
            .map(|at| (at / channels / width, at / channels % width, at % channels))
        {
            let place = y * stride('y') + x * stride('x') + c * stride('c');
            image.extend_from_slice(&values[place * bytes..][..bytes]);
        }
        Dense::new(width, height, channels, native(self.kind.1, &image)).unwrap()
    }
}

fn native(element: Element, bytes: &[u8]) -> Pixels {
    macro_rules! numbers {
        ($kind:ident, $number:ty) => {
            Pixels::$kind(
                bytes
                    .chunks_exact(size_of::<$number>())
                    .map(|b| <$number>::from_ne_bytes(b.try_into().unwrap()))
                    .collect(),
            )
        };
    }
    match element {
        Element::U8 => numbers!(U8, u8),
        Element::I8 => numbers!(I8, i8),
        Element::U16 => numbers!(U16, u16),
        Element::I16 => numbers!(I16, i16),
        Element::I32 => numbers!(I32, i32),
        Element::U32 => numbers!(U32, u32),
        Element::I64 => numbers!(I64, i64),
        Element::U64 => numbers!(U64, u64),
        Element::F32 => numbers!(F32, f32),
        Element::F64 => numbers!(F64, f64),
    }
}

fn same(one: &Dense, other: &Dense) -> bool {
    Region::Dense(one.clone()).is_same(&Region::Dense(other.clone()))
}

fn codecs(rank: usize) -> impl Strategy<Value = Vec<Value>> {
    let packing = prop::sample::select(vec![
        json!({"name": "zstd", "configuration": {"level": 1, "checksum": false}}),
        json!({"name": "zstd", "configuration": {"level": 3, "checksum": true}}),
        json!({"name": "gzip", "configuration": {"level": 1}}),
        json!({"name": "crc32c"}),
    ]);
    let order = Just((0..rank).collect::<Vec<usize>>()).prop_shuffle();
    (prop::collection::vec(packing, 0..3), proptest::option::of(order)).prop_map(|(mut codecs, order)| {
        if let Some(order) = order {
            codecs.insert(0, json!({"name": "transpose", "configuration": {"order": order}}));
        }
        codecs
    })
}

fn other() -> impl Strategy<Value = Other> {
    let axes = prop::sample::select(vec!["yx", "cyx", "yxc", "zyx", "tczyx", "xy", "xcy"]);
    let sides = (1u64..30, 1u64..30, prop::sample::select(vec![1u64, 3]));
    (axes, sides, prop::sample::select(&ELEMENTS[..])).prop_flat_map(
        |(names, (height, width, channels), kind)| {
            let side = move |name| match name {
                'y' => height,
                'x' => width,
                'c' => channels,
                _ => 1,
            };
            let (shape, rank): (Vec<u64>, usize) = (names.chars().map(side).collect(), names.len());
            let shard = proptest::option::of(prop::collection::vec(1u64..4, rank));
            let words = (
                prop::sample::select(vec!["little", "big"]),
                prop::sample::select(vec!["end", "start"]),
                prop::sample::select(vec!["/", "."]),
            );
            (Just(shape), prop::collection::vec(1u64..12, rank), shard, codecs(rank), words).prop_map(
                move |(shape, chunk, shard, codecs, (endian, index_at, separator))| Other {
                    kind,
                    shape,
                    names,
                    chunk,
                    shard,
                    codecs,
                    endian,
                    index_at,
                    separator,
                },
            )
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]
    #[test]
    fn arrays_of_zarrs_are_read_whole_in_parts_and_by_threads(array in other(), corner in (0u64..30, 0u64..30, 1u64..30, 1u64..30)) {
        let place = tempfile::tempdir().unwrap();
        let expected = array.write(place.path());
        let source = open(place.path()).unwrap();
        let (width, height) = (source.info().width, source.info().height);
        let whole = source.read(boxed(0, 0, width, height)).unwrap();
        prop_assert!(same(&whole, &expected));
        let (x, y) = (corner.0.min(width - 1), corner.1.min(height - 1));
        let part = boxed(x as i64, y as i64, corner.2.min(width - x), corner.3.min(height - y));
        prop_assert!(same(&source.read(part).unwrap(), &expected.crop(part).unwrap()));
        let parallel = OmeZarr::open(place.path(), Arc::default()).unwrap();
        prop_assert!(same(&parallel.read_parallel(0, part, NonZeroUsize::new(3).unwrap()).unwrap(), &expected.crop(part).unwrap()));
    }
}

#[test]
fn what_was_not_written_has_the_fill_value() {
    let place = tempfile::tempdir().unwrap();
    let array = Other {
        kind: ELEMENTS[3],
        shape: vec![20, 20],
        names: "yx",
        chunk: vec![5, 5],
        shard: Some(vec![2, 2]),
        codecs: vec![],
        endian: "big",
        index_at: "end",
        separator: "/",
    };
    let expected = array.write(place.path());
    std::fs::remove_file(place.path().join("c/1/0")).unwrap();
    let source = open(place.path()).unwrap();
    let read = source.read(boxed(0, 0, 20, 20)).unwrap();
    assert!(same(&read.crop(boxed(0, 0, 20, 10)).unwrap(), &expected.crop(boxed(0, 0, 20, 10)).unwrap()));
    assert_eq!(read.crop(boxed(0, 10, 10, 10)).unwrap().pixels(), &Pixels::I16(vec![7; 100]));
}

fn picture(width: usize, height: usize, channels: usize) -> Dense {
    Dense::new(width, height, channels, Pixels::U8(texture(width * height * channels))).unwrap()
}

/// Writes an image as OME-Zarr with all its scales.
fn convert(image: &Dense, path: &Path, compression: Compression) -> Pyramid {
    let source = open_bytes("image.png", png_bytes(image).unwrap()).unwrap();
    let pyramid = Pyramid {
        um_per_pixel: Some(0.25),
        ..Pyramid::plan(source.info(), &Wish { tile: [512, 512], ..Wish::default() }).unwrap()
    };
    let sink = OmeZarrSink::create(path, &pyramid, compression, &Publisher::new()).unwrap();
    let work =
        Work { threads: 2, budget: Budget::new(1 << 30), watch: &|_, _| (), stop: &AtomicBool::new(false) };
    write_pyramid(&*source, &pyramid, &work, Box::new(sink)).unwrap();
    pyramid
}

#[test]
fn what_we_write_we_and_zarrs_read() {
    let place = tempfile::tempdir().unwrap();
    for (channels, compression) in [(3, Compression::Zstd(1)), (1, Compression::None)] {
        let path = place.path().join(format!("{channels}.ome.zarr"));
        let image = picture(2300, 1111, channels);
        let pyramid = convert(&image, &path, compression);
        let source = open(&path).unwrap();
        let info = source.info();
        assert_eq!(
            (info.format.as_str(), info.um_per_pixel, info.details.tile),
            ("ome-zarr", Some(0.25), Some([512, 512]))
        );
        assert_eq!(
            info.scales.iter().map(|scale| [scale.width, scale.height]).collect::<Vec<_>>(),
            pyramid.scales
        );
        assert!(same(&source.read(info.bounds().unwrap()).unwrap(), &image));
        for scale in 0..info.scales.len() {
            let ours = source.read_scale(scale, info.scale_bounds(scale).unwrap()).unwrap();
            let store = Arc::new(FilesystemStore::new(&path).unwrap());
            let array = Array::open(store, &format!("/{scale}")).unwrap();
            let theirs: ArrayBytes<'static> = array.retrieve_array_subset(&array.subset_all()).unwrap();
            let [width, height] = pyramid.scales[scale];
            let planes = Other {
                kind: ELEMENTS[0],
                shape: vec![channels as u64, height, width],
                names: "cyx",
                chunk: vec![],
                shard: None,
                codecs: vec![],
                endian: "little",
                index_at: "end",
                separator: "/",
            };
            assert!(same(&ours, &planes.image(&theirs.into_fixed().unwrap())), "scale {scale}");
        }
    }
    assert!(std::fs::read_dir(place.path()).unwrap().all(|entry| !is_temporary(&entry.unwrap().file_name())));
}

#[test]
fn a_box_reads_its_chunks_and_no_more() {
    let place = tempfile::tempdir().unwrap();
    let path = place.path().join("a.ome.zarr");
    convert(&picture(3000, 3000, 3), &path, Compression::None);
    let meter = Arc::new(Meter::default());
    let source = open_metered(&path, Arc::clone(&meter)).unwrap();
    let before = meter.bytes();
    source.read(boxed(512, 1024, 512, 512)).unwrap();
    let chunk = 512 * 512 * 3 + 4;
    let index = 16 * 16 + 4;
    assert_eq!(meter.bytes() - before, chunk + index);
    let before = meter.bytes();
    source.read(boxed(2000, 2000, 100, 100)).unwrap();
    assert_eq!(meter.bytes() - before, 4 * (chunk + index), "four shards with a chunk each");
}

#[test]
fn digests_follow_the_content_and_are_kept() {
    let place = tempfile::tempdir().unwrap();
    let [one, other] = ["one", "other"].map(|folder| {
        std::fs::create_dir(place.path().join(folder)).unwrap();
        place.path().join(folder).join("a.ome.zarr")
    });
    convert(&picture(700, 300, 1), &one, Compression::None);
    convert(&picture(700, 300, 1), &other, Compression::None);
    let meter = Arc::new(Meter::default());
    let source = open_metered(&one, Arc::clone(&meter)).unwrap();
    let digest = source.digest().unwrap();
    let read = meter.bytes();
    assert_eq!((source.digest().unwrap(), meter.bytes()), (digest, read));
    std::fs::remove_dir_all(&one).unwrap();
    std::fs::rename(&other, &one).unwrap();
    let again = open(&one).unwrap().digest().unwrap();
    assert_eq!(again, digest, "the same image elsewhere");
    let shard = one.join("0/c/0/0/0");
    let mut bytes = std::fs::read(&shard).unwrap();
    bytes[100] ^= 1;
    std::fs::write(&shard, bytes).unwrap();
    assert_ne!(open(&one).unwrap().digest().unwrap(), digest);
}

#[test]
fn corrupt_cut_and_lost_shards_are_said() {
    let place = tempfile::tempdir().unwrap();
    let path = place.path().join("a.ome.zarr");
    convert(&picture(90, 70, 3), &path, Compression::Zstd(1));
    let shard = path.join("0/c/0/0/0");
    let bytes = std::fs::read(&shard).unwrap();
    let read = || open(&path).and_then(|source| source.read(boxed(0, 0, 90, 70)));
    for at in 0..bytes.len() {
        let mut changed = bytes.clone();
        changed[at] ^= 1 << (at % 8);
        std::fs::write(&shard, changed).unwrap();
        let error = read().unwrap_err().to_string();
        assert!(error.contains("0/c/0/0/0: expected") && error.contains("checksum"), "byte {at}: {error}");
    }
    std::fs::write(&shard, &bytes[..bytes.len() - 1]).unwrap();
    assert!(read().unwrap_err().to_string().contains("checksum"));
    std::fs::remove_file(&shard).unwrap();
    let error = read().unwrap_err().to_string();
    assert!(
        error.contains("expected a file for each chunk, since all were written, found no file"),
        "{error}"
    );
}

#[test]
fn a_sink_that_is_dropped_leaves_nothing() {
    let place = tempfile::tempdir().unwrap();
    let path = place.path().join("a.ome.zarr");
    let source = open_bytes("image.png", png_bytes(&picture(9, 9, 1)).unwrap()).unwrap();
    let pyramid = Pyramid::plan(source.info(), &Wish { tile: [512, 512], ..Wish::default() }).unwrap();
    let sink = OmeZarrSink::create(&path, &pyramid, Compression::None, &Publisher::new()).unwrap();
    assert!(!path.exists());
    drop(sink);
    assert_eq!(std::fs::read_dir(place.path()).unwrap().count(), 0);
}

/// Files in memory: the metadata of an image and of its only array.
fn files(group: &Value, array: &Value) -> BTreeMap<String, Arc<[u8]>> {
    let bytes = |value: &Value| Arc::from(value.to_string().into_bytes());
    BTreeMap::from([("zarr.json".to_owned(), bytes(group)), ("0/zarr.json".to_owned(), bytes(array))])
}

fn group(axes: &str) -> Value {
    let axes: Vec<Value> =
        axes.chars().map(|name| json!({"name": name.to_string(), "unit": "nanometer"})).collect();
    let scale: Vec<f64> = axes.iter().map(|_| 500.0).collect();
    json!({"zarr_format": 3, "node_type": "group", "attributes": {"ome": {"version": "0.5", "multiscales": [{
        "axes": axes, "datasets": [{"path": "0", "coordinateTransformations": [{"type": "scale", "scale": scale}]}],
    }]}}})
}

fn array(shape: &[u64]) -> Value {
    let chunk: Vec<u64> = shape.iter().map(|side| (*side).clamp(1, 64)).collect();
    json!({"zarr_format": 3, "node_type": "array", "shape": shape, "data_type": "uint8", "fill_value": 0,
        "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": chunk}},
        "chunk_key_encoding": {"name": "default"}, "codecs": [{"name": "bytes"}]})
}

fn look(axes: &str, shape: &[u64]) -> Result<OmeZarr, String> {
    OmeZarr::from_files("image", files(&group(axes), &array(shape))).map_err(|error| error.to_string())
}

#[test]
fn planes_are_images_and_stacks_are_refused() {
    for (axes, shape, channels) in [
        ("yx", &[5, 4][..], 1),
        ("cyx", &[3, 5, 4], 3),
        ("zyx", &[1, 5, 4], 1),
        ("tczyx", &[1, 3, 1, 5, 4], 3),
        ("yxc", &[5, 4, 3], 3),
    ] {
        let image = look(axes, shape).unwrap();
        let info = image.info();
        assert_eq!(
            (info.width, info.height, info.channels, info.um_per_pixel),
            (4, 5, channels, Some(0.5)),
            "{axes}"
        );
        assert_eq!(image.read(boxed(0, 0, 4, 5)).unwrap().channels(), channels as usize);
    }
    for (axes, shape, expected) in [
        (
            "zyx",
            &[2, 5, 4][..],
            "expected an image of one plane (one depth, one time), found axes zyx with [2, 5, 4] places",
        ),
        ("tczyx", &[3, 1, 1, 5, 4], "one plane"),
        ("cyx", &[4, 5, 4], "1 channel (grey) or 3 (colour)"),
        ("zx", &[5, 4], "axes y and x"),
        ("yx", &[5, 4, 3], "an array of 2 axes, found an array of shape [5, 4, 3]"),
    ] {
        let error = look(axes, shape).unwrap_err();
        assert!(error.contains(expected), "{error}");
    }
}

#[test]
fn three_stains_are_no_colours() {
    let mut group = group("cyx");
    let channels = ["0000FF", "00FF00", "FF0000"].map(|colour| json!({"color": colour}));
    group["attributes"]["ome"]["omero"] = json!({"channels": channels});
    let error = OmeZarr::from_files("image", files(&group, &array(&[3, 5, 4]))).unwrap_err().to_string();
    assert!(
        error.contains("expected red, green and blue as the three channels, found channels shown as 0000FF"),
        "{error}"
    );
}

/// Metadata with one thing changed.
fn changed(pointer: &str, value: Value) -> String {
    let mut array = json!({"zarr_format": 3, "node_type": "array", "shape": [64, 64], "data_type": "uint8", "fill_value": 0,
        "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [32, 32]}},
        "chunk_key_encoding": {"name": "default", "configuration": {"separator": "/"}},
        "codecs": [{"name": "sharding_indexed", "configuration": {"chunk_shape": [16, 16], "codecs": [{"name": "bytes"}],
            "index_codecs": [{"name": "bytes"}, {"name": "crc32c"}]}}]});
    *array.pointer_mut(pointer).unwrap() = value;
    OmeZarr::from_files("image", files(&group("yx"), &array)).map_or_else(
        |error| error.to_string(),
        |image| {
            image
                .read(boxed(0, 0, image.info().width.min(9), 1))
                .map_or_else(|error| error.to_string(), |_| "read".to_owned())
        },
    )
}

#[test]
fn hostile_metadata_are_refused_by_name() {
    let inner = "/codecs/0/configuration";
    for (pointer, value, expected) in [
        ("/shape", json!([64, 64]), "read"),
        ("/shape", json!([1u64 << 47, 1u64 << 47]), "read"),
        ("/shape", json!([u64::MAX, 64]), "at most"),
        ("/shape", json!([0, 64]), "expected a box with pixels within"),
        ("/shape", json!([-1, 64]), "whole numbers"),
        ("/shape", json!([[[[]]]]), "whole numbers"),
        ("/chunk_grid/configuration/chunk_shape", json!([0, 32]), "whole chunks fill"),
        (
            "/chunk_grid/configuration/chunk_shape",
            json!([1u64 << 40, 1u64 << 40]),
            "at most 1048576 chunks in a shard",
        ),
        ("/chunk_grid/configuration/chunk_shape", json!([33, 32]), "whole chunks fill"),
        ("/chunk_grid/name", json!("rectangular"), "regular"),
        ("/chunk_key_encoding/configuration/separator", json!("/../"), "the separator / or ."),
        ("/chunk_key_encoding/name", json!("../.."), "default or v2"),
        ("/codecs/0/configuration/chunk_shape", json!([0, 16]), "chunks of 1 to"),
        ("/codecs/0/configuration/chunk_shape", json!([u64::MAX, u64::MAX]), "chunks of 1 to"),
        ("/codecs/0/configuration/codecs", json!([{"name": "sharding_indexed"}]), "the codec bytes"),
        (
            "/codecs/0/configuration/codecs",
            json!([{"name": "bytes"}, {"name": "lzma"}]),
            "the codecs zstd, gzip",
        ),
        (
            "/codecs/0/configuration/codecs",
            json!([{"name": "transpose", "configuration": {"order": [0, 0]}}, {"name": "bytes"}]),
            "every axis once",
        ),
        ("/codecs/0/configuration/codecs", json!([]), "the codec bytes"),
        ("/codecs", json!([{"name": "bytes"}, {"name": "sharding_indexed"}]), "the codecs zstd, gzip"),
        ("/data_type", json!("complex128"), "data_type complex128"),
        ("/fill_value", json!(256), "a fill_value of u8, found 256"),
        ("/fill_value", json!("NaN"), "a fill_value of u8"),
        ("/zarr_format", json!(2), "zarr_format 3, found 2"),
        ("/node_type", json!("group"), "node_type \"array\""),
    ] {
        let found = changed(pointer, value.clone());
        assert!(found.contains(expected), "{pointer} = {value}: {found}");
    }
    assert!(changed(inner, json!(null)).contains("chunk_shape as a list, found nothing"));
    let deep = "[".repeat(100_000);
    let files = BTreeMap::from([("zarr.json".to_owned(), Arc::from(deep.into_bytes()))]);
    assert!(OmeZarr::from_files("image", files).unwrap_err().to_string().contains("expected JSON"));
}

#[test]
fn paths_of_scales_stay_within() {
    for path in ["../0", "/etc", "a/../../b", "", ".", "a\\..\\b"] {
        let mut group = group("yx");
        group["attributes"]["ome"]["multiscales"][0]["datasets"][0]["path"] = json!(path);
        let error = OmeZarr::from_files("image", files(&group, &array(&[4, 4]))).unwrap_err().to_string();
        assert!(error.contains("expected the path of a folder within"), "{path}: {error}");
    }
}

/// A chunk of a few bytes that promises more than there is memory.
#[test]
fn promises_of_compressed_chunks_are_not_believed() {
    let mut array = array(&[64, 64]);
    array["codecs"] =
        json!([{"name": "bytes"}, {"name": "zstd", "configuration": {"level": 1, "checksum": false}}]);
    let mut frame = vec![0x28, 0xb5, 0x2f, 0xfd, 0xe0];
    frame.extend_from_slice(&(1u64 << 60).to_le_bytes());
    frame.extend_from_slice(&[1, 0, 0]);
    let mut files = files(&group("yx"), &array);
    files.insert("0/c/0/0".to_owned(), Arc::from(frame));
    let image = OmeZarr::from_files("image", files).unwrap();
    let error = image.read(boxed(0, 0, 64, 64)).unwrap_err().to_string();
    assert!(error.contains("cannot be unpacked"), "{error}");
}

#[test]
fn other_folders_are_refused_by_name() {
    let place = tempfile::tempdir().unwrap();
    let refused = || open(place.path()).unwrap_err().to_string();
    assert!(refused().contains("found a folder without zarr.json"), "{}", refused());
    std::fs::write(place.path().join(".zattrs"), "{}").unwrap();
    assert!(refused().contains("found a folder without zarr.json"), "{}", refused());
    let old = json!({"multiscales": [{"version": "0.3", "axes": ["y", "x"], "datasets": [{"path": "0"}]}]});
    std::fs::write(place.path().join(".zattrs"), old.to_string()).unwrap();
    assert!(refused().contains("or 0.4 with Zarr v2, found \"0.3\""), "{}", refused());
    for (ome, expected) in [
        (
            json!({"version": "0.6", "multiscales": []}),
            "the OME-Zarr version 0.5, or 0.4 with Zarr v2, found \"0.6\"",
        ),
        (json!({"version": "0.5", "plate": {}}), "a plate of many"),
        (json!({"version": "0.5", "bioformats2raw.layout": 3}), "its folder 0"),
        (json!({}), "expected an image (multiscales), found none"),
    ] {
        let group = json!({"zarr_format": 3, "node_type": "group", "attributes": {"ome": ome}});
        std::fs::write(place.path().join("zarr.json"), group.to_string()).unwrap();
        assert!(refused().contains(expected), "{}", refused());
    }
}
