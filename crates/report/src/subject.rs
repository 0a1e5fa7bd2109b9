//! The subject of the answer: the effects on a metric in the last phase that analysed it.

use onceflow_sensitivity::{
    Analysis, EffectLine, EffectTable, OutputAnalysis, Technique, Verdict, effect_table,
};

use crate::{Answer, PhaseAnswer};

/// The effects on one metric.
pub(super) struct Subject<'a> {
    pub(super) phase: &'a PhaseAnswer,
    pub(super) analysis: &'a Analysis,
    pub(super) output: &'a OutputAnalysis,
    pub(super) table: EffectTable<'a>,
}

impl<'a> Subject<'a> {
    /// The effects in the last phase that analysed the metric.
    pub(super) fn of(answer: &'a Answer, metric: &str) -> Option<Self> {
        answer.phases.iter().rev().find_map(|phase| Self::in_phase(phase, metric))
    }

    /// The effects in one phase.
    pub(super) fn in_phase(phase: &'a PhaseAnswer, metric: &str) -> Option<Self> {
        let (analysis, output) = leading(&phase.analyses, metric)?;
        Some(Self { phase, analysis, output, table: effect_table(analysis, output) })
    }

    /// Lines with such a verdict.
    pub(super) fn lines(&self, wanted: impl Fn(Verdict) -> bool) -> Vec<&EffectLine<'a>> {
        self.table.lines.iter().filter(|line| line.verdict.is_some_and(&wanted)).collect()
    }

    /// Influential ones, the largest first.
    pub(super) fn influential(&self) -> Vec<&EffectLine<'a>> {
        self.lines(|verdict| verdict == Verdict::Influential)
    }

    /// How many parameters there were before any was screened out.
    pub(super) fn all(&self) -> usize {
        self.phase.kept.as_ref().map_or(self.table.lines.len(), |kept| kept.of.max(self.table.lines.len()))
    }
}

/// The analysis that says most about a metric: variance first, correlations last.
pub(super) fn leading<'a>(
    analyses: &'a [Analysis],
    metric: &str,
) -> Option<(&'a Analysis, &'a OutputAnalysis)> {
    let rank = |technique: Technique| match technique {
        Technique::Vbd => 0,
        Technique::Morris => 1,
        Technique::RbdFast => 2,
        Technique::Delta => 3,
        Technique::Pawn => 4,
        Technique::Correlation => 5,
    };
    let with_output = |a: &'a Analysis| Some((a, a.outputs.iter().find(|o| o.name == metric)?));
    analyses.iter().filter_map(with_output).min_by_key(|(analysis, _)| rank(analysis.technique))
}
