//! Samples and outputs survive the way through every text form, and mixed-up or broken tables are refused.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

mod outputs;
mod round_trips;
mod samples;

use onceflow_sensitivity::{Sample, SampleOptions, SampleRow, TableLayout, read_sample, sample};
use onceflow_study::{Design, Domain, Method, MorrisDesign, Parameter, SaltelliDesign, Space, Trajectories};

pub(crate) fn space(parameters: Vec<Parameter>) -> Space {
    Space::new(parameters, Vec::new()).unwrap()
}

pub(crate) fn unit(name: &str) -> Parameter {
    Parameter::new(name, Domain::Continuous { from: 0.0, to: 1.0 })
}

pub(crate) fn nuclei() -> Space {
    space(vec![
        Parameter::new("G1", Domain::Steps { from: 5.0, to: 80.0, step: 5.0 }),
        Parameter::new("threshold", Domain::Categories(vec!["otsu".into(), "a, \"b\"".into()])),
        unit("T 1"),
    ])
}

pub(crate) fn morris(space: &Space, trajectories: u64) -> Sample {
    let morris = MorrisDesign { trajectories, values: 4, kind: Trajectories::Plain };
    sample(space, &Design { method: Method::Morris(morris), seed: 7 }).unwrap()
}

pub(crate) fn saltelli(space: &Space, base: u64, second_order: bool) -> Sample {
    let saltelli = SaltelliDesign { base, second_order, replicates: 1 };
    sample(space, &Design { method: Method::Saltelli(saltelli), seed: 7 }).unwrap()
}

pub(crate) fn options(layout: TableLayout) -> SampleOptions {
    SampleOptions { layout, extra_columns: false }
}

pub(crate) fn refuse(space: &Space, text: &str, layout: TableLayout) -> String {
    read_sample(space, text, &options(layout)).unwrap_err().to_string()
}

pub(crate) fn points(space: &Space, rows: &[&[f64]]) -> Sample {
    Sample {
        design: None,
        rows: (0..rows.len() as u64).map(SampleRow::point).collect(),
        values: rows.concat(),
        parameters: space.parameters().len(),
    }
}
