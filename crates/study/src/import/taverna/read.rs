//! From XML to the document.

use std::sync::Arc;

use super::super::xml::{XmlElement, parse_xml};
use super::NAMESPACE;
use super::document::{Condition, Dataflow, End, InputPort, Link, Port, Processor, TavernaDocument};
use super::iteration::strategies_from;
use super::parameter::output_kind;
use crate::{Diagnosed, Diagnostic, Diagnostics, RegionKind, SourceText};

/// Reads a file; `messages` receives notes on parts without a meaning here.
pub(super) fn read_document(
    source: &Arc<SourceText>,
    messages: &mut Diagnostics,
) -> Diagnosed<TavernaDocument> {
    let root = parse_xml(source)?;
    let mut reader = TavernaReader { source, messages };
    if (root.name.as_str(), root.namespace.as_str()) != ("workflow", NAMESPACE) {
        let found = format!("<{}> of namespace `{}`", root.name, root.namespace);
        return Err(reader.error(
            &root,
            "not a Taverna 2 workflow",
            &format!("<workflow> of namespace `{NAMESPACE}`"),
            &found,
        ));
    }
    let dataflows = root.children.iter().filter(|child| child.name == "dataflow");
    let mut dataflows = dataflows.map(|element| reader.dataflow(element)).collect::<Diagnosed<Vec<_>>>()?;
    let top = root.children.iter().filter(|child| child.name == "dataflow");
    let top = top.enumerate().find(|(_, d)| d.attribute("role") == Some("top")).map(|(place, _)| place);
    let Some(top) = top else {
        return Err(reader.error(
            &root,
            "the workflow has no top dataflow",
            "<dataflow role=\"top\">",
            "none",
        ));
    };
    dataflows[..=top].rotate_right(1);
    Ok(TavernaDocument { dataflows })
}

struct TavernaReader<'a, 'd> {
    source: &'a Arc<SourceText>,
    messages: &'d mut Diagnostics,
}

impl TavernaReader<'_, '_> {
    fn error(&self, element: &XmlElement, message: &str, expected: &str, found: &str) -> Box<Diagnostic> {
        let diagnostic = Diagnostic::error(message).at(self.source, element.span, "");
        Box::new(diagnostic.expected_found(expected, found))
    }

    fn warn(&mut self, element: &XmlElement, message: String, why: &str) {
        self.messages.push(Diagnostic::warning(message).at(self.source, element.span, "").with_why(why));
    }

    fn text(&self, element: &XmlElement, child: &str) -> Diagnosed<String> {
        let text = element.child_text(child).filter(|text| !text.is_empty());
        let message = format!("<{}> has no <{child}>", element.name);
        text.map(str::to_owned)
            .ok_or_else(|| self.error(element, &message, &format!("<{child}> with a text"), "none"))
    }

    fn attribute(&self, element: &XmlElement, name: &str) -> Diagnosed<String> {
        let message = format!("<{}> has no attribute `{name}`", element.name);
        let value = element.attribute(name).map(str::to_owned);
        value.ok_or_else(|| self.error(element, &message, &format!("{name}=\"…\""), "none"))
    }

    fn dataflow(&mut self, element: &XmlElement) -> Diagnosed<Dataflow> {
        Ok(Dataflow {
            id: self.attribute(element, "id")?,
            name: self.text(element, "name")?,
            about: about(element),
            inputs: element
                .items("inputPorts", "port")
                .map(|p| self.input_port(p))
                .collect::<Diagnosed<_>>()?,
            outputs: element
                .items("outputPorts", "port")
                .map(|p| self.output_port(p))
                .collect::<Diagnosed<_>>()?,
            processors: element
                .items("processors", "processor")
                .map(|p| self.processor(p))
                .collect::<Diagnosed<_>>()?,
            links: element.items("datalinks", "datalink").map(|l| self.link(l)).collect::<Diagnosed<_>>()?,
            conditions: element
                .items("conditions", "condition")
                .map(|c| self.condition(c))
                .collect::<Diagnosed<_>>()?,
            span: element.span,
        })
    }

    fn input_port(&self, element: &XmlElement) -> Diagnosed<InputPort> {
        let annotation = element.child("annotations").and_then(|a| a.descendant("text"));
        Ok(InputPort {
            port: self.port(element)?,
            annotation: annotation.map(|text| text.text.trim().to_owned()),
        })
    }

    fn output_port(&self, element: &XmlElement) -> Diagnosed<Port> {
        let InputPort { port, annotation } = self.input_port(element)?;
        let kind = annotation.map_or(RegionKind::Any, |text| output_kind(&text));
        Ok(Port { kind, ..port })
    }

    fn port(&self, element: &XmlElement) -> Diagnosed<Port> {
        let depth = element.child_text("depth").unwrap_or("0");
        let depth = depth.parse().map_err(|_| {
            self.error(
                element,
                "the depth of a port cannot be read",
                "a whole number",
                &format!("\"{depth}\""),
            )
        })?;
        Ok(Port { name: self.text(element, "name")?, depth, kind: RegionKind::Any, span: element.span })
    }

    fn processor(&mut self, element: &XmlElement) -> Diagnosed<Processor> {
        let name = self.text(element, "name")?;
        let activities: Vec<_> = element.items("activities", "activity").collect();
        let [activity, others @ ..] = activities.as_slice() else {
            return Err(self.error(
                element,
                &format!("processor `{name}` does nothing"),
                "an <activity>",
                "none",
            ));
        };
        if !others.is_empty() {
            let message =
                format!("processor `{name}` has {} activities; only the first is kept", activities.len());
            self.warn(
                others[0],
                message,
                "the others stand in for it when it fails, which cannot be said here",
            );
        }
        self.dispatch(element, &name);
        let kind = self.text(activity, "class")?;
        let mut outputs =
            element.items("outputPorts", "port").map(|p| self.port(p)).collect::<Diagnosed<Vec<_>>>()?;
        declare_output_types(activity, &mut outputs);
        Ok(Processor {
            inputs: element.items("inputPorts", "port").map(|p| self.port(p)).collect::<Diagnosed<_>>()?,
            outputs,
            detail: detail(&kind, activity),
            nested: nested(activity),
            iteration: strategies_from(self.source, element)?,
            kind,
            name,
            span: element.span,
        })
    }

    /// Layers say how often a processor is tried and whether it repeats; ours run once.
    fn dispatch(&mut self, processor: &XmlElement, name: &str) {
        const PLAIN: [&str; 5] = ["Parallelize", "ErrorBounce", "Failover", "Retry", "Invoke"];
        for layer in processor.items("dispatchStack", "dispatchLayer") {
            let class = layer.child_text("class").unwrap_or_default();
            let class = class.rsplit('.').next().unwrap_or_default();
            let configured = layer.child("configBean");
            let retries = configured.and_then(|bean| bean.descendant("maxRetries")).map(|r| r.text.trim());
            if !PLAIN.contains(&class) {
                let message = format!("processor `{name}` runs under `{class}`, which is not kept");
                self.warn(
                    layer,
                    message,
                    "it changes how often the processor runs, which cannot be said here",
                );
            } else if let Some(retries) = retries.filter(|r| *r != "0") {
                let message =
                    format!("processor `{name}` is tried again up to {retries} times, which is not kept");
                self.warn(layer, message, "failures are handled by a study, not by a workflow");
            }
        }
    }

    fn link(&self, element: &XmlElement) -> Diagnosed<Link> {
        let end = |name: &str| -> Diagnosed<(End, String)> {
            let message = format!("<datalink> has no <{name}>");
            let end = element
                .child(name)
                .ok_or_else(|| self.error(element, &message, &format!("<{name}>"), "none"))?;
            let processor = end.child_text("processor").map(str::to_owned);
            let kind = end.attribute("type").unwrap_or_default().to_owned();
            Ok((End { processor, port: self.text(end, "port")? }, kind))
        };
        let (from, _) = end("source")?;
        let (to, kind) = end("sink")?;
        Ok(Link { from, to, merges: kind == "merge", span: element.span })
    }

    fn condition(&self, element: &XmlElement) -> Diagnosed<Condition> {
        let (control, target) = (self.attribute(element, "control")?, self.attribute(element, "target")?);
        Ok(Condition { control, target, span: element.span })
    }
}

/// The description of a dataflow, or its title.
fn about(dataflow: &XmlElement) -> Option<String> {
    let beans =
        dataflow.items("annotations", "annotation_chain").filter_map(|c| c.descendant("annotationBean"));
    let beans: Vec<_> = beans.collect();
    let of = |class: &str| {
        let bean = beans.iter().find(|b| b.attribute("class").is_some_and(|c| c.ends_with(class)))?;
        bean.child_text("text").filter(|text| !text.is_empty())
    };
    of(".DescriptiveTitle").or_else(|| of(".FreeTextDescription")).map(str::to_owned)
}

/// The id of the dataflow that an activity stands for.
fn nested(activity: &XmlElement) -> Option<String> {
    activity.child("configBean")?.child("dataflow")?.attribute("ref").map(str::to_owned)
}

/// The most informative detail of an activity, by the end of its class.
fn detail(class: &str, activity: &XmlElement) -> Option<String> {
    const TELLING: [(&str, &str); 8] = [
        ("StringConstantActivity", "value"),
        ("LocalworkerActivity", "localworkerName"),
        ("ExternalToolActivity", "command"),
        ("BeanshellActivity", "script"),
        ("WSDLActivity", "operation"),
        ("RESTActivity", "urlSignature"),
        ("XPathActivity", "xpathExpression"),
        ("RshellActivity", "script"),
    ];
    let (_, tag) = TELLING.iter().find(|(end, _)| class.ends_with(end))?;
    activity.child("configBean")?.descendant(tag).map(|element| element.text.trim().to_owned())
}

/// External tools of the Region Templates framework write the type of an output in the field of its path.
fn declare_output_types(activity: &XmlElement, outputs: &mut [Port]) {
    let declared = activity.child("configBean").and_then(|bean| bean.descendant("outputs"));
    for entry in declared.into_iter().flat_map(|outputs| &outputs.children) {
        let name = entry.child_text("string");
        let is_array = entry.descendant("path").is_some_and(|path| path.text.trim() == "floatarray");
        for port in outputs.iter_mut().filter(|port| is_array && Some(port.name.as_str()) == name) {
            port.kind = RegionKind::Table;
        }
    }
}
