//! The end of a search: every changed parameter goes back to its default once, every parameter without an order takes its
//! other values once, every other one leaves its default once, and all that made no difference go back together.

use onceflow_report::{FlippedValue, RunEnding};
use onceflow_sensitivity::{TuneFlip, TuneOutcome};
use onceflow_study::{Parameter, Value};

use super::{Runner, TunePhase};
use crate::{EngineError, Progress};

/// A row that loses no more than this share of the gain is as good.
pub(super) const TOLERANCE: f64 = 0.02;

/// The row around which the end tries others: the values that vary, those of the defaults, and what it gave.
struct FlipCentre {
    start: Vec<Value>,
    defaults: Vec<Value>,
    values: Vec<f64>,
}

/// A flip, and the objectives that it gave; `None` when it failed.
type TriedFlip = (TuneFlip, Option<Vec<f64>>);

impl Runner<'_> {
    /// Tries the best row once more, as far as rows are left.
    pub(super) fn finish_tuning(
        &mut self,
        tune: &mut TunePhase<'_>,
        progress: &mut dyn Progress,
    ) -> Result<(), EngineError> {
        if tune.spared() == 0 || self.tuned.is_over(tune.design, 1.0) {
            return Ok(());
        }
        let Some(best) = self.chosen(tune) else { return Ok(()) };
        let TuneOutcome::Values(values) = tune.objective.outcome(&self.table.rows[best], &tune.split.tuning)
        else {
            return Ok(());
        };
        let (start, defaults) =
            (tune.varied(&self.table.rows[best].values), tune.varied(&self.study.reference.values));
        let centre = FlipCentre { start, defaults, values };
        let found = self.run_flips(tune, &centre, progress)?;
        if self.ending == RunEnding::Complete {
            self.return_together(tune, &centre, &found, progress)?;
        }
        Ok(())
    }

    /// All flips with what they gave; those for which no row is left are counted.
    fn run_flips(
        &mut self,
        tune: &mut TunePhase<'_>,
        centre: &FlipCentre,
        progress: &mut dyn Progress,
    ) -> Result<Vec<TriedFlip>, EngineError> {
        let mut flips = tune.tuner.flips(&centre.start, &centre.defaults);
        flips.extend(away(tune, centre));
        let mut found = Vec::new();
        flips.retain(|flip| match self.known_values(tune, &flip.values) {
            Some(values) => {
                found.push((flip.clone(), Some(values)));
                false
            }
            None => true,
        });
        flips.sort_by_key(|flip| order(tune, centre, flip));
        // One row stays for all that go back together.
        let left = tune.design.evaluations.saturating_sub(tune.evaluations + 1);
        let left = usize::try_from(left).unwrap_or(usize::MAX).min(flips.len());
        tune.untried = flips.split_off(left).iter().filter(|flip| matters(tune, centre, flip)).count();
        if !flips.is_empty() {
            let rows: Vec<Vec<Value>> = flips.iter().map(|flip| self.whole(tune, &flip.values)).collect();
            let Some(records) = self.run_tuned(tune, rows, "flip", progress)? else { return Ok(found) };
            for (flip, record) in flips.into_iter().zip(&records) {
                let outcome = tune.objective.outcome(record, &tune.split.tuning);
                tune.learn(&flip.values, &outcome)?;
                let values = if let TuneOutcome::Values(values) = outcome { Some(values) } else { None };
                found.push((flip, values));
            }
        }
        tune.flips = found.iter().map(|(flip, values)| said(tune, centre, flip, values.as_ref())).collect();
        Ok(found)
    }

    /// Runs the best row with all parameters at their defaults that made no difference one by one.
    fn return_together(
        &mut self,
        tune: &mut TunePhase<'_>,
        centre: &FlipCentre,
        found: &[TriedFlip],
        progress: &mut dyn Progress,
    ) -> Result<(), EngineError> {
        let tolerated = self.tolerated(tune, &centre.values, 0.5 * TOLERANCE);
        let gains = |flipped: &Option<Vec<f64>>| {
            flipped.as_ref().map(|flipped| tune.objective.gains(flipped, &centre.values))
        };
        let better = found.iter().filter_map(|(flip, flipped)| Some((gains(flipped)?, flip)));
        let better = better.filter(|(gains, _)| {
            gains.iter().all(|gain| *gain >= 0.0) && gains.iter().any(|gain| *gain > 0.0)
        });
        let better = better.max_by(|a, b| a.0.iter().sum::<f64>().total_cmp(&b.0.iter().sum()));
        let mut values = better.map_or_else(|| centre.start.clone(), |(_, flip)| flip.values.clone());
        let mut returned = 0;
        for (flip, flipped) in found.iter().filter(|(flip, _)| flip.is_default) {
            let is_as_good = gains(flipped)
                .is_some_and(|gains| gains.iter().zip(&tolerated).all(|(gain, most)| *gain >= -most));
            if is_as_good {
                values[flip.parameter] = centre.defaults[flip.parameter].clone();
                returned += 1;
            }
        }
        let is_new = self.known_values(tune, &values).is_none();
        if returned > 0 && is_new && tune.tuner.allows(&values) && tune.evaluations < tune.design.evaluations
        {
            let row = self.whole(tune, &values);
            for record in self.run_tuned(tune, vec![row], "returned", progress)?.into_iter().flatten() {
                tune.learn(&values, &tune.objective.outcome(&record, &tune.split.tuning))?;
            }
        }
        Ok(())
    }

    /// The objectives of values that were run before.
    fn known_values(&self, tune: &TunePhase<'_>, values: &[Value]) -> Option<Vec<f64>> {
        let whole = self.whole(tune, values);
        let mut rows = self.tuned_values(tune).into_iter();
        rows.find(|(place, _)| self.table.rows[*place].values == whole).map(|(_, found)| found)
    }
}

/// Parameters at their defaults that have an order: each goes a third of its range away, to the side with more room.
fn away(tune: &TunePhase<'_>, centre: &FlipCentre) -> Vec<TuneFlip> {
    let flip = |(place, parameter): (usize, &Parameter)| {
        let other = Some(&centre.start[place])
            .filter(|value| same(value, &centre.defaults[place]))
            .and_then(|value| other_value(parameter, value))?;
        let mut values = centre.start.clone();
        values[place] = other;
        tune.tuner.allows(&values).then_some(TuneFlip { parameter: place, is_default: false, values })
    };
    tune.space.parameters().iter().enumerate().filter_map(flip).collect()
}

/// A value a third of the range away; `None` for words and for a pair of values, which are tried anyway.
fn other_value(parameter: &Parameter, value: &Value) -> Option<Value> {
    let domain = &parameter.domain;
    let Some(count) = domain.count() else {
        let ((low, high), x) = (domain.ends()?, value.as_f64()?);
        let reach = (high - low) / 3.0;
        let other = if high - x >= x - low { x + reach } else { x - reach };
        return other.is_finite().then(|| parameter.kind.tidy(&Value::Real(other)));
    };
    if domain.is_categorical() || count < 3 {
        return None;
    }
    let (place, step) = (domain.index_of(value)?, (count / 3).max(1));
    let up = count - 1 - place >= place;
    let other = if up { (place + step).min(count - 1) } else { place.saturating_sub(step) };
    domain.value(other).map(|value| parameter.kind.tidy(&value))
}

/// Changes back first, then words, then influential parameters, the first most, then the others.
fn order(tune: &TunePhase<'_>, centre: &FlipCentre, flip: &TuneFlip) -> (u8, usize) {
    let name = &tune.space.parameters()[flip.parameter].name;
    let rank = tune.influential.iter().position(|own| own == name);
    let kind = match flip.is_default {
        true => 0,
        false if !same(&centre.start[flip.parameter], &centre.defaults[flip.parameter]) => 1,
        false if is_word(tune, flip) => 1,
        false => 2,
    };
    (kind, rank.unwrap_or(usize::MAX))
}

/// Whether the end is not whole without a flip: parameters of which nothing says that they matter may be left at their defaults.
fn matters(tune: &TunePhase<'_>, centre: &FlipCentre, flip: &TuneFlip) -> bool {
    let (kind, rank) = order(tune, centre, flip);
    kind < 2 || rank < usize::MAX
}

fn is_word(tune: &TunePhase<'_>, flip: &TuneFlip) -> bool {
    let domain = &tune.space.parameters()[flip.parameter].domain;
    domain.is_categorical() || domain.count() == Some(2)
}

fn said(
    tune: &TunePhase<'_>,
    centre: &FlipCentre,
    flip: &TuneFlip,
    values: Option<&Vec<f64>>,
) -> FlippedValue {
    FlippedValue {
        parameter: tune.space.parameters()[flip.parameter].name.clone(),
        from: centre.start[flip.parameter].clone(),
        to: flip.values[flip.parameter].clone(),
        value: values.and_then(|values| values.first().copied()),
    }
}

fn same(a: &Value, b: &Value) -> bool {
    match (a.as_f64(), b.as_f64()) {
        (Some(a), Some(b)) => a == b,
        _ => a == b,
    }
}
