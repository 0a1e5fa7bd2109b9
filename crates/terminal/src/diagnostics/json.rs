//! Diagnostics for scripts.

use onceflow_study::Diagnostic;
use serde_json::{Value, json};

/// One object per message; what a message does not have is null.
pub fn diagnostics_to_json(messages: &[Diagnostic]) -> Vec<Value> {
    messages.iter().map(one).collect()
}

fn one(message: &Diagnostic) -> Value {
    let label = message.labels.first();
    let position = label.map(|l| l.source.position(l.span.start));
    json!({
        "severity": message.severity.word(),
        "message": message.message,
        "file": label.map(|l| l.source.name.as_str()),
        "line": position.map(|p| p.line),
        "column": position.map(|p| p.column),
        "expected": message.expected,
        "found": message.found,
        "why": message.why,
        "hint": message.hint,
    })
}
