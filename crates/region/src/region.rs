//! A region: what lies in a box, whatever its kind.

use std::fmt;
use std::sync::Arc;

use crate::digest::Digester;
use crate::{Dense, Digest, ObjectSet, Source, Table};

/// What lies in a box.
#[derive(Debug, Clone)]
pub enum Region {
    /// A rectangle full of values.
    Dense(Dense),
    /// Objects with their masks and features.
    Objects(ObjectSet),
    /// A small table.
    Table(Table),
    /// An image that is known but not read: its pixels come when somebody asks for a box of them.
    Image(Arc<dyn Source>),
    /// Nothing: an image without truth.
    Nothing,
}

impl Region {
    /// The kind of the region.
    pub fn kind(&self) -> RegionKind {
        match self {
            Region::Dense(_) => RegionKind::Dense,
            Region::Objects(_) => RegionKind::Objects,
            Region::Table(_) => RegionKind::Table,
            Region::Image(_) => RegionKind::Image,
            Region::Nothing => RegionKind::Nothing,
        }
    }

    /// Bytes that the content holds in memory; an image that is not read holds none.
    pub fn bytes(&self) -> u64 {
        match self {
            Region::Dense(dense) => dense.bytes(),
            Region::Objects(objects) => objects.bytes(),
            Region::Table(table) => table.bytes(),
            Region::Image(_) | Region::Nothing => 0,
        }
    }

    /// The digest of kind, sizes and values; none for an image that is not read, whose source has its own.
    pub fn digest(&self) -> Option<Digest> {
        let mut digester = Digester::new(DIGEST_CONTEXT);
        digester.text(&self.kind().to_string());
        match self {
            Region::Dense(dense) => dense.digest(&mut digester),
            Region::Objects(objects) => objects.digest(&mut digester),
            Region::Table(table) => table.digest(&mut digester),
            Region::Image(_) => return None,
            Region::Nothing => {}
        }
        Some(digester.finish())
    }

    /// The dense region, when it is one.
    pub fn as_dense(&self) -> Option<&Dense> {
        if let Region::Dense(dense) = self { Some(dense) } else { None }
    }

    /// The objects, when it is a set of them.
    pub fn as_objects(&self) -> Option<&ObjectSet> {
        if let Region::Objects(objects) = self { Some(objects) } else { None }
    }

    /// The table, when it is one.
    pub fn as_table(&self) -> Option<&Table> {
        if let Region::Table(table) = self { Some(table) } else { None }
    }

    /// The image that is not read, when it is one.
    pub fn as_image(&self) -> Option<&Arc<dyn Source>> {
        if let Region::Image(source) = self { Some(source) } else { None }
    }
}

/// Digests are kept between runs: this text changes when their form does.
const DIGEST_CONTEXT: &str = "onceflow region 2026-11 content v1";

/// The kind of a region, as its identifier says it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum RegionKind {
    /// [`Region::Dense`].
    Dense,
    /// [`Region::Objects`].
    Objects,
    /// [`Region::Table`].
    Table,
    /// [`Region::Image`].
    Image,
    /// [`Region::Nothing`].
    Nothing,
}

impl fmt::Display for RegionKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            RegionKind::Dense => "dense",
            RegionKind::Objects => "objects",
            RegionKind::Table => "table",
            RegionKind::Image => "image",
            RegionKind::Nothing => "nothing",
        })
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::{Column, Pixels};

    fn dense(width: usize, height: usize, channels: usize, pixels: Pixels) -> Region {
        Region::Dense(Dense::new(width, height, channels, pixels).unwrap())
    }

    #[test]
    fn what_differs_in_kind_size_type_or_value_has_another_digest() {
        let labels = |values: Vec<u32>| Dense::new(3, 2, 1, Pixels::U32(values)).unwrap();
        let objects = |values| Region::Objects(ObjectSet::from_labels(&labels(values)).unwrap());
        let table = |column| Region::Table(Table::new(vec![("a".into(), column)]).unwrap());
        let regions = [
            dense(3, 2, 1, Pixels::U8(vec![0; 6])),
            dense(2, 3, 1, Pixels::U8(vec![0; 6])),
            dense(2, 1, 3, Pixels::U8(vec![0; 6])),
            dense(3, 2, 1, Pixels::U8(vec![0, 0, 0, 0, 0, 1])),
            dense(3, 2, 1, Pixels::U32(vec![0; 6])),
            dense(3, 2, 1, Pixels::I32(vec![0; 6])),
            dense(3, 2, 1, Pixels::F32(vec![0.0; 6])),
            dense(3, 1, 1, Pixels::U16(vec![0; 3])),
            objects(vec![0; 6]),
            objects(vec![0, 1, 0, 0, 1, 0]),
            objects(vec![0, 1, 0, 0, 2, 0]),
            table(Column::Integer(vec![0])),
            table(Column::Real(vec![0.0])),
            table(Column::Text(vec!["0".into()])),
            table(Column::Text(vec!["0".into(), String::new()])),
            Region::Nothing,
        ];
        let digests: BTreeSet<_> = regions.iter().map(|region| region.digest().unwrap()).collect();
        assert_eq!(digests.len(), regions.len());
        assert_eq!(regions[0].clone().digest(), regions[0].digest());
    }

    #[test]
    fn the_form_of_a_digest_does_not_change_unseen() {
        let region = dense(2, 1, 3, Pixels::U16(vec![1, 2, 3, 4, 5, 65535]));
        let expected = "236c294b4de6acb21b6a9dbae823091d563babff3199a64221edf1716852db69";
        assert_eq!(region.digest().unwrap().to_string(), expected);
    }

    #[test]
    fn bytes_are_those_of_the_values() {
        assert_eq!(dense(2, 1, 3, Pixels::U16(vec![0; 6])).bytes(), 12);
        assert_eq!(Region::Nothing.bytes(), 0);
    }
}
