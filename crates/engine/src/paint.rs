//! Synthetic tissue as two pictures: what it looks like, and which pixel belongs to which nucleus.

use std::collections::HashMap;

use onceflow_region::{Dense, Pixels, RegionError};
use onceflow_study::Diagnostic;
use onceflow_synth::{MAX_SIDE, SynthError, Tissue};

use crate::EngineError;
use crate::segment::PROGRAM;

/// Painted tissue.
#[derive(Clone, Debug, PartialEq)]
pub struct Painted {
    /// What it looks like.
    pub image: Dense,
    /// Its nuclei, numbered from 1 on in the order of their first pixels, in 16 bits; where it was wished.
    pub truth: Option<Dense>,
    /// Number of nuclei, where the truth was wished.
    pub nuclei: Option<u64>,
}

/// Rows that are painted at once.
const ROWS: u64 = 256;

/// Paints tissue. It takes [`bytes_to_paint`] of memory.
///
/// # Errors
/// When no tissue is of that size, or when its nuclei are too many for labels of 16 bits, if those are wished.
pub fn paint(tissue: &Tissue, with_truth: bool) -> Result<Painted, EngineError> {
    let side =
        |length: u64| usize::try_from(length).map_err(|_| EngineError::Internal("a side above 2^64".into()));
    let (width, height) = (side(tissue.width())?, side(tissue.height())?);
    let mut rgb = Vec::with_capacity(3 * width * height);
    let mut truth = Numbers::default();
    for top in (0..tissue.height()).step_by(ROWS as usize) {
        let rows = ROWS.min(tissue.height() - top);
        let tile = tissue.render(0, top, width, side(rows)?).map_err(|error| impossible(&error))?;
        rgb.extend(tile.rgb);
        if with_truth {
            truth.add(&tile.labels).ok_or_else(|| too_many(tissue, top))?;
        }
    }
    let image = Dense::new(width, height, 3, Pixels::U8(rgb)).map_err(wrong)?;
    let nuclei = with_truth.then_some(truth.known.len() as u64);
    let truth = with_truth.then(|| Dense::new(width, height, 1, Pixels::U16(truth.pixels)).map_err(wrong));
    Ok(Painted { image, truth: truth.transpose()?, nuclei })
}

/// The tissue that a command asks for by its size.
pub fn tissue(width: u64, height: u64, seed: u64) -> Result<Tissue, EngineError> {
    Tissue::new(width, height, seed).map_err(|error| no_tissue(width, height, &error).into())
}

fn no_tissue(width: u64, height: u64, error: &SynthError) -> Diagnostic {
    let message = Diagnostic::error(format!("there is no tissue of {width} x {height} pixels"));
    match error {
        SynthError::Side { axis, found } => message
            .expected_found(format!("a {axis} of 1 to {MAX_SIDE} pixels"), found.to_string())
            .with_hint(format!("choose another {axis}")),
        other => message.with_why(other.to_string()),
    }
}

/// Memory that painting and writing take at most: both pictures, and one of them as a file.
pub fn bytes_to_paint(tissue: &Tissue) -> u64 {
    let pixels = tissue.width().saturating_mul(tissue.height());
    let strip = tissue.width().saturating_mul(ROWS.min(tissue.height()));
    pixels.saturating_mul(10).saturating_add(strip.saturating_mul(7)).saturating_add(PROGRAM)
}

/// Labels numbered anew, in the order in which they appear.
#[derive(Default)]
struct Numbers {
    known: HashMap<u32, u16>,
    pixels: Vec<u16>,
}

impl Numbers {
    /// Adds the labels of further rows; `None` when 16 bits are no longer enough.
    fn add(&mut self, labels: &[u32]) -> Option<()> {
        self.pixels.reserve(labels.len());
        let (mut last, mut number) = (0, 0);
        for label in labels {
            if *label != last {
                (last, number) = (*label, self.number(*label)?);
            }
            self.pixels.push(number);
        }
        Some(())
    }

    fn number(&mut self, label: u32) -> Option<u16> {
        if label == 0 {
            return Some(0);
        }
        let next = u16::try_from(self.known.len() + 1).ok();
        match self.known.get(&label) {
            Some(number) => Some(*number),
            None => next.inspect(|next| {
                self.known.insert(label, *next);
            }),
        }
    }
}

fn too_many(tissue: &Tissue, top: u64) -> EngineError {
    let error = Diagnostic::error("the tissue has more nuclei than labels of 16 bits can tell apart");
    let error = error.expected_found(
        "at most 65,535 nuclei",
        format!("more, above row {} of {}", top + ROWS.min(tissue.height()), tissue.height()),
    );
    error
        .with_hint("make the image smaller, or leave --truth out; `synth:` names carry their own truth")
        .into()
}

fn impossible(error: &SynthError) -> EngineError {
    EngineError::Internal(error.to_string())
}

fn wrong(error: RegionError) -> EngineError {
    EngineError::Internal(error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_at_a_time_are_the_tissue_and_numbers_have_no_gaps() {
        let tissue = tissue(150, 600, 5).unwrap();
        let whole = tissue.render(0, 0, 150, 600).unwrap();
        let painted = paint(&tissue, true).unwrap();
        assert_eq!(painted.image.as_u8(), Some(whole.rgb.as_slice()));
        let truth = painted.truth.unwrap();
        let numbers = truth.as_u16().unwrap();
        let pairs: std::collections::BTreeSet<_> = whole.labels.iter().zip(numbers).collect();
        let labels: std::collections::BTreeSet<_> = whole.labels.iter().collect();
        assert_eq!((pairs.len(), labels.len() as u64 - 1), (labels.len(), painted.nuclei.unwrap()));
        let mut highest = 0;
        for number in numbers {
            assert!(*number <= highest + 1);
            highest = highest.max(*number);
        }
        assert_eq!(paint(&tissue, false).unwrap().truth, None);
    }

    #[test]
    fn the_last_number_is_65535() {
        let mut numbers = Numbers::default();
        let all: Vec<u32> = (0..=65_535).map(|label| label * 3).collect();
        assert!(numbers.add(&all).is_some());
        assert_eq!(numbers.pixels.last(), Some(&u16::MAX));
        assert!(numbers.add(&[3, 0]).is_some() && numbers.add(&[1]).is_none());
    }
}
