//! Landmarks in the point files of elastix: `point` or `index`, their number, and one place in each line.

use std::fmt::Write as _;
use std::path::Path;

use onceflow_region::VolumeGeometry;
use onceflow_study::Diagnostic;

use crate::RegistrationError;

/// The largest point file that is read.
const LONGEST: u64 = 1 << 28;

/// How places are given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PointKind {
    /// In millimetres of the world.
    Point,
    /// As indices of voxels.
    Index,
}

/// The places of a file.
#[derive(Clone, Debug, PartialEq)]
pub struct PointFile {
    /// How they are given.
    pub kind: PointKind,
    /// One place in each line.
    pub places: Vec<[f64; 3]>,
}

impl PointFile {
    /// Reads a file.
    ///
    /// # Errors
    /// When the file cannot be read, or has another form.
    pub fn read(path: &Path) -> Result<Self, RegistrationError> {
        let unreadable = |error| RegistrationError::unreadable(path, &error);
        if std::fs::metadata(path).map_err(unreadable)?.len() > LONGEST {
            let message = Diagnostic::error(format!("{} is too long for a point file", path.display()));
            return Err(message.expected_found("a text of at most 256 MiB", "a longer file").into());
        }
        let bytes = std::fs::read(path).map_err(unreadable)?;
        let text = String::from_utf8(bytes).map_err(|_| wrong(path, 1, "a text", "other bytes"))?;
        Self::parse(path, &text)
    }

    /// Reads the text of a file; errors call it by its path.
    ///
    /// # Errors
    /// When it has another form.
    pub fn parse(path: &Path, text: &str) -> Result<Self, RegistrationError> {
        let lines = text.lines().enumerate().map(|(at, line)| (at + 1, line.trim()));
        let mut lines = lines.filter(|(_, line)| !line.is_empty()).peekable();
        let kind = match lines.peek() {
            Some((_, "index")) => PointKind::Index,
            Some((_, "point")) => PointKind::Point,
            Some((line, word)) => return Err(wrong(path, *line, "`point` or `index`", word)),
            None => return Err(wrong(path, 1, "`point` or `index`", "an empty file")),
        };
        let after = lines.next().map_or(1, |(line, _)| line);
        let (line, count) = lines.next().unwrap_or((after, "nothing"));
        let count: usize = count.parse().map_err(|_| wrong(path, line, "the number of places", count))?;
        let places = lines.map(|(line, text)| place(path, line, text)).collect::<Result<Vec<_>, _>>()?;
        if places.len() != count {
            return Err(wrong(path, line, &format!("{count} places"), &places.len().to_string()));
        }
        Ok(Self { kind, places })
    }

    /// The places in millimetres of the world, where indices are those of a volume.
    pub fn in_world(&self, geometry: &VolumeGeometry) -> Vec<[f64; 3]> {
        match self.kind {
            PointKind::Point => self.places.clone(),
            PointKind::Index => self.places.iter().map(|place| geometry.place(*place)).collect(),
        }
    }

    /// The text of its file.
    pub fn to_text(&self) -> String {
        let word = match self.kind {
            PointKind::Point => "point",
            PointKind::Index => "index",
        };
        let mut text = format!("{word}\n{}\n", self.places.len());
        for [x, y, z] in &self.places {
            // Writing to a text cannot fail.
            let _ = writeln!(text, "{x} {y} {z}");
        }
        text
    }
}

fn place(path: &Path, line: usize, text: &str) -> Result<[f64; 3], RegistrationError> {
    let numbers = text.split_whitespace().map(str::parse::<f64>).collect::<Result<Vec<_>, _>>();
    match numbers.as_deref() {
        Ok(&[x, y, z]) if [x, y, z].iter().all(|number| number.is_finite()) => Ok([x, y, z]),
        _ => Err(wrong(path, line, "three finite numbers", text)),
    }
}

fn wrong(path: &Path, line: usize, expected: &str, found: &str) -> RegistrationError {
    let found: String = found.chars().take(60).collect();
    let message = Diagnostic::error(format!("{}:{line} is not that of a point file", path.display()));
    let message = message.expected_found(expected, format!("`{found}`"));
    message
        .with_hint("write `point`, the number of places, and x y z of each in a line, as elastix does")
        .into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<PointFile, String> {
        PointFile::parse(Path::new("p.txt"), text).map_err(|error| error.to_string())
    }

    #[test]
    fn what_is_written_is_read_again() {
        let file = PointFile { kind: PointKind::Point, places: vec![[1.5, -2.25, 1e-7], [0.1, 3.0, -0.0]] };
        assert_eq!(parse(&file.to_text()), Ok(file));
        let indices = parse("index\r\n1\r\n  2 3 4\r\n").unwrap();
        let geometry = VolumeGeometry { spacing: [2.0, 1.0, 0.5], ..VolumeGeometry::default() };
        assert_eq!(indices.in_world(&geometry), [[4.0, 3.0, 2.0]]);
    }

    #[test]
    fn other_texts_are_refused_with_their_line() {
        let cases = [
            ("", "p.txt:1", "`point` or `index`"),
            ("points\n1\n1 2 3", "p.txt:1", "`point` or `index`"),
            ("point", "p.txt:1", "the number of places"),
            ("point\n-1\n", "p.txt:2", "the number of places"),
            ("point\n2\n1 2 3\n", "p.txt:2", "2 places"),
            ("point\n1\n1 2\n", "p.txt:3", "three finite numbers"),
            ("point\n1\n1 2 inf\n", "p.txt:3", "three finite numbers"),
        ];
        for (text, place, expected) in cases {
            let error = parse(text).unwrap_err();
            assert!(error.contains(place) && error.contains(expected), "{text:?}: {error}");
        }
    }
}
