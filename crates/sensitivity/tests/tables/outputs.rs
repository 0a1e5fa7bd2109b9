//! Outputs: matched by row number or order, with failures in any wording.

use onceflow_sensitivity::{OutputStatus, Outputs, SampleOptions, TableError, read_outputs, read_sample};

use crate::{points, space, unit};

fn tell(text: &str) -> Result<Outputs, String> {
    let space = space(vec![unit("x1"), unit("x2")]);
    let rows = points(&space, &[&[0.5, 1.0], &[0.25, 0.0], &[0.125, 0.0]]);
    read_outputs(&space, &rows, text, &[]).map_err(|error| error.to_string())
}

fn same(a: &Outputs, b: &Outputs) -> bool {
    let bits = |o: &Outputs| o.columns.iter().flatten().map(|y| y.to_bits()).collect::<Vec<_>>();
    a.names == b.names && a.status == b.status && bits(a) == bits(b)
}

#[test]
fn outputs_are_matched_by_row() {
    let expected = Outputs::single("Y", vec![1.5, 2.0, -3.0]);
    for text in [
        "row,Y\n0,1.5\n1,2\n2,-3\n",
        "Y,row,status\n-3,2,ok\n2,1,\n1.5,0.0,OK\n",
        "row,x1,x2,Y\n0,0.5,1,1.5\n1,0.25,0,2\n2,0.125,0,-3\n2,0.125,0,-3\n",
        "1.5\n2\n-3\n",
        "Y\n1.5\n2.0\n-3\n",
        "0.5 1 1.5\n0.25 0 2\n0.125 0 -3\n",
        "%eval_id interface x1 x2 Y\n0 NO_ID 0.5 1 1.5\n1 NO_ID 0.25 0 2\n2 NO_ID 0.125 0 -3\n",
        r#"{"rows": [{"row": 0, "Y": 1.5}, {"row": 2, "Y": -3}, {"row": 1, "Y": 2, "status": "ok"}]}"#,
        r#"{"version": 1, "rows": [{"row": 0, "values": {"x1": 0.5}, "outputs": {"Y": 1.5}}, {"row": 2, "outputs": {"Y": -3}}, {"row": 1, "outputs": {"Y": 2}}]}"#,
    ] {
        assert_eq!(tell(text), Ok(expected.clone()), "{text}");
    }
    let two = tell("row,dice,jaccard\n2,1,2\n0,3,4\n1,5,6\n").unwrap();
    assert_eq!(
        (two.names, two.columns),
        (vec!["dice".into(), "jaccard".into()], vec![vec![3.0, 5.0, 1.0], vec![4.0, 6.0, 2.0]])
    );
    assert_eq!(tell("1 2\n3 4\n5 6\n").unwrap().names, ["Y1", "Y2"]);
}

#[test]
fn failures_and_missing_rows_are_counted() {
    let nan = f64::NAN;
    let expected = |values: [f64; 3], status: [OutputStatus; 3]| Outputs {
        names: vec!["Y".into()],
        columns: vec![values.to_vec()],
        status: status.to_vec(),
    };
    let cases = [
        (
            "row,Y\n2,1\n",
            expected([nan, nan, 1.0], [OutputStatus::Missing, OutputStatus::Missing, OutputStatus::Ok]),
        ),
        ("row,Y\n0,\n1,nan\n2,inf\n", expected([nan; 3], [OutputStatus::Failed; 3])),
        (
            "row,Y,status\n0,7,failed\n1,8,Error\n2,9,missing\n",
            expected([nan; 3], [OutputStatus::Failed, OutputStatus::Failed, OutputStatus::Missing]),
        ),
        (
            "1\nnan\nfailed\n",
            expected([1.0, nan, nan], [OutputStatus::Ok, OutputStatus::Failed, OutputStatus::Failed]),
        ),
        (
            r#"{"rows": [{"row": 1, "Y": null}, {"row": 0, "Y": "nan"}]}"#,
            expected([nan; 3], [OutputStatus::Failed, OutputStatus::Failed, OutputStatus::Missing]),
        ),
    ];
    for (text, expected) in cases {
        let read = tell(text).unwrap();
        assert!(same(&read, &expected), "{text}: {read:?}");
    }
    let half = tell("row,a,b\n0,1,\n1,2,3\n2,,\n").unwrap();
    assert_eq!(
        half.status,
        [OutputStatus::Ok, OutputStatus::Ok, OutputStatus::Failed],
        "a row with one of two outputs has not failed"
    );
}

#[test]
fn a_missing_row_takes_the_answer_of_the_row_it_repeats() {
    let space = space(vec![unit("x1")]);
    let rows = read_sample(&space, "x1\n0.5\n0.25\n0.5\n", &SampleOptions::default()).unwrap();
    assert_eq!(rows.rows[2].duplicate_of, Some(0));
    let read = read_outputs(&space, &rows, "row,Y\n0,4\n1,5\n", &[]).unwrap();
    assert_eq!(read, Outputs::single("Y", vec![4.0, 5.0, 4.0]));
}

#[test]
fn broken_outputs_are_pointed_at() {
    let cases = [
        (
            "row,Y\n0,1\n7,2\n9,3\n",
            "line 3: these rows are not in the sample; expected row numbers of the sample, found 7, 9; to do: give the sample that was run, or remove these lines",
        ),
        (
            "row,Y\n0,1\n0,2\n",
            "line 3: row 0 is answered twice; expected one answer for each row, found other values on lines 2 and 3",
        ),
        ("row,Y\n0,abc\n", "line 2: `Y` cannot be read; expected a number, found `abc`"),
        ("row,Y\n0.5,1\n", "`row` cannot be read"),
        ("row,Y,status\n0,1,perhaps\n", "line 2: unknown status"),
        ("row,x1\n0,1\n", "line 1: there is no output"),
        (
            "1\n2\n",
            "the outputs do not fit the sample; expected 3 lines, one for each row of the sample in its order, found 2; to do: add a column `row`",
        ),
        ("Y\n1\n2\n3\n4\n", "found 4"),
        ("", "the table is empty"),
    ];
    for (text, expected) in cases {
        let refused = tell(text).unwrap_err();
        assert!(refused.contains(expected), "{text}: {refused}");
    }
}

#[test]
fn outputs_can_be_chosen_by_name() {
    let space = space(vec![unit("x1")]);
    let rows = points(&space, &[&[0.5]]);
    let read = |text: &str, names: &[&str]| {
        let names: Vec<String> = names.iter().map(|n| (*n).to_owned()).collect();
        read_outputs(&space, &rows, text, &names)
    };
    assert_eq!(read("row,image,dice\n0,breast,1\n", &["dice"]), Ok(Outputs::single("dice", vec![1.0])));
    assert_eq!(read("1\n", &["dice"]).unwrap().names, ["dice"]);
    let message = |result: Result<Outputs, TableError>| result.unwrap_err().to_string();
    assert!(message(read("row,Dice\n0,1\n", &["dice"])).contains("rename the column `Dice`, or ask for it"));
    assert!(message(read("1 2\n", &["dice"])).contains("expected 1 columns (dice), found 2"));
    assert!(
        message(read("row,image,dice\n0,breast,1\n", &[]))
            .contains("name the outputs if this column is none")
    );
}

/// A short text must not become a table of a trillion empty fields.
#[test]
fn rows_without_common_keys_are_no_table() {
    let rows: Vec<String> = (0..5000).map(|i| format!("{{\"k{i}\": 1}}")).collect();
    let refused = tell(&format!("[{}]", rows.join(","))).unwrap_err();
    assert!(refused.contains("expected rows with the same keys, found 5000 different keys in 5000 rows"));
}
