//! Words as a shell takes them.

/// A word that a shell takes as it is: in quotes where it must be.
pub(crate) fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "-_./:=,+@%".contains(c);
    let whole = !word.is_empty() && word.chars().all(plain);
    if whole { word.to_owned() } else { format!("'{}'", word.replace('\'', "'\\''")) }
}
