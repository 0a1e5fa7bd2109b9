//! From the counts of parts to the metrics of rows: pixels and objects are added first, the ratio is taken last.

use std::collections::{BTreeMap, BTreeSet};

use onceflow_kernels::compare::MetricKind;
use onceflow_report::{ImageRecord, RowRecord, RowStatus};
use onceflow_study::{Against, Diagnostic, Metric, Study, Workflow};

use crate::EngineError;
use crate::open::compare;
use crate::open::inputs::StudyInputs;
use crate::open::measured::PartMeasures;
use crate::open::measures::is_measured;

/// What each metric of a study measures, and of which result.
#[derive(Clone, Debug)]
pub(crate) struct Metrics {
    metrics: Vec<(Metric, Measure, usize)>,
    results: usize,
}

/// A measure.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Measure {
    /// Of counts that add up over parts and images.
    Counted(MetricKind),
    /// Of a table: the one that the metric names, the mean over images.
    OfTable,
}

impl Measure {
    fn counted(self) -> Option<MetricKind> {
        match self {
            Self::Counted(kind) => Some(kind),
            Self::OfTable => None,
        }
    }
}

/// What became of a row on one image, over the parts so far.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tally {
    /// One comparison per result.
    comparisons: Vec<PartMeasures>,
    parts: usize,
    /// Parts that ended early, and with which status.
    ended: BTreeMap<usize, String>,
    /// Parts that failed: the task and what it said.
    failed: BTreeMap<usize, (String, String)>,
}

impl Metrics {
    /// The metrics of a study; those with an unknown measure are refused before ([`refusals`](super::measures::refusals)).
    pub(crate) fn new(study: &Study, workflow: &Workflow) -> Self {
        let regions = compare::measured(&study.metrics);
        let metric = |metric: &Metric| {
            let measure = match is_measured(metric, workflow) {
                true => Measure::OfTable,
                false => Measure::Counted(MetricKind::from_word(metric.measure.as_deref()?)?),
            };
            let region = metric.of.as_deref().and_then(|of| regions.iter().position(|r| *r == of));
            Some((metric.clone(), measure, region.unwrap_or(0)))
        };
        Self { metrics: study.metrics.iter().filter_map(metric).collect(), results: regions.len() }
    }

    /// Refuses metrics that need the size of pixels, where an image does not have it: their values would be missing.
    pub(crate) fn check_resolution<'i>(
        &self,
        images: impl Iterator<Item = (&'i str, Option<f64>)>,
    ) -> Result<(), EngineError> {
        let needs = |measure: Measure| measure.counted().is_some_and(MetricKind::needs_resolution);
        let Some((metric, ..)) = self.metrics.iter().find(|(_, measure, _)| needs(*measure)) else {
            return Ok(());
        };
        let without: Vec<&str> = images.filter(|(_, known)| known.is_none()).map(|(name, _)| name).collect();
        if without.is_empty() { Ok(()) } else { Err(no_resolution(metric, &without)) }
    }

    /// The metrics that match objects with those of the truth.
    pub(crate) fn matching_truth(&self) -> Vec<&str> {
        let matches = |measure: Measure| measure.counted().is_some_and(MetricKind::matches_objects);
        let asks = |metric: &Metric, measure| metric.against == Against::Truth && matches(measure);
        self.metrics.iter().filter(|(m, kind, _)| asks(m, *kind)).map(|(m, ..)| m.name.as_str()).collect()
    }

    /// Empty tallies of a row, one per image.
    pub(crate) fn tallies(&self, images: usize) -> Vec<Tally> {
        vec![Tally { comparisons: vec![PartMeasures::default(); self.results], ..Tally::default() }; images]
    }

    /// Writes what the tallies of a row say into its record. A row that failed may not have been run everywhere: where
    /// it was not, it failed too. Images that are left out have no say in the row.
    pub(crate) fn fill(
        &self,
        record: &mut RowRecord,
        tallies: &[Tally],
        inputs: &StudyInputs,
        left_out: &BTreeSet<usize>,
    ) {
        let counts = |image: usize| !left_out.contains(&image);
        let failed = |(image, tally): &(usize, &Tally)| counts(*image) && tally.has_failed();
        let failure = tallies.iter().enumerate().find(failed).map(|(_, tally)| tally.status());
        let image = |(image, tally): (usize, &Tally)| {
            let done = tally.parts == inputs.parts_of(image);
            let status = failure.clone().filter(|_| !done && !tally.has_failed());
            let status = status.unwrap_or_else(|| tally.status());
            self.image(tally, status, inputs.images[image].um_per_pixel)
        };
        record.images = tallies.iter().enumerate().map(image).collect();
        let taken = record.images.iter().enumerate().filter(|(image, _)| counts(*image));
        record.status = over_all(&taken.map(|(_, record)| record).collect::<Vec<_>>());
        record.metrics = match record.status {
            RowStatus::Failed { .. } => vec![None; self.metrics.len()],
            _ => self.metrics.iter().map(|m| over_images(m, tallies, inputs, left_out)).collect(),
        };
    }

    fn image(&self, tally: &Tally, status: RowStatus, um_per_pixel: Option<f64>) -> ImageRecord {
        let value = |(metric, measure, result): &(Metric, Measure, usize)| {
            let found = tally.comparisons.get(*result)?;
            match measure {
                Measure::Counted(kind) => kind.value(found.counts.against(metric.against), um_per_pixel),
                Measure::OfTable => found.values.get(metric.measure.as_deref()?).copied(),
            }
        };
        let failed = matches!(status, RowStatus::Failed { .. });
        let metrics = self.metrics.iter().map(|m| value(m).filter(|_| !failed)).collect();
        let counted = self.metrics.iter().any(|(_, measure, _)| measure.counted().is_some());
        let first = tally.comparisons.first().filter(|_| !failed && counted);
        let objects = first.map(|found| found.counts.alone.objects);
        ImageRecord { status, metrics, objects }
    }
}

impl Tally {
    /// Adds what a part gave.
    pub(crate) fn add(&mut self, part: usize, comparisons: &[PartMeasures], ended: Option<&str>) {
        self.comparisons.iter_mut().zip(comparisons).for_each(|(sum, more)| sum.add(more));
        self.parts += 1;
        self.ended.extend(ended.map(|status| (part, status.to_owned())));
    }

    /// Remembers that a part failed.
    pub(crate) fn fail(&mut self, part: usize, task: &str, message: &str) {
        self.parts += 1;
        self.failed.insert(part, (task.to_owned(), message.to_owned()));
    }

    /// Whether a part failed.
    pub(crate) fn has_failed(&self) -> bool {
        !self.failed.is_empty()
    }

    /// Parts that were added.
    pub(crate) fn parts(&self) -> usize {
        self.parts
    }

    /// Objects of the truth in the parts so far.
    pub(crate) fn truth_objects(&self) -> Option<u64> {
        let truth = &self.comparisons.first()?.counts.truth;
        (truth.compared > 0).then_some(truth.reference_objects)
    }

    /// That of the first part in the order of the image, since any part may be done first.
    fn status(&self) -> RowStatus {
        match (self.failed.first_key_value(), self.ended.first_key_value()) {
            (Some((_, (task, message))), _) => {
                RowStatus::Failed { task: task.clone(), message: message.clone() }
            }
            // An image ended early when all its parts did.
            (None, Some((_, status))) if self.ended.len() == self.parts => RowStatus::Ended(status.clone()),
            _ => RowStatus::Ok,
        }
    }
}

/// The value over all images that have the metric.
fn over_images(
    metric: &(Metric, Measure, usize),
    tallies: &[Tally],
    inputs: &StudyInputs,
    left_out: &BTreeSet<usize>,
) -> Option<f64> {
    let (metric, measure, result) = metric;
    let Measure::Counted(measure) = measure else {
        let of_image = |(_, tally): (usize, &Tally)| {
            let values = &tally.comparisons.get(*result)?.values;
            values.get(metric.measure.as_deref()?).copied()
        };
        let images = tallies.iter().enumerate().filter(|(image, _)| !left_out.contains(image));
        let values: Vec<f64> = images.filter_map(of_image).collect();
        return (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64);
    };
    let mut sum = onceflow_kernels::compare::ComparisonCounts::default();
    let mut square_um = 0.0;
    let mut is_known = true;
    for (image, tally) in tallies.iter().enumerate().filter(|(image, _)| !left_out.contains(image)) {
        let counts = tally.comparisons.get(*result)?.counts.against(metric.against);
        if measure.needs_reference() && counts.compared == 0 {
            continue;
        }
        sum += *counts;
        match inputs.images[image].um_per_pixel {
            Some(um) => square_um += counts.pixels as f64 * um * um,
            None => is_known = false,
        }
    }
    // One size of pixels that gives all images together the area they have.
    let um_per_pixel = (is_known && sum.pixels > 0).then(|| (square_um / sum.pixels as f64).sqrt());
    measure.value(&sum, um_per_pixel)
}

/// A row failed when it failed anywhere, and ended early when it did so everywhere.
fn over_all(images: &[&ImageRecord]) -> RowStatus {
    let failed = images.iter().find(|i| matches!(i.status, RowStatus::Failed { .. }));
    let ended = images.iter().all(|i| matches!(i.status, RowStatus::Ended(_)));
    match (failed, images.first()) {
        (Some(image), _) => image.status.clone(),
        (None, Some(image)) if ended => image.status.clone(),
        _ => RowStatus::Ok,
    }
}

fn no_resolution(metric: &Metric, without: &[&str]) -> EngineError {
    /// Images that are named; more are counted.
    const MOST_NAMED: usize = 5;
    let measure = metric.measure.as_deref().unwrap_or_default();
    let message = format!("the metric `{}` ({measure}) needs the size of a pixel", metric.name);
    let mut found = format!("none for {}", without[..without.len().min(MOST_NAMED)].join(", "));
    if without.len() > MOST_NAMED {
        found.push_str(&format!(" and {} more", without.len() - MOST_NAMED));
    }
    let error = Diagnostic::error(message).expected_found("um_per_pixel of every image", found);
    error.with_hint("write um_per_pixel = … with the image, or take the metric away").into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_status_does_not_depend_on_which_part_is_done_first() {
        let ended = |order: [usize; 2]| {
            let mut tally = Tally::default();
            order.iter().for_each(|part| tally.add(*part, &[], Some(["background", "no_candidates"][*part])));
            tally.status()
        };
        assert_eq!(ended([0, 1]), RowStatus::Ended("background".into()));
        assert_eq!(ended([1, 0]), ended([0, 1]));
        let failed = |order: [usize; 2]| {
            let mut tally = Tally::default();
            order.iter().for_each(|part| tally.fail(*part, "compare", ["first", "second"][*part]));
            tally.status()
        };
        let expected = RowStatus::Failed { task: "compare".into(), message: "first".into() };
        assert_eq!((failed([0, 1]), failed([1, 0])), (expected.clone(), expected));
    }

    #[test]
    fn an_image_ended_when_all_its_parts_did() {
        let mut tally = Tally::default();
        tally.add(0, &[], Some("background"));
        tally.add(1, &[], None);
        assert_eq!(tally.status(), RowStatus::Ok);
    }
}
