//! The specifications of the built-in operations.

use onceflow_study::{Catalogue, Halo, OpSpec, ParameterKind, RegionKind};

use crate::operation::COMPARE;

/// Every built-in operation: those of the shipped workflows, and the comparison of masks for metrics.
pub fn catalogue() -> Catalogue {
    Catalogue::nuclei().with(comparison())
}

fn comparison() -> OpSpec {
    OpSpec::new(COMPARE, "counts of a mask, alone and against a reference and the truth", 2.0)
        .takes(&[
            ("mask", RegionKind::Mask),
            ("reference", RegionKind::Any),
            ("truth", RegionKind::Any),
            ("counted", RegionKind::Any),
        ])
        .reads(&[("boundary", ParameterKind::Integer)])
        .makes(&[("counts", RegionKind::Table)])
        // An object that begins in a part's core is counted with all its pixels.
        .sees(Halo::Objects(0))
        .with_scratch(20)
}
