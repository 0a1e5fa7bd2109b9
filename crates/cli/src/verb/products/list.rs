//! `onceflow products ls`: results as a table that fits the terminal.

use onceflow_engine::{Listed, ProductRegion, duration_words};
use onceflow_region::{Bounds, RegionQuery};

use super::age;
use crate::args::ListArgs;

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

/// Which regions are asked for; none where all results are.
pub(super) fn query(args: &ListArgs) -> Option<(RegionQuery, Option<Bounds>)> {
    let ListArgs { image, region, within, .. } = args;
    let is_asked = image.is_some() || region.is_some() || within.is_some();
    let place = |side: usize| i64::try_from(side).unwrap_or(i64::MAX);
    let within = within.map(|b| Bounds::plane(place(b.x), place(b.y), b.width as u64, b.height as u64));
    let name = |name: &Option<String>| name.clone().unwrap_or_default();
    is_asked.then(|| (RegionQuery::named(name(image), name(region)), within.flatten()))
}

/// The table of regions: what each is, and where.
pub(super) fn regions(products: &[Listed], columns: Option<usize>) -> String {
    let row = |product: &Listed| {
        let region = product.region.as_ref().map(region_words).unwrap_or_default();
        let start = format!("{:.16}  {region}  ", product.key.to_string());
        let room = columns.map(|columns| columns.saturating_sub(start.chars().count()));
        format!("{start}{}\n", shortened(&plain(&product.maker.run), room))
    };
    let head = "key               region  version  box  run\n";
    products.iter().fold(head.to_owned(), |text, product| text + &row(product))
}

/// `tile/nuclei  17  0,0,1000x1000`: a region, its version, and its box.
pub(super) fn region_words(ProductRegion { id, bounds }: &ProductRegion) -> String {
    let (x, y, width, height) = (bounds.x(), bounds.y(), bounds.width(), bounds.height());
    let name = format!("{}/{}", plain(&id.namespace), plain(&id.key));
    format!("{name}  {}  {x},{y},{width}x{height}", id.version)
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
