//! The conformance suite: tests that every store of regions passes with the capabilities that it has.

use onceflow_region::store::{ListRegions, ReadRegion, ReadRegionPart, RemoveRegion, Store, WriteRegion};
use onceflow_region::{
    Bounds, Column, Dense, Element, Line, ObjectSet, Pixels, Points, Polygon, Polygons, Region, RegionId,
    RegionKind, RegionQuery, Span, Sparse, StoreError, Table, Volume, VolumeGeometry,
};

/// Checks an empty store and leaves it empty if it can remove.
pub(crate) fn check(store: &dyn Store) {
    let (Some(writer), Some(reader)) = (store.writer(), store.reader()) else { return };
    regions_come_back(writer, reader);
    the_latest_staged_counts(writer, reader);
    wrong_kinds_are_refused(writer, reader);
    every_element_and_size_comes_back(writer, reader);
    names_are_only_names(writer, reader);
    writing_again_replaces(writer, reader);
    readers_see_one_or_the_other(store);
    if let Some(parts) = store.part_reader() {
        parts_are_crops(writer, reader, parts);
    }
    if let Some(lister) = store.lister() {
        lists_what_was_written(lister);
        if let Some(remover) = store.remover() {
            removes(remover, reader, lister);
        }
    }
}

fn labels() -> Dense {
    Dense::new(4, 3, 1, Pixels::U32(vec![0, 1, 1, 0, 2, 2, 0, 0, 0, 0, 9, 9])).unwrap()
}

fn kinds() -> Vec<Region> {
    let table = Table::new(vec![("name".into(), Column::Text(vec!["a".into(), "ü".into()]))]).unwrap();
    let objects = ObjectSet::from_labels(&labels()).unwrap();
    let deep = Bounds::new(Span::from(2), Span::from(1), Span::new(-3, 2).unwrap(), Span::ONE);
    let volume = Volume::new(deep, Pixels::I16(vec![0, -7, 7, 0]), VolumeGeometry::default()).unwrap();
    let mut points = Points::new(vec![[0.5, -1.25, 3.0], [7.0, 0.0, 0.0]]).unwrap();
    points.add_column("area", Column::Integer(vec![4, 5])).unwrap();
    let triangle = Polygon { outer: vec![vec![[0.0, 0.0], [2.5, 0.0], [0.0, 3.0]]], holes: Vec::new() };
    let mut polygons = Polygons::new(vec![triangle]).unwrap();
    polygons.add_column("label", Column::Integer(vec![7])).unwrap();
    vec![
        Region::Dense(labels()),
        Region::Line(Line::new(-2, Pixels::F32(vec![0.5, f32::NAN])).unwrap()),
        Region::Volume(volume.clone()),
        Region::Sparse(Sparse::from_volume(&volume)),
        Region::Points(points),
        Region::Polygons(polygons),
        Region::Objects(objects),
        Region::Table(table),
        Region::Nothing,
    ]
}

fn id(region: &Region) -> RegionId {
    RegionId::new("image", "result", region.kind())
}

fn regions_come_back(writer: &dyn WriteRegion, reader: &dyn ReadRegion) {
    for region in kinds() {
        assert!(matches!(reader.read(&id(&region)), Err(StoreError::Missing { .. })));
        writer.write(&id(&region), region.clone()).unwrap();
        assert_eq!(reader.read(&id(&region)).unwrap().digest(), region.digest());
    }
}

fn the_latest_staged_counts(writer: &dyn WriteRegion, reader: &dyn ReadRegion) {
    let number = |value: f64| Region::Table(Table::numbers([("value", value)]).unwrap());
    let base = RegionId::new("image", "count", RegionKind::Table);
    let latest = || {
        let (id, held) = reader.latest(&RegionQuery::named("image", "count")).unwrap();
        (id.version, held.as_table().and_then(|table| table.number("value")).unwrap())
    };
    for (version, value) in [(4, 0.5), (2, 1.5), (4, 2.5)] {
        writer.write(&base.clone().with_version(version), number(value)).unwrap();
        assert_eq!(latest(), (version, value));
    }
}

fn wrong_kinds_are_refused(writer: &dyn WriteRegion, reader: &dyn ReadRegion) {
    let wrong = RegionId::new("image", "wrong", RegionKind::Table);
    assert!(matches!(writer.write(&wrong, Region::Nothing), Err(StoreError::Kind { .. })));
    assert!(matches!(reader.read(&wrong), Err(StoreError::Missing { .. })));
}

fn parts_are_crops(writer: &dyn WriteRegion, reader: &dyn ReadRegion, parts: &dyn ReadRegionPart) {
    let id = RegionId::new("image", "part", RegionKind::Dense);
    writer.write(&id, Region::Dense(labels())).unwrap();
    let bounds = Bounds::plane(1, 1, 3, 2).unwrap();
    assert_eq!(parts.read_part(&id, bounds).unwrap(), labels().crop(bounds).unwrap());
    assert_eq!(reader.read(&id).unwrap().as_dense(), Some(&labels()));
    assert!(parts.read_part(&id, Bounds::plane(2, 2, 3, 3).unwrap()).is_err());
    let table = RegionId::new("image", "result", RegionKind::Table);
    assert!(matches!(parts.read_part(&table, bounds), Err(StoreError::Kind { .. })));
}

fn lists_what_was_written(lister: &dyn ListRegions) {
    let ids = lister.list().unwrap();
    assert!(ids.is_sorted());
    for region in kinds() {
        assert!(ids.contains(&id(&region)));
    }
}

fn removes(remover: &dyn RemoveRegion, reader: &dyn ReadRegion, lister: &dyn ListRegions) {
    for id in lister.list().unwrap() {
        remover.remove(&id).unwrap();
        assert!(matches!(reader.read(&id), Err(StoreError::Missing { .. })));
        assert!(matches!(remover.remove(&id), Err(StoreError::Missing { .. })));
    }
    assert!(lister.list().unwrap().is_empty());
}

/// Nothing, one value, one row, one column, and more than one chunk of a file, of every type.
fn every_element_and_size_comes_back(writer: &dyn WriteRegion, reader: &dyn ReadRegion) {
    let elements = [
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
    let id = RegionId::new("image", "sizes", RegionKind::Dense);
    for (at, element) in elements.into_iter().enumerate() {
        for (width, height, channels) in [(0, 0, 1), (0, 3, 3), (1, 1, 3), (1, 700, 1), (600, 1, 3)] {
            let bytes = (0..width * height * channels * element.bytes() as usize).map(|at| (at * 37) as u8);
            let values = Pixels::from_bytes(element, bytes.collect(), onceflow_region::ByteOrder::Little);
            let region = Region::Dense(Dense::new(width, height, channels, values).unwrap());
            let id = id.clone().with_version(at as u32);
            writer.write(&id, region.clone()).unwrap();
            assert!(reader.read(&id).unwrap().is_same(&region), "{element} {width} x {height} x {channels}");
        }
    }
}

/// A name with any characters names one region and nothing else.
fn names_are_only_names(writer: &dyn WriteRegion, reader: &dyn ReadRegion) {
    let long = "n".repeat(3000);
    let names = ["..", "../../up", "/", "a/b", "a", "A", "a::b", "", "\u{0}", "nul", "ü", " ", "a\nb", &long];
    let number = |at: usize| Region::Table(Table::numbers([("at", at as f64)]).unwrap());
    let ids: Vec<RegionId> = names
        .iter()
        .flat_map(|name| {
            [RegionId::new(*name, "key", RegionKind::Table), RegionId::new("key", *name, RegionKind::Table)]
        })
        .flat_map(|id| [id.clone().with_timestamp(-1), id])
        .collect();
    for (at, id) in ids.iter().enumerate() {
        writer.write(id, number(at)).unwrap();
    }
    for (at, id) in ids.iter().enumerate() {
        assert!(reader.read(id).unwrap().is_same(&number(at)), "{id:?}");
    }
}

fn writing_again_replaces(writer: &dyn WriteRegion, reader: &dyn ReadRegion) {
    let id = RegionId::new("image", "again", RegionKind::Dense);
    for side in [9usize, 3, 700] {
        let plane =
            Region::Dense(Dense::new(side, side, 1, Pixels::U8(vec![side as u8; side * side])).unwrap());
        writer.write(&id, plane.clone()).unwrap();
        assert!(reader.read(&id).unwrap().is_same(&plane));
    }
}

/// Two write one region again and again while two read it: always one that was written whole.
fn readers_see_one_or_the_other(store: &dyn Store) {
    let id = RegionId::new("image", "shared", RegionKind::Dense);
    let plane = |side: usize| {
        Region::Dense(Dense::new(side, side, 1, Pixels::U8(vec![side as u8; side * side])).unwrap())
    };
    let (writer, reader) = (store.writer().unwrap(), store.reader().unwrap());
    writer.write(&id, plane(1)).unwrap();
    std::thread::scope(|scope| {
        for first in [1usize, 2] {
            let (id, plane) = (&id, &plane);
            scope.spawn(move || {
                (0..8).for_each(|turn| store.writer().unwrap().write(id, plane(first + 2 * turn)).unwrap());
            });
            scope.spawn(move || {
                for _ in 0..16 {
                    let held = store.reader().unwrap().read(id).unwrap();
                    let side = held.as_dense().unwrap().width();
                    assert!(held.is_same(&plane(side)));
                }
            });
        }
    });
    let side = reader.read(&id).unwrap().as_dense().unwrap().width();
    assert!(side == 15 || side == 16, "{side} was not written last by either");
}
