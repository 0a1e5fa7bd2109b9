//! What the best row gains over the defaults, image by image.

use onceflow_study::{counted, with_commas};

use super::element::{paragraph, section, table};
use crate::differs::differing;
use crate::words::{metric_pair, metric_text};
use crate::{Answer, ImageRecord};

/// Images that have a line; the others are in metrics.csv.
const MOST_IMAGES: usize = 50;

/// A line for each image that has the first metric, and what is said of images that behave differently.
pub(super) fn images(answer: &Answer) -> String {
    let lines = lines(answer);
    let said: String = differing(answer).iter().map(|sentence| paragraph(sentence)).collect();
    if lines.is_empty() {
        return if said.is_empty() {
            said
        } else {
            section("gains", "Default and best on each image", &said)
        };
    }
    let metric = answer.metrics.first().map(|metric| metric.name.as_str()).unwrap_or_default();
    let heads = ["image", "default", "best row", "change", "objects, default", "best row", "truth"];
    let caption = format!(
        "{metric} with the defaults and in the best row; objects that were found, and those of the truth"
    );
    let mut body = table(&caption, &heads.map(str::to_owned), &lines[..lines.len().min(MOST_IMAGES)]);
    if lines.len() > MOST_IMAGES {
        let more = counted(lines.len() - MOST_IMAGES, "other image");
        body.push_str(&paragraph(&format!("{more} in metrics.csv.")));
    }
    section("gains", "Default and best on each image", &(body + &said))
}

fn lines(answer: &Answer) -> Vec<Vec<String>> {
    let reference = answer.table.rows.iter().find(|row| row.phase.is_none());
    let best = answer.best.as_ref().filter(|best| !best.changes.is_empty());
    let best = best.and_then(|best| answer.table.rows.get(best.row));
    let Some((reference, best)) = reference.zip(best) else { return Vec::new() };
    let records = reference.images.iter().zip(&best.images).zip(&answer.images);
    let first = |record: &ImageRecord| record.metrics.first().copied().flatten();
    let line = |((default, best), image): ((&ImageRecord, &ImageRecord), &crate::ImageSummary)| {
        let (from, to) = (first(default)?, first(best)?);
        let (from_text, to_text) = metric_pair(from, to);
        let change = metric_text(to - from);
        let change = if to > from { format!("+{change}") } else { change };
        let count = |n: Option<u64>| n.map(|n| with_commas(n.into())).unwrap_or_default();
        let objects = [default.objects, best.objects, image.truth_objects].map(count);
        Some([image.name.clone(), from_text, to_text, change].into_iter().chain(objects).collect())
    };
    records.filter_map(line).collect()
}
