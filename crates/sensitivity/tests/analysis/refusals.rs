//! What cannot be analysed as asked is refused with what was expected, what was found and what to do.

use onceflow_sensitivity::{AnalysisOptions, Outputs, RowRole, Sample, Technique, analyze};

use crate::designs::{Draw, empty, morris, push, saltelli, unit_space};

fn refusal(sample: &Sample, outputs: &Outputs, options: &AnalysisOptions) -> String {
    analyze(&unit_space(&["", ""]), sample, outputs, options).unwrap_err().to_string()
}

fn ones(sample: &Sample) -> Outputs {
    Outputs::single("y", vec![1.0; sample.len()])
}

fn designs() -> [Sample; 3] {
    let space = unit_space(&["", ""]);
    let mut points = empty(2);
    (0..10).for_each(|_| push(&mut points, RowRole::Point, 0, 0, &[0.1, 0.2]));
    [saltelli(&space, 4, false, 1, &mut Draw(1)), morris(&space, 4, false, &mut Draw(1)), points]
}

#[test]
fn a_sample_of_another_design_is_refused_by_its_roles() {
    let [saltelli, morris, points] = designs();
    let cases = [
        (
            &morris,
            Technique::Vbd,
            "saltelli design for vbd, found a row with the role `start`; to do: analyse this sample with morris",
        ),
        (
            &points,
            Technique::Vbd,
            "saltelli design for vbd, found a row with the role `point`; to do: analyse this sample with correlation",
        ),
        (
            &saltelli,
            Technique::Morris,
            "morris design for morris, found a row with the role `A`; to do: analyse this sample with vbd",
        ),
        (&points, Technique::Morris, "morris design for morris, found a row with the role `point`; to do: "),
    ];
    for (sample, technique, expected) in cases {
        let found = refusal(sample, &ones(sample), &AnalysisOptions::new(technique));
        assert!(found.starts_with(&format!("expected rows of a {expected}")), "{found}");
    }
}

#[test]
fn incomplete_designs_are_refused() {
    let drop = |sample: &Sample, role: RowRole| {
        let place = sample.rows.iter().rposition(|r| r.role == role).unwrap();
        let mut less = sample.clone();
        less.rows.remove(place);
        less.values.drain(place * 2..place * 2 + 2);
        less
    };
    let [saltelli, morris, _] = designs();
    let cases = [
        (drop(&saltelli, RowRole::Ab(1)), Technique::Vbd, "expected one row `AB:x2` in base row 3, found 0"),
        (drop(&saltelli, RowRole::B), Technique::Vbd, "expected one row `B` in base row 3, found 0"),
        (
            drop(&morris, RowRole::Step(0)),
            Technique::Morris,
            "expected one row `step:x1` in trajectory 3, found 0",
        ),
        (
            drop(&morris, RowRole::Start),
            Technique::Morris,
            "expected one row `start` in trajectory 3, found 0",
        ),
    ];
    for (sample, technique, expected) in cases {
        let found = refusal(&sample, &ones(&sample), &AnalysisOptions::new(technique));
        assert!(found.starts_with(expected), "{found}");
    }
    let mut twice = saltelli.clone();
    push(&mut twice, RowRole::A, 2, 0, &[0.0, 0.0]);
    let found = refusal(&twice, &ones(&twice), &AnalysisOptions::new(Technique::Vbd));
    assert!(found.starts_with("expected one row `A` in base row 2, found 2"), "{found}");
}

#[test]
fn a_factor_the_space_does_not_have_is_refused() {
    let [mut saltelli, mut morris, _] = designs();
    push(&mut saltelli, RowRole::Ab(9), 0, 0, &[0.0, 0.0]);
    push(&mut morris, RowRole::Step(9), 0, 0, &[0.0, 0.0]);
    for (sample, technique) in [(saltelli, Technique::Vbd), (morris, Technique::Morris)] {
        let found = refusal(&sample, &ones(&sample), &AnalysisOptions::new(technique));
        assert!(found.contains("expected a role of this space"), "{found}");
    }
}

#[test]
fn second_order_needs_its_rows() {
    let [saltelli, ..] = designs();
    let options = AnalysisOptions { second_order: true, ..AnalysisOptions::new(Technique::Vbd) };
    assert!(
        refusal(&saltelli, &ones(&saltelli), &options)
            .starts_with("expected rows BA of a second-order design")
    );
}

#[test]
fn lengths_must_agree() {
    let [saltelli, ..] = designs();
    let options = AnalysisOptions::new(Technique::Vbd);
    let short = Outputs::single("y", vec![1.0; 3]);
    assert!(
        refusal(&saltelli, &short, &options).starts_with("expected 16 row statuses in the outputs, found 3")
    );
    let mut short = ones(&saltelli);
    short.columns[0].pop();
    assert!(refusal(&saltelli, &short, &options).starts_with("expected 16 values of output `y`, found 15"));
    let mut broken = saltelli.clone();
    broken.values.pop();
    assert!(
        refusal(&broken, &ones(&saltelli), &options)
            .starts_with("expected 32 values in the sample, found 31")
    );
    let none = Outputs { names: vec![], columns: vec![], status: ones(&saltelli).status };
    assert!(refusal(&saltelli, &none, &options).starts_with("expected at least one row and one output"));
    assert!(
        refusal(&empty(2), &Outputs::single("y", vec![]), &options).contains("found 0 rows and 1 outputs")
    );
}

#[test]
fn outputs_without_any_number_are_refused() {
    let [saltelli, morris, _] = designs();
    for (sample, technique) in [(saltelli, Technique::Vbd), (morris, Technique::Morris)] {
        let outputs = Outputs::single("y", vec![f64::NAN; sample.len()]);
        let found = refusal(&sample, &outputs, &AnalysisOptions::new(technique));
        assert!(found.starts_with("expected at least one row with a finite `y`"), "{found}");
    }
}

#[test]
fn senseless_options_are_refused() {
    let [saltelli, ..] = designs();
    let plain = AnalysisOptions::new(Technique::Vbd);
    for options in [
        AnalysisOptions { confidence: 1.0, ..plain.clone() },
        AnalysisOptions { confidence: f64::NAN, ..plain.clone() },
        AnalysisOptions { threshold: -0.1, ..plain.clone() },
        AnalysisOptions { resamples: 1, ..plain.clone() },
        AnalysisOptions { resamples: usize::MAX, ..plain.clone() },
    ] {
        assert!(refusal(&saltelli, &ones(&saltelli), &options).contains("to do: change the option"));
    }
}
