//! What identifies the results of a study's tasks: the flow graph of its workflow, with the sizes of its regions.

use std::collections::HashSet;

use onceflow_reuse::attributes::{
    AttributeReport, DescribedVariable, FlowDescription, GraphVariable, SOURCE, is_flow_description,
    minimise, read_flow_descriptions,
};
use onceflow_reuse::{Flow, FlowInput, FlowTask, REFERENCE_SUFFIX, ReadFrom};
use onceflow_study::SourceText;

use crate::open::compare;
use crate::open::inputs::{PAIR_SOURCES, has};
use crate::{EngineError, OpenStudy};

/// Bytes of a digest, which stands for the contents of an image or a region.
const DIGEST: u64 = 32;

/// How the blocks that read a source are called.
const READING: &str = "read ";

/// Bytes of the value of a parameter.
const VALUE: u64 = 8;

/// Bytes per pixel of what tasks see of an image, and of its truth or the reference row.
const COLOUR: u64 = 3;
const OTHER: u64 = 4;

/// The attributes of every graph that a text describes; none when it is the text of something else.
///
/// # Errors
/// With everything that is wrong in it.
pub fn described_attributes(
    source: &std::sync::Arc<SourceText>,
) -> Option<Result<Vec<AttributeReport>, EngineError>> {
    if !is_flow_description(source) {
        return None;
    }
    let report = |described: &FlowDescription| {
        AttributeReport::new(described).map_err(|error| {
            let message = onceflow_study::Diagnostic::error(error.to_string());
            let whole = source.text.find(['\n']).unwrap_or(source.text.len());
            let place = error.place().and_then(|name| named_at(source, name)).unwrap_or((0..whole).into());
            EngineError::bad_input(message.at(source, place, ""))
        })
    };
    let described = read_flow_descriptions(source).map_err(EngineError::Invalid);
    Some(described.and_then(|all| all.iter().map(report).collect()))
}

/// Where a name stands in quotes for the last time: of two equal ones, the second is too many.
fn named_at(source: &SourceText, name: &str) -> Option<onceflow_study::SourceSpan> {
    let quoted = format!("\"{name}\"");
    let start = source.text.rfind(&quoted)?;
    Some((start..start + quoted.len()).into())
}

impl OpenStudy {
    /// What identifies the result of each task at one part, the largest of the study.
    ///
    /// # Errors
    /// When the workflow cannot be a flow graph.
    pub fn attributes(&self) -> Result<Vec<AttributeReport>, EngineError> {
        let variables = self.variables();
        let report = |task: &FlowTask| {
            let (variables, target) = (variables.clone(), vec![task.name.clone()]);
            let described = FlowDescription { name: String::new(), variables, loops: Vec::new(), target };
            let failed = |error: onceflow_reuse::attributes::AttributeError| {
                EngineError::bad_input(onceflow_study::Diagnostic::error(error.to_string()))
            };
            AttributeReport::new(&described).map_err(failed)
        };
        // A task that reads nothing has no attributes.
        let reads = |task: &&FlowTask| variables.iter().any(|variable| variable.to.contains(&task.name));
        self.written.tasks.iter().filter(reads).map(report).collect()
    }

    /// The names that identify what the study gives, with the fewest bytes: of parameters, and of sources whose contents count.
    /// A region among the attributes of a task is itself identified by those of its maker, as a key stands for them in the key of
    /// the task. Only these sources are digested.
    ///
    /// # Errors
    /// When the workflow cannot be a flow graph.
    pub(crate) fn identifying(&self, tasks: &[usize]) -> Result<HashSet<String>, EngineError> {
        let variables = self.variables();
        let (mut names, mut seen) = (HashSet::new(), HashSet::new());
        let mut open: Vec<String> = tasks.iter().map(|task| self.written.tasks[*task].name.clone()).collect();
        while let Some(task) = open.pop() {
            if !seen.insert(task.clone()) {
                continue;
            }
            for attribute in least(&variables, task)? {
                match attribute {
                    LeastAttribute::Outside(name) => drop(names.insert(name)),
                    LeastAttribute::Region(maker) => open.push(maker),
                }
            }
        }
        Ok(names)
    }

    /// The variables of its workflow; what no pair of volumes has is always the same, and identifies nothing.
    fn variables(&self) -> Vec<DescribedVariable> {
        let all = variables(&self.written, self.attribute_pixels());
        let pairs = || self.inputs.images.iter().filter_map(|image| image.pair.as_deref());
        let is_absent = |name: &str| {
            PAIR_SOURCES.contains(&name) && pairs().next().is_some() && pairs().all(|pair| !has(pair, name))
        };
        let of = |variable: &DescribedVariable| {
            let name = variable.name.strip_prefix("digest of ").unwrap_or(&variable.name).to_owned();
            is_absent(&name)
        };
        all.into_iter().filter(|variable| !of(variable)).collect()
    }

    /// Pixels of the largest part, for which attributes are given.
    pub fn attribute_pixels(&self) -> u64 {
        self.inputs.parts.iter().map(|part| part.part.read.area()).max().unwrap_or_default()
    }
}

/// One of the attributes that identify a task with the fewest bytes.
enum LeastAttribute {
    /// A parameter or a source, by its name.
    Outside(String),
    /// A region, by the task that makes it.
    Region(String),
}

fn least(variables: &[DescribedVariable], task: String) -> Result<Vec<LeastAttribute>, EngineError> {
    if !variables.iter().any(|variable| variable.to.contains(&task)) {
        return Ok(Vec::new());
    }
    let described =
        FlowDescription { variables: variables.to_vec(), target: vec![task], ..FlowDescription::default() };
    let graph = described
        .unroll()
        .map_err(|error| EngineError::bad_input(onceflow_study::Diagnostic::error(error.to_string())))?;
    let attribute = |variable: &GraphVariable| {
        let name = |block: usize| graph.blocks()[block].as_str();
        let read =
            variable.to.iter().chain(&variable.from).find_map(|block| name(*block).strip_prefix(READING));
        match (read, variable.from) {
            (Some(source), _) => LeastAttribute::Outside(source.to_owned()),
            (None, None) => LeastAttribute::Outside(variable.name.clone()),
            (None, Some(maker)) => LeastAttribute::Region(name(maker).to_owned()),
        }
    };
    Ok(minimise(&graph).least.variables.iter().map(|place| attribute(&graph.variables()[*place])).collect())
}

/// The variables of a workflow: values of parameters, images with their digests, and the regions of tasks.
fn variables(flow: &Flow, pixels: u64) -> Vec<DescribedVariable> {
    let mut variables = parameters(flow);
    for (number, name) in flow.sources.iter().enumerate() {
        // What is nothing is always the same.
        if name == compare::NOTHING {
            continue;
        }
        let readers = readers(flow, |input| input == FlowInput::Source(number));
        let size = if name == "image" { COLOUR } else { OTHER };
        variables.extend(source(name, size.saturating_mul(pixels), readers));
    }
    for (number, task) in flow.tasks.iter().enumerate() {
        let all = u64::from(task.spec.output_bytes_per_pixel).saturating_mul(pixels);
        // A small region takes no bytes for each pixel, but never less than its digest.
        let bytes = (all / task.outputs.len().max(1) as u64).max(DIGEST);
        for (output, region) in task.outputs.iter().enumerate() {
            let of_row = readers(flow, |input| input == FlowInput::Task { task: number, output });
            variables.push(variable(&region.name, bytes, &task.name, of_row));
            let reference = readers(flow, |input| input == FlowInput::Reference { task: number, output });
            if !reference.is_empty() {
                let name = format!("{}{REFERENCE_SUFFIX}", region.name);
                match variables.iter_mut().find(|variable| variable.name == name) {
                    // The same region stands in where a reference row is missing.
                    Some(known) => known.to.extend(reference),
                    None => variables.extend(source(&name, bytes, reference)),
                }
            }
        }
    }
    distinct(variables)
}

fn parameters(flow: &Flow) -> Vec<DescribedVariable> {
    let mut all: Vec<DescribedVariable> = Vec::new();
    for task in &flow.tasks {
        for read in &task.reads {
            // A constant is part of the workflow.
            let ReadFrom::Parameter(name) = &read.from else { continue };
            match all.iter_mut().find(|variable| variable.name == *name) {
                Some(known) => known.to.push(task.name.clone()),
                None => all.push(variable(name, VALUE, SOURCE, vec![task.name.clone()])),
            }
        }
    }
    all
}

/// What is read from outside is known by a digest of its contents.
fn source(name: &str, bytes: u64, readers: Vec<String>) -> [DescribedVariable; 2] {
    let reading = format!("{READING}{name}");
    let digest = variable(&format!("digest of {name}"), DIGEST, SOURCE, vec![reading.clone()]);
    [digest, variable(name, bytes, &reading, readers)]
}

fn readers(flow: &Flow, is: impl Fn(FlowInput) -> bool) -> Vec<String> {
    let reads = |task: &&FlowTask| task.inputs.iter().any(|input| is(*input));
    flow.tasks.iter().filter(reads).map(|task| task.name.clone()).collect()
}

fn variable(name: &str, bytes: u64, from: &str, to: Vec<String>) -> DescribedVariable {
    DescribedVariable {
        name: name.to_owned(),
        bytes: vec![bytes],
        from: from.to_owned(),
        to,
        barrier: false,
        first: None,
        around: None,
    }
}

/// A region may have the name of a parameter.
fn distinct(mut variables: Vec<DescribedVariable>) -> Vec<DescribedVariable> {
    let mut names = HashSet::new();
    for variable in &mut variables {
        while !names.insert(variable.name.clone()) {
            variable.name.push('\'');
        }
    }
    variables
}

#[cfg(test)]
mod tests;
