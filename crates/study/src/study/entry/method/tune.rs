//! The keys of a phase that tunes.

use std::time::Duration;

use super::super::at_least;
use crate::located::{LocatedNode, TableReader};
use crate::{HoldOut, TuneBound, TuneDesign, TuneMethod, TuneOver};

/// Reads them; every one has a default.
pub(super) fn design(fields: &mut TableReader<'_, '_>) -> TuneDesign {
    let usual = TuneDesign::default();
    TuneDesign {
        evaluations: at_least(fields, "evaluations", 2).unwrap_or(usual.evaluations),
        tuner: fields.word("tuner", &TuneMethod::WORDS).unwrap_or_default(),
        metrics: metrics(fields),
        over: fields.word("over", &TuneOver::WORDS).unwrap_or_default(),
        hold_out: hold_out(fields),
        batch: at_least(fields, "batch", 1).unwrap_or(usual.batch),
        time: time(fields),
        cost: cost(fields),
        leave_one_out: fields.optional("leave_one_out").unwrap_or_default(),
        yardstick: at_least(fields, "yardstick", 1).unwrap_or_default(),
    }
}

/// One name or a list of names.
fn metrics(fields: &mut TableReader<'_, '_>) -> Vec<String> {
    let is_list = fields.table().get("metric").is_some_and(|node| node.as_list().is_some());
    if is_list {
        return fields.parsed("metric", check_names).unwrap_or_default();
    }
    fields.optional("metric").into_iter().collect()
}

fn check_names(names: Vec<String>) -> Result<Vec<String>, String> {
    if names.is_empty() { Err("at least one metric".into()) } else { Ok(names) }
}

/// A share of the slides, or the names of those that are held out.
fn hold_out(fields: &mut TableReader<'_, '_>) -> HoldOut {
    let is_list = fields.table().get("hold_out").is_some_and(|node: &LocatedNode| node.as_list().is_some());
    if is_list {
        return fields.parsed("hold_out", |names: Vec<String>| Ok(HoldOut::Names(names))).unwrap_or_default();
    }
    fields.parsed("hold_out", check_share).unwrap_or_default()
}

fn check_share(share: f64) -> Result<HoldOut, String> {
    let fits = (0.0..=0.9).contains(&share);
    if fits {
        Ok(HoldOut::Share(share))
    } else {
        Err("a share of the slides from 0 to 0.9, or a list of names of slides, patients or images".into())
    }
}

fn time(fields: &mut TableReader<'_, '_>) -> Option<Duration> {
    fields.parsed("time", |text: String| match TuneBound::parse(&text) {
        Ok(TuneBound::Time(time)) => Ok(time),
        _ => Err("a time such as \"2 h\"; the key `evaluations` bounds rows".into()),
    })
}

fn cost(fields: &mut TableReader<'_, '_>) -> Option<Duration> {
    fields.parsed("cost", |text: String| match TuneBound::parse(&text) {
        Ok(TuneBound::Cost(time)) => Ok(time),
        _ => Err("a time of tasks such as \"4 core-h\"; the key `time` bounds the time of the clock".into()),
    })
}
