//! Expands nested dataflows: ports and links become regions, merged links become tasks.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use super::check::check_dataflow;
use super::document::{Dataflow, End, Link, Port, Processor, TavernaDocument};
use super::level::{DataflowSteps, PortFeed, PortRegions, Sinks, link_control, output_of, set_boundary};
use super::parameter::{PortMeaning, input_from};
use crate::workflow::MOST_TASKS;
use crate::{
    Binding, BoundValue, Diagnosed, Diagnostic, Diagnostics, Foreign, ForeignPort, RegionDeclaration,
    RegionKind, SourceLocation, SourceSpan, SourceText, Stage, StageStep, Task, TaskOperation, Workflow,
    WorkflowParameter,
};

/// Deeper than any sub-workflow lies.
const DEEPEST: usize = 16;

/// The whole document as one workflow whose only stage is the top dataflow.
pub(super) fn expand(
    source: &Arc<SourceText>,
    document: &TavernaDocument,
    messages: &mut Diagnostics,
) -> Diagnosed<Workflow> {
    for dataflow in &document.dataflows {
        check_dataflow(source, dataflow)?;
    }
    let by_id: HashMap<_, _> = document.dataflows.iter().map(|d| (d.id.as_str(), d)).collect();
    let top = &document.dataflows[0];
    let mut workflow = Workflow {
        name: top.name.clone(),
        version: 1,
        about: top.about.clone(),
        source: Some(Arc::clone(source)),
        ..Workflow::default()
    };
    let mut expander = Expander {
        source,
        by_id,
        messages,
        open: Vec::new(),
        tasks: 0,
        regions: Vec::new(),
        names: HashSet::new(),
    };
    let feeds = expander.inputs(top, &mut workflow.parameters);
    let outputs = expander.named_outputs(top);
    let stage = expander.stage(top, &top.name, "", &feeds, &outputs)?;
    workflow.outputs =
        top.outputs.iter().filter_map(|port| outputs.get(port.name.as_str()).cloned()).collect();
    workflow.regions = expander.regions;
    workflow.stages.push(stage);
    Ok(workflow)
}

struct Expander<'a, 'd> {
    source: &'a Arc<SourceText>,
    by_id: HashMap<&'a str, &'a Dataflow>,
    messages: &'d mut Diagnostics,
    /// Ids of the dataflows around the one that is being expanded.
    open: Vec<&'a str>,
    tasks: usize,
    regions: Vec<RegionDeclaration>,
    names: HashSet<String>,
}

impl<'a> Expander<'a, '_> {
    /// Declares a region under an unused name.
    fn region(&mut self, name: &str, kind: RegionKind, span: SourceSpan) -> String {
        let mut unique = name.to_owned();
        let mut count = 1;
        while !self.names.insert(unique.clone()) {
            count += 1;
            unique = format!("{name}_{count}");
        }
        let place = Some(SourceLocation::new(self.source, span));
        self.regions.push(RegionDeclaration { name: unique.clone(), kind, place });
        unique
    }

    /// What flows into the input ports of the top dataflow.
    fn inputs(
        &mut self,
        top: &'a Dataflow,
        parameters: &mut Vec<WorkflowParameter>,
    ) -> HashMap<&'a str, PortFeed> {
        let mut feeds = HashMap::new();
        for input in &top.inputs {
            let name = input.port.name.as_str();
            let feed = match input_from(self.source, input, self.messages) {
                PortMeaning::Parameter(parameter) => {
                    self.names.insert(name.to_owned());
                    parameters.push(parameter);
                    PortFeed::Parameter(name.to_owned())
                }
                PortMeaning::Region(kind) => PortFeed::Region(self.region(name, kind, input.port.span)),
            };
            feeds.insert(name, feed);
        }
        feeds
    }

    fn error(&self, span: SourceSpan, message: String) -> Box<Diagnostic> {
        Box::new(Diagnostic::error(message).at(self.source, span, ""))
    }

    /// A region for each output port of the top dataflow that something is linked to.
    fn named_outputs(&mut self, top: &'a Dataflow) -> HashMap<&'a str, String> {
        let linked = top.links.iter().filter(|link| link.to.processor.is_none());
        let linked: HashMap<&str, &Link> = linked.map(|link| (link.to.port.as_str(), link)).collect();
        let mut outputs = HashMap::new();
        for port in &top.outputs {
            if let Some(link) = linked.get(port.name.as_str()) {
                let maker = link.from.processor.as_deref().and_then(|p| output_of(top, (p, &link.from.port)));
                let made = maker.filter(|_| !link.merges).map_or(RegionKind::Any, |maker| maker.kind);
                let kind = if port.kind == RegionKind::Any { made } else { port.kind };
                outputs.insert(port.name.as_str(), self.region(&port.name, kind, port.span));
            } else {
                let message = format!("nothing is linked to the output port `{}`", port.name);
                self.messages.push(Diagnostic::warning(message).at(self.source, port.span, ""));
            }
        }
        outputs
    }

    /// A dataflow as a stage: `feeds` flow into its input ports, `outputs` name what its output ports make.
    fn stage(
        &mut self,
        dataflow: &'a Dataflow,
        name: &str,
        prefix: &str,
        feeds: &HashMap<&'a str, PortFeed>,
        outputs: &HashMap<&'a str, String>,
    ) -> Diagnosed<Stage> {
        self.enter(dataflow)?;
        let mut sinks: Sinks<'a> = HashMap::new();
        for link in &dataflow.links {
            sinks.entry(&link.to).or_default().push(link);
        }
        let made = self.made_regions(dataflow, prefix, outputs, &sinks);
        let mut level = DataflowSteps { dataflow, prefix, feeds, sinks, made, steps: Vec::new() };
        for processor in &dataflow.processors {
            self.processor(&mut level, processor)?;
        }
        for port in &dataflow.outputs {
            self.output(&mut level, port, outputs)?;
        }
        self.open.pop();
        let mut stage = Stage::new(name);
        stage.place = Some(SourceLocation::new(self.source, dataflow.span));
        stage.steps = level.steps;
        link_control(&mut stage.steps, dataflow);
        set_boundary(&mut stage, outputs);
        Ok(stage)
    }

    fn enter(&mut self, dataflow: &'a Dataflow) -> Diagnosed<()> {
        if self.open.contains(&dataflow.id.as_str()) || self.open.len() == DEEPEST {
            let message = format!(
                "dataflow `{}` contains itself, or is nested more than {DEEPEST} deep",
                dataflow.name
            );
            return Err(self.error(dataflow.span, message));
        }
        self.open.push(&dataflow.id);
        self.count(dataflow.span)
    }

    /// Stages count too: dataflows that contain only each other must not grow without end.
    fn count(&mut self, span: SourceSpan) -> Diagnosed<()> {
        self.tasks += 1;
        if self.tasks > MOST_TASKS {
            return Err(self.error(span, format!("the workflow has more than {MOST_TASKS} tasks")));
        }
        Ok(())
    }

    /// A region for each linked output of a processor. What an output port alone takes has that port's name.
    fn made_regions(
        &mut self,
        dataflow: &'a Dataflow,
        prefix: &str,
        outputs: &HashMap<&'a str, String>,
        sinks: &Sinks<'a>,
    ) -> PortRegions<'a> {
        let mut made = PortRegions::new();
        for port in &dataflow.outputs {
            let end = End { processor: None, port: port.name.clone() };
            let links = sinks.get(&end).map(Vec::as_slice);
            if let (Some([link]), Some(region)) = (links, outputs.get(port.name.as_str()))
                && let (false, Some(processor)) = (link.merges, &link.from.processor)
            {
                made.entry((processor, link.from.port.as_str())).or_insert_with(|| region.clone());
            }
        }
        for link in &dataflow.links {
            if let Some(processor) = &link.from.processor {
                let key = (processor.as_str(), link.from.port.as_str());
                made.entry(key).or_insert_with(|| {
                    let port = output_of(dataflow, key);
                    let (kind, span) = port.map_or((RegionKind::Any, link.span), |p| (p.kind, p.span));
                    self.region(&format!("{prefix}{processor}.{}", link.from.port), kind, span)
                });
            }
        }
        made
    }

    fn processor(&mut self, level: &mut DataflowSteps<'a, '_>, processor: &'a Processor) -> Diagnosed<()> {
        let mut feeds = Vec::new();
        let mut ports: Vec<&str> = processor.inputs.iter().map(|port| port.name.as_str()).collect();
        // A link may name a port that the processor does not list; it is kept all the same.
        let extra =
            level.sinks.keys().filter(|end| end.processor.as_deref() == Some(processor.name.as_str()));
        let mut extra: Vec<_> =
            extra.map(|end| end.port.as_str()).filter(|port| !ports.contains(port)).collect();
        extra.sort_unstable();
        ports.extend(extra);
        for port in ports {
            let end = End { processor: Some(processor.name.clone()), port: port.to_owned() };
            feeds.push((port, self.feed(level, &end)?));
        }
        let step = match &processor.nested {
            Some(id) => self.nested(level, processor, id, &feeds)?,
            None => StageStep::Task(self.task(level, processor, feeds)?),
        };
        level.steps.push(step);
        Ok(())
    }

    fn feed_of(&self, level: &DataflowSteps<'a, '_>, link: &Link) -> Diagnosed<PortFeed> {
        let port = &link.from.port;
        let message = || format!("internal error: nothing flows out of the port `{port}`");
        level.feed_of(&link.from).ok_or_else(|| self.error(link.span, message()))
    }

    /// The input of a port: nothing, one region or parameter, or a list merged by an additional task.
    fn feed(&mut self, level: &mut DataflowSteps<'a, '_>, end: &End) -> Diagnosed<Option<PortFeed>> {
        match level.sinks.get(end).map(Vec::as_slice) {
            None | Some([]) => Ok(None),
            Some([link]) if !link.merges => self.feed_of(level, link).map(Some),
            Some(links) => {
                let feeds = links.iter().map(|link| self.feed_of(level, link)).collect::<Diagnosed<_>>()?;
                let name = format!("{}.{}", end.processor.as_deref().unwrap_or_default(), end.port);
                let region = self.region(&format!("{}{name}", level.prefix), RegionKind::Any, links[0].span);
                let span = links[0].span;
                let task = self.collect(&format!("merge.{name}"), "merge", feeds, &region, span)?;
                level.steps.push(StageStep::Task(task));
                Ok(Some(PortFeed::Region(region)))
            }
        }
    }

    fn output(
        &mut self,
        level: &mut DataflowSteps<'a, '_>,
        port: &'a Port,
        outputs: &HashMap<&'a str, String>,
    ) -> Diagnosed<()> {
        let end = End { processor: None, port: port.name.clone() };
        let Some(region) = outputs.get(port.name.as_str()) else { return Ok(()) };
        let Some(links) = level.sinks.get(&end) else {
            let message = format!("nothing is linked to the output port `{}`, which is used", port.name);
            return Err(self.error(port.span, message));
        };
        let feeds: Vec<_> = links.iter().map(|link| self.feed_of(level, link)).collect::<Diagnosed<_>>()?;
        let is_made = matches!(feeds.as_slice(), [PortFeed::Region(made)] if made == region);
        if is_made {
            return Ok(());
        }
        let kind = if links.iter().any(|link| link.merges) { "merge" } else { "copy" };
        let task = self.collect(&format!("{kind}.{}", port.name), kind, feeds, region, port.span)?;
        level.steps.push(StageStep::Task(task));
        Ok(())
    }

    /// A task that collects what flows into it, in order, in one region.
    fn collect(
        &mut self,
        name: &str,
        kind: &str,
        feeds: Vec<PortFeed>,
        region: &str,
        span: SourceSpan,
    ) -> Diagnosed<Task> {
        let feeds =
            feeds.into_iter().enumerate().map(|(place, feed)| ((place + 1).to_string(), Some(feed), 0));
        let foreign = Foreign { kind: format!("taverna.{kind}"), ..Foreign::default() };
        let mut task = self.foreign_task(name, foreign, feeds, span)?;
        task.outputs.push(region.to_owned());
        Ok(task)
    }

    fn task(
        &mut self,
        level: &DataflowSteps<'a, '_>,
        processor: &'a Processor,
        feeds: Vec<(&str, Option<PortFeed>)>,
    ) -> Diagnosed<Task> {
        let region_of = |port: &str| level.made.get(&(processor.name.as_str(), port)).cloned();
        let port = |port: &Port| ForeignPort {
            name: port.name.clone(),
            depth: port.depth,
            region: region_of(&port.name),
        };
        let foreign = Foreign {
            kind: processor.kind.clone(),
            detail: processor.detail.clone(),
            outputs: processor.outputs.iter().map(port).collect(),
            iteration: processor.iteration.clone(),
            ..Foreign::default()
        };
        let depth_of = |name: &str| processor.inputs.iter().find(|p| p.name == name).map_or(0, |p| p.depth);
        let feeds = feeds.into_iter().map(|(port, feed)| (port.to_owned(), feed, depth_of(port)));
        let mut task = self.foreign_task(&processor.name, foreign, feeds, processor.span)?;
        task.outputs = level.made_by(processor);
        Ok(task)
    }

    fn foreign_task(
        &mut self,
        name: &str,
        mut foreign: Foreign,
        feeds: impl Iterator<Item = (String, Option<PortFeed>, u32)>,
        span: SourceSpan,
    ) -> Diagnosed<Task> {
        self.count(span)?;
        let (mut inputs, mut reads) = (Vec::new(), Vec::new());
        for (port, feed, depth) in feeds {
            let region = match feed {
                Some(PortFeed::Region(region)) => Some(region),
                Some(PortFeed::Parameter(name)) => {
                    reads.push(Binding {
                        operation_parameter: port.clone(),
                        bound: BoundValue::Parameter(name),
                    });
                    None
                }
                None => None,
            };
            inputs.extend(region.clone());
            foreign.inputs.push(ForeignPort { name: port, depth, region });
        }
        let mut task = Task::new(name, TaskOperation::Foreign(Box::new(foreign)));
        (task.inputs, task.reads, task.place) = (inputs, reads, Some(SourceLocation::new(self.source, span)));
        Ok(task)
    }

    fn nested(
        &mut self,
        level: &DataflowSteps<'a, '_>,
        processor: &'a Processor,
        id: &'a str,
        feeds: &[(&'a str, Option<PortFeed>)],
    ) -> Diagnosed<StageStep> {
        let Some(dataflow) = self.by_id.get(id).copied() else {
            let message =
                format!("processor `{}` uses the dataflow {id}, which does not exist", processor.name);
            return Err(self.error(processor.span, message));
        };
        let mut given: HashMap<&str, PortFeed> = HashMap::new();
        for input in &dataflow.inputs {
            let feed =
                feeds.iter().find(|(port, _)| *port == input.port.name).and_then(|(_, feed)| feed.clone());
            let name = format!("{}{}.{}", level.prefix, processor.name, input.port.name);
            // An input that nothing is linked to stays an input, of the whole workflow.
            let feed = feed
                .unwrap_or_else(|| PortFeed::Region(self.region(&name, RegionKind::Any, input.port.span)));
            given.insert(&input.port.name, feed);
        }
        let made = level.made.iter().filter(|((maker, _), _)| *maker == processor.name);
        let wanted: HashMap<&str, String> = made.map(|((_, port), region)| (*port, region.clone())).collect();
        let lacking = wanted.keys().find(|port| !dataflow.outputs.iter().any(|p| p.name == **port));
        if let Some(port) = lacking {
            let message = format!("dataflow `{}` has no output port `{port}`, which is used", dataflow.name);
            return Err(self.error(processor.span, message));
        }
        let prefix = format!("{}{}/", level.prefix, processor.name);
        let mut stage = self.stage(dataflow, &processor.name, &prefix, &given, &wanted)?;
        stage.iteration.clone_from(&processor.iteration);
        Ok(StageStep::Stage(stage))
    }
}
