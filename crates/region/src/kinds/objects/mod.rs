//! Sets of objects: a run-length mask, a box and a row of features for each.

mod crop;

use crate::Digester;
use crate::{Bounds, Column, Dense, Pixels, RegionError, Table};

/// Pixels side by side in one row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PixelRun {
    /// The row.
    pub row: u32,
    /// The first column.
    pub start: u32,
    /// How many columns.
    pub length: u32,
}

/// The objects of a label plane, in the order of their labels.
#[derive(Debug, Clone, PartialEq)]
pub struct ObjectSet {
    width: u32,
    height: u32,
    labels: Vec<u32>,
    /// Where the runs of each object end in `runs`.
    ends: Vec<usize>,
    runs: Vec<PixelRun>,
    boxes: Vec<Bounds>,
    features: Table,
}

/// One object of a set.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ObjectRef<'a> {
    /// Its label; never 0, which is the background.
    pub label: u32,
    /// The smallest box around it.
    pub bounds: Bounds,
    /// Its pixels, row by row from the left.
    pub runs: &'a [PixelRun],
}

impl ObjectRef<'_> {
    /// How many pixels.
    pub fn area(&self) -> u64 {
        self.runs.iter().map(|run| u64::from(run.length)).sum()
    }

    /// Column and row of its first pixel, by which a part owns it.
    pub fn first_pixel(&self) -> Option<(u32, u32)> {
        self.runs.first().map(|run| (run.start, run.row))
    }
}

impl ObjectSet {
    /// The objects of a plane of labels, where 0 is the background. A label may lie in several pieces.
    ///
    /// # Errors
    /// When the plane does not hold one `u32` per pixel, or a side is longer than `u32` counts.
    pub fn from_labels(labels: &Dense) -> Result<ObjectSet, RegionError> {
        let values = labels.as_u32().filter(|_| labels.channels() == 1).ok_or(wrong_kind(labels))?;
        let (width, height) = sides(labels)?;
        let mut runs = labelled_runs(values, labels.width());
        // Stable: the runs of one label stay in their order.
        runs.sort_by_key(|&(label, _)| label);
        let mut set = ObjectSet::empty(width, height);
        for object in runs.chunk_by(|a, b| a.0 == b.0) {
            set.push(object);
        }
        Ok(set)
    }

    /// How many objects.
    #[inline]
    pub fn len(&self) -> usize {
        self.labels.len()
    }

    /// Whether there is no object.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.labels.is_empty()
    }

    /// Columns of the plane.
    #[inline]
    pub fn width(&self) -> u32 {
        self.width
    }

    /// Rows of the plane.
    #[inline]
    pub fn height(&self) -> u32 {
        self.height
    }

    /// One object, counted from 0 in the order of the labels.
    #[inline]
    pub fn object(&self, index: usize) -> Option<ObjectRef<'_>> {
        let end = *self.ends.get(index)?;
        let start = index.checked_sub(1).map_or(0, |before| self.ends[before]);
        Some(ObjectRef { label: self.labels[index], bounds: self.boxes[index], runs: &self.runs[start..end] })
    }

    /// All objects in the order of their labels.
    pub fn objects(&self) -> impl Iterator<Item = ObjectRef<'_>> {
        (0..self.len()).filter_map(|index| self.object(index))
    }

    /// The features: one row per object.
    #[inline]
    pub fn features(&self) -> &Table {
        &self.features
    }

    /// Adds a column of features.
    ///
    /// # Errors
    /// When there is not one value per object, or the name is taken.
    pub fn add_feature(&mut self, name: impl Into<String>, column: Column) -> Result<(), RegionError> {
        let name = name.into();
        if column.len() != self.len() {
            return Err(RegionError::Rows { name, expected: self.len(), found: column.len() });
        }
        self.features.add(name, column)
    }

    /// The plane of labels.
    ///
    /// # Errors
    /// When the plane does not fit in memory.
    pub fn to_labels(&self) -> Result<Dense, RegionError> {
        let mut plane = vec![0u32; self.area()?];
        self.paint(&mut plane, |label| label);
        Dense::new(self.width as usize, self.height as usize, 1, Pixels::U32(plane))
    }

    /// The mask: 255 where an object lies.
    ///
    /// # Errors
    /// When the plane does not fit in memory.
    pub fn to_mask(&self) -> Result<Dense, RegionError> {
        let mut plane = vec![0u8; self.area()?];
        self.paint(&mut plane, |_| u8::MAX);
        Dense::new(self.width as usize, self.height as usize, 1, Pixels::U8(plane))
    }

    /// Bytes that masks, boxes and features take.
    pub fn bytes(&self) -> u64 {
        let object = size_of::<u32>() + size_of::<usize>() + size_of::<Bounds>();
        (self.len() * object + self.runs.len() * size_of::<PixelRun>()) as u64 + self.features.bytes()
    }

    pub(crate) fn digest(&self, digester: &mut Digester) {
        for number in [u64::from(self.width), u64::from(self.height), self.len() as u64] {
            digester.number(number);
        }
        for object in self.objects() {
            digester.number(u64::from(object.label));
            digester.number(object.runs.len() as u64);
            digester.wide(object.runs, |run| {
                let mut bytes = [0; 12];
                bytes[..4].copy_from_slice(&run.row.to_le_bytes());
                bytes[4..8].copy_from_slice(&run.start.to_le_bytes());
                bytes[8..].copy_from_slice(&run.length.to_le_bytes());
                bytes
            });
        }
        self.features.digest(digester);
    }

    /// The set whose objects have these runs, in the order of their labels, with their features; `None` when runs lie outside,
    /// are out of order, or features are not one row per object.
    pub fn from_runs(
        width: u32,
        height: u32,
        runs: &[(u32, PixelRun)],
        features: Table,
    ) -> Option<ObjectSet> {
        let inside = |&(label, run): &(u32, PixelRun)| {
            let end = run.start.checked_add(run.length);
            label != 0 && run.length > 0 && run.row < height && end.is_some_and(|end| end <= width)
        };
        let place = |(label, run): &(u32, PixelRun), column: u32| (*label, run.row, column);
        let ordered = |pair: &[(u32, PixelRun)]| {
            let [before, after] = [&pair[0], &pair[1]];
            place(before, before.1.start + before.1.length) <= place(after, after.1.start)
        };
        if !runs.iter().all(inside) || !runs.windows(2).all(ordered) {
            return None;
        }
        let mut set = ObjectSet::empty(width, height);
        runs.chunk_by(|a, b| a.0 == b.0).for_each(|object| set.push(object));
        for (name, column) in features.columns() {
            set.add_feature(name.clone(), column.clone()).ok()?;
        }
        Some(set)
    }

    /// A set without objects over a plane of this size.
    pub fn empty(width: u32, height: u32) -> ObjectSet {
        let (labels, ends, runs, boxes) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        ObjectSet { width, height, labels, ends, runs, boxes, features: Table::default() }
    }

    /// Adds an object with its runs. The caller has checked that its label is larger than those before, and that the runs
    /// are in order and lie in the plane; [`ObjectSet::from_runs`] checks.
    pub fn push(&mut self, object: &[(u32, PixelRun)]) {
        let bounds = object.iter().filter_map(|(_, run)| run.bounds()).reduce(|a, b| a.hull(&b));
        if let (Some((label, _)), Some(bounds)) = (object.first(), bounds) {
            self.labels.push(*label);
            self.boxes.push(bounds);
            self.runs.extend(object.iter().map(|&(_, run)| run));
            self.ends.push(self.runs.len());
        }
    }

    fn area(&self) -> Result<usize, RegionError> {
        let (width, height) = (u64::from(self.width), u64::from(self.height));
        let area = usize::try_from(width * height).ok();
        area.filter(|&area| area <= isize::MAX as usize / size_of::<u32>()).ok_or(RegionError::Size {
            width,
            height,
            channels: 1,
        })
    }

    fn paint<T: Copy>(&self, plane: &mut [T], value: impl Fn(u32) -> T) {
        for object in self.objects() {
            for run in object.runs {
                let start = run.row as usize * self.width as usize + run.start as usize;
                plane[start..start + run.length as usize].fill(value(object.label));
            }
        }
    }
}

impl PixelRun {
    fn bounds(&self) -> Option<Bounds> {
        Bounds::plane(i64::from(self.start), i64::from(self.row), u64::from(self.length), 1)
    }
}

fn wrong_kind(labels: &Dense) -> RegionError {
    let (channels, element) = (labels.channels(), labels.element());
    RegionError::Kind {
        expected: "a plane of labels: 1 channel of u32",
        channels,
        element,
        todo: "convert it to labels",
    }
}

fn sides(labels: &Dense) -> Result<(u32, u32), RegionError> {
    let (width, height) = (labels.width(), labels.height());
    let large = RegionError::Size { width: width as u64, height: height as u64, channels: 1 };
    match (u32::try_from(width), u32::try_from(height)) {
        (Ok(width), Ok(height)) => Ok((width, height)),
        _ => Err(large),
    }
}

/// The runs of equal labels row by row; the caller has checked that both sides fit in `u32`.
fn labelled_runs(values: &[u32], width: usize) -> Vec<(u32, PixelRun)> {
    let mut runs = Vec::new();
    for (row, line) in values.chunks(width.max(1)).enumerate() {
        let mut start = 0;
        for same in line.chunk_by(|a, b| a == b) {
            if same[0] != 0 {
                runs.push((same[0], PixelRun { row: row as u32, start, length: same.len() as u32 }));
            }
            start += same.len() as u32;
        }
    }
    runs
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn plane() -> impl Strategy<Value = Dense> {
        let label = prop_oneof![3 => Just(0u32), 3 => 1u32..4, 1 => any::<u32>()];
        (0usize..9, 0usize..9).prop_flat_map(move |(width, height)| {
            prop::collection::vec(label.clone(), width * height)
                .prop_map(move |values| Dense::new(width, height, 1, Pixels::U32(values)).unwrap())
        })
    }

    proptest! {
        #[test]
        fn labels_come_back_exactly(plane in plane()) {
            let objects = ObjectSet::from_labels(&plane).unwrap();
            prop_assert_eq!(&objects.to_labels().unwrap(), &plane);
            let mask: Vec<u8> = plane.as_u32().unwrap().iter().map(|&v| if v == 0 { 0 } else { 255 }).collect();
            let found = objects.to_mask().unwrap();
            prop_assert_eq!(found.as_u8().unwrap(), &mask[..]);
        }

        #[test]
        fn each_label_is_one_object_with_its_box_and_area(plane in plane()) {
            let values = plane.as_u32().unwrap();
            let objects = ObjectSet::from_labels(&plane).unwrap();
            let mut expected: Vec<u32> = values.iter().copied().filter(|&v| v != 0).collect();
            expected.sort_unstable();
            expected.dedup();
            prop_assert_eq!(objects.objects().map(|o| o.label).collect::<Vec<_>>(), expected);
            for object in objects.objects() {
                let mine: Vec<(usize, usize)> = (0..values.len()).filter(|&i| values[i] == object.label)
                    .map(|i| (i % plane.width(), i / plane.width())).collect();
                let (left, right) = (mine.iter().map(|p| p.0).min().unwrap(), mine.iter().map(|p| p.0).max().unwrap());
                let (top, low) = (mine[0].1, mine[mine.len() - 1].1);
                prop_assert_eq!(object.area(), mine.len() as u64);
                prop_assert_eq!(object.first_pixel(), Some((mine[0].0 as u32, mine[0].1 as u32)));
                let bounds = Bounds::plane(left as i64, top as i64, (right - left + 1) as u64, (low - top + 1) as u64);
                prop_assert_eq!(Some(object.bounds), bounds);
            }
        }
    }

    #[test]
    fn features_have_a_value_per_object() {
        let plane = Dense::new(3, 1, 1, Pixels::U32(vec![7, 0, 2])).unwrap();
        let mut objects = ObjectSet::from_labels(&plane).unwrap();
        objects.add_feature("area", Column::Real(vec![1.0, 1.0])).unwrap();
        assert_eq!(objects.features().reals("area").map(<[f64]>::len), Some(2));
        assert!(objects.add_feature("area", Column::Real(vec![1.0, 1.0])).is_err());
        assert!(objects.add_feature("other", Column::Real(vec![1.0])).is_err());
    }

    #[test]
    fn refuses_what_are_no_labels() {
        let grey = Dense::new(1, 1, 1, Pixels::U8(vec![1])).unwrap();
        let error = ObjectSet::from_labels(&grey).unwrap_err().to_string();
        assert!(error.contains("found 1 channel(s) of u8"), "{error}");
    }
}
