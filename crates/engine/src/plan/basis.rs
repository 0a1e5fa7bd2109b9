//! The phases of a plan: which rows each has, and what that rests on. Parameters of later phases may depend on what earlier
//! ones find: those that a run kept are taken, or all of them, which is an upper bound.

use onceflow_reuse::ParameterRows;
use onceflow_study::{Diagnostic, Keep, Phase, nearest};

use crate::plan::phase::PhaseRows;
use crate::{EngineError, KeptByRun, OpenStudy};

/// Where the parameters of a planned phase come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PhaseBasis {
    /// The study says them.
    Study,
    /// A run kept them.
    Run,
    /// All of them: an earlier phase decides, and has not run.
    All,
}

/// The rows of a planned phase.
pub(crate) struct PlannedRows {
    pub(crate) rows: ParameterRows,
    pub(crate) numbers: PlanNumbers,
    pub(crate) basis: PhaseBasis,
    /// Parameters and groups that vary.
    pub(crate) factors: usize,
}

/// The numbers that rows of a plan have in the table of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PlanNumbers {
    /// The number of the phase's first row.
    first: usize,
    /// Whether the plan begins with the reference row.
    has_reference: bool,
}

impl PlanNumbers {
    /// The number of a row of the plan.
    pub(crate) fn of(self, row: usize) -> usize {
        match (self.has_reference, row) {
            (true, 0) => 0,
            (true, row) => self.first + row - 1,
            (false, row) => self.first + row,
        }
    }

    /// The numbers of rows of the plan.
    pub(crate) fn all(self, rows: &[u32]) -> Vec<u32> {
        rows.iter().map(|row| self.of(*row as usize) as u32).collect()
    }

    /// The row of the plan with a number.
    pub(crate) fn row(self, number: usize) -> Option<usize> {
        match (self.has_reference, number) {
            (true, 0) => Some(0),
            (has_reference, number) => Some(number.checked_sub(self.first)? + usize::from(has_reference)),
        }
    }
}

impl OpenStudy {
    /// Plans later phases with the parameters that a run kept.
    #[must_use]
    pub fn with_kept(mut self, kept: KeptByRun) -> Self {
        self.kept_by_run = kept;
        self
    }

    /// The place of the phase with a name; the first without one.
    ///
    /// # Errors
    /// When there is no such phase.
    pub fn phase_place(&self, name: Option<&str>) -> Result<usize, EngineError> {
        let Some(name) = name else { return Ok(0) };
        let names: Vec<&str> = self.study.phases.iter().map(|phase| phase.name.as_str()).collect();
        names.iter().position(|known| *known == name).ok_or_else(|| {
            let error = Diagnostic::error(format!("the study has no phase `{name}`"));
            let error = error.expected_found(format!("one of {}", names.join(", ")), format!("`{name}`"));
            let near = nearest(name, names.iter().copied());
            error
                .with_hint(near.map_or("give one of them".into(), |near| format!("did you mean `{near}`?")))
                .into()
        })
    }

    /// The place of the phase that a row belongs to, by its number in the table of a run.
    ///
    /// # Errors
    /// When there is no such row, or it depends on a run that is not known.
    pub fn phase_of_row(&self, number: usize) -> Result<usize, EngineError> {
        let mut next = 1;
        for (place, phase) in self.study.phases.iter().enumerate() {
            if self.basis(phase) == PhaseBasis::All {
                return Err(depends(number, phase));
            }
            next += self.row_count(phase)?;
            if number < next {
                return Ok(place);
            }
        }
        let error = Diagnostic::error(format!("there is no row {number}"));
        let expected = format!("a number from 0 (the reference row) to {}", next - 1);
        Err(error.expected_found(expected, number.to_string()).with_hint("give another row").into())
    }

    /// The phases whose parameters an earlier one decides on, where no run tells them.
    pub fn assumed_phases(&self) -> Vec<&str> {
        let assumed = self.study.phases.iter().filter(|phase| self.basis(phase) == PhaseBasis::All);
        assumed.map(|phase| phase.name.as_str()).collect()
    }

    /// Where the parameters of a phase come from.
    pub(crate) fn basis(&self, phase: &Phase) -> PhaseBasis {
        match &phase.keep {
            Some(Keep::Effects(_)) if self.kept_by_run.of(&phase.name).is_some() => PhaseBasis::Run,
            Some(Keep::Effects(_)) => PhaseBasis::All,
            _ => PhaseBasis::Study,
        }
    }

    fn kept_names(&self, phase: &Phase) -> Option<&[String]> {
        self.kept_by_run.of(&phase.name)
    }

    /// How many rows a phase has, as it is planned.
    pub(crate) fn row_count(&self, phase: &Phase) -> Result<usize, EngineError> {
        let space = PhaseRows::space(&self.study, phase, self.kept_names(phase))?;
        Ok(usize::try_from(space.rows(&phase.design.method)).unwrap_or(usize::MAX))
    }

    /// The rows of a phase, as it is planned. Those of the first phase begin with the reference row, others where it is wanted.
    pub(crate) fn planned_rows(
        &self,
        place: usize,
        with_reference: bool,
    ) -> Result<PlannedRows, EngineError> {
        let phase = self.study.phases.get(place).ok_or_else(crate::open::study::no_phase)?;
        let earlier = self.study.phases[..place].iter().map(|phase| self.row_count(phase));
        let first = 1 + earlier.sum::<Result<usize, _>>()?;
        let sampled = PhaseRows::planned(&self.study, phase, self.kept_names(phase))?;
        let has_reference = with_reference || place == 0;
        Ok(PlannedRows {
            rows: self.rows(&sampled, has_reference)?,
            numbers: PlanNumbers { first, has_reference },
            basis: self.basis(phase),
            factors: sampled.space.factors().len(),
        })
    }
}

fn depends(number: usize, phase: &Phase) -> EngineError {
    let error = Diagnostic::error(format!("row {number} may belong to phase `{}`", phase.name));
    let error = error
        .expected_found("the folder of a run, which knows the parameters that the phase keeps", "a study");
    error
        .with_hint(format!("give the folder of a run in place of the study: onceflow why RUN --row {number}"))
        .into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_of_a_plan_have_the_numbers_of_the_table() {
        for (first, has_reference, rows, numbers) in [
            (1, true, [0, 1, 5], [0, 1, 5]),
            (17, false, [0, 1, 5], [17, 18, 22]),
            (17, true, [0, 1, 5], [0, 17, 21]),
        ] {
            let known = PlanNumbers { first, has_reference };
            assert_eq!(rows.map(|row| known.of(row)), numbers);
            assert_eq!(numbers.map(|number| known.row(number)), rows.map(Some));
        }
        assert_eq!(PlanNumbers { first: 17, has_reference: false }.row(3), None);
    }

    #[test]
    fn what_a_run_kept_is_read_from_its_indices() {
        let indices = serde_json::json!({ "phases": [
            { "name": "screen", "kept": null }, { "name": "decompose", "kept": { "names": ["G1", "G2"] } },
        ] });
        let kept = KeptByRun::read(&indices);
        assert_eq!(kept.of("decompose").unwrap(), ["G1", "G2"]);
        assert_eq!(kept.of("screen"), None);
        assert_eq!(KeptByRun::read(&serde_json::json!([])), KeptByRun::default());
    }
}
