//! Graphs in the language of Graphviz.

use super::{BoxKind, Graph};

pub(super) fn dot(graph: &Graph) -> String {
    let mut text = format!(
        "digraph {{\n  label={};\n  labelloc=t;\n  node [shape=box, style=\"rounded,filled\", fontname=\"sans-serif\"];\n",
        quoted(&graph.title)
    );
    for (at, drawn) in graph.boxes.iter().enumerate() {
        let label = quoted(&drawn.lines.join("\n"));
        text.push_str(&format!("  n{at} [label={label}, fillcolor=\"{}\"];\n", fill(drawn.kind)));
    }
    for (from, to, words) in &graph.arrows {
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
        let mut graph = Graph { title: "a \"b\"".into(), ..Graph::default() };
        let one = graph.add(BoxKind::Source, vec!["x\\y".into(), "z".into()]);
        let two = graph.add(BoxKind::Task, vec!["t".into()]);
        graph.arrow(one, two, "r");
        graph.arrow(one, two, "r");
        let text = graph.dot();
        assert!(text.contains("label=\"a \\\"b\\\"\"") && text.contains("\"x\\\\y\\nz\""), "{text}");
        assert_eq!(text.matches("n0 -> n1 [label=\"r\"];").count(), 1);
    }
}
