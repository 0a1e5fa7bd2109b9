//! The tables, read back by another program.

use csv::StringRecord;
use onceflow_report::{Answer, ImageRecord, RowStatus, metrics_csv, rows_csv};

use crate::made_up::two_phases;

fn read(text: &str) -> (StringRecord, Vec<StringRecord>) {
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let header = reader.headers().unwrap().clone();
    (header, reader.records().map(Result::unwrap).collect())
}

fn number(field: &str) -> Option<f64> {
    (!field.is_empty()).then(|| field.parse().unwrap())
}

#[test]
fn every_row_reads_back_bit_for_bit() {
    let answer = two_phases();
    let (header, records) = read(&rows_csv(&answer));
    let names = "row,phase,role,base,status,blue,T1,G1,minSize,maxSize,G2,connectivity,dice,change,density";
    assert_eq!(header.iter().collect::<Vec<_>>().join(","), names);
    assert_eq!(records.len(), answer.table.rows.len());
    for (record, row) in records.iter().zip(&answer.table.rows) {
        assert_eq!(record[0].parse::<u64>().unwrap(), row.row);
        assert_eq!(record[1], *row.phase.as_deref().unwrap_or(""));
        assert_eq!((&record[2], record[3].parse::<u64>().unwrap()), (row.role.as_str(), row.base));
        let failed = matches!(row.status, RowStatus::Failed { .. });
        assert_eq!(&record[4], if failed { "failed" } else { "ok" });
        let values: Vec<Option<f64>> = record.iter().skip(5).map(number).collect();
        let expected = row.values.iter().map(|v| v.as_f64()).chain(row.metrics.iter().copied());
        assert_eq!(values, expected.collect::<Vec<_>>());
    }
    assert!(records.iter().any(|r| &r[4] == "failed" && r[12].is_empty()), "the test needs failures");
}

#[test]
fn every_image_has_its_line_and_no_truth_is_empty() {
    let answer = two_phases();
    let (header, records) = read(&metrics_csv(&answer));
    assert_eq!(header.iter().collect::<Vec<_>>(), ["row", "image", "status", "dice", "change", "density"]);
    assert_eq!(records.len(), 2 * answer.table.rows.len());
    let lines = answer.table.rows.iter().flat_map(|row| row.images.iter().map(move |image| (row.row, image)));
    for (record, (row, image)) in records.iter().zip(lines) {
        assert_eq!(record[0].parse::<u64>().unwrap(), row);
        let metrics: Vec<Option<f64>> = record.iter().skip(3).map(number).collect();
        assert_eq!(metrics, image.metrics);
    }
    assert_eq!((&records[1][1], &records[1][3]), ("kidney-04", ""));
}

/// Names with everything that CSV finds special, tiny numbers, and a row that a task ended.
#[test]
fn odd_names_and_numbers_survive() {
    let mut answer: Answer = two_phases();
    answer.table.parameters[0] = "blue, \"light\"\nchannel".into();
    answer.table.images[0] = "a,b".into();
    let row = &mut answer.table.rows[0];
    row.status = RowStatus::Ended("no_candidates".into());
    row.metrics = vec![Some(1.234_567_890_123_456_7e-300), Some(f64::NAN), Some(0.1 + 0.2)];
    row.images[0] = ImageRecord {
        status: RowStatus::Ended("background".into()),
        metrics: vec![Some(-0.0), None, Some(1e22)],
        objects: None,
    };
    let (header, records) = read(&rows_csv(&answer));
    assert_eq!(&header[5], "blue, \"light\"\nchannel");
    assert_eq!(&records[0][4], "no_candidates");
    let metrics: Vec<Option<f64>> = records[0].iter().skip(12).map(number).collect();
    assert_eq!(metrics, [Some(1.234_567_890_123_456_7e-300), None, Some(0.1 + 0.2)]);
    let (_, records) = read(&metrics_csv(&answer));
    assert_eq!((&records[0][1], &records[0][2], &records[0][5]), ("a,b", "background", "1e22"));
}
