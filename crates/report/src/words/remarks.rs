//! Remarks beside the answer: the conditions and the limits of the numbers.

use onceflow_sensitivity::{EffectLine, Technique, Verdict};
use onceflow_study::{Against, Parameter, Seams, counted, with_commas};

use super::{and, capital};
use crate::subject::Subject;
use crate::{Answer, PhaseAnswer, resampling_words};

/// Whole sentences: those of the run itself, then those that follow from its numbers.
pub(crate) fn remarks(answer: &Answer) -> Vec<String> {
    let mut remarks = answer.notes.clone();
    remarks.extend(warnings(answer));
    remarks.extend(default_outside(answer));
    remarks.extend(answer.phases.iter().flat_map(|phase| other_metrics_screened(answer, phase)));
    remarks.extend(undecided(answer));
    remarks.extend(without_truth(answer));
    remarks.extend(resampling_words(answer.images.iter().map(|i| (i.name.as_str(), i.resampled))));
    remarks.extend(without_tissue(answer));
    remarks.extend(seams(answer));
    remarks.extend(intervals(answer));
    remarks
}

/// Warnings of the analyses; the same warning about several metrics is said once.
fn warnings(answer: &Answer) -> Vec<String> {
    let mut found: Vec<(&str, &str, Vec<&str>)> = Vec::new();
    for phase in &answer.phases {
        for output in phase.analyses.iter().flat_map(|analysis| &analysis.outputs) {
            for warning in &output.warnings {
                match found.iter_mut().find(|(name, said, _)| *name == phase.name && said == warning) {
                    Some((_, _, metrics)) if metrics.contains(&output.name.as_str()) => {}
                    Some((_, _, metrics)) => metrics.push(&output.name),
                    None => found.push((&phase.name, warning, vec![&output.name])),
                }
            }
        }
    }
    let sentence = |(phase, warning, metrics): &(&str, &str, Vec<&str>)| {
        format!("Phase {phase}, {}: {}.", and(metrics), warning.trim_end_matches('.'))
    };
    found.iter().map(sentence).collect()
}

/// A metric against the defaults, when these lie outside the ranges: every row differs in the same direction.
fn default_outside(answer: &Answer) -> Vec<String> {
    let Some(phase) = answer.phases.first() else { return Vec::new() };
    let outside = |p: &Parameter| {
        let default = p.default.as_ref().filter(|default| !p.domain.spans(default))?;
        let (from, to) = p.domain.ends()?;
        Some(format!("{} = {default} lies outside {from} to {to}", p.name))
    };
    let outside: Vec<String> = phase.space.parameters().iter().filter_map(outside).collect();
    let metrics = answer.metrics.iter().filter(|m| m.against == Against::Default && !outside.is_empty());
    let sentence = |name: &str| {
        format!(
            "{} compares with the reference row, whose {}: part of that effect is the distance to the range, not \
             sensitivity within it.",
            capital(name),
            and(&outside)
        )
    };
    metrics.map(|m| sentence(&m.name)).collect()
}

/// Parameters that one metric screened out though they mattered for another.
fn other_metrics_screened(answer: &Answer, phase: &PhaseAnswer) -> Vec<String> {
    let Some(kept) = &phase.kept else { return Vec::new() };
    let Some(earlier) = answer.phases.iter().find(|p| p.name == kept.phase) else { return Vec::new() };
    let others = answer.metrics.iter().filter(|m| m.name != kept.metric);
    let sentence = |name: &str| {
        let subject = Subject::in_phase(earlier, name)?;
        let out: Vec<&EffectLine<'_>> = subject
            .influential()
            .into_iter()
            .filter(|line| !kept.names.iter().any(|n| n == line.name))
            .collect();
        let names: Vec<&str> = out.iter().map(|line| line.name).collect();
        let most = subject.table.lines.first()?.main.value;
        let shares: Vec<String> =
            out.iter().map(|l| format!("{:.0} %", l.main.value / most * 100.0)).collect();
        let of = if subject.analysis.technique == Technique::Morris {
            "the largest mu*"
        } else {
            "the largest effect"
        };
        (!out.is_empty()).then(|| {
            format!(
                "{}: {} mattered in {} ({} of {of}), but only {} decided what was kept; the indices of {name} in {} \
                 hold for {}.",
                capital(name), and(&names), earlier.name, and(&shares), kept.metric,
                phase.name,
                and(&defaults(earlier, &names))
            )
        })
    };
    others.filter_map(|m| sentence(&m.name)).collect()
}

/// `minSize = 11`: where the parameters of these names stood when they did not vary.
fn defaults(phase: &PhaseAnswer, names: &[&str]) -> Vec<String> {
    let default = |name: &&str| {
        let place = phase.space.index_of(name);
        let default = place.and_then(|place| phase.space.parameters()[place].default.as_ref());
        default.map_or_else(|| format!("the default of {name}"), |value| format!("{name} = {value}"))
    };
    names.iter().map(default).collect()
}

/// How many rows would decide about the undecided parameters.
fn undecided(answer: &Answer) -> Vec<String> {
    let Some(subject) = answer.metrics.first().and_then(|m| Subject::of(answer, &m.name)) else {
        return Vec::new();
    };
    let rows_run = subject.analysis.rows;
    let undecided = |line: &EffectLine<'_>| {
        let verdict = line.verdict.filter(|verdict| matches!(verdict, Verdict::Undecided { .. }))?;
        let rows = match verdict.affordable_rows(rows_run) {
            Some(rows) => format!("about {} more rows", with_commas(rows.into())),
            None => "no affordable number of rows".into(),
        };
        Some(format!("{}: {rows} would decide whether it is influential.", line.name))
    };
    subject.table.lines.iter().filter_map(undecided).collect()
}

fn without_truth(answer: &Answer) -> Option<String> {
    let metrics: Vec<&str> =
        answer.metrics.iter().filter(|m| m.against == Against::Truth).map(|m| m.name.as_str()).collect();
    let without: Vec<&str> =
        answer.images.iter().filter(|i| i.truth_objects.is_none()).map(|i| i.name.as_str()).collect();
    let wanted = !metrics.is_empty() && !without.is_empty();
    let named = if without.len() <= 5 { and(&without) } else { format!("{} images", without.len()) };
    let (has, is) = if without.len() == 1 { ("has", "is") } else { ("have", "are") };
    wanted.then(|| format!("{named} {has} no truth and {is} not included in {}.", and(&metrics)))
}

fn without_tissue(answer: &Answer) -> Option<String> {
    let left_out: usize = answer.images.iter().map(|image| image.left_out).sum();
    let all: usize = answer.images.iter().map(|image| image.parts).sum::<usize>() + left_out;
    (left_out > 0)
        .then(|| format!("{left_out} of {} hold no tissue and were left out.", counted(all, "part")))
}

/// Only where images were cut.
fn seams(answer: &Answer) -> Option<String> {
    let is_cut = answer.images.iter().any(|image| image.parts + image.left_out > 1);
    let sentence = match answer.seams {
        Seams::Exact => "Seams are exact: the result does not depend on how the images were cut into parts.".into(),
        Seams::Owned => format!(
            "Seams are owned: parts see {} pixels around themselves, and an object belongs to the part that holds its \
             first pixel, so that it is counted once. Operations that follow connected pixels further than that, \
             and tests of a whole part such as the background test, still depend on how the images were cut.",
            answer.halo
        ),
        Seams::Independent => {
            "Parts are independent, as in the papers: an object cut by a seam counts in each part that holds a piece \
             of it."
                .into()
        }
    };
    is_cut.then_some(sentence)
}

fn intervals(answer: &Answer) -> Option<String> {
    let mut outputs =
        answer.phases.iter().flat_map(|phase| &phase.analyses).flat_map(|analysis| &analysis.outputs);
    outputs.any(|output| output.interval.name != "none").then(|| {
        "Intervals say how far the indices could move with another sample of parameter values on these images. They \
         say nothing about other images."
            .into()
    })
}
