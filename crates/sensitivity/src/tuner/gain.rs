//! What is gained on slides that took no part in tuning, with an interval whose unit is the slide: what holds on one part of
//! a slide holds on the others more often than on another slide.

use statrs::distribution::{ContinuousCDF as _, StudentsT};

/// Fewer slides than this say nothing of how slides differ.
pub const LEAST_SLIDES: usize = 3;

/// The mean gain with an interval around it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GainInterval {
    /// The mean over slides.
    pub mean: f64,
    /// Lower and upper end; `None` of fewer than three slides.
    pub ends: Option<(f64, f64)>,
}

/// The mean of the gains on several slides and the interval that holds the gain on new slides with this probability, by
/// Student's distribution. `None` without a slide.
pub fn gain_interval(gains: &[f64], confidence: f64) -> Option<GainInterval> {
    let count = gains.len() as f64;
    if gains.is_empty() || gains.iter().any(|gain| !gain.is_finite()) {
        return None;
    }
    let mean = gains.iter().sum::<f64>() / count;
    if gains.len() < LEAST_SLIDES {
        return Some(GainInterval { mean, ends: None });
    }
    let variance = gains.iter().map(|gain| (gain - mean) * (gain - mean)).sum::<f64>() / (count - 1.0);
    let student = StudentsT::new(0.0, 1.0, count - 1.0).ok()?;
    let reach = student.inverse_cdf(0.5 + confidence / 2.0) * (variance / count).sqrt();
    Some(GainInterval { mean, ends: Some((mean - reach, mean + reach)) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::quantile::normal_quantile;
    use crate::random::{RandomStream, StreamPurpose};

    #[test]
    fn fewer_than_three_slides_have_no_interval() {
        assert_eq!(gain_interval(&[], 0.95), None);
        assert_eq!(gain_interval(&[0.1, f64::NAN, 0.1], 0.95), None);
        assert_eq!(gain_interval(&[0.25, 0.75], 0.95), Some(GainInterval { mean: 0.5, ends: None }));
        let (low, high) = gain_interval(&[1.0, 2.0, 3.0], 0.95).unwrap().ends.unwrap();
        // Student's quantile with 2 degrees of freedom is 4.3027.
        assert!((low - (2.0 - 4.302_65 / 3f64.sqrt())).abs() < 1e-4 && (high + low - 4.0).abs() < 1e-12);
    }

    /// Slides differ from each other more than the images of a slide: the interval over slides holds the truth.
    #[test]
    fn the_interval_holds_the_gain_on_new_slides() {
        const SPLITS: u64 = 4000;
        for slides in [3, 5, 9] {
            let mut held = 0;
            let mut bias = 0.0;
            for split in 0..SPLITS {
                let mut stream = RandomStream::new(1, StreamPurpose::Tuning, split, slides);
                let mut normal = || normal_quantile(stream.unit().max(1e-12));
                let slide = |_| {
                    let own = 0.05 + 0.04 * normal();
                    (0..4).map(|_| own + 0.02 * normal()).sum::<f64>() / 4.0
                };
                let gains: Vec<f64> = (0..slides).map(slide).collect();
                let found = gain_interval(&gains, 0.95).unwrap();
                let (low, high) = found.ends.unwrap();
                held += u32::from(low <= 0.05 && 0.05 <= high);
                bias += (found.mean - 0.05) / SPLITS as f64;
            }
            let share = f64::from(held) / SPLITS as f64;
            assert!((0.93..=0.97).contains(&share), "{slides} slides: {share}");
            assert!(bias.abs() < 0.005, "{bias}");
        }
    }
}
