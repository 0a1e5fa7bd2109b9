//! Looks for the grain that costs least.

use onceflow_study::Catalogue;

use super::model::GrainModel;
use super::{ChosenGrain, Prices};
use crate::{Flow, Level, ParameterRows, PlanError};

/// What a grain is looked for.
pub(super) struct GrainSearch<'a> {
    pub(super) flow: &'a Flow,
    pub(super) catalogue: &'a Catalogue,
    pub(super) rows: &'a ParameterRows,
    pub(super) level: Level,
    pub(super) prices: &'a Prices<'a>,
}

/// Of so many tasks that can be split every combination is looked at; of more, one after another.
const MOST_COMBINED: usize = 6;

/// Of more rows than this the first ones stand for all while a grain is looked for.
const MOST_ROWS: usize = 8192;

/// What saves less than this share of the whole is left as it is written: predictions are not that exact.
const WORTH: f64 = 0.01;

impl GrainSearch<'_> {
    /// The cheapest grain: not dearer than the workflow as it is written.
    pub(super) fn best(&self) -> Result<ChosenGrain, PlanError> {
        if self.rows.len() > MOST_ROWS {
            let few = self.rows.first(MOST_ROWS);
            let chosen = GrainSearch { rows: &few, ..*self }.best()?;
            let cheaper = self.total(&chosen)? < self.total(&ChosenGrain::default())?;
            return Ok(if cheaper { chosen } else { ChosenGrain::default() });
        }
        let (written, _) = self.fused(&[])?;
        let mut best = (written, Vec::new());
        let tasks = self.flow.splittable(self.catalogue);
        if tasks.len() <= MOST_COMBINED {
            for combination in 1..1usize << tasks.len() {
                let chosen = |place: &usize| combination >> place & 1 == 1;
                let split = (0..tasks.len()).filter(chosen).map(|place| tasks[place]).collect();
                self.try_split(split, &mut best)?;
            }
        } else {
            while self.try_each(&tasks, &mut best)? {}
        }
        let (_, chosen) = self.fused(&best.1)?;
        self.worthwhile(chosen)
    }

    /// Every task that can be split.
    pub(super) fn all_split(&self) -> ChosenGrain {
        ChosenGrain { split: self.names(&self.flow.splittable(self.catalogue)), fused: Vec::new() }
    }

    /// Every task that can be fused.
    pub(super) fn all_fused(&self) -> ChosenGrain {
        let stretches = self.flow.stretches(self.prices.alone, self.prices.seen);
        let groups = stretches.into_iter().filter(|stretch| stretch.len() > 1);
        ChosenGrain { split: Vec::new(), fused: groups.map(|group| self.names(&group)).collect() }
    }

    /// What a grain costs.
    pub(super) fn total(&self, chosen: &ChosenGrain) -> Result<f64, PlanError> {
        let (split, groups) = self.groups(chosen);
        Ok(GrainModel::new(self.flow, &split, self.rows, self.level, self.prices)?.total(&groups))
    }

    /// The flow after splitting, and the groups of its tasks that are one.
    pub(super) fn groups(&self, chosen: &ChosenGrain) -> (Flow, Vec<Vec<usize>>) {
        let wanted = |task: &usize| chosen.split.contains(&self.flow.tasks[*task].name);
        let tasks: Vec<usize> = self.flow.splittable(self.catalogue).into_iter().filter(wanted).collect();
        let split = self.flow.split(&tasks, self.catalogue);
        let places = |names: &Vec<String>| names.iter().filter_map(|name| split.task(name)).collect();
        let groups = chosen.fused.iter().map(places).collect();
        (split, groups)
    }

    /// Splits or leaves whole one task after another; says whether that helped.
    fn try_each(&self, tasks: &[usize], best: &mut (f64, Vec<usize>)) -> Result<bool, PlanError> {
        let before = best.0;
        for task in tasks {
            let mut split = best.1.clone();
            match split.iter().position(|other| other == task) {
                Some(place) => drop(split.remove(place)),
                None => split.push(*task),
            }
            self.try_split(split, best)?;
        }
        Ok(best.0 < before)
    }

    fn try_split(&self, split: Vec<usize>, best: &mut (f64, Vec<usize>)) -> Result<(), PlanError> {
        let (cost, _) = self.fused(&split)?;
        if cost < best.0 {
            *best = (cost, split);
        }
        Ok(())
    }

    /// The cheapest way to fuse when these tasks are split, and what it costs.
    fn fused(&self, split: &[usize]) -> Result<(f64, ChosenGrain), PlanError> {
        let flow = self.flow.split(split, self.catalogue);
        let model = GrainModel::new(self.flow, &flow, self.rows, self.level, self.prices)?;
        let stretches = flow.stretches(self.prices.alone, self.prices.seen);
        let groups: Vec<Vec<usize>> =
            stretches.iter().flat_map(|stretch| model.best_groups(stretch)).filter(|g| g.len() > 1).collect();
        let name = |task: &usize| flow.tasks[*task].name.clone();
        let fused = groups.iter().map(|group| group.iter().map(name).collect()).collect();
        Ok((model.total(&groups), ChosenGrain { split: self.names(split), fused }))
    }

    /// Without the changes that are not worth it, the least first.
    fn worthwhile(&self, mut chosen: ChosenGrain) -> Result<ChosenGrain, PlanError> {
        let written = self.total(&ChosenGrain::default())?;
        loop {
            let total = self.total(&chosen)?;
            if total > written {
                return Ok(ChosenGrain::default());
            }
            let mut without = Vec::new();
            for change in self.components(&chosen) {
                let left = change.removed_from(&chosen);
                without.push((self.total(&left)? - total, left));
            }
            let smallest = without.into_iter().min_by(|a, b| a.0.total_cmp(&b.0));
            match smallest.filter(|(saved, _)| *saved < WORTH * written) {
                Some((_, left)) => chosen = left,
                None => return Ok(chosen),
            }
        }
    }

    fn names(&self, tasks: &[usize]) -> Vec<String> {
        tasks.iter().map(|task| self.flow.tasks[*task].name.clone()).collect()
    }
}
