//! The outcomes of all images as a table.

use onceflow_study::{Diagnostic, counted};
use onceflow_terminal::diagnostics_to_json;
use serde_json::{Value, json};

use super::{ImageFields, ImageOutcome};

/// The outcomes and their columns.
pub(super) struct ImagesSummary<'a> {
    pub(super) ended: &'a [ImageOutcome],
    /// The columns of an image without error, in this order.
    pub(super) columns: &'static [&'static str],
    /// The columns of all images together, where they have such.
    pub(super) overall: Option<ImageFields>,
}

impl ImagesSummary<'_> {
    pub(super) fn to_json(&self) -> Value {
        let image = |ended: &ImageOutcome| match &ended.result {
            Ok(said) => {
                let mut object = json!({ "image": ended.image });
                said.iter().for_each(|(key, value)| object[key.as_str()] = value.clone());
                object
            }
            Err(messages) => json!({
                "image": ended.image,
                "status": "failed",
                "diagnostics": diagnostics_to_json(messages),
            }),
        };
        let images: Vec<Value> = self.ended.iter().map(image).collect();
        let mut object = json!({ "version": 1, "images": images, "failed": self.failed() });
        if let Some(overall) = &self.overall {
            object["overall"] = Value::Object(overall.clone());
        }
        object
    }

    pub(super) fn to_csv(&self) -> String {
        let head = ["image"].into_iter().chain(self.columns.iter().copied()).chain(["error"]);
        let mut lines = vec![head.map(str::to_owned).collect::<Vec<_>>()];
        lines.extend(self.ended.iter().map(|ended| self.row(ended)));
        let line =
            |fields: &Vec<String>| fields.iter().map(|field| quoted(field)).collect::<Vec<_>>().join(",");
        lines.iter().map(line).collect::<Vec<_>>().join("\n") + "\n"
    }

    /// The image, its columns, and its error.
    fn row(&self, ended: &ImageOutcome) -> Vec<String> {
        let field = |column: &&str| match &ended.result {
            Ok(said) => said.get(*column).map_or_else(String::new, plain),
            Err(_) if *column == "status" => "failed".into(),
            Err(_) => String::new(),
        };
        let error = ended.result.as_ref().err().map_or_else(String::new, |messages| words(messages));
        let columns = self.columns.iter().map(field);
        [ended.image.clone()].into_iter().chain(columns).chain([error]).collect()
    }

    /// The same for people: shares have four digits, an image that failed says so.
    fn shown(&self, image: String, said: Option<&ImageFields>) -> Vec<String> {
        let field = |column: &&str| match said {
            Some(said) => said.get(*column).map_or_else(String::new, short),
            None if *column == self.columns[0] => "failed".into(),
            None => String::new(),
        };
        std::iter::once(image).chain(self.columns.iter().map(field)).collect()
    }

    pub(super) fn to_text(&self) -> String {
        let head = ["image"].into_iter().chain(self.columns.iter().copied()).map(str::to_owned).collect();
        let mut rows: Vec<Vec<String>> = vec![head];
        rows.extend(
            self.ended.iter().map(|ended| self.shown(ended.image.clone(), ended.result.as_ref().ok())),
        );
        let overall = self.overall.as_ref().map(|overall| self.shown("overall".into(), Some(overall)));
        rows.extend(overall);
        let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
        let widths: Vec<usize> = (0..=self.columns.len()).map(width).collect();
        let mut text = String::new();
        for row in &rows {
            let fields = row.iter().zip(&widths).enumerate().map(|(at, (field, width))| match at {
                // Names and words begin at the left, numbers end at the right.
                0 | 1 => format!("{field:<width$}"),
                _ => format!("{field:>width$}"),
            });
            text.push_str(fields.collect::<Vec<_>>().join("  ").trim_end());
            text.push('\n');
        }
        text + &format!("{}, {} failed\n", counted(self.ended.len(), "image"), self.failed())
    }

    fn failed(&self) -> usize {
        self.ended.iter().filter(|ended| ended.result.is_err()).count()
    }
}

fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Null => String::new(),
        other => other.to_string(),
    }
}

/// A value in a few digits.
fn short(value: &Value) -> String {
    match value {
        Value::Number(number) if number.is_f64() => {
            number.as_f64().map_or_else(String::new, |number| format!("{number:.4}"))
        }
        Value::Null => "-".into(),
        other => plain(other),
    }
}

/// The first message in one line.
fn words(messages: &[Diagnostic]) -> String {
    messages.first().map_or_else(String::new, |message| message.to_string().replace('\n', " "))
}

/// A field of a table, in quotes where it needs them.
fn quoted(field: &str) -> String {
    if field.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", field.replace('"', "\"\""))
    } else {
        field.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_with_commas_are_quoted() {
        let said = json!({ "status": "ok", "objects": 7, "more": 1 }).as_object().cloned().unwrap();
        let wrong = Diagnostic::error("no \"image\"").expected_found("one, at least", "none");
        let ended = [
            ImageOutcome { image: "a,b.png".into(), result: Ok(said) },
            ImageOutcome { image: "c.png".into(), result: Err(vec![wrong]) },
        ];
        let summary = ImagesSummary { ended: &ended, columns: &["status", "objects"], overall: None };
        assert_eq!(
            summary.to_csv(),
            "image,status,objects,error\n\"a,b.png\",ok,7,\nc.png,failed,,\"error: no \"\"image\"\"; expected one, at least, found none\"\n"
        );
        assert_eq!(summary.to_json()["failed"], 1);
        assert_eq!(summary.to_json()["images"][0]["more"], 1);
        assert!(summary.to_text().ends_with("2 images, 1 failed\n"));
    }
}
