//! Measurements as CSV and JSON.

use serde_json::{Map, Value, json};

use super::database::{PerformanceDatabase, PerformanceRecord};
use super::error::ScalingError;

/// The columns, in order.
const COLUMNS: [&str; 9] = ["task", "machine", "size", "nodes", "device", "seconds", "memory", "when", "run"];

impl PerformanceDatabase {
    /// Reads CSV with a header, in which columns may stand in any order; `memory`, `when`, `run`, `machine` and `device` may
    /// be left out.
    ///
    /// # Errors
    /// At the first line that is no measurement.
    pub fn from_csv(text: &str) -> Result<Self, ScalingError> {
        let mut reader = csv::ReaderBuilder::new().trim(csv::Trim::All).from_reader(text.as_bytes());
        let header = reader.headers().map_err(|error| no_csv(&error))?.clone();
        let missing =
            ["task", "size", "nodes", "seconds"].into_iter().find(|name| !header.iter().any(|h| h == *name));
        if let Some(name) = missing {
            return Err(wrong(
                1,
                &format!("a header with the column `{name}`"),
                header.iter().collect::<Vec<_>>().join(","),
            ));
        }
        let mut database = Self::default();
        for row in reader.records() {
            let row = row.map_err(|error| no_csv(&error))?;
            let line = row.position().map_or(1, |place| place.line() as usize);
            let field = |name: &str| {
                let at = header.iter().position(|column| column == name)?;
                row.get(at).filter(|text| !text.is_empty())
            };
            database.push(line, &field)?;
        }
        Ok(database)
    }

    /// Reads `{"version": 1, "records": [...]}`, or the list alone.
    ///
    /// # Errors
    /// When it is no JSON, or at the first entry that is no measurement (counted as lines).
    pub fn from_json(text: &str) -> Result<Self, ScalingError> {
        let root: Value =
            serde_json::from_str(text).map_err(|error| wrong(error.line(), "JSON", error.to_string()))?;
        let list = root.get("records").unwrap_or(&root);
        let Value::Array(list) = list else {
            return Err(wrong(1, "a list of records", "something else".into()));
        };
        let mut database = Self::default();
        for (place, entry) in list.iter().enumerate() {
            let texts: Map<String, Value> = entry.as_object().cloned().unwrap_or_default();
            let texts: Vec<(String, String)> =
                texts.into_iter().filter_map(|(key, value)| Some((key, plain(value)?))).collect();
            let field = |name: &str| texts.iter().find(|(key, _)| key == name).map(|(_, text)| text.as_str());
            database.push(place + 1, &field)?;
        }
        Ok(database)
    }

    fn push<'t>(&mut self, line: usize, field: &dyn Fn(&str) -> Option<&'t str>) -> Result<(), ScalingError> {
        let text = |name: &str, default: &str| field(name).unwrap_or(default).to_owned();
        let required = |name: &'static str| {
            field(name).ok_or_else(|| wrong(line, &format!("a value of `{name}`"), "none".into()))
        };
        let number = |name: &'static str| -> Result<f64, ScalingError> {
            let text = required(name)?;
            text.parse().map_err(|_| wrong(line, &format!("a number as `{name}`"), format!("`{text}`")))
        };
        let whole = |name: &'static str, text: &str| -> Result<u64, ScalingError> {
            text.parse().map_err(|_| wrong(line, &format!("a whole number as `{name}`"), format!("`{text}`")))
        };
        let record = PerformanceRecord {
            task: required("task")?.to_owned(),
            machine: text("machine", ""),
            size: number("size")?,
            nodes: whole("nodes", required("nodes")?)?,
            device: text("device", "cpu"),
            seconds: number("seconds")?,
            memory: field("memory").map(|text| whole("memory", text)).transpose()?,
            when: text("when", ""),
            run: text("run", ""),
        };
        if let Some((expected, found)) = record.wrong() {
            return Err(wrong(line, expected, found));
        }
        self.add(record)
    }

    /// As CSV with all columns.
    pub fn to_csv(&self) -> String {
        let mut writer = csv::Writer::from_writer(Vec::new());
        // Writing to memory does not fail.
        let _ = writer.write_record(COLUMNS);
        for record in self.records() {
            let memory = record.memory.map_or_else(String::new, |bytes| bytes.to_string());
            let (size, nodes, seconds) =
                (record.size.to_string(), record.nodes.to_string(), record.seconds.to_string());
            let fields: [&str; 9] = [
                &record.task,
                &record.machine,
                &size,
                &nodes,
                &record.device,
                &seconds,
                &memory,
                &record.when,
                &record.run,
            ];
            let _ = writer.write_record(fields);
        }
        writer.into_inner().ok().and_then(|bytes| String::from_utf8(bytes).ok()).unwrap_or_default()
    }

    /// As one JSON object.
    pub fn to_json(&self) -> Value {
        let entry = |record: &PerformanceRecord| {
            json!({
                "task": record.task, "machine": record.machine, "size": record.size, "nodes": record.nodes,
                "device": record.device, "seconds": record.seconds, "memory": record.memory,
                "when": record.when, "run": record.run,
            })
        };
        json!({ "version": 1, "records": self.records().iter().map(entry).collect::<Vec<_>>() })
    }
}

/// A value of JSON as the text that CSV would have.
fn plain(value: Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

fn no_csv(error: &csv::Error) -> ScalingError {
    let line = error.position().map_or(1, |place| place.line() as usize);
    wrong(line, "CSV with a header", error.to_string())
}

fn wrong(line: usize, expected: &str, found: String) -> ScalingError {
    let found = if found.chars().count() > 120 { found.chars().take(120).collect() } else { found };
    ScalingError::Line { line, expected: expected.to_owned(), found }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_wrong_line_is_named() {
        let error = |text: &str| PerformanceDatabase::from_csv(text).unwrap_err().to_string();
        assert_eq!(
            error("task,size,nodes,seconds\nST,10,1,5\nST,10,0,5\n"),
            "line 3: expected nodes from 1 on, found 0"
        );
        assert_eq!(
            error("task,size,nodes\n"),
            "line 1: expected a header with the column `seconds`, found task,size,nodes"
        );
        assert_eq!(
            error("task,size,nodes,seconds\nST,10,1,x\n"),
            "line 2: expected a number as `seconds`, found `x`"
        );
    }

    proptest! {
        #[test]
        fn records_read_back_from_both_forms(
            texts in proptest::collection::vec("[a-z,\" \n]{1,6}", 4), size in 1e-3f64..1e12, nodes in 1u64.., seconds in 1e-6f64..1e9,
            memory in proptest::option::of(any::<u64>()),
        ) {
            let text = |at: usize| format!("x{}x", texts[at]);
            let record = PerformanceRecord {
                task: text(0), machine: text(1), size, nodes, device: text(2), seconds, memory, when: text(3), run: "r".into(),
            };
            let mut database = PerformanceDatabase::default();
            database.add(record).unwrap();
            prop_assert_eq!(PerformanceDatabase::from_csv(&database.to_csv()), Ok(database.clone()));
            prop_assert_eq!(PerformanceDatabase::from_json(&database.to_json().to_string()), Ok(database));
        }

        #[test]
        fn no_text_does_harm(text in ".{0,200}", rows in "(task|size|nodes|seconds|[0-9.,\n-]){0,40}") {
            let _ = PerformanceDatabase::from_csv(&text);
            let _ = PerformanceDatabase::from_csv(&rows);
            let _ = PerformanceDatabase::from_json(&text);
        }
    }
}
