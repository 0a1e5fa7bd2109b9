//! Polygons: outlines with holes and columns of what is known of each, clipped to boxes.

mod clip;
mod shape;

pub use shape::{PolygonCorner, PolygonRef};

use crate::Digester;
use crate::kinds::points::refuse_nowhere;
use crate::{Bounds, Column, RegionError, Table};

/// One polygon as it is given: rings around what belongs to it, and rings around what does not.
///
/// A ring may be turned either way, and its first corner may be repeated at its end. Rings do not cross.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Polygon {
    /// The outer boundaries: one for each part.
    pub outer: Vec<Vec<PolygonCorner>>,
    /// The boundaries of the holes.
    pub holes: Vec<Vec<PolygonCorner>>,
}

/// Polygons of the plane in the order in which they came, with columns of values.
///
/// Coordinates are in pixels: the pixel in column 3 reaches from 3 to 4.
///
/// ```
/// use onceflow_region::{Bounds, Polygon, Polygons};
///
/// let square = |at: f64, side: f64| vec![[at, at], [at + side, at], [at + side, at + side], [at, at + side]];
/// let frame = Polygon { outer: vec![square(0.0, 4.0)], holes: vec![square(1.0, 2.0)] };
/// let polygons = Polygons::new(vec![frame])?;
/// let shape = polygons.shapes().next();
/// assert_eq!(shape.map(|shape| (shape.area(), shape.contains([0.5, 0.5]), shape.contains([2.0, 2.0]))),
///            Some((12.0, true, false)));
/// let left = Bounds::plane(0, 0, 2, 4).map(|bounds| polygons.crop(&bounds));
/// assert_eq!(left.map(|left| left.shapes().map(|shape| shape.area()).sum()), Some(6.0));
/// # Ok::<(), onceflow_region::RegionError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Polygons {
    corners: Vec<PolygonCorner>,
    /// Where each ring ends among the corners.
    rings: Vec<usize>,
    /// Where each polygon ends among the rings.
    shapes: Vec<usize>,
    columns: Table,
}

impl Polygons {
    /// These polygons, without columns. Outer rings are turned clockwise on a screen, holes the other way.
    ///
    /// # Errors
    /// When a ring has fewer than 3 corners, or a coordinate is no number or farther away than 2^53 pixels.
    pub fn new(polygons: Vec<Polygon>) -> Result<Polygons, RegionError> {
        let mut all = Polygons::default();
        for polygon in polygons {
            let outer = polygon.outer.into_iter().map(|ring| (ring, true));
            for (ring, clockwise) in outer.chain(polygon.holes.into_iter().map(|ring| (ring, false))) {
                all.add_ring(turned(checked(ring)?, clockwise));
            }
            all.shapes.push(all.rings.len());
        }
        Ok(all)
    }

    /// Adds a column.
    ///
    /// # Errors
    /// When there is not one value per polygon, or the name is taken.
    pub fn add_column(&mut self, name: impl Into<String>, column: Column) -> Result<(), RegionError> {
        let (name, expected, found) = (name.into(), self.len(), column.len());
        if expected != found {
            return Err(RegionError::Rows { name, expected, found });
        }
        self.columns.add(name, column)
    }

    /// How many polygons.
    pub fn len(&self) -> usize {
        self.shapes.len()
    }

    /// Whether there is no polygon.
    pub fn is_empty(&self) -> bool {
        self.shapes.is_empty()
    }

    /// One polygon, counted from 0.
    pub fn shape(&self, index: usize) -> Option<PolygonRef<'_>> {
        let end = *self.shapes.get(index)?;
        let start = index.checked_sub(1).map_or(0, |before| self.shapes[before]);
        let first = start.checked_sub(1).map_or(0, |before| self.rings[before]);
        Some(PolygonRef::new(&self.corners, first, &self.rings[start..end]))
    }

    /// All polygons.
    pub fn shapes(&self) -> impl Iterator<Item = PolygonRef<'_>> {
        (0..self.len()).filter_map(|index| self.shape(index))
    }

    /// The columns: one row per polygon.
    pub fn columns(&self) -> &Table {
        &self.columns
    }

    /// The smallest box of pixels with all polygons; `None` when there is none with a corner.
    pub fn bounds(&self) -> Option<Bounds> {
        self.shapes().filter_map(|shape| shape.bounds()).reduce(|a, b| a.hull(&b))
    }

    /// What of the polygons lies in a box, with their rows; those outside are left out, and coordinates stay what they
    /// are. Clipped rings may run along the sides of the box.
    pub fn crop(&self, bounds: &Bounds) -> Polygons {
        let (mut all, mut kept) = (Polygons::default(), Vec::new());
        for (index, shape) in self.shapes().enumerate() {
            let before = all.rings.len();
            shape.rings().filter_map(|ring| clip::ring(ring, bounds)).for_each(|ring| all.add_ring(ring));
            if all.rings.len() > before {
                all.shapes.push(all.rings.len());
                kept.push(index);
            }
        }
        Polygons { columns: self.columns.pick(&kept), ..all }
    }

    /// Bytes that corners and columns take.
    pub fn bytes(&self) -> u64 {
        let ends = (self.rings.len() + self.shapes.len()) * size_of::<usize>();
        (self.corners.len() * size_of::<PolygonCorner>() + ends) as u64 + self.columns.bytes()
    }

    pub(crate) fn digest(&self, digester: &mut Digester) {
        for ends in [&self.shapes, &self.rings] {
            digester.number(ends.len() as u64);
            digester.wide(ends, |end| (end as u64).to_le_bytes());
        }
        digester.wide(self.corners.as_flattened(), f64::to_le_bytes);
        self.columns.digest(digester);
    }

    /// The corners, where each ring ends among them, and where each polygon ends among the rings.
    pub fn parts(&self) -> (&[PolygonCorner], &[usize], &[usize]) {
        (&self.corners, &self.rings, &self.shapes)
    }

    /// The polygons that have these [parts](Polygons::parts), as they were.
    ///
    /// # Errors
    /// When the ends are not ascending or do not fit, a ring has fewer than 3 corners, or a coordinate is NaN or beyond 2^53.
    pub fn from_parts(
        corners: Vec<PolygonCorner>,
        rings: Vec<usize>,
        shapes: Vec<usize>,
        columns: Table,
    ) -> Result<Polygons, RegionError> {
        refuse_nowhere(corners.as_flattened())?;
        let ends_at = |ends: &[usize], end: usize| {
            ends.is_sorted() && ends.last().map_or(end == 0, |&last| last == end)
        };
        if !ends_at(&rings, corners.len()) || !ends_at(&shapes, rings.len()) {
            return Err(RegionError::Ring { found: corners.len() });
        }
        let length = |start: &mut usize, &end: &usize| Some(end - std::mem::replace(start, end));
        if let Some(found) = rings.iter().scan(0, length).find(|&found| found < 3) {
            return Err(RegionError::Ring { found });
        }
        let mut polygons = Polygons { corners, rings, shapes, columns: Table::default() };
        for (name, column) in columns.columns() {
            polygons.add_column(name.clone(), column.clone())?;
        }
        Ok(polygons)
    }

    /// Adds a polygon whose rings are turned already, as they are.
    ///
    /// # Errors
    /// When a coordinate is NaN or beyond 2^53.
    pub fn push(&mut self, rings: Vec<Vec<PolygonCorner>>) -> Result<(), RegionError> {
        for ring in rings {
            refuse_nowhere(ring.as_flattened())?;
            self.add_ring(ring);
        }
        self.shapes.push(self.rings.len());
        Ok(())
    }

    fn add_ring(&mut self, ring: Vec<PolygonCorner>) {
        self.corners.extend(ring);
        self.rings.push(self.corners.len());
    }
}

fn checked(mut ring: Vec<PolygonCorner>) -> Result<Vec<PolygonCorner>, RegionError> {
    refuse_nowhere(ring.as_flattened())?;
    if ring.len() > 1 && ring.first() == ring.last() {
        ring.pop();
    }
    if ring.len() < 3 { Err(RegionError::Ring { found: ring.len() }) } else { Ok(ring) }
}

fn turned(mut ring: Vec<PolygonCorner>, clockwise: bool) -> Vec<PolygonCorner> {
    if (shape::doubled_area(&ring) < 0.0) == clockwise {
        ring.reverse();
    }
    ring
}

#[cfg(test)]
mod tests {
    use super::*;

    fn square(at: f64, side: f64) -> Vec<PolygonCorner> {
        vec![[at, at], [at + side, at], [at + side, at + side], [at, at + side], [at, at]]
    }

    #[test]
    fn rings_are_turned_and_closed_once() {
        let mut hole = square(1.0, 1.0);
        hole.reverse();
        for holes in [vec![square(1.0, 1.0)], vec![hole]] {
            let polygon = Polygon { outer: vec![square(0.0, 3.0), square(5.0, 2.0)], holes };
            let polygons = Polygons::new(vec![polygon]).unwrap();
            let shape = polygons.shape(0).unwrap();
            assert_eq!((shape.area(), shape.rings().map(<[PolygonCorner]>::len).sum::<usize>()), (12.0, 12));
            assert_eq!(polygons.bounds(), Bounds::plane(0, 0, 7, 7));
        }
    }

    #[test]
    fn refuses_what_is_no_polygon() {
        let of = |ring| Polygons::new(vec![Polygon { outer: vec![ring], holes: vec![] }]);
        assert!(of(vec![[0.0, 0.0], [1.0, 1.0], [0.0, 0.0]]).is_err());
        assert!(of(vec![[0.0, f64::NAN], [1.0, 1.0], [0.0, 2.0]]).is_err());
        let mut one = of(square(0.0, 1.0)).unwrap();
        assert!(one.add_column("a", Column::Integer(vec![])).is_err());
        assert!(Polygons::default().bounds().is_none());
    }

    #[test]
    fn rows_follow_their_polygons() {
        let outer = |at| Polygon { outer: vec![square(at, 2.0)], holes: vec![] };
        let mut polygons = Polygons::new(vec![outer(0.0), outer(10.0), outer(3.0)]).unwrap();
        polygons.add_column("number", Column::Integer(vec![0, 1, 2])).unwrap();
        let crop = polygons.crop(&Bounds::plane(1, 1, 6, 6).unwrap());
        assert_eq!(crop.columns().integers("number"), Some(&[0, 2][..]));
        assert_eq!(crop.shapes().map(|shape| shape.area()).collect::<Vec<_>>(), [1.0, 4.0]);
    }
}
