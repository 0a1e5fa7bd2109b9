//! The gain on slides that took no part in tuning.

use onceflow_report::{HeldOutGain, SlideGain, TuneAnswer, TunedMetric};
use onceflow_sensitivity::gain_interval;

use super::objective::mean_over;
use super::rows::TuneBatch;
use super::{Runner, TunePhase, fallen};
use crate::{EngineError, Progress};

/// Rows beside the best one that are measured too: those that were the best so far.
const MOST_SHOWN: usize = 8;

impl Runner<'_> {
    /// Runs the best row, and those that were the best before, on the held-out images.
    pub(super) fn confirm(
        &mut self,
        tune: &TunePhase<'_>,
        answer: &mut TuneAnswer,
        progress: &mut dyn Progress,
    ) -> Result<(), EngineError> {
        let images = tune.split.held();
        if images.is_empty() {
            return Ok(());
        }
        let shown = self.shown_rows(tune, answer.row);
        let to_run: Vec<usize> = shown.iter().copied().filter(|place| *place > 0).collect();
        if !to_run.is_empty() {
            let batch = TuneBatch {
                name: format!("{}@confirm", tune.phase.name),
                phase: &tune.phase.name,
                rows: to_run.iter().map(|place| self.table.rows[*place].values.clone()).collect(),
                images: &images,
                with_reference: false,
                first: self.table.rows.len(),
            };
            let Some(tallies) = self.run_batch(&batch, progress)? else { return Ok(()) };
            for (place, tallies) in to_run.iter().zip(&tallies) {
                let measured = self.tuned_record(self.table.rows[*place].clone(), tallies, &images);
                for image in &images {
                    self.table.rows[*place].images[*image] = measured.images[*image].clone();
                }
            }
            self.note_truth(&tallies);
        }
        answer.held_out = self.held_out(tune, answer.row, &shown);
        if let Some(held) = &answer.held_out {
            answer.warnings.extend(fallen(&held.metrics, &self.study.study.metrics, "held-out images"));
        } else {
            answer.warnings.push("The values failed on a held-out image, so nothing is confirmed.".into());
        }
        Ok(())
    }

    /// The best row and some of those that were the best so far, in their order.
    fn shown_rows(&self, tune: &TunePhase<'_>, best: usize) -> Vec<usize> {
        let mut shown: Vec<usize> = Vec::new();
        let mut so_far: Option<f64> = None;
        for (place, values) in self.tuned_values(tune) {
            if so_far.is_none_or(|so_far| tune.objective.gain(values[0], so_far) > 0.0) {
                so_far = Some(values[0]);
                shown.push(place);
            }
        }
        let every = shown.len().div_ceil(MOST_SHOWN).max(1);
        let mut shown: Vec<usize> = shown.into_iter().rev().step_by(every).collect();
        shown.push(best);
        shown.sort_unstable();
        shown.dedup();
        shown
    }

    fn held_out(&self, tune: &TunePhase<'_>, best: usize, shown: &[usize]) -> Option<HeldOutGain> {
        let (rows, objective) = (&self.table.rows, &tune.objective);
        let metric = objective.metrics[0];
        let slide = |(name, images): &(String, Vec<usize>)| {
            Some(SlideGain {
                slide: name.clone(),
                images: images.len(),
                default: mean_over(&rows[0], metric, images)?,
                best: mean_over(&rows[best], metric, images)?,
            })
        };
        let slides: Vec<SlideGain> = tune.split.held_out.iter().map(slide).collect::<Option<_>>()?;
        let gains: Vec<f64> = slides.iter().map(|slide| objective.gain(slide.best, slide.default)).collect();
        let confidence = self.study.study.run.confidence;
        let found = gain_interval(&gains, confidence)?;
        let mean = |of: &dyn Fn(&SlideGain) -> f64| slides.iter().map(of).sum::<f64>() / slides.len() as f64;
        let over_slides = |row: usize, metric: usize| {
            let values: Option<Vec<f64>> =
                tune.split.held_out.iter().map(|(_, images)| mean_over(&rows[row], metric, images)).collect();
            values.map(|values| values.iter().sum::<f64>() / values.len() as f64)
        };
        let metrics = self.table.metrics.iter().enumerate().map(|(place, name)| TunedMetric {
            name: name.clone(),
            default: over_slides(0, place),
            best: over_slides(best, place),
        });
        let point = |place: &usize| {
            let training = objective.value(&rows[*place], metric, &tune.split.tuning)?;
            let default = objective.value(&rows[0], metric, &tune.split.tuning)?;
            let held = objective.gain(over_slides(*place, metric)?, over_slides(0, metric)?);
            Some((rows[*place].row, objective.gain(training, default), held))
        };
        Some(HeldOutGain {
            default: mean(&|slide| slide.default),
            best: mean(&|slide| slide.best),
            gain: found.mean,
            ends: found.ends,
            confidence,
            metrics: metrics.collect(),
            curve: shown.iter().filter_map(point).collect(),
            slides,
        })
    }
}
