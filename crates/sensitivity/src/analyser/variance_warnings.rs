//! Warnings about variance-based indices.

use super::spread::{FEWEST_CARRIERS, carriers};
use crate::{Indices, VarianceIndex};

/// Fewer base rows than give trustworthy intervals.
const FEW: usize = 64;

/// Less than the digits shown is rounding: of an additive output with a good control nothing else is left.
const CLEARLY: f64 = 0.001;

/// Warnings about indices from so many base rows.
pub(super) fn warnings(indices: &Indices, base_rows: usize, varies: bool) -> Vec<String> {
    let Indices::Vbd { factors, .. } = indices else { return Vec::new() };
    if !varies {
        return vec!["the output does not vary: indices are undefined".into()];
    }
    let mut warnings = Vec::new();
    if base_rows < FEW {
        warnings
            .push(format!("expected at least {FEW} base rows for trustworthy intervals, found {base_rows}"));
    }
    warnings.extend(factors.iter().filter_map(impossible));
    let least: f64 = factors.iter().map(|f| f.s1.low).sum();
    if least > 1.0 + 10.0 * CLEARLY {
        warnings.push(format!(
            "first-order indices add up to more than 1 (at least {least:.2}): the sample is too small, or parameters \
             are not independent"
        ));
    }
    warnings
}

/// Of the outputs of independent rows.
pub(super) fn few_carriers(y: &[f64]) -> Option<String> {
    let found = carriers(y);
    (found < FEWEST_CARRIERS).then(|| {
        format!(
            "the variance is that of about {found:.0} of {} independent rows, whose outputs lie far from all others: one \
             more such row can change the indices beyond their intervals; take more base rows, or analyse the logarithm \
             or the rank of the output",
            y.len()
        )
    })
}

/// Impossible indices, which indicate a wrong sample or dependent parameters.
fn impossible(factor: &VarianceIndex) -> Option<String> {
    let VarianceIndex { name, s1, st } = factor;
    if s1.value.is_nan() || st.value.is_nan() {
        return Some(format!("`{name}` has no rows left after failures: it cannot be judged"));
    }
    if s1.high < -CLEARLY {
        return Some(format!(
            "the first-order index of `{name}` lies below 0 with its whole interval ({:.3}): the sample is too small",
            s1.high
        ));
    }
    (s1.low > st.high + CLEARLY).then(|| {
        format!(
            "the first-order index of `{name}` (at least {:.3}) exceeds its total (at most {:.3}): the sample is too \
             small, or parameters are not independent",
            s1.low, st.high
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::IndexEstimate;

    fn said(factors: &[(IndexEstimate, IndexEstimate)], base_rows: usize) -> Vec<String> {
        let factor = |(i, (s1, st)): (usize, &(IndexEstimate, IndexEstimate))| VarianceIndex {
            name: format!("x{}", i + 1),
            s1: *s1,
            st: *st,
        };
        let factors = factors.iter().enumerate().map(factor).collect();
        warnings(&Indices::Vbd { factors, pairs: Vec::new() }, base_rows, true)
    }

    fn within(value: f64) -> IndexEstimate {
        IndexEstimate::around(value, 0.1)
    }

    #[test]
    fn sound_indices_need_no_warning() {
        assert_eq!(
            said(&[(within(0.6), within(0.7)), (within(-0.05), within(0.4))], 64),
            Vec::<String>::new()
        );
    }

    #[test]
    fn a_variance_made_by_a_few_rows_is_said() {
        let mut y = [0.0; 128];
        assert_eq!(few_carriers(&y), None, "that an output does not vary is said elsewhere");
        y[..4].fill(1.0);
        assert!(few_carriers(&y).unwrap().contains("about 4 of 128 independent rows"));
        y[..64].fill(1.0);
        assert_eq!(few_carriers(&y), None);
    }

    #[test]
    fn rounding_is_no_reason_to_worry() {
        let exactly = |value: f64| IndexEstimate::around(value, 0.0);
        let additive = [(0.7, 0.7 - 1e-15), (0.3 + 1e-12, 0.3), (-1e-16, 0.0)];
        assert_eq!(said(&additive.map(|(s1, st)| (exactly(s1), exactly(st))), 64), Vec::<String>::new());
    }

    #[test]
    fn what_no_model_has_is_said() {
        let cases = [
            (vec![(within(-0.2), within(0.1))], "below 0 with its whole interval"),
            (vec![(within(0.6), within(0.3))], "exceeds its total"),
            (vec![(within(0.7), within(0.7)); 2], "add up to more than 1 (at least 1.20)"),
            (vec![(IndexEstimate::bare(f64::NAN), within(0.1))], "`x1` has no rows left"),
        ];
        for (factors, expected) in cases {
            let found = said(&factors, 64);
            assert!(found.len() == 1 && found[0].contains(expected), "{found:?}");
        }
        assert!(said(&[(within(0.5), within(0.5))], 63)[0].starts_with("expected at least 64 base rows"));
    }
}
