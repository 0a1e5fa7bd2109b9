//! The grid that numbers nuclei: each of its cells holds at most one, known from the cell's place alone.

use core::ops::RangeInclusive;

use crate::frame::Frame;
use crate::ground::GroundSurvey;
use crate::hash::{HashKey, HashPurpose};
use crate::kind::NucleusKind;
use crate::look::SlideLook;
use crate::nucleus::{FARTHEST, Nucleus};

/// The side of a cell in pixels.
pub(crate) const SIDE: u64 = 24;

/// Cells around the image, whose nuclei may reach into it: as many as the farthest outline needs.
pub(crate) const BORDER: u64 = (FARTHEST as u64).div_ceil(SIDE);

/// Nuclei in cells farther apart than this do not crowd each other: twice the widest berth is two cells.
const NEIGHBOURS: i64 = 2;

/// The cells of one image.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct NucleusGrid {
    columns: u64,
    rows: u64,
    key: HashKey,
    look: SlideLook,
}

impl NucleusGrid {
    /// `None` when there are more cells than 32-bit labels.
    pub(crate) fn new(width: u64, height: u64, seed: u64) -> Option<Self> {
        let count = |side: u64| side.div_ceil(SIDE) + 2 * BORDER;
        let (columns, rows) = (count(width), count(height));
        let all = columns.checked_mul(rows)?;
        (all <= u64::from(u32::MAX)).then(|| Self {
            columns,
            rows,
            key: HashKey::new(seed, HashPurpose::Nucleus),
            look: SlideLook::NONE,
        })
    }

    /// The same with the nuclei of a slide.
    pub(crate) fn of_slide(self, look: SlideLook) -> Self {
        Self { look, ..self }
    }

    /// The nuclei with their centre less than `reach` from the rectangle, those in front last.
    pub(crate) fn nuclei(&self, survey: &GroundSurvey, frame: &Frame, reach: f64) -> Vec<Nucleus> {
        let margin = reach as i64 + 1;
        let columns = cells_around(frame.x, frame.width, margin);
        let rows = cells_around(frame.y, frame.height, margin);
        let stride = columns.clone().count();
        let places = rows.flat_map(|row| columns.clone().map(move |column| (column, row)));
        let candidates: Vec<Option<Nucleus>> =
            places.map(|(column, row)| self.candidate(survey, column, row)).collect();
        let stays = survivors(&candidates, stride);
        let mut nuclei: Vec<Nucleus> = candidates
            .into_iter()
            .zip(stays)
            .filter(|(_, stays)| *stays)
            .filter_map(|(one, _)| one)
            .collect();
        nuclei.sort_by_key(Nucleus::rank);
        nuclei
    }

    /// The nucleus of the cell without regard to its neighbours.
    fn candidate(&self, survey: &GroundSurvey, column: i64, row: i64) -> Option<Nucleus> {
        let label = self.label(column, row)?;
        let mut draws = self.key.draws(column, row);
        let x = (column as f64 + draws.unit()) * SIDE as f64;
        let y = (row as f64 + draws.unit()) * SIDE as f64;
        let ground = survey.at(x, y);
        let kind = NucleusKind::draw(&ground, self.look, &mut draws)?;
        Some(Nucleus::draw(label, (x, y), &ground, (kind, self.look.size), survey, &mut draws))
    }

    /// Counts the cells row by row, from 1 at the upper left corner of the border.
    fn label(&self, column: i64, row: i64) -> Option<u32> {
        let column = u64::try_from(column + BORDER as i64).ok().filter(|&column| column < self.columns)?;
        let row = u64::try_from(row + BORDER as i64).ok().filter(|&row| row < self.rows)?;
        u32::try_from(row * self.columns + column + 1).ok()
    }
}

/// The cells along one axis that touch the pixels or the margin around them, and the neighbours of those.
fn cells_around(first: i64, count: usize, margin: i64) -> RangeInclusive<i64> {
    let side = SIDE as i64;
    let last = first + count as i64 + margin;
    (first - margin).div_euclid(side) - NEIGHBOURS..=last.div_euclid(side) + NEIGHBOURS
}

/// A candidate stays unless one of higher rank crowds it, even if that one does not stay itself: so the decision needs no
/// farther cells. Those at the rim of the given cells are not decided, and left out.
fn survivors(candidates: &[Option<Nucleus>], stride: usize) -> Vec<bool> {
    let (columns, rows) = (stride as i64, (candidates.len() / stride) as i64);
    let around = || {
        (-NEIGHBOURS..=NEIGHBOURS).flat_map(|down| (-NEIGHBOURS..=NEIGHBOURS).map(move |right| (right, down)))
    };
    let stays = |index: usize| {
        let (column, row) = (index as i64 % columns, index as i64 / columns);
        let inner = |at: i64, count: i64| (NEIGHBOURS..count - NEIGHBOURS).contains(&at);
        let Some(one) = &candidates[index] else { return false };
        inner(column, columns)
            && inner(row, rows)
            && !around().any(|(right, down)| {
                let other = &candidates[((row + down) * columns + column + right) as usize];
                other.as_ref().is_some_and(|other| one.yields_to(other))
            })
    };
    (0..candidates.len()).map(stays).collect()
}
