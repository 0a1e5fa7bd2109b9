//! Red blood cells: saturated red discs that fill some vessels and lie scattered elsewhere.

use crate::frame::Frame;
use crate::ground::GroundSurvey;
use crate::hash::{HashKey, HashPurpose, RandomDraws};
use crate::soft::{bump, ramp};
use crate::stain::Density;

/// The side in pixels of the cells of the grid, each of which holds at most one.
const SIDE: i64 = 13;

/// No red blood cell reaches farther from its centre, in pixels.
const FARTHEST: i64 = 13;

/// A red blood cell.
pub(crate) struct RedCell {
    priority: u64,
    pub(crate) x: f64,
    pub(crate) y: f64,
    radius: f32,
    cosine: f32,
    sine: f32,
    aspect: f32,
    strength: f32,
}

impl RedCell {
    /// How far it reaches in pixels.
    pub(crate) fn reach(&self) -> f64 {
        FARTHEST as f64
    }

    /// How much it covers of the point at `(right, down)` from its centre, and its density there.
    pub(crate) fn at(&self, right: f32, down: f32) -> (f32, Density) {
        let along = (right * self.cosine + down * self.sine) / self.aspect;
        let across = (down * self.cosine - right * self.sine) * self.aspect;
        let distance = (along * along + across * across).sqrt();
        let cover = 1.0 - ramp(self.radius - 1.3, self.radius + 1.3, distance);
        let hollow = 1.0 - 0.2 * bump(0.0, 0.7 * self.radius, distance);
        let strength = self.strength * hollow;
        (cover, Density::new(0.0, 1.15 * strength, 1.45 * strength))
    }
}

/// The red blood cells that may reach the rectangle, those in front last.
pub(crate) fn red_cells(survey: &GroundSurvey, seed: u64, frame: &Frame) -> Vec<RedCell> {
    let &Frame { x, y, width, height } = frame;
    let key = HashKey::new(seed, HashPurpose::Blood);
    let columns = (x - FARTHEST).div_euclid(SIDE)..=(x + width as i64 + FARTHEST).div_euclid(SIDE);
    let rows = (y - FARTHEST).div_euclid(SIDE)..=(y + height as i64 + FARTHEST).div_euclid(SIDE);
    let mut cells: Vec<RedCell> = rows
        .flat_map(|row| columns.clone().map(move |column| (column, row)))
        .filter_map(|(column, row)| occupant(survey, key, column, row))
        .collect();
    cells.sort_by_key(|cell| cell.priority);
    cells
}

fn occupant(survey: &GroundSurvey, key: HashKey, column: i64, row: i64) -> Option<RedCell> {
    let mut draws = key.draws(column, row);
    let x = (column as f64 + draws.unit()) * SIDE as f64;
    let y = (row as f64 + draws.unit()) * SIDE as f64;
    let ground = survey.at(x, y);
    let in_vessel = ground.vessel > 0.06;
    let tissue = ground.section > 0.05 && ground.nest < -0.1;
    let often = match (tissue, in_vessel) {
        (false, _) => 0.0,
        (true, true) => 0.85 * f64::from(ramp(-0.4, 0.4, ground.clearing)),
        (true, false) => 0.0012,
    };
    draws.chance(often).then(|| RedCell::draw(x, y, &mut draws))
}

impl RedCell {
    fn draw(x: f64, y: f64, draws: &mut RandomDraws) -> Self {
        let angle = draws.between(0.0, core::f64::consts::PI);
        Self {
            priority: draws.number(),
            x,
            y,
            radius: draws.between(6.5, 9.0) as f32,
            cosine: libm::cos(angle) as f32,
            sine: libm::sin(angle) as f32,
            aspect: draws.between(1.0, 1.2) as f32,
            strength: draws.between(0.75, 1.15) as f32,
        }
    }
}
