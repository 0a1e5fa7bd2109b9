//! The specifications of the operations of the workflows `registration` and `registration-paper`.

use onceflow_study::RegionKind::{Any, Table, VolumeF32, VolumeMask};
use onceflow_study::{Halo, OpSpec, ParameterKind, RegionKind};

/// The operation that scales and halves both volumes.
pub(crate) const PREPARE: &str = "registration.prepare";

/// The operation that runs a level.
pub const LEVEL: &str = "registration.level";

/// The operation that measures.
pub const METRICS: &str = "registration.metrics";

/// The operation that hands a table of measures on.
pub const COLUMNS: &str = "metric.columns";

const PREPARED: [(&str, RegionKind); 5] = [
    ("fixed_steps", VolumeF32),
    ("moving_steps", VolumeF32),
    ("fixed_marks", VolumeMask),
    ("moving_marks", VolumeMask),
    ("frame", Table),
];

/// Bytes per voxel of both pyramids with their masks: eight sevenths of four bytes and one, twice.
const PYRAMIDS: u32 = 12;

/// A point of the last lattice has 24 bytes, and by default stands for 125 voxels.
const COEFFICIENTS: u32 = 1;

/// What a level works with: warped values, gradients, forces, vectors of the optimiser, and its copy of the volumes.
const WORKING: u32 = 48;

/// Bytes of lists and traces, and of histograms.
const SOME: u64 = 8 << 20;

/// All of them.
pub fn catalogue() -> Vec<OpSpec> {
    let prepare =
        OpSpec::new(PREPARE, "both volumes scaled and halved level by level, and where they start", 100.0)
            .takes(&[("fixed", Any), ("moving", Any), ("fixed_mask", Any), ("moving_mask", Any)])
            .reads(&[
                ("similarity", ParameterKind::Category),
                ("bins", ParameterKind::Integer),
                ("spacing", ParameterKind::Real),
                ("initial", ParameterKind::Category),
                ("optimiser", ParameterKind::Category),
                ("tolerance", ParameterKind::Real),
                ("levels", ParameterKind::Integer),
            ])
            .makes(&PREPARED)
            .makes(&[("vec", Table), ("log", Table)]);
    let level =
        OpSpec::new(LEVEL, "one level of a registration, from the coefficients of the one before", 5000.0)
            .takes(&PREPARED)
            .takes(&[("vec", Table), ("log", Table)])
            .reads(&[
                ("bending", ParameterKind::Real),
                ("step", ParameterKind::Real),
                ("iterations", ParameterKind::Integer),
                ("halvings", ParameterKind::Integer),
                ("factor", ParameterKind::Real),
            ])
            .makes(&[("vec", Table), ("log", Table)]);
    let metrics =
        OpSpec::new(METRICS, "similarity, overlap, landmark errors and folding of a registration", 300.0)
            .takes(&PREPARED)
            .takes(&[("vec", Table), ("log", Table)])
            .takes(&[
                ("fixed_labels", Any),
                ("moving_labels", Any),
                ("fixed_landmarks", Any),
                ("moving_landmarks", Any),
            ])
            .makes(&[("metrics", Table)]);
    vec![
        of_voxels(prepare, PYRAMIDS, 24),
        of_voxels(level, COEFFICIENTS, WORKING),
        of_voxels(metrics, 0, 40),
        OpSpec::new(COLUMNS, "measures as columns of the table of rows", 0.001)
            .takes(&[("measures", Table)])
            .makes(&[("columns", Table)])
            .with_fixed_scratch(1 << 16),
    ]
}

/// Volumes are never cut.
fn of_voxels(spec: OpSpec, made: u32, scratch: u32) -> OpSpec {
    let spec = OpSpec { output_bytes_per_pixel: made, ..spec };
    spec.sees(Halo::Whole).with_scratch(scratch).with_fixed_scratch(SOME)
}

#[cfg(test)]
mod tests {
    use onceflow_study::{Catalogue, Stage, check_workflow, read_workflow, shipped_workflow};

    use super::*;

    #[test]
    fn shipped_workflows_fit_their_operations() {
        let catalogue = Catalogue::new(catalogue());
        for name in ["registration", "registration-paper"] {
            let workflow = read_workflow(&shipped_workflow(name).unwrap()).unwrap_or_else(|d| panic!("{d}"));
            assert_eq!(check_workflow(&workflow, &catalogue).to_string(), "", "{name}");
            let levels =
                workflow.stages.iter().flat_map(Stage::tasks).filter(|t| t.op.built_in() == Some(LEVEL));
            assert_eq!(levels.count(), 5);
        }
    }
}
