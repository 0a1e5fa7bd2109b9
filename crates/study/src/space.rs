//! The space a design samples: parameters that vary, their groups and constraints.

use std::collections::HashSet;

use crate::{Constraint, Design, DomainError, GridDesign, Method, Parameter, Reach};

/// Parameters that vary, with the constraints between them. Made by [`Space::new`], which checks it.
#[derive(Clone, Debug, PartialEq)]
pub struct Space {
    parameters: Vec<Parameter>,
    constraints: Vec<Constraint>,
    factors: Vec<Factor>,
}

/// What a design varies at once: one parameter, or all parameters of a group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Factor {
    /// Name of the group, or of the parameter without one.
    pub name: String,
    /// Places of its parameters in the space, ascending.
    pub members: Vec<usize>,
}

/// Something to sample and analyse, from any of the formats we read.
#[derive(Clone, Debug, PartialEq)]
pub struct Problem {
    /// What varies.
    pub space: Space,
    /// Names of the outputs, when the file says them.
    pub outputs: Vec<String>,
    /// The design, when the file says one.
    pub design: Option<Design>,
}

/// Why parameters do not make a space.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum SpaceError {
    /// There is nothing to vary.
    #[error("expected at least one parameter, found none")]
    Empty,
    /// A name that is neither a parameter's nor a group's.
    #[error("expected the name of a parameter or a group, found `{0}`")]
    Unknown(String),
    /// Two parameters share a name.
    #[error("expected different parameter names, found `{0}` twice")]
    Repeated(String),
    /// A group is called like a parameter outside it.
    #[error("expected group names that no parameter has, found group `{0}` and parameter `{0}`")]
    GroupIsParameter(String),
    /// A domain is not valid.
    #[error("parameter `{name}`: {error}")]
    Domain {
        /// Its name.
        name: String,
        /// What is wrong.
        error: DomainError,
    },
    /// No combination of values satisfies a constraint.
    #[error("expected a constraint that some values satisfy, found `{0}`, which none does")]
    NeverHolds(String),
    /// A parameter in a constraint no longer varies and has no default number.
    #[error("expected a default for `{0}`, which is not varied but stands in a constraint")]
    NoDefault(String),
}

impl Space {
    /// Checks names, groups, domains and constraints, and derives the factors.
    pub fn new(parameters: Vec<Parameter>, constraints: Vec<Constraint>) -> Result<Self, SpaceError> {
        if parameters.is_empty() {
            return Err(SpaceError::Empty);
        }
        let mut names = HashSet::new();
        for parameter in &parameters {
            if !names.insert(parameter.name.as_str()) {
                return Err(SpaceError::Repeated(parameter.name.clone()));
            }
            let unbounded = parameter.distribution.is_unbounded();
            let name = || parameter.name.clone();
            parameter.domain.check(unbounded).map_err(|error| SpaceError::Domain { name: name(), error })?;
        }
        for parameter in &parameters {
            let group = parameter.group.as_deref().filter(|g| names.contains(g) && *g != parameter.name);
            if let Some(group) = group {
                return Err(SpaceError::GroupIsParameter(group.into()));
            }
        }
        let factors = factors_of(&parameters);
        let space = Self { parameters, constraints, factors };
        match space.constraints.iter().find(|c| c.reach(&space.parameters) == Reach::Never) {
            Some(constraint) => Err(SpaceError::NeverHolds(constraint.to_string())),
            None => Ok(space),
        }
    }

    /// The parameters, in their order.
    pub fn parameters(&self) -> &[Parameter] {
        &self.parameters
    }

    /// The constraints, in their order.
    pub fn constraints(&self) -> &[Constraint] {
        &self.constraints
    }

    /// The factors, in the order of their first parameters.
    pub fn factors(&self) -> &[Factor] {
        &self.factors
    }

    /// Place of a parameter.
    pub fn index_of(&self, name: &str) -> Option<usize> {
        self.parameters.iter().position(|p| p.name == name)
    }

    /// Names of the parameters that the given names of factors or parameters stand for, in the order of the space.
    pub fn members(&self, names: &[String]) -> Result<Vec<String>, SpaceError> {
        let stands_for = |p: &Parameter, name: &String| p.name == *name || p.group.as_ref() == Some(name);
        let unknown = names.iter().find(|n| !self.parameters.iter().any(|p| stands_for(p, n)));
        if let Some(name) = unknown {
            return Err(SpaceError::Unknown(name.clone()));
        }
        let kept = self.parameters.iter().filter(|p| names.iter().any(|n| stands_for(p, n)));
        Ok(kept.map(|p| p.name.clone()).collect())
    }

    /// Constraints that do cut the ranges, so that some combinations are not allowed.
    pub fn cutting_constraints(&self) -> impl Iterator<Item = &Constraint> {
        self.constraints.iter().filter(|c| c.reach(&self.parameters) != Reach::Always)
    }

    /// Rows of a full grid divided by its fraction (rounded up), before constraints; saturates.
    pub fn grid_rows(&self, grid: &GridDesign) -> u128 {
        let count = |p: &Parameter| u128::from(p.domain.count().unwrap_or(grid.values));
        let full = self.parameters.iter().map(count).fold(1u128, u128::saturating_mul);
        full.div_ceil(u128::from(grid.fraction.max(1)))
    }

    /// Rows a method makes, before constraints; saturates.
    pub fn rows(&self, method: &Method) -> u128 {
        match method {
            Method::Grid(grid) => self.grid_rows(grid),
            other => other.rows(self.factors.len()).unwrap_or(u128::MAX),
        }
    }

    /// Number of different rows there can be, or `None` when a parameter is continuous; saturates.
    pub fn combinations(&self) -> Option<u128> {
        let counts = self.parameters.iter().map(|p| p.domain.count().map(u128::from));
        counts.collect::<Option<Vec<_>>>().map(|c| c.into_iter().fold(1, u128::saturating_mul))
    }

    /// The same space with only the named parameters varying; the others stand at their defaults in the constraints.
    pub fn keep(&self, names: &[String]) -> Result<Self, SpaceError> {
        let (kept, fixed): (Vec<_>, Vec<_>) = self.parameters.iter().partition(|p| names.contains(&p.name));
        let constraints =
            self.constraints.iter().map(|c| fix_all(c, &fixed)).collect::<Result<Vec<_>, _>>()?;
        Self::new(kept.into_iter().cloned().collect(), constraints)
    }
}

fn fix_all(constraint: &Constraint, fixed: &[&Parameter]) -> Result<Constraint, SpaceError> {
    let names = constraint.names();
    let mut constraint = constraint.clone();
    for parameter in fixed.iter().filter(|p| names.contains(&p.name)) {
        let default = parameter.default.as_ref().and_then(crate::Value::as_f64);
        let value = default.ok_or_else(|| SpaceError::NoDefault(parameter.name.clone()))?;
        constraint = constraint.with_fixed(&parameter.name, value);
    }
    Ok(constraint)
}

fn factors_of(parameters: &[Parameter]) -> Vec<Factor> {
    let mut factors: Vec<Factor> = Vec::new();
    for (index, parameter) in parameters.iter().enumerate() {
        let name = parameter.group.as_ref().unwrap_or(&parameter.name);
        match factors.iter_mut().find(|f| parameter.group.is_some() && f.name == *name) {
            Some(factor) => factor.members.push(index),
            None => factors.push(Factor { name: name.clone(), members: vec![index] }),
        }
    }
    factors
}
