//! Tables of rows and results, in every form they are recognised in.
#![no_main]

use libfuzzer_sys::fuzz_target;
use onceflow_sensitivity::{TableLayout, SampleOptions, read_outputs, read_sample, sample};
use onceflow_study::{Design, Domain, Method, Parameter, Space};

fuzz_target!(|text: &str| {
    let words = Domain::Categories(vec!["one".into(), "two".into()]);
    let parameters =
        vec![Parameter::new("a", Domain::Integers { from: 0, to: 3 }), Parameter::new("b", words)];
    let space = Space::new(parameters, Vec::new()).expect("a valid space");
    for layout in [TableLayout::Points, TableLayout::Morris, TableLayout::Saltelli { second_order: true }] {
        let _ = read_sample(&space, text, &SampleOptions { layout, extra_columns: true });
    }
    let design = Design { method: Method::MonteCarlo { rows: 4 }, seed: 1 };
    let rows = sample(&space, &design).expect("four rows");
    let _ = read_outputs(&space, &rows, text, &[]);
});
