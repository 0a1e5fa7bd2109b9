//! A phase of a study: the parameters it varies, given the results of the phase before it.

use std::path::Path;

use onceflow_sensitivity::read_effects;
use onceflow_study::{Diagnostic, Keep, KeepRule, Phase, Problem, Study, nearest};

use crate::diagnostics::from_error;
use crate::file::read_text;
use crate::problem::LoadedProblem;
use onceflow_engine::TextLimit;
use onceflow_terminal::Failure;

/// The phase of that name.
pub(crate) fn named<'a>(loaded: &'a LoadedProblem, name: &str) -> Result<(&'a Study, &'a Phase), Failure> {
    let Some(study) = &loaded.study else {
        return Err(Failure::bad_input(
            Diagnostic::error("only a study has phases")
                .expected_found("a study with --phase", "a problem of another tool")
                .with_hint("onceflow init --from PROBLEM -o study.toml makes a study of it"),
        ));
    };
    let names = || study.phases.iter().map(|p| p.name.as_str());
    study.phase(name).map(|phase| (study, phase)).ok_or_else(|| {
        let known = names().collect::<Vec<_>>().join(", ");
        let error = Diagnostic::error(format!("the study has no phase `{name}`"));
        let error = error.expected_found(format!("one of {known}"), format!("`{name}`"));
        Failure::bad_input(match nearest(name, names()) {
            Some(near) => error.with_hint(format!("did you mean --phase {near}?")),
            None => error,
        })
    })
}

/// What a phase samples; `after` are the indices of the phase that its rule looks at.
pub(crate) fn problem(study: &Study, phase: &Phase, after: Option<&Path>) -> Result<Problem, Failure> {
    let kept = match (&phase.keep, after) {
        (Some(Keep::Effects(rule)), Some(after)) => Some(choose(rule, after)?),
        (Some(Keep::Effects(rule)), None) => return Err(no_indices(phase, rule)),
        (_, Some(after)) => return Err(no_rule(phase, after)),
        (_, None) => None,
    };
    let problem = study.phase_problem(phase, kept.as_deref());
    problem.map_err(|e| from_error(format!("cannot sample phase `{}`", phase.name), &e).into())
}

fn choose(rule: &KeepRule, after: &Path) -> Result<Vec<String>, Failure> {
    let source = read_text(after, TextLimit::Description)?;
    let effects = read_effects(&source, rule.metric.as_deref()).map_err(|d| Failure::from(*d))?;
    Ok(rule.choose(&effects))
}

fn no_indices(phase: &Phase, rule: &KeepRule) -> Failure {
    Failure::bad_input(
        Diagnostic::error(format!("phase `{}` needs the indices of phase `{}`", phase.name, rule.phase))
            .expected_found(format!("--after with the indices of `{}`", rule.phase), "no --after")
            .with_hint(format!(
                "analyse `{}` with --json > {}.json, then add --after {}.json",
                rule.phase, rule.phase, rule.phase
            )),
    )
}

fn no_rule(phase: &Phase, after: &Path) -> Failure {
    Failure::bad_input(
        Diagnostic::error(format!("phase `{}` has no `keep` rule that uses indices", phase.name))
            .expected_found("a phase with `keep = { phase = … }`", format!("--after {}", after.display()))
            .with_hint("leave --after out, or add the rule to the phase"),
    )
}
