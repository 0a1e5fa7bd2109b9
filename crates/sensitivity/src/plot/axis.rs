//! Axes: from values to places, with ticks at round numbers.

use super::words::number;
use crate::number::fixed;

/// A straight axis.
#[derive(Clone, Debug)]
pub struct PlotAxis {
    /// Values at the two ends.
    pub ends: (f64, f64),
    /// Places of the two ends.
    pub places: (f64, f64),
    step: f64,
    /// Decimals of the ticks.
    decimals: usize,
}

impl PlotAxis {
    /// An axis that holds all finite values, with about `count` ticks.
    pub fn over(values: impl IntoIterator<Item = f64>, count: usize, places: (f64, f64)) -> Self {
        let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
        for value in values.into_iter().filter(|v| v.is_finite()) {
            low = low.min(value);
            high = high.max(value);
        }
        if low > high {
            (low, high) = (0.0, 1.0);
        }
        if high - low <= 1e-12 * high.abs().max(low.abs()) {
            let around = if high == 0.0 { 1.0 } else { high.abs() / 2.0 };
            (low, high) = (low.min(0.0), high + around);
        }
        let (step, decimals) = round_step((high - low) / count.max(1) as f64);
        let ends = (low_end(low, high, step), -low_end(-high, -low, step));
        Self { ends, places, step, decimals }
    }

    /// The place of a value; NaN for NaN.
    pub fn place(&self, value: f64) -> f64 {
        let share = (value - self.ends.0) / (self.ends.1 - self.ends.0);
        self.places.0 + share * (self.places.1 - self.places.0)
    }

    /// Values and words of the ticks.
    pub fn ticks(&self) -> Vec<(f64, String)> {
        let near = 1e-6;
        let first = (self.ends.0 / self.step - near).ceil() as i64;
        let last = (self.ends.1 / self.step + near).floor() as i64;
        (first..=last.min(first + 1_000))
            .map(|i| {
                let value = i as f64 * self.step;
                (value, self.word(value))
            })
            .collect()
    }

    /// A value with one decimal more than the ticks have.
    pub(super) fn finer(&self, value: f64) -> String {
        if self.is_plain() && value.is_finite() { fixed(value, self.decimals + 1) } else { number(value) }
    }

    /// Whether ticks can be written without an exponent.
    fn is_plain(&self) -> bool {
        let largest = self.ends.0.abs().max(self.ends.1.abs());
        self.step >= 1e-5 && largest < 1e6
    }

    fn word(&self, value: f64) -> String {
        if !self.is_plain() {
            return if value == 0.0 { "0".into() } else { format!("{value:.1e}") };
        }
        fixed(value, self.decimals)
    }
}

/// The lowest value itself where it is a tick, else a little below it.
fn low_end(low: f64, high: f64, step: f64) -> f64 {
    let tick = (low / step).round() * step;
    if (low - tick).abs() < 1e-9 * step {
        tick
    } else {
        (low - 0.03 * (high - low)).max((low / step).floor() * step)
    }
}

/// 1, 2 or 5 times a power of ten, not below `least`, and the decimals it is written with.
fn round_step(least: f64) -> (f64, usize) {
    // The decimal form knows the power of ten exactly, which a logarithm does not.
    let exponent: i32 = format!("{least:e}").split_once('e').and_then(|(_, e)| e.parse().ok()).unwrap_or(0);
    let steps = [(1, exponent), (2, exponent), (5, exponent), (1, exponent + 1)];
    let step = |(digit, exponent): (i32, i32)| format!("{digit}e{exponent}").parse().unwrap_or(1.0);
    let fits = |choice: &(i32, i32)| step(*choice) >= least * (1.0 - 1e-9);
    let chosen = steps.into_iter().find(fits).unwrap_or((1, exponent + 1));
    (step(chosen), usize::try_from(-chosen.1).unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn words(values: &[f64]) -> Vec<String> {
        PlotAxis::over(values.iter().copied(), 5, (0.0, 100.0)).ticks().into_iter().map(|(_, w)| w).collect()
    }

    #[test]
    fn ticks_are_round() {
        assert_eq!(words(&[0.0, 1.0]), ["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"]);
        assert_eq!(words(&[-0.12, 0.31]), ["-0.1", "0.0", "0.1", "0.2", "0.3"]);
        assert_eq!(words(&[0.0, 64.2]), ["0", "20", "40", "60"]);
        assert_eq!(words(&[f64::NAN]), ["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"]);
        assert_eq!(words(&[0.0, 0.0]).first().map(String::as_str), Some("0.0"));
    }

    proptest! {
        #[test]
        fn every_value_has_a_place_on_the_axis(
            values in prop::collection::vec(-1e9..1e9_f64, 1..6), scale in -12..3_i32,
        ) {
            let scaled: Vec<f64> = values.iter().map(|v| v * 10_f64.powi(scale)).collect();
            let axis = PlotAxis::over(scaled.iter().copied(), 5, (10.0, 110.0));
            prop_assert!(axis.ticks().len() >= 2 && axis.ticks().len() <= 9, "{:?}", axis);
            for value in scaled {
                let place = axis.place(value);
                prop_assert!((9.99..=110.01).contains(&place), "{place} {axis:?}");
            }
        }
    }
}
