//! How a processor runs over lists: dot and cross products of its input ports, nested as they like.

use std::sync::Arc;

use super::super::xml::XmlElement;
use crate::{Diagnostic, Iteration, SourceText};

/// The strategies of a processor, outermost first; those without ports are left out.
pub(super) fn strategies_from(
    source: &Arc<SourceText>,
    processor: &XmlElement,
) -> Result<Vec<Iteration>, Box<Diagnostic>> {
    let stack = processor.child("iterationStrategyStack").into_iter().flat_map(|stack| &stack.children);
    let strategies = stack.flat_map(|iteration| &iteration.children).flat_map(|strategy| &strategy.children);
    let strategies = strategies.map(|node| strategy_from(source, node)).collect::<Result<Vec<_>, _>>()?;
    Ok(strategies.into_iter().filter(|strategy| strategy.ports() > 0).collect())
}

fn strategy_from(source: &Arc<SourceText>, node: &XmlElement) -> Result<Iteration, Box<Diagnostic>> {
    let inner = || node.children.iter().map(|child| strategy_from(source, child)).collect::<Result<_, _>>();
    match node.name.as_str() {
        "cross" => Ok(Iteration::Cross(inner()?)),
        "dot" => Ok(Iteration::Dot(inner()?)),
        "port" => {
            let depth = node.attribute("depth").unwrap_or("0").parse();
            let name = node.attribute("name").map(str::to_owned);
            match (name, depth) {
                (Some(name), Ok(depth)) => Ok(Iteration::Port { name, depth }),
                _ => Err(unreadable(source, node, "<port name=\"…\" depth=\"0\">", "another one")),
            }
        }
        other => Err(unreadable(source, node, "<cross>, <dot> or <port>", &format!("<{other}>"))),
    }
}

fn unreadable(source: &Arc<SourceText>, node: &XmlElement, expected: &str, found: &str) -> Box<Diagnostic> {
    let diagnostic = Diagnostic::error("an iteration strategy cannot be read").at(source, node.span, "");
    Box::new(diagnostic.expected_found(expected, found))
}
