//! A line of the journal: what happened, as JSON behind a checksum, so that a torn or changed line is known as such.

use onceflow_region::{Column, Digest, Region, Table};
use serde::Serialize;
use serde_json::{Value, json};

use super::identity::{ImageIdentity, PartPlaces};

/// What happened.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum JournalLine {
    /// The journal of a run begins: what it is a run of, and the version of the program, which 0.1 did not write.
    Head { identity: String, program: Option<String> },
    /// The images whose parts lines count from here on, each with the number of its parts.
    Images { images: Vec<ImageIdentity> },
    /// A phase begins, with so many rows besides the reference row, of this digest.
    Phase { name: String, rows: usize, digest: String },
    /// A row is done at a part, with these results.
    Done { row: usize, part: usize, status: Option<String>, results: Vec<Table> },
    /// A row failed at a part, in this task and for this reason.
    Failed { row: usize, part: usize, task: String, message: String },
    /// A region of the reference row was kept for later phases, or its stage had ended.
    Saved { name: String, part: usize, file: Option<String> },
    /// A region that the study asks for was kept: the first row that has it, which of those asked for, where, the file.
    Kept { row: usize, place: usize, site: usize, file: String },
    /// A batch of a phase that tunes is over: nanoseconds since the batch before it, and those of its tasks.
    Spent { time: u64, cost: u64 },
}

/// The form of lines.
const VERSION: u64 = 3;

/// The version of the program that began a journal of any form with this line; none when it is no first line.
pub(super) fn begun_by(text: &str) -> Option<String> {
    let head = checked(text)?;
    head.get("journal")?.as_u64()?;
    // Forms before the third do not name it.
    Some(head.get("program").and_then(Value::as_str).unwrap_or("0.1.0").to_owned())
}

/// What stands in a line without its end; none when it was torn or changed.
fn checked(text: &str) -> Option<Value> {
    let (sum, json) = text.split_once(' ')?;
    (sum == checksum(json)).then(|| serde_json::from_str(json).ok()).flatten()
}

impl JournalLine {
    /// The line with its end.
    pub(crate) fn to_text(&self) -> serde_json::Result<String> {
        let json = self.to_json()?;
        Ok(format!("{} {json}\n", checksum(&json)))
    }

    /// The line that a text without its end is; none when it was torn or changed, or is of another version.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        from_json(&checked(text)?)
    }

    /// The row and the part that are over with it.
    pub(crate) fn over(&self) -> Option<(usize, usize)> {
        match self {
            Self::Done { row, part, .. } | Self::Failed { row, part, .. } => Some((*row, *part)),
            _ => None,
        }
    }

    /// Where it stands among the lines of a bucket.
    pub(crate) fn order(&self) -> (u8, usize, usize, usize) {
        match self {
            Self::Head { .. } | Self::Images { .. } | Self::Phase { .. } => (0, 0, 0, 0),
            Self::Saved { part, .. } => (1, 0, *part, 0),
            Self::Spent { .. } => (4, 0, 0, 0),
            Self::Kept { row, place, site, .. } => (2, *row, *site, *place),
            Self::Done { row, part, .. } | Self::Failed { row, part, .. } => (3, *row, *part, 0),
        }
    }

    /// The same line with parts counted as now; none when its part is gone.
    pub(super) fn moved(mut self, places: &PartPlaces) -> Option<Self> {
        match &mut self {
            Self::Done { part, .. } | Self::Failed { part, .. } | Self::Saved { part, .. } => {
                *part = places.get(*part)?;
            }
            Self::Head { .. }
            | Self::Images { .. }
            | Self::Phase { .. }
            | Self::Kept { .. }
            | Self::Spent { .. } => {}
        }
        Some(self)
    }

    /// Whether it names a file of the run's folder, which has the number of a part or image in its name.
    pub(super) fn names_file(&self) -> bool {
        matches!(self, Self::Saved { .. } | Self::Kept { .. })
    }

    fn to_json(&self) -> serde_json::Result<String> {
        let value = match self {
            Self::Head { identity, program } => {
                json!({ "journal": VERSION, "identity": identity, "program": program })
            }
            Self::Images { images } => {
                let images: Vec<Value> = images.iter().map(|i| json!([i.digest, i.parts])).collect();
                json!({ "images": images })
            }
            Self::Phase { name, rows, digest } => {
                json!({ "phase": name, "rows": rows, "digest": digest })
            }
            // Every row has one: it is written as it stands, without a tree of values between.
            Self::Done { row, part, status, results } => {
                let results = results.iter().map(columns).collect();
                let done = DoneRow { row: *row, part: *part, status: status.as_deref(), results };
                return serde_json::to_string(&done);
            }
            Self::Failed { row, part, task, message } => {
                json!({ "row": row, "part": part, "task": task, "message": message })
            }
            Self::Saved { name, part, file } => json!({ "saved": name, "part": part, "file": file }),
            Self::Kept { row, place, site, file } => {
                json!({ "kept": place, "row": row, "site": site, "file": file })
            }
            Self::Spent { time, cost } => json!({ "spent": [time, cost] }),
        };
        Ok(value.to_string())
    }
}

/// The tables of a row's results; none when one is something else.
pub(crate) fn tables<'a>(results: impl IntoIterator<Item = &'a Region>) -> Option<Vec<Table>> {
    results.into_iter().map(|region| region.as_table().cloned()).collect()
}

fn checksum(json: &str) -> String {
    let Digest([a, b, c, d, e, f, g, h, ..]) = Digest::of_text("onceflow journal line v1", json);
    format!("{:016x}", u64::from_be_bytes([a, b, c, d, e, f, g, h]))
}

fn from_json(value: &Value) -> Option<JournalLine> {
    let number = |name: &str| value.get(name)?.as_u64().and_then(|n| usize::try_from(n).ok());
    let text = |name: &str| Some(value.get(name)?.as_str()?.to_owned());
    if let Some(version) = value.get("journal") {
        return (version.as_u64()? == VERSION).then(|| {
            text("identity").map(|identity| JournalLine::Head { identity, program: text("program") })
        })?;
    }
    if let Some(images) = value.get("images") {
        let image = |value: &Value| {
            let parts = value.get(1)?.as_u64().and_then(|parts| usize::try_from(parts).ok())?;
            Some(ImageIdentity { digest: value.get(0)?.as_str()?.to_owned(), parts })
        };
        let images = images.as_array()?.iter().map(image).collect::<Option<_>>()?;
        return Some(JournalLine::Images { images });
    }
    if value.get("phase").is_some() {
        return Some(JournalLine::Phase {
            name: text("phase")?,
            rows: number("rows")?,
            digest: text("digest")?,
        });
    }
    if value.get("saved").is_some() {
        return Some(JournalLine::Saved { name: text("saved")?, part: number("part")?, file: text("file") });
    }
    if let Some(spent) = value.get("spent") {
        let of = |place: usize| spent.get(place).and_then(Value::as_u64);
        return Some(JournalLine::Spent { time: of(0)?, cost: of(1)? });
    }
    if let Some(place) = number("kept") {
        return Some(JournalLine::Kept {
            row: number("row")?,
            place,
            site: number("site")?,
            file: text("file")?,
        });
    }
    let (row, part) = (number("row")?, number("part")?);
    if let Some(task) = text("task") {
        return Some(JournalLine::Failed { row, part, task, message: text("message")? });
    }
    let results = value.get("results")?.as_array()?.iter().map(table_from).collect::<Option<_>>()?;
    Some(JournalLine::Done { row, part, status: text("status"), results })
}

/// A row that is done.
#[derive(Serialize)]
struct DoneRow<'a> {
    row: usize,
    part: usize,
    status: Option<&'a str>,
    results: Vec<Vec<Told<'a>>>,
}

/// A column: its name, a letter for its kind, its values; of real numbers the bits, so that none is changed by its decimal
/// form.
#[derive(Serialize)]
struct Told<'a>(&'a str, &'static str, Values<'a>);

#[derive(Serialize)]
#[serde(untagged)]
enum Values<'a> {
    Integer(&'a [i64]),
    Bits(Vec<u64>),
    Text(&'a [String]),
}

fn columns(table: &Table) -> Vec<Told<'_>> {
    table.columns().iter().map(told).collect()
}

fn told((name, column): &(String, Column)) -> Told<'_> {
    match column {
        Column::Integer(values) => Told(name, "i", Values::Integer(values)),
        Column::Real(values) => Told(name, "r", Values::Bits(values.iter().map(|v| v.to_bits()).collect())),
        Column::Text(values) => Told(name, "t", Values::Text(values)),
    }
}

fn table_from(value: &Value) -> Option<Table> {
    let column = |value: &Value| {
        let values = value.get(2)?.as_array()?.iter();
        let column = match value.get(1)?.as_str()? {
            "i" => Column::Integer(values.map(Value::as_i64).collect::<Option<_>>()?),
            "r" => Column::Real(values.map(|v| v.as_u64().map(f64::from_bits)).collect::<Option<_>>()?),
            "t" => Column::Text(values.map(|v| v.as_str().map(str::to_owned)).collect::<Option<_>>()?),
            _ => return None,
        };
        Some((value.get(0)?.as_str()?.to_owned(), column))
    };
    Table::new(value.as_array()?.iter().map(column).collect::<Option<_>>()?).ok()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn lines() -> Vec<JournalLine> {
        let table = Table::new(vec![
            ("pixels".into(), Column::Integer(vec![i64::MIN, 0, i64::MAX])),
            ("sum \"x\"".into(), Column::Text(vec!["340282366920938463463".into(), "\n".into(), "é".into()])),
            ("mean".into(), Column::Real(vec![0.1, -0.0, f64::INFINITY])),
        ]);
        vec![
            JournalLine::Head { identity: "ab".into(), program: Some("1.2.3".into()) },
            JournalLine::Images {
                images: vec![
                    ImageIdentity { digest: "ef".into(), parts: 3 },
                    ImageIdentity { digest: "01".into(), parts: 0 },
                ],
            },
            JournalLine::Phase { name: "screen".into(), rows: 7, digest: "cd".into() },
            JournalLine::Done {
                row: 3,
                part: 1,
                status: Some("background".into()),
                results: vec![table.unwrap()],
            },
            JournalLine::Done { row: 4, part: 0, status: None, results: Vec::new() },
            JournalLine::Failed { row: 5, part: 2, task: "t6".into(), message: "no \t luck\n".into() },
            JournalLine::Saved { name: "nuclei".into(), part: 7, file: None },
            JournalLine::Saved { name: "nuclei".into(), part: 7, file: Some("regions/a.png".into()) },
            JournalLine::Kept { row: 9, place: 0, site: 1, file: "regions/b.png".into() },
            JournalLine::Spent { time: u64::MAX, cost: 0 },
        ]
    }

    #[test]
    fn a_line_comes_back() {
        for line in lines() {
            let text = line.to_text().unwrap();
            assert_eq!(JournalLine::parse(text.strip_suffix('\n').unwrap()), Some(line));
            assert_eq!(text.matches('\n').count(), 1);
        }
    }

    #[test]
    fn a_changed_or_torn_line_is_none() {
        for line in lines() {
            let text = line.to_text().unwrap();
            let text = text.trim_end();
            for end in (0..text.len()).filter(|end| text.is_char_boundary(*end)) {
                assert_eq!(JournalLine::parse(&text[..end]), None);
            }
            for place in 0..text.len() {
                let mut bytes = text.as_bytes().to_vec();
                bytes[place] ^= 1;
                assert_eq!(std::str::from_utf8(&bytes).ok().and_then(JournalLine::parse), None);
            }
        }
    }

    proptest! {
        #[test]
        fn no_text_is_too_strange(text in ".*") {
            assert_eq!(JournalLine::parse(&text), None);
            let _ = JournalLine::parse(&format!("{} {text}", checksum(&text)));
        }
    }
}
