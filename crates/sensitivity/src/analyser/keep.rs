//! Which factors pass on to the next phase of a study.

use super::error::KeepError;
use super::verdict::largest_mu_star;
use crate::{Analysis, Estimate, Indices};

/// Names of the factors to keep by one output: those whose mu* may reach `share` of the largest mu*, or whose total
/// index may reach `share` of the variance. Doubt keeps a factor in: the upper end of its interval counts, and one
/// without an interval stays.
pub fn keep(analysis: &Analysis, output: &str, share: f64) -> Result<Vec<String>, KeepError> {
    let known = || analysis.outputs.iter().map(|o| o.name.clone()).collect();
    let found = analysis.outputs.iter().find(|o| o.name == output);
    let indices = &found.ok_or_else(|| KeepError::Output { known: known(), found: output.into() })?.indices;
    match indices {
        Indices::Vbd { factors, .. } => Ok(reaching(factors.iter().map(|f| (&f.name, &f.st)), share)),
        Indices::Morris(factors) => {
            let bar = share * largest_mu_star(indices);
            Ok(reaching(factors.iter().map(|f| (&f.name, &f.mu_star)), bar))
        }
        _ => Err(KeepError::Technique(analysis.technique)),
    }
}

fn reaching<'a>(factors: impl Iterator<Item = (&'a String, &'a Estimate)>, bar: f64) -> Vec<String> {
    let below = |e: &Estimate| e.high < bar;
    factors.filter(|(_, estimate)| !below(estimate)).map(|(name, _)| name.clone()).collect()
}
