//! The operations a workflow may name.

use onceflow_study::{Catalogue, Halo, Kind, OpSpec, RegionKind};

use crate::compare;

/// Every built-in operation: those of the shipped workflows, and the comparison that metrics ask for.
pub fn catalogue() -> Catalogue {
    let nuclei = Catalogue::nuclei();
    Catalogue::new(nuclei.specs().cloned().chain([comparison()]))
}

fn comparison() -> OpSpec {
    OpSpec::new(compare::OPERATION, "counts of a mask, alone and against a reference and the truth", 2.0)
        .takes(&[
            ("mask", RegionKind::Mask),
            ("reference", RegionKind::Any),
            ("truth", RegionKind::Any),
            ("counted", RegionKind::Any),
        ])
        .reads(&[("boundary", Kind::Integer)])
        .makes(&[("counts", RegionKind::Table)])
        // An object that begins in a part's core is counted with all its pixels.
        .sees(Halo::Objects(0))
        .with_scratch(16)
}
