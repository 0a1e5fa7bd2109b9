//! Work in detail: the schedule of the workers, the memory of operations, and the cost of each task.

mod steps;

use onceflow_sensitivity::csv_lines;
use onceflow_sensitivity::svg::TextAnchor;
use onceflow_study::with_commas;

use self::steps::{Schedule, TaskTotal};
use super::drawing::{Drawing, FinishedDrawing};
use super::element::{escaped, paragraph, section, table};
use super::figure::figure;
use super::work::NO_ACCOUNT;
use crate::account::RoundedAccount;
use crate::words::{duration_words, memory_words};
use crate::{Answer, TraceEntry};

/// Steps of the drawing.
const STEPS: usize = 400;
/// Workers that have a line.
const MOST_LANES: usize = 24;
const LEFT: f64 = 84.0;
const WIDTH: f64 = 780.0;
const LANE: f64 = 20.0;
const CURVE: f64 = 76.0;

/// Okabe and Ito's colours and darker and lighter ones between them.
const COLOURS: [&str; 12] = [
    "#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#b8b01a", "#7f7fbf", "#8c6d46",
    "#4d9c9c", "#999999", "#a64d79",
];

/// The account as a table, the schedule, and the tasks.
pub(super) fn detail(answer: &Answer, trace: &[TraceEntry]) -> String {
    let mut body = accounts(answer);
    match Schedule::new(trace, STEPS) {
        Some(schedule) => body.push_str(&drawn(answer, &schedule)),
        None => body.push_str(&paragraph("No task was run, so there is no schedule to show.")),
    }
    section("schedule", "Work in detail", &body)
}

/// Both accounts, each of which adds up in its column.
fn accounts(answer: &Answer) -> String {
    let work = &answer.work;
    if work.tasks.asked == 0.0 {
        return paragraph(NO_ACCOUNT);
    }
    let (seconds, tasks) = (RoundedAccount::seconds(&work.seconds), RoundedAccount::tasks(&work.tasks));
    let mut names: Vec<&'static str> =
        seconds.terms.iter().chain(&tasks.terms).map(|(name, _)| *name).collect();
    names.sort_by_key(|name| RoundedAccount::place(name));
    names.dedup();
    let cell = |account: &RoundedAccount, name: &str| {
        let found = account.terms.iter().find(|(term, _)| *term == name);
        found.map_or_else(|| "0".into(), |(_, shown)| shown.to_string())
    };
    let row = |name: &&'static str| {
        vec![
            (*name).to_owned(),
            cell(&seconds, name),
            cell(&tasks, name),
            RoundedAccount::meaning(name).to_owned(),
        ]
    };
    let sum = vec!["asked".to_owned(), seconds.asked.to_string(), tasks.asked.to_string(), ASKED.to_owned()];
    let rows: Vec<Vec<String>> = names.iter().map(row).chain([sum]).collect();
    let heads = ["work", "seconds", "tasks", "meaning"].map(str::to_owned);
    table("The requested work by what happened to it; each column adds up", &heads, &rows)
}

const ASKED: &str =
    "every row computed alone, on every part; seconds are tasks times the mean time of a task";

fn drawn(answer: &Answer, schedule: &Schedule) -> String {
    let held = if schedule.held.is_empty() {
        "The memory of operations was not measured, so there is no memory curve."
    } else {
        "Below: the memory that running operations held together, with their results; results that wait for \
         their readers are not included."
    };
    let caption = format!(
        "Schedule over {}: each step shows the task that took most of it; gaps are idle. {held} Peak of reserved memory: {}.",
        duration_words(schedule.seconds),
        memory_words(answer.work.peak_reserved, answer.work.memory)
    );
    let key = |(place, task): (usize, &TaskTotal)| {
        let colour = COLOURS[place % COLOURS.len()];
        format!(
            "<li><span class=\"part\" style=\"background:{colour}\"></span> {}</li>\n",
            escaped(&task.name)
        )
    };
    let key: String = schedule.tasks.iter().enumerate().map(key).collect();
    let figure = figure(&gantt(schedule), "schedule", &caption, Some(&csv(schedule)));
    format!("<ul class=\"key\">\n{key}</ul>\n{figure}{}", tasks(schedule))
}

fn gantt(schedule: &Schedule) -> FinishedDrawing {
    let lanes = schedule.lanes.len().min(MOST_LANES);
    let curve = if schedule.held.is_empty() { 0.0 } else { CURVE };
    let bottom = 8.0 + lanes as f64 * LANE;
    let mut drawing = Drawing::new(WIDTH, bottom + curve + 30.0);
    let step = (WIDTH - LEFT - 12.0) / STEPS as f64;
    for (worker, lane) in schedule.lanes.iter().take(MOST_LANES).enumerate() {
        let y = 8.0 + worker as f64 * LANE;
        drawing.text((LEFT - 8.0, y + 13.0), TextAnchor::End, "d-quiet", &format!("worker {}", worker + 1));
        for (first, count, task) in lane {
            let (x, width) = (LEFT + *first as f64 * step, *count as f64 * step);
            drawing.rectangle(
                (x, y + 1.0),
                (width, LANE - 3.0),
                COLOURS[task % COLOURS.len()],
                &schedule.tasks[*task].name,
            );
        }
    }
    if curve > 0.0 {
        held(&mut drawing, schedule, bottom + 10.0, step);
    }
    let end = bottom + curve + 6.0;
    drawing.line((LEFT, end), (WIDTH - 12.0, end), "d-grid");
    drawing.text((LEFT, end + 16.0), TextAnchor::Start, "d-quiet", "0 s");
    drawing.text((WIDTH - 12.0, end + 16.0), TextAnchor::End, "d-quiet", &duration_words(schedule.seconds));
    drawing.finish("Schedule of the workers and memory that operations held")
}

fn held(drawing: &mut Drawing, schedule: &Schedule, top: f64, step: f64) {
    let most = schedule.held.iter().copied().max().unwrap_or(0).max(1);
    let (height, base) = (CURVE - 14.0, top + CURVE - 14.0);
    let mut places = vec![(LEFT, base)];
    for (at, bytes) in schedule.held.iter().enumerate() {
        let y = base - height * *bytes as f64 / most as f64;
        places.extend([(LEFT + at as f64 * step, y), (LEFT + (at + 1) as f64 * step, y)]);
    }
    places.push((LEFT + STEPS as f64 * step, base));
    drawing.path(&places, "d-band");
    drawing.line((LEFT, top), (WIDTH - 12.0, top), "d-grid");
    drawing.text((LEFT - 8.0, top + 5.0), TextAnchor::End, "d-quiet", &memory_words(most, 0));
}

fn tasks(schedule: &Schedule) -> String {
    let row = |task: &TaskTotal| {
        let each = task.seconds / task.runs.max(1) as f64;
        let bytes = if task.bytes == 0 { "not measured".into() } else { memory_words(task.bytes, 0) };
        vec![
            task.name.clone(),
            with_commas(task.runs.into()),
            duration_words(task.seconds),
            small_time(each),
            bytes,
        ]
    };
    let mut totals: Vec<&TaskTotal> = schedule.tasks.iter().collect();
    totals.sort_by(|a, b| b.seconds.total_cmp(&a.seconds));
    let rows: Vec<Vec<String>> = totals.into_iter().map(row).collect();
    let heads = ["task", "computed", "total time", "mean time", "peak memory"].map(str::to_owned);
    table("Computed tasks, the most expensive first", &heads, &rows)
}

fn small_time(seconds: f64) -> String {
    if seconds < 0.1 { format!("{:.2} ms", seconds * 1e3) } else { duration_words(seconds) }
}

/// One line per worker and run of steps.
fn csv(schedule: &Schedule) -> String {
    let step = schedule.seconds / STEPS as f64;
    let head = ["worker", "start_s", "seconds", "task"].map(str::to_owned).to_vec();
    let lines = schedule.lanes.iter().enumerate().flat_map(|(worker, lane)| {
        lane.iter().map(move |(first, count, task)| {
            let time = |steps: usize| format!("{:.6}", steps as f64 * step);
            vec![(worker + 1).to_string(), time(*first), time(*count), schedule.tasks[*task].name.clone()]
        })
    });
    csv_lines(std::iter::once(head).chain(lines))
}
