//! Effects on the page: plots and tables of each metric, phase and image.

use std::collections::HashSet;

use onceflow_sensitivity::{Analysis, EffectTable, PlotKind, effect_table, plot, plot_kinds};
use onceflow_study::{Metric, counted};

use super::element::{details, drawing, paragraph, section, table};
use crate::report::subject::{Subject, leading};
use crate::report::words::{and, others, screened};
use crate::{Answer, PhaseAnswer};

/// Images that have a line of their own; the others are in indices.json.
const MOST_IMAGES: usize = 24;
/// Parameters that are compared over images.
const COMPARED: usize = 3;

/// The effects on the first metric: the plot, and the numbers to open.
pub(super) fn first(answer: &Answer) -> String {
    let subject = answer.metrics.first().and_then(|metric| Subject::of(answer, &metric.name));
    let Some(subject) = subject else { return String::new() };
    let metric = &subject.output.name;
    let place = subject.analysis.outputs.iter().position(|o| o.name == *metric).unwrap_or(0);
    let mut body = plots(subject.analysis, place, &[PlotKind::Bars]);
    if let Some(screened) = screened(answer, &subject) {
        let names =
            if screened.names.is_empty() { String::new() } else { format!(" ({})", and(&screened.names)) };
        body.push_str(&paragraph(&format!(
            "{}{names} {}.",
            counted(screened.count, "other parameter"),
            screened.why
        )));
    }
    body.push_str(&details("The numbers", &numbers(&subject.table)));
    section("effects", &format!("Effect on {metric}"), &body)
}

fn plots(analysis: &Analysis, output: usize, kinds: &[PlotKind]) -> String {
    let name = analysis.outputs.get(output).map(|o| o.name.as_str()).unwrap_or_default();
    let drawn = kinds.iter().filter_map(|kind| plot(analysis, output, *kind));
    drawn.map(|svg| drawing(&svg, &format!("Plot of the effects on {name}"))).collect()
}

/// Bars are drawn in the plot: the table leaves them out.
fn numbers(effects: &EffectTable<'_>) -> String {
    let is_bar =
        |place: usize| effects.lines.iter().all(|line| line.behind[place - 1].chars().all(|c| c >= '▀'));
    let is_last = |place: usize| place + 1 == effects.heads.len();
    let shown: Vec<usize> =
        (0..effects.heads.len()).filter(|p| *p == 0 || is_last(*p) || !is_bar(*p)).collect();
    let head = |place: &usize| match effects.heads[*place] {
        "" => "interval".to_owned(),
        word => word.to_owned(),
    };
    let heads: Vec<String> = shown.iter().map(head).collect();
    let rows: Vec<Vec<String>> = effects
        .lines
        .iter()
        .map(|line| {
            let cells = line.cells();
            shown.iter().map(|place| cells.get(*place).cloned().unwrap_or_default()).collect()
        })
        .collect();
    table(&effects.measure, &heads, &rows)
}

/// The leading effects on each metric, when there are several.
pub(super) fn metrics(answer: &Answer) -> String {
    let heads = ["metric", "first", "second", "third"].map(str::to_owned);
    let analysed = answer.metrics.iter().filter(|metric| Subject::of(answer, &metric.name).is_some());
    let rows: Vec<Vec<String>> = analysed
        .map(|metric| {
            let effects =
                others(answer, &metric.name).into_iter().map(|(name, number)| format!("{name} {number}"));
            let effects: Vec<String> = effects.collect();
            let first = if effects.is_empty() { vec!["nothing influential".to_owned()] } else { effects };
            let cells: Vec<String> = std::iter::once(metric.name.clone()).chain(first).collect();
            cells.into_iter().chain(std::iter::repeat(String::new())).take(heads.len()).collect()
        })
        .collect();
    let leader = |metric: &Metric| others(answer, &metric.name).into_iter().next().map(|(name, _)| name);
    let leaders: HashSet<String> = answer.metrics.iter().filter_map(leader).collect();
    let title = match leaders.len() {
        1 => "All metrics agree on the first parameter",
        _ => "The answer depends on the metric",
    };
    if rows.len() < 2 {
        return String::new();
    }
    section("metrics", title, &table("Leading influential parameters of each metric", &heads, &rows))
}

/// For each metric that several images have: whether the answer holds on each.
pub(super) fn images(answer: &Answer) -> String {
    let tables: String =
        answer.metrics.iter().filter_map(|metric| image_table(answer, &metric.name)).collect();
    if tables.is_empty() { tables } else { section("images", "Does it hold on each image?", &tables) }
}

fn image_table(answer: &Answer, metric: &str) -> Option<String> {
    let subject = Subject::of(answer, metric)?;
    let names: Vec<&str> = subject.table.lines.iter().take(COMPARED).map(|line| line.name).collect();
    let analysed: Vec<_> = subject
        .phase
        .per_image
        .iter()
        .filter_map(|image| {
            let (analysis, output) = leading(&image.analyses, metric)?;
            Some((answer.images.get(image.image)?.name.as_str(), effect_table(analysis, output)))
        })
        .collect();
    if analysed.len() < 2 {
        return None;
    }
    let rows: Vec<Vec<String>> =
        analysed.iter().take(MOST_IMAGES).map(|(image, effects)| image_row(image, effects, &names)).collect();
    let heads = std::iter::once("image").chain(names.iter().copied()).chain(["order"]).map(str::to_owned);
    let heads: Vec<String> = heads.collect();
    let mut text = table(&format!("{metric}: {}", subject.table.measure), &heads, &rows);
    if analysed.len() > MOST_IMAGES {
        let more = counted(analysed.len() - MOST_IMAGES, "other image");
        text.push_str(&paragraph(&format!("{more} in indices.json.")));
    }
    Some(text)
}

fn image_row(image: &str, effects: &EffectTable<'_>, names: &[&str]) -> Vec<String> {
    let cell = |name: &&str| {
        let line = effects.lines.iter().find(|line| line.name == *name)?;
        let number = line.behind.first().cloned().unwrap_or_default();
        let interval = line.behind.get(1).cloned().unwrap_or_default();
        Some(if interval.is_empty() { number } else { format!("{number}\n{interval}") })
    };
    let own = |place: usize| effects.lines.get(place).map(|line| line.name);
    let order = match (own(0) == names.first().copied(), own(1) == names.get(1).copied()) {
        (true, true) if names.len() > 1 => "same first two".into(),
        (true, _) => "same first".into(),
        (false, _) => format!("first: {}", own(0).unwrap_or("none")),
    };
    let cells = names.iter().map(|name| cell(name).unwrap_or_default());
    std::iter::once(image.to_owned()).chain(cells).chain([order]).collect()
}

/// Every plot of every phase and metric, and the numbers.
pub(super) fn phases(answer: &Answer) -> String {
    let sections = answer.phases.iter().filter(|phase| !phase.analyses.is_empty());
    sections.enumerate().map(|(place, phase)| phase_section(place, phase)).collect()
}

fn phase_section(place: usize, phase: &PhaseAnswer) -> String {
    let rows = counted(phase.rows.len(), "row");
    let mut body = paragraph(&format!("{}, {rows}.", phase.method));
    for analysis in &phase.analyses {
        for (output, found) in analysis.outputs.iter().enumerate() {
            let drawn = plots(analysis, output, &plot_kinds(analysis, output));
            let summary = format!("{} ({})", found.name, analysis.technique.word());
            body.push_str(&details(&summary, &(drawn + &numbers(&effect_table(analysis, found)))));
        }
    }
    section(&format!("phase-{place}"), &format!("Phase {}", phase.name), &body)
}
