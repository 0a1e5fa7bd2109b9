//! Which images take part in tuning, and which slides confirm what it finds.

use std::collections::BTreeMap;

use onceflow_sensitivity::shuffled;
use onceflow_study::{HoldOut, Phase, Study, TuneDesign};

use super::tune_design;
use crate::OpenStudy;
use crate::open::inputs::StudyInputs;

/// The images of a study that have a truth, by their places among the opened ones.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::run) struct ImageSplit {
    /// Those that take part in tuning.
    pub(super) tuning: Vec<usize>,
    /// Slides or patients that take no part, with their images.
    pub(super) held_out: Vec<(String, Vec<usize>)>,
}

impl ImageSplit {
    /// The split of a study that tunes, and the phase that does; `None` for other studies.
    pub(in crate::run) fn of_phases<'p>(
        study: &OpenStudy,
        phases: &'p [Phase],
    ) -> Option<(&'p Phase, &'p TuneDesign, Self)> {
        let (phase, design) = phases.iter().find_map(|phase| Some((phase, tune_design(phase)?)))?;
        let split = Self::new(&study.study, &study.inputs, &design.hold_out, phase.design.seed);
        Some((phase, design, split))
    }

    /// Splits by slides: all images of a slide or patient stand on one side.
    pub(super) fn new(study: &Study, inputs: &StudyInputs, hold_out: &HoldOut, seed: u64) -> Self {
        let mut slides: BTreeMap<String, Vec<usize>> = BTreeMap::new();
        let mut named: BTreeMap<String, bool> = BTreeMap::new();
        for (place, opened) in inputs.images.iter().enumerate().filter(|(_, image)| image.truth.is_some()) {
            let Some(image) = study.images.iter().find(|image| image.name == opened.name) else { continue };
            let slide = image.slide().to_owned();
            let is_named = |name: &String| {
                let of_slide = image.columns.iter().any(|(column, value)| column == "slide" && value == name);
                *name == slide || *name == image.name || of_slide
            };
            if let HoldOut::Names(names) = hold_out
                && names.iter().any(is_named)
            {
                named.insert(slide.clone(), true);
            }
            slides.entry(slide).or_default().push(place);
        }
        let mut order: Vec<String> = slides.keys().cloned().collect();
        let count = match hold_out {
            HoldOut::Usual => usual(order.len()),
            HoldOut::Share(share) => {
                let wanted = (share * order.len() as f64).round() as usize;
                wanted.min(order.len().saturating_sub(1))
            }
            HoldOut::Names(_) => {
                // Slides that are named come first; the order of the others does not matter.
                order.sort_by_key(|slide| !named.contains_key(slide));
                named.len()
            }
        };
        if !matches!(hold_out, HoldOut::Names(_)) {
            shuffled(seed, &mut order);
        }
        let mut held: Vec<String> = order.drain(..count).collect();
        held.sort();
        let of = |slide: &String| slides.get(slide).cloned().unwrap_or_default();
        let mut tuning: Vec<usize> = order.iter().flat_map(of).collect();
        tuning.sort_unstable();
        let held_out = held.into_iter().map(|slide| (slide.clone(), of(&slide))).collect();
        Self { tuning, held_out }
    }

    /// For each slide with truth the split that holds it out alone.
    pub(super) fn without_each(study: &Study, inputs: &StudyInputs) -> Vec<Self> {
        let all = Self::new(study, inputs, &HoldOut::Share(0.0), 0);
        let slide = |place: &usize| slide_of(study, &inputs.images[*place].name);
        let mut slides: BTreeMap<String, Vec<usize>> = BTreeMap::new();
        for place in &all.tuning {
            slides.entry(slide(place)).or_default().push(*place);
        }
        let without = |(name, held): (&String, &Vec<usize>)| {
            let tuning = all.tuning.iter().copied().filter(|image| !held.contains(image)).collect();
            Self { tuning, held_out: vec![(name.clone(), held.clone())] }
        };
        slides.iter().map(without).collect()
    }

    /// The names of what is held out.
    pub(super) fn names(&self) -> Vec<String> {
        self.held_out.iter().map(|(name, _)| name.clone()).collect()
    }

    /// The images that take no part.
    pub(in crate::run) fn held(&self) -> Vec<usize> {
        let mut images: Vec<usize> = self.held_out.iter().flat_map(|(_, images)| images.clone()).collect();
        images.sort_unstable();
        images
    }
}

/// The slide or patient of an image.
fn slide_of(study: &Study, name: &str) -> String {
    study.images.iter().find(|image| image.name == name).map_or(name, |image| image.slide()).to_owned()
}

/// About a third; three where they leave as many for tuning, since fewer confirm nothing.
fn usual(slides: usize) -> usize {
    match slides {
        0 | 1 => 0,
        2..=5 => 1,
        _ => (slides / 3).max(3),
    }
}

#[cfg(test)]
mod tests {
    use super::usual;

    #[test]
    fn tuning_keeps_most_slides() {
        assert_eq!([0, 1, 2, 3, 5, 6, 9, 12, 30].map(usual), [0, 0, 1, 1, 1, 3, 3, 4, 10]);
    }
}
