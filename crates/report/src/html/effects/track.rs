//! Effects as a table whose lines are drawn: a dot with its interval for each parameter, and the numbers beside it.

use onceflow_sensitivity::{EffectLine, Indices, Verdict, short_number};

use super::super::element::{attribute, escaped};
use crate::subject::Subject;

/// One line per parameter, the largest effect first.
pub(super) fn table(subject: &Subject<'_>, against: Option<String>) -> String {
    let scale = TrackScale::of(subject);
    let lines: String = subject.table.lines.iter().map(|line| row(subject, line, &scale)).collect();
    let against = against.map(|words| format!("{words}; ")).unwrap_or_default();
    let caption = format!("{against}{}", subject.table.measure);
    let alone = if subject.table.lines.iter().any(|line| alone(subject, line.name).is_some()) {
        "<span class=\"key-dot\"></span> total <span class=\"key-ring\"></span> alone"
    } else {
        ""
    };
    format!(
        "<div class=\"scroll\" tabindex=\"0\" role=\"group\" aria-label=\"{0}\">\n<table class=\"tracks\">\n\
         <caption>{1} {alone}</caption>\n<thead><tr><th scope=\"col\">parameter</th><th scope=\"col\" class=\"scale\">\
         <span>{2}</span><span>{3}</span></th><th scope=\"col\">effect</th><th scope=\"col\">interval</th>\
         <th scope=\"col\">verdict</th></tr></thead>\n<tbody>\n{lines}</tbody>\n</table>\n</div>\n",
        attribute(&caption),
        escaped(&caption),
        short_number(scale.low),
        short_number(scale.high),
    )
}

fn row(subject: &Subject<'_>, line: &EffectLine<'_>, scale: &TrackScale) -> String {
    let number = line.behind.first().map(String::as_str).unwrap_or_default();
    let interval = line.behind.get(1).filter(|_| line.main.low.is_finite()).map(String::as_str);
    let (class, verdict) = match line.verdict {
        Some(Verdict::Influential) => ("yes", "influential"),
        Some(Verdict::NotInfluential) => ("no", "not influential"),
        // The metric does not vary: more rows would decide nothing.
        Some(_) if line.main.value == 0.0 && line.main.high == 0.0 => ("no", "no effect"),
        Some(Verdict::Undecided { .. }) => ("open", "? undecided"),
        None => ("none", ""),
    };
    format!(
        "<tr class=\"{class}\"><th scope=\"row\">{}</th><td class=\"track\">{}</td><td>{}</td><td>{}</td><td>{verdict}</td></tr>\n",
        escaped(line.name),
        marks(subject, line, scale),
        escaped(number),
        escaped(interval.unwrap_or_default()),
    )
}

/// The drawing itself is for the eye alone: the numbers stand in the next cells.
fn marks(subject: &Subject<'_>, line: &EffectLine<'_>, scale: &TrackScale) -> String {
    let (low, high) = (scale.share(line.main.low), scale.share(line.main.high));
    let range = if low.is_finite() && high.is_finite() {
        format!("<i class=\"range\" style=\"left:{low:.1}%;width:{:.1}%\"></i>", (high - low).max(0.0))
    } else {
        String::new()
    };
    let mark = |class: &str, value: f64| {
        let at = scale.share(value);
        if at.is_finite() {
            format!("<i class=\"{class}\" style=\"left:{at:.1}%\"></i>")
        } else {
            String::new()
        }
    };
    let ring = alone(subject, line.name).map(|value| mark("ring", value)).unwrap_or_default();
    let zero = mark("zero", 0.0);
    format!("<span aria-hidden=\"true\">{zero}{range}{ring}{}</span>", mark("dot", line.main.value))
}

/// The share of the variance that a factor explains alone.
fn alone(subject: &Subject<'_>, name: &str) -> Option<f64> {
    let Indices::Vbd { factors, .. } = &subject.output.indices else { return None };
    factors.iter().find(|factor| factor.name == name).map(|factor| factor.s1.value)
}

/// Both ends of the lines, 0 among them.
struct TrackScale {
    low: f64,
    high: f64,
}

impl TrackScale {
    fn of(subject: &Subject<'_>) -> Self {
        let ends =
            subject.table.lines.iter().flat_map(|line| [line.main.value, line.main.low, line.main.high]);
        let (low, high) =
            ends.filter(|x| x.is_finite()).fold((0.0f64, 0.0f64), |(low, high), x| (low.min(x), high.max(x)));
        let is_share = matches!(subject.output.indices, Indices::Vbd { .. } | Indices::RbdFast(_));
        match (low, high) {
            (low, high) if low == high => Self { low: 0.0, high: 1.0 },
            // Estimates of a share may lie a little below 0; the scale leaves that noise out.
            (_, high) if is_share => Self { low: 0.0, high: if high > 0.5 { high.max(1.0) } else { 0.5 } },
            (low, high) => Self { low, high },
        }
    }

    /// Percent of the way from one end to the other; NaN for NaN.
    fn share(&self, x: f64) -> f64 {
        ((x - self.low) / (self.high - self.low) * 100.0).clamp(0.0, 100.0)
    }
}
