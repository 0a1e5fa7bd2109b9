//! How wide words are, how to shorten and break them, and how numbers are written.

use crate::number::fixed;

/// About how wide a text is, on the wide side: fonts differ.
pub(super) fn width(text: &str, size: f64) -> f64 {
    text.chars().map(|c| character_width(c) * size).sum()
}

/// Shares of the font size, between those of Arial and of DejaVu Sans.
fn character_width(character: char) -> f64 {
    match character {
        'i' | 'j' | 'l' | 'I' | '.' | ',' | ':' | ';' | '\'' | '|' | '!' | ' ' => 0.32,
        'f' | 't' | 'r' | '(' | ')' | '[' | ']' | '-' | '/' => 0.42,
        'm' | 'w' | 'M' | 'W' | '@' | '%' | '…' => 0.95,
        '<' | '>' | '&' | '+' | '=' | '~' | '#' | '^' => 0.84,
        'A'..='Z' => 0.70,
        ' '..='~' => 0.61,
        // Ideographs, Hangul, full-width forms and emoji are as wide as they are high.
        '\u{1100}'..='\u{11ff}' | '\u{2e80}'..='\u{ffef}' | '\u{1f000}'..='\u{3ffff}' => 1.05,
        _ => 0.70,
    }
}

/// The text, or its two ends with `…` between them when it is too wide: both ends of a long name tell it from others.
pub(super) fn shortened(text: &str, size: f64, most: f64) -> String {
    if width(text, size) <= most {
        return text.into();
    }
    let characters: Vec<char> = text.chars().collect();
    let cut = |kept: usize| {
        let head = kept.div_ceil(2);
        let tail = characters.len() - (kept - head);
        characters[..head].iter().chain(&['…']).chain(&characters[tail..]).collect::<String>()
    };
    let fits = |kept: &usize| width(&cut(*kept), size) <= most;
    (1..characters.len())
        .rev()
        .map(|kept| (kept, cut(kept)))
        .find(|(kept, _)| fits(kept))
        .map_or("…".into(), |(_, t)| t)
}

/// The text in lines no wider than `most`, broken at spaces; a longer word is shortened.
pub(super) fn wrapped(text: &str, size: f64, most: f64) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        let word = shortened(word, size, most);
        match lines.last_mut() {
            Some(line) if width(line, size) + width(" ", size) + width(&word, size) <= most => {
                line.push(' ');
                line.push_str(&word);
            }
            _ => lines.push(word),
        }
    }
    lines
}

/// A number in three significant digits; `none` for NaN.
pub(super) fn number(value: f64) -> String {
    let size = value.abs();
    if !value.is_finite() {
        return "none".into();
    }
    if size != 0.0 && !(1e-3..1e6).contains(&size) {
        return format!("{value:.1e}");
    }
    let decimals = match size {
        s if s >= 100.0 => 0,
        s if s >= 10.0 => 1,
        s if s >= 0.0995 || s == 0.0 => 2,
        _ => 3,
    };
    fixed(value, decimals)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short_and_never_minus_zero() {
        let written = [0.0, -0.0001, 0.0516, 0.3139, 1.0, 12.345, 1234.6, 2.5e7, f64::NAN].map(number);
        assert_eq!(written, ["0.00", "-1.0e-4", "0.052", "0.31", "1.00", "12.3", "1235", "2.5e7", "none"]);
    }

    #[test]
    fn long_names_keep_both_ends() {
        let short = shortened("a_very_long_parameter_name_indeed", 12.0, 100.0);
        assert!(short.starts_with("a_v") && short.ends_with("ed") && short.contains('…'), "{short}");
        assert!(width(&short, 12.0) <= 100.0);
        assert_eq!(shortened("x", 12.0, 100.0), "x");
        assert_eq!(shortened("abc", 12.0, 1.0), "…");
    }

    #[test]
    fn lines_hold_every_word() {
        let lines = wrapped("one two three four five", 10.0, 60.0);
        assert!(lines.len() > 1 && lines.iter().all(|l| width(l, 10.0) <= 60.0));
        assert_eq!(lines.join(" "), "one two three four five");
        assert!(wrapped("  ", 10.0, 60.0).is_empty());
    }
}
