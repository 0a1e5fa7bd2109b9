//! Texts on terminals that are narrower than their lines.

use terminal_size::{Width, terminal_size_of};

/// Narrower than this, lines are not broken any further.
const LEAST: usize = 30;

/// Columns by which what a broken line goes on with stands in.
const INDENT: usize = 4;

/// The text for standard output: on a terminal, its lines are broken where they would not fit.
pub(crate) fn fitted(text: &str) -> String {
    match terminal_size_of(std::io::stdout()) {
        Some((Width(columns), _)) => broken(text, usize::from(columns).max(LEAST)),
        None => text.to_owned(),
    }
}

/// The text with no line longer than so many columns, as far as its words allow.
fn broken(text: &str, columns: usize) -> String {
    text.split_inclusive('\n').map(|line| broken_line(line, columns)).collect()
}

fn broken_line(line: &str, columns: usize) -> String {
    let own = line.len() - line.trim_start_matches(' ').len();
    let indent = " ".repeat((own + INDENT).min(columns / 2));
    let (mut text, mut rest, mut room) = (String::new(), line, columns);
    while rest.trim_end().chars().count() > room {
        let end = rest.char_indices().nth(room).map_or(rest.len(), |(end, _)| end);
        // A word stands between spaces, and indentation is not a place to break at.
        let start = rest.len() - rest.trim_start_matches(' ').len();
        let at = rest[start..end].rfind(' ').map(|at| start + at).filter(|at| *at > start);
        let Some(at) = at.or_else(|| rest[start..].find(' ').map(|at| start + at)) else { break };
        text.push_str(rest[..at].trim_end());
        text.push('\n');
        text.push_str(&indent);
        rest = rest[at..].trim_start_matches(' ');
        room = columns - indent.len();
    }
    text + rest
}

#[cfg(test)]
mod tests {
    use super::broken;

    #[test]
    fn lines_fit_and_lose_no_word() {
        let text = "Best row so far: 1793, dice 0.895 (default 0.724): G1 75, minSize 8, maxSize 1300, G2 26\n  \
                    ! Chosen and measured on the same 2 images, over which dice runs from 0.859 to 0.918.\n\n  \
                    G1                     0.660  0.634 .. 0.685  ██████▋  0.538  influential\nshort\n";
        for columns in [30, 60, 80] {
            let fitted = broken(text, columns);
            assert!(fitted.lines().all(|line| line.chars().count() <= columns), "{fitted}");
            let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
            assert_eq!(words(&fitted), words(text));
        }
        assert_eq!(broken(text, 110), text);
        assert_eq!(broken("a-word-that-is-longer-than-all-columns of it\n", 30).lines().count(), 2);
    }
}
