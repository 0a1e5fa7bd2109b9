//! Two synthetic volumes of one phantom, of which one is deformed by a known smooth field: for registration.
//!
//! The moving volume is the phantom, a body with ellipsoids in it. The fixed volume shows at x what the moving one has at
//! x + u(x), so that the field of a registration from fixed to moving places is u itself.

use onceflow_region::{Bounds, Pixels, RegionError, Span, Volume, VolumeGeometry};

use crate::hash::{HashKey, HashPurpose};
use crate::soft::ramp;

/// A phantom, and the field that deforms it.
#[derive(Clone, Debug)]
pub struct VolumePair {
    size: [u32; 3],
    spacing: f64,
    bodies: Vec<Ellipsoid>,
    waves: Vec<Wave>,
    noise: HashKey,
}

/// The shortest and the longest side of a volume.
const SIDES: std::ops::RangeInclusive<u32> = 16..=512;

/// Ellipsoids within the body; each has a label.
const ELLIPSOIDS: u64 = 12;

/// Waves of each component of the field.
const WAVES: u64 = 3;

/// The greatest move, in sides of the volume.
const MOST: f64 = 0.1;

/// How much brighter or darker a voxel is by noise.
const NOISE: f64 = 4.0;

#[derive(Clone, Copy, Debug)]
struct Ellipsoid {
    centre: [f64; 3],
    radii: [f64; 3],
    brightness: f64,
}

/// A wave of the field, in shares of the sides.
#[derive(Clone, Copy, Debug)]
struct Wave {
    component: usize,
    cycles: [f64; 3],
    phase: f64,
    height: f64,
}

/// One of the two volumes with its labels and its landmarks.
#[derive(Clone, Debug)]
pub struct PairVolume {
    /// Brightness from 0 to 255.
    pub volume: Volume,
    /// 1 for the body, and a number for each ellipsoid.
    pub labels: Volume,
    /// The centres of the ellipsoids, in millimetres of the world.
    pub landmarks: Vec<[f64; 3]>,
}

impl VolumePair {
    /// The pair of a seed, with voxels of `spacing` mm; none when a side is shorter than 16 or longer than 512 voxels.
    pub fn new(size: [u32; 3], spacing: f64, seed: u64) -> Option<Self> {
        let fits = size.iter().all(|side| SIDES.contains(side)) && spacing.is_finite() && spacing > 0.0;
        let key = HashKey::new(seed, HashPurpose::Ellipsoid);
        let middle = Ellipsoid { centre: [0.5; 3], radii: [0.42, 0.44, 0.40], brightness: 60.0 };
        let bodies =
            std::iter::once(middle).chain((0..ELLIPSOIDS).map(|number| ellipsoid(key, number))).collect();
        let key = HashKey::new(seed, HashPurpose::Field);
        let waves = (0..3 * WAVES).map(|number| wave(key, number)).collect();
        let noise = HashKey::new(seed, HashPurpose::VolumeNoise);
        fits.then_some(Self { size, spacing, bodies, waves, noise })
    }

    /// Where a place of the fixed world goes, in millimetres.
    pub fn displacement(&self, place: [f64; 3]) -> [f64; 3] {
        let share = self.shares(place);
        let mut moved = [0.0; 3];
        for wave in &self.waves {
            let turn: f64 = (0..3).map(|axis| wave.cycles[axis] * share[axis]).sum();
            let side = f64::from(self.size[wave.component]) * self.spacing;
            moved[wave.component] +=
                wave.height * side * libm::sin(std::f64::consts::TAU * (turn + wave.phase));
        }
        moved
    }

    /// The deformed volume.
    ///
    /// # Errors
    /// Never: there is a value for each voxel.
    pub fn fixed(&self) -> Result<PairVolume, RegionError> {
        let landmarks = self.landmarks().iter().map(|place| self.back(*place)).collect();
        self.volume(landmarks, 0, |place| {
            let by = self.displacement(place);
            [0, 1, 2].map(|axis| place[axis] + by[axis])
        })
    }

    /// The phantom as it is.
    ///
    /// # Errors
    /// Never: there is a value for each voxel.
    pub fn moving(&self) -> Result<PairVolume, RegionError> {
        self.volume(self.landmarks(), 1, |place| place)
    }

    /// The centres of the ellipsoids in the moving world.
    fn landmarks(&self) -> Vec<[f64; 3]> {
        let place = |body: &Ellipsoid| {
            [0, 1, 2].map(|axis| body.centre[axis] * f64::from(self.size[axis]) * self.spacing)
        };
        self.bodies.iter().skip(1).map(place).collect()
    }

    /// The place of the fixed world that goes to one of the moving world: the field is so smooth that repeating it finds it.
    fn back(&self, to: [f64; 3]) -> [f64; 3] {
        let mut from = to;
        for _ in 0..50 {
            let by = self.displacement(from);
            from = [0, 1, 2].map(|axis| to[axis] - by[axis]);
        }
        from
    }

    fn shares(&self, place: [f64; 3]) -> [f64; 3] {
        [0, 1, 2].map(|axis| place[axis] / (f64::from(self.size[axis]) * self.spacing))
    }

    fn volume(
        &self,
        landmarks: Vec<[f64; 3]>,
        which: u64,
        of: impl Fn([f64; 3]) -> [f64; 3],
    ) -> Result<PairVolume, RegionError> {
        let [width, height, depth] = self.size;
        let (mut values, mut labels) = (Vec::new(), Vec::new());
        let noise = self.noise.child(which);
        for (z, y, x) in
            (0..depth).flat_map(|z| (0..height).flat_map(move |y| (0..width).map(move |x| (z, y, x))))
        {
            let place = of([x, y, z].map(|at| f64::from(at) * self.spacing));
            let (brightness, label) = self.phantom(self.shares(place));
            let grain = NOISE * noise.child(z.into()).draws(x.into(), y.into()).between(-1.0, 1.0);
            values.push((brightness + grain).round().clamp(0.0, 255.0) as u8);
            labels.push(label);
        }
        let [columns, rows, depths] = self.size.map(Span::from);
        let bounds = Bounds::new(columns, rows, depths, Span::ONE);
        let geometry = VolumeGeometry { spacing: [self.spacing; 3], ..VolumeGeometry::default() };
        Ok(PairVolume {
            volume: Volume::new(bounds, Pixels::U8(values), geometry)?,
            labels: Volume::new(bounds, Pixels::U8(labels), geometry)?,
            landmarks,
        })
    }

    /// Brightness and label at a place in shares of the sides.
    fn phantom(&self, place: [f64; 3]) -> (f64, u8) {
        let (mut brightness, mut label) = (8.0, 0);
        for (number, body) in self.bodies.iter().enumerate() {
            let far = |axis: usize| ((place[axis] - body.centre[axis]) / body.radii[axis]).powi(2);
            let distance = (far(0) + far(1) + far(2)).sqrt();
            let inside = 1.0 - f64::from(ramp(0.92, 1.08, distance as f32));
            brightness += inside * (body.brightness - if number == 0 { 0.0 } else { 40.0 });
            if distance <= 1.0 {
                label = u8::try_from(number + 1).unwrap_or(u8::MAX);
            }
        }
        (brightness, label)
    }
}

fn ellipsoid(key: HashKey, number: u64) -> Ellipsoid {
    let mut draws = key.child(number).draws(0, 0);
    Ellipsoid {
        centre: [(); 3].map(|()| draws.between(0.25, 0.75)),
        radii: [(); 3].map(|()| draws.between(0.05, 0.12)),
        brightness: draws.between(80.0, 210.0),
    }
}

fn wave(key: HashKey, number: u64) -> Wave {
    let mut draws = key.child(number).draws(0, 0);
    let component = (number % 3) as usize;
    let cycles = [(); 3].map(|()| draws.between(-0.8, 0.8));
    Wave { component, cycles, phase: draws.unit(), height: MOST / WAVES as f64 * draws.between(0.4, 1.0) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fixed_volume_shows_what_the_field_leads_to() {
        let pair = VolumePair::new([24, 20, 16], 2.0, 7).unwrap();
        let (fixed, moving) = (pair.fixed().unwrap(), pair.moving().unwrap());
        for (from, to) in fixed.landmarks.iter().zip(&moving.landmarks) {
            let by = pair.displacement(*from);
            for axis in 0..3 {
                assert!((from[axis] + by[axis] - to[axis]).abs() < 1e-9);
            }
        }
        let far = |place: &[f64; 3]| pair.displacement(*place).map(f64::abs).into_iter().fold(0.0, f64::max);
        let moves: Vec<f64> = fixed.landmarks.iter().map(far).collect();
        assert!(moves.iter().any(|by| *by > 0.5) && moves.iter().all(|by| *by < 0.1 * 48.0), "{moves:?}");
    }

    #[test]
    fn a_seed_gives_the_same_pair_and_another_another() {
        let volume = |seed| VolumePair::new([16; 3], 1.0, seed).unwrap().fixed().unwrap().volume;
        assert_eq!(volume(3), volume(3));
        assert_ne!(volume(3), volume(4));
        assert!(
            VolumePair::new([15, 16, 16], 1.0, 1).is_none() && VolumePair::new([16; 3], 0.0, 1).is_none()
        );
    }
}
