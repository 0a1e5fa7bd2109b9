//! Graphs in the language of Graphviz.

use super::{BoxKind, Drawing};

pub(super) fn dot(drawing: &Drawing) -> String {
    let mut text = format!(
        "digraph {{\n  label={};\n  labelloc=t;\n  node [shape=box, style=\"rounded,filled\", fontname=\"sans-serif\"];\n",
        quoted(&drawing.title)
    );
    for (at, drawn) in drawing.boxes.iter().enumerate() {
        let label = quoted(&drawn.lines.join("\n"));
        text.push_str(&format!("  n{at} [label={label}, fillcolor=\"{}\"];\n", fill(drawn.kind)));
    }
    for (from, to, words) in &drawing.arrows {
        let label = if words.is_empty() { String::new() } else { format!(" [label={}]", quoted(words)) };
        text.push_str(&format!("  n{from} -> n{to}{label};\n"));
    }
    text.push_str("}\n");
    text
}

/// The colour of a box.
pub(super) fn fill(kind: BoxKind) -> &'static str {
    match kind {
        BoxKind::Source => "#eeeeee",
        BoxKind::Task => "#dbe9f6",
        BoxKind::Row => "#e5f2dd",
    }
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_quoted() {
        let mut drawing = Drawing { title: "a \"b\"".into(), ..Drawing::default() };
        let one = drawing.add(BoxKind::Source, vec!["x\\y".into(), "z".into()]);
        let two = drawing.add(BoxKind::Task, vec!["t".into()]);
        drawing.arrow(one, two, "r");
        drawing.arrow(one, two, "r");
        let text = drawing.dot();
        assert!(text.contains("label=\"a \\\"b\\\"\"") && text.contains("\"x\\\\y\\nz\""), "{text}");
        assert_eq!(text.matches("n0 -> n1 [label=\"r\"];").count(), 1);
    }
}
