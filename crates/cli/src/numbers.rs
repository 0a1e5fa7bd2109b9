//! Numbers for people.

/// A count with commas: 12,345.
pub(crate) fn count(n: impl Into<u128>) -> String {
    let digits = n.into().to_string();
    let mut text = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A count with its noun, in the plural unless there is one: `1 row`, `12,345 rows`.
pub(crate) fn counted(n: usize, noun: &str) -> String {
    let ending = if n == 1 { "" } else { "s" };
    format!("{} {noun}{ending}", count(n as u128))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commas_stand_between_thousands() {
        assert_eq!(count(0_u8), "0");
        assert_eq!(count(999_u32), "999");
        assert_eq!(count(1000_u32), "1,000");
        assert_eq!(count(1_234_567_u64), "1,234,567");
        assert_eq!((counted(1, "row"), counted(4352, "row")), ("1 row".into(), "4,352 rows".into()));
    }
}
