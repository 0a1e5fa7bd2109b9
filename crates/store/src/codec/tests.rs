//! Every region comes back exactly, and other bytes never become one.

use onceflow_region::{
    Bounds, Budget, Column, Dense, Line, ObjectSet, Pixels, Points, Polygon, Polygons, Span, Sparse, Table,
    Volume, VolumeGeometry,
};
use proptest::prelude::*;

use super::*;
use crate::blob::{BlobContent, BlobStore, MemoryBlobs};

fn bytes_of(region: &Region) -> Vec<u8> {
    let mut bytes = Vec::new();
    encode(region, &mut bytes).unwrap();
    bytes
}

fn again(bytes: &[u8]) -> Result<Region, CodecError> {
    decode(&mut &bytes[..], bytes.len() as u64)
}

macro_rules! any_pixels {
    ($count:expr; $($kind:ident $number:ty),*) => {
        prop_oneof![$(prop::collection::vec(any::<[u8; size_of::<$number>()]>(), $count)
            .prop_map(|values| Pixels::$kind(values.into_iter().map(<$number>::from_le_bytes).collect()))),*]
    };
}

/// Values of any bits, NaN included.
fn pixels(count: usize) -> impl Strategy<Value = Pixels> {
    any_pixels!(count; U8 u8, I8 i8, U16 u16, I16 i16, U32 u32, I32 i32, U64 u64, I64 i64, F32 f32, F64 f64)
}

fn line() -> impl Strategy<Value = Region> {
    let values = (0usize..50).prop_flat_map(pixels);
    (any::<i32>(), values).prop_map(|(start, values)| Region::Line(Line::new(start.into(), values).unwrap()))
}

fn volume() -> impl Strategy<Value = Volume> {
    let side =
        || (any::<i32>(), 0u64..4).prop_map(|(start, length)| Span::new(start.into(), length).unwrap());
    let bounds = (side(), side(), side(), side()).prop_map(|(x, y, z, time)| Bounds::new(x, y, z, time));
    bounds.prop_flat_map(|bounds| {
        let geometry = VolumeGeometry { origin: [1.0, f64::NAN, -0.0], ..VolumeGeometry::default() };
        let values = pixels(bounds.positions().unwrap() as usize);
        values.prop_map(move |values| Volume::new(bounds, values, geometry).unwrap())
    })
}

fn points() -> impl Strategy<Value = Region> {
    let place = || prop::array::uniform3(-1e9f64..1e9);
    (prop::collection::vec(place(), 0..9)).prop_flat_map(|places| {
        (Just(places.clone()), table(places.len())).prop_map(|(places, columns)| {
            let mut points = Points::new(places).unwrap();
            columns
                .into_columns()
                .into_iter()
                .for_each(|(name, column)| points.add_column(name, column).unwrap());
            Region::Points(points)
        })
    })
}

/// As they come, or clipped.
fn polygons() -> impl Strategy<Value = Region> {
    let corner = || prop::array::uniform2(-9.0f64..9.0);
    let rings = || prop::collection::vec(prop::collection::vec(corner(), 3..7), 0..3);
    let polygon = (rings(), rings()).prop_map(|(outer, holes)| Polygon { outer, holes });
    let polygons = prop::collection::vec(polygon, 0..4).prop_map(|all| Polygons::new(all).unwrap());
    let clip = Bounds::plane(-4, -4, 8, 8).unwrap();
    prop_oneof![polygons.clone(), polygons.prop_map(move |polygons| polygons.crop(&clip)),]
        .prop_map(Region::Polygons)
}

fn dense() -> impl Strategy<Value = Region> {
    (0usize..7, 0usize..7, prop_oneof![Just(1usize), Just(3)]).prop_flat_map(|(width, height, channels)| {
        let count = width * height * channels;
        pixels(count)
            .prop_map(move |pixels| Region::Dense(Dense::new(width, height, channels, pixels).unwrap()))
    })
}

fn column(rows: usize) -> impl Strategy<Value = Column> {
    prop_oneof![
        prop::collection::vec(any::<i64>(), rows).prop_map(Column::Integer),
        prop::collection::vec(any::<u64>().prop_map(f64::from_bits), rows).prop_map(Column::Real),
        prop::collection::vec(".{0,5}", rows).prop_map(Column::Text),
    ]
}

fn table(rows: usize) -> impl Strategy<Value = Table> {
    prop::collection::vec(column(rows), 0..4).prop_map(|columns| {
        let named = columns.into_iter().enumerate().map(|(at, column)| (format!("feature {at}"), column));
        Table::new(named.collect()).unwrap()
    })
}

fn objects() -> impl Strategy<Value = Region> {
    object_set().prop_map(Region::Objects)
}

fn object_set() -> impl Strategy<Value = ObjectSet> {
    let label = prop_oneof![3 => Just(0u32), 3 => 1u32..4, 1 => any::<u32>()];
    let plane = (0usize..9, 0usize..9).prop_flat_map(move |(width, height)| {
        prop::collection::vec(label.clone(), width * height)
            .prop_map(move |values| Dense::new(width, height, 1, Pixels::U32(values)).unwrap())
    });
    plane.prop_flat_map(|plane| {
        let set = ObjectSet::from_labels(&plane).unwrap();
        (Just(set.clone()), table(set.len())).prop_map(|(mut set, features)| {
            features
                .into_columns()
                .into_iter()
                .for_each(|(name, column)| set.add_feature(name, column).unwrap());
            set
        })
    })
}

fn region() -> impl Strategy<Value = Region> {
    prop_oneof![
        4 => dense(),
        1 => line(),
        2 => volume().prop_map(Region::Volume),
        2 => volume().prop_map(|volume| Region::Sparse(Sparse::from_volume(&volume))),
        2 => points(),
        3 => polygons(),
        4 => objects(),
        2 => (0usize..5).prop_flat_map(table).prop_map(Region::Table),
        1 => Just(Region::Nothing),
    ]
}

proptest! {
    #[test]
    fn regions_come_back_exactly(region in region()) {
        let bytes = bytes_of(&region);
        let found = again(&bytes).unwrap();
        // The digest covers every bit; NaN does not equal NaN under `==`.
        prop_assert_eq!((found.digest(), found.kind()), (region.digest(), region.kind()));
        prop_assert_eq!(bytes_of(&found), bytes.clone());
        prop_assert_eq!(EncodedRegion::new(&region).unwrap().length(), bytes.len() as u64);
        prop_assert_eq!(memory(&mut &bytes[..]).unwrap(), region.bytes());
    }

    #[test]
    fn cut_and_changed_bytes_never_panic(region in region(), cut in 0.0f64..1.0, at in any::<prop::sample::Index>(), bit in 0u8..8) {
        let mut bytes = bytes_of(&region);
        prop_assert!(again(&bytes[..(cut * bytes.len() as f64) as usize]).is_err());
        prop_assert!(again(&[&bytes[..], &[0]].concat()).is_err());
        let at = at.index(bytes.len());
        bytes[at] ^= 1 << bit;
        // What is still a region is written as it was read.
        if let Ok(found) = again(&bytes) {
            prop_assert_eq!(bytes_of(&found), bytes);
        }
    }

    #[test]
    fn regions_lie_in_stores_of_blobs(region in region()) {
        let blobs = MemoryBlobs::new(Budget::new(1 << 20));
        let content = EncodedRegion::new(&region).unwrap();
        let digest = crate::blob::digest(&content).unwrap();
        blobs.write(&digest, &content).unwrap();
        prop_assert_eq!(blobs.put(&bytes_of(&region)).unwrap(), digest);
        let mut opened = blobs.open(&digest).unwrap();
        prop_assert_eq!(decode(&mut opened.stream, opened.length).unwrap().digest(), region.digest());
    }
}

/// The fields of a header, as numbers.
fn header(kind: u64, memory: u64) -> Vec<u8> {
    let numbers = [VERSION, kind, memory].map(u64::to_le_bytes);
    [MARK.to_vec(), numbers.concat()].concat()
}

fn with(kind: u64, numbers: &[u64]) -> Vec<u8> {
    let mut bytes = header(kind, 0);
    numbers.iter().for_each(|number| bytes.extend_from_slice(&number.to_le_bytes()));
    bytes
}

#[test]
fn absurd_sizes_are_refused_before_anything_is_allocated() {
    let large = u64::MAX;
    for bytes in [
        with(1, &[large, large, 3, 0]),
        with(1, &[1 << 40, 1, 1, 9]),
        with(1, &[large, 0, 1, 0]),
        with(1, &[0, 0, 2, 0]),
        with(1, &[0, 0, 1, 10]),
        with(2, &[large, 1, 0, 0]),
        with(2, &[4, 4, large]),
        with(2, &[4, 4, 1, 1, large, 0]),
        with(3, &[large]),
        with(3, &[1, large, 0, 0]),
        with(3, &[1, 0, 2, large >> 3]),
        with(4, &[0, 0, large]),
        with(4, &[i64::MAX as u64, 0, 1, 0]),
        with(5, &[0, large, 0, 1, 0, 1, 0, 1]),
        with(5, &[0, 1 << 30, 0, 1 << 30, 0, 1 << 30, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]),
        with(6, &[0, 1, 0, 1, 0, 1, 0, 1, 0, large]),
        with(6, &[0, 1, 0, 1, 0, 1, 0, 1, 6, 1, 0, 0]),
        with(6, &[0, 1, 0, 1, 0, 1, 0, 1, 6, 1, 1, 1]),
        with(7, &[large >> 3]),
        with(8, &[large]),
        with(8, &[1, large]),
        with(8, &[1, 1, large]),
        with(9, &[]),
    ] {
        assert!(again(&bytes).is_err());
    }
    assert!(again(&with(0, &[])).is_ok() && again(&with(1, &[0, 0, 1, 0])).is_ok());
}

#[test]
fn a_header_says_what_is_wrong() {
    let said = |bytes: &[u8]| again(bytes).unwrap_err().to_string();
    assert_eq!(
        said(b"PNG and other things"),
        "expected the mark of a region, found other bytes; these are not the bytes of a region"
    );
    let mut newer = header(0, 0);
    newer[8] = 2;
    assert_eq!(said(&newer), "expected version 1 of the form, found 2; these are not the bytes of a region");
    assert_eq!(
        said(&header(0, 0)[..20]),
        "expected 8 bytes for kind, found 4; the bytes of a region were cut or changed"
    );
    assert_eq!(
        said(&header(0, 7)),
        "expected the memory that the header says, found 0; these are not the bytes of a region"
    );
}

/// The bytes of a set of objects, without features, that is as good as its runs.
fn set(objects: &[(u64, &[[u32; 3]])]) -> Vec<u8> {
    let mut bytes = with(2, &[4, 2, objects.len() as u64]);
    for (label, runs) in objects {
        bytes.extend_from_slice(&label.to_le_bytes());
        bytes.extend_from_slice(&(runs.len() as u64).to_le_bytes());
        runs.iter().flatten().for_each(|number| bytes.extend_from_slice(&number.to_le_bytes()));
    }
    bytes.extend_from_slice(&[0; 8]);
    bytes
}

#[test]
fn only_objects_that_a_plane_has_are_read() {
    for objects in [
        &[(0, &[[0, 0, 1]][..])][..],
        &[(1 << 40, &[[0, 0, 1]])],
        &[(2, &[[0, 0, 1]]), (1, &[[1, 0, 1]])],
        &[(1, &[[0, 0, 1], [0, 2, 1], [1, 0, 1]]), (2, &[])],
        &[(1, &[[0, 0, 0]])],
        &[(1, &[[0, 3, 2]])],
        &[(1, &[[2, 0, 1]])],
        &[(1, &[[0, u32::MAX, u32::MAX]])],
        &[(1, &[[1, 0, 1], [0, 0, 1]])],
        &[(1, &[[0, 0, 1], [0, 1, 1]])],
        &[(1, &[[0, 0, 2]]), (2, &[[0, 1, 2]])],
    ] {
        let error = again(&set(objects)).unwrap_err();
        assert!(
            matches!(&error, CodecError::Form { expected, .. } if !expected.contains("memory")),
            "{error}"
        );
    }
}
