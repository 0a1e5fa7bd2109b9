//! The study of this folder runs, and our operation does what it says.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::path::Path;
use std::sync::Arc;

use onceflow_engine::{Call, Operation as _, RunEnding};
use onceflow_region::{Dense, Pixels, Region};
use onceflow_study::Canonical;
use own_operation::{Dark, run_own_study};

#[test]
fn the_study_has_an_answer() {
    let into = tempfile::tempdir().unwrap();
    let run = run_own_study(Path::new(env!("CARGO_MANIFEST_DIR")), into.path()).unwrap();
    assert_eq!(run.ending, RunEnding::Complete);
    let table = &run.answer.table;
    assert_eq!(table.rows.len(), 1 + 6 * 3);
    let values: Vec<f64> = table.rows.iter().map(|row| row.metrics[0].unwrap()).collect();
    assert!(values.iter().any(|value| *value != values[0]), "the limit makes no difference: {values:?}");
}

#[test]
fn dark_pixels_are_found() {
    let image = Dense::new(3, 1, 3, Pixels::U8(vec![9, 9, 9, 9, 9, 10, 255, 0, 0])).unwrap();
    let inputs = [Arc::new(Region::Dense(image))];
    let call = Call {
        inputs: &inputs,
        digests: &[],
        wanted: false,
        parameters: &[Canonical::Integer(10)],
        ..Call::default()
    };
    let made = Dark.run(&call).unwrap().outputs;
    assert_eq!(made[0].as_dense().unwrap().as_u8(), Some(&[255, 0, 0][..]));
}
