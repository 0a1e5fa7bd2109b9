//! The papers' designs on the papers' workflow: screening on the grid, and decomposition with continuous values.

use onceflow_reuse::{Flow, ParameterRows, ReadFrom};
use onceflow_sensitivity::sample;
use onceflow_study::{
    Catalogue, Design, Domain, LatinHypercube, Method, MorrisDesign, Parameter, ParameterKind, Space,
    Trajectories, Value, read_workflow, shipped_ranges, shipped_workflow,
};
use onceflow_terminal::Failure;

use super::ours;

/// The workflow as published, and its parameters.
pub(crate) struct PaperWorkflow {
    pub(crate) flow: Flow,
    /// The stage whose instances are merged.
    pub(crate) segment: usize,
    ranges: Vec<(&'static str, Domain)>,
}

/// The eight parameters that the papers decompose.
const DECOMPOSED: [&str; 8] =
    ["T2", "G1", "G2", "minSize", "maxSize", "minSizePl", "minSizeSeg", "reconConnectivity"];

/// How base points are drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BasePoints {
    MonteCarlo,
    LatinHypercube,
    Halton,
}

impl PaperWorkflow {
    pub(crate) fn new() -> Result<Self, Failure> {
        let source = shipped_workflow("nuclei-paper").ok_or_else(|| ours("nuclei-paper is not shipped"))?;
        let mut flow = Flow::new(&read_workflow(&source)?, &Catalogue::nuclei()).map_err(ours)?;
        // The published program tells a connectivity of 4 from one of 5, as it compares whole numbers.
        for read in flow.tasks.iter_mut().flat_map(|task| &mut task.reads) {
            if read.from == ReadFrom::Parameter("reconConnectivity".into()) {
                read.kind = ParameterKind::Integer;
            }
        }
        let segment = flow.stages.iter().position(|stage| stage.tasks.len() == 7);
        let segment = segment.ok_or_else(|| ours("nuclei-paper has no stage of seven tasks"))?;
        Ok(Self { flow, segment, ranges: shipped_ranges() })
    }

    fn rows(&self) -> ParameterRows {
        ParameterRows::new(self.ranges.iter().map(|(name, _)| (*name).to_owned()).collect())
    }

    /// Morris trajectories over all fifteen parameters on their grids: sixteen rows each.
    pub(crate) fn screening(&self, trajectories: u64, seed: u64) -> Result<ParameterRows, Failure> {
        let parameters = self.ranges.iter().map(|(name, domain)| Parameter::new(*name, domain.clone()));
        let space = Space::new(parameters.collect(), Vec::new()).map_err(ours)?;
        let morris = MorrisDesign { trajectories, values: MorrisDesign::VALUES, kind: Trajectories::Plain };
        let sample = sample(&space, &Design { method: Method::Morris(morris), seed }).map_err(ours)?;
        let mut rows = self.rows();
        for row in 0..sample.len() {
            let values: Vec<Value> = (0..self.ranges.len()).map(|at| sample.value(&space, row, at)).collect();
            rows.push(&values).map_err(ours)?;
        }
        Ok(rows)
    }

    /// Ten rows for each of `base` points: two of them, and the first with each of eight parameters from the second.
    pub(crate) fn decomposition(
        &self,
        base: u64,
        points: BasePoints,
        seed: u64,
    ) -> Result<ParameterRows, Failure> {
        let units = unit_points(base, points, seed)?;
        let mut rows = self.rows();
        for point in &units {
            let (first, second) = point.split_at(DECOMPOSED.len());
            for mixed in 0..DECOMPOSED.len() + 2 {
                let place = |at: usize| match mixed.checked_sub(2) {
                    None if mixed == 1 => second[at],
                    Some(other) if other == at => second[at],
                    _ => first[at],
                };
                let values: Vec<Value> = self.ranges.iter().map(|range| continuous(range, &place)).collect();
                rows.push(&values).map_err(ours)?;
            }
        }
        Ok(rows)
    }
}

/// A continuous value between the ends of a range for those that vary, the first value for the others.
fn continuous((name, domain): &(&'static str, Domain), place: &dyn Fn(usize) -> f64) -> Value {
    let (low, high) = match domain {
        Domain::Steps { from, to, .. } | Domain::Continuous { from, to } => (*from, *to),
        Domain::Integers { from, to } => (*from as f64, *to as f64),
        Domain::Values(values) => {
            (values.first().copied().unwrap_or_default(), values.last().copied().unwrap_or_default())
        }
        Domain::Categories(_) => (0.0, 0.0),
    };
    let varies = DECOMPOSED.iter().position(|other| other == name);
    Value::Real(varies.map_or(low, |at| low + place(at) * (high - low)))
}

fn unit_points(count: u64, points: BasePoints, seed: u64) -> Result<Vec<Vec<f64>>, Failure> {
    let unit = Domain::Continuous { from: 0.0, to: 1.0 };
    let parameters = (0..2 * DECOMPOSED.len()).map(|at| Parameter::new(format!("x{at}"), unit.clone()));
    let space = Space::new(parameters.collect(), Vec::new()).map_err(ours)?;
    let method = match points {
        BasePoints::MonteCarlo => Method::MonteCarlo { rows: count },
        BasePoints::LatinHypercube => Method::LatinHypercube { rows: count, kind: LatinHypercube::default() },
        BasePoints::Halton => Method::Halton { rows: count, scrambled: false },
    };
    let sample = sample(&space, &Design { method, seed }).map_err(ours)?;
    Ok((0..sample.len()).map(|row| sample.numbers(row).to_vec()).collect())
}
