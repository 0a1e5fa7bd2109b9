//! One measured figure, its goal and what a peer reaches; all figures as a table and as JSON.

use serde_json::{Value, json};

/// One measured figure.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct BenchFigure {
    /// What was measured.
    pub(crate) name: String,
    /// How much it was.
    pub(crate) value: f64,
    /// In which unit.
    pub(crate) unit: &'static str,
    /// What we want it to be.
    pub(crate) goal: Option<Goal>,
    /// What the best peer reaches on the same task, where it was measured.
    pub(crate) peer: Option<f64>,
}

/// What a figure should be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Goal {
    /// This or less.
    AtMost(f64),
    /// This or more: shares, such as the cover of intervals.
    AtLeast(f64),
    /// Neither less than the first nor more than the second.
    Between(f64, f64),
    /// The peer's divided by ours is this or more: what machines that differ can be held to.
    Ratio(f64),
}

impl Goal {
    /// A number where one says it, else a pair or what the number is about.
    fn bound(self) -> Value {
        match self {
            Self::Ratio(bound) => json!({ "ratio": bound }),
            Self::AtMost(bound) | Self::AtLeast(bound) => json!(bound),
            Self::Between(low, high) => json!([low, high]),
        }
    }

    /// Unknown when the goal is about a peer that was not measured.
    fn is_met(self, value: f64, ratio: Option<f64>) -> Option<bool> {
        match self {
            Self::AtMost(bound) => Some(value <= bound),
            Self::AtLeast(bound) => Some(value >= bound),
            Self::Between(low, high) => Some(low <= value && value <= high),
            Self::Ratio(bound) => ratio.map(|ratio| ratio >= bound),
        }
    }

    fn text(self) -> String {
        match self {
            Self::AtMost(bound) => format!("<= {}", short(bound)),
            Self::AtLeast(bound) => format!(">= {}", short(bound)),
            Self::Between(low, high) => format!("{low} .. {high}"),
            Self::Ratio(bound) => format!(">= {} x", short(bound)),
        }
    }
}

impl BenchFigure {
    fn is_met(&self) -> Option<bool> {
        self.goal.and_then(|goal| goal.is_met(self.value, self.ratio()))
    }

    /// Peer over ours: how many times less it is here.
    fn ratio(&self) -> Option<f64> {
        self.peer.map(|peer| peer / self.value)
    }
}

/// The figures for scripts.
pub(crate) fn to_json(bench: &str, figures: &[BenchFigure]) -> Value {
    let figures: Vec<Value> = figures
        .iter()
        .map(|f| {
            json!({
                "name": f.name,
                "value": f.value,
                "unit": f.unit,
                "goal": f.goal.map(Goal::bound),
                "met": f.is_met(),
                "peer": f.peer,
                "ratio": f.ratio(),
            })
        })
        .collect();
    json!({ "version": 1, "bench": bench, "figures": figures })
}

/// The figures for people.
pub(crate) fn to_text(figures: &[BenchFigure]) -> String {
    let width = figures.iter().map(|f| f.name.chars().count()).max().unwrap_or(0).max("figure".len());
    let mut text = format!(
        "{:<width$}  {:>10} {:<8} {:>10}  {:<4} {:>10} {:>8}\n",
        "figure", "value", "unit", "goal", "met", "peer", "ratio"
    );
    for figure in figures {
        let met = figure.is_met().map_or("", |met| if met { "yes" } else { "no" });
        let optional = |x: Option<f64>| x.map_or_else(String::new, short);
        let goal = figure.goal.map_or_else(String::new, Goal::text);
        let line = format!(
            "{:<width$}  {:>10} {:<8} {goal:>10}  {met:<4} {:>10} {:>8}",
            figure.name,
            short(figure.value),
            figure.unit,
            optional(figure.peer),
            optional(figure.ratio()),
        );
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}

/// Three figures that count.
fn short(x: f64) -> String {
    let digits = match x.abs() {
        a if a >= 100.0 => 0,
        a if a >= 10.0 => 1,
        a if a >= 1.0 => 2,
        a if a >= 0.1 || a == 0.0 => 3,
        a if a >= 0.001 => 4,
        _ => return format!("{x:.2e}"),
    };
    format!("{x:.digits$}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn figures() -> Vec<BenchFigure> {
        let figure =
            |name: &str, value, goal, peer| BenchFigure { name: name.into(), value, unit: "s", goal, peer };
        vec![
            figure("analyse", 0.25, Some(Goal::AtMost(1.0)), Some(17.0)),
            figure("cover of the intervals", 0.91, Some(Goal::AtLeast(0.93)), None),
            figure("rows", 12345.0, None, None),
        ]
    }

    #[test]
    fn a_table_says_which_goals_are_met() {
        insta::assert_snapshot!(to_text(&figures()), @r###"
        figure                       value unit           goal  met        peer    ratio
        analyse                      0.250 s           <= 1.00  yes        17.0     68.0
        cover of the intervals       0.910 s          >= 0.930  no
        rows                         12345 s
        "###);
    }

    #[test]
    fn a_goal_beside_a_peer_needs_one() {
        let goal = Goal::Ratio(2.5);
        assert_eq!(
            [Some(2.5), Some(2.4), None].map(|ratio| goal.is_met(1.0, ratio)),
            [Some(true), Some(false), None]
        );
        assert_eq!(
            (goal.bound().to_string().as_str(), goal.text().as_str()),
            (r#"{"ratio":2.5}"#, ">= 2.50 x")
        );
    }

    #[test]
    fn scripts_get_every_key_of_every_figure() {
        insta::assert_snapshot!(to_json("x", &figures()), @r###"{"version":1,"bench":"x","figures":[{"name":"analyse","value":0.25,"unit":"s","goal":1.0,"met":true,"peer":17.0,"ratio":68.0},{"name":"cover of the intervals","value":0.91,"unit":"s","goal":0.93,"met":false,"peer":null,"ratio":null},{"name":"rows","value":12345.0,"unit":"s","goal":null,"met":null,"peer":null,"ratio":null}]}"###);
    }
}
