//! A text split into fields: the delimiter and the header are found, values are not read yet.

use csv::{ReaderBuilder, StringRecord};

use super::TableError;

/// Fields by line.
#[derive(Debug, PartialEq)]
pub(super) struct RawTable {
    pub(super) header: Option<StringRecord>,
    pub(super) header_line: usize,
    pub(super) rows: Vec<RawRow>,
}

#[derive(Debug, PartialEq)]
pub(super) struct RawRow {
    pub(super) line: usize,
    pub(super) cells: StringRecord,
}

impl RawTable {
    /// Makes the first row the header.
    pub(super) fn take_header(&mut self) {
        let first = self.rows.remove(0);
        (self.header_line, self.header) = (first.line, Some(first.cells));
    }
}

/// Whether a text is JSON rather than lines of fields.
pub(super) fn is_json(text: &str) -> bool {
    without_mark(text).trim_start().starts_with(['{', '['])
}

fn without_mark(text: &str) -> &str {
    text.strip_prefix('\u{feff}').unwrap_or(text)
}

/// Cuts a text; `is_value` says whether a field could be a value, for a first line with another one is a header.
/// Every row has as many fields as the first.
pub(super) fn read(text: &str, is_value: &dyn Fn(&str) -> bool) -> Result<RawTable, TableError> {
    let (skipped, body) = skip_comments(without_mark(text));
    let mut rows = match delimiter(body) {
        Some(delimiter) => delimited(body, delimiter)?,
        None => spaced(body),
    };
    rows.iter_mut().for_each(|row| row.line += skipped);
    let Some(first) = rows.first() else {
        return Err(TableError::new("the table is empty", "a line for each row", "no line"));
    };
    let (width, header_line) = (first.cells.len(), first.line);
    let is_header = first.cells.iter().any(|field| !is_value(field));
    let header = is_header.then(|| rows.remove(0).cells);
    match rows.iter().find(|row| row.cells.len() != width) {
        Some(row) => Err(uneven(row, width)),
        None => Ok(RawTable { header, header_line, rows }),
    }
}

fn uneven(row: &RawRow, width: usize) -> TableError {
    let found = row.cells.len().to_string();
    TableError::new("this line has another number of fields than the first", width.to_string(), found)
        .at(row.line)
        .with_hint("put quotes round fields that hold a delimiter; write an empty field for a missing value")
}

/// Programs put remarks before the first line; later a `#` may be a value.
fn skip_comments(text: &str) -> (usize, &str) {
    let (mut lines, mut rest) = (0, text);
    while rest.starts_with('#') || rest.starts_with('\n') || rest.starts_with("\r\n") {
        rest = rest.split_once('\n').map_or("", |(_, after)| after);
        lines += 1;
    }
    (lines, rest)
}

/// The first delimiter of the first line, outside quotes; `None` when spaces separate.
fn delimiter(text: &str) -> Option<u8> {
    let line = text.lines().next().unwrap_or_default();
    let mut quoted = false;
    for byte in line.bytes() {
        quoted ^= byte == b'"';
        if !quoted && matches!(byte, b',' | b';' | b'\t') {
            return Some(byte);
        }
    }
    line.starts_with('"').then_some(b',')
}

fn delimited(text: &str, delimiter: u8) -> Result<Vec<RawRow>, TableError> {
    let mut reader = ReaderBuilder::new()
        .has_headers(false)
        .flexible(true)
        .delimiter(delimiter)
        .from_reader(text.as_bytes());
    let mut rows = Vec::new();
    let mut lines = RawLines::new(text);
    for record in reader.records() {
        let cells = record
            .map_err(|error| TableError::new("the table cannot be read", "fields", error.to_string()))?;
        // A record is said to start at the end of the line before it when that ends with two characters.
        let start = cells.position().map_or(0, csv::Position::byte) as usize;
        let ends = text.bytes().skip(start).take_while(|byte| matches!(byte, b'\r' | b'\n')).count();
        let line = lines.of(start + ends);
        let blank = cells.iter().all(|field| field.trim().is_empty()) && cells.len() < 2;
        if !blank {
            rows.push(RawRow { line, cells });
        }
    }
    Ok(rows)
}

fn spaced(text: &str) -> Vec<RawRow> {
    let row = |(i, line): (usize, &str)| RawRow { line: i + 1, cells: line.split_whitespace().collect() };
    text.lines().enumerate().map(row).filter(|row| !row.cells.is_empty()).collect()
}

/// Lines of ascending places, each found from the one before.
pub(super) struct RawLines<'a> {
    text: &'a str,
    at: usize,
    line: usize,
}

impl<'a> RawLines<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self { text, at: 0, line: 1 }
    }

    pub(super) fn of(&mut self, place: usize) -> usize {
        let passed = self.text.as_bytes().get(self.at..place).unwrap_or_default();
        self.line += passed.iter().filter(|byte| **byte == b'\n').count();
        self.at = place.max(self.at);
        self.line
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    type Fields = Vec<String>;

    fn cut(text: &str) -> (Option<Fields>, Vec<(usize, Fields)>) {
        let raw = read(text, &|field| field.is_empty() || field.parse::<f64>().is_ok()).unwrap();
        let fields = |record: &StringRecord| record.iter().map(str::to_owned).collect::<Vec<_>>();
        let rows = raw.rows.iter().map(|row| (row.line, fields(&row.cells))).collect();
        (raw.header.as_ref().map(fields), rows)
    }

    fn strings(texts: &[&str]) -> Vec<String> {
        texts.iter().map(|t| (*t).to_owned()).collect()
    }

    #[test]
    fn delimiters_and_headers_are_found() {
        let header = Some(strings(&["row", "Y"]));
        let rows = |lines: [usize; 2]| {
            lines.into_iter().zip([strings(&["1", "2"]), strings(&["2", "3.5"])]).collect::<Vec<_>>()
        };
        assert_eq!(cut("row,Y\n1,2\n2,3.5\n"), (header.clone(), rows([2, 3])));
        assert_eq!(cut("\u{feff}row;Y\r\n1;2\r\n2;3.5"), (header.clone(), rows([2, 3])));
        assert_eq!(cut("# made by\n\nrow\tY\n1\t2\n\n2\t3.5"), (header.clone(), rows([4, 6])));
        assert_eq!(cut("row Y\n 1   2\n\n2 3.5"), (header, rows([2, 4])));
        assert_eq!(cut("1 2\n2 3.5"), (None, rows([1, 2])));
        assert_eq!(cut("1,2\n2,3.5"), (None, rows([1, 2])));
    }

    #[test]
    fn quotes_hold_delimiters_and_line_ends() {
        let (header, rows) = cut("\"a,b\",\"c\nd\"\n1,2\n");
        assert_eq!(header, Some(strings(&["a,b", "c\nd"])));
        assert_eq!(rows, [(3, strings(&["1", "2"]))]);
    }

    #[test]
    fn an_empty_field_in_a_column_of_its_own_is_kept() {
        assert_eq!(cut("row,Y\n1,\n").1, [(2, strings(&["1", ""]))]);
    }

    #[test]
    fn uneven_lines_are_pointed_at() {
        let refuse = |text: &str| read(text, &|_| true).unwrap_err().to_string();
        assert!(refuse("1,2\n1,2,3\n").starts_with("line 2: this line has another number of fields"));
        assert!(refuse("1 2\n\n1\n").starts_with("line 3: "));
        assert!(refuse("# only\n").contains("the table is empty"));
    }
}
