//! From a study file, its workflow and its sheet to a [`Study`], with all messages about them.

use super::check::{self, Context, ResolvedParameters};
use super::count;
use super::entry::{ImageEntry, KeepEntry, PhaseEntry};
use super::{ImageSheet, Keep, KeepRule, Metric, Phase, Study, StudyFile};
use crate::{Design, Diagnostic, Diagnostics, Method, Space, Workflow};

impl StudyFile {
    /// Checks the study against its workflow and sheet, which the caller has read if the file names them. There is a
    /// study exactly when no message is an error.
    pub fn resolve(
        self,
        workflow: Option<&Workflow>,
        sheet: Option<&ImageSheet>,
    ) -> (Option<Study>, Diagnostics) {
        let mut diagnostics = self.diagnostics.clone();
        let workflow = self.workflow.as_ref().and(workflow);
        self.check_given(workflow, sheet, &mut diagnostics);
        let study = Resolver { file: &self, workflow, diagnostics: &mut diagnostics }.study(sheet);
        // Errors come before warnings and notes; otherwise the order of the checks stays.
        diagnostics.0.sort_by_key(|d| std::cmp::Reverse(d.severity));
        shorten(&mut diagnostics);
        if diagnostics.has_errors() { (None, diagnostics) } else { (study, diagnostics) }
    }

    /// Workflow and sheet must be given when the file names them: without them checks would silently miss errors.
    fn check_given(
        &self,
        workflow: Option<&Workflow>,
        sheet: Option<&ImageSheet>,
        diagnostics: &mut Diagnostics,
    ) {
        let workflow = self.workflow().filter(|_| workflow.is_none()).map(|(w, place)| (w.text(), place));
        let sheet = self.sheet().filter(|_| sheet.is_none());
        for (name, place) in workflow.into_iter().chain(sheet) {
            let error = Diagnostic::error(format!("`{name}` has not been read")).at_place(Some(&place), "");
            diagnostics.push(error.expected_found("a file that can be read", "none"));
        }
    }
}

/// Most messages: a hostile file could cause millions.
const MOST_MESSAGES: usize = 100;

fn shorten(diagnostics: &mut Diagnostics) {
    let more = diagnostics.0.len().saturating_sub(MOST_MESSAGES);
    if more > 0 {
        diagnostics.0.truncate(MOST_MESSAGES);
        diagnostics.push(Diagnostic::note(format!("{more} more messages are left out")));
    }
}

struct Resolver<'a> {
    file: &'a StudyFile,
    workflow: Option<&'a Workflow>,
    diagnostics: &'a mut Diagnostics,
}

impl Resolver<'_> {
    fn study(self, sheet: Option<&ImageSheet>) -> Option<Study> {
        let Self { file, workflow, diagnostics } = self;
        let images = images(file, sheet, diagnostics);
        let context = Context { file, workflow, images: &images };
        let parameters = check::parameters(&context, diagnostics);
        check::names(&context, diagnostics);
        check::images(&context, diagnostics);
        check::metrics(&context, diagnostics);
        check::phases(&context, &parameters, diagnostics);
        check::defaults(&context, &parameters, diagnostics);
        let constraints = check::constraints(&context, &parameters, diagnostics);
        let space = space(&context, &parameters, constraints, diagnostics)?;
        let study = assemble(file, &images, parameters, space)?;
        check::named_spaces(&context, &study, diagnostics);
        count::check(&study, &context, diagnostics);
        Some(study)
    }
}

fn images(file: &StudyFile, sheet: Option<&ImageSheet>, diagnostics: &mut Diagnostics) -> Vec<ImageEntry> {
    let sheet = sheet.filter(|_| file.sheet.is_some());
    diagnostics.0.extend(sheet.into_iter().flat_map(|s| s.diagnostics.0.iter().cloned()));
    let of_sheet = sheet.into_iter().flat_map(|s| s.images.iter());
    file.images.iter().chain(of_sheet).cloned().collect()
}

/// Earlier checks have reported errors with their positions; the rest is reported without one.
fn space(
    context: &Context<'_>,
    parameters: &ResolvedParameters,
    constraints: Vec<crate::Constraint>,
    diagnostics: &mut Diagnostics,
) -> Option<Space> {
    let varying = parameters.varying.iter().map(|p| p.parameter.clone()).collect();
    let cause = match Space::new(varying, constraints) {
        Ok(space) => return Some(space),
        Err(cause) => cause,
    };
    if !diagnostics.has_errors() {
        let error = Diagnostic::error(format!("nothing can be sampled: {cause}"));
        let hint = "list what varies under [parameters], such as G1 = { from = 5, to = 80, step = 5 }";
        diagnostics.push(error.at(&context.file.source, 0..0, "").with_hint(hint));
    }
    None
}

fn assemble(
    file: &StudyFile,
    images: &[ImageEntry],
    parameters: ResolvedParameters,
    space: Space,
) -> Option<Study> {
    let metric = |m: &super::entry::MetricEntry| Metric {
        name: m.name.value.clone(),
        of: m.of.as_ref().map(|of| of.value.clone()),
        measure: m.measure.as_ref().map(|measure| measure.value.clone()),
        against: m.against.value,
    };
    let metrics: Vec<_> = file.metrics.iter().map(metric).collect();
    let first = metrics.first().map(|m| m.name.as_str());
    let phases = file.phases.iter().map(|p| phase(p, file.seed, first)).collect::<Option<Vec<_>>>()?;
    Some(Study {
        name: file.name.as_ref()?.value.clone(),
        seed: file.seed,
        workflow: file.workflow.as_ref().map(|w| w.value.clone()),
        space,
        fixed: parameters.fixed,
        images: images.iter().map(|i| i.image.clone()).collect(),
        parts: file.parts.clone(),
        metrics,
        phases,
        run: file.run.settings.clone(),
        threshold: file.threshold.unwrap_or(Study::THRESHOLD),
    })
}

fn phase(entry: &PhaseEntry, seed: u64, first_metric: Option<&str>) -> Option<Phase> {
    let method = entry.method.as_ref()?.value.clone();
    let analyses = entry.analyses_of(&method);
    Some(Phase {
        name: entry.name.value.clone(),
        design: Design { method, seed: entry.seed.unwrap_or(seed) },
        keep: entry.keep.as_ref().and_then(|keep| rule(keep, first_metric)),
        estimator: entry.estimator,
        analyses,
        confidence: None,
    })
}

impl PhaseEntry {
    /// The analyses that were chosen, or the usual ones of its method.
    pub(super) fn analyses_of(&self, method: &Method) -> Vec<&'static str> {
        let chosen: Vec<_> = self.analyses.iter().map(|a| a.value).collect();
        if chosen.is_empty() { usual_analyses(method) } else { chosen }
    }
}

/// Default analyses of a design.
fn usual_analyses(method: &Method) -> Vec<&'static str> {
    match method {
        Method::Morris(_) => vec!["morris"],
        Method::Saltelli(_) => vec!["vbd"],
        Method::Tune(_) => Vec::new(),
        _ => vec!["correlation", "delta", "pawn"],
    }
}

fn rule(entry: &KeepEntry, first_metric: Option<&str>) -> Option<Keep> {
    if let Some(names) = &entry.names {
        return Some(Keep::Names(names.iter().map(|n| n.value.clone()).collect()));
    }
    let metric = entry.metric.as_ref().map(|m| m.value.as_str()).or(first_metric);
    Some(Keep::Effects(KeepRule {
        phase: entry.phase.as_ref()?.value.clone(),
        metric: metric.map(str::to_owned),
        share: entry.share.unwrap_or(KeepRule::SHARE),
        at_least: entry.at_least.unwrap_or(1),
        at_most: entry.at_most,
    }))
}
