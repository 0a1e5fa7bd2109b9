//! Correlation and regression coefficients of values and of ranks, with intervals over resampled rows.

use super::given::{AnsweredColumns, Recipe, varies};
use super::ranks::RankOrder;
use super::regression::{Correlations, Independence};
use super::resample::{ResampledStatistics, bootstrap};
use super::spread;
use crate::sums::centred;
use crate::{AnalysisOptions, Correlation, IndexEstimate, Indices};

pub(super) const RECIPE: Recipe = Recipe {
    estimator: "Pearson and Spearman correlations, partial (rank) correlations and standardised (rank) regression \
                coefficients (Saltelli et al. 2000, Sensitivity Analysis, Wiley; ties have middle ranks)",
    interval: "percentile bootstrap (Efron and Tibshirani 1993, An Introduction to the Bootstrap, chapter 13)",
    least_rows: |table| table.names.len() + 3,
    indices: |table, options, warnings| {
        Indices::Correlation(CorrelatedColumns::new(table).analyse(table, options, warnings))
    },
    blank: |table| {
        Indices::Correlation(table.names.iter().map(|name| entry(name, &[UNDEFINED; 6])).collect())
    },
};

const UNDEFINED: IndexEstimate = IndexEstimate { value: f64::NAN, low: f64::NAN, high: f64::NAN };

/// The parameters that can be correlated, and the output as the last column.
struct CorrelatedColumns {
    /// Places of these parameters in the table.
    used: Vec<usize>,
    /// Their values, centred.
    values: Vec<Vec<f64>>,
    orders: Vec<RankOrder>,
}

/// Which columns regressions go over, by values and by ranks.
struct RegressedColumns {
    values: Vec<usize>,
    ranks: Vec<usize>,
}

impl CorrelatedColumns {
    fn new(table: &AnsweredColumns) -> Self {
        let usable = |p: &usize| !table.categorical[*p] && varies(&table.columns[*p]);
        let used: Vec<usize> = (0..table.names.len()).filter(usable).collect();
        let columns = || used.iter().map(|p| &table.columns[*p]).chain([&table.output]);
        let (values, orders) =
            (columns().map(|c| centred(c)).collect(), columns().map(|c| RankOrder::of(c)).collect());
        Self { used, values, orders }
    }

    fn analyse(
        &self,
        table: &AnsweredColumns,
        options: &AnalysisOptions,
        warnings: &mut Vec<String>,
    ) -> Vec<Correlation> {
        let ones = vec![1.0; table.rows()];
        let (values, ranks) = (Correlations::of(&self.values, &ones), self.rank_correlations(&ones));
        let (values, ranks) = (values.independence(self.used.len()), ranks.independence(self.used.len()));
        self.warn(table, &values, &ranks, warnings);
        let kept = RegressedColumns { values: values.kept.clone(), ranks: ranks.kept.clone() };
        let mut found = self.coefficients(&ones, &kept);
        self.blot(&mut found, &values, &ranks);
        let draws = bootstrap(table.rows(), options.resamples, options.seed, |w| self.coefficients(w, &kept));
        self.entries(table, &found, &draws, options.confidence)
    }

    /// Six blocks, each with one coefficient per used parameter, in the order of [`Correlation`]'s fields.
    fn coefficients(&self, weights: &[f64], kept: &RegressedColumns) -> Vec<f64> {
        let count = self.used.len();
        let (values, ranks) = (Correlations::of(&self.values, weights), self.rank_correlations(weights));
        let mut found = vec![f64::NAN; 6 * count];
        let both = [(values, &kept.values), (ranks, &kept.ranks)];
        for (block, (correlations, kept)) in both.into_iter().enumerate() {
            (0..count).for_each(|i| found[block * count + i] = correlations.at(i, count));
            let Some(fit) = correlations.regress(kept) else { continue };
            for (place, column) in kept.iter().enumerate() {
                found[(2 + block) * count + column] = fit.partial[place];
                found[(4 + block) * count + column] = fit.standardised[place];
            }
        }
        found
    }

    fn rank_correlations(&self, weights: &[f64]) -> Correlations {
        let middle = (weights.len() as f64 + 1.0) / 2.0;
        let ranked = self.orders.iter().map(|order| {
            let mut ranks = vec![0.0; weights.len()];
            order.mid_ranks(weights, &mut ranks);
            ranks.iter_mut().for_each(|rank| *rank -= middle);
            ranks
        });
        Correlations::of(&ranked.collect::<Vec<_>>(), weights)
    }

    /// A column that is a combination of others has no coefficient of its own, and neither have they.
    fn blot(&self, found: &mut [f64], values: &Independence, ranks: &Independence) {
        for (block, independence) in [values, ranks].into_iter().enumerate() {
            for column in independence.tangled.iter().flatten() {
                found[(2 + block) * self.used.len() + column] = f64::NAN;
                found[(4 + block) * self.used.len() + column] = f64::NAN;
            }
        }
    }

    fn warn(
        &self,
        table: &AnsweredColumns,
        values: &Independence,
        ranks: &Independence,
        warnings: &mut Vec<String>,
    ) {
        let words = table.names.iter().zip(&table.categorical).filter(|(_, words)| **words);
        warnings.extend(words.map(|(name, _)| {
            format!(
                "`{name}` has words for values: it has no correlation, and its effect counts as unexplained"
            )
        }));
        for (what, independence) in [("values", values), ("ranks", ranks)] {
            for set in &independence.tangled {
                let names: Vec<_> = set.iter().map(|c| format!("`{}`", table.names[self.used[*c]])).collect();
                warnings.push(format!(
                    "the {what} of {} depend on each other linearly: they have no partial and no regression \
                     coefficient of their {what}; leave one of them out",
                    names.join(", ")
                ));
            }
        }
        if table.rows() < 10 * self.used.len() {
            warnings.push(format!(
                "{} rows are few for a regression on {} parameters: expected ten times as many rows as parameters",
                table.rows(),
                self.used.len()
            ));
        }
    }

    fn entries(
        &self,
        table: &AnsweredColumns,
        found: &[f64],
        draws: &ResampledStatistics,
        confidence: f64,
    ) -> Vec<Correlation> {
        let count = self.used.len();
        let estimate = |cell: usize| match found[cell].is_finite() {
            true => spread::percentile(found[cell], &draws[cell], confidence),
            false => UNDEFINED,
        };
        let of = |p: usize| match self.used.iter().position(|used| *used == p) {
            Some(place) => std::array::from_fn(|block| estimate(block * count + place)),
            None => [UNDEFINED; 6],
        };
        table.names.iter().enumerate().map(|(p, name)| entry(name, &of(p))).collect()
    }
}

fn entry(name: &str, six: &[IndexEstimate; 6]) -> Correlation {
    let [pearson, spearman, pcc, prcc, src, srrc] = *six;
    Correlation { name: name.into(), pearson, spearman, pcc, prcc, src, srrc }
}

#[cfg(test)]
mod tests {
    use super::super::example::{analysed, assert_close, kronecker};
    use super::*;
    use crate::Technique;
    use proptest::prelude::*;

    fn coefficients(table: &AnsweredColumns) -> (Vec<Correlation>, Vec<String>) {
        match analysed(table, &RECIPE, Technique::Correlation) {
            (Indices::Correlation(found), warnings) => (found, warnings),
            other => panic!("{other:?}"),
        }
    }

    fn values(found: &[Correlation], of: fn(&Correlation) -> IndexEstimate) -> Vec<f64> {
        found.iter().map(|c| of(c).value).collect()
    }

    /// Expected: numpy's correlations of values, of scipy's ranks, and of residuals of its least squares.
    #[test]
    fn coefficients_agree_with_residuals_of_least_squares() {
        let (found, warnings) = coefficients(&kronecker(137));
        let close =
            |of: fn(&Correlation) -> IndexEstimate, expected| assert_close(&values(&found, of), expected);
        close(
            |c| c.pearson,
            &[0.8816453194701601, -0.10925727188732692, 0.09028017512210841, 0.1923991456418687],
        );
        close(
            |c| c.spearman,
            &[0.888709466649243, -0.10873765564620008, 0.07520021655123489, 0.19078726916574373],
        );
        close(
            |c| c.pcc,
            &[0.9112916808499908, -0.04146606922629963, 0.4391142211706217, 0.34939140270587293],
        );
        close(
            |c| c.prcc,
            &[0.9155333818025782, -0.03976115127252245, 0.421217558209847, 0.35440243731178933],
        );
        close(
            |c| c.src,
            &[0.8979326352817915, -0.01672814018376227, 0.19755474579520071, 0.14942955953089243],
        );
        close(
            |c| c.srrc,
            &[0.9035986730318315, -0.015692841087071835, 0.18366720319666852, 0.14858603116078276],
        );
        assert!(warnings.is_empty(), "{warnings:?}");
        assert!(found.iter().all(|c| c.pearson.low < c.pearson.value && c.pearson.value < c.pearson.high));
    }

    #[test]
    fn squared_coefficients_of_a_linear_function_are_its_shares() {
        let mut table = kronecker(2_000);
        table.output =
            (0..2_000).map(|i| (0..3).map(|p| (p + 1) as f64 * table.columns[p][i]).sum()).collect();
        let (found, _) = coefficients(&table);
        for (c, share) in found.iter().zip([1.0, 4.0, 9.0, 0.0]) {
            assert!((c.src.value.powi(2) - share / 14.0).abs() < 0.01, "{c:?}");
        }
        assert!(found[..3].iter().all(|c| (c.pcc.value - 1.0).abs() < 1e-9), "{found:?}");
        assert_eq!(found[3].pcc.value, 0.0);
    }

    #[test]
    fn columns_that_depend_on_each_other_have_no_coefficient_of_their_own() {
        let mut table = kronecker(100);
        table.columns[2] = table.columns[0].iter().map(|a| 3.0 - 2.0 * a).collect();
        let (found, warnings) = coefficients(&table);
        assert!([0, 2].iter().all(|p| found[*p].pcc.value.is_nan() && found[*p].srrc.value.is_nan()));
        assert!([1, 3].iter().all(|p| found[*p].pcc.low.is_finite() && found[*p].prcc.high.is_finite()));
        assert!(found.iter().all(|c| c.pearson.low.is_finite() && c.spearman.high.is_finite()));
        assert!(warnings[0].starts_with("the values of `a`, `c` depend on each other"), "{warnings:?}");
        assert!(warnings[1].starts_with("the ranks of `a`, `c`"), "{warnings:?}");
    }

    #[test]
    fn words_and_constants_have_no_correlation_and_spoil_no_other() {
        let mut table = kronecker(100);
        table.categorical[3] = true;
        table.columns[1] = vec![0.1; 100];
        let (found, warnings) = coefficients(&table);
        assert!([1, 3].iter().all(|p| found[*p].pearson.value.is_nan() && found[*p].src.low.is_nan()));
        assert!([0, 2].iter().all(|p| found[*p].pearson.low.is_finite() && found[*p].prcc.high.is_finite()));
        assert_eq!(warnings.len(), 2, "{warnings:?}");
    }

    proptest! {
        #[test]
        fn rank_coefficients_do_not_see_monotone_transforms(rows in 20_usize..60, scale in 0.1..5.0_f64) {
            let table = kronecker(rows);
            let mut bent = table.clone();
            bent.output.iter_mut().for_each(|y| *y = (*y * scale).exp());
            bent.columns[0].iter_mut().for_each(|x| *x = x.powi(3) * scale);
            let ((plain, _), (bent, _)) = (coefficients(&table), coefficients(&bent));
            for (p, b) in plain.iter().zip(&bent) {
                prop_assert_eq!((p.spearman, p.prcc, p.srrc), (b.spearman, b.prcc, b.srrc));
            }
        }
    }
}
