//! Regions that a study asks to keep: PNG files, and a list that says which row has which.

use std::collections::HashMap;
use std::fmt::Write as _;

use onceflow_region::{Dense, RegionError, png_bytes};
use onceflow_reuse::{Flow, NodeId, Plan};
use onceflow_runtime::{Finished, Layout};
use onceflow_study::{Diagnostic, RegionKind, Scope, Study};

use crate::inputs::{ImagePart, Inputs};
use crate::journal::{Journal, Line};
use crate::{EngineError, RunFolder};

/// Writes regions when their task is over; equal ones of several rows are one file.
#[derive(Clone, Debug, Default)]
pub(crate) struct Keeper {
    wanted: Vec<Wanted>,
    /// Files by node and site, in the order of `wanted`.
    files: HashMap<(NodeId, usize, usize), String>,
}

/// An output that is kept.
#[derive(Clone, Debug)]
struct Wanted {
    task: usize,
    output: usize,
    name: String,
    /// Whether there is one for each part, rather than for each image.
    of_parts: bool,
}

/// The head of the list.
pub(crate) const HEAD: &str = "row,image,part,region,file\n";

impl Keeper {
    /// What a study asks to keep; only images can be kept so far.
    pub(crate) fn new(study: &Study, flow: &Flow) -> Result<Self, EngineError> {
        let wanted = study.run.keep_regions.iter().map(|name| find(flow, name)).collect::<Result<_, _>>()?;
        Ok(Self { wanted, files: HashMap::new() })
    }

    /// The tasks of which something is kept.
    pub(crate) fn tasks(&self) -> Vec<usize> {
        self.wanted.iter().map(|wanted| wanted.task).collect()
    }

    /// Whether anything is kept.
    pub(crate) fn is_idle(&self) -> bool {
        self.wanted.is_empty()
    }

    /// Writes what is wanted of a task that is over; `first` is the number of the plan's first row.
    pub(crate) fn keep(
        &mut self,
        finished: &Finished<'_>,
        inputs: &Inputs,
        first: usize,
        folder: &RunFolder,
        journal: &mut Journal,
    ) -> Result<(), EngineError> {
        let (instance, row) = (finished.entry.instance, first + finished.entry.row as usize);
        for (place, wanted) in self.wanted.iter().enumerate().filter(|(_, w)| w.task == finished.entry.task) {
            let Some(dense) = finished.outputs.get(wanted.output).and_then(|region| region.as_dense()) else {
                continue;
            };
            let part = wanted.of_parts.then(|| inputs.parts.get(instance.site)).flatten();
            let bytes = png(dense, part).map_err(|error| EngineError::Internal(error.to_string()))?;
            let file = format!("regions/{}/row{row}-{}.png", wanted.name, instance.site);
            folder.write(&file, &bytes)?;
            let (row, site) = (finished.entry.row as usize, instance.site);
            journal.write(&Line::Kept { row, place, site, file: file.clone() })?;
            self.files.insert((instance.node, instance.site, place), file);
        }
        Ok(())
    }

    /// Takes note of a file that an earlier run wrote for a row of the plan; says whether it is of use.
    pub(crate) fn restore(&mut self, plan: &Plan, row: usize, place: usize, site: usize, file: &str) -> bool {
        let task = self.wanted.get(place).map(|wanted| wanted.task).filter(|_| row < plan.rows());
        let node = task.map(|task| plan.node(row, task));
        node.is_some_and(|node| self.files.insert((node, site, place), file.to_owned()).is_none())
    }

    /// Whether all that is wanted of a row at a part was kept.
    pub(crate) fn has_all(&self, plan: &Plan, layout: &Layout, row: usize, part: usize) -> bool {
        self.wanted.iter().enumerate().all(|(place, wanted)| {
            let site = layout.site(plan.flow().scope(wanted.task), part);
            self.files.contains_key(&(plan.node(row, wanted.task), site, place))
        })
    }

    /// One line per row, part and region that was made.
    pub(crate) fn lines(&self, plan: &Plan, inputs: &Inputs, first: usize) -> String {
        let mut text = String::new();
        for row in 0..plan.rows() {
            for (part, at) in inputs.parts.iter().enumerate() {
                for (place, wanted) in self.wanted.iter().enumerate() {
                    let site = match plan.flow().scope(wanted.task) {
                        Scope::Part => part,
                        Scope::Image => at.image,
                        Scope::Study => 0,
                    };
                    if let Some(file) = self.files.get(&(plan.node(row, wanted.task), site, place)) {
                        let (row, image) = (first + row, &inputs.images[at.image].name);
                        // Writing to a string cannot fail.
                        let _ = writeln!(text, "{row},{image},{part},{},{file}", wanted.name);
                    }
                }
            }
        }
        text
    }
}

/// What belongs to the part, without what it sees around itself.
fn png(dense: &Dense, part: Option<&ImagePart>) -> Result<Vec<u8>, RegionError> {
    match part {
        Some(at) if at.part.core != at.part.read => png_bytes(&at.part.crop(dense)?),
        _ => png_bytes(dense),
    }
}

fn find(flow: &Flow, name: &str) -> Result<Wanted, EngineError> {
    let place = flow.tasks.iter().enumerate().find_map(|(task, made)| {
        let output = made.outputs.iter().position(|region| region.name == name)?;
        Some((task, output, made.outputs[output].kind))
    });
    let image = [RegionKind::Mask, RegionKind::U8, RegionKind::U16, RegionKind::Labels, RegionKind::Rgb8];
    match place {
        Some((task, output, kind)) if image.contains(&kind) => {
            Ok(Wanted { task, output, name: name.into(), of_parts: flow.scope(task) == Scope::Part })
        }
        other => {
            let found =
                other.map_or("a region that no task makes".to_owned(), |(_, _, kind)| kind.to_string());
            let error = Diagnostic::error(format!("the region `{name}` cannot be kept"));
            let error = error.expected_found("an image, mask or label image that a task makes", found);
            Err(error.with_hint("take it out of keep_regions").into())
        }
    }
}
