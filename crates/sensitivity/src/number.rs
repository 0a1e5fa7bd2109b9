//! How numbers are written for people: few digits, no sign before zero.

/// A fixed number of decimals, without a sign before zero.
pub(crate) fn fixed(x: f64, decimals: usize) -> String {
    let text = format!("{x:.decimals$}");
    let is_zero = text.trim_start_matches('-').chars().all(|c| matches!(c, '0' | '.'));
    text.trim_start_matches(if is_zero { "-" } else { "" }).into()
}

/// Three significant digits, with at most `most` decimals and without trailing zeros. Not for 0.
pub(crate) fn three_digits(x: f64, most: usize) -> String {
    let decimals = (2.0 - x.abs().log10().floor()).clamp(0.0, most as f64) as usize;
    let text = format!("{x:.decimals$}");
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').into() } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zero_has_no_sign() {
        assert_eq!([fixed(-0.001, 2), fixed(-0.5, 2), fixed(0.0, 0)], ["0.00", "-0.50", "0"]);
    }

    #[test]
    fn three_digits_count() {
        let written = [0.123_456, 9.04, -60.0, 1234.5, 100.0, 0.000_012_3].map(|x| three_digits(x, 5));
        assert_eq!(written, ["0.123", "9.04", "-60", "1234", "100", "0.00001"]);
    }
}
