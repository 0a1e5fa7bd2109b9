//! What a study will do, in a few lines: the facts that `check` prints.

use std::fmt;

use crate::units::{counted, with_commas};
use crate::{
    Against, Catalogue, ImageBox, Keep, Method, Phase, PhaseCount, Seams, Study, StudyCounts, Workflow,
};

/// The facts of a study. `Display` prints them, one line each.
#[derive(Clone, Debug, PartialEq)]
pub struct StudySummary {
    /// Name of the study.
    pub name: String,
    /// `nuclei 1: 3 stages, 11 tasks (4 and 12 with compare), 15 parameters`; `None` without a workflow.
    pub workflow: Option<String>,
    /// Names of the parameters that vary.
    pub parameters: Vec<String>,
    /// Number of images.
    pub images: usize,
    /// Number of images with truth.
    pub with_truth: usize,
    /// Rows and parts.
    pub counts: StudyCounts,
    /// Size of the parts in pixels, where all are alike.
    pub part_size: Option<(u64, u64)>,
    /// `owned: parts see 148 px around themselves`, where images may be cut.
    pub seams: Option<String>,
    /// Resolution of the work.
    pub um_per_pixel: Option<f64>,
    /// One line per phase: its name, and what it makes.
    pub phases: Vec<(String, String)>,
    /// One entry per metric: `dice (truth: 1 of 2 images)`.
    pub metrics: Vec<String>,
}

impl StudySummary {
    /// Gathers the facts.
    pub fn new(study: &Study, workflow: Option<&Workflow>) -> Self {
        let counts = StudyCounts::of(study);
        let phases = study.phases.iter().zip(&counts.phases);
        let phases = phases.map(|(p, count)| (p.name.clone(), phase_line(study, p, count))).collect();
        Self {
            name: study.name.clone(),
            workflow: workflow.map(workflow_line),
            parameters: study.space.parameters().iter().map(|p| p.name.clone()).collect(),
            images: study.images.len(),
            with_truth: study.images.iter().filter(|i| i.truth.is_some()).count(),
            counts,
            part_size: part_size(study),
            seams: workflow.and_then(|workflow| seams(study, workflow)),
            um_per_pixel: study.parts.um_per_pixel,
            phases,
            metrics: study.metrics.iter().map(|m| metric_words(study, &m.name, m.against)).collect(),
        }
    }
}

/// Metrics become one more stage of one task.
fn workflow_line(workflow: &Workflow) -> String {
    let (stages, tasks) = (workflow.stage_count(), workflow.task_count());
    format!(
        "{} {}: {}, {} ({} and {} with compare), {}",
        workflow.name,
        workflow.version,
        counted(stages, "stage"),
        counted(tasks, "task"),
        stages + 1,
        tasks + 1,
        counted(workflow.parameters.len(), "parameter")
    )
}

fn metric_words(study: &Study, name: &str, against: Against) -> String {
    let with_truth = study.images.iter().filter(|i| i.truth.is_some()).count();
    match against {
        Against::Truth => format!("{name} (truth: {with_truth} of {} images)", study.images.len()),
        Against::Default => format!("{name} (default)"),
        Against::Nothing => name.to_owned(),
    }
}

/// What happens where parts meet; nothing when every image is known to be one part.
fn seams(study: &Study, workflow: &Workflow) -> Option<String> {
    let images = study.images.len() as u128;
    let is_cut = StudyCounts::of(study).parts.is_none_or(|parts| parts > images);
    let word = study.parts.seams.word();
    let words = match study.parts.seams {
        Seams::Exact => return None,
        Seams::Owned => {
            let halo = study.halo(workflow, &Catalogue::nuclei());
            format!("{word}: parts see {} px around themselves", with_commas(halo.into()))
        }
        Seams::Independent => format!("{word}: each part by itself"),
    };
    (is_cut && images > 0).then_some(words)
}

/// The size all parts have: that of the boxes when they are smaller than a part and alike.
fn part_size(study: &Study) -> Option<(u64, u64)> {
    let size = if study.parts.seams == Seams::Exact { u64::MAX } else { study.parts.size };
    let cut = |b: ImageBox| (b.width.min(size), b.height.min(size));
    let mut sizes = study.images.iter().map(|i| i.bounds.map(cut));
    let first = sizes.next()??;
    sizes.all(|s| s == Some(first)).then_some(first)
}

/// `moat, 15 parameters, 20 trajectories: 320 rows`.
fn phase_line(study: &Study, phase: &Phase, count: &PhaseCount) -> String {
    let (word, size) = match &phase.design.method {
        Method::Morris(m) => ("moat", format!("{} trajectories", with_commas(m.trajectories.into()))),
        Method::Saltelli(s) => ("vbd", format!("base {}", with_commas(s.base.into()))),
        Method::Grid(g) if g.fraction > 1 => ("grid", format!("one in {}", g.fraction)),
        Method::Grid(_) => ("grid", String::new()),
        Method::Sobol { .. } => ("sobol-sequence", String::new()),
        Method::Tune(t) => ("tune", format!("{} evaluations", with_commas(t.evaluations.into()))),
        other => (other.word(), String::new()),
    };
    let varying = match &phase.keep {
        Some(Keep::Effects(_)) => String::new(),
        _ => varying(study, phase),
    };
    let words: Vec<_> = [word.to_owned(), varying, size].into_iter().filter(|w| !w.is_empty()).collect();
    format!("{}: {}", words.join(", "), rows_words(count))
}

fn varying(study: &Study, phase: &Phase) -> String {
    let space = study.phase_space(phase, None).unwrap_or_else(|_| study.space.clone());
    let (parameters, factors) = (space.parameters().len(), space.factors().len());
    let groups = if factors < parameters { format!(" as {factors} factors") } else { String::new() };
    format!("{}{groups}", counted(parameters, "parameter"))
}

fn rows_words(count: &PhaseCount) -> String {
    let most = with_commas(count.most);
    match count.half {
        Some((kept, rows)) => {
            let plural = if kept == 1 { " is" } else { "s are" };
            format!("{} rows if {kept} parameter{plural} kept, at most {most}", with_commas(rows))
        }
        None if count.depends => format!("at most {most} rows"),
        None => format!("{most} rows"),
    }
}

impl fmt::Display for StudySummary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut lines = vec![("study", self.name.clone())];
        match &self.workflow {
            Some(workflow) => lines.push(("workflow", workflow.clone())),
            None => lines
                .push(("parameters", format!("{}: {}", self.parameters.len(), self.parameters.join(", ")))),
        }
        if self.images > 0 {
            lines.push(("images", self.image_words()));
        }
        lines.extend(self.seams.iter().map(|seams| ("seams", seams.clone())));
        lines.extend(self.phases.iter().map(|(name, line)| (name.as_str(), line.clone())));
        if !self.metrics.is_empty() {
            lines.push(("metrics", self.metrics.join(", ")));
        }
        let width = lines.iter().map(|(name, _)| name.chars().count()).max().unwrap_or(0).max(10) + 2;
        let text: Vec<_> = lines.iter().map(|(name, line)| format!("{name:<width$}{line}")).collect();
        write!(f, "{}", text.join("\n"))
    }
}

impl StudySummary {
    /// `2, of which 1 with truth; 2 parts of 1000 x 1000 px at 0.25 um/px`.
    fn image_words(&self) -> String {
        let images = with_commas(self.images as u128);
        let truth = match self.with_truth {
            0 => String::new(),
            all if all == self.images => ", with truth".into(),
            some => format!(", of which {} with truth", with_commas(some as u128)),
        };
        let Some(parts) = self.counts.parts else { return format!("{images}{truth}") };
        let size = self.part_size.map_or_else(String::new, |(w, h)| format!(" of {w} x {h} px"));
        let at = self.um_per_pixel.map_or_else(String::new, |um| format!(" at {um} um/px"));
        let plural = if parts == 1 { "" } else { "s" };
        format!("{images}{truth}; {} part{plural}{size}{at}", with_commas(parts))
    }
}
