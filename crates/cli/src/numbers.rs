//! Numbers for people.

use onceflow_study::with_commas;

/// A count with its noun, in the plural unless there is one: `1 row`, `12,345 rows`.
pub(crate) fn counted(n: usize, noun: &str) -> String {
    let ending = if n == 1 { "" } else { "s" };
    format!("{} {noun}{ending}", with_commas(n as u128))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_is_singular() {
        assert_eq!((counted(1, "row"), counted(4352, "row")), ("1 row".into(), "4,352 rows".into()));
    }
}
