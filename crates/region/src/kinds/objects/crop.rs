//! The objects in a box of their plane.

use super::{ObjectSet, PixelRun};
use crate::{Bounds, RegionError, Span};

impl ObjectSet {
    /// The box of the plane as seen from its own upper left corner.
    pub fn bounds(&self) -> Bounds {
        Bounds::new(Span::from(self.width), Span::from(self.height), Span::ONE, Span::ONE)
    }

    /// What of the objects lies in a box as seen from the plane's upper left corner, seen from the box's own. Labels and
    /// features stay those of the whole objects; objects outside are left out.
    ///
    /// # Errors
    /// When the box reaches outside.
    pub fn crop(&self, bounds: Bounds) -> Result<ObjectSet, RegionError> {
        let outside = || RegionError::Outside { outer: Box::new(self.bounds()), inner: Box::new(bounds) };
        let within = self.bounds().contains(&bounds);
        let [x, y, width, height] = bounds.indices().filter(|_| within).ok_or_else(outside)?;
        // What lies within the plane has sides that `u32` counts; an empty box may lie anywhere, and no run is in it.
        let [x, y, width, height] = [x, y, width, height].map(|side| u32::try_from(side).unwrap_or(0));
        let mut set = ObjectSet::empty(width, height);
        let mut kept = Vec::new();
        for (index, object) in self.objects().enumerate() {
            let runs = object.runs.iter().filter_map(|run| run.clipped([x, y, width, height]));
            let runs: Vec<(u32, PixelRun)> = runs.map(|run| (object.label, run)).collect();
            if !runs.is_empty() {
                set.push(&runs);
                kept.push(index);
            }
        }
        Ok(ObjectSet { features: self.features.pick(&kept), ..set })
    }
}

impl PixelRun {
    fn clipped(&self, [x, y, width, height]: [u32; 4]) -> Option<PixelRun> {
        let row = self.row.checked_sub(y).filter(|row| *row < height)?;
        let (start, end) = (self.start.max(x), (self.start + self.length).min(x + width));
        (start < end).then(|| PixelRun { row, start: start - x, length: end - start })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::{Column, Dense, Pixels};

    proptest! {
        #[test]
        fn a_crop_holds_the_objects_of_the_cropped_labels(
            (w, h, x, y, cw, ch) in (1usize..9, 1usize..9).prop_flat_map(|(w, h)| (Just(w), Just(h), 0..w, 0..h))
                .prop_flat_map(|(w, h, x, y)| (Just(w), Just(h), Just(x), Just(y), 0..=w - x, 0..=h - y)),
            values in prop::collection::vec(0u32..4, 64),
        ) {
            let plane = Dense::new(w, h, 1, Pixels::U32(values[..w * h].to_vec())).unwrap();
            let mut objects = ObjectSet::from_labels(&plane).unwrap();
            let labels: Vec<i64> = objects.objects().map(|object| i64::from(object.label)).collect();
            objects.add_feature("whose", Column::Integer(labels)).unwrap();
            let bounds = Bounds::plane(x as i64, y as i64, cw as u64, ch as u64).unwrap();
            let crop = objects.crop(bounds).unwrap();
            prop_assert_eq!(crop.to_labels().unwrap(), plane.crop(bounds).unwrap());
            let left: Vec<i64> = crop.objects().map(|object| i64::from(object.label)).collect();
            prop_assert_eq!(crop.features().integers("whose"), Some(&left[..]));
            let boxes = crop.objects().map(|object| object.bounds).collect::<Vec<_>>();
            let again = ObjectSet::from_labels(&plane.crop(bounds).unwrap()).unwrap();
            prop_assert_eq!(boxes, again.objects().map(|object| object.bounds).collect::<Vec<_>>());
        }
    }

    #[test]
    fn refuses_boxes_outside() {
        let plane = Dense::new(2, 2, 1, Pixels::U32(vec![1; 4])).unwrap();
        let objects = ObjectSet::from_labels(&plane).unwrap();
        assert!(objects.crop(Bounds::plane(1, 0, 2, 1).unwrap()).is_err());
        assert!(objects.crop(Bounds::plane(-1, 0, 1, 1).unwrap()).is_err());
    }
}
