//! A sheet of images: CSV with the keys of `[[image]]` as columns, and any of the user's own.

use std::collections::HashSet;
use std::sync::Arc;

use super::StudyImage;
use super::entry::{FindFiles, ImageEntry, check_bounds, expand, listed};
use crate::PAIR_COLUMNS;
use crate::{Diagnostic, Diagnostics, SourceLocation, SourceSpan, SourceText, nearest};

/// The images of a sheet.
#[derive(Clone, Debug)]
pub struct ImageSheet {
    pub(super) images: Vec<ImageEntry>,
    pub(super) diagnostics: Diagnostics,
}

impl ImageSheet {
    /// Replaces the patterns of a list by the files they match.
    pub fn expand(&mut self, find: &mut FindFiles<'_>) {
        expand(&mut self.images, find, &mut self.diagnostics);
    }

    /// The images, in the order of the sheet.
    pub fn images(&self) -> impl Iterator<Item = &StudyImage> {
        self.images.iter().map(|entry| &entry.image)
    }
}

/// Reads a sheet; one whose name ends in `.txt` has a file in each line and nothing else. Fields are separated by commas, semicolons or tabs, whichever the header has; files are relative to
/// the study. Lines that make no image are left out; [`StudyFile::resolve`](super::StudyFile::resolve) says why.
pub fn parse_sheet(source: &Arc<SourceText>) -> Result<ImageSheet, Diagnostics> {
    if source.name.to_lowercase().ends_with(".txt") {
        return parse_list(source);
    }
    let mut diagnostics = Diagnostics::default();
    let mut lines = SheetLines::new(source);
    let header = match lines.next() {
        Some(Ok(line)) => line,
        Some(Err(error)) => return Err(error.into()),
        None => {
            return Err(complaint(
                source,
                SourceSpan::default(),
                "the sheet is empty",
                "a line of column names",
                "nothing",
            )
            .into());
        }
    };
    let Some(columns) = SheetColumns::new(source, &header, &mut diagnostics) else { return Err(diagnostics) };
    let mut images = Vec::new();
    for line in lines {
        match line {
            Ok(line) => images.extend(columns.image(source, &line, &mut diagnostics)),
            Err(error) => diagnostics.push(error),
        }
    }
    if images.is_empty() && !diagnostics.has_errors() {
        let (expected, found) = ("a line for each image", "column names only");
        return Err(complaint(source, header.span, "the sheet has no image", expected, found).into());
    }
    Ok(ImageSheet { images, diagnostics })
}

/// A text with a file or a pattern in each line; lines that begin with `#` are remarks.
fn parse_list(source: &Arc<SourceText>) -> Result<ImageSheet, Diagnostics> {
    let (mut images, mut start) = (Vec::new(), 0);
    for line in source.text.split_inclusive('\n') {
        let file = line.trim_matches(|c: char| c.is_whitespace() || c == '\u{feff}');
        let first = start + line.find(file).unwrap_or(0);
        start += line.len();
        if !file.is_empty() && !file.starts_with('#') {
            images.push(listed(file, SourceLocation::new(source, first..first + file.len())));
        }
    }
    if images.is_empty() {
        let error =
            complaint(source, SourceSpan::default(), "the list is empty", "an image in each line", "none");
        return Err(error.into());
    }
    Ok(ImageSheet { images, diagnostics: Diagnostics::default() })
}

const KNOWN: [&str; 6] = ["name", "file", "box", "truth", "truth_box", "um_per_pixel"];

/// Columns without which there is no image.
const NEEDED: [&str; 2] = ["name", "file"];

/// Makes an error about the header: message, expected, found.
type Complain<'a> = dyn Fn(String, &str, &str) -> Diagnostic + 'a;

/// The names of the columns, in their order.
struct SheetColumns(Vec<String>);

impl SheetColumns {
    fn new(source: &Arc<SourceText>, header: &SheetLine, diagnostics: &mut Diagnostics) -> Option<Self> {
        let mut columns = Self(header.fields.clone());
        columns.name_fixed();
        let complain = |message: String, expected: &str, found: &str| {
            complaint(source, header.span, message, expected, found)
        };
        columns.check_different(&complain, diagnostics);
        columns.check_needed(&complain, diagnostics);
        for (column, meant) in columns.mistyped() {
            let doubt = Diagnostic::warning(format!("the column `{column}` is taken as one of your own"));
            let doubt = doubt.at(source, header.span, "");
            let doubt = doubt.expected_found(format!("`{meant}`"), format!("`{column}`"));
            diagnostics.push(doubt.with_hint(format!("rename it to `{meant}` if that is meant")));
        }
        if diagnostics.has_errors() { None } else { Some(columns) }
    }

    /// The fixed volume of a pair is its file.
    fn name_fixed(&mut self) {
        if self.has("moving") && !self.has("file") {
            self.0.iter_mut().filter(|column| *column == "fixed").for_each(|column| *column = "file".into());
        }
    }

    fn check_different(&self, complain: &Complain<'_>, diagnostics: &mut Diagnostics) {
        let mut seen = HashSet::new();
        for column in self.0.iter().filter(|column| !seen.insert(*column)) {
            let found = format!("`{column}` twice");
            diagnostics.push(complain("two columns have the same name".into(), "each column once", &found));
        }
    }

    fn check_needed(&self, complain: &Complain<'_>, diagnostics: &mut Diagnostics) {
        for key in NEEDED.into_iter().filter(|key| !self.has(key)) {
            let found = self.0.iter().map(|c| format!("`{c}`")).collect::<Vec<_>>().join(", ");
            let message = format!("the sheet has no column `{key}`");
            let mut missing = complain(message, &format!("a column `{key}`"), &found);
            missing.hint =
                nearest(key, self.0.iter().map(String::as_str)).map(|c| format!("rename the column `{c}`"));
            diagnostics.push(missing);
        }
    }

    /// Columns of the user's own that look like one of ours which is not there.
    fn mistyped(&self) -> impl Iterator<Item = (&str, &'static str)> {
        let known = |c: &&String| KNOWN.contains(&c.as_str()) || PAIR_COLUMNS.contains(&c.as_str());
        let own = self.0.iter().filter(move |c| !known(c));
        own.filter_map(|column| {
            let meant = nearest(column, KNOWN).filter(|meant| !self.has(meant) && !NEEDED.contains(meant));
            meant.map(|meant| (column.as_str(), meant))
        })
    }

    fn has(&self, name: &str) -> bool {
        self.0.iter().any(|column| column == name)
    }

    fn image(
        &self,
        source: &Arc<SourceText>,
        line: &SheetLine,
        diagnostics: &mut Diagnostics,
    ) -> Option<ImageEntry> {
        if line.fields.len() != self.0.len() {
            let (expected, found) = (format!("{} fields", self.0.len()), line.fields.len().to_string());
            diagnostics.push(complaint(
                source,
                line.span,
                "wrong number of fields in this line",
                &expected,
                &found,
            ));
            return None;
        }
        let mut row = SheetRow { source, columns: self, line, diagnostics };
        let (name, file) = (row.needed("name"), row.needed("file"));
        let bounds = row.parsed("box", read_box);
        let um_per_pixel = row.parsed("um_per_pixel", read_resolution);
        let truth = row.field("truth").map(str::to_owned);
        let truth_box = row.parsed("truth_box", read_box);
        let columns = row.own();
        let image = StudyImage {
            bounds,
            truth,
            truth_box,
            um_per_pixel,
            columns,
            ..StudyImage::of_file(name?, file?)
        };
        Some(ImageEntry { image, place: SourceLocation::new(source, line.span), is_listed: false })
    }
}

/// A line with its columns.
struct SheetRow<'a> {
    source: &'a Arc<SourceText>,
    columns: &'a SheetColumns,
    line: &'a SheetLine,
    diagnostics: &'a mut Diagnostics,
}

impl<'a> SheetRow<'a> {
    /// The field, unless it is empty.
    fn field(&self, column: &str) -> Option<&'a str> {
        let place = self.columns.0.iter().position(|c| c == column)?;
        Some(self.line.fields[place].as_str()).filter(|field| !field.is_empty())
    }

    fn needed(&mut self, column: &str) -> Option<String> {
        let field = self.field(column);
        if field.is_none() {
            let message = format!("this image has no `{column}`");
            let expected = format!("a text in the column `{column}`");
            self.diagnostics.push(complaint(
                self.source,
                self.line.span,
                message,
                &expected,
                "an empty field",
            ));
        }
        field.map(str::to_owned)
    }

    fn parsed<T>(&mut self, column: &str, read: fn(&str) -> Result<T, String>) -> Option<T> {
        let field = self.field(column)?;
        match read(field) {
            Ok(value) => Some(value),
            Err(expected) => {
                let message = format!("`{column}` cannot be read");
                self.diagnostics.push(complaint(
                    self.source,
                    self.line.span,
                    message,
                    &expected,
                    &format!("\"{field}\""),
                ));
                None
            }
        }
    }

    fn own(&self) -> Vec<(String, String)> {
        let pairs = self.columns.0.iter().zip(&self.line.fields);
        pairs.filter(|(c, _)| !KNOWN.contains(&c.as_str())).map(|(c, f)| (c.clone(), f.clone())).collect()
    }
}

/// `x y width height`, with spaces, commas or semicolons between them, in brackets or not.
fn read_box(text: &str) -> Result<super::ImageBox, String> {
    let inner = text.trim_start_matches('[').trim_end_matches(']');
    let numbers = inner.split([' ', ',', ';', '\t']).filter(|n| !n.is_empty()).map(str::parse);
    let numbers = numbers.collect::<Result<Vec<u64>, _>>();
    check_bounds(&numbers.map_err(|_| "four whole numbers: x y width height".to_owned())?)
}

fn read_resolution(text: &str) -> Result<f64, String> {
    let number = text.parse::<f64>().ok().filter(|x| x.is_finite() && *x > 0.0);
    number.ok_or_else(|| "a number of micrometres above 0".to_owned())
}

fn complaint(
    source: &Arc<SourceText>,
    span: SourceSpan,
    message: impl Into<String>,
    expected: &str,
    found: &str,
) -> Diagnostic {
    Diagnostic::error(message).at(source, span, "").expected_found(expected, found)
}

/// A record with its place; fields are trimmed.
struct SheetLine {
    span: SourceSpan,
    fields: Vec<String>,
}

/// The records of a sheet.
struct SheetLines<'a> {
    source: &'a Arc<SourceText>,
    records: csv::StringRecordsIntoIter<&'a [u8]>,
}

impl<'a> SheetLines<'a> {
    fn new(source: &'a Arc<SourceText>) -> Self {
        let first = source.text.lines().next().unwrap_or_default();
        let delimiter = [b',', b';', b'\t'].into_iter().find(|d| first.contains(*d as char)).unwrap_or(b',');
        let mut builder = csv::ReaderBuilder::new();
        builder.delimiter(delimiter).has_headers(false).flexible(true).trim(csv::Trim::All);
        Self { source, records: builder.from_reader(source.text.as_bytes()).into_records() }
    }

    fn line(&self, record: &csv::StringRecord) -> SheetLine {
        let start = record.position().map_or(0, |p| usize::try_from(p.byte()).unwrap_or(usize::MAX));
        let rest = self.source.text.get(start..).unwrap_or_default();
        let start = start + (rest.len() - rest.trim_start_matches(['\n', '\r']).len());
        let rest = self.source.text.get(start..).unwrap_or_default();
        let length = rest.find(['\n', '\r']).unwrap_or(rest.len());
        let field = |f: &str| f.trim_start_matches('\u{feff}').to_owned();
        SheetLine { span: (start..start + length).into(), fields: record.iter().map(field).collect() }
    }
}

impl Iterator for SheetLines<'_> {
    type Item = Result<SheetLine, Diagnostic>;

    fn next(&mut self) -> Option<Self::Item> {
        let record = self.records.next()?;
        Some(match record {
            Ok(record) => Ok(self.line(&record)),
            Err(error) => Err(Diagnostic::error(format!("the sheet cannot be read: {error}"))),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn images(text: &str) -> Vec<StudyImage> {
        let sheet = parse_sheet(&SourceText::new("images.csv", text)).unwrap();
        assert_eq!(sheet.diagnostics, Diagnostics::default());
        sheet.images().cloned().collect()
    }

    fn check(text: &str, expected: &str) {
        let messages = match parse_sheet(&SourceText::new("i.csv", text)) {
            Ok(sheet) => sheet.diagnostics,
            Err(diagnostics) => diagnostics,
        };
        assert_eq!(messages.to_string(), expected, "{text}");
    }

    #[test]
    fn columns_of_the_user_are_kept() {
        let images = images(
            "name,file,truth,um_per_pixel,site\nbreast-01,slides/b.svs,t.geojson,,A\n\"lung, 17\",l.ndpi,,0.23,B\n",
        );
        assert_eq!(images.len(), 2);
        assert_eq!((images[0].truth.as_deref(), images[0].um_per_pixel), (Some("t.geojson"), None));
        assert_eq!(
            (images[1].name.as_str(), images[1].um_per_pixel, images[1].truth.as_deref()),
            ("lung, 17", Some(0.23), None)
        );
        assert_eq!(images[1].columns, [("site".to_owned(), "B".to_owned())]);
    }

    #[test]
    fn boxes_and_other_separators() {
        let expected = super::super::ImageBox { x: 1, y: 2, width: 30, height: 40 };
        for text in
            ["name;file;box\na;a.svs;1,2,30,40\n", "\u{feff}name\tfile\tbox\r\na\ta.svs\t[1 2 30 40]\r\n"]
        {
            assert_eq!(images(text)[0].bounds, Some(expected), "{text}");
        }
    }

    #[test]
    fn a_list_has_a_file_or_a_pattern_in_each_line() {
        let text = "\u{feff}# slides\nslides/a.svs\n\n  b/*.svs \r\nc/a.svs\n";
        let mut sheet = parse_sheet(&SourceText::new("images.txt", text)).unwrap();
        let mut asked = Vec::new();
        sheet.expand(&mut |pattern| {
            asked.push(pattern.to_owned());
            Ok(vec!["b/x.svs".into(), "b/y.svs".into()])
        });
        assert_eq!(asked, ["b/*.svs"]);
        let names: Vec<_> = sheet.images().map(|image| image.name.as_str()).collect();
        assert_eq!(names, ["slides/a.svs", "x", "y", "c/a.svs"]);
        sheet = parse_sheet(&SourceText::new("images.txt", text)).unwrap();
        sheet.expand(&mut |_| Err(Box::new(Diagnostic::error("nothing there"))));
        assert_eq!(sheet.diagnostics.to_string(), "images.txt:4:3: error: nothing there");
        let empty = parse_sheet(&SourceText::new("images.txt", "# none\n")).unwrap_err().to_string();
        assert!(empty.contains("the list is empty"), "{empty}");
    }

    #[test]
    fn mistakes_are_told_with_their_lines() {
        check("", "i.csv:1:1: error: the sheet is empty; expected a line of column names, found nothing");
        check(
            "nam,file\na,b\n",
            "i.csv:1:1: error: the sheet has no column `name`; expected a column `name`, found `nam`, `file`; to do: rename the column `nam`",
        );
        check(
            "name,file,box\na,a.svs\nb,,\nc,c.svs,1 2 0 4\n\nd,d.svs,1 2 3\n",
            "i.csv:2:1: error: wrong number of fields in this line; expected 3 fields, found 2\n\
             i.csv:3:1: error: this image has no `file`; expected a text in the column `file`, found an empty field\n\
             i.csv:4:1: error: `box` cannot be read; expected a box of at least 1 x 1 pixels (x, y, width, height), found \"1 2 0 4\"\n\
             i.csv:6:1: error: `box` cannot be read; expected four numbers: x, y, width, height, found \"1 2 3\"",
        );
        check(
            "name,file,um_per_pixel\na,a.svs,nan\n",
            "i.csv:2:1: error: `um_per_pixel` cannot be read; expected a number of micrometres above 0, found \"nan\"",
        );
        check(
            "name,file,name\n",
            "i.csv:1:1: error: two columns have the same name; expected each column once, found `name` twice",
        );
        check(
            "name,file,um_per_pxel\na,a.svs,0.2\n",
            "i.csv:1:1: warning: the column `um_per_pxel` is taken as one of your own; expected `um_per_pixel`, found `um_per_pxel`; to do: rename it to `um_per_pixel` if that is meant",
        );
    }
}
