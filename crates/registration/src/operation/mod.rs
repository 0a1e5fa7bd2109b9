//! Operations of studies over pairs of volumes: each binds a specification to what carries it out.

mod frame;
mod level;
mod measures;
mod prepare;
mod states;

use std::sync::Arc;

use onceflow_region::{Pixels, Region, Table, Volume};
use onceflow_reuse::FlowTask;
use onceflow_runtime::{Call, Done, Operation, OperationError};
use onceflow_study::{Canonical, Value};

use crate::RegistrationError;
use crate::catalogue::{COLUMNS, LEVEL, METRICS, PREPARE};
pub use measures::{measures_of, to_table};
pub use states::LevelStates;

/// The operation of a task; none if it is none of ours. With states, a level takes iterations that an earlier call of it did.
pub fn operation(task: &FlowTask, states: Option<&Arc<LevelStates>>) -> Option<Arc<dyn Operation>> {
    let place = |name: &str| task.reads.iter().position(|read| read.name == name);
    let order = task.spec.parameters.iter().map(|p| place(&p.name)).collect::<Option<Vec<_>>>()?;
    let kernel: Kernel = match task.spec.id.as_str() {
        PREPARE => prepare::prepare_pair,
        LEVEL => level::level,
        METRICS => measures::metrics,
        COLUMNS => |arguments| Ok(Done::with(vec![Region::Table(arguments.table(0)?.clone())])),
        _ => return None,
    };
    Some(Arc::new(Bound { kernel, order, states: states.cloned() }))
}

type Kernel = fn(&Arguments<'_>) -> Result<Done, OperationError>;

/// A kernel, and the places of its parameters among those of the task.
struct Bound {
    kernel: Kernel,
    order: Vec<usize>,
    states: Option<Arc<LevelStates>>,
}

impl Operation for Bound {
    fn run(&self, call: &Call<'_>) -> Result<Done, OperationError> {
        let parameters: Option<Vec<&Canonical>> =
            self.order.iter().map(|place| call.parameters.get(*place)).collect();
        let parameters = parameters.ok_or_else(|| failed("expected more parameters than were given"))?;
        (self.kernel)(&Arguments { inputs: call.inputs, parameters, states: self.states.as_deref() })
    }
}

/// The arguments of a kernel.
struct Arguments<'a> {
    inputs: &'a [Arc<Region>],
    parameters: Vec<&'a Canonical>,
    states: Option<&'a LevelStates>,
}

impl<'a> Arguments<'a> {
    fn region(&self, input: usize) -> Result<&'a Region, OperationError> {
        let region = self.inputs.get(input).map(AsRef::as_ref);
        region.ok_or_else(|| failed(format!("expected an input number {input}, found none")))
    }

    fn table(&self, input: usize) -> Result<&'a Table, OperationError> {
        self.region(input)?.as_table().ok_or_else(|| failed(format!("expected a table as input {input}")))
    }

    /// A volume; none where there is nothing.
    fn volume(&self, input: usize) -> Result<Option<&'a Volume>, OperationError> {
        match self.region(input)? {
            Region::Volume(volume) => Ok(Some(volume)),
            Region::Nothing => Ok(None),
            _ => Err(failed(format!("expected a volume as input {input}"))),
        }
    }

    /// Places; none where there is nothing.
    fn places(&self, input: usize) -> Result<Option<&'a [[f64; 3]]>, OperationError> {
        match self.region(input)? {
            Region::Points(points) => Ok(Some(points.coordinates())),
            Region::Nothing => Ok(None),
            _ => Err(failed(format!("expected points as input {input}"))),
        }
    }

    fn real(&self, parameter: usize) -> Result<f64, OperationError> {
        match self.parameters.get(parameter) {
            Some(Canonical::Real(bits)) => Ok(f64::from_bits(*bits)),
            _ => Err(failed(format!("expected a number as parameter {parameter}"))),
        }
    }

    fn integer(&self, parameter: usize) -> Result<u32, OperationError> {
        match self.parameters.get(parameter) {
            Some(Canonical::Integer(value)) => u32::try_from(*value).map_err(|_| {
                failed(format!("expected a whole number from 0 on as parameter {parameter}, found {value}"))
            }),
            _ => Err(failed(format!("expected a whole number as parameter {parameter}"))),
        }
    }

    /// A parameter as it stands in a study.
    fn value(&self, parameter: usize) -> Result<Value, OperationError> {
        match self.parameters.get(parameter) {
            Some(Canonical::Real(bits)) => Ok(Value::Real(f64::from_bits(*bits))),
            Some(Canonical::Integer(value)) => Ok(Value::Integer(*value)),
            Some(Canonical::Text(text)) => Ok(Value::Text(text.clone())),
            _ => Err(failed(format!("expected a parameter {parameter}"))),
        }
    }
}

fn failed(message: impl Into<String>) -> OperationError {
    OperationError::new(message)
}

impl From<RegistrationError> for OperationError {
    fn from(error: RegistrationError) -> Self {
        let words = match &error {
            RegistrationError::BadInput(message) | RegistrationError::Environment(message) => {
                message.to_string()
            }
            other => other.to_string(),
        };
        Self::new(words)
    }
}

/// The values of a volume as bytes that count or not.
fn marks(volume: Option<&Volume>) -> Result<Option<Vec<u8>>, OperationError> {
    match volume.map(Volume::values) {
        None => Ok(None),
        Some(Pixels::U8(values)) => Ok(Some(values.clone())),
        Some(_) => Err(failed("expected a mask of 8-bit numbers")),
    }
}
