//! Volumes of halved resolution: a level of the registration reads one step.

use std::borrow::Borrow;

use super::ScaledVolume;
use crate::Cpu;
use crate::cpu::isa::versions;

/// Sides from here on are halved by a step.
const HALVED: usize = 32;

/// The binomial weights of the smoothing.
const SMOOTH: [f64; 5] = [1.0 / 16.0, 4.0 / 16.0, 6.0 / 16.0, 4.0 / 16.0, 1.0 / 16.0];

/// A volume at each level; the last level has full size.
#[derive(Clone, Debug, PartialEq)]
pub struct Pyramid {
    /// Full size first.
    steps: Vec<ScaledVolume>,
}

impl Pyramid {
    /// Halves a volume from level to level, at least one.
    pub fn new(full: ScaledVolume, levels: u32, cpu: Cpu) -> Pyramid {
        let mut steps = vec![full];
        while steps.len() < levels as usize {
            let next = steps.last().map(|last| halve(last, cpu));
            steps.extend(next);
        }
        Pyramid { steps }
    }

    /// The volume of a level, from 1 on; none beyond the last.
    pub fn level(&self, level: u32) -> Option<&ScaledVolume> {
        self.steps.get(self.steps.len().checked_sub(level.max(1) as usize)?)
    }

    /// Number of levels.
    pub fn levels(&self) -> u32 {
        self.steps.len() as u32
    }

    /// The volume of full size.
    pub fn full(&self) -> &ScaledVolume {
        &self.steps[0]
    }

    /// All volumes, that of full size first.
    pub fn into_steps(self) -> Vec<ScaledVolume> {
        self.steps
    }

    /// Bytes of all volumes.
    pub fn bytes(&self) -> u64 {
        self.steps.iter().map(ScaledVolume::bytes).sum()
    }
}

/// Bytes of the smaller volumes that a pyramid adds to one of this size.
pub fn pyramid_bytes(size: [usize; 3], levels: u32) -> u64 {
    let step = |size: &[usize; 3]| Some(halved_size(*size));
    let smaller = std::iter::successors(Some(size), step).skip(1).take(levels.saturating_sub(1) as usize);
    smaller.map(|size| size.iter().product::<usize>() as u64 * 5).sum()
}

fn halved_size(size: [usize; 3]) -> [usize; 3] {
    size.map(|side| if side >= HALVED { side.div_ceil(2) } else { side })
}

/// One step: every side of 32 voxels or more is smoothed and halved, the others are left alone.
pub fn halve(volume: impl Borrow<ScaledVolume>, cpu: Cpu) -> ScaledVolume {
    let volume = volume.borrow();
    let size = volume.grid().size();
    let chosen = size.map(|side| side >= HALVED);
    let grid = volume.grid().every_second(chosen);
    // Planes are smoothed along x and y one by one, so that what lies between the axes is small.
    let planes = volume.values().chunks(size[0] * size[1]).collect();
    let flat: Vec<Vec<f64>> = cpu.run(planes, |plane: &[f32]| flatten(cpu.isa, plane, size, chosen));
    let depths: Vec<usize> = (0..grid.size()[2]).collect();
    let made = cpu.run(depths, |z| match chosen[2] {
        true => across(cpu.isa, &flat, 2 * z),
        false => flat[z].iter().map(|value| *value as f32).collect(),
    });
    let mask = volume.mask().map(|mask| second_voxels(mask, size, chosen));
    ScaledVolume::averaged(grid, made.concat(), mask)
}

versions! {
    /// A plane smoothed and halved along x and y.
    fn flatten(plane: &[f32], size: [usize; 3], chosen: [bool; 3]) -> Vec<f64> {
        let rows: Vec<Vec<f64>> = plane.chunks(size[0]).map(|row| along(row, chosen[0])).collect();
        match chosen[1] {
            true => (0..size[1].div_ceil(2)).flat_map(|y| smooth(&rows, 2 * y)).collect(),
            false => rows.concat(),
        }
    }
}

versions! {
    /// The plane of a depth, smoothed along z.
    fn across(planes: &[Vec<f64>], z: usize) -> Vec<f32> {
        smooth(planes, z).into_iter().map(|value| value as f32).collect()
    }
}

#[inline(always)]
fn along(row: &[f32], chosen: bool) -> Vec<f64> {
    if !chosen {
        return row.iter().map(|value| f64::from(*value)).collect();
    }
    let taken = |at: usize| {
        let tap = |(by, weight): (usize, f64)| weight * f64::from(row[near(at, by, row.len())]);
        sum5([0, 1, 2, 3, 4].map(|by| tap((by, SMOOTH[by]))))
    };
    (0..row.len()).step_by(2).map(taken).collect()
}

/// The weighted sum of the five rows around one.
#[inline(always)]
fn smooth(rows: &[Vec<f64>], at: usize) -> Vec<f64> {
    let length = rows[at].len();
    let rows = [0, 1, 2, 3, 4].map(|by| &rows[near(at, by, rows.len())][..length]);
    (0..length).map(|at| sum5([0, 1, 2, 3, 4].map(|by| SMOOTH[by] * rows[by][at]))).collect()
}

#[inline(always)]
fn sum5([a, b, c, d, e]: [f64; 5]) -> f64 {
    a + b + c + d + e
}

/// The place `by` - 2 after `at`; the border is repeated.
#[inline(always)]
fn near(at: usize, by: usize, count: usize) -> usize {
    (at + by).saturating_sub(2).min(count - 1)
}

fn second_voxels(mask: &[u8], size: [usize; 3], chosen: [bool; 3]) -> Vec<u8> {
    let step = chosen.map(|chosen| 1 + usize::from(chosen));
    let rows = mask.chunks(size[0]).enumerate();
    let kept = rows.filter(|(row, _)| {
        (row % size[1]).is_multiple_of(step[1]) && (row / size[1]).is_multiple_of(step[2])
    });
    kept.flat_map(|(_, row)| row.iter().step_by(step[0]).copied()).collect()
}

#[cfg(test)]
mod tests {
    use onceflow_region::VolumeGeometry;

    use super::*;
    use crate::registration::Grid;

    #[test]
    fn masks_keep_even_voxels() {
        let grid = Grid::new([33, 4, 40], VolumeGeometry::default()).unwrap();
        let mask: Vec<u8> = (0..grid.voxels()).map(|at| u8::from(at % 33 == 32)).collect();
        let full = ScaledVolume::from_parts(grid, vec![0.5; grid.voxels()], Some(mask)).unwrap();
        let pyramid = Pyramid::new(full, 3, Cpu::default());
        let half = pyramid.level(2).unwrap();
        assert_eq!(half.grid().size(), [17, 4, 20]);
        assert!((0..half.values().len()).all(|at| half.counts(at) == (at % 17 == 16)));
        assert!(half.values().iter().all(|value| *value == 0.5));
        assert_eq!(pyramid.level(1).unwrap().grid(), half.grid());
        assert!(pyramid.level(4).is_none() && pyramid.level(3) == Some(pyramid.full()));
        let smaller = pyramid.bytes() - pyramid.full().bytes();
        assert_eq!(pyramid_bytes([33, 4, 40], 3), smaller);
    }
}
