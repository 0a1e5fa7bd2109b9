//! A Gantt chart for a terminal: a line for each job.

use std::fmt::Write as _;

use super::{BarOwner, GanttChart};

/// Jobs that have a line of their own.
const MOST_LINES: usize = 60;
/// Characters of the time axis.
const COLUMNS: u64 = 48;

/// The chart, a line for each job from the first start on; of many jobs the first.
pub fn gantt_text(chart: &GanttChart) -> String {
    let end = chart.end();
    let mut bars: Vec<_> = chart.bars.iter().collect();
    bars.sort_by_key(|bar| bar.start);
    let name = bars.iter().take(MOST_LINES).map(|bar| bar.name.chars().count()).max().unwrap_or(0).min(24);
    let mut text = String::new();
    for bar in bars.iter().take(MOST_LINES) {
        let column = |time: u64| (u128::from(time) * u128::from(COLUMNS) / u128::from(end.max(1))) as u64;
        let (from, to) = (column(bar.start), column(bar.end).max(column(bar.start) + 1).min(COLUMNS));
        let mark = match bar.owner {
            BarOwner::Ours => '#',
            BarOwner::Stopped => 'x',
            BarOwner::Others => '-',
        };
        let line: String = (0..COLUMNS).map(|at| if (from..to).contains(&at) { mark } else { ' ' }).collect();
        let short: String = bar.name.chars().take(24).collect();
        // Writing to a string does not fail.
        let _ = writeln!(text, "{short:<name$} |{line}| {} nodes, {} to {}", bar.width(), bar.start, bar.end);
    }
    if bars.len() > MOST_LINES {
        let _ = writeln!(text, "... {} more jobs", bars.len() - MOST_LINES);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::super::GanttBar;
    use super::*;

    #[test]
    fn bars_stand_where_their_times_are() {
        let bar = |name: &str, start, end, owner| GanttBar {
            name: name.into(),
            start,
            end,
            nodes: vec![(0, 2)],
            owner,
        };
        let bars = vec![bar("b", 24, 48, BarOwner::Stopped), bar("a", 0, 24, BarOwner::Ours)];
        let text = gantt_text(&GanttChart { title: String::new(), nodes: 2, bars });
        let (left, right) = (" ".repeat(24), " ".repeat(24));
        let expected = format!(
            "a |{}{right}| 2 nodes, 0 to 24\nb |{left}{}| 2 nodes, 24 to 48\n",
            "#".repeat(24),
            "x".repeat(24)
        );
        assert_eq!(text, expected);
    }
}
