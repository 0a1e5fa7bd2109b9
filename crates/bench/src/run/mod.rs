//! Figures of running a study: what each level of reuse leaves in time and in cost, and what scheduling itself takes.

mod clusters;
mod hybrid;
mod peer;
mod planning;
mod real;

use std::path::Path;

use onceflow_engine::OpenStudy;
use onceflow_study::{Method, SourceText, Study, Workflow, parse_study, read_workflow, shipped_workflow};
use onceflow_terminal::{Failure, Terminal, engine_failure};

use crate::args::BenchArgs;
use crate::figure::BenchFigure;

/// Threads of every run.
const WORKERS: usize = 2;

/// What the seven tasks of segmentation cost, in percent, as published: for plans beside a count that another program made
/// with these weights. The second half of t6 stands for both: it is keyed by everything that the first reads.
const PUBLISHED: [(&str, f64); 7] =
    [("t1", 12.0), ("t2", 20.9), ("t3", 6.9), ("t4", 3.5), ("t5", 8.0), ("t6_flood", 39.6), ("t7", 9.1)];

/// The same for every task of the workflow: background thresholds and t1 share what was published of t1, both halves of t6
/// what was published of t6, as their operations' own costs are to each other.
const EVERY_TASK: [(&str, f64); 9] = [
    ("background", 1.1),
    ("t1", 10.9),
    ("t2", 20.9),
    ("t3", 6.9),
    ("t4", 3.5),
    ("t5", 8.0),
    ("t6_grow", 5.9),
    ("t6_flood", 33.7),
    ("t7", 9.1),
];

/// Measures them, on an image or on synthetic tissue.
pub(crate) fn figures(terminal: &Terminal, args: &BenchArgs) -> Result<Vec<BenchFigure>, Failure> {
    let asked = BenchStudy::new(args.image.as_deref())?;
    let mut figures = Vec::new();
    if is_wanted(args, "planning") {
        let _progress = terminal.progress("planning and scheduling");
        let dask = if args.no_peer { None } else { peer::dask(args.python.as_deref(), terminal) };
        figures.extend(planning::figures(&asked, dask)?);
    }
    if is_wanted(args, "clusters") {
        let _progress = terminal.progress("simulating clusters");
        figures.extend(clusters::figures()?);
    }
    if is_wanted(args, "hybrid") {
        let _progress = terminal.progress("simulating a node with graphics cards");
        figures.extend(hybrid::figures()?);
    }
    figures.extend(real::figures(args, terminal)?);
    Ok(figures)
}

/// Whether a section is asked for: `planning`, `clusters`, `hybrid`, `levels`, `beyond`, `bounds`, `paths`, `grain`, `end`, `workers`,
/// `effects`, `dask`.
fn is_wanted(args: &BenchArgs, section: &str) -> bool {
    args.only.as_ref().is_none_or(|only| section.contains(only.as_str()))
}

/// The study of this benchmark.
struct BenchStudy {
    study: Study,
    workflow: Workflow,
}

impl BenchStudy {
    fn new(image: Option<&str>) -> Result<Self, Failure> {
        let source = shipped_workflow("nuclei").ok_or_else(|| Failure::internal("nuclei is not shipped"))?;
        let workflow = read_workflow(&source)?;
        let text = SourceText::new("bench run", include_str!("study.toml"));
        let (study, messages) = parse_study(&text)?.resolve(Some(&workflow), None);
        let mut study = study.ok_or(messages)?;
        if let (Some(file), Some(first)) = (image, study.images.first_mut()) {
            first.file = file.to_owned();
        }
        Ok(Self { study, workflow })
    }

    /// The same with another seed.
    fn with_seed(&self, seed: u64) -> Study {
        let mut study = self.study.clone();
        study.seed = seed;
        study.phases.iter_mut().for_each(|phase| phase.design.seed = seed);
        study
    }

    /// The same with that many trajectories.
    fn with_trajectories(&self, trajectories: u64) -> Study {
        let mut study = self.study.clone();
        for phase in &mut study.phases {
            if let Method::Morris(morris) = &mut phase.design.method {
                morris.trajectories = trajectories;
            }
        }
        study
    }

    fn prepare<'a>(&'a self, study: &'a Study) -> Result<OpenStudy, Failure> {
        OpenStudy::new(study, &self.workflow, Path::new("")).map_err(engine_failure)
    }
}

/// What one of the published tasks costs.
fn published(task: &str) -> f64 {
    of(&PUBLISHED, task)
}

/// What one of a task costs; 0 outside segmentation.
fn weight(task: &str) -> f64 {
    of(&EVERY_TASK, task)
}

fn of(costs: &[(&str, f64)], task: &str) -> f64 {
    costs.iter().find(|(name, _)| *name == task).map_or(0.0, |(_, cost)| *cost)
}

fn figure(name: impl Into<String>, value: f64, unit: &'static str) -> BenchFigure {
    BenchFigure { name: name.into(), value, unit, goal: None, peer: None }
}

#[cfg(test)]
mod tests {
    use onceflow_study::{Catalogue, shipped_ranges};

    use super::*;

    #[test]
    fn the_study_varies_every_parameter_in_its_published_range() {
        let asked = BenchStudy::new(Some("synth:64x64")).unwrap();
        let found: Vec<_> =
            asked.study.space.parameters().iter().map(|p| (p.name.as_str(), p.domain.clone())).collect();
        assert_eq!(found, shipped_ranges());
        assert_eq!(asked.study.images[0].file, "synth:64x64");
    }

    #[test]
    fn every_task_has_its_share_of_what_was_published() {
        let catalogue = Catalogue::nuclei();
        let own = |operation: &str| catalogue.get(operation).unwrap().cost_ns_per_pixel;
        for (whole, pieces) in [
            ("t1", [("background", "nuclei.background"), ("t1", "nuclei.red_blood_cells")]),
            ("t6_flood", [("t6_grow", "nuclei.clumps"), ("t6_flood", "nuclei.split")]),
        ] {
            let all: f64 = pieces.iter().map(|(_, operation)| own(operation)).sum();
            for (task, operation) in pieces {
                let expected = published(whole) * own(operation) / all;
                assert!((weight(task) - expected).abs() < 0.05, "{task}: {expected}");
            }
        }
        for costs in [&PUBLISHED[..], &EVERY_TASK] {
            assert!((costs.iter().map(|(_, cost)| cost).sum::<f64>() - 100.0).abs() < 1e-9);
        }
        let workflow = BenchStudy::new(None).unwrap().workflow;
        let segment = workflow.stages.iter().find(|stage| stage.name == "segment").unwrap();
        let uncounted: Vec<&str> =
            segment.tasks().map(|task| task.name.as_str()).filter(|task| weight(task) == 0.0).collect();
        assert_eq!(uncounted, Vec::<&str>::new());
    }
}
