//! A region of any kind: the content of a box.

use std::sync::Arc;

use crate::Digester;
use crate::{
    Bounds, Dense, Digest, Element, Line, ObjectSet, Points, Polygons, RegionError, RegionKind, Source,
    Sparse, Table, Volume,
};

/// What lies in a box.
#[derive(Debug, Clone)]
pub enum Region {
    /// A rectangle full of values.
    Dense(Dense),
    /// A row full of values: one dimension.
    Line(Line),
    /// A box full of values: up to three dimensions and time.
    Volume(Volume),
    /// A box of which most values are zero.
    Sparse(Sparse),
    /// Points with columns.
    Points(Points),
    /// Polygons with columns.
    Polygons(Polygons),
    /// Objects with their masks and features.
    Objects(ObjectSet),
    /// A small table.
    Table(Table),
    /// An image that is known but not read: pixels are read box by box, on request.
    Image(Arc<dyn Source>),
    /// No content, such as the truth of an image without truth.
    Nothing,
}

impl Region {
    /// The kind of the region.
    #[inline]
    pub fn kind(&self) -> RegionKind {
        match self {
            Region::Dense(_) => RegionKind::Dense,
            Region::Line(_) => RegionKind::Line,
            Region::Volume(_) => RegionKind::Volume,
            Region::Sparse(_) => RegionKind::Sparse,
            Region::Points(_) => RegionKind::Points,
            Region::Polygons(_) => RegionKind::Polygons,
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
            Region::Line(line) => line.bytes(),
            Region::Volume(volume) => volume.bytes(),
            Region::Sparse(sparse) => sparse.bytes(),
            Region::Points(points) => points.bytes(),
            Region::Polygons(polygons) => polygons.bytes(),
            Region::Objects(objects) => objects.bytes(),
            Region::Table(table) => table.bytes(),
            Region::Image(_) | Region::Nothing => 0,
        }
    }

    /// The type of its values; `None` for what has no array of them.
    pub fn element(&self) -> Option<Element> {
        match self {
            Region::Dense(dense) => Some(dense.element()),
            Region::Line(line) => Some(line.element()),
            Region::Volume(volume) => Some(volume.element()),
            Region::Sparse(sparse) => Some(sparse.element()),
            Region::Image(source) => Some(source.info().element),
            Region::Points(_) | Region::Polygons(_) | Region::Objects(_) => None,
            Region::Table(_) | Region::Nothing => None,
        }
    }

    /// The smallest box with all of it. Planes and objects are seen from their own upper left corner, all others know
    /// their place; tables have no box.
    pub fn bounds(&self) -> Option<Bounds> {
        match self {
            Region::Dense(dense) => Some(dense.bounds()),
            Region::Line(line) => Some(line.bounds()),
            Region::Volume(volume) => Some(volume.bounds()),
            Region::Sparse(sparse) => Some(sparse.bounds()),
            Region::Points(points) => points.bounds(),
            Region::Polygons(polygons) => polygons.bounds(),
            Region::Objects(objects) => Some(objects.bounds()),
            Region::Image(source) => source.info().bounds(),
            Region::Table(_) | Region::Nothing => None,
        }
    }

    /// The content within a box, in the coordinates of [`Region::bounds`]; of an image the pixels are read. Tables and
    /// empty regions have no box and stay whole.
    ///
    /// # Errors
    /// When the box reaches outside of what is full of values, or an image cannot be read.
    pub fn crop(&self, bounds: Bounds) -> Result<Region, RegionError> {
        match self {
            Region::Dense(dense) => dense.crop(bounds).map(Region::Dense),
            Region::Line(line) => crop_line(line, &bounds).map(Region::Line),
            Region::Volume(volume) => volume.crop(bounds).map(Region::Volume),
            Region::Sparse(sparse) => sparse.crop(bounds).map(Region::Sparse),
            Region::Points(points) => Ok(Region::Points(points.crop(&bounds))),
            Region::Polygons(polygons) => Ok(Region::Polygons(polygons.crop(&bounds))),
            Region::Objects(objects) => objects.crop(bounds).map(Region::Objects),
            Region::Image(source) => {
                let read = source.read(bounds).map(Region::Dense);
                read.map_err(|error| RegionError::Source { error: Box::new(error) })
            }
            Region::Table(_) | Region::Nothing => Ok(self.clone()),
        }
    }

    /// The digest of kind, sizes and values; `None` for an image that is not read, whose source has its own.
    pub fn digest(&self) -> Option<Digest> {
        let mut digester = Digester::new(DIGEST_CONTEXT);
        digester.text(&self.kind().to_string());
        match self {
            Region::Dense(dense) => dense.digest(&mut digester),
            Region::Line(line) => line.digest(&mut digester),
            Region::Volume(volume) => volume.digest(&mut digester),
            Region::Sparse(sparse) => sparse.digest(&mut digester),
            Region::Points(points) => points.digest(&mut digester),
            Region::Polygons(polygons) => polygons.digest(&mut digester),
            Region::Objects(objects) => objects.digest(&mut digester),
            Region::Table(table) => table.digest(&mut digester),
            Region::Image(_) => return None,
            Region::Nothing => {}
        }
        Some(digester.finish())
    }

    /// Whether two regions have equal bits: NaN equals NaN; -0.0 differs from 0.0. An image that is not read equals only
    /// itself.
    pub fn is_same(&self, other: &Region) -> bool {
        if let (Region::Image(one), Region::Image(other)) = (self, other) {
            return Arc::ptr_eq(one, other);
        }
        self.kind() == other.kind() && self.bytes() == other.bytes() && self.digest() == other.digest()
    }

    /// The dense region, when it is one.
    #[inline]
    pub fn as_dense(&self) -> Option<&Dense> {
        if let Region::Dense(dense) = self { Some(dense) } else { None }
    }

    /// The line, when it is one.
    #[inline]
    pub fn as_line(&self) -> Option<&Line> {
        if let Region::Line(line) = self { Some(line) } else { None }
    }

    /// The volume, when it is one.
    #[inline]
    pub fn as_volume(&self) -> Option<&Volume> {
        if let Region::Volume(volume) = self { Some(volume) } else { None }
    }

    /// The sparse array, when it is one.
    #[inline]
    pub fn as_sparse(&self) -> Option<&Sparse> {
        if let Region::Sparse(sparse) = self { Some(sparse) } else { None }
    }

    /// The points, when it is some.
    #[inline]
    pub fn as_points(&self) -> Option<&Points> {
        if let Region::Points(points) = self { Some(points) } else { None }
    }

    /// The polygons, when it is some.
    #[inline]
    pub fn as_polygons(&self) -> Option<&Polygons> {
        if let Region::Polygons(polygons) = self { Some(polygons) } else { None }
    }

    /// The objects, when it is a set of them.
    #[inline]
    pub fn as_objects(&self) -> Option<&ObjectSet> {
        if let Region::Objects(objects) = self { Some(objects) } else { None }
    }

    /// The table, when it is one.
    #[inline]
    pub fn as_table(&self) -> Option<&Table> {
        if let Region::Table(table) = self { Some(table) } else { None }
    }

    /// The image that is not read, when it is one.
    #[inline]
    pub fn as_image(&self) -> Option<&Arc<dyn Source>> {
        if let Region::Image(source) = self { Some(source) } else { None }
    }
}

fn crop_line(line: &Line, bounds: &Bounds) -> Result<Line, RegionError> {
    if !line.bounds().contains(bounds) {
        return Err(RegionError::Outside { outer: Box::new(line.bounds()), inner: Box::new(*bounds) });
    }
    line.crop(bounds.columns())
}

/// Digests are kept between runs: this text changes when their form does.
const DIGEST_CONTEXT: &str = "onceflow region 2026-11 content v1";

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::{Column, Pixels, Polygon, Span, VolumeGeometry};

    fn dense(width: usize, height: usize, channels: usize, pixels: Pixels) -> Region {
        Region::Dense(Dense::new(width, height, channels, pixels).unwrap())
    }

    fn line(start: i64, values: Pixels) -> Region {
        Region::Line(Line::new(start, values).unwrap())
    }

    fn volume(bounds: Bounds, values: Vec<u8>) -> Volume {
        Volume::new(bounds, Pixels::U8(values), VolumeGeometry::default()).unwrap()
    }

    fn objects(values: Vec<u32>) -> ObjectSet {
        ObjectSet::from_labels(&Dense::new(3, 2, 1, Pixels::U32(values)).unwrap()).unwrap()
    }

    fn points(x: f64, number: i64) -> Region {
        let mut points = Points::new(vec![[x, 1.5, 0.0]]).unwrap();
        points.add_column("number", Column::Integer(vec![number])).unwrap();
        Region::Points(points)
    }

    /// Regions of every kind, no two of them the same.
    fn different() -> Vec<Region> {
        let table = |column| Region::Table(Table::new(vec![("a".into(), column)]).unwrap());
        let outline = |ring: &[[f64; 2]]| {
            let polygon = Polygon { outer: vec![ring.to_vec()], holes: Vec::new() };
            let mut polygons = Polygons::new(vec![polygon]).unwrap();
            polygons.add_column("label", Column::Integer(vec![1])).unwrap();
            Region::Polygons(polygons)
        };
        let (here, there) = (Bounds::plane(0, 0, 2, 2).unwrap(), Bounds::plane(1, 0, 2, 2).unwrap());
        let upright = Bounds::new(Span::from(2), Span::ONE, Span::from(2), Span::ONE);
        vec![
            dense(3, 2, 1, Pixels::U8(vec![0; 6])),
            dense(2, 3, 1, Pixels::U8(vec![0; 6])),
            dense(2, 1, 3, Pixels::U8(vec![0; 6])),
            dense(3, 2, 1, Pixels::U8(vec![0, 0, 0, 0, 0, 1])),
            dense(3, 2, 1, Pixels::U32(vec![0; 6])),
            dense(3, 2, 1, Pixels::I32(vec![0; 6])),
            dense(3, 2, 1, Pixels::F32(vec![0.0; 6])),
            dense(3, 2, 1, Pixels::F32(vec![-0.0; 6])),
            dense(3, 1, 1, Pixels::U16(vec![0; 3])),
            line(0, Pixels::U8(vec![0; 6])),
            line(1, Pixels::U8(vec![0; 6])),
            line(0, Pixels::I8(vec![0; 6])),
            Region::Volume(volume(here, vec![0, 0, 1, 0])),
            Region::Volume(volume(there, vec![0, 0, 1, 0])),
            Region::Volume(volume(upright, vec![0, 0, 1, 0])),
            Region::Sparse(Sparse::from_volume(&volume(here, vec![0, 0, 1, 0]))),
            Region::Sparse(Sparse::from_volume(&volume(there, vec![0, 0, 1, 0]))),
            Region::Sparse(Sparse::from_volume(&volume(here, vec![0, 1, 0, 0]))),
            points(0.5, 1),
            points(0.5, 2),
            points(0.75, 1),
            outline(&[[1.0, 0.0], [2.0, 0.0], [2.0, 2.0], [1.0, 2.0]]),
            outline(&[[1.0, 0.0], [3.0, 0.0], [3.0, 1.0], [2.0, 1.0], [2.0, 2.0], [1.0, 2.0]]),
            Region::Objects(objects(vec![0; 6])),
            Region::Objects(objects(vec![0, 1, 0, 0, 1, 0])),
            Region::Objects(objects(vec![0, 1, 0, 0, 2, 0])),
            table(Column::Integer(vec![0])),
            table(Column::Real(vec![0.0])),
            table(Column::Text(vec!["0".into()])),
            table(Column::Text(vec!["0".into(), String::new()])),
            Region::Nothing,
        ]
    }

    #[test]
    fn what_differs_in_kind_size_type_place_or_value_has_another_digest() {
        let regions = different();
        let digests: BTreeSet<_> = regions.iter().map(|region| region.digest().unwrap()).collect();
        assert_eq!(digests.len(), regions.len());
        for (at, one) in regions.iter().enumerate() {
            for (other_at, other) in regions.iter().enumerate() {
                assert_eq!(one.is_same(&other.clone()), at == other_at);
            }
        }
        let kinds: BTreeSet<_> = regions.iter().map(Region::kind).collect();
        assert_eq!(kinds.len() + 1, RegionKind::ALL.len(), "every kind but an image that is not read");
    }

    #[test]
    fn its_own_box_holds_all_of_a_region() {
        for region in different() {
            let bounds = region.bounds().unwrap_or(Bounds::plane(0, 0, 1, 1).unwrap());
            assert!(region.crop(bounds).unwrap().is_same(&region), "{region:?}");
        }
    }

    #[test]
    fn nan_is_the_same_as_nan() {
        let region = || dense(1, 1, 1, Pixels::F64(vec![f64::NAN]));
        assert!(region().is_same(&region()));
    }

    #[test]
    fn the_form_of_a_digest_does_not_change_unseen() {
        let region = dense(2, 1, 3, Pixels::U16(vec![1, 2, 3, 4, 5, 65535]));
        let expected = "236c294b4de6acb21b6a9dbae823091d563babff3199a64221edf1716852db69";
        assert_eq!(region.digest().unwrap().to_string(), expected);
        let digests: Vec<String> =
            [9, 12, 15, 18, 21].map(|at| different()[at].digest().unwrap().to_string()).into();
        let starts: Vec<&str> = digests.iter().map(|digest| &digest[..16]).collect();
        assert_eq!(
            starts,
            [
                "3aec8b7b725b1591",
                "d9336f2671bb9e22",
                "2bd5b5ed7837e317",
                "fe1f4b96a057edf5",
                "0c4c4244501d02db"
            ]
        );
    }

    #[test]
    fn bytes_are_those_of_the_values() {
        assert_eq!(dense(2, 1, 3, Pixels::U16(vec![0; 6])).bytes(), 12);
        assert_eq!(Region::Nothing.bytes(), 0);
    }
}
