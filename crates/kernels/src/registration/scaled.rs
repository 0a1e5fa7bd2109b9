//! A volume as registration reads it: values from 0 to 1, and which voxels count.

use onceflow_region::{Pixels, with_values};

use super::Grid;
use super::voxel::Voxel;

/// A volume scaled to 0..1, with a mask where some voxels do not count.
#[derive(Clone, Debug, PartialEq)]
pub struct ScaledVolume {
    grid: Grid,
    values: Vec<f32>,
    mask: Option<Vec<u8>>,
}

/// A scaled volume, and what was found while it was scaled.
#[derive(Clone, Debug, PartialEq)]
pub struct Scaled {
    /// The volume.
    pub volume: ScaledVolume,
    /// The values that became 0 and 1.
    pub window: [f64; 2],
    /// Voxels whose values are not finite: they count as outside.
    pub not_finite: u64,
}

/// Why a volume cannot be scaled.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum ScaleError {
    /// Not one value for each voxel.
    #[error("expected {expected} values, one for each voxel, found {found}")]
    Values {
        /// Voxels of the grid.
        expected: usize,
        /// Values given.
        found: usize,
    },
    /// Not one value of the mask for each voxel.
    #[error("expected a mask of {expected} voxels, found {found}")]
    Mask {
        /// Voxels of the grid.
        expected: usize,
        /// Values given.
        found: usize,
    },
    /// All values that count are the same.
    #[error("expected values that differ, found {value} in every voxel that counts")]
    Constant {
        /// The value.
        value: f64,
    },
    /// No voxel counts.
    #[error("expected a voxel that counts, found none: every voxel is masked or not finite")]
    AllMasked,
    /// A value of a scaled volume is not in 0..1.
    #[error("expected values from 0 to 1, found {value}")]
    Range {
        /// The first such value.
        value: f32,
    },
    /// The window is empty or not finite.
    #[error(
        "expected a window of two finite numbers, the first one smaller, whose difference is finite, found {low} to {high}"
    )]
    Window {
        /// Becomes 0.
        low: f64,
        /// Becomes 1.
        high: f64,
    },
}

impl ScaledVolume {
    /// Scales values to 0..1 by the least and the greatest finite value within the mask, or by the window.
    ///
    /// # Errors
    /// When there is not one value for each voxel, none counts, all are the same, or the window is none.
    pub fn scale(
        grid: Grid,
        values: &Pixels,
        mask: Option<&[u8]>,
        window: Option<[f64; 2]>,
    ) -> Result<Scaled, ScaleError> {
        check(&grid, values.len(), mask)?;
        with_values!(values, values => scale(grid, values, mask, window))
    }

    /// A volume whose values are scaled already: those of a product of an earlier run.
    ///
    /// # Errors
    /// When there is not one value for each voxel, or a value is not in 0..1.
    pub fn from_parts(grid: Grid, values: Vec<f32>, mask: Option<Vec<u8>>) -> Result<Self, ScaleError> {
        check(&grid, values.len(), mask.as_deref())?;
        match values.iter().find(|value| !(0.0..=1.0).contains(*value)) {
            Some(value) => Err(ScaleError::Range { value: *value }),
            None => Ok(ScaledVolume { grid, values, mask }),
        }
    }

    /// A volume of as many values as voxels, from 0 to 1: weighted means of those of another one.
    pub(super) fn averaged(grid: Grid, values: Vec<f32>, mask: Option<Vec<u8>>) -> Self {
        debug_assert_eq!(values.len(), grid.voxels());
        ScaledVolume { grid, values, mask }
    }

    /// The voxels and where they lie.
    pub fn grid(&self) -> &Grid {
        &self.grid
    }

    /// One value for each voxel.
    pub fn values(&self) -> &[f32] {
        &self.values
    }

    /// 0 where a voxel does not count; none when all count.
    pub fn mask(&self) -> Option<&[u8]> {
        self.mask.as_deref()
    }

    /// Bytes of values and mask.
    pub fn bytes(&self) -> u64 {
        self.values.len() as u64 * 4 + self.mask.as_ref().map_or(0, |mask| mask.len() as u64)
    }

    /// Grid, values and mask.
    pub fn into_parts(self) -> (Grid, Vec<f32>, Option<Vec<u8>>) {
        (self.grid, self.values, self.mask)
    }

    /// Whether a voxel counts.
    #[inline(always)]
    pub(crate) fn counts(&self, at: usize) -> bool {
        self.mask.as_ref().is_none_or(|mask| mask[at] != 0)
    }

    /// Number of voxels that count.
    pub(crate) fn counting(&self) -> u64 {
        let masked = |mask: &Vec<u8>| mask.iter().filter(|value| **value != 0).count();
        self.mask.as_ref().map_or(self.values.len(), masked) as u64
    }
}

fn check(grid: &Grid, values: usize, mask: Option<&[u8]>) -> Result<(), ScaleError> {
    let expected = grid.voxels();
    match mask.map(<[u8]>::len).filter(|found| *found != expected) {
        _ if values != expected => Err(ScaleError::Values { expected, found: values }),
        Some(found) => Err(ScaleError::Mask { expected, found }),
        None => Ok(()),
    }
}

fn scale<V: Voxel>(
    grid: Grid,
    values: &[V],
    mask: Option<&[u8]>,
    window: Option<[f64; 2]>,
) -> Result<Scaled, ScaleError> {
    let inside = |at: usize| mask.is_none_or(|mask| mask[at] != 0);
    let not_finite = values.iter().filter(|value| !value.wide().is_finite()).count() as u64;
    let counting = values.iter().enumerate().filter(|(at, _)| inside(*at)).map(|(_, value)| value.wide());
    let finite = counting.filter(|value| value.is_finite());
    let found = finite.fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], v| [low.min(v), high.max(v)]);
    let [low, high] = chosen(found, window)?;
    let scaled = |value: &V| match value.wide() {
        value if value.is_finite() => ((value - low) / (high - low)).clamp(0.0, 1.0) as f32,
        _ => 0.0,
    };
    let mask = (mask.is_some() || not_finite > 0).then(|| {
        let counts = |(at, value): (usize, &V)| u8::from(inside(at) && value.wide().is_finite());
        values.iter().enumerate().map(counts).collect()
    });
    let volume = ScaledVolume { grid, values: values.iter().map(scaled).collect(), mask };
    Ok(Scaled { volume, window: [low, high], not_finite })
}

/// The values that become 0 and 1.
fn chosen([least, greatest]: [f64; 2], window: Option<[f64; 2]>) -> Result<[f64; 2], ScaleError> {
    if least > greatest {
        return Err(ScaleError::AllMasked);
    }
    if least == greatest {
        return Err(ScaleError::Constant { value: least });
    }
    let [low, high] = window.unwrap_or([least, greatest]);
    if !(low < high && (high - low).is_finite()) {
        return Err(ScaleError::Window { low, high });
    }
    match () {
        () if greatest <= low => Err(ScaleError::Constant { value: low }),
        () if least >= high => Err(ScaleError::Constant { value: high }),
        () => Ok([low, high]),
    }
}

#[cfg(test)]
mod tests {
    use onceflow_region::VolumeGeometry;

    use super::*;

    fn grid() -> Grid {
        Grid::new([4, 4, 4], VolumeGeometry::default()).unwrap()
    }

    #[test]
    fn values_that_are_not_finite_do_not_count() {
        let mut values: Vec<f32> = (0..64).map(|i| i as f32).collect();
        values[5] = f32::NAN;
        values[63] = f32::INFINITY;
        let made = ScaledVolume::scale(grid(), &Pixels::F32(values), None, None).unwrap();
        assert_eq!((made.window, made.not_finite), ([0.0, 62.0], 2));
        assert!(!made.volume.counts(5) && made.volume.counts(6) && made.volume.counting() == 62);
        assert_eq!((made.volume.values()[31], made.volume.values()[5]), (0.5, 0.0));
    }

    #[test]
    fn the_window_and_the_mask_say_what_becomes_0_and_1() {
        let values = Pixels::I16((0..64).collect());
        let mask: Vec<u8> = (0..64).map(|i| u8::from(i % 10 == 1)).collect();
        let masked = ScaledVolume::scale(grid(), &values, Some(&mask), None).unwrap();
        assert_eq!(masked.window, [1.0, 61.0]);
        assert_eq!((masked.volume.values()[0], masked.volume.values()[63]), (0.0, 1.0));
        let chosen = ScaledVolume::scale(grid(), &values, None, Some([10.0, 20.0])).unwrap();
        assert_eq!((chosen.volume.values()[15], chosen.volume.values()[50]), (0.5, 1.0));
    }

    #[test]
    fn what_cannot_be_scaled_has_a_name() {
        let values = Pixels::U8((0..64).collect());
        let scale = |values: &Pixels, mask: Option<&[u8]>, window| {
            ScaledVolume::scale(grid(), values, mask, window).unwrap_err()
        };
        assert_eq!(scale(&Pixels::U8(vec![7; 64]), None, None), ScaleError::Constant { value: 7.0 });
        assert_eq!(scale(&values, Some(&[0; 64]), None), ScaleError::AllMasked);
        assert_eq!(scale(&values, Some(&[1; 63]), None), ScaleError::Mask { expected: 64, found: 63 });
        assert_eq!(scale(&Pixels::U8(vec![]), None, None), ScaleError::Values { expected: 64, found: 0 });
        assert_eq!(scale(&values, None, Some([3.0, 3.0])), ScaleError::Window { low: 3.0, high: 3.0 });
        assert_eq!(scale(&values, None, Some([90.0, 99.0])), ScaleError::Constant { value: 90.0 });
        assert_eq!(scale(&Pixels::F64(vec![f64::NAN; 64]), None, None), ScaleError::AllMasked);
        let mut wide = vec![0.0; 64];
        (wide[0], wide[1]) = (-1.7e308, 1.7e308);
        assert_eq!(
            scale(&Pixels::F64(wide), None, None),
            ScaleError::Window { low: -1.7e308, high: 1.7e308 }
        );
    }
}
