//! SALib's sample: a matrix without a header, rows in the order its analyses rely on.

use crate::Sample;

/// Rows separated by lines, numbers by spaces, each with the 17 digits that give the same number back.
pub(super) fn write(sample: &Sample) -> String {
    let line = |row: usize| {
        let numbers: Vec<String> = sample.numbers(row).iter().map(|x| seventeen_digits(*x)).collect();
        numbers.join(" ") + "\n"
    };
    (0..sample.len()).map(line).collect()
}

/// As C's `%.16e` prints it.
fn seventeen_digits(x: f64) -> String {
    let text = format!("{x:.16e}");
    let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{digits}e{sign}{:02}", exponent.abs())
}

#[cfg(test)]
mod tests {
    use super::seventeen_digits;

    #[test]
    fn digits_are_those_of_c() {
        assert_eq!(seventeen_digits(0.1), "1.0000000000000001e-01");
        assert_eq!(seventeen_digits(-240.0), "-2.4000000000000000e+02");
        assert_eq!(seventeen_digits(0.0), "0.0000000000000000e+00");
        assert_eq!(seventeen_digits(1e-123), "1.0000000000000001e-123");
    }
}
