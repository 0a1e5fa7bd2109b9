//! `onceflow products ls`: results as a table that fits the terminal.

use onceflow_engine::{Listed, duration_words};

use super::age;

/// Narrower than this, the table leaves out seconds and uses.
const NARROW: usize = 64;

/// The name of a run has at least so many columns.
const LEAST: usize = 8;

/// The table: lines that fit so many columns, where the end of a long name says more than its beginning.
pub(super) fn table(products: &[Listed], columns: Option<usize>) -> String {
    let narrow = columns.is_some_and(|columns| columns < NARROW);
    let head = if narrow {
        "key              bytes  age       run\n"
    } else {
        "key                    bytes  seconds  uses  age       run\n"
    };
    let row = |product: &Listed| {
        let key = product.key.to_string();
        let age = duration_words(age(product.created));
        let start = if narrow {
            format!("{key:.12}  {:>8}  {age:8}  ", product.bytes)
        } else {
            let (bytes, seconds, uses) = (product.bytes, product.seconds, product.uses);
            format!("{key:.16}  {bytes:>10}  {seconds:>7.3}  {uses:>4}  {age:8}  ")
        };
        let pinned = if product.pinned { "  pinned" } else { "" };
        let room = columns.map(|columns| columns.saturating_sub(start.chars().count() + pinned.len()));
        format!("{start}{}{pinned}\n", shortened(&plain(&product.maker.run), room))
    };
    products.iter().fold(head.to_owned(), |text, product| text + &row(product))
}

/// A text without characters that move the cursor or colour the terminal: names of runs are whatever someone wrote.
pub(super) fn plain(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect()
}

/// The end of a text that is longer than the room for it.
fn shortened(text: &str, room: Option<usize>) -> String {
    let length = text.chars().count();
    match room.map(|room| room.max(LEAST)) {
        Some(room) if length > room => {
            let end: String = text.chars().skip(length - (room - 1)).collect();
            format!("…{end}")
        }
        _ => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_names_keep_their_ends_and_controls_do_nothing() {
        assert_eq!(shortened("/home/ada/studies/first", Some(12)), "…udies/first");
        assert_eq!(shortened("/home/ada/studies/first", None), "/home/ada/studies/first");
        assert_eq!(shortened("runs/first", Some(1)).chars().count(), LEAST);
        assert_eq!(plain("runs/\u{1b}[31mred\n"), "runs/\u{fffd}[31mred\u{fffd}");
    }
}
