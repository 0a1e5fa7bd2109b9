//! Sparse arrays: of a large box only the values that are not zero.

use std::ops::Range;

use crate::Digester;
use crate::{Bounds, Dense, Element, Pixels, Position, READ_LIMIT, RegionError, Volume, VolumeGeometry};

/// The values in a box that are not zero, each with its position, in the order of the positions.
///
/// ```
/// use onceflow_region::{Bounds, Pixels, Position, Sparse};
///
/// let whole = Bounds::plane(0, 0, 100_000, 100_000).ok_or("too large")?;
/// let seeds = [Position::plane(70_000, 4), Position::plane(12, 3)];
/// let sparse = Sparse::new(whole, &seeds, Pixels::U16(vec![9, 7])).map_err(|_| "no such array")?;
/// assert_eq!((sparse.len(), sparse.values()), (2, &Pixels::U16(vec![7, 9])));
/// let upper_left = Bounds::plane(0, 0, 64, 64).ok_or("too large")?;
/// assert_eq!(sparse.crop(upper_left).map_err(|_| "outside")?.len(), 1);
/// # Ok::<(), &str>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Sparse {
    bounds: Bounds,
    /// The numbers of the positions in the box, ascending.
    offsets: Vec<u64>,
    values: Pixels,
}

impl Sparse {
    /// The array with one value at each position; the positions may come in any order, and zeros are left out, so that
    /// arrays with the same content are equal.
    ///
    /// # Errors
    /// When there is not one value per position, a position stands twice or lies outside, or the box has more positions
    /// than we can count.
    pub fn new(bounds: Bounds, positions: &[Position], values: Pixels) -> Result<Sparse, RegionError> {
        countable(&bounds)?;
        if positions.len() != values.len() {
            let (expected, found) = (Some(positions.len() as u64), values.len());
            return Err(RegionError::Volume { bounds: Box::new(bounds), expected, found });
        }
        let mut places = values.set();
        let offsets = positions.iter().map(|position| inside(&bounds, position));
        let offsets = offsets.collect::<Result<Vec<u64>, _>>()?;
        places.sort_unstable_by_key(|&place| offsets[place]);
        refuse_twice(&bounds, &offsets)?;
        let values = values.pick(&places);
        Ok(Sparse { bounds, offsets: places.into_iter().map(|place| offsets[place]).collect(), values })
    }

    /// The array whose values stand at these ascending offsets, none of them zero; `None` when it is not one.
    pub fn from_offsets(bounds: Bounds, offsets: Vec<u64>, values: Pixels) -> Option<Sparse> {
        let positions = bounds.positions()?;
        let ascending =
            offsets.is_sorted_by(|a, b| a < b) && offsets.last().is_none_or(|&last| last < positions);
        let full = offsets.len() == values.len() && values.set().len() == values.len();
        (ascending && full).then_some(Sparse { bounds, offsets, values })
    }

    /// What is not zero in a volume.
    pub fn from_volume(volume: &Volume) -> Sparse {
        Sparse::of(volume.bounds(), volume.values())
    }

    /// What is not zero in a plane, seen from its own upper left corner.
    ///
    /// # Errors
    /// When the plane has more than one channel.
    pub fn from_dense(plane: &Dense) -> Result<Sparse, RegionError> {
        if plane.channels() != 1 {
            let (channels, element) = (plane.channels(), plane.element());
            let (expected, todo) = ("a plane of 1 channel", "split the channels");
            return Err(RegionError::Kind { expected, channels, element, todo });
        }
        Ok(Sparse::of(plane.bounds(), plane.pixels()))
    }

    fn of(bounds: Bounds, values: &Pixels) -> Sparse {
        let places = values.set();
        let kept = values.pick(&places);
        Sparse { bounds, offsets: places.into_iter().map(|place| place as u64).collect(), values: kept }
    }

    /// All values, zeros too.
    ///
    /// # Errors
    /// When they would take more than 1 GiB.
    pub fn to_volume(&self) -> Result<Volume, RegionError> {
        let places: Vec<usize> = self.offsets.iter().map(|&offset| offset as usize).collect();
        Volume::new(self.bounds, self.values.spread(&places, self.length()?), VolumeGeometry::default())
    }

    /// All values of a plane, zeros too, seen from its upper left corner.
    ///
    /// # Errors
    /// When the box has several depths or times, or the values would take more than 1 GiB.
    pub fn to_dense(&self) -> Result<Dense, RegionError> {
        let [width, height, depth, times] = self.bounds.size();
        if depth != 1 || times != 1 {
            let outer = Bounds::plane(self.bounds.x(), self.bounds.y(), width, height);
            let outer = Box::new(outer.unwrap_or(self.bounds));
            return Err(RegionError::Outside { outer, inner: Box::new(self.bounds) });
        }
        let values = self.to_volume()?.into_values();
        Dense::new(width as usize, height as usize, 1, values)
    }

    /// How many values are not zero.
    pub fn len(&self) -> usize {
        self.offsets.len()
    }

    /// Whether all values are zero.
    pub fn is_empty(&self) -> bool {
        self.offsets.is_empty()
    }

    /// The box.
    pub fn bounds(&self) -> Bounds {
        self.bounds
    }

    /// The type of the values.
    pub fn element(&self) -> Element {
        self.values.element()
    }

    /// The values that are not zero, in the order of their positions.
    pub fn values(&self) -> &Pixels {
        &self.values
    }

    /// The numbers of the positions within the box ([`Bounds::offset_of`]), ascending.
    pub fn offsets(&self) -> &[u64] {
        &self.offsets
    }

    /// The positions of the values.
    pub fn positions(&self) -> impl Iterator<Item = Position> {
        self.offsets.iter().filter_map(|&offset| self.bounds.position_at(offset))
    }

    /// Which of the values lies at a position; `None` where there is a zero.
    pub fn at(&self, position: &Position) -> Option<usize> {
        self.offsets.binary_search(&self.bounds.offset_of(position)?).ok()
    }

    /// Which of the values lie in a box: stretches of them in ascending order, one for each row of the box that has any.
    pub fn within(&self, bounds: &Bounds) -> Vec<Range<usize>> {
        let Some(inner) = self.bounds.intersect(bounds) else { return Vec::new() };
        let width = inner.width();
        let mut after = 0;
        let stretch = |first: u64| {
            // Rows come in ascending order: what lies before is never looked at again.
            let start = after + self.offsets[after..].partition_point(|&offset| offset < first);
            after = start + self.offsets[start..].partition_point(|&offset| offset - first < width);
            start..after
        };
        // With few values it is faster to go from value to value than from row to row.
        let rows = inner.positions().map_or(u64::MAX, |positions| positions / width);
        if rows > self.len() as u64 {
            self.one_by_one(&inner)
        } else {
            self.bounds.row_offsets(&inner).map(stretch).filter(|found| !found.is_empty()).collect()
        }
    }

    fn one_by_one(&self, inner: &Bounds) -> Vec<Range<usize>> {
        let mut found: Vec<(Position, Range<usize>)> = Vec::new();
        for (index, position) in self.positions().enumerate().filter(|(_, position)| inner.has(position)) {
            match found.last_mut() {
                Some((first, range)) if Position { x: first.x, ..position } == *first => {
                    range.end = index + 1
                }
                _ => found.push((position, index..index + 1)),
            }
        }
        found.into_iter().map(|(_, range)| range).collect()
    }

    /// The array in a smaller box; positions stay where they are.
    ///
    /// # Errors
    /// When the box reaches outside.
    pub fn crop(&self, bounds: Bounds) -> Result<Sparse, RegionError> {
        if !self.bounds.contains(&bounds) {
            return Err(RegionError::Outside { outer: Box::new(self.bounds), inner: Box::new(bounds) });
        }
        let places: Vec<usize> = self.within(&bounds).into_iter().flatten().collect();
        let position = |&place: &usize| self.bounds.position_at(self.offsets[place]);
        let offset = |place| position(place).and_then(|position| bounds.offset_of(&position));
        let offsets = places.iter().filter_map(offset).collect();
        Ok(Sparse { bounds, offsets, values: self.values.pick(&places) })
    }

    /// Bytes that positions and values take.
    pub fn bytes(&self) -> u64 {
        (self.len() * size_of::<u64>()) as u64 + self.values.bytes()
    }

    pub(crate) fn digest(&self, digester: &mut Digester) {
        digester.text(&self.element().to_string());
        digester.bounds(&self.bounds);
        digester.number(self.len() as u64);
        digester.wide(&self.offsets, u64::to_le_bytes);
        digester.pixels(&self.values);
    }

    fn length(&self) -> Result<usize, RegionError> {
        let positions = countable(&self.bounds)?;
        if positions.saturating_mul(self.element().bytes()) > READ_LIMIT {
            return Err(too_large(&self.bounds));
        }
        Ok(positions as usize)
    }
}

fn countable(bounds: &Bounds) -> Result<u64, RegionError> {
    bounds.positions().ok_or_else(|| too_large(bounds))
}

fn too_large(bounds: &Bounds) -> RegionError {
    RegionError::Size { width: bounds.width(), height: bounds.height(), channels: 1 }
}

fn inside(bounds: &Bounds, position: &Position) -> Result<u64, RegionError> {
    let offset = bounds.offset_of(position);
    offset.ok_or_else(|| RegionError::Position { bounds: Box::new(*bounds), found: Box::new(*position) })
}

fn refuse_twice(bounds: &Bounds, offsets: &[u64]) -> Result<(), RegionError> {
    let mut sorted = offsets.to_vec();
    sorted.sort_unstable();
    let twice = sorted.windows(2).find(|pair| pair[0] == pair[1]);
    match twice.and_then(|pair| bounds.position_at(pair[0])) {
        Some(position) => Err(RegionError::Twice { found: Box::new(position) }),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::geometry::position::tests::{all, nested, small};

    fn value() -> impl Strategy<Value = f64> {
        prop_oneof![4 => Just(0.0), 1 => Just(-0.0), 1 => Just(f64::MIN_POSITIVE), 3 => -9.0f64..9.0]
    }

    fn volume(bounds: Bounds, values: &[f64]) -> Volume {
        let count = bounds.positions().unwrap() as usize;
        let values = values.iter().copied().cycle().take(count).collect();
        Volume::new(bounds, Pixels::F64(values), VolumeGeometry::default()).unwrap()
    }

    /// Bits, so that a negative zero counts.
    fn bits(values: &Pixels) -> Vec<u64> {
        let Pixels::F64(values) = values else { panic!("no real numbers") };
        values.iter().map(|value| value.to_bits()).collect()
    }

    proptest! {
        #[test]
        fn dense_there_and_back_is_the_same_bits(
            bounds in small(), values in prop::collection::vec(value(), 1..80),
        ) {
            let volume = volume(bounds, &values);
            let sparse = Sparse::from_volume(&volume);
            prop_assert_eq!(bits(sparse.to_volume().unwrap().values()), bits(volume.values()));
            prop_assert_eq!(sparse.len(), bits(volume.values()).iter().filter(|&&value| value != 0).count());
        }

        #[test]
        fn positions_in_any_order_make_the_same_array(
            bounds in small(), values in prop::collection::vec(value(), 1..80), turn in 0usize..400,
        ) {
            let volume = volume(bounds, &values);
            let mut positions = all(&bounds);
            let mut places: Vec<usize> = (0..positions.len()).collect();
            let by = turn % places.len();
            positions.rotate_left(by);
            places.rotate_left(by);
            let sparse = Sparse::new(bounds, &positions, volume.values().pick(&places)).unwrap();
            prop_assert_eq!(&sparse, &Sparse::from_volume(&volume));
            for (index, position) in sparse.positions().enumerate() {
                prop_assert_eq!(sparse.at(&position), Some(index));
            }
        }

        #[test]
        fn a_box_holds_what_the_crop_of_the_dense_array_holds(
            (outer, inner) in nested(), values in prop::collection::vec(value(), 1..80),
        ) {
            let volume = volume(outer, &values);
            let sparse = Sparse::from_volume(&volume);
            let expected = Sparse::from_volume(&volume.crop(inner).unwrap());
            prop_assert_eq!(&sparse.crop(inner).unwrap(), &expected);
            let cut = sparse.within(&inner);
            prop_assert_eq!(&cut, &sparse.one_by_one(&inner));
            prop_assert!(cut.is_sorted_by(|a, b| a.end <= b.start));
        }
    }

    #[test]
    fn a_plane_there_and_back() {
        let plane = Dense::new(3, 2, 1, Pixels::I8(vec![0, -1, 0, 0, 0, 5])).unwrap();
        let sparse = Sparse::from_dense(&plane).unwrap();
        assert_eq!((sparse.offsets(), sparse.bytes()), (&[1, 5][..], 18));
        assert_eq!(sparse.to_dense().unwrap(), plane);
        let colours = Dense::new(1, 1, 3, Pixels::U8(vec![1; 3])).unwrap();
        assert!(Sparse::from_dense(&colours).is_err());
    }

    #[test]
    fn refuses_what_is_no_array() {
        let bounds = Bounds::plane(0, 0, 4, 4).unwrap();
        let at = |x, y| Position::plane(x, y);
        let new = |positions: &[Position], values| Sparse::new(bounds, positions, Pixels::U8(values));
        assert!(new(&[at(0, 0)], vec![1, 2]).is_err());
        assert_eq!(
            new(&[at(4, 0)], vec![1]).unwrap_err().to_string(),
            "expected positions within [0 0 4 x 4], found 4 0 (depth 0, time 0); leave out those outside"
        );
        assert!(new(&[at(1, 1), at(1, 1)], vec![1, 0]).is_err(), "one position twice");
        let huge = Bounds::plane(0, 0, 1 << 40, 1 << 20).unwrap();
        let far = Sparse::new(huge, &[at(1 << 39, 1 << 19)], Pixels::U8(vec![1])).unwrap();
        assert!(far.to_volume().is_err() && far.to_dense().is_err());
        assert_eq!(far.crop(bounds).unwrap().len(), 0);
    }
}
