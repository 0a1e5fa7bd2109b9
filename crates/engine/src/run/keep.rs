//! Regions that a study asks to keep: PNG files, and a list that says which row has which.

use std::collections::{HashMap, HashSet};
use std::fmt::Write as _;

use onceflow_imageio::png_bytes;
use onceflow_region::{Dense, RegionError};
use onceflow_reuse::{NodeId, Plan};
use onceflow_runtime::{FinishedTask, PartLayout};
use onceflow_study::Scope;

use crate::open::inputs::{ImagePart, StudyInputs};
use crate::open::kept::KeptOutputs;
use crate::resume::journal::{JournalLine, RowLines};
use crate::run::row_numbers::RowNumbers;
use crate::{EngineError, RunFolder};

/// Writes regions when their task is over; equal ones of several rows are one file.
#[derive(Clone, Debug, Default)]
pub(crate) struct Keeper {
    wanted: KeptOutputs,
    /// Files by node and site, in the order of `wanted`.
    files: HashMap<(NodeId, usize, usize), String>,
}

/// A region that was kept for a row at a part.
struct KeptRegion<'a> {
    row: usize,
    part: usize,
    site: usize,
    place: usize,
    file: &'a str,
}

/// The head of the list.
pub(crate) const HEAD: &str = "row,image,part,region,file\n";

impl Keeper {
    /// Keeps these outputs.
    pub(crate) fn new(wanted: KeptOutputs) -> Self {
        Self { wanted, files: HashMap::new() }
    }

    /// The tasks of which something is kept.
    pub(crate) fn tasks(&self) -> Vec<usize> {
        self.wanted.outputs.iter().map(|wanted| wanted.task).collect()
    }

    /// Writes what is wanted of a task that is over.
    pub(crate) fn keep(
        &mut self,
        finished: &FinishedTask<'_>,
        inputs: &StudyInputs,
        numbers: &RowNumbers,
        folder: &RunFolder,
        lines: &mut dyn RowLines,
    ) -> Result<(), EngineError> {
        let (instance, row) = (finished.entry.instance, numbers.in_table(finished.entry.row as usize));
        for (place, wanted) in
            self.wanted.outputs.iter().enumerate().filter(|(_, w)| w.task == finished.entry.task)
        {
            let Some(dense) = finished.outputs.get(wanted.output).and_then(|region| region.as_dense()) else {
                continue;
            };
            let part = wanted.of_parts.then(|| inputs.parts.get(instance.site)).flatten();
            let bytes = png(dense, part).map_err(|error| EngineError::Internal(error.to_string()))?;
            let file = format!("regions/{}/row{row}-{}.png", wanted.name, instance.site);
            folder.write(&file, &bytes)?;
            let (row, site) = (numbers.in_phase(finished.entry.row as usize), instance.site);
            lines.write(&JournalLine::Kept { row, place, site, file: file.clone() })?;
            self.files.insert((instance.node, instance.site, place), file);
        }
        Ok(())
    }

    /// Takes note of a file that an earlier run wrote for a row of the plan; says whether it is of use.
    pub(crate) fn restore(&mut self, plan: &Plan, row: usize, place: usize, site: usize, file: &str) -> bool {
        let task = self.wanted.outputs.get(place).map(|wanted| wanted.task).filter(|_| row < plan.rows());
        let node = task.map(|task| plan.node(row, task));
        node.is_some_and(|node| self.files.insert((node, site, place), file.to_owned()).is_none())
    }

    /// Whether all that is wanted of a row at a part was kept.
    pub(crate) fn has_all(&self, plan: &Plan, layout: &PartLayout, row: usize, part: usize) -> bool {
        self.wanted.outputs.iter().enumerate().all(|(place, wanted)| {
            let site = layout.site(plan.flow().scope(wanted.task), part);
            self.files.contains_key(&(plan.node(row, wanted.task), site, place))
        })
    }

    /// One line per row, part and region that was made.
    pub(crate) fn lines(&self, plan: &Plan, inputs: &StudyInputs, first: usize) -> String {
        let mut text = String::new();
        self.each(plan, inputs, |KeptRegion { row, part, place, file, .. }| {
            let (image, name) =
                (&inputs.images[inputs.parts[part].image].name, &self.wanted.outputs[place].name);
            // Writing to a string cannot fail.
            let _ = writeln!(text, "{},{image},{part},{name},{file}", first + row);
        });
        text
    }

    /// One line of the journal per row, site and region that was made; `numbers` are those of the rows in their phase.
    pub(crate) fn kept_lines(
        &self,
        plan: &Plan,
        inputs: &StudyInputs,
        numbers: &[usize],
    ) -> Vec<JournalLine> {
        let (mut lines, mut seen) = (Vec::new(), HashSet::new());
        self.each(plan, inputs, |KeptRegion { row, site, place, file, .. }| {
            // The parts of an image have one site in common.
            if seen.insert((row, site, place)) {
                lines.push(JournalLine::Kept { row: numbers[row], place, site, file: file.to_owned() });
            }
        });
        lines
    }

    fn each(&self, plan: &Plan, inputs: &StudyInputs, mut take: impl FnMut(KeptRegion<'_>)) {
        for row in 0..plan.rows() {
            for (part, at) in inputs.parts.iter().enumerate() {
                for (place, wanted) in self.wanted.outputs.iter().enumerate() {
                    let site = match plan.flow().scope(wanted.task) {
                        Scope::Part => part,
                        Scope::Image => at.image,
                        Scope::Study => 0,
                    };
                    if let Some(file) = self.files.get(&(plan.node(row, wanted.task), site, place)) {
                        take(KeptRegion { row, part, site, place, file });
                    }
                }
            }
        }
    }
}

/// What belongs to the part, without what it sees around itself.
fn png(dense: &Dense, part: Option<&ImagePart>) -> Result<Vec<u8>, RegionError> {
    match part {
        Some(at) if at.part.core != at.part.read => png_bytes(&at.part.crop(dense)?),
        _ => png_bytes(dense),
    }
}
