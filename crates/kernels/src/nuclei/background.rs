//! Detection of tiles without tissue, which end early.

use crate::{Cpu, View, count_above};

/// How certain it is that a tile shows no tissue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BackgroundStatus {
    /// At least 99 % of the pixels are bright.
    Background,
    /// At least 90 % are.
    Likely,
}

/// Whether nearly every pixel is brighter than all three thresholds. `None` for a tile without pixels.
pub fn background(
    normalized: View<'_, [u8; 3]>,
    blue: i64,
    green: i64,
    red: i64,
) -> Option<BackgroundStatus> {
    background_status(bright_pixels(normalized, blue, green, red), normalized.len() as u64)
}

/// How many pixels are brighter than all three thresholds.
pub(super) fn bright_pixels(normalized: View<'_, [u8; 3]>, blue: i64, green: i64, red: i64) -> u64 {
    count_above(Cpu::default(), normalized, [red, green, blue])
}

/// The status for this number of bright pixels.
pub(super) fn background_status(bright: u64, pixels: u64) -> Option<BackgroundStatus> {
    match bright as f32 / pixels as f32 {
        ratio if ratio >= 0.99 => Some(BackgroundStatus::Background),
        ratio if ratio >= 0.90 => Some(BackgroundStatus::Likely),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Plane;

    fn status(bright: usize, threshold: i64) -> Option<BackgroundStatus> {
        let data = (0..1000).map(|at| if at < bright { [221; 3] } else { [220, 255, 255] }).collect();
        background(Plane::from_vec(data, 40, 25).unwrap().view(), threshold, threshold, threshold)
    }

    #[test]
    fn the_limits_belong_to_the_brighter_side() {
        assert_eq!(status(899, 220), None);
        assert_eq!(status(900, 220), Some(BackgroundStatus::Likely));
        assert_eq!(status(989, 220), Some(BackgroundStatus::Likely));
        assert_eq!(status(990, 220), Some(BackgroundStatus::Background));
    }

    #[test]
    fn thresholds_may_lie_outside_what_a_pixel_holds() {
        assert_eq!(status(0, -1), Some(BackgroundStatus::Background));
        assert_eq!(status(1000, 300), None);
    }

    #[test]
    fn nothing_is_no_background() {
        assert_eq!(background(Plane::filled([0; 3], 0, 4).view(), 220, 220, 220), None);
    }
}
