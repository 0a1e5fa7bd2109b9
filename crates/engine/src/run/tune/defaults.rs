//! The row of the defaults of a run that tunes: it comes first, on all images, those that confirm included. The rows of all
//! other phases see nothing of the images that are held out.

use onceflow_report::RunEnding;
use onceflow_study::{Diagnostic, Phase};

use super::objective::TuneObjective;
use super::rows::TuneBatch;
use super::{ImageSplit, Runner};
use crate::{EngineError, Progress};

impl Runner<'_> {
    /// Runs the defaults where one of the phases tunes; says whether the phases can begin.
    pub(in crate::run) fn begin_tuned(
        &mut self,
        phases: &[Phase],
        progress: &mut dyn Progress,
    ) -> Result<bool, EngineError> {
        let Some((phase, design, split)) = ImageSplit::of_phases(self.study, phases) else {
            return Ok(true);
        };
        TuneObjective::new(&self.study.study.metrics, design)?;
        if split.tuning.is_empty() {
            return Err(no_images());
        }
        let mut images: Vec<usize> = split.tuning.iter().copied().chain(split.held()).collect();
        if phases.len() > 1 {
            images = (0..self.study.inputs.images.len()).collect();
        }
        let taking_part: Vec<usize> = match phases.len() {
            1 => split.tuning.clone(),
            _ => images.iter().copied().filter(|image| !split.held().contains(image)).collect(),
        };
        let batch = TuneBatch {
            name: format!("{}@defaults", phase.name),
            phase: &phase.name,
            rows: Vec::new(),
            images: &images,
            with_reference: true,
            first: 0,
        };
        let Some(tallies) = self.run_batch(&batch, progress)? else { return Ok(false) };
        let pooled = self.tuned_record(self.study.reference.record(), &tallies[0], &taking_part);
        let mut record = self.tuned_record(self.study.reference.record(), &tallies[0], &images);
        record.metrics = pooled.metrics;
        self.note_truth(&tallies);
        self.table.rows.push(record);
        self.default_tallies = tallies.into_iter().next().unwrap_or_default();
        if phases.len() > 1 && !split.held_out.is_empty() {
            self.notes.push(format!(
                "All phases ran without the held-out images ({}), which only confirm.",
                split.names().join(", ")
            ));
        }
        self.split = Some(split);
        Ok(self.ending == RunEnding::Complete)
    }
}

impl Runner<'_> {
    /// The images whose rows phases may learn from: none that is held out.
    pub(in crate::run) fn taking_part(&self) -> Vec<usize> {
        let held = self.split.as_ref().map(ImageSplit::held).unwrap_or_default();
        (0..self.study.inputs.images.len()).filter(|image| !held.contains(image)).collect()
    }

    /// For each part whether rows of phases are run there, where not all are. Workers compute rows everywhere; nothing is
    /// learned from what they gave on held-out images.
    pub(in crate::run) fn parts_without_held(&self) -> Option<Vec<bool>> {
        let holds_out = self.split.as_ref().is_some_and(|split| !split.held_out.is_empty());
        (holds_out && self.manager.is_none()).then(|| self.asked_parts(&self.taking_part()))
    }
}

fn no_images() -> EngineError {
    let error = Diagnostic::error("no image is left for tuning");
    let error = error.expected_found("an image with truth that is not held out", "none");
    error.with_hint("give truth = … with an image, or hold out fewer slides").into()
}
