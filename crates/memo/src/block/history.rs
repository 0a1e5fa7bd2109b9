//! Value histories: of each variable all values until now, as one chained digest.

use std::collections::HashMap;

use onceflow_region::Digester;

/// The last values are kept for explanations, up to so many bytes of words.
const MOST_WORDS: usize = 200;

/// The histories of all variables.
#[derive(Debug, Default)]
pub(super) struct Histories {
    of: HashMap<String, History>,
}

#[derive(Debug, Default)]
struct History {
    digest: [u8; 32],
    values: u64,
    words: String,
}

impl Histories {
    /// Each digest covers the one before, so that one of 32 bytes stands for all values in their order.
    pub(super) fn record(&mut self, variable: &str, value: &[u8]) {
        let history = self.of.entry(variable.to_owned()).or_default();
        let mut digester = Digester::new("onceflow memo history v1");
        digester.bytes(&history.digest);
        digester.number(value.len() as u64);
        digester.bytes(value);
        history.digest = digester.finish().0;
        history.values += 1;
        history.words.push_str(&format!(" {}", words(value)));
        while history.words.len() > MOST_WORDS
            && let Some(end) = history.words.char_indices().skip(1).find(|(_, letter)| *letter == ' ')
        {
            history.words.drain(..end.0);
        }
    }

    pub(super) fn forget(&mut self, variable: &str) {
        self.of.remove(variable);
    }

    /// The digest of a history, and words for people.
    pub(super) fn of(&self, variable: &str) -> ([u8; 32], String) {
        match self.of.get(variable) {
            None => ([0; 32], "no values".to_owned()),
            Some(history) => (history.digest, format!("{} values:{}", history.values, history.words)),
        }
    }
}

/// A value for people: a short text or a number as it is, other bytes by a digest.
fn words(value: &[u8]) -> String {
    if let Ok(number) = <[u8; 8]>::try_from(value) {
        return f64::from_ne_bytes(number).to_string();
    }
    match std::str::from_utf8(value) {
        Ok(text) if text.len() <= 20 && text.chars().all(|letter| letter.is_ascii_graphic()) => {
            text.to_owned()
        }
        _ => blake3::hash(value).to_hex()[..8].to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_history_is_its_values_in_their_order() {
        let digest = |values: &[&[u8]]| {
            let mut histories = Histories::default();
            values.iter().for_each(|value| histories.record("prm", value));
            histories.of("prm").0
        };
        assert_eq!(digest(&[b"a", b"b"]), digest(&[b"a", b"b"]));
        assert_ne!(digest(&[b"a", b"b"]), digest(&[b"b", b"a"]));
        assert_ne!(digest(&[b"ab"]), digest(&[b"a", b"b"]));
        assert_ne!(digest(&[b""]), digest(&[]));
    }

    #[test]
    fn words_are_short_and_end_with_the_last_value() {
        let mut histories = Histories::default();
        (0..1000).for_each(|number: i32| histories.record("prm", f64::from(number).to_ne_bytes().as_slice()));
        let words = histories.of("prm").1;
        assert!(
            words.starts_with("1000 values:") && words.ends_with(" 998 999") && words.len() < 250,
            "{words}"
        );
    }
}
