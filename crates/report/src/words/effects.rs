//! Which parameters matter, in sentences.

use onceflow_sensitivity::{EffectLine, IndexEstimate, Technique, Verdict, short_number};
use onceflow_study::{Against, counted};

use super::{and, capital, metric_text, number_word};
use crate::subject::Subject;
use crate::{Answer, RowStatus};

/// Followers that are named; the others are counted.
const NAMED: usize = 4;
/// Effects shown of each metric where metrics are compared.
const COMPARED: usize = 3;

/// The answer in words: the leading parameters, the following ones, those that can stay at their defaults, the undecided.
pub(crate) fn headline(answer: &Answer) -> String {
    let Some(metric) = answer.metrics.first().map(|m| m.name.as_str()) else {
        return "Nothing was measured, so nothing can be said.".into();
    };
    if answer.table.rows.iter().all(|row| matches!(row.status, RowStatus::Failed { .. })) {
        let rows = counted(answer.table.rows.len(), "row");
        return format!("None of {rows} succeeded, so nothing can be said of {metric}.");
    }
    let Some(subject) = Subject::of(answer, metric) else {
        return format!("No phase was analysed for {metric}: rows.csv holds the values of each row.");
    };
    if let Some(value) = only_value(answer, &subject) {
        let (value, phase) = (metric_text(value), &subject.phase.name);
        return format!("{metric} is {value} in every row of {phase}: none of these parameters changes it.");
    }
    let mut sentences = leaders(&subject, metric);
    sentences.extend(rest(&subject));
    sentences.join(" ")
}

/// The value of the first metric when every row of the phase has the same one.
fn only_value(answer: &Answer, subject: &Subject<'_>) -> Option<f64> {
    let rows = answer.table.rows.get(subject.phase.rows.clone())?;
    let mut values = rows.iter().filter_map(|row| row.metrics.first().copied().flatten());
    let first = values.next()?;
    values.all(|value| value == first).then_some(first)
}

fn leaders(subject: &Subject<'_>, metric: &str) -> Vec<String> {
    let influential = subject.influential();
    let technique = subject.analysis.technique;
    let Some(first) = influential.first() else { return vec![nothing_influential(subject, metric)] };
    let groups = subject.table.unseparated();
    let together = groups.first().filter(|group| group.first() == Some(&first.name));
    let (leading, following) = influential.split_at(together.map_or(1, Vec::len));
    let mut sentences = match leading {
        [one] => {
            let decides = following.is_empty() || (is_share(technique) && one.main.value >= 0.5);
            let verb = if decides { "decides" } else { "matters most" };
            vec![format!("{} {verb}.", one.name), one_size(technique, &one.main, metric)]
        }
        several => {
            let names: Vec<&str> = several.iter().map(|line| line.name).collect();
            vec![format!("{} matter most.", and(&names)), several_sizes(technique, several, metric)]
        }
    };
    sentences.extend(followers(technique, following, &groups));
    sentences
}

/// The sentence for the case that no parameter is influential.
fn nothing_influential(subject: &Subject<'_>, metric: &str) -> String {
    let undecided = subject.lines(|verdict| matches!(verdict, Verdict::Undecided { .. }));
    match (subject.table.lines.first(), undecided.is_empty()) {
        (Some(first), _) if first.verdict.is_none() && !first.main.value.is_nan() => {
            let size = one_size(subject.analysis.technique, &first.main, metric);
            format!("{} comes first. {size} These numbers carry no verdict.", first.name)
        }
        (Some(_), false) => format!("The rows cannot say yet which parameters matter for {metric}."),
        (Some(first), true) if first.main.value.is_nan() => {
            format!("The rows do not suffice to say which parameters matter for {metric}.")
        }
        _ => format!("No parameter is influential for {metric}."),
    }
}

fn followers(technique: Technique, following: &[&EffectLine<'_>], groups: &[Vec<&str>]) -> Option<String> {
    let (named, others) = following.split_at(following.len().min(NAMED));
    let mut names: Vec<String> = named.iter().map(|line| line.name.to_owned()).collect();
    if !others.is_empty() {
        names.push(counted(others.len(), "other"));
    }
    let sizes: Vec<String> = named.iter().map(|line| bare_size(technique, line.main.value)).collect();
    let unit = if is_share(technique) { " %" } else { "" };
    let is_group =
        named.len() > 1 && groups.iter().any(|group| named.iter().all(|line| group.contains(&line.name)));
    let together = if is_group { ", not separated from each other" } else { "" };
    let verb = if names.len() == 1 { "follows" } else { "follow" };
    (!names.is_empty()).then(|| format!("{} {verb} ({}{unit}{together}).", and(&names), and(&sizes)))
}

fn rest(subject: &Subject<'_>) -> Option<String> {
    let lines = &subject.table.lines;
    if lines.iter().any(|line| line.verdict.is_none()) {
        return None;
    }
    let all = subject.all();
    let undecided = subject.lines(|verdict| matches!(verdict, Verdict::Undecided { .. })).len();
    let stay = all - subject.influential().len() - undecided;
    let total = number_word(all);
    let noun = if all == 1 { "parameter" } else { "parameters" };
    match (stay, undecided) {
        (0, 0) => None,
        (0, undecided) => {
            Some(format!("For {} of {total} {noun} the rows cannot say.", number_word(undecided)))
        }
        (stay, undecided) => {
            let more = if undecided > 0 {
                format!("; for {} more the rows cannot say", number_word(undecided))
            } else {
                String::new()
            };
            let stay = capital(&number_word(stay));
            let (their, default) = if stay == "One" { ("its", "default") } else { ("their", "defaults") };
            Some(format!("{stay} of {total} {noun} can stay at {their} {default}{more}."))
        }
    }
}

fn is_share(technique: Technique) -> bool {
    matches!(technique, Technique::Vbd | Technique::RbdFast)
}

fn one_size(technique: Technique, main: &IndexEstimate, metric: &str) -> String {
    let size = size(technique, main);
    match technique {
        Technique::Vbd => format!("It takes part in {size} of the variation of {metric}."),
        Technique::RbdFast => format!("Alone it explains {size} of the variation of {metric}."),
        Technique::Morris => format!("Its mean effect on {metric} over its range is {size}."),
        Technique::Correlation => format!("Its partial rank correlation with {metric} is {size}."),
        Technique::Delta => format!("Its delta for {metric} is {size}."),
        Technique::Pawn => format!("Its PAWN index for {metric} is {size}."),
    }
}

fn several_sizes(technique: Technique, lines: &[&EffectLine<'_>], metric: &str) -> String {
    let sizes: Vec<String> = lines.iter().map(|line| size(technique, &line.main)).collect();
    let sizes = and(&sizes);
    let sentence = match technique {
        Technique::Vbd => format!("They take part in {sizes} of the variation of {metric}"),
        Technique::RbdFast => format!("Alone they explain {sizes} of the variation of {metric}"),
        Technique::Morris => format!("Their mean effects on {metric} over their ranges are {sizes}"),
        Technique::Correlation => format!("Their partial rank correlations with {metric} are {sizes}"),
        Technique::Delta => format!("Their deltas for {metric} are {sizes}"),
        Technique::Pawn => format!("Their PAWN indices for {metric} are {sizes}"),
    };
    format!("{sentence}, not separated from each other.")
}

/// `80 % (65 to 100 %)`.
fn size(technique: Technique, main: &IndexEstimate) -> String {
    let unit = if is_share(technique) { " %" } else { "" };
    let number = |x: f64| bare_size(technique, x);
    let interval = if main.low.is_nan() || main.high.is_nan() {
        String::new()
    } else {
        format!(" ({} to {}{unit})", number(main.low), number(main.high))
    };
    format!("{}{unit}{interval}", number(main.value))
}

fn bare_size(technique: Technique, value: f64) -> String {
    // An estimate of a share may lie outside 0 to 1; sentences leave that noise out.
    match value.clamp(0.0, 1.0) * 100.0 {
        percent if !is_share(technique) || percent.is_nan() => short_number(value),
        percent if percent.abs() < 0.95 && percent != 0.0 => format!("{percent:.1}"),
        // Adding zero takes the sign off a zero.
        percent => format!("{:.0}", percent.round() + 0.0),
    }
}

/// What a metric compares with, and on which images: `against truth, breast-01 only`.
pub(crate) fn against(answer: &Answer, metric: &str) -> Option<String> {
    let metric = answer.metrics.iter().find(|m| m.name == metric)?;
    match metric.against {
        Against::Nothing => None,
        Against::Default => Some("against the defaults".into()),
        Against::Truth => {
            let with: Vec<&str> =
                answer.images.iter().filter(|i| i.truth_objects.is_some()).map(|i| i.name.as_str()).collect();
            let only = match with.len() {
                0 => String::new(),
                some if some == answer.images.len() => String::new(),
                1..=3 => format!(", {} only", and(&with)),
                some => format!(", {some} of {} images", answer.images.len()),
            };
            Some(format!("against truth{only}"))
        }
    }
}

/// The parameters that did not pass into the phase the answer speaks of, and why.
pub(crate) struct Screened {
    pub(crate) count: usize,
    /// Their names, as far as the earlier phase analysed them; the largest effect first.
    pub(crate) names: Vec<String>,
    pub(crate) why: String,
}

/// What an earlier phase screened out.
pub(crate) fn screened(answer: &Answer, subject: &Subject<'_>) -> Option<Screened> {
    let kept = subject.phase.kept.as_ref().filter(|kept| kept.of > kept.names.len())?;
    let count = kept.of - kept.names.len();
    let by = format!("screened out by {}", kept.phase);
    let earlier = answer.phases.iter().find(|phase| phase.name == kept.phase);
    let Some(earlier) = earlier.and_then(|phase| Subject::in_phase(phase, &kept.metric)) else {
        return Some(Screened { count, names: Vec::new(), why: by });
    };
    let lines = &earlier.table.lines;
    let out: Vec<_> = lines.iter().filter(|line| !kept.names.iter().any(|name| name == line.name)).collect();
    let names = out.iter().map(|line| line.name.to_owned()).collect();
    let share =
        lines.first().zip(out.first()).map(|(most, out)| (most.name, out.main.value / most.main.value));
    let is_morris = earlier.analysis.technique == Technique::Morris;
    let why = match share.filter(|(_, share)| share.is_finite() && is_morris) {
        Some((_, 0.0)) => format!("{by}: no effect on {}", kept.metric),
        Some((most, share)) => format!("{by}: mu* at most {:.0} % of {most}'s", (share * 100.0).ceil()),
        None => by,
    };
    Some(Screened { count, names, why })
}

/// The leading effects on a metric: names with numbers.
pub(crate) fn others(answer: &Answer, metric: &str) -> Vec<(String, String)> {
    let Some(subject) = Subject::of(answer, metric) else { return Vec::new() };
    let with_number =
        |line: &&EffectLine<'_>| (line.name.to_owned(), line.behind.first().cloned().unwrap_or_default());
    let unjudged = subject.table.lines.iter().filter(|line| line.verdict.is_none());
    let lines = subject.influential().into_iter().chain(unjudged);
    lines.take(COMPARED).map(|line| with_number(&line)).collect()
}
