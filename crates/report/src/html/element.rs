//! The few elements the page is made of. Whatever is given as a text is escaped here.

pub(super) use onceflow_sensitivity::svg::escaped;

/// A text between double quotes in a tag.
pub(super) fn attribute(text: &str) -> String {
    escaped(text)
}

/// A section with a heading; `id` and `body` are our own.
pub(super) fn section(id: &str, title: &str, body: &str) -> String {
    format!("<section id=\"{id}\">\n<h2>{}</h2>\n{body}</section>\n", escaped(title))
}

/// A paragraph of text.
pub(super) fn paragraph(text: &str) -> String {
    format!("<p>{}</p>\n", escaped(text))
}

/// A list of texts.
pub(super) fn list(class: &str, items: &[String]) -> String {
    let items: String = items.iter().map(|item| format!("<li>{}</li>\n", escaped(item))).collect();
    format!("<ul class=\"{class}\">\n{items}</ul>\n")
}

/// A table whose first row holds the heads of the columns and whose first column those of the rows.
pub(super) fn table(caption: &str, heads: &[String], rows: &[Vec<String>]) -> String {
    let head: String = heads.iter().map(|text| format!("<th scope=\"col\">{}</th>", escaped(text))).collect();
    let body: String = rows.iter().map(|row| table_row(row)).collect();
    format!(
        "<div class=\"scroll\" tabindex=\"0\" role=\"group\" aria-label=\"{}\">\n<table>\n<caption>{}</caption>\n\
         <thead><tr>{head}</tr></thead>\n<tbody>\n{body}</tbody>\n</table>\n</div>\n",
        attribute(caption),
        escaped(caption)
    )
}

fn table_row(cells: &[String]) -> String {
    let (name, others) = cells.split_first().map_or(("", &[][..]), |(name, others)| (name.as_str(), others));
    let cells: String = others.iter().map(|text| format!("<td>{}</td>", escaped(text))).collect();
    format!("<tr><th scope=\"row\">{}</th>{cells}</tr>\n", escaped(name))
}

/// Something to open.
pub(super) fn details(summary: &str, body: &str) -> String {
    format!("<details>\n<summary>{}</summary>\n{body}</details>\n", escaped(summary))
}

/// Something that stands open, to be closed.
pub(super) fn opened(summary: &str, body: &str) -> String {
    format!("<details open=\"open\">\n<summary>{}</summary>\n{body}</details>\n", escaped(summary))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_that_is_given_becomes_markup() {
        assert_eq!(
            escaped("<a href=\"x\" title='y'>&\u{1b}"),
            "&lt;a href=&quot;x&quot; title=&#39;y&#39;&gt;&amp;\u{fffd}"
        );
    }
}
