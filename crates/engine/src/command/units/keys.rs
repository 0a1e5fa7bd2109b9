//! What tells units apart: all that a result follows from, and nothing else.

use std::hash::{BuildHasher, RandomState};

use onceflow_kernels::{Digester, Isa, Shape, Window};
use onceflow_region::{Dense, Region};
use onceflow_runtime::Call;

use super::super::own::OwnTask;
use super::cut::{Cut, Over, Unit, pixel_bytes};

/// Digests units, with keys of its own.
#[derive(Debug)]
pub(super) struct Keys {
    /// The program with its files and container, and how far it sees.
    program: Shape,
    fresh: Digester,
    /// How far around a unit other inputs count; none when all of them does.
    pub(super) reach: Option<usize>,
}

impl Keys {
    /// Those of a program.
    pub(super) fn new(task: &OwnTask, reach: Option<usize>) -> Self {
        let far = reach.map_or(u64::MAX, |reach| reach as u64);
        let program = Shape::default().and(&words(task.spec.id.bytes())).and(&[task.spec.version, far]);
        let fresh = Digester::new(Isa::best(), RandomState::new().hash_one("units"));
        Self { program, fresh, reach }
    }

    /// The keys of all units of a call; none when it is not told what an input holds.
    pub(super) fn of(&self, call: &Call<'_>, cut: &Cut<'_>) -> Option<Vec<Shape>> {
        let context = self.context(call, cut)?;
        let around: Vec<&Dense> = match self.reach {
            Some(_) => self.others(call, cut).filter_map(Region::as_dense).collect(),
            None => Vec::new(),
        };
        let key = |unit: &Unit| match cut.over {
            Over::Objects(_) => {
                let runs: Vec<u64> = unit
                    .runs
                    .iter()
                    .flat_map(|r| [u64::from(r.y) << 32 | u64::from(r.start), u64::from(r.end)])
                    .collect();
                let shape = context.and(&[unit.label.into()]).and(&runs);
                self.and_window(shape, &around, cut.grown(unit.bounds, self.reach.unwrap_or(0)))
            }
            Over::Tiles(_) => {
                let window = cut.grown(unit.bounds, self.reach.unwrap_or(0));
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
        Some(cut.units.iter().map(key).collect())
    }

    /// What decides about every unit: the values that are read, and inputs as a whole where they count so. Where an object
    /// lies counts, and so does where the part ends; equal tiles are equal wherever they are.
    fn context(&self, call: &Call<'_>, cut: &Cut<'_>) -> Option<Shape> {
        let mut context = self.program;
        for value in call.parameters {
            context = context.and(&words(format!("{value:?}").bytes()));
        }
        if matches!(cut.over, Over::Objects(_)) {
            context = context.and(&[cut.width as u64, cut.height as u64]);
        }
        for region in
            self.others(call, cut).filter(|region| self.reach.is_none() || region.as_dense().is_none())
        {
            context = context.and(&words(region.digest()?.0));
        }
        Some(context)
    }

    /// The inputs besides objects.
    fn others<'a>(&self, call: &'a Call<'_>, cut: &'a Cut<'_>) -> impl Iterator<Item = &'a Region> {
        let others = call.inputs.iter().enumerate().filter(|(at, _)| !cut.is_named(*at));
        others.map(|(_, region)| region.as_ref())
    }

    /// What images hold in a window, after what is digested already.
    fn and_window(&self, shape: Shape, images: &[&Dense], window: Window) -> Shape {
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
