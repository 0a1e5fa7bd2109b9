//! Morris's elementary effects (MOAT): mean effect, mean absolute effect with its interval, and their spread.

use super::morris_effects::{FactorEffects, effects};
use super::morris_interval::{mean_with_interval, method};
use super::spread::deviation;
use super::{Analyser, AnalyzeError, Findings, Inputs};
use crate::{Indices, MorrisIndex};

/// The effects of a sample, ready for any output.
pub(super) struct MorrisAnalyser {
    factors: Vec<FactorEffects>,
    rows: Vec<usize>,
    confidence: f64,
}

impl MorrisAnalyser {
    /// Reads the roles of the sample.
    pub(super) fn new(inputs: Inputs<'_>) -> Result<Self, AnalyzeError> {
        let (factors, rows) = effects(inputs)?;
        Ok(Self { factors, rows, confidence: inputs.options.confidence })
    }
}

impl Analyser for MorrisAnalyser {
    fn estimator(&self) -> String {
        "elementary effects per whole range of a factor (Morris 1991), mu* after Campolongo et al. 2007"
            .into()
    }

    fn rows(&self) -> &[usize] {
        &self.rows
    }

    fn analyse(&self, y: &[f64]) -> Findings {
        let indices: Vec<MorrisIndex> = self.factors.iter().map(|f| index(f, y, self.confidence)).collect();
        let lost = self.factors.iter().zip(&indices).map(|(f, i)| f.effects.len() - i.effects).collect();
        let warnings = warnings(&self.factors, &indices);
        Findings { indices: Indices::Morris(indices), interval: method(self.confidence), lost, warnings }
    }
}

fn index(factor: &FactorEffects, y: &[f64], confidence: f64) -> MorrisIndex {
    let present: Vec<f64> = factor.effects.iter().map(|e| e.size(y)).filter(|e| e.is_finite()).collect();
    let sizes: Vec<f64> = present.iter().map(|e| e.abs()).collect();
    let mean = present.iter().sum::<f64>() / present.len() as f64;
    let if_directed = |x: f64| if factor.directed { x } else { f64::NAN };
    MorrisIndex {
        name: factor.name.clone(),
        mu: if_directed(mean),
        mu_star: mean_with_interval(&sizes, confidence),
        sigma: if_directed(deviation(&present)),
        effects: present.len(),
    }
}

/// Fewer effects than the literature uses.
const FEW: usize = 10;

fn warnings(factors: &[FactorEffects], indices: &[MorrisIndex]) -> Vec<String> {
    let mut warnings = Vec::new();
    if indices.iter().all(|i| i.mu_star.value == 0.0) {
        warnings
            .push("the output does not vary along any trajectory: no factor can be told from another".into());
    }
    let asked = factors.iter().map(|f| f.effects.len()).max().unwrap_or(0);
    if asked < FEW {
        warnings
            .push(format!("expected at least {FEW} trajectories for trustworthy intervals, found {asked}"));
    }
    let few = |i: &&MorrisIndex| i.effects < 2 && asked >= 2;
    for index in indices.iter().filter(few) {
        let text = format!(
            "`{}` has {} effects left after failures: it cannot be judged",
            index.name, index.effects
        );
        warnings.push(text);
    }
    warnings
}
