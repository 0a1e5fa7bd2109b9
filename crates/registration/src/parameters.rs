//! The parameters of a registration: defaults, changed one by one by name.

use std::path::PathBuf;

use onceflow_kernels::registration::{
    BINS, Grid, Lattice, LatticeError, Optimiser, Similarity, spacing_factor,
};
use onceflow_study::{Diagnostic, Value, nearest};
use serde_json::{Map, json};

/// Levels, unless it is said otherwise.
pub const LEVELS: u32 = 5;

/// The most levels: volumes of 2^31 voxels are small after twelve.
const MOST_LEVELS: u32 = 12;

/// Most iterations of the last levels, the last one at the end; earlier ones take those of the first here.
const ITERATIONS: [u32; 4] = [100, 80, 40, 20];

const STEP: f64 = 1.0;

const TOLERANCE: f64 = 1e-5;

/// Bins where a similarity has none.
const NO_BINS: u32 = 64;

/// The spacing of the last lattice in sides of the smallest voxel.
const SPACING: f64 = 5.0;

/// How the volumes are brought together before the first level.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Initial {
    /// They lie where their files say.
    #[default]
    Identity,
    /// Their centres are moved onto each other.
    Centres,
    /// Their centres of mass are.
    Moments,
    /// An affine map is found first, from the centres of mass.
    Affine,
    /// A file says.
    File(PathBuf),
}

/// The parameters of a level.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LevelParameters {
    /// The weight of the bending energy.
    pub bending: f64,
    /// The longest move of a point per iteration, in voxels of the level.
    pub step: f64,
    /// Most iterations.
    pub iterations: u32,
}

/// What of a level is not at its default.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Changed {
    bending: Option<f64>,
    step: Option<f64>,
    iterations: Option<u32>,
}

/// The parameters of a registration.
#[derive(Clone, Debug, PartialEq)]
pub struct RegistrationParameters {
    /// What is descended.
    pub similarity: Similarity,
    /// How.
    pub optimiser: Optimiser,
    /// The share of a level's cost at its start that an iteration must gain, on average of five.
    pub tolerance: f64,
    /// The spacing of the last lattice in mm; five sides of the smallest voxel without it.
    pub spacing: Option<f64>,
    /// How the volumes are brought together before the first level.
    pub initial: Initial,
    levels: u32,
    changed: Vec<Changed>,
}

impl Default for RegistrationParameters {
    fn default() -> Self {
        Self {
            similarity: Similarity::default(),
            optimiser: Optimiser::default(),
            tolerance: TOLERANCE,
            spacing: None,
            initial: Initial::default(),
            levels: LEVELS,
            changed: vec![Changed::default(); MOST_LEVELS as usize],
        }
    }
}

impl RegistrationParameters {
    /// Bins of the histograms of information.
    pub fn bins(&self) -> u32 {
        self.similarity.bins().unwrap_or(NO_BINS)
    }

    /// Number of levels.
    pub fn levels(&self) -> u32 {
        self.levels
    }

    /// The parameters of a level, from 1 on.
    pub fn level(&self, level: u32) -> LevelParameters {
        let changed = self.changed.get(level.saturating_sub(1) as usize).copied().unwrap_or_default();
        let from_last = self.levels.saturating_sub(level) as usize;
        let place = ITERATIONS.len().saturating_sub(1 + from_last);
        LevelParameters {
            bending: changed.bending.unwrap_or(self.similarity.default_bending()),
            step: changed.step.unwrap_or(STEP),
            iterations: changed.iterations.unwrap_or(ITERATIONS[place]),
        }
    }

    /// The spacing of the last lattice over a fixed volume, in mm.
    pub fn final_spacing(&self, fixed: &Grid) -> f64 {
        self.spacing.unwrap_or(SPACING * fixed.smallest_spacing())
    }

    /// The lattice of a level over a fixed volume.
    ///
    /// # Errors
    /// When it has too many points.
    pub fn lattice(&self, fixed: &Grid, level: u32) -> Result<Lattice, LatticeError> {
        Lattice::new(fixed, self.final_spacing(fixed) * spacing_factor(level, self.levels))
    }

    /// The names that can be set, those of levels for all of them.
    pub fn names(&self) -> Vec<String> {
        let global = ["similarity", "bins", "optimiser", "tolerance", "spacing", "initial", "levels"];
        let of_levels = (1..=self.levels)
            .flat_map(|level| ["bending", "step", "iterations"].map(|name| format!("{name}_{level}")));
        global.into_iter().map(str::to_owned).chain(of_levels).collect()
    }

    /// Sets one of them; a name without a level, such as `bending`, sets that of all levels.
    ///
    /// # Errors
    /// When there is no such parameter, or it does not take the value.
    pub fn set(&mut self, name: &str, value: &Value) -> Result<(), Box<Diagnostic>> {
        let number = value.as_f64().filter(|number| number.is_finite());
        let refuse = |expected: &str| Err(refused(name, expected, value));
        let whole = |most: u32| {
            number.filter(|n| n.fract() == 0.0 && (1.0..=f64::from(most)).contains(n)).map(|n| n as u32)
        };
        let text = value.to_string();
        match name {
            "similarity" => match similarity(&text, self.bins()) {
                Some(similarity) => self.similarity = similarity,
                None => return refuse("nmi, mi or ssd"),
            },
            "bins" => match (whole(*BINS.end()).filter(|bins| BINS.contains(bins)), self.similarity) {
                (Some(bins), Similarity::Nmi { .. }) => self.similarity = Similarity::Nmi { bins },
                (Some(bins), Similarity::Mi { .. }) => self.similarity = Similarity::Mi { bins },
                (Some(_), Similarity::Ssd) => {}
                (None, _) => return refuse("a whole number from 16 to 256"),
            },
            "optimiser" => match optimiser(&text) {
                Some(optimiser) => self.optimiser = optimiser,
                None => return refuse("lbfgs, cg or descent"),
            },
            "tolerance" => match number.filter(|n| *n >= 0.0) {
                Some(tolerance) => self.tolerance = tolerance,
                None => return refuse("a finite number from 0 on"),
            },
            "spacing" => match number.filter(|n| *n >= 0.0) {
                Some(0.0) => self.spacing = None,
                Some(spacing) => self.spacing = Some(spacing),
                None => return refuse("millimetres above 0, or 0 for five sides of the smallest voxel"),
            },
            "initial" => self.initial = initial(&text),
            "levels" => match whole(MOST_LEVELS) {
                Some(levels) => self.levels = levels,
                None => return refuse("a whole number from 1 to 12"),
            },
            _ => return self.set_of_level(name, value, number),
        }
        Ok(())
    }

    fn set_of_level(
        &mut self,
        name: &str,
        value: &Value,
        number: Option<f64>,
    ) -> Result<(), Box<Diagnostic>> {
        let (kind, level) = match name.rsplit_once('_') {
            Some((kind, level)) => (kind, level.parse::<u32>().ok()),
            None => (name, Some(0)),
        };
        let levels = match level.filter(|level| *level <= self.levels) {
            Some(0) if !name.contains('_') => 0..self.levels as usize,
            Some(level) if level > 0 => level as usize - 1..level as usize,
            _ => return Err(self.unknown(name)),
        };
        let Some(changed) = self.changed.get_mut(levels) else { return Ok(()) };
        let bending = number.filter(|n| *n >= 0.0);
        let step = number.filter(|n| *n > 0.0);
        let iterations = number.filter(|n| n.fract() == 0.0 && (1.0..=1e6).contains(n)).map(|n| n as u32);
        match (kind, bending, step, iterations) {
            ("bending", Some(_), ..) => changed.iter_mut().for_each(|level| level.bending = bending),
            ("step", _, Some(_), _) => changed.iter_mut().for_each(|level| level.step = step),
            ("iterations", .., Some(_)) => changed.iter_mut().for_each(|level| level.iterations = iterations),
            ("bending", ..) => return Err(refused(name, "a finite number from 0 on", value)),
            ("step", ..) => return Err(refused(name, "a finite number above 0", value)),
            ("iterations", ..) => return Err(refused(name, "a whole number from 1 to 1000000", value)),
            _ => return Err(self.unknown(name)),
        }
        Ok(())
    }

    fn unknown(&self, name: &str) -> Box<Diagnostic> {
        let names = self.names();
        let message = Diagnostic::error(format!("there is no parameter `{name}`"));
        let message = message.expected_found(names.join(", "), format!("`{name}`"));
        Box::new(match nearest(name, names.iter().map(String::as_str)) {
            Some(near) => message.with_hint(format!("did you mean `{near}`?")),
            None => message,
        })
    }

    /// All of them by name, as they are set.
    pub fn values(&self, fixed: &Grid) -> Vec<(String, Value)> {
        let text = |text: String| Value::Text(text);
        let mut values = vec![
            ("similarity".to_owned(), text(word(self.similarity).to_owned())),
            ("bins".into(), Value::Integer(self.bins().into())),
            ("optimiser".into(), text(self.optimiser.to_string())),
            ("tolerance".into(), Value::Real(self.tolerance)),
            ("spacing".into(), Value::Real(self.final_spacing(fixed))),
            ("initial".into(), text(self.initial.to_string())),
            ("levels".into(), Value::Integer(self.levels.into())),
        ];
        for level in 1..=self.levels {
            let LevelParameters { bending, step, iterations } = self.level(level);
            values.push((format!("bending_{level}"), Value::Real(bending)));
            values.push((format!("step_{level}"), Value::Real(step)));
            values.push((format!("iterations_{level}"), Value::Integer(iterations.into())));
        }
        values
    }

    /// The same as JSON.
    pub fn to_json(&self, fixed: &Grid) -> serde_json::Value {
        let entry = |(name, value)| {
            let value = match value {
                Value::Integer(number) => json!(number),
                Value::Real(number) => json!(number),
                Value::Text(text) => json!(text),
            };
            (name, value)
        };
        serde_json::Value::Object(self.values(fixed).into_iter().map(entry).collect::<Map<_, _>>())
    }
}

impl std::fmt::Display for Initial {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Identity => f.write_str("identity"),
            Self::Centres => f.write_str("centres"),
            Self::Moments => f.write_str("moments"),
            Self::Affine => f.write_str("affine"),
            Self::File(path) => write!(f, "{}", path.display()),
        }
    }
}

fn initial(text: &str) -> Initial {
    match text {
        "identity" => Initial::Identity,
        "centres" => Initial::Centres,
        "moments" => Initial::Moments,
        "affine" => Initial::Affine,
        path => Initial::File(path.into()),
    }
}

fn similarity(text: &str, bins: u32) -> Option<Similarity> {
    match text {
        "nmi" => Some(Similarity::Nmi { bins }),
        "mi" => Some(Similarity::Mi { bins }),
        "ssd" => Some(Similarity::Ssd),
        _ => None,
    }
}

/// The word of a similarity.
pub(crate) fn word(similarity: Similarity) -> &'static str {
    match similarity {
        Similarity::Nmi { .. } => "nmi",
        Similarity::Mi { .. } => "mi",
        Similarity::Ssd => "ssd",
    }
}

fn optimiser(text: &str) -> Option<Optimiser> {
    match text {
        "lbfgs" => Some(Optimiser::Lbfgs),
        "cg" => Some(Optimiser::Cg),
        "descent" => Some(Optimiser::Descent),
        _ => None,
    }
}

fn refused(name: &str, expected: &str, value: &Value) -> Box<Diagnostic> {
    let message = Diagnostic::error(format!("the parameter `{name}` does not take this value"));
    Box::new(message.expected_found(expected, format!("`{value}`")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn defaults_are_those_of_the_page() {
        let defaults = RegistrationParameters::default();
        let iterations = [1, 2, 3, 4, 5].map(|level| defaults.level(level).iterations);
        assert_eq!(iterations, [100, 100, 80, 40, 20]);
        assert_eq!(defaults.level(3).step, 1.0);
    }

    #[test]
    fn parameters_are_set_by_name() {
        let mut parameters = RegistrationParameters::default();
        parameters.set("bending", &Value::Real(0.25)).unwrap();
        parameters.set("bending_2", &Value::Integer(0)).unwrap();
        parameters.set("iterations_5", &Value::Real(7.0)).unwrap();
        parameters.set("similarity", &Value::Text("ssd".into())).unwrap();
        assert_eq!(parameters.level(1).bending, 0.25);
        assert_eq!(parameters.level(2).bending, 0.0);
        assert_eq!((parameters.level(5).iterations, parameters.similarity), (7, Similarity::Ssd));
        let values = parameters.values(&Grid::new([8; 3], Default::default()).unwrap());
        let mut again = RegistrationParameters::default();
        values.iter().for_each(|(name, value)| again.set(name, value).unwrap());
        assert_eq!(values, again.values(&Grid::new([8; 3], Default::default()).unwrap()));
    }

    #[test]
    fn what_cannot_be_is_refused() {
        let cases = [
            ("bending_1", Value::Real(-0.1)),
            ("bending_1", Value::Real(f64::NAN)),
            ("step_1", Value::Real(0.0)),
            ("iterations_1", Value::Real(1.5)),
            ("spacing", Value::Real(f64::INFINITY)),
            ("bins", Value::Integer(8)),
            ("similarity", Value::Text("ncc".into())),
            ("bending_6", Value::Real(0.1)),
            ("bendin", Value::Real(0.1)),
        ];
        for (name, value) in cases {
            let error = RegistrationParameters::default().set(name, &value).unwrap_err();
            assert!(error.message.contains(name), "{name} {value}: {error}");
        }
    }
}
