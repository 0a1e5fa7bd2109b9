//! The parameter file: `name lower upper [group] [dist]`, one parameter a line.

use std::sync::Arc;

use super::super::checked::space_of;
use super::super::{ImportReport, Imported};
use super::entry::{SalibParameter, placed};
use crate::{Problem, SourceSpan, SourceText};

/// Reads SALib's parameter file. The delimiter (comma, semicolon, tab or space) is that of the first parameter.
pub fn read_salib_parameters(source: &Arc<SourceText>) -> Imported {
    let mut report = ImportReport::new(source);
    let lines: Vec<(usize, &str)> = data_lines(&source.text).collect();
    let delimiter = lines.first().map_or(Delimiter::Space, |(_, line)| Delimiter::of(line));
    let entries =
        lines.iter().filter_map(|(start, line)| entry(*start, line, delimiter, &mut report)).collect();
    let placed = placed(entries, &mut report);
    let space = space_of(placed, &mut report);
    report.finish(space.map(|space| Problem { space, outputs: Vec::new(), design: None }))
}

/// Lines with their places, without comments and empty ones.
fn data_lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut at = 0;
    let lines = text.split_inclusive('\n').map(move |line| {
        let start = at;
        at += line.len();
        (start, line.trim_end())
    });
    let shown =
        lines.map(|(start, line)| (start + (line.len() - line.trim_start().len()), line.trim_start()));
    let without_mark = shown.map(|(start, line)| match line.strip_prefix('\u{feff}') {
        Some(rest) => (start + 3, rest),
        None => (start, line),
    });
    without_mark.filter(|(_, line)| !line.is_empty() && !line.starts_with('#'))
}

#[derive(Clone, Copy)]
enum Delimiter {
    Character(char),
    Space,
}

impl Delimiter {
    fn of(line: &str) -> Self {
        let found = [',', ';', '\t'].into_iter().find(|c| line.contains(*c));
        found.map_or(Self::Space, Self::Character)
    }
}

/// The fields of a line with their places; a field may stand in double quotes.
fn fields(start: usize, line: &str, delimiter: Delimiter) -> Vec<(String, SourceSpan)> {
    let mut fields = Vec::new();
    let (mut quoted, mut from) = (false, 0);
    let mut push = |from: usize, to: usize| {
        let field = line[from..to].trim();
        let span = SourceSpan { start: start + from, end: start + to };
        if !field.is_empty() || matches!(delimiter, Delimiter::Character(_)) {
            fields.push((field.trim_matches('"').to_owned(), span));
        }
    };
    for (i, c) in line.char_indices() {
        quoted ^= c == '"';
        let ends = match delimiter {
            Delimiter::Character(d) => c == d,
            Delimiter::Space => c.is_whitespace(),
        };
        if ends && !quoted {
            push(from, i);
            from = i + c.len_utf8();
        }
    }
    push(from, line.len());
    fields
}

fn entry(
    start: usize,
    line: &str,
    delimiter: Delimiter,
    report: &mut ImportReport,
) -> Option<SalibParameter> {
    let span = SourceSpan { start, end: start + line.len() };
    let mut fields = fields(start, line, delimiter);
    let count = fields.len();
    if !(3..=5).contains(&count) {
        let expected = "name lower upper [group] [dist]";
        report.error(span, "this line cannot be read", expected, format!("{count} fields"));
        return None;
    }
    let optional = |field: Option<(String, SourceSpan)>| field.filter(|(text, _)| !text.is_empty());
    let dist = if count == 5 { optional(fields.pop()) } else { None };
    let group = if count >= 4 { optional(fields.pop()) } else { None };
    let (upper, lower) = (fields.pop()?, fields.pop()?);
    let name = fields.pop()?;
    let (from, to) = (number(&lower, report), number(&upper, report));
    let bounds = (vec![from?, to?], SourceSpan { start: lower.1.start, end: upper.1.end });
    // A parameter without a label is a group of its own, as one marked NA is.
    let group = group.filter(|(label, _)| label != "NA").or_else(|| Some(name.clone()));
    Some(SalibParameter { name, bounds, dist, group })
}

fn number((text, span): &(String, SourceSpan), report: &mut ImportReport) -> Option<f64> {
    let number = text.parse::<f64>().ok().filter(|x| !x.is_nan());
    if number.is_none() {
        let hint = "a line is `name lower upper`; the file has no header".to_owned();
        report.error_with_hint(
            *span,
            "this bound cannot be read",
            "a number",
            format!("`{text}`"),
            Some(hint),
        );
    }
    number
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Distribution, Domain};

    fn read(text: &str) -> Result<Problem, String> {
        let read = read_salib_parameters(&SourceText::new("p.txt", text));
        read.map(|(problem, _)| problem).map_err(|errors| errors.to_string())
    }

    #[test]
    fn the_delimiter_is_found() {
        let expected = read("x1 0 1\nx2 -2 2.5\n").unwrap();
        assert_eq!(expected.space.parameters()[1].domain, Domain::Continuous { from: -2.0, to: 2.5 });
        for text in [
            "x1\t0\t1\nx2\t-2\t2.5",
            "x1,0,1\r\nx2,-2,2.5\r\n",
            "# name, lower, upper\n\nx1, 0, 1\n  # more\nx2 ,-2, 2.5",
            "x1;0;1\nx2;-2;2.5",
            "\u{feff}x1   0 1\n\"x2\" -2   2.5",
        ] {
            assert_eq!(read(text).unwrap(), expected, "{text}");
        }
        assert_eq!(read("\"my name\" 0 1").unwrap().space.parameters()[0].name, "my name");
    }

    #[test]
    fn groups_and_distributions_are_read() {
        let problem = read("x1,0,1,g,unif\nx2,0,1,g,norm\nx3,1,2,NA,lognorm\nx4,1,2,h").unwrap();
        let groups: Vec<_> = problem.space.parameters().iter().map(|p| p.group.as_deref()).collect();
        assert_eq!(groups, [Some("g"), Some("g"), None, Some("h")]);
        assert_eq!(
            problem.space.parameters()[2].distribution,
            Distribution::LogNormal { mean: 1.0, sd: 2.0 }
        );
    }

    #[test]
    fn mistakes_are_pointed_at() {
        let cases = [
            (
                "name,lower,upper\nx,0,1",
                "p.txt:1:6: error: this bound cannot be read; expected a number, found `lower`; to do: a line is `name lower upper`; the file has no header",
            ),
            ("x 0", "expected name lower upper [group] [dist], found 2 fields"),
            ("x 0 1 g unif more", "found 6 fields"),
            ("x 0 1\ny 2 1", "p.txt:2:3: error: the values of `y` are not a valid range"),
            ("x 0 nan", "expected a number, found `nan`"),
            ("x 0 1 NA truncnorm", "expected 4 numbers: lower end, upper end, mean, standard deviation"),
            ("x 0 1 g\ny 0 1 g", "all parameters are in one group"),
            ("x 0 1\nx 0 1", "two parameters have the same name"),
            ("# nothing", "at least one parameter"),
        ];
        for (text, expected) in cases {
            let refused = read(text).unwrap_err();
            assert!(refused.contains(expected), "{text}: {refused}");
        }
    }
}
