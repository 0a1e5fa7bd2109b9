//! Each slide left out once: what the others find, measured on it. Few slides have no interval that means much, so that every
//! result is shown.

use onceflow_report::{LeftOutSlide, RowRecord, RunEnding};
use onceflow_study::TuneOver;

use super::rows::TuneBatch;
use super::{ImageSplit, Runner, TunePhase};
use crate::{EngineError, Progress};

/// Fewer slides leave nothing to tune on.
const LEAST: usize = 2;

impl Runner<'_> {
    /// The results of all slides, where the study asks for them.
    pub(super) fn leave_each_out(
        &mut self,
        tune: &TunePhase<'_>,
        progress: &mut dyn Progress,
    ) -> Result<Vec<LeftOutSlide>, EngineError> {
        let mut found = Vec::new();
        let splits = ImageSplit::without_each(&self.study.study, &self.study.inputs);
        if !tune.design.leave_one_out || splits.len() < LEAST {
            return Ok(found);
        }
        let defaults = self.table.rows[0].clone();
        for split in splits {
            if self.ending != RunEnding::Complete {
                break;
            }
            let slide = self.leave_out(tune, split, progress);
            self.table.rows[0].metrics.clone_from(&defaults.metrics);
            found.extend(slide?);
        }
        Ok(found)
    }

    /// Tunes without a slide, and measures what was found on it.
    fn leave_out(
        &mut self,
        tune: &TunePhase<'_>,
        split: ImageSplit,
        progress: &mut dyn Progress,
    ) -> Result<Option<LeftOutSlide>, EngineError> {
        let Some((slide, images)) = split.held_out.first().cloned() else { return Ok(None) };
        let name = format!("{}@{slide}", tune.name);
        let mut left = self.begin_tuning(tune.phase, tune.design, name, tune.space.clone(), split)?;
        // The pooled values of the defaults are those of the images that take part.
        let defaults =
            self.tuned_record(self.study.reference.record(), &self.default_tallies, &left.split.tuning);
        self.table.rows[0].metrics = defaults.metrics;
        self.seed_defaults(&mut left)?;
        self.search_to_end(&mut left, progress)?;
        let Some(best) = self.chosen(&left).filter(|_| self.ending == RunEnding::Complete) else {
            return Ok(None);
        };
        let found = self.on_slide(&left, best, &images, progress)?;
        let metric = left.objective.metrics[0];
        let value = |row: &RowRecord| left.objective.value(row, metric, &left.split.tuning);
        let (rows, objective) = (&self.table.rows, &left.objective);
        let gain =
            value(&rows[best]).zip(value(&rows[0])).map(|(best, default)| objective.gain(best, default));
        Ok(Some(LeftOutSlide {
            slide,
            evaluations: left.evaluations,
            training_gain: gain.unwrap_or(0.0),
            found,
        }))
    }

    /// The objective with the defaults and with a row on the images of a slide.
    fn on_slide(
        &mut self,
        left: &TunePhase<'_>,
        best: usize,
        images: &[usize],
        progress: &mut dyn Progress,
    ) -> Result<Option<(f64, f64)>, EngineError> {
        let measured = if best == 0 {
            self.default_tallies.clone()
        } else {
            let batch = TuneBatch {
                name: format!("{}@confirm", left.name),
                phase: &left.name,
                rows: vec![self.table.rows[best].values.clone()],
                images,
                with_reference: false,
                first: self.table.rows.len(),
            };
            let Some(tallies) = self.run_batch(&batch, progress)? else { return Ok(None) };
            tallies.into_iter().next().unwrap_or_default()
        };
        let metric = left.objective.metrics[0];
        let value = |tallies: &[crate::open::metrics::Tally]| {
            self.metrics_on(left.objective.over, tallies, images).get(metric).copied().flatten()
        };
        Ok(value(&self.default_tallies).zip(value(&measured)))
    }

    /// All metrics over some images, by what a row gave on them.
    pub(super) fn metrics_on(
        &self,
        over: TuneOver,
        tallies: &[crate::open::metrics::Tally],
        images: &[usize],
    ) -> Vec<Option<f64>> {
        let record = self.tuned_record(self.study.reference.record(), tallies, images);
        let metrics = 0..self.table.metrics.len();
        metrics.map(|metric| super::objective::value_over(&record, metric, images, over)).collect()
    }
}
