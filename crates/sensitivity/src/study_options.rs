//! The options of analyses in a study.

use onceflow_study::{Method, OnFailure, Phase, Study};

use crate::{AnalysisOptions, Estimator, FailurePolicy, RowRole, Sample, Technique};

impl AnalysisOptions {
    /// The defaults of a technique, with the settings of the study.
    pub fn of_study(study: &Study, technique: Technique) -> Self {
        let usual = Self::new(technique);
        // A study's threshold is a share of the variance; elementary effects have their own.
        let threshold = if technique == Technique::Morris { usual.threshold } else { study.threshold };
        Self {
            confidence: study.run.confidence,
            // A number that does not fit is refused by the analysis.
            resamples: usize::try_from(study.run.resamples).unwrap_or(usize::MAX),
            seed: study.seed,
            failures: policy(study.run.failures),
            threshold,
            ..usual
        }
    }

    /// The options with the settings of a phase.
    #[must_use]
    pub fn in_phase(self, phase: &Phase) -> Self {
        let said = Estimator::ALL.into_iter().find(|e| Some(e.word()) == phase.estimator);
        let pairs = matches!(&phase.design.method, Method::Saltelli(saltelli) if saltelli.second_order);
        Self {
            estimator: said.unwrap_or(self.estimator),
            second_order: self.second_order || pairs,
            confidence: phase.confidence.unwrap_or(self.confidence),
            ..self
        }
    }
}

impl Technique {
    /// The technique that the roles of rows ask for; none where they have no roles, since several can take them.
    pub fn of_sample(sample: &Sample) -> Option<Self> {
        sample.rows.iter().find_map(|row| match row.role {
            RowRole::Ab(_) | RowRole::Ba(_) | RowRole::A | RowRole::B => Some(Self::Vbd),
            RowRole::Start | RowRole::Step(_) => Some(Self::Morris),
            RowRole::Point | RowRole::Reference => None,
        })
    }

    /// The technique with that word.
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|t| t.word() == word)
    }
}

fn policy(failures: OnFailure) -> FailurePolicy {
    match failures {
        OnFailure::Drop => FailurePolicy::Drop,
        OnFailure::Bounds => FailurePolicy::Bounds,
        OnFailure::Stop => FailurePolicy::Stop,
    }
}

#[cfg(test)]
mod tests {
    use onceflow_study::{SourceText, parse_study};

    use super::*;

    fn phase(estimator: &str) -> Result<Phase, String> {
        let text = format!(
            "name = \"s\"\n[parameters]\na = {{ from = 0, to = 1, default = 0 }}\nb = {{ from = 0, to = 1, default = 0 }}\n\
             [[phase]]\nname = \"p\"\nmethod = \"vbd\"\nbase = 64\nestimator = \"{estimator}\"\n"
        );
        let (study, messages) = parse_study(&SourceText::new("s.toml", text)).unwrap().resolve(None, None);
        study.map(|mut study| study.phases.remove(0)).ok_or_else(|| messages.to_string())
    }

    #[test]
    fn studies_and_analyses_know_the_same_estimators() {
        for estimator in Estimator::ALL {
            let options = AnalysisOptions::new(Technique::Vbd).in_phase(&phase(estimator.word()).unwrap());
            assert_eq!(options.estimator, estimator);
        }
        let words = Estimator::ALL.map(Estimator::word).join(", ");
        let refusal = phase("other").unwrap_err();
        assert!(refusal.contains(&format!("expected one of {words}, found")), "{refusal}");
    }
}
