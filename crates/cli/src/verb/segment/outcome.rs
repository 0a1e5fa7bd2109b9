//! The figures of a segmentation as text and JSON.

use onceflow_engine::{NucleiParameters, Segmented, Tiling};
use onceflow_kernels::compare::{ComparisonCounts, MetricKind};
use onceflow_kernels::nuclei::SegmentationStatus;
use onceflow_region::ImageInfo;
use onceflow_study::{Value, with_commas};
use serde_json::json;

use crate::agreement::fields;

/// The figures of a segmentation.
pub(super) struct SegmentOutcome {
    pub(super) status: SegmentationStatus,
    word: &'static str,
    objects: u64,
    foreground: u64,
    width: u64,
    height: u64,
    tile: Option<usize>,
    /// Counts against the truth, where there is one.
    pub(super) agreement: Option<ComparisonCounts>,
}

impl SegmentOutcome {
    pub(super) fn new(found: &Segmented, info: &ImageInfo, tiling: Option<&Tiling>) -> Self {
        let (status, word) = (found.status, found.status_word());
        let (objects, foreground, tile) = (found.objects, found.foreground, tiling.map(Tiling::tile));
        Self {
            status,
            word,
            objects,
            foreground,
            width: info.width,
            height: info.height,
            tile,
            agreement: None,
        }
    }

    pub(super) fn to_json(&self, normalized: bool, parameters: &NucleiParameters) -> serde_json::Value {
        let value = |value: &Value| match value {
            Value::Integer(number) => json!(number),
            Value::Real(number) => json!(number),
            Value::Text(word) => json!(word),
        };
        let values = parameters.values().map(|(name, of)| (name.to_owned(), value(of)));
        let mut object = json!({
            "version": 1,
            "status": self.word,
            "objects": self.objects,
            "foreground": self.foreground,
            "width": self.width,
            "height": self.height,
            "normalized": normalized,
            "parameters": values.collect::<serde_json::Map<_, _>>(),
        });
        if let Some(tile) = self.tile {
            object["tile"] = json!(tile);
        }
        for (name, value) in self.agreement.iter().flat_map(fields) {
            object[name] = value;
        }
        object
    }

    pub(super) fn to_text(&self) -> String {
        let pixels = u128::from(self.width) * u128::from(self.height);
        let percent = 100.0 * self.foreground as f64 / pixels as f64;
        let found = format!(
            "status      {}\nnuclei      {}\nforeground  {} of {} pixels ({percent:.1} %)\n",
            self.word,
            with_commas(u128::from(self.objects)),
            with_commas(u128::from(self.foreground)),
            with_commas(pixels),
        );
        found + &self.agreement.as_ref().map_or_else(String::new, agreement_text)
    }
}

/// The measures against the truth.
fn agreement_text(counts: &ComparisonCounts) -> String {
    let measure = |word: &str, kind: MetricKind| match kind.value(counts, None) {
        Some(value) => format!("{word:<12}{value:.4}\n"),
        None => format!("{word:<12}-\n"),
    };
    let truth = with_commas(u128::from(counts.reference_objects));
    let matched = with_commas(u128::from(counts.matched));
    measure("dice", MetricKind::Dice)
        + &measure("object_f1", MetricKind::ObjectF1)
        + &measure("panoptic", MetricKind::PanopticQuality)
        + &format!("truth       {truth} nuclei, {matched} matched\n")
}
