//! Sums of fractions that come out the same in any order.

use std::ops::AddAssign;

/// A sum of fractions, each rounded to a multiple of 2⁻³² before it is added.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct ExactSum(u128);

/// One in units of the last place.
const ONE: u128 = 1 << 32;

impl ExactSum {
    /// A fraction of two counts, rounded to the nearest; 0 when the denominator is.
    pub fn from_ratio(numerator: u64, denominator: u64) -> Self {
        let (numerator, denominator) = (u128::from(numerator), u128::from(denominator));
        Self((numerator * ONE + denominator / 2).checked_div(denominator).unwrap_or(0))
    }

    /// A number that is not negative, rounded to the nearest; negative numbers and NaN count as 0.
    pub fn from_value(value: f64) -> Self {
        Self((value * ONE as f64).round() as u128)
    }

    /// The sum as a number.
    pub fn value(self) -> f64 {
        self.0 as f64 / ONE as f64
    }

    /// The sum in units of 2⁻³², to be stored.
    pub fn to_units(self) -> u128 {
        self.0
    }

    /// A stored sum.
    pub fn from_units(units: u128) -> Self {
        Self(units)
    }
}

impl AddAssign for ExactSum {
    fn add_assign(&mut self, other: Self) {
        self.0 = self.0.saturating_add(other.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fractions_are_rounded_to_the_nearest() {
        assert_eq!(ExactSum::from_ratio(1, 2).value(), 0.5);
        assert_eq!(ExactSum::from_ratio(2, 3).to_units(), 2_863_311_531);
        assert_eq!(ExactSum::from_ratio(1, 3).to_units(), 1_431_655_765);
        assert_eq!(ExactSum::from_ratio(u64::MAX, 1).value(), u64::MAX as f64);
        assert_eq!(ExactSum::from_ratio(5, 0), ExactSum::default());
        assert_eq!(ExactSum::from_value(2.5).to_units(), 5 << 31);
        assert_eq!(ExactSum::from_value(f64::NAN), ExactSum::default());
        assert_eq!(ExactSum::from_value(-1.0), ExactSum::default());
    }

    #[test]
    fn a_full_sum_stays_full() {
        let mut sum = ExactSum::from_units(u128::MAX);
        sum += ExactSum::from_ratio(1, 1);
        assert_eq!(sum.to_units(), u128::MAX);
    }
}
