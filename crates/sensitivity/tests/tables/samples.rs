//! Samples in the forms they are written in, ours and foreign.

use onceflow_sensitivity::{
    DakotaTable, OutputStatus, Outputs, RowRole, Sample, SampleFormat, SampleOptions, TableLayout,
    read_outputs, read_sample, write_sample,
};
use onceflow_study::{Domain, Parameter, Space};

use crate::{morris, nuclei, options, points, refuse, saltelli, space, unit};

#[test]
fn the_ask_file_is_for_people() {
    let space = nuclei();
    let mut rows = points(&space, &[&[5.0, 0.0, 0.1], &[10.0, 1.0, 0.25], &[5.0, 0.0, 0.1]]);
    rows.rows[1].role = RowRole::Ab(1);
    rows.rows[1].base = 3;
    rows.rows[2].duplicate_of = Some(0);
    assert_eq!(
        write_sample(&space, &rows, SampleFormat::Csv).unwrap(),
        "row,role,base,replicate,duplicate_of,G1,threshold,T 1\n\
         0,point,0,0,,5,otsu,0.1\n\
         1,AB:threshold,3,0,,10,\"a, \"\"b\"\"\",0.25\n\
         2,point,0,0,0,5,otsu,0.1\n"
    );
    assert!(
        write_sample(&space, &rows, SampleFormat::Dakota(DakotaTable::Annotated)).is_err(),
        "`T 1` has a space"
    );
    let plain = crate::space(vec![unit("x1"), unit("x2")]);
    let rows = points(&plain, &[&[0.5, 1.0], &[0.1, 0.0]]);
    let written = |form| write_sample(&plain, &rows, SampleFormat::Dakota(form)).unwrap();
    assert_eq!(written(DakotaTable::Annotated), "%eval_id interface x1 x2\n0 NO_ID 0.5 1\n1 NO_ID 0.1 0\n");
    assert_eq!(written(DakotaTable::Custom), "%eval_id x1 x2\n0 0.5 1\n1 0.1 0\n");
    assert_eq!(written(DakotaTable::Freeform), "0.5 1\n0.1 0\n");
    let matrix = write_sample(&plain, &rows, SampleFormat::Salib).unwrap();
    assert_eq!(matrix.lines().nth(1), Some("1.0000000000000001e-01 0.0000000000000000e+00"));
}

#[test]
fn columns_are_matched_by_name_in_any_order() {
    let space = crate::space(vec![unit("x1"), unit("x2")]);
    let expected = points(&space, &[&[0.5, 1.0], &[0.25, 0.0]]);
    for text in [
        "x2,x1\n1,0.5\n0,0.25\n",
        "row;x1;x2\n1;0.25;0\n0;0.5;1\n",
        "%eval_id interface x1 x2\n0 NO_ID .5 1.\n1 NO_ID 2.5e-1 0",
        "eval_id x2 x1\n0 1 .5\n1 0 .25",
        "0.5 1\n0.25 0",
        "# header of numpy\n0.5,1\n0.25,0\n",
        r#"{"rows": [{"row": 0, "values": {"x1": 0.5, "x2": 1}}, {"row": 1, "values": {"x2": 0, "x1": 0.25}}]}"#,
        r#"[{"x1": 0.5, "x2": 1}, {"x2": 0, "x1": 0.25}]"#,
    ] {
        assert_eq!(read_sample(&space, text, &SampleOptions::default()), Ok(expected.clone()), "{text}");
    }
    let both = "x1,x2,Y\n0.5,1,7\n0.25,0,8\n";
    assert!(
        refuse(&space, both, TableLayout::Points)
            .contains("line 1: a column is not a parameter of the problem")
    );
    let read =
        read_sample(&space, both, &SampleOptions { extra_columns: true, ..Default::default() }).unwrap();
    assert_eq!(read, expected);
    assert_eq!(read_outputs(&space, &read, both, &[]).unwrap(), Outputs::single("Y", vec![7.0, 8.0]));
}

#[test]
fn a_parameter_may_be_called_like_a_column() {
    let space = crate::space(vec![unit("base"), unit("row")]);
    let rows = points(&space, &[&[0.5, 1.0], &[0.25, 0.0]]);
    for format in [SampleFormat::Csv, SampleFormat::Json] {
        let text = write_sample(&space, &rows, format).unwrap();
        assert_eq!(read_sample(&space, &text, &SampleOptions::default()), Ok(rows.clone()), "{text}");
    }
    assert_eq!(read_sample(&space, "base,row\n.5,1\n.25,0", &SampleOptions::default()), Ok(rows));
}

#[test]
fn broken_samples_are_pointed_at() {
    let space = nuclei();
    let cases = [
        ("", "the table is empty"),
        ("G1,threshold,T 1\n", "the table has no rows"),
        (
            "G1,treshold,T 1\n5,otsu,0\n",
            "line 1: there is no column for `threshold`; expected a column `threshold`, found `treshold`; to do: rename the column `treshold` to `threshold`",
        ),
        (
            "G1,threshold,T 1,treshold\n5,otsu,0,0\n",
            "line 1: a column is not a parameter of the problem; expected only the parameters G1, threshold, T 1, found `treshold`; to do: did you mean `threshold`? remove one of both",
        ),
        ("G1,G1,threshold,T 1\n5,5,otsu,0\n", "repeated column"),
        (
            "G1,threshold,T 1\n5,otsu,0\n7,otsu,0\n",
            "line 3: this value of `G1` is not in the problem; expected 5 to 80 by steps of 5, found `7`",
        ),
        (
            "G1,threshold,T 1\n5,Otsu,0\n",
            "line 2: this value of `threshold` is not in the problem; expected one of otsu, a, \"b\", found `Otsu`; to do: write `otsu`",
        ),
        ("G1,threshold,T 1\n5,otsu,1.5\n", "expected 0 to 1, found `1.5`"),
        ("G1,threshold,T 1\n5,otsu,\n", "`T 1` has no value here; expected a number, found nothing"),
        (
            "G1,threshold,T 1\n5,otsu\n",
            "line 2: this line has another number of fields than the first; expected 3, found 2",
        ),
        (
            "row,G1,threshold,T 1\n1,5,otsu,0\n1,10,otsu,0\n",
            "line 3: repeated row; expected different row numbers, found row 1 here and on line 2",
        ),
        ("row,G1,threshold,T 1\nx,5,otsu,0\n", "line 2: `row` cannot be read"),
        ("role,G1,threshold,T 1\nAB:G2,5,otsu,0\n", "line 2: unknown role"),
        (
            "row,duplicate_of,G1,threshold,T 1\n0,,5,otsu,0\n1,0,10,otsu,0\n",
            "line 3: `duplicate_of` is wrong",
        ),
        ("5 0\n", "line 1: the matrix has the wrong width; expected 3 columns (G1, threshold, T 1), found 2"),
        ("{\"rows\": [\n{\"row\": 0, \"values\": {\"G1\": true}}]}", "line 2: this value cannot be read"),
        ("{\"rows\": [\n7]}", "line 2: this row cannot be read"),
        ("{\"row\": 7}", "there are no rows"),
        ("{", "line 1: "),
    ];
    for (text, expected) in cases {
        let refused = refuse(&space, text, TableLayout::Points);
        assert!(refused.contains(expected), "{text}: {refused}");
    }
}

#[test]
fn a_foreign_matrix_gets_its_roles_and_is_verified() {
    let space = crate::space(vec![
        unit("x1"),
        unit("x2"),
        Parameter { group: Some("g".into()), ..unit("x3") },
        Parameter { group: Some("g".into()), ..unit("x4") },
    ]);
    for second_order in [false, true] {
        let made = saltelli(&space, 4, second_order);
        let text = write_sample(&space, &made, SampleFormat::Salib).unwrap();
        let layout = TableLayout::Saltelli { second_order };
        let read = read_sample(&space, &text, &options(layout)).unwrap();
        assert_eq!(read, Sample { design: None, ..made });
        let other = refuse(&space, &text, TableLayout::Saltelli { second_order: !second_order });
        assert!(other.contains("wrong number of rows") || other.contains("mixed-up design"), "{other}");
        assert!(
            refuse(&space, &text, TableLayout::Morris).contains("mixed-up")
                || !text.lines().count().is_multiple_of(4)
        );
        let mut lines: Vec<&str> = text.lines().collect();
        lines.swap(1, 2);
        let swapped = refuse(&space, &lines.join("\n"), layout);
        assert!(
            swapped.starts_with("line 2: mixed-up design: row 1 is not the AB:x1 of rows 0 and"),
            "{swapped}"
        );
        let short = lines[1..].join("\n");
        assert!(refuse(&space, &short, layout).contains("the table has the wrong number of rows"));
    }
}

#[test]
fn trajectories_are_recognised_by_what_moves() {
    let space = crate::space(vec![unit("x1"), unit("x2"), unit("x3")]);
    let made = morris(&space, 5);
    let text = write_sample(&space, &made, SampleFormat::Salib).unwrap();
    let read = read_sample(&space, &text, &options(TableLayout::Morris)).unwrap();
    assert_eq!(read, Sample { design: None, ..made });
    let star = "0 0 0\n1 0 0\n0 1 0\n0 0 1\n";
    let roles: Vec<RowRole> = read_sample(&space, star, &options(TableLayout::Morris))
        .unwrap()
        .rows
        .iter()
        .map(|r| r.role)
        .collect();
    assert_eq!(roles, [RowRole::Start, RowRole::Step(0), RowRole::Step(1), RowRole::Step(2)]);
    let cases = [
        (
            "0 0 0\n1 0 0\n1 0 0\n1 0 1\n",
            "line 3: mixed-up design: this is not a step of a trajectory; expected one factor that differs from the row before, each factor once, found no difference",
        ),
        ("0 0 0\n1 0 0\n0.5 0 0\n1 0 1\n", "found `x1`, which moved before"),
        (
            "0 0 0\n1 1 0\n1 1 1\n1 0 1\n",
            "line 2: mixed-up design: this is not a step of a trajectory; expected one factor that differs from the row before, each factor once, found 2 parameters that differ: x1, x2",
        ),
        ("0 0 0\n1 0 0\n1 1 0\n", "expected a multiple of 4 rows (k + 1 for 3 factors), found 3"),
    ];
    for (text, expected) in cases {
        let refused = refuse(&space, text, TableLayout::Morris);
        assert!(refused.contains(expected), "{text}: {refused}");
    }
}

#[test]
fn edited_tables_with_roles_are_verified_too() {
    let space = crate::space(vec![unit("x1"), unit("x2")]);
    let text = "row,role,base,x1,x2\n0,A,0,0.1,0.2\n1,AB:x1,0,0.8,0.2\n2,AB:x2,0,0.1,0.7\n3,B,0,0.8,0.7\n";
    assert!(read_sample(&space, text, &SampleOptions::default()).is_ok());
    let edited = text.replace("2,AB:x2,0,0.1,0.7", "2,AB:x2,0,0.1,0.75");
    assert_eq!(
        refuse(&space, &edited, TableLayout::Points),
        "line 4: mixed-up design: row 2 is not the AB:x2 of rows 0 and 3; expected `x2` as in row 0 (0.2) or, in the factor, row 3 (0.7), found 0.75; to do: give the table that the sampler wrote, unsorted and with all its rows"
    );
}

/// The form of a run's own table: phases, status and outputs beside the parameters, and a reference row whose
/// defaults need not be values of the ranges.
#[test]
fn the_rows_of_a_run_are_a_sample_and_its_outputs() {
    let space = crate::space(vec![
        Parameter::new("G1", Domain::Steps { from: 5.0, to: 80.0, step: 5.0 }),
        Parameter::new("minSize", Domain::Steps { from: 2.0, to: 40.0, step: 2.0 }),
    ]);
    let text = "row,phase,role,base,status,G1,minSize,dice,change\n\
                0,,reference,0,ok,80,11,0.5747,0\n\
                1,screen,start,0,ok,60,38,0.6196,71159\n\
                2,screen,step:minSize,0,failed,60,18,,\n\
                3,screen,step:G1,0,ok,20,18,0.6,\n";
    let read =
        read_sample(&space, text, &SampleOptions { extra_columns: true, ..Default::default() }).unwrap();
    let roles: Vec<RowRole> = read.rows.iter().map(|r| r.role).collect();
    assert_eq!(roles, [RowRole::Reference, RowRole::Start, RowRole::Step(1), RowRole::Step(0)]);
    let outputs = read_outputs(&space, &read, text, &[]).unwrap();
    assert_eq!(outputs.names, ["dice", "change"]);
    assert_eq!(outputs.status, [OutputStatus::Ok, OutputStatus::Ok, OutputStatus::Failed, OutputStatus::Ok]);
    assert!(outputs.columns[1][3].is_nan());
    let moved = text.replace("1,screen,start,0,ok,60,38", "1,screen,start,0,ok,60,39");
    assert!(
        read_sample(&space, &moved, &SampleOptions { extra_columns: true, ..Default::default() }).is_err()
    );
}

#[test]
fn outputs_beside_parameters_of_another_sample_are_refused() {
    let space = nuclei();
    let rows = points(&space, &[&[5.0, 0.0, 0.1], &[10.0, 1.0, 0.25]]);
    let read = |text: &str| read_outputs(&space, &rows, text, &[]).map_err(|error| error.to_string());
    let expected = Ok(Outputs::single("Y", vec![7.0, 8.0]));
    assert_eq!(read("row,G1,threshold,T 1,Y\n1,10,\"a, \"\"b\"\"\",0.25001,8\n0,5,otsu,,7\n"), expected);
    assert_eq!(
        read("row,G1,T 1,Y\n0,5,0.1,7\n1,10,0.35,8\n").unwrap_err(),
        "line 3: row 1 was run with another `T 1` than the sample has; expected 0.25 as in the sample, found 0.35; to do: give the sample that was run; or, if the model rounds its parameters, leave their columns out"
    );
    let word = read("threshold,Y\notsu,7\notsu,8\n").unwrap_err();
    assert!(word.contains("row 1 was run with another `threshold`"), "{word}");
}

/// Samples that SALib 1.6.0 made (N = 2, seed 1) and numpy or SALib's command line printed.
#[test]
fn salibs_own_samples_are_recognised() {
    let pi = std::f64::consts::PI;
    let angle = |name: &str| Parameter::new(name, Domain::Continuous { from: -pi, to: pi });
    let angles = space(vec![angle("x1"), angle("x2"), angle("x3")]);
    let grouped = |name: &str, group: &str| Parameter { group: Some(group.into()), ..unit(name) };
    let groups = space(vec![grouped("x1", "g"), grouped("x2", "g"), grouped("x3", "h")]);
    let roles = |space: &Space, text: &str, layout: TableLayout| -> Vec<String> {
        let read = read_sample(space, text, &options(layout)).unwrap();
        read.rows.iter().map(|row| format!("{} {}", row.base, row.role.text(space))).collect()
    };
    let second = roles(&angles, SOBOL_SECOND_ORDER, TableLayout::Saltelli { second_order: true });
    let block = |base: u64, words: &[&str]| words.iter().map(|w| format!("{base} {w}")).collect::<Vec<_>>();
    assert_eq!(second, block(0, &["A", "AB:x1", "AB:x2", "AB:x3", "BA:x1", "BA:x2", "BA:x3", "B"]));
    let first = roles(&angles, SOBOL_FIRST_ORDER, TableLayout::Saltelli { second_order: false });
    assert_eq!(first[5..], block(1, &["A", "AB:x1", "AB:x2", "AB:x3", "B"]));
    let steps = roles(&angles, MORRIS, TableLayout::Morris);
    assert_eq!(steps[..4], block(0, &["start", "step:x1", "step:x2", "step:x3"]));
    assert_eq!(steps[4..], block(1, &["start", "step:x3", "step:x2", "step:x1"]));
    assert_eq!(
        roles(&groups, MORRIS_GROUPS, TableLayout::Morris)[3..],
        block(1, &["start", "step:h", "step:g"])
    );
    let grouped = roles(&groups, SOBOL_GROUPS, TableLayout::Saltelli { second_order: false });
    assert_eq!(grouped[..4], block(0, &["A", "AB:g", "AB:h", "B"]));
}

const SOBOL_SECOND_ORDER: &str = "-2.164775252447039833e+00 5.576158965631665687e-01 6.756445836288818008e-01
-1.618548600303046925e+00 5.576158965631665687e-01 6.756445836288818008e-01
-2.164775252447039833e+00 2.172030969168193160e+00 6.756445836288818008e-01
-2.164775252447039833e+00 5.576158965631665687e-01 -1.491875846297247232e+00
-2.164775252447039833e+00 2.172030969168193160e+00 -1.491875846297247232e+00
-1.618548600303046925e+00 5.576158965631665687e-01 -1.491875846297247232e+00
-1.618548600303046925e+00 2.172030969168193160e+00 6.756445836288818008e-01
-1.618548600303046925e+00 2.172030969168193160e+00 -1.491875846297247232e+00
";
const SOBOL_FIRST_ORDER: &str = "-2.16477525e+00,5.57615897e-01,6.75644584e-01
-1.61854860e+00,5.57615897e-01,6.75644584e-01
-2.16477525e+00,2.17203097e+00,6.75644584e-01
-2.16477525e+00,5.57615897e-01,-1.49187585e+00
-1.61854860e+00,2.17203097e+00,-1.49187585e+00
1.20299727e+00,-1.00623789e+00,-6.30567853e-01
8.08674706e-01,-1.00623789e+00,-6.30567853e-01
1.20299727e+00,-5.22267606e-01,-6.30567853e-01
1.20299727e+00,-1.00623789e+00,2.67349959e+00
8.08674706e-01,-5.22267606e-01,2.67349959e+00
";
const MORRIS: &str = "3.14159265e+00 1.04719755e+00 -3.14159265e+00
-1.04719755e+00 1.04719755e+00 -3.14159265e+00
-1.04719755e+00 -3.14159265e+00 -3.14159265e+00
-1.04719755e+00 -3.14159265e+00 1.04719755e+00
1.04719755e+00 -1.04719755e+00 3.14159265e+00
1.04719755e+00 -1.04719755e+00 -1.04719755e+00
1.04719755e+00 3.14159265e+00 -1.04719755e+00
-3.14159265e+00 3.14159265e+00 -1.04719755e+00
";
const MORRIS_GROUPS: &str = "0.00000000e+00 0.00000000e+00 3.33333333e-01
6.66666667e-01 6.66666667e-01 3.33333333e-01
6.66666667e-01 6.66666667e-01 1.00000000e+00
6.66666667e-01 6.66666667e-01 3.33333333e-01
6.66666667e-01 6.66666667e-01 1.00000000e+00
0.00000000e+00 0.00000000e+00 1.00000000e+00
";
const SOBOL_GROUPS: &str = "1.55465318e-01 5.88747326e-01 6.07532175e-01
2.42399990e-01 8.45689465e-01 6.07532175e-01
1.55465318e-01 5.88747326e-01 2.62560585e-01
2.42399990e-01 8.45689465e-01 2.62560585e-01
";
