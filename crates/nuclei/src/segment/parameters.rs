//! The parameters of the nuclei workflow by name; names, kinds and defaults come from its descriptor.

use onceflow_kernels::Connectivity;
use onceflow_kernels::nuclei::Parameters;
use onceflow_study::{Canonical, Diagnostic, ParameterKind, Value, WorkflowParameter, nearest};

use super::{nuclei_workflow, wrong};
use crate::NucleiError;

/// A value for each parameter of the shipped workflow `nuclei`.
#[derive(Clone, Debug, PartialEq)]
pub struct NucleiParameters {
    parameters: Vec<(WorkflowParameter, Value)>,
}

impl NucleiParameters {
    /// The default values.
    ///
    /// # Errors
    /// When the shipped workflow cannot be read: a bug.
    pub fn new() -> Result<Self, NucleiError> {
        let with_default = |parameter: WorkflowParameter| {
            let default = parameter.default.clone();
            default.map(|value| (parameter, value)).ok_or_else(|| wrong("a parameter has no default"))
        };
        let parameters =
            nuclei_workflow()?.parameters.into_iter().map(with_default).collect::<Result<_, _>>()?;
        Ok(Self { parameters })
    }

    /// Names and values, in the workflow's order.
    pub fn values(&self) -> impl Iterator<Item = (&str, &Value)> {
        self.parameters.iter().map(|(parameter, value)| (parameter.name.as_str(), value))
    }

    /// Sets the value of a parameter.
    ///
    /// # Errors
    /// When no parameter has that name, or the value is not of its kind or outside its range.
    pub fn set(&mut self, name: &str, value: &Value) -> Result<(), Box<Diagnostic>> {
        let Some((parameter, slot)) = self.parameters.iter_mut().find(|(p, _)| p.name == name) else {
            return Err(Box::new(self.unknown(name)));
        };
        let number = match parameter.kind.canonical(value) {
            Some(Canonical::Integer(number)) => number as f64,
            Some(Canonical::Real(bits)) => f64::from_bits(bits),
            Some(_) => 0.0,
            None => return Err(Box::new(unfit(parameter, value))),
        };
        let (least, most) = range(name);
        if !(least..=most).contains(&number) {
            return Err(Box::new(outside(name, value, (least, most))));
        }
        *slot = parameter.kind.tidy(value);
        Ok(())
    }

    /// The values as the kernels take them.
    ///
    /// # Errors
    /// When a value is missing or of another kind: a bug.
    pub fn to_kernel(&self) -> Result<Parameters, NucleiError> {
        Ok(Parameters {
            blue: self.integer("blue")?,
            green: self.integer("green")?,
            red: self.integer("red")?,
            t1: self.real("T1")?,
            t2: self.real("T2")?,
            recon_connectivity: self.connectivity("reconConnectivity")?,
            fill_holes_connectivity: self.connectivity("fillHolesConnectivity")?,
            g1: self.integer("G1")?,
            min_size: self.integer("minSize")?,
            max_size: self.integer("maxSize")?,
            g2: self.integer("G2")?,
            min_size_pl: self.integer("minSizePl")?,
            watershed_connectivity: self.connectivity("watershedConnectivity")?,
            min_size_seg: self.integer("minSizeSeg")?,
            max_size_seg: self.integer("maxSizeSeg")?,
        })
    }

    fn unknown(&self, name: &str) -> Diagnostic {
        let names = || self.values().map(|(name, _)| name);
        let known = names().collect::<Vec<_>>().join(", ");
        let message = Diagnostic::error(format!("the workflow `nuclei` has no parameter `{name}`"));
        let message = message.expected_found(format!("one of {known}"), format!("`{name}`"));
        match nearest(name, names()) {
            Some(near) => message.with_hint(format!("write `{near}`")),
            None => message,
        }
    }

    fn canonical(&self, name: &str) -> Result<Canonical, NucleiError> {
        let found = self.parameters.iter().find(|(parameter, _)| parameter.name == name);
        let canonical = found.and_then(|(parameter, value)| parameter.kind.canonical(value));
        canonical.ok_or_else(|| wrong(&format!("`{name}` has no value")))
    }

    fn integer(&self, name: &str) -> Result<i64, NucleiError> {
        match self.canonical(name)? {
            Canonical::Integer(value) => Ok(value),
            _ => Err(wrong(&format!("`{name}` is not a whole number"))),
        }
    }

    fn real(&self, name: &str) -> Result<f64, NucleiError> {
        match self.canonical(name)? {
            Canonical::Real(bits) => Ok(f64::from_bits(bits)),
            _ => Err(wrong(&format!("`{name}` is not a number"))),
        }
    }

    fn connectivity(&self, name: &str) -> Result<Connectivity, NucleiError> {
        match self.canonical(name)? {
            Canonical::Connectivity8(true) => Ok(Connectivity::Eight),
            Canonical::Connectivity8(false) => Ok(Connectivity::Four),
            _ => Err(wrong(&format!("`{name}` is not a connectivity"))),
        }
    }
}

/// The range of a parameter. Grey thresholds reach one beyond the values of pixels, so that all or no pixels pass.
fn range(name: &str) -> (f64, f64) {
    match name {
        "blue" | "green" | "red" | "G1" | "G2" => (-1.0, 256.0),
        "T1" | "T2" => (0.0, 1e6),
        _ => (0.0, MOST_PIXELS as f64),
    }
}

/// No object has more pixels.
const MOST_PIXELS: i64 = 1 << 52;

fn outside(name: &str, value: &Value, (least, most): (f64, f64)) -> Diagnostic {
    let message = Diagnostic::error(format!("the parameter `{name}` is outside its range"));
    let expected = if most < MOST_PIXELS as f64 {
        format!("a number from {least} to {most}")
    } else {
        format!("a number from {least} on")
    };
    let message = message.expected_found(expected, format!("`{value}`"));
    message.with_hint(match name {
        "blue" | "green" | "red" | "G1" | "G2" => "grey values go from 0 to 255",
        "T1" | "T2" => "ratios of red to green are mostly between 2 and 8",
        _ => "sizes are numbers of pixels",
    })
}

fn unfit(parameter: &WorkflowParameter, value: &Value) -> Diagnostic {
    let expected = match parameter.kind {
        ParameterKind::Connectivity => "4 or 8",
        ParameterKind::Category => "a word",
        ParameterKind::Integer => "a whole number",
        ParameterKind::Real => "a number",
    };
    let message = Diagnostic::error(format!("the parameter `{}` has a value it cannot take", parameter.name));
    message.expected_found(expected, format!("`{value}`"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn defaults_are_those_of_the_kernels() {
        assert_eq!(NucleiParameters::new().unwrap().to_kernel().unwrap(), Parameters::default());
    }

    #[test]
    fn each_name_sets_its_own() {
        let default = Parameters::default();
        let mut seen = Vec::new();
        let names: Vec<String> =
            NucleiParameters::new().unwrap().values().map(|(n, _)| n.to_owned()).collect();
        for name in &names {
            let mut parameters = NucleiParameters::new().unwrap();
            let other = if name == "fillHolesConnectivity" { 8 } else { 3 };
            parameters.set(name, &Value::Integer(other)).unwrap();
            let changed = parameters.to_kernel().unwrap();
            assert!(changed != default && !seen.contains(&changed), "{name}");
            seen.push(changed);
        }
        assert_eq!(seen.len(), 15);
    }

    #[test]
    fn values_are_read_by_their_kind() {
        let mut parameters = NucleiParameters::new().unwrap();
        parameters.set("G1", &Value::Real(79.9)).unwrap();
        parameters.set("reconConnectivity", &Value::Integer(6)).unwrap();
        parameters.set("T1", &Value::Integer(3)).unwrap();
        let kernel = parameters.to_kernel().unwrap();
        assert_eq!((kernel.g1, kernel.recon_connectivity, kernel.t1), (79, Connectivity::Four, 3.0));
    }

    #[test]
    fn invalid_values_are_refused_with_a_message() {
        let mut parameters = NucleiParameters::new().unwrap();
        let mut said = |name: &str, value| parameters.set(name, &value).unwrap_err().to_string();
        assert!(said("g1", Value::Integer(1)).ends_with("found `g1`; to do: write `G1`"));
        assert!(said("T1", Value::Text("high".into())).ends_with("expected a number, found `high`"));
        assert!(said("G1", Value::Integer(257)).contains("expected a number from -1 to 256, found `257`"));
        assert!(said("T2", Value::Real(-0.5)).contains("from 0 to 1000000"));
        assert!(said("minSize", Value::Integer(-1)).contains("numbers of pixels"));
    }
}
