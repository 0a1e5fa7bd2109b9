//! Names of log files.

use std::path::{Path, PathBuf};

/// The folder of logs in the folder of a run.
pub(crate) const LOGS: &str = "logs";

/// The file of a log under the folder of logs: `t6_flood/kidney-04-0-row-17.log`.
pub(crate) fn log_name(task: &str, site: &str, row: usize) -> PathBuf {
    let site = if site.is_empty() { String::new() } else { format!("{site}-") };
    Path::new(&encoded(task)).join(format!("{site}row-{row}.log"))
}

/// The name of a part in names of logs: its image, and its number among the image's parts.
pub(crate) fn part_name(image: &str, part: usize) -> String {
    format!("{}-{part}", encoded(image))
}

/// A name as the name of a file; different names stay different.
pub(crate) fn encoded(name: &str) -> String {
    // Only ASCII characters have a meaning to a file system.
    let plain = |c: char| !c.is_ascii() || c.is_ascii_alphanumeric() || c == '_' || c == '-';
    let character = |c: char| if plain(c) { c.to_string() } else { format!("%{:02x}", u32::from(c)) };
    name.chars().map(character).collect()
}

/// The name that [`encoded`] was given.
pub(super) fn decoded(name: &str) -> String {
    let mut pieces = name.split('%');
    let mut text: String = pieces.next().map_or_else(String::new, str::to_owned);
    for piece in pieces {
        let code =
            piece.get(..2).and_then(|code| u32::from_str_radix(code, 16).ok()).and_then(char::from_u32);
        match (code, piece.get(2..)) {
            (Some(c), Some(rest)) => text.extend(std::iter::once(c).chain(rest.chars())),
            _ => text.push_str(piece),
        }
    }
    text
}
