//! What is written is read, whatever the names and words; what is broken is refused without a panic.

use onceflow_sensitivity::{
    DakotaTable, OutputStatus, Sample, SampleFormat, SampleOptions, TableLayout, read_outputs, read_sample,
    sample, write_sample,
};
use onceflow_study::{Design, Domain, Method, MorrisDesign, Parameter, SaltelliDesign, Space, Trajectories};
use proptest::prelude::*;

use crate::space;

fn domain(word: &'static str) -> impl Strategy<Value = Domain> {
    prop_oneof![
        (-1e3..1e3f64, 1e-3..1e3f64).prop_map(|(from, width)| Domain::Continuous { from, to: from + width }),
        (-50i64..50, 1i64..50).prop_map(|(from, width)| Domain::Integers { from, to: from + width }),
        (-20..20i32, 1..9i32, 3..40i32).prop_map(|(from, step, count)| Domain::Steps {
            from: f64::from(from) / 10.0,
            to: f64::from(from + step * count) / 10.0,
            step: f64::from(step) / 10.0,
        }),
        prop::collection::btree_set(-500i32..500, 2..6)
            .prop_map(|v| Domain::Values(v.into_iter().map(|x| f64::from(x) / 8.0).collect())),
        prop::collection::btree_set(word, 2..5).prop_map(|w| Domain::Categories(w.into_iter().collect())),
    ]
}

fn any_space(name: &'static str, word: &'static str) -> impl Strategy<Value = Space> {
    let names = prop::collection::btree_set(name, 1..5);
    let rest = prop::collection::vec((domain(word), prop::option::weighted(0.3, "(early|late)")), 5);
    (names, rest).prop_map(|(names, rest)| {
        let parameter = |(name, (domain, group)): (String, (Domain, Option<String>))| Parameter {
            group,
            ..Parameter::new(format!("p{name}"), domain)
        };
        space(names.into_iter().zip(rest).map(parameter).collect())
    })
}

const STRANGE_NAME: &str = "[A-Za-z0-9_,; \"é]{0,6}[a-z0-9]";
const STRANGE_WORD: &str = "[a-z%#;, \"\\n']{0,4}[a-z]";

fn any_sample(name: &'static str, word: &'static str) -> impl Strategy<Value = (Space, Sample)> {
    let method = prop_oneof![
        (1u64..6).prop_map(|rows| Method::MonteCarlo { rows }),
        (1u64..4).prop_map(|trajectories| Method::Morris(MorrisDesign {
            trajectories,
            values: 4,
            kind: Trajectories::Plain
        })),
        (1u64..4, any::<bool>(), 1u64..3).prop_map(|(base, second_order, replicates)| {
            Method::Saltelli(SaltelliDesign { base: base * replicates, second_order, replicates })
        }),
    ];
    (any_space(name, word), method, any::<u64>()).prop_map(|(space, method, seed)| {
        let made = sample(&space, &Design { method, seed }).unwrap();
        (space, made)
    })
}

/// Whether the first row holds the name of every parameter.
fn reads_like_a_header(space: &Space, made: &Sample) -> bool {
    let first: Vec<String> = (0..made.parameters).map(|at| made.value(space, 0, at).to_string()).collect();
    space.parameters().iter().all(|parameter| first.contains(&parameter.name))
}

proptest! {
    #[test]
    fn what_is_written_is_read((space, made) in any_sample(STRANGE_NAME, STRANGE_WORD)) {
        let csv = write_sample(&space, &made, SampleFormat::Csv).unwrap();
        let read = read_sample(&space, &csv, &SampleOptions::default());
        prop_assert_eq!(read, Ok(Sample { design: None, ..made.clone() }), "{}", csv);
        let json = write_sample(&space, &made, SampleFormat::Json).unwrap();
        prop_assert_eq!(read_sample(&space, &json, &SampleOptions::default()), Ok(made.clone()), "{}", json);
        let matrix = write_sample(&space, &made, SampleFormat::Salib).unwrap();
        let read = read_sample(&space, &matrix, &SampleOptions::default()).unwrap();
        prop_assert_eq!(&read.values, &made.values);
    }

    #[test]
    fn dakotas_tables_come_back((space, made) in any_sample("[A-Za-z0-9_]{0,6}", "[a-z_]{1,5}")) {
        for form in [DakotaTable::Annotated, DakotaTable::Custom, DakotaTable::Freeform] {
            let text = match write_sample(&space, &made, SampleFormat::Dakota(form)) {
                Ok(text) => text,
                Err(error) => {
                    prop_assert!(form == DakotaTable::Freeform && reads_like_a_header(&space, &made), "{}", error);
                    continue;
                }
            };
            let read = read_sample(&space, &text, &SampleOptions::default()).unwrap();
            prop_assert_eq!(&read.values, &made.values, "{}", text);
        }
    }

    #[test]
    fn answers_come_back((space, made) in any_sample(STRANGE_NAME, STRANGE_WORD), missing in any::<prop::sample::Index>(), shift in 0usize..5) {
        let y: Vec<f64> = (0..made.len()).map(|i| (i as f64).sin() / 3.0).collect();
        let lost = missing.index(made.len());
        let mut lines: Vec<String> = (0..made.len()).filter(|i| *i != lost).map(|i| format!("{},{}\n", made.rows[i].id, y[i])).collect();
        let turn = shift % lines.len().max(1);
        lines.rotate_left(turn);
        let read = read_outputs(&space, &made, &format!("row,Y\n{}", lines.concat()), &[]);
        prop_assume!(made.len() > 1);
        let read = read.unwrap();
        for i in (0..made.len()).filter(|i| *i != lost) {
            prop_assert_eq!((read.columns[0][i], read.status[i]), (y[i], OutputStatus::Ok));
        }
        let expected = if made.rows[lost].duplicate_of.is_some() { OutputStatus::Ok } else { OutputStatus::Missing };
        prop_assert_eq!(read.status[lost], expected);
    }

    #[test]
    fn mutated_tables_are_refused_without_a_panic((space, made) in any_sample(STRANGE_NAME, STRANGE_WORD), cuts in prop::collection::vec((any::<prop::sample::Index>(), "\\PC{0,3}|[0-9,;\\n\"#%{}\\[\\]:.e\\-]{1,4}"), 1..5)) {
        for format in [SampleFormat::Csv, SampleFormat::Json, SampleFormat::Salib] {
            let mut text: Vec<char> = write_sample(&space, &made, format).unwrap().chars().collect();
            for (at, put) in &cuts {
                let at = at.index(text.len());
                text.splice(at..(at + put.chars().count() / 2).min(text.len()), put.chars());
            }
            let text: String = text.into_iter().collect();
            for layout in [TableLayout::Points, TableLayout::Morris, TableLayout::Saltelli { second_order: true }] {
                for extra_columns in [false, true] {
                    let _ = read_sample(&space, &text, &SampleOptions { layout, extra_columns });
                }
            }
            let _ = read_outputs(&space, &made, &text, &[]);
        }
    }
}

#[test]
fn a_first_row_that_reads_like_a_header_is_not_written_without_one() {
    let words = Domain::Categories(vec!["_".into(), "p".into()]);
    let space = space(vec![Parameter::new("p", words)]);
    let made = sample(&space, &Design { method: Method::MonteCarlo { rows: 9 }, seed: 1 }).unwrap();
    let first = (0..9).find(|row| made.value(&space, *row, 0).to_string() == "p").unwrap();
    let made = Sample { rows: made.rows[first..].to_vec(), values: made.values[first..].to_vec(), ..made };
    let error = write_sample(&space, &made, SampleFormat::Dakota(DakotaTable::Freeform)).unwrap_err();
    assert!(error.to_string().contains("looks like a header"), "{error}");
    let text = write_sample(&space, &made, SampleFormat::Dakota(DakotaTable::Custom)).unwrap();
    assert_eq!(read_sample(&space, &text, &SampleOptions::default()).unwrap().values, made.values);
}
