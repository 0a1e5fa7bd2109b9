//! Synthetic tissue as two pictures: its colours, and the nucleus of each pixel.

use std::collections::HashMap;

use onceflow_region::{Dense, Pixels, RegionError};

use crate::error::SynthError;
use crate::tissue::Tissue;

/// Painted tissue.
#[derive(Clone, Debug, PartialEq)]
pub struct Painted {
    /// Its colours.
    pub image: Dense,
    /// Its nuclei, numbered from 1 on in the order of their first pixels, in 16 bits; none unless asked for.
    pub truth: Option<Dense>,
    /// Number of nuclei, if the truth was asked for.
    pub nuclei: Option<u64>,
}

/// Rows painted at once.
const ROWS: u64 = 256;

/// Paints tissue. It takes [`bytes_to_paint`] of memory.
///
/// # Errors
/// When the truth is asked for and its nuclei are too many for labels of 16 bits, or a picture has no place in memory.
pub fn paint(tissue: &Tissue, with_truth: bool) -> Result<Painted, SynthError> {
    let side = |length: u64| {
        usize::try_from(length).map_err(|_| SynthError::Picture(format!("{length} pixels exceed the memory")))
    };
    let (width, height) = (side(tissue.width())?, side(tissue.height())?);
    let mut rgb = Vec::with_capacity(3 * width * height);
    let mut truth = Renumbered::default();
    for top in (0..tissue.height()).step_by(ROWS as usize) {
        let rows = ROWS.min(tissue.height() - top);
        let tile = tissue.render(0, top, width, side(rows)?)?;
        rgb.extend(tile.rgb);
        if with_truth {
            truth.add(&tile.labels).ok_or_else(|| too_many(tissue, top))?;
        }
    }
    let image = Dense::new(width, height, 3, Pixels::U8(rgb)).map_err(no_picture)?;
    let nuclei = with_truth.then_some(truth.known.len() as u64);
    let truth =
        with_truth.then(|| Dense::new(width, height, 1, Pixels::U16(truth.pixels)).map_err(no_picture));
    Ok(Painted { image, truth: truth.transpose()?, nuclei })
}

/// Memory that painting and writing take at most, beside the program: both pictures, and one of them as a file.
pub fn bytes_to_paint(tissue: &Tissue) -> u64 {
    let pixels = tissue.width().saturating_mul(tissue.height());
    let strip = tissue.width().saturating_mul(ROWS.min(tissue.height()));
    pixels.saturating_mul(10).saturating_add(strip.saturating_mul(7))
}

/// Labels renumbered in the order in which they appear.
#[derive(Default)]
struct Renumbered {
    known: HashMap<u32, u16>,
    pixels: Vec<u16>,
}

impl Renumbered {
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

fn too_many(tissue: &Tissue, top: u64) -> SynthError {
    SynthError::TooManyNuclei { above: top + ROWS.min(tissue.height()), height: tissue.height() }
}

fn no_picture(error: RegionError) -> SynthError {
    SynthError::Picture(error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_at_a_time_are_the_tissue_and_numbers_have_no_gaps() {
        let tissue = Tissue::new(150, 600, 5).unwrap();
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
        let mut numbers = Renumbered::default();
        let all: Vec<u32> = (0..=65_535).map(|label| label * 3).collect();
        assert!(numbers.add(&all).is_some());
        assert_eq!(numbers.pixels.last(), Some(&u16::MAX));
        assert!(numbers.add(&[3, 0]).is_some() && numbers.add(&[1]).is_none());
    }
}
