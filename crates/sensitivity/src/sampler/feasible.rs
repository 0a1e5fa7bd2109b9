//! The part of a space that its constraints leave.

use onceflow_study::{Constraint, Space};

use super::SampleError;

/// The constraints that exclude rows.
#[derive(Debug)]
pub(super) struct Feasible<'a> {
    space: &'a Space,
    cuts: Vec<BoundConstraint<'a>>,
    /// Share of the space, inverted, that must at least be left.
    one_in: u64,
    rows: u64,
    misses: u64,
}

#[derive(Debug)]
struct BoundConstraint<'a> {
    constraint: &'a Constraint,
    /// Names it mentions and their places.
    names: Vec<(String, usize)>,
}

/// Attempts for each row that is made; fewer successes are too few to sample by rejection.
const ATTEMPTS: u64 = 10_000;
/// Attempts allowed before the first row, as for this many rows.
const GRACE: u64 = 100;

impl<'a> Feasible<'a> {
    /// The constraints of a space that exclude combinations.
    pub(super) fn new(space: &'a Space) -> Self {
        let cuts = space.cutting_constraints().map(|constraint| {
            let place = |name: String| space.index_of(&name).map(|place| (name, place));
            BoundConstraint { constraint, names: constraint.names().into_iter().filter_map(place).collect() }
        });
        Self { space, cuts: cuts.collect(), one_in: ATTEMPTS, rows: 0, misses: 0 }
    }

    /// [`Feasible::new`] for designs that draw two rows at once, both of which must be allowed.
    pub(super) fn for_pairs(space: &'a Space) -> Self {
        Self { one_in: ATTEMPTS.isqrt(), ..Self::new(space) }
    }

    /// Whether nothing is excluded.
    pub(super) fn is_everything(&self) -> bool {
        self.cuts.is_empty()
    }

    /// Places of the parameters that stand in a constraint, ascending.
    pub(super) fn parameters(&self) -> Vec<usize> {
        let mut places: Vec<usize> =
            self.cuts.iter().flat_map(|cut| cut.names.iter().map(|(_, place)| *place)).collect();
        places.sort_unstable();
        places.dedup();
        places
    }

    /// Whether a row satisfies all constraints.
    pub(super) fn holds(&self, values: &[f64]) -> bool {
        self.cuts.iter().all(|cut| cut.holds(values))
    }

    /// Repeats an attempt until it succeeds; fails when the share of successes is too small.
    pub(super) fn draw(&mut self, mut attempt: impl FnMut(&Self) -> bool) -> Result<(), SampleError> {
        while !attempt(self) {
            self.misses += 1;
            if self.misses > ATTEMPTS * (self.rows + GRACE) {
                return Err(self.too_tight());
            }
        }
        self.rows += 1;
        Ok(())
    }

    /// The error when no row of a finite set satisfies the constraints.
    pub(super) fn nothing_left(&self) -> SampleError {
        SampleError::NothingLeft { constraints: self.names() }
    }

    /// The error when strata cannot be arranged.
    pub(super) fn no_arrangement(&self) -> SampleError {
        SampleError::NoArrangement { constraints: self.names() }
    }

    fn too_tight(&self) -> SampleError {
        SampleError::TooTight { constraints: self.names(), one_in: self.one_in }
    }

    fn names(&self) -> String {
        let names: Vec<String> = self.cuts.iter().map(|cut| format!("`{}`", cut.constraint)).collect();
        names.join(", ")
    }

    /// Refuses constraints at all.
    pub(super) fn refuse_any(&self, method: &'static str) -> Result<(), SampleError> {
        match self.cuts.first() {
            None => Ok(()),
            Some(cut) => Err(SampleError::Unkept { method, constraint: cut.constraint.to_string() }),
        }
    }

    /// Refuses constraints between parameters of different factors.
    pub(super) fn refuse_coupled(&self, method: &'static str) -> Result<(), SampleError> {
        for cut in &self.cuts {
            let is_in = |members: &[usize]| cut.names.iter().any(|(_, place)| members.contains(place));
            let factors = self.space.factors().iter().filter(|factor| is_in(&factor.members));
            let names: Vec<String> = factors.map(|factor| format!("`{}`", factor.name)).collect();
            if names.len() > 1 {
                let (constraint, factors) = (cut.constraint.to_string(), names.join(" and "));
                return Err(SampleError::Coupled { method, constraint, factors });
            }
        }
        Ok(())
    }
}

impl BoundConstraint<'_> {
    fn holds(&self, values: &[f64]) -> bool {
        self.constraint.holds(&|name| {
            let place = self.names.iter().find(|(n, _)| n == name).map(|(_, place)| *place);
            place.and_then(|place| values.get(place)).copied().unwrap_or(f64::NAN)
        })
    }
}
