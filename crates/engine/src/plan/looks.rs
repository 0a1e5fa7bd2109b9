//! The phase that grows until every verdict is decided, and what each of its looks would likely take.

use onceflow_sensitivity::Looks;
use onceflow_study::{Diagnostic, Method, Phase, RunBound, Study, with_commas};

use crate::{EngineError, OpenStudy, Planned};

/// The last phase of a study, whose sample doubles from look to look.
#[derive(Clone, Debug)]
pub(crate) struct GrowingPhase {
    /// Its name.
    pub(crate) name: String,
    /// The looks at it.
    pub(crate) looks: Looks,
    method: Method,
}

/// What one look at the growing phase would take.
#[derive(Clone, Debug, PartialEq)]
pub struct PlannedLook {
    /// The size of the phase: `base 512`.
    pub size: String,
    /// Rows of the whole run up to this look, when the phase keeps all parameters.
    pub rows: u64,
    /// Likely seconds up to this look, by the time of the first phase's rows.
    pub seconds: f64,
    /// Probability of its intervals.
    pub confidence: f64,
}

impl GrowingPhase {
    /// The growing phase of a study.
    ///
    /// # Errors
    /// When its sample cannot be extended, or its analyses give no verdicts.
    pub(crate) fn of(study: &Study) -> Result<Self, EngineError> {
        let phase = study.phases.last().ok_or_else(crate::open::study::no_phase)?;
        let method = phase.design.method.clone();
        let size = method.size().filter(|_| method.extendable());
        let Some(size) = size else {
            return Err(refused(
                phase,
                "a sample that can be extended",
                format!("`{}`, which cannot", method.word()),
            ));
        };
        if phase.analyses.iter().all(|analysis| *analysis == "correlation") {
            return Err(refused(phase, "an analysis with verdicts", "correlation, which has none".into()));
        }
        Ok(Self { name: phase.name.clone(), looks: Looks::new(size, study.run.confidence), method })
    }

    /// The phases of a study as they are at a look.
    pub(crate) fn phases(&self, study: &Study, look: u32) -> Vec<Phase> {
        let mut phases = study.phases.clone();
        if let (Some(last), Some(size)) = (phases.last_mut(), self.looks.size(look)) {
            last.design.method = self.method.clone().with_size(size);
            last.confidence = Some(self.looks.confidence(look));
        }
        phases
    }

    /// The size at a look: `base 512`.
    pub(crate) fn size_words(&self, look: u32) -> String {
        self.words_of(self.looks.size(look).unwrap_or(u64::MAX))
    }

    /// A size in words: `base 512`, `40 trajectories`.
    pub(crate) fn words_of(&self, size: u64) -> String {
        let number = with_commas(size.into());
        match self.method {
            Method::Saltelli(_) => format!("base {number}"),
            Method::Morris(_) => format!("{number} trajectories"),
            _ => format!("{number} rows"),
        }
    }
}

fn refused(phase: &Phase, expected: &str, found: String) -> EngineError {
    let error =
        Diagnostic::error(format!("phase `{}` cannot grow until every verdict is decided", phase.name));
    let error = error.expected_found(expected, found);
    error.with_hint("let a vbd or moat phase come last, or leave --until out").into()
}

/// The most looks that are listed.
const LISTED: u32 = 12;

impl OpenStudy {
    /// What each look of a run until every verdict is decided would likely take, those that the bound allows and the first;
    /// none where the settings ask for no such run.
    ///
    /// # Errors
    /// When the last phase cannot grow.
    pub fn planned_looks(&self, planned: &Planned) -> Result<Vec<PlannedLook>, EngineError> {
        let Some(bound) = self.settings().until_decided else { return Ok(Vec::new()) };
        let growing = GrowingPhase::of(&self.study)?;
        let factors = self.study.space.factors().len();
        let rows_of = |phase: &Phase| phase.design.method.rows(factors).unwrap_or(u128::MAX);
        let per_row = planned.likely() / (planned.rows + 1) as f64;
        let look = |look: u32| {
            let all: u128 =
                growing.phases(&self.study, look).iter().map(rows_of).fold(1, u128::saturating_add);
            let rows = u64::try_from(all).unwrap_or(u64::MAX);
            let seconds = rows as f64 * per_row;
            let confidence = growing.looks.confidence(look);
            PlannedLook { size: growing.size_words(look), rows, seconds, confidence }
        };
        let allowed = |look: &PlannedLook| match bound {
            RunBound::Rows(most) => look.rows <= most,
            RunBound::Time(most) => look.seconds <= most.as_secs_f64(),
        };
        let sizes = (0..LISTED).take_while(|look| growing.looks.size(*look).is_some());
        Ok(sizes
            .map(look)
            .enumerate()
            .take_while(|(number, look)| *number == 0 || allowed(look))
            .map(|(_, l)| l)
            .collect())
    }
}
