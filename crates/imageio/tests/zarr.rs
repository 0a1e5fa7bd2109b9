//! Zarr and OME-Zarr beside the crate `zarrs`: each reads the files of the other, with every codec.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stderr)]

mod support;

use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use onceflow_imageio::pyramid::{Pyramid, PyramidOptions, PyramidWork, write_pyramid};
use onceflow_imageio::{OmeZarr, OmeZarrSink, open, open_bytes, open_metered, png_bytes};
use onceflow_region::store::WriteRegion as _;
use onceflow_region::{Budget, Dense, Element, Pixels, ReadMeter, Region, RegionId, RegionKind};
use onceflow_store::ZarrStore;
use onceflow_store::publish::{Publisher, is_temporary};
use onceflow_store::zarr::Compression;
use proptest::prelude::*;
use serde_json::{Value, json};
use zarrs::array::{Array, ArrayBytes, ArrayMetadata};
use zarrs::filesystem::FilesystemStore;

use support::{boxed, texture};

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

/// An array as another program may have written it.
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

/// Chunks may be larger than an array along axes of which an image has one place.
#[test]
fn chunks_with_places_of_other_axes_are_read() {
    let place = tempfile::tempdir().unwrap();
    let array = Other {
        kind: ELEMENTS[2],
        shape: vec![1, 5, 24],
        names: "zyx",
        chunk: vec![2, 1, 4],
        shard: None,
        codecs: vec![json!({"name": "crc32c"})],
        endian: "little",
        index_at: "end",
        separator: "/",
    };
    let expected = array.write(place.path());
    assert!(same(&open(place.path()).unwrap().read(boxed(0, 0, 24, 5)).unwrap(), &expected));
}

fn picture(width: usize, height: usize, channels: usize) -> Dense {
    Dense::new(width, height, channels, Pixels::U8(texture(width * height * channels))).unwrap()
}

/// Writes an image as OME-Zarr with all its scales.
fn convert(image: &Dense, path: &Path, compression: Compression) -> Pyramid {
    let source = open_bytes("image.png", png_bytes(image).unwrap()).unwrap();
    let pyramid = Pyramid {
        um_per_pixel: Some(0.25),
        ..Pyramid::plan(source.info(), &PyramidOptions { tile: [512, 512], ..PyramidOptions::default() })
            .unwrap()
    };
    let sink = OmeZarrSink::create(path, &pyramid, compression, &Publisher::new()).unwrap();
    let work = PyramidWork {
        threads: 2,
        budget: Budget::new(1 << 30),
        watch: &|_, _| (),
        stop: &AtomicBool::new(false),
    };
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
fn regions_of_a_store_are_arrays_that_zarrs_reads() {
    for (channels, compression) in [(3, Compression::None), (1, Compression::None), (3, Compression::Zstd(1))]
    {
        let place = tempfile::tempdir().unwrap();
        let store =
            ZarrStore::with(place.path(), Budget::new(1 << 30), compression, Publisher::hasty()).unwrap();
        let (width, height) = (1003, 701);
        let image = picture(width, height, channels);
        let id = RegionId::new("image", "pixels", RegionKind::Dense);
        store.write(&id, Region::Dense(image.clone())).unwrap();
        let mut folders = std::fs::read_dir(place.path().join("content")).unwrap();
        let files = Arc::new(FilesystemStore::new(folders.next().unwrap().unwrap().path()).unwrap());
        let array = Array::open(files, "/").unwrap();
        let theirs: ArrayBytes<'static> = array.retrieve_array_subset(&array.subset_all()).unwrap();
        let planes = Other {
            kind: ELEMENTS[0],
            shape: vec![channels as u64, height as u64, width as u64],
            names: "cyx",
            chunk: vec![],
            shard: None,
            codecs: vec![],
            endian: "little",
            index_at: "end",
            separator: ".",
        };
        assert!(same(&image, &planes.image(&theirs.into_fixed().unwrap())), "{channels} {compression:?}");
    }
}

#[test]
fn a_box_reads_its_chunks_and_no_more() {
    let place = tempfile::tempdir().unwrap();
    let path = place.path().join("a.ome.zarr");
    convert(&picture(3000, 3000, 3), &path, Compression::None);
    let meter = Arc::new(ReadMeter::default());
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
    let meter = Arc::new(ReadMeter::default());
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
    corrupt_cut_and_lost(&picture(90, 70, 3), Compression::Zstd(1));
    corrupt_cut_and_lost(&picture(40, 30, 1), Compression::None);
}

fn corrupt_cut_and_lost(image: &Dense, compression: Compression) {
    let place = tempfile::tempdir().unwrap();
    let path = place.path().join("a.ome.zarr");
    convert(image, &path, compression);
    let shard = path.join("0/c/0/0/0");
    let bytes = std::fs::read(&shard).unwrap();
    let whole = boxed(0, 0, image.width() as u64, image.height() as u64);
    let read = || open(&path).and_then(|source| source.read(whole));
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
    let pyramid =
        Pyramid::plan(source.info(), &PyramidOptions { tile: [512, 512], ..PyramidOptions::default() })
            .unwrap();
    let sink = OmeZarrSink::create(&path, &pyramid, Compression::None, &Publisher::new()).unwrap();
    assert!(!path.exists());
    drop(sink);
    assert_eq!(std::fs::read_dir(place.path()).unwrap().count(), 0);
}
