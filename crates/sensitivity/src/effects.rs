//! The effects that an earlier phase found, read from the JSON of its analysis.

use std::sync::Arc;

use onceflow_study::{Diagnostic, FactorEffect, LocatedNode, SourceSpan, SourceText, nearest, parse_json};

/// Effects of one output in the JSON of an analysis by morris or vbd: mu*, or the total index. Without a name, of its
/// first output.
pub fn read_effects(
    source: &Arc<SourceText>,
    output: Option<&str>,
) -> Result<Vec<FactorEffect>, Box<Diagnostic>> {
    let root = parse_json(source)?;
    let outputs = list(&root, "outputs").ok_or_else(|| not_indices(source, &root))?;
    let found = match output {
        None => outputs.first().ok_or_else(|| not_indices(source, &root))?,
        Some(name) => {
            let named = |o: &&LocatedNode| text(o, "name") == Some(name);
            outputs.iter().find(named).ok_or_else(|| no_output(source, &root, outputs, name))?
        }
    };
    let parameters = list(found, "parameters").ok_or_else(|| not_indices(source, found))?;
    parameters.iter().map(|p| effect(source, p)).collect()
}

fn effect(source: &Arc<SourceText>, parameter: &LocatedNode) -> Result<FactorEffect, Box<Diagnostic>> {
    let known = ["mu_star", "st"].into_iter().find(|key| get(parameter, key).is_some());
    let (Some(key), Some(name)) = (known, text(parameter, "name")) else {
        return Err(not_effects(source, parameter));
    };
    // A null stands for a number that could not be computed.
    let number = |key: &str| get(parameter, key).and_then(LocatedNode::as_number).unwrap_or(f64::NAN);
    Ok(FactorEffect { name: name.into(), value: number(key), high: number(&format!("{key}_high")) })
}

fn get<'a>(node: &'a LocatedNode, key: &str) -> Option<&'a LocatedNode> {
    node.as_table().and_then(|table| table.get(key))
}

fn list<'a>(node: &'a LocatedNode, key: &str) -> Option<&'a [LocatedNode]> {
    get(node, key).and_then(LocatedNode::as_list)
}

fn text<'a>(node: &'a LocatedNode, key: &str) -> Option<&'a str> {
    get(node, key).and_then(LocatedNode::as_text)
}

/// An object may be long: its first byte is enough of a mark.
fn start(node: &LocatedNode) -> SourceSpan {
    SourceSpan { start: node.span.start, end: node.span.start + 1 }
}

fn not_indices(source: &Arc<SourceText>, node: &LocatedNode) -> Box<Diagnostic> {
    let error = Diagnostic::error("not the indices of an analysis").at(source, start(node), "");
    let error = error.expected_found("the object that `onceflow analyze --json` prints", node.describe());
    Box::new(error.with_hint("give the result of analysing the earlier phase with --json"))
}

fn not_effects(source: &Arc<SourceText>, node: &LocatedNode) -> Box<Diagnostic> {
    let error = Diagnostic::error("parameters cannot be chosen by these indices").at(source, start(node), "");
    let error = error.expected_found("mu_star (morris) or st (vbd) of each parameter", "neither");
    Box::new(error.with_hint("analyse the earlier phase with --method morris or vbd"))
}

fn no_output(
    source: &Arc<SourceText>,
    root: &LocatedNode,
    outputs: &[LocatedNode],
    name: &str,
) -> Box<Diagnostic> {
    let names: Vec<&str> = outputs.iter().filter_map(|o| text(o, "name")).collect();
    let error = Diagnostic::error(format!("the indices have no output `{name}`")).at(source, start(root), "");
    let error =
        error.expected_found(format!("`{name}`, by which the phase keeps parameters"), names.join(", "));
    Box::new(match nearest(name, names.iter().copied()) {
        Some(near) => error.with_hint(format!("did you mean `{near}`?")),
        None => error.with_hint("analyse the earlier phase with this output among its results"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str, output: Option<&str>) -> Result<Vec<FactorEffect>, String> {
        read_effects(&SourceText::new("i.json", text), output).map_err(|d| d.to_string())
    }

    const INDICES: &str = r#"{"version":1,"method":"morris","outputs":[
        {"name":"dice","parameters":[{"name":"G1","mu_star":0.5,"mu_star_high":0.7},{"name":"G2","mu_star":null,"mu_star_high":null}]},
        {"name":"density","parameters":[{"name":"G1","st":0.1,"st_high":0.2}]}]}"#;

    #[test]
    fn effects_of_the_named_output_or_the_first() {
        let effects = read(INDICES, None).unwrap();
        assert_eq!((effects[0].name.as_str(), effects[0].value, effects[0].high), ("G1", 0.5, 0.7));
        assert!(effects[1].value.is_nan() && effects[1].high.is_nan());
        assert_eq!(read(INDICES, Some("density")).unwrap()[0].high, 0.2);
    }

    #[test]
    fn other_texts_are_refused_with_a_hint() {
        assert!(read(INDICES, Some("densty")).unwrap_err().contains("did you mean `density`?"));
        for text in ["[]", "{}", r#"{"outputs":[]}"#, r#"{"outputs":[{"name":"y"}]}"#, r#"{"outputs":[7]}"#] {
            assert!(read(text, None).unwrap_err().contains("not the indices of an analysis"), "{text}");
        }
        let text = r#"{"outputs":[{"name":"y","parameters":[{"name":"a","pearson":1}]}]}"#;
        assert!(read(text, None).unwrap_err().contains("mu_star (morris) or st (vbd)"));
        assert!(read("{", None).is_err());
    }
}
