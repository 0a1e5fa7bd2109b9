//! The answer for the terminal.

use std::fmt::Write as _;

use onceflow_reuse::ObjectCounts;
use onceflow_study::{counted, with_commas};

use crate::account::RoundedAccount;
use crate::subject::Subject;
use crate::words::{
    against, and, confirmation, duration_words, failed, failures, headline, left_out, memory_words,
    metric_pair, metric_text, others, screened, tuned,
};
use crate::{Answer, BestRow, EarlierRun, PhaseAnswer, RowRecord, TakenSum, ValueChange};

/// Lines longer than this are broken where they can be.
const WIDTH: usize = 110;

/// Different failures that are shown.
const SHOWN_FAILURES: usize = 3;

/// The phases, the effects, the best row with its warnings, and the account of the work.
pub fn answer_text(answer: &Answer) -> String {
    debug_assert_eq!(answer.contradiction(), None, "an answer that contradicts itself");
    let mut text = phases(&answer.phases);
    push_failures(&mut text, answer);
    text.push('\n');
    push_effects(&mut text, answer);
    push_others(&mut text, answer);
    push_best(&mut text, answer);
    push_tuning(&mut text, answer);
    answer.notes.iter().for_each(|note| text.push_str(&format!("note: {note}\n")));
    if !text.ends_with("\n\n") {
        text.push('\n');
    }
    push_work(&mut text, answer);
    visible(text.trim_start())
}

/// Names and messages come from outside: control characters are replaced.
fn visible(text: &str) -> String {
    text.chars().map(|c| if c.is_control() && c != '\n' { '\u{fffd}' } else { c }).collect()
}

fn phases(phases: &[PhaseAnswer]) -> String {
    let count = |n: u64| with_commas(n.into());
    let numbers: Vec<[String; 5]> = phases
        .iter()
        .map(|p| {
            [
                with_commas(p.rows.len() as u128),
                count(p.computed),
                count(p.reused),
                count(p.failed),
                duration_words(p.seconds),
            ]
        })
        .collect();
    let name_width = phases.iter().map(|p| p.name.chars().count()).max().unwrap_or(0);
    let width = |column: usize| numbers.iter().map(|line| line[column].chars().count()).max().unwrap_or(0);
    let [rows_width, computed_width, reused_width, failed_width, seconds_width] = [0, 1, 2, 3, 4].map(width);
    let mut text = String::new();
    for (phase, [rows, computed, reused, failed, seconds]) in phases.iter().zip(&numbers) {
        let _infallible = writeln!(
            text,
            "{:<name_width$}   {rows:>rows_width$} rows   computed {computed:>computed_width$}   \
             reused {reused:>reused_width$}   failed {failed:>failed_width$}   {seconds:>seconds_width$}",
            phase.name
        );
    }
    for kept in phases.iter().filter_map(|phase| phase.kept.as_ref()) {
        let (some, all) = (kept.names.len(), counted(kept.of, "parameter"));
        let _infallible =
            writeln!(text, "kept {some} of {all} after {}: {}", kept.phase, kept.names.join(" "));
    }
    text
}

fn push_failures(text: &mut String, answer: &Answer) {
    let failures = failures(answer);
    let (all, failed) = (counted(answer.table.rows.len(), "row"), failed(answer));
    for failure in failures.iter().take(SHOWN_FAILURES) {
        let message: Vec<&str> = failure.message.split_whitespace().collect();
        let (rows, message) = (with_commas(failure.rows.into()), message.join(" "));
        let _infallible = writeln!(
            text,
            "{rows} of {all} failed in {}, first row {}: {message}",
            failure.task, failure.first
        );
    }
    if failures.len() > SHOWN_FAILURES {
        let _infallible = writeln!(text, "{failed} of {all} failed in all, in {} ways", failures.len());
    }
}

fn push_effects(text: &mut String, answer: &Answer) {
    let subject = answer.metrics.first().and_then(|metric| Subject::of(answer, &metric.name));
    let Some(subject) = subject else {
        if answer.tuning.is_some() {
            return;
        }
        let _infallible = writeln!(text, "{}\n", headline(answer));
        return;
    };
    let metric = &subject.output.name;
    let against = against(answer, metric).map(|words| format!("{words}; ")).unwrap_or_default();
    let _infallible =
        writeln!(text, "Which parameters matter for {metric}?   ({against}{})\n", subject.table.measure);
    text.push_str(&effect_lines(answer, &subject));
    for group in subject.table.unseparated() {
        let _infallible = writeln!(text, "  {} are not separated from each other", and(&group));
    }
    subject.output.warnings.iter().for_each(|warning| text.push_str(&format!("  ! {warning}\n")));
    if subject.influential().is_empty() {
        let _infallible = writeln!(text, "  {}", headline(answer));
    }
    text.push('\n');
}

/// The table, and below it how many were screened out.
fn effect_lines(answer: &Answer, subject: &Subject<'_>) -> String {
    let mut text = subject.table.text();
    if let Some(screened) = screened(answer, subject) {
        let names = subject.table.lines.iter().map(|line| line.name.chars().count());
        let width = names.chain(["parameter".len()]).max().unwrap_or(0);
        let others = counted(screened.count, "other");
        let _infallible = writeln!(text, "  {others:<width$}  {}", screened.why);
    }
    text
}

fn push_others(text: &mut String, answer: &Answer) {
    let Some((first, rest)) = answer.metrics.split_first() else { return };
    let leader = |metric: &str| others(answer, metric).into_iter().next().map(|(name, _)| name);
    let own = leader(&first.name);
    let analysed: Vec<&str> =
        rest.iter().map(|m| m.name.as_str()).filter(|name| Subject::of(answer, name).is_some()).collect();
    if analysed.is_empty() {
        return;
    }
    let differ = analysed.iter().any(|metric| leader(metric).is_some_and(|name| own.as_ref() != Some(&name)));
    let head = if differ { "Other metrics, other answers:" } else { "Other metrics:" };
    let parts: Vec<String> = analysed.iter().map(|metric| other(answer, metric)).collect();
    let one_line = format!("{head}  {}", parts.join("     "));
    if one_line.chars().count() <= WIDTH {
        let _infallible = writeln!(text, "{one_line}");
        return;
    }
    let _infallible = writeln!(text, "{head}");
    parts.iter().for_each(|part| text.push_str(&format!("  {part}\n")));
}

fn other(answer: &Answer, metric: &str) -> String {
    let effects: Vec<String> =
        others(answer, metric).iter().map(|(name, number)| format!("{name} {number}")).collect();
    let effects = if effects.is_empty() { "nothing influential".into() } else { effects.join(", ") };
    format!("{metric}: {effects}")
}

fn push_best(text: &mut String, answer: &Answer) {
    if answer.tuning.is_some() {
        return;
    }
    let found = answer.best.as_ref().and_then(|best| Some((best, answer.table.rows.get(best.row)?)));
    let (Some((best, row)), Some(metric)) = (found, answer.metrics.first()) else { return };
    let _infallible = writeln!(text, "Best row so far: {}", best_line(best, row, &metric.name));
    push_proposed(text, best, &metric.name);
    best.warnings.iter().for_each(|warning| text.push_str(&format!("  ! {warning}\n")));
}

/// What tuning found, whether it holds on other images, and what to know before it is used.
fn push_tuning(text: &mut String, answer: &Answer) {
    let Some(tuning) = &answer.tuning else { return };
    let _infallible = writeln!(text, "{}", tuned(tuning));
    for change in &tuning.changes {
        let _infallible = writeln!(text, "  {} {} -> {}", change.parameter, change.from, change.to);
    }
    let _infallible = writeln!(text, "{}", confirmation(tuning));
    if let Some(held) = &tuning.held_out {
        let width = held.slides.iter().map(|s| s.slide.chars().count()).max().unwrap_or(0);
        for slide in &held.slides {
            let (best, default) = metric_pair(slide.best, slide.default);
            let _infallible = writeln!(text, "  {:<width$}  {default} -> {best}", slide.slide);
        }
    }
    if !tuning.left_out.is_empty() {
        let _infallible = writeln!(text, "{}", left_out(tuning));
        let width = tuning.left_out.iter().map(|s| s.slide.chars().count()).max().unwrap_or(0);
        for slide in &tuning.left_out {
            let found = slide.found.map(|(default, best)| metric_pair(best, default));
            let found = found.map_or("failed".into(), |(best, default)| format!("{default} -> {best}"));
            let _infallible = writeln!(text, "  {:<width$}  {found}", slide.slide);
        }
    }
    tuning.doubts().iter().for_each(|doubt| text.push_str(&format!("  ! {doubt}\n")));
}

/// The values to use where they are not those of the best row, and influential parameters that keep their defaults.
fn push_proposed(text: &mut String, best: &BestRow, metric: &str) {
    if let Some(proposed) = &best.proposed {
        let value = metric_text(proposed.value);
        let changes = change_words(&proposed.changes);
        let _infallible = writeln!(text, "Proposed: {metric} {value}: {changes}");
        let (names, many) = (and(&best.without_influence), best.without_influence.len() > 1);
        let (have, defaults) = if many { ("have", "their defaults") } else { ("has", "its default") };
        let _infallible = writeln!(text, "  {names} {have} no influence: back to {defaults}");
    }
    let kept: Vec<String> = best.kept.iter().map(|(name, value)| format!("{name} at {value}")).collect();
    if !kept.is_empty() && !best.changes.is_empty() {
        let _infallible = writeln!(text, "  keep {}", and(&kept));
    }
}

fn best_line(best: &BestRow, row: &RowRecord, metric: &str) -> String {
    let (value, default) = match best.default {
        Some(default) => {
            let (value, default) = metric_pair(best.value, default);
            (value, format!(" (default {default})"))
        }
        None => (metric_text(best.value), String::new()),
    };
    format!("{}, {metric} {value}{default}: {}", row.row, change_words(&best.changes))
}

fn change_words(changes: &[ValueChange]) -> String {
    let changes: Vec<String> = changes.iter().map(|c| format!("{} {}", c.parameter, c.to)).collect();
    if changes.is_empty() { "the defaults".into() } else { changes.join(", ") }
}

fn push_work(text: &mut String, answer: &Answer) {
    let work = &answer.work;
    let less = less(work.seconds.asked, work.seconds.computed)
        .map(|times| format!(":  {times}"))
        .unwrap_or_default();
    let seconds = format!("{}{less}", RoundedAccount::seconds(&work.seconds).sentence("s"));
    push_terms(text, "Work      ", &seconds);
    push_terms(text, "          ", &RoundedAccount::tasks(&work.tasks).sentence("tasks"));
    if let Some(sentence) = proposed_tasks(answer) {
        push_terms(text, "          ", &sentence);
    }
    if let Some(objects) = objects(answer) {
        let _infallible = writeln!(text, "          {objects}");
    }
    for line in grain(answer).into_iter().chain(earlier(answer)) {
        let _infallible = writeln!(text, "          {line}");
    }
    let _infallible = writeln!(text, "          {}", machine(answer));
}

/// `proposed row: 10 tasks asked = dataflow 6 + computed 4`; none when no row was run for the proposal.
pub(super) fn proposed_tasks(answer: &Answer) -> Option<String> {
    let tasks = &answer.work.proposed.tasks;
    (tasks.asked > 0.0).then(|| format!("proposed row: {}", RoundedAccount::tasks(tasks).sentence("tasks")))
}

/// `t6 split into t6.clumps, t6.split`, once for each change, with the phases where not all have it.
pub(super) fn grain(answer: &Answer) -> Vec<String> {
    let phases = &answer.work.grain;
    let mut lines: Vec<(String, Vec<&str>)> = Vec::new();
    for (phase, change) in
        phases.iter().flat_map(|grain| grain.changes.iter().map(move |c| (&grain.phase, c)))
    {
        let short = change.short();
        match lines.iter_mut().find(|(known, _)| *known == short) {
            Some((_, of)) => of.push(phase),
            None => lines.push((short, vec![phase])),
        }
    }
    let words = |(short, of): (String, Vec<&str>)| match of.len() == phases.len() {
        true => short,
        false => format!("{short} in {}", of.join(", ")),
    };
    lines.into_iter().map(words).collect()
}

/// Earlier runs that are named one by one.
const SHOWN_RUNS: usize = 5;

/// `445 instances whole, 12 only compared from runs/first: 3.2 s of computing`, the runs that saved most first.
pub(super) fn earlier(answer: &Answer) -> Vec<String> {
    let mut runs: Vec<&EarlierRun> = answer.work.earlier.iter().collect();
    runs.sort_by(|one, other| other.seconds.total_cmp(&one.seconds));
    let rest = runs.split_off(runs.len().min(SHOWN_RUNS));
    let mut lines: Vec<String> =
        runs.iter().map(|run| format!("{} from {}: {}", taken(run), run.run, saved(run))).collect();
    if !rest.is_empty() {
        let mut sum = EarlierRun::default();
        rest.iter().for_each(|run| sum += *run);
        lines.push(format!("{} from {} more earlier runs: {}", taken(&sum), rest.len(), saved(&sum)));
    }
    lines
}

fn saved(run: &EarlierRun) -> String {
    format!("{} of computing", duration_words(run.seconds))
}

/// What was taken of an earlier run.
fn taken(run: &EarlierRun) -> String {
    let number = |count: u64| with_commas(count.into());
    let mut parts = Vec::new();
    if run.rows > 0 {
        parts.push(format!("{} instances whole", number(run.rows)));
    }
    if run.compared > 0 {
        parts.push(format!("{} only compared", number(run.compared)));
    }
    let phases = by_name(run, |of| Some(&of.phase).filter(|_| of.task.is_none()));
    if let (Some(last), true) = (parts.last_mut(), phases.len() > 1) {
        last.push_str(&format!(" ({})", phases.join(", ")));
    }
    if run.tasks > 0 {
        let tasks = by_name(run, |of| of.task.as_ref());
        parts.push(format!("{} results of tasks ({})", number(run.tasks), tasks.join(", ")));
    }
    parts.join(", ")
}

/// `t5 12`: how many results have each name.
fn by_name<'a>(run: &'a EarlierRun, name: impl Fn(&'a TakenSum) -> Option<&'a String>) -> Vec<String> {
    let mut sums: Vec<(&String, u64)> = Vec::new();
    for (name, results) in run.of.iter().filter_map(|of| Some((name(of)?, of.results))) {
        match sums.iter_mut().find(|(known, _)| *known == name) {
            Some((_, sum)) => *sum += results,
            None => sums.push((name, results)),
        }
    }
    sums.iter().map(|(name, results)| format!("{name} {}", with_commas((*results).into()))).collect()
}

/// `150,238 objects one by one, 74 % of their pixels known before: t6_flood`; none when no task did so.
pub(super) fn objects(answer: &Answer) -> Option<String> {
    let tasks: Vec<_> = answer.work.objects.iter().filter(|(_, counts)| counts.pixels_asked > 0).collect();
    let sum = |of: fn(&ObjectCounts) -> u64| tasks.iter().map(|(_, counts)| of(counts)).sum::<u64>();
    let (asked, pixels) = (sum(|counts| counts.asked), sum(|counts| counts.pixels_asked));
    let known = 100.0 * sum(|counts| counts.pixels_found) as f64 / pixels.max(1) as f64;
    let names: Vec<&str> = tasks.iter().map(|(task, _)| task.as_str()).collect();
    let words = format!("objects one by one, {known:.0} % of their pixels known before");
    (!tasks.is_empty()).then(|| format!("{} {words}: {}", with_commas(asked.into()), names.join(", ")))
}

/// An account, on as many lines as it needs.
fn push_terms(text: &mut String, head: &str, sentence: &str) {
    let mut line = head.to_owned();
    for (place, term) in sentence.split(" + ").enumerate() {
        let joined = if place == 0 { format!("{line}{term}") } else { format!("{line} + {term}") };
        line = if place == 0 || joined.len() <= WIDTH {
            joined
        } else {
            let _infallible = writeln!(text, "{line}");
            format!("{:12}+ {term}", "")
        };
    }
    let _infallible = writeln!(text, "{line}");
}

/// `5.9 times less`, unless it makes no difference.
pub(super) fn less(asked: f64, computed: f64) -> Option<String> {
    let times = asked / computed;
    (times.is_finite() && times >= 1.05).then(|| format!("{times:.1} times less"))
}

/// `28 s on 2 workers; peak 0.11 of 2 GiB`.
pub(super) fn machine(answer: &Answer) -> String {
    let work = &answer.work;
    let mut text = format!("{} on {}", duration_words(work.wall), counted(work.workers, "worker"));
    let _infallible = write!(text, "; peak {} reserved", memory_words(work.peak_reserved, work.memory));
    if let Some(resident) = work.peak_resident {
        let _infallible = write!(text, ", {} resident", memory_words(resident, 0));
    }
    if work.spilled > 0 {
        let (regions, bytes) = (
            counted(usize::try_from(work.spilled).unwrap_or(usize::MAX), "result"),
            memory_words(work.spilled_bytes, 0),
        );
        let _infallible = write!(text, "; {regions} ({bytes}) spilled to disk for lack of memory");
    }
    if work.recomputed > 0 {
        let tasks = counted(usize::try_from(work.recomputed).unwrap_or(usize::MAX), "task");
        let _infallible = write!(text, "; {tasks} recomputed for lack of memory");
    }
    text
}
