//! The best row, in sentences.

use onceflow_study::Against;

use super::tuning::tuned;
use super::{and, capital, metric_pair, metric_text};
use crate::{Answer, BestRow};

/// Whether better values than the defaults exist.
pub(crate) fn better(answer: &Answer) -> String {
    if let Some(tuning) = &answer.tuning {
        return tuned(tuning);
    }
    let Some(metric) = answer.metrics.first() else { return String::new() };
    let name = metric.name.as_str();
    let found = answer.best.as_ref().and_then(|best| Some((best, answer.table.rows.get(best.row)?.row)));
    let Some((best, row)) = found else {
        return match metric.against {
            Against::Default => format!("{name} compares with the defaults, so no row can be called best."),
            Against::Nothing => {
                format!("No value of {name} is better than another, so no row can be called best.")
            }
            Against::Truth => format!("No row can be called best by {name}."),
        };
    };
    match best.default {
        _ if best.changes.is_empty() => {
            format!("No row does better than the defaults: {name} is {} with them.", metric_text(best.value))
        }
        Some(default) => {
            let (value, default) = metric_pair(best.value, default);
            let name = capital(name);
            format!(
                "Better values exist. {name} is {default} with the defaults and {value} in the best row seen, number {row}:"
            )
        }
        None => {
            format!("{} is {} in the best row seen, number {row}:", capital(name), metric_text(best.value))
        }
    }
}

/// `G1 80 → 40`, one for each value that is proposed, and `keep G2 at 8` for influential parameters whose default is best.
pub(crate) fn values(best: &BestRow) -> Vec<String> {
    let kept = best.kept.iter().map(|(name, value)| format!("keep {name} at {value}"));
    best.proposed_changes()
        .iter()
        .map(|change| format!("{} {} → {}", change.parameter, change.from, change.to))
        .chain(kept)
        .collect()
}

/// What is proposed where that is not the best row itself: `With minSize at its default, which has no influence, dice is
/// 0.894.`
pub(crate) fn proposed(answer: &Answer) -> Option<String> {
    let best = answer.best.as_ref()?;
    let (proposed, metric) = (best.proposed.as_ref()?, answer.metrics.first()?);
    let (names, many) = (and(&best.without_influence), best.without_influence.len() > 1);
    let (defaults, have) = if many { ("their defaults", "have") } else { ("its default", "has") };
    let value = metric_text(proposed.value);
    Some(format!(
        "Proposed: {names} at {defaults}, which {have} no influence; {} is {value} then.",
        metric.name
    ))
}
