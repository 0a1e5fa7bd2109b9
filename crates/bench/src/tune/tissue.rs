//! The objective on tissue: metrics of the shipped workflow, as means over tiles.

use onceflow_study::{Space, Value};
use onceflow_terminal::Failure;

use super::evaluator::{RowScores, TuneEvaluator, numbers};
use super::objective::{BenchObjective, spent};
use super::space::{nuclei_space, nuclei_stages};
use super::tile::TuneTile;
use crate::program::failed;

/// Which metric is the objective.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TissueGoal {
    ObjectF1,
    Dice,
    Both,
}

/// The workflow on tiles.
#[derive(Debug)]
pub(super) struct TissueObjective {
    pub(super) evaluator: TuneEvaluator,
    pub(super) goal: TissueGoal,
    space: Space,
    /// Milliseconds of the processor that rows took.
    pub(super) spent: f64,
}

impl TissueObjective {
    pub(super) fn new(tiles: Vec<TuneTile>) -> Result<Self, Failure> {
        let evaluator = TuneEvaluator::new(tiles);
        let space = nuclei_space().map_err(failed)?;
        Ok(Self { evaluator, goal: TissueGoal::ObjectF1, space, spent: 0.0 })
    }

    /// The scores of the defaults.
    pub(super) fn defaults(&mut self) -> RowScores {
        let defaults = self.space.parameters().iter().filter_map(|p| p.default.as_ref()?.as_f64());
        self.evaluator.scores(&defaults.collect::<Vec<f64>>())
    }
}

impl BenchObjective for TissueObjective {
    fn space(&self) -> &Space {
        &self.space
    }

    fn stages(&self) -> Vec<usize> {
        nuclei_stages()
    }

    fn objectives(&self) -> usize {
        if self.goal == TissueGoal::Both { 2 } else { 1 }
    }

    fn values(&mut self, at: &[Value]) -> Vec<f64> {
        let began = spent().unwrap_or(0.0);
        let scores = self.evaluator.scores(&numbers(at));
        self.spent += spent().unwrap_or(0.0) - began;
        match self.goal {
            TissueGoal::ObjectF1 => vec![scores.object_f1],
            TissueGoal::Dice => vec![scores.dice],
            TissueGoal::Both => vec![scores.object_f1, scores.dice],
        }
    }
}
