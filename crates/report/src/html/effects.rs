//! Effects on the page: plots and tables of each metric, phase and image.

mod track;

use std::collections::HashSet;

use onceflow_sensitivity::{
    Analysis, EffectTable, IndexProgress, PlotKind, analysis_to_csv, convergence_plot, csv_lines,
    effect_table, number_text, pairs_to_csv, plot, plot_kinds,
};
use onceflow_study::{Metric, counted};

use super::element::{details, escaped, opened, paragraph, section, table};
use super::figure::figure;
use crate::subject::{Subject, leading};
use crate::words::{against, and, others, screened};
use crate::{Answer, PhaseAnswer};

/// Images that have a line of their own; the others are in indices.json.
const MOST_IMAGES: usize = 24;
/// Parameters that are compared over images.
const COMPARED: usize = 3;

/// Every metric behind a tab of its own, the first one open; works without a script.
pub(super) fn tabs(answer: &Answer) -> String {
    let subjects: Vec<Subject<'_>> =
        answer.metrics.iter().filter_map(|metric| Subject::of(answer, &metric.name)).collect();
    let Some(first) = subjects.first() else { return String::new() };
    if subjects.len() == 1 {
        return section("effects", &format!("Effect on {}", first.output.name), &panel(answer, first));
    }
    let (mut heads, mut panels) = (String::new(), String::new());
    for (place, subject) in subjects.iter().enumerate() {
        let (name, checked) =
            (escaped(&subject.output.name), if place == 0 { " checked=\"checked\"" } else { "" });
        heads.push_str(&format!(
            "<input type=\"radio\" name=\"effect\" id=\"effect-{place}\"{checked}/><label for=\"effect-{place}\">{name}</label>\n"
        ));
        panels.push_str(&format!(
            "<div class=\"panel\" id=\"panel-{place}\">\n<h3 class=\"print\">{name}</h3>\n{}</div>\n",
            panel(answer, subject)
        ));
    }
    section("effects", "Effect on", &format!("<div class=\"tabs\">\n{heads}{panels}</div>\n"))
}

/// CSS rules that show the panel of the chosen tab.
pub(super) fn rules(answer: &Answer) -> String {
    let rule = |place| format!("#effect-{place}:checked ~ #panel-{place} {{ display: block; }}\n");
    (0..answer.metrics.len()).map(rule).collect()
}

/// One metric: its comparison, a line per parameter, and the parameters that were screened out.
fn panel(answer: &Answer, subject: &Subject<'_>) -> String {
    let mut body = track::table(subject, against(answer, &subject.output.name));
    for group in subject.table.unseparated() {
        body.push_str(&fine(&format!("{} are not separated from each other.", and(&group))));
    }
    if let Some(screened) = screened(answer, subject) {
        let names =
            if screened.names.is_empty() { String::new() } else { format!(" ({})", and(&screened.names)) };
        let others = counted(screened.count, "other parameter");
        body.push_str(&fine(&format!("{others}{names} {}.", screened.why)));
    }
    body
}

fn fine(text: &str) -> String {
    format!("<p class=\"fine\">{}</p>\n", escaped(text))
}

fn plots(analysis: &Analysis, output: usize, phase: &str) -> String {
    let name = analysis.outputs.get(output).map(|o| o.name.as_str()).unwrap_or_default();
    let draw = |kind: PlotKind| {
        let svg = plot(analysis, output, kind)?;
        let (what, csv) = match kind {
            PlotKind::Bars => ("Indices with their intervals", analysis_to_csv(analysis)),
            PlotKind::Scatter => ("Size against spread of elementary effects", analysis_to_csv(analysis)),
            PlotKind::HeatMap => ("Second-order indices", pairs_to_csv(analysis)),
        };
        let file = format!("{phase}-{name}-{}", kind.word());
        Some(figure(&svg.into(), &file, &format!("{what}, {name}, {phase}."), Some(&csv)))
    };
    plot_kinds(analysis, output).into_iter().filter_map(draw).collect()
}

/// How the main index settles as rows are added.
fn settling(phase: &PhaseAnswer, output: &str) -> String {
    let Some(progress) = phase.progress.iter().find(|p| p.output == output) else { return String::new() };
    let file = format!("{}-{output}-convergence", phase.name);
    let caption =
        format!("Convergence of the {} over {}, {output}, {}.", progress.index, progress.unit, phase.name);
    figure(&convergence_plot(progress).into(), &file, &caption, Some(&progress_csv(progress)))
}

fn progress_csv(progress: &IndexProgress) -> String {
    let head =
        [progress.unit.as_str(), "parameter", progress.index.as_str(), "low", "high"].map(str::to_owned);
    let field = |x: f64| if x.is_finite() { number_text(x) } else { String::new() };
    let lines = progress.lines.iter().flat_map(|line| {
        progress.sizes.iter().zip(&line.estimates).map(move |(size, e)| {
            vec![size.to_string(), line.name.clone(), field(e.value), field(e.low), field(e.high)]
        })
    });
    csv_lines(std::iter::once(head.to_vec()).chain(lines))
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
    let analysed = answer.metrics.iter().filter(|metric| Subject::of(answer, &metric.name).is_some());
    let leaders: HashSet<Option<String>> = analysed.map(leader).collect();
    let title = match leaders.len() {
        1 if leaders.contains(&None) => "No metric has an influential parameter",
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
    let tables: Vec<String> =
        answer.metrics.iter().filter_map(|metric| image_table(answer, &metric.name)).collect();
    let Some((first, others)) = tables.split_first() else { return String::new() };
    let others = if others.is_empty() { String::new() } else { details("Other metrics", &others.concat()) };
    section("images", "Does it hold on each image?", &format!("{first}{others}"))
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
            let drawn = format!(
                "<div class=\"plots\">\n{}{}</div>\n",
                plots(analysis, output, &phase.name),
                settling(phase, &found.name)
            );
            let summary = format!("{} ({})", found.name, analysis.technique.word());
            let shown = numbers(&effect_table(analysis, found)) + &drawn;
            // What the answer speaks of stands open.
            let is_first = output == 0 && std::ptr::eq(analysis, &phase.analyses[0]);
            body.push_str(&if is_first { opened(&summary, &shown) } else { details(&summary, &shown) });
        }
    }
    section(&format!("phase-{place}"), &format!("Phase {}", phase.name), &body)
}
