//! Values out of untrusted metadata: an error says which value is missing or of another kind, and what was found.

use onceflow_region::SourceError;
use serde_json::Value;

/// What is wrong in a file: what was expected there, and what was found.
#[derive(Debug, Clone, PartialEq)]
pub struct BadMetadata {
    expected: String,
    found: String,
}

impl BadMetadata {
    /// What was expected, and what was found.
    pub fn new(expected: impl Into<String>, found: impl Into<String>) -> BadMetadata {
        BadMetadata { expected: expected.into(), found: found.into() }
    }

    /// The error about a file.
    pub fn in_file(self, name: &str) -> SourceError {
        SourceError::content(
            name,
            &self.expected,
            self.found,
            "check what wrote it, or convert the image to TIFF",
        )
    }
}

/// The most bytes of a metadata file.
pub const METADATA_LIMIT: u64 = 16 << 20;

/// The JSON object of a file.
///
/// # Errors
/// When the bytes are not a JSON object.
pub fn parse(bytes: &[u8]) -> Result<Value, BadMetadata> {
    let value: Value =
        serde_json::from_slice(bytes).map_err(|error| BadMetadata::new("JSON", error.to_string()))?;
    if value.is_object() { Ok(value) } else { Err(wrong("a JSON object", Some(&value))) }
}

/// The text under a name.
///
/// # Errors
/// When there is no such value.
pub fn text<'a>(value: &'a Value, key: &str) -> Result<&'a str, BadMetadata> {
    let found = value.get(key);
    found.and_then(Value::as_str).ok_or_else(|| wrong(&format!("{key} as a text"), found))
}

/// The list under a name.
///
/// # Errors
/// When there is no such value.
pub fn list<'a>(value: &'a Value, key: &str) -> Result<&'a [Value], BadMetadata> {
    let found = value.get(key);
    let list = found.and_then(Value::as_array).map(Vec::as_slice);
    list.ok_or_else(|| wrong(&format!("{key} as a list"), found))
}

/// The whole numbers under a name, as many as there are axes.
///
/// # Errors
/// When there is no such value.
pub fn numbers(value: &Value, key: &str, rank: Option<usize>) -> Result<Vec<u64>, BadMetadata> {
    let numbers: Option<Vec<u64>> = list(value, key)?.iter().map(Value::as_u64).collect();
    let fits = |numbers: &Vec<u64>| rank.is_none_or(|rank| rank == numbers.len());
    let expected = match rank {
        Some(rank) => format!("{key} as a list of {rank} whole numbers"),
        None => format!("{key} as a list of whole numbers"),
    };
    numbers.filter(fits).ok_or_else(|| wrong(&expected, value.get(key)))
}

/// The error about a value, of which only the beginning is shown.
pub fn wrong(expected: &str, found: Option<&Value>) -> BadMetadata {
    let found = found.map_or_else(|| "nothing".to_owned(), Value::to_string);
    let short: String = found.chars().take(SHOWN).collect();
    BadMetadata::new(expected, if short == found { found } else { format!("{short}...") })
}

/// How many letters of a value are shown.
const SHOWN: usize = 80;
