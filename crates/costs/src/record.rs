//! One finished task as a line of JSON.

use std::borrow::Cow;

use serde::de::IgnoredAny;
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value, json};

/// What one task cost.
#[derive(Clone, Debug, PartialEq)]
pub struct Record {
    /// The operation's id.
    pub operation: String,
    /// The operation's version.
    pub version: u64,
    /// Where it ran, as the machine calls itself.
    pub device: String,
    /// Pixels of its part or image, at least one.
    pub pixels: u64,
    /// How long it took, not negative.
    pub seconds: f64,
    /// Bytes of what it made.
    pub output_bytes: u64,
    /// Most bytes it had besides while it ran; 0 when they were not measured.
    pub scratch_bytes: u64,
    /// The level of reuse of its run, in the word of the command line; nothing in older lines, which did not say it.
    pub reuse: Option<String>,
}

/// Why a text or value is no record.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RecordError {
    /// The text is not JSON.
    #[error("expected a line of JSON, found something else ({0}); leave the line out")]
    NotJson(String),
    /// The JSON is a list, a number, ...
    #[error("expected a JSON object, found {0}; leave the line out")]
    NotAnObject(&'static str),
    /// A field is not there or holds something else.
    #[error("`{field}`: expected {expected}, found {found}; leave the line out")]
    Field {
        /// The field's name.
        field: &'static str,
        /// What it should hold.
        expected: &'static str,
        /// What it holds.
        found: String,
    },
}

impl Record {
    /// The record as one line, without its end.
    pub fn to_line(&self) -> String {
        let mut line = json!({
            "operation": self.operation, "version": self.version, "device": self.device,
            "pixels": self.pixels, "seconds": self.seconds, "output_bytes": self.output_bytes,
        });
        if self.scratch_bytes > 0 {
            line["scratch_bytes"] = self.scratch_bytes.into();
        }
        if let Some(level) = &self.reuse {
            line["reuse"] = level.as_str().into();
        }
        line.to_string()
    }

    /// Reads one line. Fields that it does not know are left alone: a later version may write more.
    pub fn parse_line(line: &str) -> Result<Self, RecordError> {
        match Plain::read(line) {
            Some(record) => Ok(record),
            None => Self::parse_any(line),
        }
    }

    /// The same of any line, which says what is wrong with it.
    fn parse_any(line: &str) -> Result<Self, RecordError> {
        let value: Value =
            serde_json::from_str(line).map_err(|error| RecordError::NotJson(error.to_string()))?;
        let Value::Object(fields) = value else { return Err(RecordError::NotAnObject(kind(&value))) };
        Self::read(&RecordFields(&fields))
    }

    pub(crate) fn read(fields: &RecordFields<'_>) -> Result<Self, RecordError> {
        let record = Self {
            operation: fields.text("operation")?,
            version: fields.whole("version")?,
            device: fields.text("device")?,
            pixels: fields.whole("pixels")?,
            seconds: fields.number("seconds")?,
            output_bytes: fields.whole("output_bytes")?,
            scratch_bytes: fields.whole_or_none("scratch_bytes")?,
            reuse: fields.text_or_none("reuse")?,
        };
        record.check()?;
        Ok(record)
    }

    /// Whether its numbers can be: at least one pixel, and a time that is finite and not negative.
    pub fn check(&self) -> Result<(), RecordError> {
        if self.pixels == 0 {
            return Err(RecordError::Field { field: "pixels", expected: "at least 1", found: "0".into() });
        }
        if !(self.seconds.is_finite() && self.seconds >= 0.0) {
            let found = self.seconds.to_string();
            return Err(RecordError::Field { field: "seconds", expected: "a time from 0 on", found });
        }
        Ok(())
    }
}

/// A line as almost all are, read without a tree of its values: files have many thousands of them, and nothing runs before
/// they are read.
#[derive(Deserialize)]
pub(crate) struct Plain<'l> {
    #[serde(borrow)]
    operation: Cow<'l, str>,
    version: u64,
    #[serde(borrow)]
    device: Cow<'l, str>,
    pixels: u64,
    seconds: f64,
    output_bytes: u64,
    #[serde(default)]
    scratch_bytes: u64,
    #[serde(default, borrow, deserialize_with = "there")]
    reuse: Option<Cow<'l, str>>,
    /// Whether it is no record.
    #[serde(default, deserialize_with = "is_there")]
    met: bool,
}

/// A field that is there holds something.
fn there<'de: 'l, 'l, D: Deserializer<'de>>(from: D) -> Result<Option<Cow<'l, str>>, D::Error> {
    Cow::deserialize(from).map(Some)
}

/// Whatever it holds.
fn is_there<'de, D: Deserializer<'de>>(from: D) -> Result<bool, D::Error> {
    IgnoredAny::deserialize(from).map(|_| true)
}

impl Plain<'_> {
    /// The record, if that is all there is to the line.
    pub(crate) fn read(line: &str) -> Option<Record> {
        let plain = serde_json::from_str(line).ok().filter(|plain: &Plain<'_>| !plain.met)?;
        let record = Record {
            operation: plain.operation.into_owned(),
            version: plain.version,
            device: plain.device.into_owned(),
            pixels: plain.pixels,
            seconds: plain.seconds,
            output_bytes: plain.output_bytes,
            scratch_bytes: plain.scratch_bytes,
            reuse: plain.reuse.map(Cow::into_owned),
        };
        record.check().is_ok().then_some(record)
    }
}

/// The fields of a line.
pub(crate) struct RecordFields<'l>(pub(crate) &'l Map<String, Value>);

impl RecordFields<'_> {
    pub(crate) fn text(&self, field: &'static str) -> Result<String, RecordError> {
        self.get(field, "a text", |value| value.as_str().map(str::to_owned))
    }

    pub(crate) fn whole(&self, field: &'static str) -> Result<u64, RecordError> {
        self.get(field, "a whole number from 0 on", Value::as_u64)
    }

    /// A field that older lines do not have.
    fn whole_or_none(&self, field: &'static str) -> Result<u64, RecordError> {
        if self.0.contains_key(field) { self.whole(field) } else { Ok(0) }
    }

    /// The same of a text.
    fn text_or_none(&self, field: &'static str) -> Result<Option<String>, RecordError> {
        self.0.contains_key(field).then(|| self.text(field)).transpose()
    }

    pub(crate) fn number(&self, field: &'static str) -> Result<f64, RecordError> {
        self.get(field, "a number", Value::as_f64)
    }

    fn get<T>(
        &self,
        field: &'static str,
        expected: &'static str,
        read: impl Fn(&Value) -> Option<T>,
    ) -> Result<T, RecordError> {
        let value = self.0.get(field);
        value.and_then(read).ok_or_else(|| {
            let found = value.map_or_else(|| "nothing".to_owned(), shown);
            RecordError::Field { field, expected, found }
        })
    }
}

/// Longer values are not repeated in a message.
const MOST_SHOWN: usize = 40;

fn shown(value: &Value) -> String {
    match value {
        Value::Number(number) => number.to_string(),
        Value::String(text) if text.chars().count() <= MOST_SHOWN => format!("\"{text}\""),
        _ => kind(value).to_owned(),
    }
}

pub(crate) fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const LINE: &str = r#"{"operation":"nuclei.grow","version":1,"device":"cpu","pixels":1000000,"seconds":0.25,"output_bytes":7}"#;

    #[test]
    fn a_line_reads_back_and_unknown_fields_are_left_alone() {
        let record = Record::parse_line(LINE).unwrap();
        assert_eq!(record.to_line(), LINE);
        let more = LINE.replace('}', r#","joules":3}"#);
        assert_eq!(Record::parse_line(&more).unwrap(), record);
        assert_eq!(record.scratch_bytes, 0, "older lines do not have it");
        let scratch = LINE.replace('}', r#","scratch_bytes":5}"#);
        assert_eq!(Record::parse_line(&scratch).unwrap(), Record { scratch_bytes: 5, ..record });
        assert!(Record::parse_line(&scratch.replace(":5}", ":-5}")).is_err());
        let level = LINE.replace('}', r#","reuse":"dataflow"}"#);
        let record = Record::parse_line(&level).unwrap();
        assert_eq!(record.reuse.as_deref(), Some("dataflow"));
        assert!(record.to_line().contains(r#""reuse":"dataflow""#));
        assert!(Record::parse_line(&level.replace("\"dataflow\"", "4")).is_err());
        for odd in [
            r#","reuse":null}"#,
            r#","scratch_bytes":null}"#,
            r#","met":1}"#,
            r#","met":null}"#,
            r#","pixels":3}"#,
        ] {
            let line = LINE.replace('}', odd);
            assert_eq!(Record::parse_line(&line), Record::parse_any(&line), "{odd}");
        }
    }

    #[test]
    fn a_malformed_line_says_what_is_wrong_with_it() {
        let said = |line: &str| Record::parse_line(line).unwrap_err().to_string();
        let with = |from: &str, to: &str| said(&LINE.replace(from, to));
        assert!(said(&LINE[..40]).starts_with("expected a line of JSON, found something else (EOF"));
        assert_eq!(said("[1]"), "expected a JSON object, found a list; leave the line out");
        assert_eq!(
            with(r#""pixels":1000000,"#, ""),
            "`pixels`: expected a whole number from 0 on, found nothing; leave the line out"
        );
        assert_eq!(with("1000000", "0"), "`pixels`: expected at least 1, found 0; leave the line out");
        assert_eq!(with("0.25", "-1"), "`seconds`: expected a time from 0 on, found -1; leave the line out");
        assert_eq!(
            with("0.25", "\"1 s\""),
            "`seconds`: expected a number, found \"1 s\"; leave the line out"
        );
        assert_eq!(
            with("\"version\":1", "\"version\":1.5"),
            "`version`: expected a whole number from 0 on, found 1.5; leave the line out"
        );
    }

    proptest! {
        #[test]
        fn any_record_reads_back(
            operation in ".*", device in ".*", version: u64, pixels in 1u64.., seconds in 0.0f64..1e300, output_bytes: u64, scratch_bytes: u64,
            reuse in proptest::option::of(".*"),
        ) {
            let record = Record { operation, version, device, pixels, seconds, output_bytes, scratch_bytes, reuse };
            prop_assert_eq!(Record::parse_line(&record.to_line()), Ok(record));
        }

        #[test]
        fn no_text_does_harm(cut in 0usize..110, insert in ".{0,3}", line in ".*") {
            let _ = Record::parse_line(&line);
            let cut = cut.min(LINE.len());
            for line in [format!("{}{insert}{}", &LINE[..cut], &LINE[cut..]), LINE[..cut].to_owned()] {
                prop_assert_eq!(Record::parse_line(&line), Record::parse_any(&line));
            }
        }
    }
}
