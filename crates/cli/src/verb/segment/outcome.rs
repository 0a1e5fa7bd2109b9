//! The figures of a segmentation as text and JSON.

use onceflow_engine::{NucleiParameters, Segmented, Tiling};
use onceflow_kernels::nuclei::SegmentationStatus;
use onceflow_region::ImageInfo;
use onceflow_study::{Value, with_commas};
use serde_json::json;

/// The figures of a segmentation.
pub(super) struct SegmentOutcome {
    pub(super) status: SegmentationStatus,
    word: &'static str,
    objects: u64,
    foreground: u64,
    width: u64,
    height: u64,
    tile: Option<usize>,
}

impl SegmentOutcome {
    pub(super) fn new(found: &Segmented, info: &ImageInfo, tiling: Option<&Tiling>) -> Self {
        let (status, word) = (found.status, found.status_word());
        let (objects, foreground, tile) = (found.objects, found.foreground, tiling.map(Tiling::tile));
        Self { status, word, objects, foreground, width: info.width, height: info.height, tile }
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
        object
    }

    pub(super) fn to_text(&self) -> String {
        let pixels = u128::from(self.width) * u128::from(self.height);
        let percent = 100.0 * self.foreground as f64 / pixels as f64;
        format!(
            "status      {}\nnuclei      {}\nforeground  {} of {} pixels ({percent:.1} %)\n",
            self.word,
            with_commas(u128::from(self.objects)),
            with_commas(u128::from(self.foreground)),
            with_commas(pixels),
        )
    }
}
