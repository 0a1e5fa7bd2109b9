//! Quoting for shells.

/// A word with quotes where a shell needs them.
pub(crate) fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "-_./:=,+@%".contains(c);
    let whole = !word.is_empty() && word.chars().all(plain);
    if whole { word.to_owned() } else { format!("'{}'", word.replace('\'', "'\\''")) }
}
