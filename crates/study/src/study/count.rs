//! How many rows and instances a study makes, counted before any is made.

use super::check::Context;
use crate::units::with_commas;
use crate::{Diagnostic, Diagnostics, Keep, Method, Parts, Phase, Seams, Study, StudyImage};

/// More rows than this in one phase are an error.
pub const MOST_ROWS: u128 = 1_000_000_000;

/// More instances (rows times parts) than this in one phase are an error.
pub const MOST_INSTANCES: u128 = 1_000_000_000_000;

/// The counts of a study.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StudyCounts {
    /// One entry per phase.
    pub phases: Vec<PhaseCount>,
    /// Parts over all images, when that is known without opening them: every image has a box, `per_image` is said, or seams are exact.
    /// A box of an image of unknown resolution is taken to be at the resolution of the study.
    pub parts: Option<u128>,
}

/// The rows of a phase, without the reference row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PhaseCount {
    /// Name of the phase.
    pub name: String,
    /// Rows when everything that may be kept is kept; saturates.
    pub most: u128,
    /// When a rule chooses factors, about half of them (rounded down) and the rows they would make; grids have none.
    pub half: Option<(usize, u128)>,
    /// Whether a rule makes the number of rows uncertain.
    pub depends: bool,
}

impl StudyCounts {
    /// Counts a study. Numbers that do not fit saturate.
    pub fn of(study: &Study) -> Self {
        let phases = study.phases.iter().map(|phase| phase_count(study, phase)).collect();
        let parts = study.images.iter().map(|image| parts_of(image, &study.parts));
        let parts = parts.collect::<Option<Vec<_>>>().map(|p| p.into_iter().fold(0, u128::saturating_add));
        Self { phases, parts: parts.filter(|_| !study.images.is_empty()) }
    }

    /// Rows over all phases and the reference row, at most.
    pub fn rows(&self) -> u128 {
        self.phases.iter().map(|p| p.most).fold(1, u128::saturating_add)
    }

    /// Instances over all phases, at most: rows times parts.
    pub fn instances(&self) -> Option<u128> {
        self.parts.map(|parts| self.rows().saturating_mul(parts))
    }
}

fn phase_count(study: &Study, phase: &Phase) -> PhaseCount {
    let all = study.space.factors().len();
    let name = phase.name.clone();
    let method = &phase.design.method;
    let Some(Keep::Effects(rule)) = &phase.keep else {
        let space = study.phase_space(phase, None);
        let most = space.map_or_else(|_| study.space.rows(method), |space| space.rows(method));
        return PhaseCount { name, most, half: None, depends: false };
    };
    let at_most = rule.at_most.and_then(|n| usize::try_from(n).ok()).unwrap_or(all).min(all);
    let most = method.rows(at_most).unwrap_or_else(|| study.space.rows(method));
    let half = (all / 2).clamp(1, at_most);
    let half = method.rows(half).map(|rows| (half, rows));
    let depends = half.is_none_or(|(_, rows)| rows != most);
    PhaseCount { name, most, half: half.filter(|_| depends), depends }
}

/// No more than there are, nor than are taken; `None` when neither is known.
fn parts_of(image: &StudyImage, parts: &Parts) -> Option<u128> {
    let (there, taken) = (parts_in(image, parts), parts.per_image.map(u128::from));
    there.into_iter().chain(taken).min()
}

fn parts_in(image: &StudyImage, parts: &Parts) -> Option<u128> {
    if parts.seams == Seams::Exact {
        return Some(1);
    }
    let bounds = image.bounds?;
    let scale = image.um_per_pixel.zip(parts.um_per_pixel).map_or(1.0, |(image, work)| image / work);
    // A sum of floats cannot overflow here: saturating casts keep absurd scales absurd.
    let along = |length: u64| {
        ((length as f64 * scale).ceil().max(1.0) as u128).div_ceil(u128::from(parts.size.max(1)))
    };
    Some(along(bounds.width).saturating_mul(along(bounds.height)))
}

/// Refuses studies with too many rows or instances before they are made.
pub(crate) fn check(study: &Study, context: &Context<'_>, diagnostics: &mut Diagnostics) {
    let counts = StudyCounts::of(study);
    let parts = counts.parts.unwrap_or(study.images.len() as u128);
    for (place, phase) in counts.phases.iter().enumerate() {
        let instances = phase.most.saturating_mul(parts);
        let complaint = if phase.most > MOST_ROWS {
            too_many(study, place, "rows", phase.most, MOST_ROWS)
        } else if instances > MOST_INSTANCES {
            too_many(study, place, "instances", instances, MOST_INSTANCES)
        } else {
            continue;
        };
        diagnostics.push(complaint.at_place(context.place_of_size(place).as_ref(), ""));
    }
}

fn too_many(study: &Study, place: usize, what: &str, found: u128, limit: u128) -> Diagnostic {
    let phase = &study.phases[place];
    let shown = if found == u128::MAX { "more than can be counted".into() } else { with_commas(found) };
    let error = Diagnostic::error(format!("phase `{}` would make {shown} {what}", phase.name));
    let error = error.expected_found(format!("at most {}", with_commas(limit)), shown);
    let size = match &phase.design.method {
        Method::Grid(_) => "take larger steps, raise `fraction`, or use a method with `rows`",
        Method::Morris(_) => "reduce `trajectories`",
        Method::Saltelli(_) => "reduce `base`",
        Method::Tune(_) => "reduce `evaluations`",
        _ => "reduce `rows`",
    };
    let images = if what == "instances" { ", or the images or per_image" } else { "" };
    error.with_hint(format!("{size}{images}"))
}
