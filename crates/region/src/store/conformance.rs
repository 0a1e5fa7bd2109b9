//! What every store must do, as far as it can do it at all.

use super::{List, Read, ReadPart, Remove, Store, StoreError, Write};
use crate::{
    Bounds, Column, Dense, Geometry, Line, ObjectSet, Pixels, Points, Polygons, Region, RegionId, RegionKind,
    RegionQuery, Span, Sparse, Table, Volume,
};

/// Checks an empty store and leaves it empty if it can remove.
pub(crate) fn check(store: &dyn Store) {
    let (Some(writer), Some(reader)) = (store.writer(), store.reader()) else { return };
    regions_come_back(writer, reader);
    the_latest_staged_counts(writer, reader);
    wrong_kinds_are_refused(writer, reader);
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
    let volume = Volume::new(deep, Pixels::I16(vec![0, -7, 7, 0]), Geometry::default()).unwrap();
    let mut points = Points::new(vec![[0.5, -1.25, 3.0], [7.0, 0.0, 0.0]]).unwrap();
    points.add_column("area", Column::Integer(vec![4, 5])).unwrap();
    vec![
        Region::Dense(labels()),
        Region::Line(Line::new(-2, Pixels::F32(vec![0.5, f32::NAN])).unwrap()),
        Region::Volume(volume.clone()),
        Region::Sparse(Sparse::from_volume(&volume)),
        Region::Points(points),
        Region::Polygons(Polygons::from_objects(&objects).unwrap()),
        Region::Objects(objects),
        Region::Table(table),
        Region::Nothing,
    ]
}

fn id(region: &Region) -> RegionId {
    RegionId::new("image", "result", region.kind())
}

fn regions_come_back(writer: &dyn Write, reader: &dyn Read) {
    for region in kinds() {
        assert!(matches!(reader.read(&id(&region)), Err(StoreError::Missing { .. })));
        writer.write(&id(&region), region.clone()).unwrap();
        assert_eq!(reader.read(&id(&region)).unwrap().digest(), region.digest());
    }
}

fn the_latest_staged_counts(writer: &dyn Write, reader: &dyn Read) {
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

fn wrong_kinds_are_refused(writer: &dyn Write, reader: &dyn Read) {
    let wrong = RegionId::new("image", "wrong", RegionKind::Table);
    assert!(matches!(writer.write(&wrong, Region::Nothing), Err(StoreError::Kind { .. })));
    assert!(matches!(reader.read(&wrong), Err(StoreError::Missing { .. })));
}

fn parts_are_crops(writer: &dyn Write, reader: &dyn Read, parts: &dyn ReadPart) {
    let id = RegionId::new("image", "part", RegionKind::Dense);
    writer.write(&id, Region::Dense(labels())).unwrap();
    let bounds = Bounds::plane(1, 1, 3, 2).unwrap();
    assert_eq!(parts.read_part(&id, bounds).unwrap(), labels().crop(bounds).unwrap());
    assert_eq!(reader.read(&id).unwrap().as_dense(), Some(&labels()));
    assert!(parts.read_part(&id, Bounds::plane(2, 2, 3, 3).unwrap()).is_err());
    let table = RegionId::new("image", "result", RegionKind::Table);
    assert!(matches!(parts.read_part(&table, bounds), Err(StoreError::Kind { .. })));
}

fn lists_what_was_written(lister: &dyn List) {
    let ids = lister.list().unwrap();
    assert!(ids.is_sorted());
    for region in kinds() {
        assert!(ids.contains(&id(&region)));
    }
}

fn removes(remover: &dyn Remove, reader: &dyn Read, lister: &dyn List) {
    for id in lister.list().unwrap() {
        remover.remove(&id).unwrap();
        assert!(matches!(reader.read(&id), Err(StoreError::Missing { .. })));
        assert!(matches!(remover.remove(&id), Err(StoreError::Missing { .. })));
    }
    assert!(lister.list().unwrap().is_empty());
}
