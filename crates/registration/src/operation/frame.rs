//! What all levels of a pair share beside the voxels, as a table: grids, the affine start, spacing, similarity and optimiser.

use onceflow_kernels::Cpu;
use onceflow_kernels::registration::{Affine, Grid, Optimiser, Pyramid, ScaledVolume, Similarity};
use onceflow_region::{Bounds, Column, Pixels, Region, Span, Table, Volume, VolumeGeometry};
use onceflow_runtime::OperationError;

use super::{Arguments, failed, marks};
use crate::register::Prepared;

/// What the levels of a pair share.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Frame {
    /// Of both volumes at full size.
    pub(super) grids: [Grid; 2],
    pub(super) affine: Affine,
    /// Of the last lattice.
    pub(super) spacing: f64,
    pub(super) similarity: Similarity,
    /// Bins of metrics, also where the similarity has none.
    pub(super) bins: u32,
    pub(super) optimiser: Optimiser,
    pub(super) tolerance: f64,
    /// Steps of the pyramids.
    pub(super) steps: u32,
    /// A digest of the volumes.
    pub(super) content: String,
}

const NUMBERS: &str = "numbers";
const CONTENT: &str = "content";

/// Numbers of a grid, and of a frame.
const GRID: usize = 18;
const ALL: usize = 2 * GRID + 12 + 6;

const OPTIMISERS: [Optimiser; 3] = [Optimiser::Lbfgs, Optimiser::Cg, Optimiser::Descent];

impl Frame {
    pub(super) fn to_table(&self) -> Result<Table, OperationError> {
        let mut numbers = Vec::with_capacity(ALL);
        for grid in &self.grids {
            let VolumeGeometry { spacing, origin, directions } = grid.geometry();
            numbers.extend(grid.size().map(|side| side as f64));
            numbers.extend(spacing.iter().chain(origin).chain(directions.as_flattened()));
        }
        numbers.extend(self.affine.0.as_flattened());
        let similarity = match self.similarity {
            Similarity::Nmi { .. } => 0.0,
            Similarity::Mi { .. } => 1.0,
            Similarity::Ssd => 2.0,
        };
        let optimiser = OPTIMISERS.iter().position(|known| *known == self.optimiser).unwrap_or(0);
        numbers.extend([
            self.spacing,
            similarity,
            self.bins.into(),
            optimiser as f64,
            self.tolerance,
            self.steps.into(),
        ]);
        let mut content = vec![String::new(); numbers.len()];
        content[0].clone_from(&self.content);
        let columns =
            vec![(NUMBERS.to_owned(), Column::Real(numbers)), (CONTENT.to_owned(), Column::Text(content))];
        Table::new(columns).map_err(|error| failed(error.to_string()))
    }

    pub(super) fn of(table: &Table) -> Option<Self> {
        let numbers: &[f64; ALL] = table.reals(NUMBERS)?.try_into().ok()?;
        let grid = |at: usize| {
            let three = |from: usize| [0, 1, 2].map(|axis| numbers[at + from + axis]);
            let directions = [9, 12, 15].map(three);
            let geometry = VolumeGeometry { spacing: three(3), origin: three(6), directions };
            Grid::new(three(0).map(|side| side as usize), geometry).ok()
        };
        let row = |row: usize| [0, 1, 2, 3].map(|column| numbers[2 * GRID + row * 4 + column]);
        let [spacing, similarity, bins, optimiser, tolerance, steps] = numbers[2 * GRID + 12..] else {
            return None;
        };
        let bins = bins as u32;
        Some(Self {
            grids: [grid(0)?, grid(GRID)?],
            affine: Affine([row(0), row(1), row(2)]),
            spacing,
            similarity: match similarity as u32 {
                0 => Similarity::Nmi { bins },
                1 => Similarity::Mi { bins },
                _ => Similarity::Ssd,
            },
            bins,
            optimiser: *OPTIMISERS.get(optimiser as usize)?,
            tolerance,
            steps: steps as u32,
            content: table.texts(CONTENT)?.first()?.clone(),
        })
    }

    /// The frame of a call.
    pub(super) fn of_call(arguments: &Arguments<'_>) -> Result<Self, OperationError> {
        Self::of(arguments.table(4)?)
            .ok_or_else(|| failed("expected the table that registration.prepare makes"))
    }

    /// A volume after so many steps.
    pub(super) fn step(
        &self,
        arguments: &Arguments<'_>,
        which: usize,
        halvings: u32,
    ) -> Result<ScaledVolume, OperationError> {
        if halvings >= self.steps {
            return Err(failed(format!(
                "expected at most {} halvings, found {halvings}",
                self.steps.saturating_sub(1)
            )));
        }
        let wrong = || failed("expected the volumes that registration.prepare makes");
        let volume = arguments.volume(which)?.ok_or_else(wrong)?;
        let Pixels::F32(values) = volume.values() else { return Err(wrong()) };
        let all = marks(arguments.volume(which + 2)?)?;
        let (mut grid, mut start) = (self.grids[which], 0);
        for _ in 0..halvings {
            start += grid.voxels();
            grid = halved(&grid)?;
        }
        let range = start..start + grid.voxels();
        let mask = match &all {
            Some(all) => Some(all.get(range.clone()).ok_or_else(wrong)?.to_vec()),
            None => None,
        };
        let values = values.get(range).ok_or_else(wrong)?.to_vec();
        ScaledVolume::from_parts(grid, values, mask).map_err(|error| failed(error.to_string()))
    }
}

/// The grid of a volume after a step: that of a volume without values.
fn halved(grid: &Grid) -> Result<Grid, OperationError> {
    let (mut size, mut geometry) = (grid.size(), *grid.geometry());
    for axis in (0..3).filter(|axis| grid.size()[*axis] >= HALVED) {
        size[axis] = size[axis].div_ceil(2);
        geometry.spacing[axis] *= 2.0;
    }
    Grid::new(size, geometry).map_err(|error| failed(error.to_string()))
}

/// Sides from here on are halved by a step.
const HALVED: usize = 32;

/// The pyramids, masks and frame as regions: the steps of each volume one after the other, that of full size first.
pub(super) fn to_regions(prepared: Prepared, frame: &Frame) -> Result<Vec<Region>, OperationError> {
    let Prepared { fixed, moving, .. } = prepared;
    let both = [parts(fixed), parts(moving)];
    let line = |values: Pixels, geometry: &VolumeGeometry| {
        let length = Span::new(0, values.len() as u64).unwrap_or(Span::ONE);
        let bounds = Bounds::new(length, Span::ONE, Span::ONE, Span::ONE);
        Volume::new(bounds, values, *geometry).map(Region::Volume).map_err(|error| failed(error.to_string()))
    };
    let (mut values, mut masks) = (Vec::new(), Vec::new());
    for ((all, mask), grid) in both.into_iter().zip(&frame.grids) {
        values.push(line(Pixels::F32(all), grid.geometry())?);
        masks.push(match mask {
            Some(mask) => line(Pixels::U8(mask), grid.geometry())?,
            None => Region::Nothing,
        });
    }
    values.extend(masks);
    values.push(Region::Table(frame.to_table()?));
    Ok(values)
}

fn parts(pyramid: Pyramid) -> (Vec<f32>, Option<Vec<u8>>) {
    let (mut values, mut masks) = (Vec::new(), None::<Vec<u8>>);
    for step in pyramid.into_steps() {
        let (_, own, mask) = step.into_parts();
        values.extend(own);
        if let Some(mask) = mask {
            masks.get_or_insert_default().extend(mask);
        }
    }
    (values, masks)
}

/// One thread: the rows of a study have the others.
pub(super) fn cpu() -> Cpu {
    Cpu::one_thread()
}
