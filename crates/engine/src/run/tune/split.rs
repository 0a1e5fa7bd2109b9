//! Which images take part in tuning, and which slides confirm what it finds.

use std::collections::BTreeMap;

use onceflow_sensitivity::shuffled;
use onceflow_study::{HoldOut, Study};

use crate::open::inputs::StudyInputs;

/// The images of a study that have a truth, by their places among the opened ones.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct ImageSplit {
    /// Those that take part in tuning.
    pub(super) tuning: Vec<usize>,
    /// Slides or patients that take no part, with their images.
    pub(super) held_out: Vec<(String, Vec<usize>)>,
}

impl ImageSplit {
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

    /// The images that take no part.
    pub(super) fn held(&self) -> Vec<usize> {
        let mut images: Vec<usize> = self.held_out.iter().flat_map(|(_, images)| images.clone()).collect();
        images.sort_unstable();
        images
    }
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
