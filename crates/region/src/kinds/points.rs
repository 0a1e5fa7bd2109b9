//! Points in space with columns of what is known of each.

use crate::Digester;
use crate::{Bounds, Column, RegionError, Span, Table};

/// Points in space, in the order in which they came, with columns of values.
///
/// Coordinates are in pixels: the pixel in column 3 reaches from 3 to 4, so that its middle is at 3.5.
///
/// ```
/// use onceflow_region::{Bounds, Column, Points};
///
/// let mut centres = Points::new(vec![[3.5, 2.0, 0.0], [10.25, 8.0, 0.0]])?;
/// centres.add_column("area", Column::Integer(vec![120, 95]))?;
/// let left = Bounds::plane(0, 0, 8, 16).map(|bounds| centres.crop(&bounds));
/// assert_eq!(left.map(|points| points.len()), Some(1));
/// # Ok::<(), onceflow_region::RegionError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Points {
    coordinates: Vec<[f64; 3]>,
    columns: Table,
}

/// Beyond this, neighbouring real numbers are further apart than pixels.
const FARTHEST: f64 = (1u64 << 53) as f64;

/// Refuses coordinates that are NaN or beyond 2^53.
pub(crate) fn refuse_nowhere<'a>(numbers: impl IntoIterator<Item = &'a f64>) -> Result<(), RegionError> {
    match numbers.into_iter().find(|number| number.is_nan() || number.abs() > FARTHEST) {
        Some(&found) => Err(RegionError::Nowhere { found }),
        None => Ok(()),
    }
}

/// The positions from the one that holds the lowest number to the one that holds the highest; both are somewhere.
pub(crate) fn span_of(lowest: f64, highest: f64) -> Option<Span> {
    let (start, last) = (lowest.floor() as i64, highest.floor() as i64);
    Span::new(start, last.abs_diff(start) + 1)
}

impl Points {
    /// Points at these coordinates (`x`, `y`, `z`), without columns.
    ///
    /// # Errors
    /// When a coordinate is no number or farther away than 2^53 pixels.
    pub fn new(coordinates: Vec<[f64; 3]>) -> Result<Points, RegionError> {
        refuse_nowhere(coordinates.as_flattened())?;
        Ok(Points { coordinates, columns: Table::default() })
    }

    /// Adds a column.
    ///
    /// # Errors
    /// When there is not one value per point, or the name is taken.
    pub fn add_column(&mut self, name: impl Into<String>, column: Column) -> Result<(), RegionError> {
        let (name, expected, found) = (name.into(), self.len(), column.len());
        if expected != found {
            return Err(RegionError::Rows { name, expected, found });
        }
        self.columns.add(name, column)
    }

    /// How many points.
    pub fn len(&self) -> usize {
        self.coordinates.len()
    }

    /// Whether there is no point.
    pub fn is_empty(&self) -> bool {
        self.coordinates.is_empty()
    }

    /// The coordinates (`x`, `y`, `z`).
    pub fn coordinates(&self) -> &[[f64; 3]] {
        &self.coordinates
    }

    /// The columns: one row per point.
    pub fn columns(&self) -> &Table {
        &self.columns
    }

    /// The smallest box of pixels with all points; `None` when there is no point.
    pub fn bounds(&self) -> Option<Bounds> {
        let span = |axis: usize| {
            let along = self.coordinates.iter().map(|point| point[axis]);
            span_of(along.clone().reduce(f64::min)?, along.reduce(f64::max)?)
        };
        Some(Bounds::new(span(0)?, span(1)?, span(2)?, Span::ONE))
    }

    /// Which points lie in the pixels of a box.
    pub fn within(&self, bounds: &Bounds) -> Vec<usize> {
        let spans = [bounds.columns(), bounds.rows(), bounds.z()];
        // Points lie within 2^53, where the floor is exact.
        let on = |place: f64, span: Span| (span.start()..span.end()).contains(&(place.floor() as i64));
        let inside = |point: &[f64; 3]| point.iter().zip(spans).all(|(&place, span)| on(place, span));
        (0..self.len()).filter(|&index| inside(&self.coordinates[index])).collect()
    }

    /// The points in the pixels of a box with their rows; coordinates stay what they are.
    pub fn crop(&self, bounds: &Bounds) -> Points {
        let kept = self.within(bounds);
        let coordinates = kept.iter().map(|&index| self.coordinates[index]).collect();
        Points { coordinates, columns: self.columns.pick(&kept) }
    }

    /// Bytes that coordinates and columns take.
    pub fn bytes(&self) -> u64 {
        (self.len() * size_of::<[f64; 3]>()) as u64 + self.columns.bytes()
    }

    pub(crate) fn digest(&self, digester: &mut Digester) {
        digester.number(self.len() as u64);
        digester.wide(self.coordinates.as_flattened(), f64::to_le_bytes);
        self.columns.digest(digester);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::Position;
    use crate::geometry::position::tests::small;

    fn points() -> impl Strategy<Value = Points> {
        let place = || prop_oneof![-6.0f64..6.0, (-6i32..6).prop_map(f64::from)];
        let point = (place(), place(), place()).prop_map(|(x, y, z)| [x, y, z]);
        prop::collection::vec(point, 0..20).prop_map(|coordinates| {
            let numbers = Column::Integer((0..coordinates.len() as i64).collect());
            let mut points = Points::new(coordinates).unwrap();
            points.add_column("number", numbers).unwrap();
            points
        })
    }

    proptest! {
        #[test]
        fn every_point_lies_in_the_box_and_in_one_pixel(points in points()) {
            let Some(bounds) = points.bounds() else { return Ok(()) };
            prop_assert_eq!(&points.crop(&bounds), &points);
            let pixels = crate::geometry::position::tests::all(&bounds);
            let counts = pixels.iter().map(|p| {
                let span = |at| Span::new(at, 1).unwrap();
                points.within(&Bounds::new(span(p.x), span(p.y), span(p.z), Span::ONE)).len()
            });
            prop_assert_eq!(counts.sum::<usize>(), points.len());
        }

        #[test]
        fn a_crop_keeps_points_with_their_rows(points in points(), bounds in small()) {
            let inside = |point: &[f64; 3]| {
                let [x, y, z] = point.map(|place| place.floor() as i64);
                bounds.has(&Position { time: bounds.time().start(), z, y, x })
            };
            let kept: Vec<i64> = (0..points.len()).filter(|&i| inside(&points.coordinates()[i]))
                .map(|i| i as i64).collect();
            let crop = points.crop(&bounds);
            prop_assert_eq!(crop.columns().integers("number"), Some(&kept[..]));
            prop_assert!(crop.coordinates().iter().all(inside));
        }
    }

    #[test]
    fn refuses_what_lies_nowhere_and_ragged_columns() {
        for place in [f64::NAN, f64::INFINITY, 1e300] {
            assert!(Points::new(vec![[0.0, place, 0.0]]).is_err(), "{place}");
        }
        let mut points = Points::new(vec![[0.0; 3]; 2]).unwrap();
        assert!(points.add_column("a", Column::Real(vec![1.0])).is_err());
        assert_eq!((points.bounds().unwrap().size(), Points::default().bounds()), ([1; 4], None));
    }
}
