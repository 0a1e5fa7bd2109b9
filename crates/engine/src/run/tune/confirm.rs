//! The gain on slides that took no part in tuning.

use std::collections::BTreeMap;

use onceflow_report::{HeldOutGain, SlideGain, TuneAnswer, TunedMetric};
use onceflow_sensitivity::gain_interval;

use super::answer::fallen;
use super::rows::TuneBatch;
use super::{Runner, TunePhase};
use crate::open::metrics::Tally;
use crate::{EngineError, Progress};

/// Rows beside the best one that are measured too: those that were the best so far.
const MOST_SHOWN: usize = 8;

/// What rows gave on the held-out images, by their places.
type HeldTallies = BTreeMap<usize, Vec<Tally>>;

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
        let mut measured = HeldTallies::from([(0, self.default_tallies.clone())]);
        if !to_run.is_empty() {
            let batch = TuneBatch {
                name: format!("{}@confirm", tune.name),
                phase: &tune.name,
                rows: to_run.iter().map(|place| self.table.rows[*place].values.clone()).collect(),
                images: &images,
                with_reference: false,
                first: self.table.rows.len(),
            };
            let Some(tallies) = self.run_batch(&batch, progress)? else { return Ok(()) };
            self.note_truth(&tallies);
            for (place, tallies) in to_run.into_iter().zip(tallies) {
                let record = self.tuned_record(self.table.rows[place].clone(), &tallies, &images);
                for image in &images {
                    self.table.rows[place].images[*image] = record.images[*image].clone();
                }
                measured.insert(place, tallies);
            }
        }
        answer.failed_on = self.failed_on(tune, answer.row, &measured);
        answer.held_out = self.held_out(tune, answer.row, &shown, &measured);
        if let Some(held) = &answer.held_out {
            answer.warnings.extend(fallen(&held.metrics, &self.others(tune), "held-out images"));
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

    /// The first objective of a row on images of the held-out slides.
    fn on_held(
        &self,
        tune: &TunePhase<'_>,
        tallies: Option<&Vec<Tally>>,
        images: &[usize],
    ) -> Vec<Option<f64>> {
        tallies.map(|tallies| self.metrics_on(tune.objective.over, tallies, images)).unwrap_or_default()
    }

    /// Slides on which the defaults or the best row have no value.
    fn failed_on(&self, tune: &TunePhase<'_>, best: usize, measured: &HeldTallies) -> Vec<String> {
        let metric = tune.objective.metrics[0];
        let has_value = |row: &usize, images: &[usize]| {
            self.on_held(tune, measured.get(row), images).get(metric).is_some_and(Option::is_some)
        };
        let failed = tune
            .split
            .held_out
            .iter()
            .filter(|(_, images)| ![0, best].iter().all(|row| has_value(row, images)));
        failed.map(|(name, _)| name.clone()).collect()
    }

    /// The mean of each metric of a row over the held-out slides; `None` where it has no value on one.
    fn over_slides(&self, tune: &TunePhase<'_>, row: usize, measured: &HeldTallies) -> Vec<Option<f64>> {
        let slides: Vec<Vec<Option<f64>>> = tune
            .split
            .held_out
            .iter()
            .map(|(_, images)| self.on_held(tune, measured.get(&row), images))
            .collect();
        let mean = |metric: usize| {
            let values = slides.iter().map(|slide| slide.get(metric).copied().flatten());
            let values: Vec<f64> = values.collect::<Option<_>>()?;
            (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
        };
        (0..self.table.metrics.len()).map(mean).collect()
    }

    fn held_out(
        &self,
        tune: &TunePhase<'_>,
        best: usize,
        shown: &[usize],
        measured: &HeldTallies,
    ) -> Option<HeldOutGain> {
        let (rows, objective) = (&self.table.rows, &tune.objective);
        let metric = objective.metrics[0];
        let value = |row: usize, images: &[usize]| {
            self.on_held(tune, measured.get(&row), images).get(metric).copied().flatten()
        };
        let slide = |(name, images): &(String, Vec<usize>)| {
            Some(SlideGain {
                slide: name.clone(),
                images: images.len(),
                default: value(0, images)?,
                best: value(best, images)?,
            })
        };
        let slides: Vec<SlideGain> = tune.split.held_out.iter().map(slide).collect::<Option<_>>()?;
        let gains: Vec<f64> = slides.iter().map(|slide| objective.gain(slide.best, slide.default)).collect();
        let confidence = self.study.study.run.confidence;
        let found = gain_interval(&gains, confidence)?;
        let [default, tuned] = [0, best].map(|row| self.over_slides(tune, row, measured));
        let metrics = self.table.metrics.iter().enumerate().map(|(place, name)| TunedMetric {
            name: name.clone(),
            default: default[place],
            best: tuned[place],
        });
        let point = |place: &usize| {
            let training = objective.value(&rows[*place], metric, &tune.split.tuning)?;
            let from = objective.value(&rows[0], metric, &tune.split.tuning)?;
            let held = self.over_slides(tune, *place, measured)[metric]?;
            Some((rows[*place].row, objective.gain(training, from), objective.gain(held, default[metric]?)))
        };
        Some(HeldOutGain {
            default: default[metric]?,
            best: tuned[metric]?,
            gain: found.mean,
            ends: found.ends,
            confidence,
            metrics: metrics.collect(),
            curve: shown.iter().filter_map(point).collect(),
            slides,
        })
    }
}
