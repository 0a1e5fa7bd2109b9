//! The points that a tuner chooses from: every parameter has a list of values that its operation tells apart, and
//! constraints exclude combinations of them.

use std::collections::HashSet;

use onceflow_study::{Constraint, Parameter, Space, Value};

use crate::quantile::Quantile;
use crate::random::RandomStream;
use crate::{SampleError, reference_row};

/// A point: the place of each parameter's value in its list.
pub(super) type GridPoint = Box<[u32]>;

/// A parameter with more values than this is tuned on so many of them, both ends included.
const MOST_VALUES: u64 = 1025;

/// Attempts to draw a point that the constraints allow.
const ATTEMPTS: u32 = 20_000;

/// All points.
#[derive(Clone, Debug)]
pub(super) struct TuneGrid {
    axes: Vec<TuneAxis>,
    cuts: Vec<GridCut>,
    /// Axes in the order in which the workflow reads them, the last first.
    pub(super) late_first: Vec<usize>,
}

/// The values of one parameter.
#[derive(Clone, Debug)]
pub(super) struct TuneAxis {
    values: Vec<Value>,
    numbers: Vec<f64>,
    /// Whether neighbours in the list are alike: numbers that ascend or descend, not words.
    pub(super) ordered: bool,
}

#[derive(Clone, Debug)]
struct GridCut {
    constraint: Constraint,
    /// Names it mentions and their axes.
    names: Vec<(String, usize)>,
}

impl TuneGrid {
    /// The points of a space. `stages` says for each parameter how early the workflow reads it.
    pub(super) fn new(space: &Space, stages: &[usize]) -> Result<Self, SampleError> {
        let quantiles = Quantile::of_space(space)?;
        let axes: Vec<TuneAxis> =
            space.parameters().iter().zip(&quantiles).map(|(p, q)| TuneAxis::new(p, q)).collect();
        let cuts = space.cutting_constraints().map(|constraint| {
            let axis = |name: String| space.index_of(&name).map(|axis| (name, axis));
            let names = constraint.names().into_iter().filter_map(axis).collect();
            GridCut { constraint: constraint.clone(), names }
        });
        let mut late_first: Vec<usize> = (0..axes.len()).rev().collect();
        late_first.sort_by_key(|axis| std::cmp::Reverse(stages.get(*axis).copied().unwrap_or(*axis)));
        let grid = Self { cuts: cuts.collect(), axes, late_first };
        let mut stream = RandomStream::new(0, crate::random::StreamPurpose::Tuning, 0, 0);
        if grid.any(&mut stream).is_none() {
            let names: Vec<String> = grid.cuts.iter().map(|cut| format!("`{}`", cut.constraint)).collect();
            return Err(SampleError::TooTight { constraints: names.join(", "), one_in: ATTEMPTS.into() });
        }
        Ok(grid)
    }

    pub(super) fn axes(&self) -> &[TuneAxis] {
        &self.axes
    }

    /// Number of points before constraints; saturates.
    pub(super) fn size(&self) -> u128 {
        self.axes.iter().fold(1, |size, axis| size.saturating_mul(axis.count() as u128))
    }

    /// The values of a point.
    pub(super) fn values(&self, point: &[u32]) -> Vec<Value> {
        self.axes.iter().zip(point).map(|(axis, place)| axis.values[*place as usize].clone()).collect()
    }

    /// The point that has these values, when all of them are in the lists.
    pub(super) fn point_of(&self, values: &[Value]) -> Option<GridPoint> {
        let place = |(axis, value): (&TuneAxis, &Value)| axis.place_of(value);
        (values.len() == self.axes.len()).then_some(())?;
        self.axes.iter().zip(values).map(place).collect()
    }

    /// Where values lie among the points, also between and beyond them: fractions of places.
    pub(super) fn locate(&self, values: &[Value]) -> Vec<f64> {
        self.axes.iter().zip(values).map(|(axis, value)| axis.locate(value)).collect()
    }

    /// The point nearest to fractions of places.
    pub(super) fn nearest(&self, at: &[f64]) -> GridPoint {
        self.axes.iter().zip(at).map(|(axis, at)| axis.nearest(*at)).collect()
    }

    /// Whether the constraints allow a point.
    pub(super) fn allows(&self, point: &[u32]) -> bool {
        self.cuts.iter().all(|cut| cut.holds(&self.axes, point))
    }

    /// The same of values, which need not be in the lists.
    pub(super) fn allows_values(&self, values: &[Value]) -> bool {
        let number = |axis: usize| {
            let place = || self.axes[axis].place_of(&values[axis]).map_or(f64::NAN, f64::from);
            values[axis].as_f64().unwrap_or_else(place)
        };
        self.cuts.iter().all(|cut| cut.holds_with(number))
    }

    /// A random point that the constraints allow.
    pub(super) fn any(&self, stream: &mut RandomStream) -> Option<GridPoint> {
        let draw = |stream: &mut RandomStream| -> GridPoint {
            self.axes.iter().map(|axis| stream.below(axis.count() as u64) as u32).collect()
        };
        (0..ATTEMPTS).map(|_| draw(stream)).find(|point| self.allows(point))
    }

    /// The first point in their order from `next` on that the constraints allow, and the place after it.
    pub(super) fn scan(
        &self,
        next: u128,
        mut wanted: impl FnMut(&GridPoint) -> bool,
    ) -> Option<(GridPoint, u128)> {
        let point = |mut number: u128| -> GridPoint {
            let place = |axis: &TuneAxis| {
                let count = axis.count() as u128;
                let place = number % count;
                number /= count;
                place as u32
            };
            self.axes.iter().map(place).collect()
        };
        let mut numbers = (next..self.size()).map(|number| (point(number), number + 1));
        numbers.find(|(point, _)| self.allows(point) && wanted(point))
    }
}

impl TuneAxis {
    fn new(parameter: &Parameter, quantile: &Quantile) -> Self {
        let all = parameter.domain.count().unwrap_or(MOST_VALUES);
        let kept = all.min(MOST_VALUES);
        let values = (0..kept).map(|place| {
            let even = if all == kept { place } else { spread(place, kept, all) };
            let value = parameter.domain.value(even);
            value.unwrap_or_else(|| Value::Real(quantile.value_at(place, kept)))
        });
        let mut seen = HashSet::new();
        let is_new = |value: &Value| {
            let canonical = parameter.kind.canonical(value);
            canonical.is_none_or(|canonical| seen.insert(canonical))
        };
        let values: Vec<Value> = values.map(|value| parameter.kind.tidy(&value)).filter(is_new).collect();
        let number = |(place, value): (usize, &Value)| value.as_f64().unwrap_or(place as f64);
        let numbers: Vec<f64> = values.iter().enumerate().map(number).collect();
        let rises = numbers.windows(2).all(|pair| pair[0] < pair[1]);
        let falls = numbers.windows(2).all(|pair| pair[0] > pair[1]);
        let ordered = !parameter.domain.is_categorical() && (rises || falls);
        Self { values, numbers, ordered }
    }

    /// How many values there are.
    pub(super) fn count(&self) -> usize {
        self.values.len()
    }

    /// The place of the last value.
    pub(super) fn last(&self) -> u32 {
        self.values.len().saturating_sub(1) as u32
    }

    /// The values, in their order.
    pub(super) fn values(&self) -> &[Value] {
        &self.values
    }

    fn place_of(&self, value: &Value) -> Option<u32> {
        let same = |own: &Value| match (own.as_f64(), value.as_f64()) {
            (Some(own), Some(other)) => own == other,
            _ => own == value,
        };
        self.values.iter().position(same).map(|place| place as u32)
    }

    /// Between two values in proportion, beyond the ends as far as the outer step goes; -1 for an unknown word.
    pub(super) fn locate(&self, value: &Value) -> f64 {
        let Some(x) = value.as_f64().filter(|_| self.ordered && self.count() > 1) else {
            return self.place_of(value).map_or(-1.0, f64::from);
        };
        let numbers = &self.numbers;
        let rises = numbers[0] < numbers[1];
        let after = numbers.partition_point(|own| if rises { *own < x } else { *own > x });
        let upper = after.clamp(1, numbers.len() - 1);
        let (from, to) = (numbers[upper - 1], numbers[upper]);
        (upper - 1) as f64 + (x - from) / (to - from)
    }

    pub(super) fn nearest(&self, at: f64) -> u32 {
        at.round().clamp(0.0, f64::from(self.last())) as u32
    }

    /// A place as a number from 0 to 1.
    pub(super) fn unit(&self, at: f64) -> f64 {
        if self.last() == 0 { 0.0 } else { at / f64::from(self.last()) }
    }
}

/// The place among `all` of one of `kept` that are spread evenly, ends included.
fn spread(place: u64, kept: u64, all: u64) -> u64 {
    (u128::from(place) * u128::from(all - 1) / u128::from(kept - 1)) as u64
}

impl GridCut {
    fn holds(&self, axes: &[TuneAxis], point: &[u32]) -> bool {
        self.holds_with(|axis| axes[axis].numbers[point[axis] as usize])
    }

    fn holds_with(&self, number: impl Fn(usize) -> f64) -> bool {
        self.constraint.holds(&|name| {
            let axis = self.names.iter().find(|(own, _)| own == name).map(|(_, axis)| *axis);
            axis.map_or(f64::NAN, &number)
        })
    }
}

/// The numbers of the default values, as values; `None` when one has no default.
pub(super) fn default_values(space: &Space) -> Option<Vec<Value>> {
    reference_row(space).ok()?;
    space.parameters().iter().map(|p| p.default.as_ref().map(|default| p.kind.tidy(default))).collect()
}
