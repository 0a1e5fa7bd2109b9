//! The objective: the workflow on several tiles, and the means of its metrics over them.

use onceflow_kernels::compare::MetricKind;
use onceflow_study::Value;

use super::space::nuclei_parameters;
use super::tile::TuneTile;

/// The tiles of an objective.
#[derive(Debug)]
pub(super) struct TuneEvaluator {
    tiles: Vec<TuneTile>,
}

/// What a row gives.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct RowScores {
    pub(super) object_f1: f64,
    pub(super) dice: f64,
}

impl TuneEvaluator {
    pub(super) fn new(tiles: Vec<TuneTile>) -> Self {
        Self { tiles }
    }

    /// Forgets all results; whether results are kept from now on.
    pub(super) fn forget(&mut self, reuses: bool) {
        self.tiles.iter_mut().for_each(|tile| tile.forget(reuses));
    }

    /// The means over the tiles.
    pub(super) fn scores(&mut self, values: &[f64]) -> RowScores {
        let all = self.scores_by_tile(values);
        let mean = |of: fn(&RowScores) -> f64| all.iter().map(of).sum::<f64>() / all.len().max(1) as f64;
        RowScores { object_f1: mean(|scores| scores.object_f1), dice: mean(|scores| scores.dice) }
    }

    /// The same tile by tile.
    pub(super) fn scores_by_tile(&mut self, values: &[f64]) -> Vec<RowScores> {
        let Some(parameters) = nuclei_parameters(values) else { return Vec::new() };
        let scores = |tile: &mut TuneTile| {
            let counts = tile.counts(&parameters);
            let of = |metric: MetricKind| metric.value(&counts, None).unwrap_or(0.0);
            RowScores { object_f1: of(MetricKind::ObjectF1), dice: of(MetricKind::Dice) }
        };
        self.tiles.iter_mut().map(scores).collect()
    }
}

/// Values as numbers.
pub(super) fn numbers(values: &[Value]) -> Vec<f64> {
    values.iter().map(|value| value.as_f64().unwrap_or(f64::NAN)).collect()
}
