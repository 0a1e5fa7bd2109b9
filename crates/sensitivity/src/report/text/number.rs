//! Numbers and bars as people read them.

use crate::IndexEstimate;
use crate::number::{fixed, three_digits};

/// Three digits, with an exponent where it would be long.
pub fn short(x: f64) -> String {
    let size = x.abs();
    if x.is_nan() {
        "?".into()
    } else if size == 0.0 || size.is_infinite() {
        x.to_string()
    } else if (1e-3..1e6).contains(&size) {
        three_digits(x, 5)
    } else {
        format!("{x:.2e}")
    }
}

/// A share with so many decimals (see [`share_decimals`]); a little below zero is zero.
pub fn share_text(x: f64, decimals: usize) -> String {
    if x.is_nan() { "?".into() } else { fixed(x, decimals) }
}

/// Decimals for shares that stand in one table: three as soon as one interval is narrower than a hundredth.
pub fn share_decimals<'a>(estimates: impl IntoIterator<Item = &'a IndexEstimate>) -> usize {
    if estimates.into_iter().any(|e| e.high - e.low < 0.01) { 3 } else { 2 }
}

/// `0.65 .. 1.00`, or nothing when there is no interval.
pub(super) fn interval(estimate: &IndexEstimate, number: impl Fn(f64) -> String) -> String {
    if estimate.low.is_nan() || estimate.high.is_nan() {
        return String::new();
    }
    format!("{} .. {}", number(estimate.low), number(estimate.high))
}

/// Cells of a full bar.
const CELLS: usize = 10;

/// A bar of up to ten cells for a share from 0 to 1.
pub fn bar(share: f64) -> String {
    const PARTS: [&str; 8] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];
    if share.is_nan() {
        return String::new();
    }
    let eighths = (share.clamp(0.0, 1.0) * (CELLS * 8) as f64).round() as usize;
    "█".repeat(eighths / 8) + PARTS[eighths % 8]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_three_digits() {
        let shown: Vec<_> =
            [0.0, 0.1, 12.345, 71159.0, 0.00123, 1.5e-7, -2.0, 1e9].into_iter().map(short).collect();
        assert_eq!(shown, ["0", "0.1", "12.3", "71159", "0.00123", "1.50e-7", "-2", "1.00e9"]);
        assert_eq!((short(f64::NAN), short(f64::INFINITY)), ("?".into(), "inf".into()));
    }

    #[test]
    fn shares_show_the_decimals_that_count_and_no_negative_zero() {
        let around = |half: f64| IndexEstimate { value: 0.5, low: 0.5 - half, high: 0.5 + half };
        assert_eq!((share_decimals([&around(0.1)]), share_decimals([&around(0.1), &around(0.001)])), (2, 3));
        assert_eq!(share_decimals([&IndexEstimate::bare(0.5)]), 2);
        let shown: Vec<_> = [0.125, -0.004, -0.2, f64::NAN].into_iter().map(|x| share_text(x, 2)).collect();
        assert_eq!(shown, ["0.12", "0.00", "-0.20", "?"]);
    }

    #[test]
    fn bars_grow_by_eighths() {
        let shown: Vec<_> = [0.8, 0.15, 0.05, 0.03, 0.0, -1.0, 2.0].into_iter().map(bar).collect();
        assert_eq!(shown, ["████████", "█▌", "▌", "▎", "", "", "██████████"]);
    }
}
