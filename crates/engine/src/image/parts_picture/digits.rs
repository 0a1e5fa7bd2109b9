//! Digits of three by five dots.

/// The rows of each digit, three dots in the lowest bits.
const ROWS: [[u8; 5]; 10] = [
    [0b111, 0b101, 0b101, 0b101, 0b111],
    [0b010, 0b110, 0b010, 0b010, 0b111],
    [0b111, 0b001, 0b111, 0b100, 0b111],
    [0b111, 0b001, 0b111, 0b001, 0b111],
    [0b101, 0b101, 0b111, 0b001, 0b001],
    [0b111, 0b100, 0b111, 0b001, 0b111],
    [0b111, 0b100, 0b111, 0b101, 0b111],
    [0b111, 0b001, 0b010, 0b010, 0b010],
    [0b111, 0b101, 0b111, 0b101, 0b111],
    [0b111, 0b101, 0b111, 0b001, 0b111],
];

/// Columns and rows of a number.
pub(super) fn size(text: &str) -> (i64, i64) {
    (4 * text.len() as i64 - 1, 5)
}

/// Whether a dot of a number is inked.
pub(super) fn inked(text: &str, x: i64, y: i64) -> bool {
    let dot = || {
        let (x, y) = (usize::try_from(x).ok()?, usize::try_from(y).ok()?);
        let digit = text.as_bytes().get(x / 4)?.checked_sub(b'0')?;
        let row = ROWS.get(usize::from(digit))?.get(y)?;
        Some(x % 4 < 3 && row >> (2 - x % 4) & 1 == 1)
    };
    dot().unwrap_or(false)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_made_of_dots() {
        let (width, height) = size("47");
        let row = |y| (0..width).map(|x| if inked("47", x, y) { '#' } else { '.' }).collect::<String>();
        let rows: Vec<String> = (0..height).map(row).collect();
        assert_eq!(rows, ["#.#.###", "#.#...#", "###..#.", "..#..#.", "..#..#."]);
        assert!(!inked("47", -1, 0) && !inked("47", 0, 9));
    }
}
