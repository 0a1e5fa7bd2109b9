//! Keys of units: hashes of all that a result follows from, and of nothing else.

use onceflow_kernels::{BufferHasher, Isa, ObjectHash, Window};
use onceflow_region::{Dense, Region};
use onceflow_runtime::Call;

use super::set::{Unit, UnitKind, UnitSet, pixel_bytes};
use crate::task::ProgramTask;

/// Computes the keys of units.
#[derive(Debug)]
pub(super) struct UnitKeys {
    /// The program with its files and container, and its reach.
    program: ObjectHash,
    /// An empty digester.
    fresh: BufferHasher,
    /// Pixels around a unit that its result depends on; none when it depends on whole inputs.
    pub(super) reach: Option<usize>,
}

impl UnitKeys {
    /// For a program; equal seeds give equal keys.
    pub(super) fn new(task: &ProgramTask, reach: Option<usize>, seed: u64) -> Self {
        let far = reach.map_or(u64::MAX, |reach| reach as u64);
        let program = ObjectHash::default().and(&words(task.spec.id.bytes())).and(&[task.spec.version, far]);
        let fresh = BufferHasher::new(Isa::best(), seed);
        Self { program, fresh, reach }
    }

    /// The keys of all units of a call; none when an input has no digest.
    pub(super) fn of(&self, call: &Call<'_>, set: &UnitSet<'_>) -> Option<Vec<ObjectHash>> {
        let context = self.context(call, set)?;
        let around: Vec<&Dense> = match self.reach {
            Some(_) => self.others(call, set).filter_map(Region::as_dense).collect(),
            None => Vec::new(),
        };
        let key = |unit: &Unit| match set.kind {
            UnitKind::Objects(_) => {
                let runs: Vec<u64> = unit
                    .runs
                    .iter()
                    .flat_map(|r| [u64::from(r.y) << 32 | u64::from(r.start), u64::from(r.end)])
                    .collect();
                let shape = context.and(&[unit.label.into()]).and(&runs);
                self.and_window(shape, &around, set.grown(unit.bounds, self.reach.unwrap_or(0)))
            }
            UnitKind::Tiles(_) => {
                let window = set.grown(unit.bounds, self.reach.unwrap_or(0));
                let place = [
                    unit.bounds.left - window.left,
                    unit.bounds.top - window.top,
                    unit.bounds.width,
                    unit.bounds.height,
                    window.width,
                    window.height,
                ];
                self.and_window(context.and(&place.map(|number| number as u64)), &around, window)
            }
        };
        Some(set.units.iter().map(key).collect())
    }

    /// What the results of all units follow from: the parameters, and inputs that count as a whole. The position of an object
    /// in its part counts; equal tiles are equal at any position.
    fn context(&self, call: &Call<'_>, set: &UnitSet<'_>) -> Option<ObjectHash> {
        let mut context = self.program;
        for value in call.parameters {
            context = context.and(&words(format!("{value:?}").bytes()));
        }
        if matches!(set.kind, UnitKind::Objects(_)) {
            context = context.and(&[set.width as u64, set.height as u64]);
        }
        for region in
            self.others(call, set).filter(|region| self.reach.is_none() || region.as_dense().is_none())
        {
            context = context.and(&words(region.digest()?.0));
        }
        Some(context)
    }

    /// The inputs besides objects.
    fn others<'a>(&self, call: &'a Call<'_>, set: &'a UnitSet<'_>) -> impl Iterator<Item = &'a Region> {
        let others = call.inputs.iter().enumerate().filter(|(at, _)| !set.is_objects(*at));
        others.map(|(_, region)| region.as_ref())
    }

    /// Adds the pixels of images in a window to a key.
    fn and_window(&self, shape: ObjectHash, images: &[&Dense], window: Window) -> ObjectHash {
        if images.is_empty() {
            return shape;
        }
        let mut digester = self.fresh.clone();
        for image in images {
            let (size, bytes) = (pixel_bytes(image), image.pixels().as_bytes());
            for y in window.top..window.top + window.height {
                let start = (y * image.width() + window.left) * size;
                digester.update(&bytes[start..start + window.width * size]);
            }
        }
        shape.and(&digester.finish().words())
    }
}

/// Bytes as words, with their number.
fn words(bytes: impl IntoIterator<Item = u8>) -> Vec<u64> {
    let mut words: Vec<u64> = bytes.into_iter().map(u64::from).collect();
    words.push(words.len() as u64);
    words
}
