//! The sentences of the answer, which the terminal and the page share.

mod effects;
mod failures;
mod how;
mod number;
mod remarks;
mod row;
mod tuning;

pub(super) use effects::{against, headline, others, screened};
pub(super) use failures::{FailureGroup, failed, failures};
pub(super) use how::how;
pub(super) use number::{capital, metric_pair, metric_text};
pub use number::{duration_words, memory_words};
pub(super) use remarks::remarks;
pub(super) use row::{better, proposed, values};
pub(super) use tuning::{confirmation, left_out, tuned};

/// `a`, `a and b`, `a, b and c`.
pub(super) fn and<S: AsRef<str>>(names: &[S]) -> String {
    let names: Vec<&str> = names.iter().map(AsRef::as_ref).collect();
    match names.split_last() {
        None => String::new(),
        Some((only, [])) => (*only).into(),
        Some((last, first)) => format!("{} and {last}", first.join(", ")),
    }
}

/// A number as a word up to twenty, as digits above.
pub(super) fn number_word(count: usize) -> String {
    const WORDS: [&str; 21] = [
        "no",
        "one",
        "two",
        "three",
        "four",
        "five",
        "six",
        "seven",
        "eight",
        "nine",
        "ten",
        "eleven",
        "twelve",
        "thirteen",
        "fourteen",
        "fifteen",
        "sixteen",
        "seventeen",
        "eighteen",
        "nineteen",
        "twenty",
    ];
    WORDS.get(count).map_or_else(|| onceflow_study::with_commas(count as u128), |word| (*word).into())
}
