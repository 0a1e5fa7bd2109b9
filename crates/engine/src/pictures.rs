//! Pictures for the report: a part of each image, with what the defaults and the best row find in it.

use std::collections::HashMap;
use std::sync::Arc;

use onceflow_region::{Bounds, Budget, Dense, Region, png_bytes, rgb8};
use onceflow_reuse::{Level, NodeId, Plan, Rows, plan};
use onceflow_runtime::{
    Finished, Known, NoBelow, NoMemo, Observer, Operation, Options, RowOutcome, Supply as _, Work, execute,
};
use onceflow_study::{RegionKind, Scope};

use crate::inputs::Inputs;
use crate::operation::operation;
use crate::supply::{References, Sources};
use crate::{Answer, EngineError, Picture, Prepared, compare, overlay};

/// Images that are shown at most.
const MOST_IMAGES: usize = 3;

/// The longest side of a picture: nuclei stay visible, the page stays small.
const LONGEST: u64 = 512;

/// The first part of each image, plain and with what was found; the rows are computed again for it.
pub fn pictures(prepared: &Prepared<'_>, answer: &Answer, memory: u64) -> Result<Vec<Picture>, EngineError> {
    let Some(region) = compare::measured(&prepared.study.metrics).first().map(|name| (*name).to_owned())
    else {
        return Ok(Vec::new());
    };
    let first_parts = (0..prepared.inputs.images.len())
        .filter_map(|image| prepared.inputs.parts.iter().position(|part| part.image == image));
    let shows = first_parts.take(MOST_IMAGES).map(|part| Show { prepared, answer, part, memory });
    let mut pictures = Vec::new();
    for show in shows {
        pictures.extend(show.pictures(&region)?);
    }
    Ok(pictures)
}

/// One part that is shown.
struct Show<'a> {
    prepared: &'a Prepared<'a>,
    answer: &'a Answer,
    part: usize,
    memory: u64,
}

impl Show<'_> {
    fn pictures(&self, region: &str) -> Result<Vec<Picture>, EngineError> {
        let inputs = self.prepared.inputs.only(self.part);
        let Some(at) = inputs.parts.first().copied() else { return Ok(Vec::new()) };
        let image = &inputs.images[at.image];
        let rows = self.rows()?;
        let found = self.compute(&inputs, &rows, region)?;
        let sources = Sources::new(
            &inputs,
            vec![compare::TRUTH.into()],
            References::new(),
            Budget::new(self.memory),
            0,
        );
        // A truth that cannot be read has failed its rows already; the picture does without it.
        let truth = sources.source(0, Scope::Part, 0).ok();
        let truth = truth.as_ref().and_then(|truth| truth.as_dense());
        // What is counted is drawn, and what belongs to the part is shown of it.
        let counted = at.counted(image);
        let core = at.part.core.relative_to(&counted).ok_or_else(|| unreadable("a part outside its box"))?;
        let seen = at.seen(counted).ok_or_else(|| unreadable("a part outside its box"))?;
        let pixels = image.source.read(counted).map_err(unreadable)?;
        let pixels = rgb8(&pixels).map_err(unreadable)?;
        let mut pictures = vec![self.picture(
            &image.name,
            "image",
            String::new(),
            &pixels.crop(core).map_err(unreadable)?,
        )?];
        for (row, mask) in self.shown().iter().zip(&found) {
            let mask = mask.crop(seen).map_err(unreadable)?;
            let drawn = overlay(&pixels, &mask, truth)?.crop(core).map_err(unreadable)?;
            pictures.push(self.picture(
                &image.name,
                &self.title(*row),
                self.caption(*row, at.image),
                &drawn,
            )?);
        }
        Ok(pictures)
    }

    /// Places in the table: the reference row and, when there is one, the best.
    fn shown(&self) -> Vec<usize> {
        let reference = self.answer.table.rows.iter().position(|row| row.phase.is_none());
        reference.into_iter().chain(self.answer.best.as_ref().map(|best| best.row)).collect()
    }

    fn rows(&self) -> Result<Rows, EngineError> {
        let mut rows = Rows::new(self.answer.table.parameters.clone());
        for row in self.shown() {
            rows.push(&self.answer.table.rows[row].values)?;
        }
        rows.reference = Some(0);
        Ok(rows)
    }

    /// A region of each row.
    fn compute(&self, inputs: &Inputs, rows: &Rows, region: &str) -> Result<Vec<Dense>, EngineError> {
        let mut plan = plan(self.prepared.flow.clone(), rows, Level::Dataflow)?;
        let flow = plan.flow().clone();
        let operations: Option<Vec<Arc<dyn Operation>>> = flow.tasks.iter().map(operation).collect();
        let operations = operations.unwrap_or_default();
        let operations: Vec<&dyn Operation> = operations.iter().map(AsRef::as_ref).collect();
        let budget = Budget::new(self.memory);
        let supply = Sources::new(inputs, flow.sources.clone(), References::new(), budget.clone(), 0);
        let work =
            Work { operations: &operations, supply: &supply, memo: &NoMemo, below: &NoBelow, meter: None };
        let mut keeper = Keeper { wanted: makers(&plan, region), kept: HashMap::new() };
        let options = Options { workers: 1, budget, spilling: false, known: Known::nothing(), stop: None };
        execute(&mut plan, &inputs.layout(), &work, &options, &mut keeper)?;
        let kept =
            |(node, _): &(NodeId, usize)| keeper.kept.get(node).and_then(|region| region.as_dense().cloned());
        let empty = || supply.empty(RegionKind::Mask, Scope::Part, 0).as_dense().cloned();
        let regions = keeper.wanted.iter().map(|wanted| kept(wanted).or_else(empty));
        regions.collect::<Option<_>>().ok_or_else(|| EngineError::Internal("a region without pixels".into()))
    }

    fn title(&self, row: usize) -> String {
        match &self.answer.table.rows[row].phase {
            None => "default".into(),
            Some(_) => format!("row {}", self.answer.table.rows[row].row),
        }
    }

    /// The first metric of the row on the image.
    fn caption(&self, row: usize, image: usize) -> String {
        let value = self.answer.table.rows[row].images[image].metrics.first().copied().flatten();
        let name = self.answer.table.metrics.first();
        value.zip(name).map_or_else(String::new, |(value, name)| format!("{name} {value:.3}"))
    }

    fn picture(
        &self,
        image: &str,
        title: &str,
        caption: String,
        pixels: &Dense,
    ) -> Result<Picture, EngineError> {
        let bounds = pixels.bounds();
        let side = |length: u64| length.min(LONGEST);
        let corner = |length: u64| i64::try_from((length - side(length)) / 2).unwrap_or(0);
        let middle = Bounds::plane(
            corner(bounds.width()),
            corner(bounds.height()),
            side(bounds.width()),
            side(bounds.height()),
        );
        let cropped = pixels.crop(middle.unwrap_or(bounds)).map_err(unreadable)?;
        let png = png_bytes(&cropped).map_err(unreadable)?;
        Ok(Picture { title: format!("{image}: {title}"), caption, png })
    }
}

/// The node and output that make a region, per row.
fn makers(plan: &Plan, region: &str) -> Vec<(NodeId, usize)> {
    let flow = plan.flow();
    let output = |task: usize| flow.tasks[task].outputs.iter().position(|o| o.name == region);
    let maker = (0..flow.tasks.len()).find_map(|task| Some((task, output(task)?)));
    maker.map_or_else(Vec::new, |(task, output)| {
        (0..plan.rows()).map(|row| (plan.node(row, task), output)).collect()
    })
}

/// Keeps what some nodes make.
struct Keeper {
    wanted: Vec<(NodeId, usize)>,
    kept: HashMap<NodeId, Arc<Region>>,
}

impl Observer for Keeper {
    fn finished(&mut self, finished: &Finished<'_>) {
        let node = finished.entry.instance.node;
        let output = self.wanted.iter().find(|(wanted, _)| *wanted == node).map(|(_, output)| *output);
        if let Some(region) = output.and_then(|output| finished.outputs.get(output)) {
            self.kept.insert(node, Arc::clone(region));
        }
    }

    fn row(&mut self, _row: usize, _part: usize, _outcome: &RowOutcome, _results: &[Vec<Arc<Region>>]) {}
}

fn unreadable(error: impl std::fmt::Display) -> EngineError {
    onceflow_study::Diagnostic::error(format!("cannot draw the pictures of the report: {error}")).into()
}
