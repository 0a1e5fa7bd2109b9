//! Texts on terminals that are narrower than their lines.

mod table;

use std::io::{IsTerminal as _, stdout};

use terminal_size::{Width, terminal_size_of};

/// Narrower than this, lines are not broken any further.
const LEAST: usize = 30;

/// Columns by which what a broken line goes on with stands in.
const INDENT: usize = 4;

/// A label at the start of a line is at most so long; what follows it goes on below itself.
const LABEL: usize = 16;

/// The text for standard output: lines are broken where they would not fit, and tables are set closer.
pub(crate) fn fitted(text: &str) -> String {
    columns().map_or_else(|| text.to_owned(), |columns| broken(text, columns.max(LEAST)))
}

/// The width: what `COLUMNS` says, or that of the terminal. There is none where standard output is a file or a pipe.
pub fn columns() -> Option<usize> {
    let said = std::env::var("COLUMNS").ok().and_then(|said| said.parse().ok());
    said.or_else(|| {
        let terminal = stdout().is_terminal().then(stdout)?;
        terminal_size_of(terminal).map(|(Width(columns), _)| usize::from(columns))
    })
}

/// The text with no line longer than so many columns, as far as its words allow.
fn broken(text: &str, columns: usize) -> String {
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    lines.chunk_by(|a, b| is_blank(a) == is_blank(b)).map(|block| broken_block(block, columns)).collect()
}

fn is_blank(line: &str) -> bool {
    line.trim().is_empty()
}

/// Lines without a blank one: a table, or lines each for itself.
fn broken_block(lines: &[&str], columns: usize) -> String {
    if lines.iter().all(|line| width(line.trim_end()) <= columns) {
        return lines.concat();
    }
    let table = table::fitted(lines, columns);
    table.unwrap_or_else(|| lines.iter().map(|line| broken_line(line, columns)).collect())
}

fn width(text: &str) -> usize {
    text.chars().count()
}

/// A line goes on below the text after its label, or a little inside. A text that begins far to the right has lines of its
/// own.
fn broken_line(line: &str, columns: usize) -> String {
    let own = line.len() - line.trim_start_matches(' ').len();
    let inside = (if own >= LABEL / 2 { own } else { own + INDENT }).min(columns / 2);
    if width(line.trim_end()) <= columns {
        return line.to_owned();
    }
    let Some((label, text)) = line[own..].split_once("  ") else { return wrapped(line, columns, inside) };
    let text = text.trim_start_matches(' ');
    let start = width(line) - width(text);
    match (width(label) <= LABEL, start > columns / 2) {
        (_, true) => {
            let indent = " ".repeat(inside);
            format!("{}{label}\n{}", &line[..own], wrapped(&format!("{indent}{text}"), columns, inside))
        }
        (true, false) => wrapped(line, columns, start),
        (false, false) => wrapped(line, columns, inside),
    }
}

/// A line broken between words; what does not fit goes on at `indent`.
fn wrapped(line: &str, columns: usize, indent: usize) -> String {
    let (mut text, mut rest, mut room) = (String::new(), line, columns);
    while width(rest.trim_end()) > room {
        let end = rest.char_indices().nth(room).map_or(rest.len(), |(end, _)| end);
        // A word stands between spaces, and indentation is not a place to break at.
        let start = rest.len() - rest.trim_start_matches(' ').len();
        let at = rest[start..end].rfind(' ').map(|at| start + at).filter(|at| *at > start);
        let at = if rest[end..].starts_with(' ') { Some(end) } else { at };
        let Some(at) = at.or_else(|| rest[start..].find(' ').map(|at| start + at)) else { break };
        text.push_str(rest[..at].trim_end());
        text.push('\n');
        text.push_str(&" ".repeat(indent));
        rest = rest[at..].trim_start_matches(' ');
        room = columns - indent;
    }
    text + rest
}

#[cfg(test)]
mod tests {
    use super::broken;

    const TEXT: &str = "Best row so far: 1793, dice 0.895 (default 0.724): G1 75, minSize 8, maxSize 1300, G2 26\n  \
                        ! Chosen and measured on the same 2 images, over which dice runs from 0.859 to 0.918.\n\n  \
                        G1                     0.660  0.634 .. 0.685  ██████▋  0.538  influential\nshort\n";

    fn words(text: &str) -> Vec<String> {
        text.split_whitespace().map(str::to_owned).collect()
    }

    #[test]
    fn lines_fit_and_lose_no_word() {
        for columns in [30, 60, 80] {
            let fitted = broken(TEXT, columns);
            assert!(fitted.lines().all(|line| line.chars().count() <= columns), "{fitted}");
            assert_eq!(words(&fitted), words(TEXT));
        }
        assert_eq!(broken(TEXT, 110), TEXT);
        assert_eq!(broken("a-word-that-is-longer-than-all-columns of it\n", 30).lines().count(), 2);
    }

    #[test]
    fn what_follows_a_label_goes_on_below_itself() {
        let text = "time       about 1 s for screen on 2 workers (measured on this machine)\n";
        let below = "time       about 1 s for screen on 2\n           workers (measured on this\n           machine)\n";
        assert_eq!(broken(text, 40), below);
        let text = "merge equal beginnings of chains         2,137 tasks a part, 1,075 fewer\n";
        assert_eq!(
            broken(text, 60),
            "merge equal beginnings of chains\n    2,137 tasks a part, 1,075 fewer\n"
        );
    }
}
