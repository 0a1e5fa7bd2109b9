//! The operations a workflow may name: built in, or registered by a program that links the engine.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use onceflow_nuclei::catalogue;
use onceflow_runtime::Operation;
use onceflow_study::{Catalogue, OpSpec};

/// The operations of a program: the built-in ones, and its own.
///
/// An own operation is a type that turns regions into regions, and a specification of its inputs, parameters and outputs. A
/// descriptor names it like a built-in one.
///
/// ```
/// use onceflow_engine::{Call, Done, Operation, OperationError, Operations};
/// use onceflow_region::{Dense, Pixels, Region};
/// use onceflow_study::{Canonical, OpSpec, ParameterKind, RegionKind};
///
/// /// Pixels that are darker than a limit.
/// struct Dark;
///
/// impl Operation for Dark {
///     fn run(&self, call: &Call<'_>) -> Result<Done, OperationError> {
///         let wrong = || OperationError::new("expected 8-bit grey pixels and a whole number");
///         let grey = call.inputs.first().and_then(|region| region.as_dense()).ok_or_else(wrong)?;
///         let (pixels, Some(Canonical::Integer(limit))) = (grey.as_u8().ok_or_else(wrong)?, call.parameters.first())
///         else {
///             return Err(wrong());
///         };
///         let dark = pixels.iter().map(|pixel| if i64::from(*pixel) < *limit { 255 } else { 0 });
///         let mask = Dense::new(grey.width(), grey.height(), 1, Pixels::U8(dark.collect()));
///         Ok(Done::with(vec![Region::Dense(mask.map_err(|error| OperationError::new(error.to_string()))?)]))
///     }
/// }
///
/// let spec = OpSpec::new("mine.dark", "pixels darker than a limit", 1.0)
///     .takes(&[("grey", RegionKind::U8)])
///     .reads(&[("limit", ParameterKind::Integer)])
///     .makes(&[("mask", RegionKind::Mask)]);
/// let operations = Operations::built_in().with(spec, Dark);
/// assert!(operations.catalogue().get("mine.dark").is_some());
/// ```
#[derive(Clone)]
pub struct Operations {
    catalogue: Catalogue,
    own: BTreeMap<String, Arc<dyn Operation>>,
}

impl Operations {
    /// The built-in operations.
    pub fn built_in() -> Self {
        let of_pairs = onceflow_registration::catalogue();
        let catalogue = of_pairs.into_iter().fold(catalogue(), Catalogue::with);
        Self { catalogue, own: BTreeMap::new() }
    }

    /// Adds an operation, or replaces the one with its id. Raise its version whenever its bytes change.
    #[must_use]
    pub fn with(mut self, spec: OpSpec, operation: impl Operation + 'static) -> Self {
        self.own.insert(spec.id.clone(), Arc::new(operation));
        self.catalogue = self.catalogue.with(spec);
        self
    }

    /// Their specifications, to check descriptors with.
    pub fn catalogue(&self) -> &Catalogue {
        &self.catalogue
    }

    /// An operation that is not built in.
    pub(crate) fn own(&self, id: &str) -> Option<Arc<dyn Operation>> {
        self.own.get(id).cloned()
    }
}

impl Default for Operations {
    fn default() -> Self {
        Self::built_in()
    }
}

impl fmt::Debug for Operations {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Operations").field("own", &self.own.keys()).finish_non_exhaustive()
    }
}
