//! What tuning found, in sentences.

use onceflow_study::counted;

use super::{and, capital, metric_pair, metric_text};
use crate::{HeldOutGain, TuneAnswer, TuneVerdict};

/// `Object_f1, the mean over 4 images, is 0.373 with the defaults and 0.487 with the best values of 100 evaluations:`
pub(crate) fn tuned(tuning: &TuneAnswer) -> String {
    let objective = tuning.objectives.first().map_or("", String::as_str);
    let (best, default) = metric_pair(tuning.best, tuning.default);
    let over = if tuning.over == "pooled" { "pooled" } else { "the mean" };
    let images = counted(tuning.images.len(), "image");
    let rows = counted(usize::try_from(tuning.evaluations).unwrap_or(usize::MAX), "evaluation");
    if tuning.changes.is_empty() {
        return format!(
            "None of {rows} does better than the defaults: {objective}, {over} over {images}, is {default} with them."
        );
    }
    let name = capital(objective);
    format!(
        "{name}, {over} over {images}, is {default} with the defaults and {best} with the best values of {rows}:"
    )
}

/// Whether the values hold on images that took no part.
pub(crate) fn confirmation(tuning: &TuneAnswer) -> String {
    if !tuning.failed_on.is_empty() {
        return format!(
            "Not confirmed: the defaults or the best values failed on {}, which took no part. The defaults are recommended.",
            and(&tuning.failed_on)
        );
    }
    let Some(held) = &tuning.held_out else {
        return "Not confirmed: no image was held out, so that nothing is known of other images.".into();
    };
    let slides = held.slides.len();
    let (best, default) = metric_pair(held.best, held.default);
    let of = format!(
        "on {} that took no part it is {default} with the defaults and {best} with these values",
        counted(slides, "slide")
    );
    match (tuning.verdict(), held.ends) {
        (TuneVerdict::Confirmed, Some(ends)) => format!("Confirmed: {of}, {}.", interval(held, ends)),
        (TuneVerdict::NoGain, Some(ends)) => format!(
            "No gain is confirmed: {of}, {}. The interval holds 0: the defaults are recommended.",
            interval(held, ends)
        ),
        (TuneVerdict::Loss, Some(ends)) => format!(
            "A loss is confirmed: {of}, {}. The whole interval lies below 0: the defaults are recommended.",
            interval(held, ends)
        ),
        _ => format!("Not confirmed: {of}, but an interval needs at least three slides."),
    }
}

/// How often values that other slides gave are better than the defaults.
pub(crate) fn left_out(tuning: &TuneAnswer) -> String {
    let better = |(default, best): (f64, f64)| {
        if tuning.maximize.first().copied().unwrap_or(true) { best > default } else { best < default }
    };
    let good = tuning.left_out.iter().filter(|slide| slide.found.is_some_and(better)).count();
    format!(
        "Each slide left out once and tuned on the others: better than the defaults on {good} of {}.",
        counted(tuning.left_out.len(), "slide")
    )
}

fn interval(held: &HeldOutGain, (low, high): (f64, f64)) -> String {
    format!(
        "a gain of {} ({} to {} at {} %, over slides)",
        metric_text(held.gain),
        metric_text(low),
        metric_text(high),
        (held.confidence * 100.0).round()
    )
}

impl TuneAnswer {
    /// Reasons to doubt the values, in whole sentences, what weighs most first.
    pub fn doubts(&self) -> Vec<String> {
        let mut doubts = Vec::new();
        if !self.ends.is_empty() {
            let names: Vec<String> =
                self.ends.iter().map(|end| format!("{} {}", end.parameter, end.value)).collect();
            let is =
                if self.ends.len() == 1 { "is the end of its range" } else { "are ends of their ranges" };
            let lines: Vec<&str> = self.ends.iter().filter_map(|end| end.wider.as_deref()).collect();
            let to_do = match lines.as_slice() {
                [] => "widen in the study to see".to_owned(),
                lines => format!("to see, write in the study: {}", lines.join("; ")),
            };
            doubts.push(format!("{} {is}: better values may lie beyond; {to_do}.", and(&names)));
        }
        if self.untried > 0 {
            doubts.push(format!(
                "Not all values beside the best row were tried: the search was short of {}.",
                counted(self.untried, "evaluation")
            ));
        }
        doubts.extend(self.warnings.iter().cloned());
        doubts
    }
}
