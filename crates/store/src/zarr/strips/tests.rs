//! Strips beside the general way and beside the values that were written, and flipped bytes in every chunk of them.

use std::collections::BTreeMap;
use std::sync::Arc;

use proptest::prelude::*;
use serde_json::{Value, json};

use super::super::array::PlaneAxes;
use super::super::band::ArrayBand;
use super::super::layout::ArrayLayout;
use super::super::shard::IndexBuilder;
use super::*;

/// An array of rows, columns and channels whose chunks are not compressed.
#[derive(Debug, Clone)]
struct Made {
    kind: (&'static str, usize),
    endian: &'static str,
    /// Rows, columns and channels.
    size: [u64; 3],
    /// Rows and columns of a chunk.
    chunk: [u64; 2],
    /// Chunks of a shard along rows and columns; `None` when each chunk is a file.
    shard: Option<[u64; 2]>,
    checked: bool,
    /// One chunk of so many was not written; none is when it is zero.
    absent: u64,
}

type Files = BTreeMap<String, Arc<[u8]>>;

/// What values have that were not written.
const FILL: u8 = 7;

impl Made {
    fn array(&self) -> ZarrArray {
        let layout = ArrayLayout::parse(&self.metadata()).unwrap();
        ZarrArray::new("", layout, PlaneAxes { channels: Some(2), rows: 0, columns: 1 })
    }

    fn metadata(&self) -> Value {
        let [rows, columns] = self.file();
        let chunk = [self.chunk[0], self.chunk[1], self.size[2]];
        let index =
            [json!({"name": "bytes", "configuration": {"endian": "little"}}), json!({"name": "crc32c"})];
        let mut codecs = vec![json!({"name": "bytes", "configuration": {"endian": self.endian}})];
        codecs.extend(self.checked.then(|| json!({"name": "crc32c"})));
        if self.shard.is_some() {
            codecs = vec![json!({"name": "sharding_indexed", "configuration": {
                "chunk_shape": chunk, "codecs": codecs, "index_codecs": index, "index_location": "end",
            }})];
        }
        json!({
            "zarr_format": 3, "node_type": "array", "shape": self.size, "data_type": self.kind.0, "fill_value": FILL,
            "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [rows, columns, self.size[2]]}},
            "chunk_key_encoding": {"name": "default", "configuration": {"separator": "."}},
            "codecs": codecs,
        })
    }

    /// Rows and columns of a file.
    fn file(&self) -> [u64; 2] {
        let [down, right] = self.shard.unwrap_or([1, 1]);
        [self.chunk[0] * down, self.chunk[1] * right]
    }

    fn is_absent(&self, chunk: [u64; 2]) -> bool {
        self.absent > 0 && (chunk[0] * 31 + chunk[1] * 17).is_multiple_of(self.absent)
    }

    /// The bytes of all channels of a pixel as they stand in a file.
    fn pixel(&self, [row, column]: [u64; 2]) -> Vec<u8> {
        let bytes = 0..self.size[2] * self.kind.1 as u64;
        if self.is_absent([row / self.chunk[0], column / self.chunk[1]]) {
            let last = if self.endian == "big" { self.kind.1 as u64 - 1 } else { 0 };
            return bytes.map(|at| if at % self.kind.1 as u64 == last { FILL } else { 0 }).collect();
        }
        let mixed =
            |at: u64| ((row << 20) + (column << 4) + at + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 48;
        bytes.map(|at| mixed(at) as u8).collect()
    }

    fn box_bytes(&self, [rows, columns]: &ArrayWindow) -> Vec<u8> {
        let row = |row| columns.clone().flat_map(move |column| self.pixel([row, column]));
        rows.clone().flat_map(row).collect()
    }

    /// The bytes of a chunk, also beyond the end of the image, with its checksum.
    fn chunk_bytes(&self, chunk: [u64; 2]) -> Vec<u8> {
        let along = |axis: usize| chunk[axis] * self.chunk[axis]..(chunk[axis] + 1) * self.chunk[axis];
        let mut bytes = self.box_bytes(&[along(0), along(1)]);
        if self.checked {
            bytes.extend(Crc32c::of(&bytes).to_bytes());
        }
        bytes
    }

    fn files(&self) -> Files {
        let (file, mut files) = (self.file(), Files::new());
        for row in 0..self.size[0].div_ceil(file[0]) {
            for column in 0..self.size[1].div_ceil(file[1]) {
                files.extend(
                    self.file_bytes([row, column]).map(|bytes| (format!("c.{row}.{column}.0"), bytes.into())),
                );
            }
        }
        files
    }

    fn file_bytes(&self, file: [u64; 2]) -> Option<Vec<u8>> {
        let Some([down, right]) = self.shard else {
            return (!self.is_absent(file)).then(|| self.chunk_bytes(file));
        };
        let (mut bytes, mut index) = (Vec::new(), IndexBuilder::default());
        for row in 0..down {
            for column in 0..right {
                let chunk = [file[0] * down + row, file[1] * right + column];
                if self.is_absent(chunk) {
                    index.leave_out();
                } else {
                    let chunk = self.chunk_bytes(chunk);
                    index.add(chunk.len() as u64);
                    bytes.extend(chunk);
                }
            }
        }
        bytes.extend(index.finish());
        Some(bytes)
    }
}

fn made() -> impl Strategy<Value = Made> {
    const KINDS: [(&str, usize); 4] = [("uint8", 1), ("uint16", 2), ("uint32", 4), ("uint64", 8)];
    (
        prop::sample::select(&KINDS[..]),
        prop::sample::select(&["little", "big"][..]),
        (1u64..20, 1u64..20, prop_oneof![Just(1u64), Just(3)]),
        (1u64..8, 1u64..24),
        prop::option::of((1u64..4, 1u64..4)),
        any::<bool>(),
        0u64..4,
    )
        .prop_map(|(kind, endian, size, chunk, shard, checked, absent)| Made {
            kind,
            endian,
            size: size.into(),
            chunk: chunk.into(),
            shard: shard.map(Into::into),
            checked,
            absent,
        })
}

fn read(
    array: &ZarrArray,
    folder: &ZarrFolder,
    window: &ArrayWindow,
    strip: usize,
) -> Result<Vec<u8>, SourceError> {
    let strips = ArrayStrips { strip, ..ArrayStrips::new(array, folder, window.clone()).unwrap() };
    strips.pixels(0).map(|pixels| pixels.as_bytes().to_vec())
}

proptest! {
    #[test]
    fn strips_give_what_the_general_way_gives(
        made in made(),
        corner in (0u64..20, 0u64..20, 1u64..20, 1u64..20),
        strip in 1usize..400,
    ) {
        let array = made.array();
        let folder = ZarrFolder::memory("made", made.files(), Arc::default());
        let range = |start: u64, length: u64, size: u64| {
            let start = start % size;
            start..size.min(start + length)
        };
        let whole = [0..made.size[0], 0..made.size[1]];
        let part = [range(corner.0, corner.2, made.size[0]), range(corner.1, corner.3, made.size[1])];
        for window in [whole.clone(), [whole[0].clone(), part[1].clone()], [part[0].clone(), whole[1].clone()], part] {
            let expected = made.box_bytes(&window);
            prop_assert_eq!(&read(&array, &folder, &window, strip).unwrap(), &expected);
            let [mut slice, mut general] = [vec![0; expected.len()], vec![0; expected.len()]];
            let strips = ArrayStrips { strip, ..ArrayStrips::new(&array, &folder, window.clone()).unwrap() };
            strips.fill::<u8>(&mut &mut slice[..]).unwrap();
            ArrayBand::new(&array, &folder, window, &mut general).fill().unwrap();
            prop_assert_eq!((&slice, &general), (&expected, &expected));
        }
    }
}

#[test]
fn a_flipped_byte_in_any_chunk_of_a_strip_is_found() {
    let wide = Made {
        kind: ("uint16", 2),
        endian: "little",
        size: [5, 11, 1],
        chunk: [3, 3],
        shard: Some([1, 2]),
        checked: true,
        absent: 0,
    };
    let column = Made { kind: ("uint8", 1), size: [5, 3, 1], shard: None, ..wide.clone() };
    for made in [wide, column] {
        let (array, files) = (made.array(), made.files());
        let whole = [0..made.size[0], 0..made.size[1]];
        for (name, bytes) in &files {
            for at in 0..bytes.len() {
                let mut changed = bytes.to_vec();
                changed[at] ^= 1 << (at % 8);
                let mut files = files.clone();
                files.insert(name.clone(), changed.into());
                let folder = ZarrFolder::memory("made", files, Arc::default());
                for strip in [1, 12, 1 << 20] {
                    let error = read(&array, &folder, &whole, strip).unwrap_err().to_string();
                    assert!(error.contains(&format!("made/{name}")) && error.contains("expected"), "{error}");
                }
                assert!(array.read(&folder, whole[0].clone(), whole[1].clone(), 2).is_err());
            }
        }
    }
}

#[test]
fn a_chunk_of_another_length_is_refused() {
    let made = Made {
        kind: ("uint8", 1),
        endian: "little",
        size: [4, 4, 1],
        chunk: [4, 4],
        shard: None,
        checked: true,
        absent: 0,
    };
    let (array, bytes) = (made.array(), made.files()["c.0.0.0"].to_vec());
    for length in [0, 3, 19, 21] {
        let mut cut = bytes.clone();
        cut.resize(length, 0);
        let folder = ZarrFolder::memory("made", [("c.0.0.0".to_owned(), cut.into())].into(), Arc::default());
        let error = array.read(&folder, 0..4, 0..4, 1).unwrap_err().to_string();
        assert!(error.contains(&format!("found {length} bytes instead of 20")), "{error}");
    }
}

#[test]
fn compressed_chunks_planes_and_many_files_go_the_general_way() {
    let made = Made {
        kind: ("uint8", 1),
        endian: "little",
        size: [1, 100, 1],
        chunk: [1, 1],
        shard: None,
        checked: false,
        absent: 0,
    };
    let folder = ZarrFolder::memory("made", made.files(), Arc::default());
    let strips = |array: &ZarrArray, columns| ArrayStrips::new(array, &folder, [0..1, columns]).is_some();
    assert!(strips(&made.array(), 0..MOST_FILES) && !strips(&made.array(), 0..MOST_FILES + 1));
    assert_eq!(
        made.array().read(&folder, 0..1, 0..100, 1).unwrap().as_bytes(),
        made.box_bytes(&[0..1, 0..100])
    );
    let with = |path: &str, value: Value| {
        let mut metadata = Made { size: [4, 4, 3], ..made.clone() }.metadata();
        *metadata.pointer_mut(path).unwrap() = value;
        ZarrArray::new(
            "",
            ArrayLayout::parse(&metadata).unwrap(),
            PlaneAxes { channels: Some(2), rows: 0, columns: 1 },
        )
    };
    let bytes = json!({"name": "bytes", "configuration": {"endian": "little"}});
    let planes = json!([{"name": "transpose", "configuration": {"order": [2, 0, 1]}}, bytes]);
    for codecs in [json!([bytes, {"name": "zstd", "configuration": {"level": 1}}]), planes] {
        assert!(!strips(&with("/codecs", codecs), 0..4));
    }
    let two_files = with("/chunk_grid/configuration/chunk_shape", json!([1, 1, 1]));
    assert!(!strips(&two_files, 0..4), "channels in several files");
}
