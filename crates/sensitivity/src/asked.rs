//! The options that a study asks for.

use onceflow_study::{Method, OnFailure, Phase, Study};

use crate::{Estimator, FailurePolicy, Options, Technique};

impl Options {
    /// The defaults of a technique, with what the study says of all its phases.
    pub fn of_study(study: &Study, technique: Technique) -> Self {
        let usual = Self::new(technique);
        // A study's threshold is a share of the variance; elementary effects have their own.
        let threshold = if technique == Technique::Morris { usual.threshold } else { study.threshold };
        Self {
            confidence: study.run.confidence,
            resamples: usize::try_from(study.run.resamples).unwrap_or(usual.resamples),
            seed: study.seed,
            failures: policy(study.run.failures),
            threshold,
            ..usual
        }
    }

    /// With what a phase says of its own.
    #[must_use]
    pub fn in_phase(self, phase: &Phase) -> Self {
        let said = Estimator::ALL.into_iter().find(|e| Some(e.word()) == phase.estimator);
        let pairs = matches!(&phase.design.method, Method::Saltelli(saltelli) if saltelli.second_order);
        Self { estimator: said.unwrap_or(self.estimator), second_order: self.second_order || pairs, ..self }
    }
}

impl Technique {
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
