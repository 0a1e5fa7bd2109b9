//! How far a result agrees with what was drawn, as columns of a table.

use onceflow_kernels::compare::{ComparisonCounts, MetricKind};
use serde_json::json;

use crate::many::ImageFields;

/// The measures that a table shows; those of `compare` are more.
const MEASURES: [MetricKind; 3] = [MetricKind::Dice, MetricKind::ObjectF1, MetricKind::PanopticQuality];

/// Columns of a comparison.
pub(crate) const AGREEMENT: [&str; 6] =
    ["dice", "object_f1", "panoptic_quality", "objects", "reference_objects", "matched"];

/// The columns of counts: of one image, or of the sum over several.
pub(crate) fn fields(counts: &ComparisonCounts) -> ImageFields {
    let measures = MEASURES.map(|measure| (measure.word().to_owned(), json!(measure.value(counts, None))));
    let numbers = [
        ("objects", counts.objects),
        ("reference_objects", counts.reference_objects),
        ("matched", counts.matched),
    ];
    let numbers = numbers.map(|(name, count)| (name.to_owned(), json!(count)));
    measures.into_iter().chain(numbers).collect()
}
