//! Rows that try the best row once more: each differs from it in one parameter, which goes back to its default or, when it
//! has no order, to another value. Searches that settled on a wrong category early do not look back.

use onceflow_study::Value;

use super::Tuner;

/// A row beside the best one.
#[derive(Clone, Debug, PartialEq)]
pub struct TuneFlip {
    /// The place of the parameter that differs.
    pub parameter: usize,
    /// Whether it has its default.
    pub is_default: bool,
    /// One value per parameter.
    pub values: Vec<Value>,
}

impl Tuner {
    /// The rows to try beside one, given the defaults: parameters that differ from their defaults go back, those without an
    /// order take every other value. Rows that a constraint excludes are left out.
    pub fn flips(&self, best: &[Value], defaults: &[Value]) -> Vec<TuneFlip> {
        let mut flips = Vec::new();
        for (parameter, axis) in self.board.grid.axes().iter().enumerate() {
            let mut others = Vec::new();
            if !is_same(&defaults[parameter], &best[parameter]) {
                others.push(defaults[parameter].clone());
            }
            if !axis.ordered || axis.count() == 2 {
                others.extend(
                    axis.values()
                        .iter()
                        .filter(|value| {
                            !is_same(value, &best[parameter]) && !is_same(value, &defaults[parameter])
                        })
                        .cloned(),
                );
            }
            for value in others {
                let is_default = is_same(&value, &defaults[parameter]);
                let mut values = best.to_vec();
                values[parameter] = value;
                if self.allows(&values) {
                    flips.push(TuneFlip { parameter, is_default, values });
                }
            }
        }
        flips
    }

    /// Whether the constraints allow values, which need not be in the lists.
    pub fn allows(&self, values: &[Value]) -> bool {
        self.board.grid.allows_values(values)
    }

    /// Parameters that stand at the first or last of more than two ordered values.
    pub fn at_ends(&self, values: &[Value]) -> Vec<usize> {
        let is_end = |parameter: &usize| {
            let axis = &self.board.grid.axes()[*parameter];
            let at = axis.locate(&values[*parameter]);
            axis.ordered && axis.count() > 2 && (at <= 0.0 || at >= f64::from(axis.last()))
        };
        (0..values.len()).filter(is_end).collect()
    }
}

fn is_same(a: &Value, b: &Value) -> bool {
    match (a.as_f64(), b.as_f64()) {
        (Some(a), Some(b)) => a == b,
        _ => a == b,
    }
}
