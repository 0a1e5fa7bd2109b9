//! An operation as a small graph of other operations.

use super::{Catalogue, OpSpec};
use crate::{Binding, BoundValue, Value};

/// One of the operations that another is made of.
///
/// Its regions have names: those of the whole's inputs and outputs, or any other for regions between steps. A step takes
/// inputs of the whole, or regions made by earlier steps.
#[derive(Clone, Debug, PartialEq)]
pub struct OpStep {
    /// Its name among the steps; a task `t6` becomes `t6.name`.
    pub name: String,
    /// The operation's id.
    pub operation: String,
    /// The regions it takes, in the order of the operation's inputs.
    pub inputs: Vec<String>,
    /// Where its parameters come from: parameters of the whole, or constants.
    pub reads: Vec<Binding>,
    /// The regions it makes, in the order of the operation's outputs.
    pub outputs: Vec<String>,
}

/// Why steps cannot replace an operation.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say what the fields are")]
pub enum StepsError {
    #[error(
        "step `{step}` of `{whole}`: expected an operation that is not made of steps itself, found `{found}`"
    )]
    Operation { whole: String, step: String, found: String },
    #[error("step `{step}` of `{whole}`: expected {expected} {what}, found {found}")]
    Count { whole: String, step: String, what: &'static str, expected: usize, found: usize },
    #[error(
        "step `{step}` of `{whole}` takes `{found}`: expected an input of the whole, or what an earlier step makes"
    )]
    Input { whole: String, step: String, found: String },
    #[error(
        "step `{step}` of `{whole}` reads `{parameter}` from `{found}`: expected a parameter of the whole of the same kind, or a \
         constant of that kind"
    )]
    Read { whole: String, step: String, parameter: String, found: String },
    #[error("step `{step}` of `{whole}` makes `{found}`: expected a name that nothing else has")]
    Output { whole: String, step: String, found: String },
    #[error("the steps of `{whole}` do not {what}: expected all of it from them")]
    Missing { whole: String, what: String },
}

impl OpStep {
    /// A step that takes, reads and makes nothing yet.
    pub fn new(name: impl Into<String>, operation: impl Into<String>) -> Self {
        let (inputs, reads, outputs) = Default::default();
        Self { name: name.into(), operation: operation.into(), inputs, reads, outputs }
    }

    /// Adds regions it takes.
    #[must_use]
    pub fn takes(mut self, regions: &[&str]) -> Self {
        self.inputs.extend(regions.iter().map(|name| (*name).to_owned()));
        self
    }

    /// Adds regions it makes.
    #[must_use]
    pub fn makes(mut self, regions: &[&str]) -> Self {
        self.outputs.extend(regions.iter().map(|name| (*name).to_owned()));
        self
    }

    /// Adds parameters that have the same name in the whole.
    #[must_use]
    pub fn reads(mut self, parameters: &[&str]) -> Self {
        for name in parameters {
            self = self.reads_as(name, name);
        }
        self
    }

    /// Adds a parameter of its operation that has another name in the whole.
    #[must_use]
    pub fn reads_as(mut self, parameter: &str, of_whole: &str) -> Self {
        let bound = BoundValue::Parameter(of_whole.into());
        self.reads.push(Binding { operation_parameter: parameter.into(), bound });
        self
    }

    /// Adds a parameter that always has this value.
    #[must_use]
    pub fn reads_constant(mut self, parameter: &str, value: Value) -> Self {
        let bound = BoundValue::Constant(value);
        self.reads.push(Binding { operation_parameter: parameter.into(), bound });
        self
    }
}

impl Catalogue {
    /// Whether the steps of an operation fit it: they take what is there, read what it reads, make all that it makes, and end
    /// as it ends.
    ///
    /// # Errors
    /// The first thing that does not fit.
    pub fn check_steps(&self, whole: &OpSpec) -> Result<(), StepsError> {
        if whole.steps.is_empty() {
            return Ok(());
        }
        let mut known: Vec<&str> = whole.inputs.iter().map(|region| region.name.as_str()).collect();
        for step in &whole.steps {
            self.check_step(whole, step, &mut known)?;
        }
        let missing = |what: String| StepsError::Missing { whole: whole.id.clone(), what };
        let made = |name: &str| whole.steps.iter().any(|step| step.outputs.iter().any(|made| made == name));
        if let Some(region) = whole.outputs.iter().find(|region| !made(&region.name)) {
            return Err(missing(format!("make `{}`", region.name)));
        }
        let ends = |status: &String| {
            whole
                .steps
                .iter()
                .filter_map(|step| self.get(&step.operation))
                .any(|o| o.statuses.contains(status))
        };
        match whole.statuses.iter().find(|status| !ends(status)) {
            Some(status) => Err(missing(format!("end with `{status}`"))),
            None => Ok(()),
        }
    }

    fn check_step<'w>(
        &self,
        whole: &OpSpec,
        step: &'w OpStep,
        known: &mut Vec<&'w str>,
    ) -> Result<(), StepsError>
    where
        Self: 'w,
    {
        let (id, name) = (|| whole.id.clone(), || step.name.clone());
        let operation = self.get(&step.operation).filter(|operation| operation.steps.is_empty());
        let operation = operation.ok_or_else(|| StepsError::Operation {
            whole: id(),
            step: name(),
            found: step.operation.clone(),
        })?;
        for (what, expected, found) in [
            ("inputs", operation.inputs.len(), step.inputs.len()),
            ("outputs", operation.outputs.len(), step.outputs.len()),
            ("parameters", operation.parameters.len(), step.reads.len()),
        ] {
            if expected != found {
                return Err(StepsError::Count { whole: id(), step: name(), what, expected, found });
            }
        }
        if let Some(found) = step.inputs.iter().find(|input| !known.contains(&input.as_str())) {
            return Err(StepsError::Input { whole: id(), step: name(), found: found.clone() });
        }
        for parameter in &operation.parameters {
            let binding = step.reads.iter().find(|read| read.operation_parameter == parameter.name);
            let fits = match binding.map(|binding| &binding.bound) {
                Some(BoundValue::Parameter(of)) => {
                    whole.parameter(of).is_some_and(|p| p.kind == parameter.kind)
                }
                Some(BoundValue::Constant(value)) => parameter.kind.canonical(value).is_some(),
                None => false,
            };
            if !fits {
                let found = binding.map_or_else(|| "nothing".to_owned(), |b| format!("{:?}", b.bound));
                let parameter = parameter.name.clone();
                return Err(StepsError::Read { whole: id(), step: name(), parameter, found });
            }
        }
        for output in &step.outputs {
            if known.contains(&output.as_str()) {
                return Err(StepsError::Output { whole: id(), step: name(), found: output.clone() });
            }
            known.push(output);
        }
        Ok(())
    }
}
