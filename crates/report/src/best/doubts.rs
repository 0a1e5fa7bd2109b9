//! Reasons in the data to doubt the best row.

use onceflow_study::{Metric, Parameter, counted, with_commas};

use super::Better;
use crate::words::{and, metric_pair, metric_text};
use crate::{ImageSummary, RowRecord, ValueChange};

/// Off by more than this share of the truth's objects, a row splits or loses objects.
const TOLERATED: f64 = 0.2;
/// So many images are named.
const NAMED: usize = 3;

/// The best row and everything that can cast doubt on it.
pub(super) struct Doubts<'a> {
    pub(super) metrics: &'a [Metric],
    pub(super) metric: &'a Metric,
    pub(super) better: Better,
    pub(super) parameters: &'a [Parameter],
    pub(super) images: &'a [ImageSummary],
    pub(super) row: &'a RowRecord,
    pub(super) reference: Option<&'a RowRecord>,
}

impl Doubts<'_> {
    /// Whole sentences, what weighs most first; `counting` are the changes of parameters that have influence.
    pub(super) fn all(&self, changes: &[ValueChange], counting: &[ValueChange]) -> Vec<String> {
        // The defaults were not chosen by these rows.
        if changes.is_empty() {
            return self.objects().into_iter().collect();
        }
        let found = [self.objects(), Some(self.same_images()), self.worse(), self.ends(counting)];
        found.into_iter().flatten().chain(self.outside()).collect()
    }

    /// Overlap does not see whether one object was found as three.
    fn objects(&self) -> Option<String> {
        let blind = matches!(self.metric.measure.as_deref(), Some("dice" | "jaccard" | "pixel_difference"));
        let mut off: Vec<_> = self
            .image_values()
            .filter_map(|(image, record)| {
                let (found, truth) = (record.objects?, image.truth_objects?);
                let error = found.abs_diff(truth) as f64 / truth.max(1) as f64;
                (error > TOLERATED).then_some((error, image, found, truth))
            })
            .collect();
        off.sort_by(|a, b| b.0.total_cmp(&a.0));
        let (_, image, found, truth) = off.first().filter(|_| blind)?;
        let others = match off.len() - 1 {
            0 => String::new(),
            more => format!(" (and is off by more than 20 % on {})", counted(more, "other image")),
        };
        let (found, truth) = (with_commas((*found).into()), with_commas((*truth).into()));
        Some(format!(
            "Row {} finds {found} objects on {}, the truth has {truth}{others}: {} does not see splits; {}.",
            self.row.row,
            image.name,
            self.metric.name,
            self.remedy()
        ))
    }

    fn remedy(&self) -> String {
        let sees = |m: &&Metric| matches!(m.measure.as_deref(), Some("object_f1" | "panoptic_quality"));
        self.metrics.iter().find(sees).map_or("add object_f1".into(), |m| format!("look at {}", m.name))
    }

    /// The same images chose the row and measure it.
    fn same_images(&self) -> String {
        let mut values: Vec<(f64, &str)> = self
            .image_values()
            .filter_map(|(image, record)| Some((record.metrics.first().copied()??, image.name.as_str())))
            .collect();
        values.sort_by(|a, b| a.0.total_cmp(&b.0));
        match values.as_slice() {
            [(low, at_low), .., (high, at_high)] => format!(
                "Chosen and measured on the same {} images, over which {} runs from {} ({at_low}) to {} ({at_high}).",
                values.len(),
                self.metric.name,
                metric_text(*low),
                metric_text(*high)
            ),
            _ => "Chosen and measured on the same image; no second image with truth confirms it.".into(),
        }
    }

    /// Images on which the defaults are better.
    fn worse(&self) -> Option<String> {
        let reference = self.reference?;
        let pairs = self.row.images.iter().zip(&reference.images).zip(self.images);
        let worse: Vec<String> = pairs
            .filter_map(|((now, default), image)| {
                let (now, default) = (now.metrics.first().copied()??, default.metrics.first().copied()??);
                let (now_text, default_text) = metric_pair(now, default);
                self.better
                    .is_better(default, now)
                    .then(|| format!("{} ({now_text} against {default_text})", image.name))
            })
            .collect();
        let named = worse
            .iter()
            .take(NAMED)
            .cloned()
            .chain((worse.len() > NAMED).then(|| counted(worse.len() - NAMED, "other image")));
        let named: Vec<String> = named.collect();
        (!worse.is_empty()).then(|| format!("The defaults do better on {}.", and(&named)))
    }

    /// Changed values beyond which nothing was tried.
    fn ends(&self, changes: &[ValueChange]) -> Option<String> {
        let is_end = |change: &&ValueChange| {
            let parameter = self.parameters.iter().find(|p| p.name == change.parameter);
            let ends =
                parameter.filter(|p| p.domain.count().is_none_or(|n| n > 2)).and_then(|p| p.domain.ends());
            change.to.as_f64().zip(ends).is_some_and(|(x, (from, to))| x <= from || x >= to)
        };
        let named: Vec<String> =
            changes.iter().filter(is_end).map(|c| format!("{} {}", c.parameter, c.to)).collect();
        match named.as_slice() {
            [] => None,
            [one] => Some(format!("{one} is the end of its range: the best value may lie beyond.")),
            several => {
                Some(format!("{} are ends of their ranges: better values may lie beyond.", and(several)))
            }
        }
    }

    /// Defaults that no row of the ranges can have.
    fn outside(&self) -> impl Iterator<Item = String> {
        self.parameters.iter().filter_map(|p| {
            let default = p.default.as_ref().filter(|default| !p.domain.spans(default))?;
            let (from, to) = p.domain.ends()?;
            Some(format!(
                "The default of {}, {default}, lies outside the values studied ({from} to {to}).",
                p.name
            ))
        })
    }

    fn image_values(&self) -> impl Iterator<Item = (&ImageSummary, &crate::ImageRecord)> {
        self.images.iter().zip(&self.row.images)
    }
}
