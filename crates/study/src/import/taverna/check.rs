//! Checks of the links of a dataflow.

use std::collections::HashSet;
use std::sync::Arc;

use super::document::{Dataflow, Link};
use crate::workflow::MOST_TASKS;
use crate::{Diagnosed, Diagnostic, SourceSpan, SourceText, nearest};

/// Names must be different, links must end at existing ports, and two may end in one port only when merged.
pub(super) fn check_dataflow(source: &Arc<SourceText>, dataflow: &Dataflow) -> Diagnosed<()> {
    let checker = TavernaChecker { source, dataflow };
    if dataflow.processors.len() > MOST_TASKS {
        return Err(checker.error(dataflow.span, format!("the workflow has more than {MOST_TASKS} tasks")));
    }
    let inputs = dataflow.inputs.iter().map(|input| (input.port.name.as_str(), input.port.span));
    let inputs = checker.different("input ports", inputs)?;
    let outputs = dataflow.outputs.iter().map(|port| (port.name.as_str(), port.span));
    let outputs = checker.different("output ports", outputs)?;
    let processors = dataflow.processors.iter().map(|p| (p.name.as_str(), p.span));
    let processors = checker.different("processors", processors)?;
    checker.links(&LinkEnds { inputs, outputs, processors: processors.clone() })?;
    for condition in &dataflow.conditions {
        for processor in [&condition.control, &condition.target] {
            checker.processor(&processors, processor, condition.span, "a control link")?;
        }
    }
    Ok(())
}

/// Where links may start and end.
struct LinkEnds<'a> {
    inputs: HashSet<&'a str>,
    outputs: HashSet<&'a str>,
    processors: HashSet<&'a str>,
}

struct TavernaChecker<'a> {
    source: &'a Arc<SourceText>,
    dataflow: &'a Dataflow,
}

impl<'a> TavernaChecker<'a> {
    fn error(&self, span: SourceSpan, message: String) -> Box<Diagnostic> {
        Box::new(Diagnostic::error(message).at(self.source, span, ""))
    }

    fn different(
        &self,
        what: &str,
        names: impl Iterator<Item = (&'a str, SourceSpan)>,
    ) -> Diagnosed<HashSet<&'a str>> {
        let mut seen = HashSet::new();
        for (name, span) in names {
            if !seen.insert(name) {
                let message = format!("two {what} of `{}` are called `{name}`", self.dataflow.name);
                return Err(self.error(span, message));
            }
        }
        Ok(seen)
    }

    fn links(&self, ends: &LinkEnds<'_>) -> Diagnosed<()> {
        let mut taken = HashSet::new();
        for link in &self.dataflow.links {
            self.ends(link, ends)?;
            if !taken.insert(&link.to) && !link.merges {
                let message = format!("two data links end in `{}` without being merged", link.to.port);
                return Err(self.error(link.span, message));
            }
        }
        Ok(())
    }

    fn ends(&self, link: &Link, ends: &LinkEnds<'_>) -> Diagnosed<()> {
        for processor in [&link.from.processor, &link.to.processor].into_iter().flatten() {
            self.processor(&ends.processors, processor, link.span, "a data link")?;
        }
        if link.from.processor.is_none() && !ends.inputs.contains(link.from.port.as_str()) {
            let message = format!("a data link starts at `{}`, which is not an input port", link.from.port);
            return Err(self.error(link.span, message));
        }
        if link.to.processor.is_none() && !ends.outputs.contains(link.to.port.as_str()) {
            let message = format!("a data link ends at `{}`, which is not an output port", link.to.port);
            return Err(self.error(link.span, message));
        }
        Ok(())
    }

    fn processor(&self, known: &HashSet<&str>, name: &str, span: SourceSpan, what: &str) -> Diagnosed<()> {
        if known.contains(name) {
            return Ok(());
        }
        let mut error =
            self.error(span, format!("{what} names the processor `{name}`, which does not exist"));
        error.hint = nearest(name, known.iter().copied()).map(|near| format!("write `{near}`"));
        Err(error)
    }
}
