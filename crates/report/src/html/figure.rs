//! A figure: a drawing with what it says, and its data to take along.

use super::base64::base64;
use super::drawing::FinishedDrawing;
use super::element::{attribute, escaped};

/// A drawing with a caption, itself and its data to download; `name` becomes the names of the files.
pub(super) fn figure(drawing: &FinishedDrawing, name: &str, caption: &str, csv: Option<&str>) -> String {
    let name = file_name(name);
    let svg = download(&format!("{name}.svg"), "image/svg+xml", drawing.standalone.as_bytes(), "SVG");
    let csv =
        csv.map(|csv| download(&format!("{name}.csv"), "text/csv;charset=utf-8", csv.as_bytes(), "CSV"));
    format!(
        "<figure class=\"drawn\">\n<div class=\"plot\" tabindex=\"0\" role=\"group\" aria-label=\"{}\">\n{}</div>\n\
         <figcaption>{} <span class=\"get\">{svg} {}</span></figcaption>\n</figure>\n",
        attribute(caption),
        drawing.inline,
        escaped(caption),
        csv.unwrap_or_default()
    )
}

/// A link that holds the file it names.
pub(super) fn download(file: &str, kind: &str, bytes: &[u8], words: &str) -> String {
    format!(
        "<a download=\"{}\" href=\"data:{kind};base64,{}\">{}</a>",
        attribute(file),
        base64(bytes),
        escaped(words)
    )
}

/// Letters and digits of a name, and one hyphen for whatever lies between them.
pub(super) fn file_name(name: &str) -> String {
    let mut text = String::new();
    for character in name.chars() {
        match character {
            c if c.is_alphanumeric() || c == '_' => text.push(c),
            _ if text.ends_with('-') || text.is_empty() => {}
            _ => text.push('-'),
        }
    }
    text.trim_end_matches('-').to_owned()
}

#[cfg(test)]
mod tests {
    use super::file_name;

    #[test]
    fn names_of_files_hold_nothing_that_steers() {
        assert_eq!(file_name("effects dice../<x>"), "effects-dice-x");
        assert_eq!(file_name("../"), "");
    }
}
