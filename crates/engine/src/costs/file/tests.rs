use onceflow_study::OpSpec;
use proptest::prelude::*;

use super::*;

fn record(operation: &str, pixels: u64, seconds: f64) -> Record {
    let (operation, device) = (operation.into(), "cpu x".into());
    Record { operation, version: 1, device, pixels, seconds, output_bytes: 3, scratch_bytes: 0, reuse: None }
}

fn many(count: usize) -> Vec<Record> {
    (0..count).map(|n| record("x", 1000, 1.0 + n as f64 / count as f64)).collect()
}

fn folder() -> tempfile::TempDir {
    tempfile::tempdir().unwrap()
}

#[test]
fn runs_add_to_what_earlier_ones_left() {
    let folder = folder();
    let file = CostsFile::new(folder.path().join("a/b/costs.jsonl"));
    assert!(
        file.load().costs.is_empty() && file.load().warning.is_none(),
        "nothing yet is no reason to speak"
    );
    assert_eq!(file.add(&many(5), &[]), None);
    let first = fs::read_to_string(file.path()).unwrap();
    assert_eq!(file.add(&many(1000), &[]), None);
    let both = fs::read_to_string(file.path()).unwrap();
    assert!(both.starts_with(&first));
    let loaded = file.load();
    assert_eq!((loaded.costs.len(), loaded.warning), ((5 + MOST_ADDED) as u64, None));
    assert_eq!(file.add(&[], &[]), None);
    assert_eq!(fs::read_to_string(file.path()).unwrap(), both);
    let finding = Finding { operation: "a".into(), version: 1, met: 8, same: 2, seconds: 4.0, saved: 3.0 };
    assert_eq!(file.add(&[], &[finding]), None);
    let found = file.load().costs.found(&OpSpec::new("a", "", 1.0));
    assert_eq!((found.same_seen(), found.saved_seen()), (0.25, 0.75));
}

#[test]
fn what_is_remembered_says_what_all_of_it_would() {
    let folder = folder();
    let file = CostsFile::new(folder.path().join("costs.jsonl"));
    assert_eq!(file.add(&many(999), &[]), None);
    let estimate = file.load().costs.estimate(&OpSpec::new("x", "", 1.0), "cpu x", 1000);
    for (found, expected) in [(estimate.low, 1.25), (estimate.seconds, 1.5), (estimate.high, 1.75)] {
        assert!((found - expected).abs() < 0.03, "{estimate:?}");
    }
}

#[test]
fn torn_and_foreign_lines_are_left_out_and_counted() {
    let folder = folder();
    let file = CostsFile::new(folder.path().join("costs.jsonl"));
    let line = record("x", 1, 1.0).to_line();
    let long = format!("{{\"a\":\"{}\"}}", "x".repeat(MOST_LINE));
    let mut bytes = format!("{line}\n\nname,value\n{line}\r\n{long}\n").into_bytes();
    bytes.extend_from_slice(b"\xff\xfe\n");
    bytes.extend_from_slice(&line.as_bytes()[..30]);
    fs::write(file.path(), &bytes).unwrap();
    let loaded = file.load();
    assert_eq!(loaded.costs.len(), 2);
    let warning = loaded.warning.unwrap();
    assert!(warning.starts_with("4 of 6 lines of ") && warning.ends_with("were left out"), "{warning}");
    assert_eq!(file.add(&many(1), &[]), None);
    assert_eq!(file.load().costs.len(), 3, "a new line does not go on where half of one ended");
}

#[test]
fn only_the_newest_part_of_a_large_file_is_read() {
    let folder = folder();
    let file = CostsFile::new(folder.path().join("costs.jsonl"));
    let line = record("old", 1, 1.0).to_line() + "\n";
    let old = line.repeat(MOST_READ as usize / line.len() + 10);
    fs::write(file.path(), old).unwrap();
    assert_eq!(file.add(&many(1), &[]), None);
    let loaded = file.load();
    assert_eq!(loaded.warning, None, "the line in the middle of which reading begins is no torn one");
    assert!(loaded.costs.len() <= MOST_READ / line.len() as u64);
    let newest = loaded.costs.estimate(&OpSpec::new("x", "", 1.0), "cpu x", 1000);
    assert!((newest.seconds - 1.0).abs() < 1e-9);
}

#[test]
fn what_cannot_be_read_or_written_is_said() {
    let folder = folder();
    let is_folder = CostsFile::new(folder.path());
    assert!(is_folder.load().warning.unwrap().contains("costs of earlier runs cannot be read"));
    assert!(is_folder.add(&many(1), &[]).unwrap().contains("cannot be remembered"));
    fs::write(folder.path().join("file"), "").unwrap();
    let below_a_file = CostsFile::new(folder.path().join("file/costs.jsonl"));
    assert!(below_a_file.load().warning.is_some());
    assert!(below_a_file.add(&many(1), &[]).is_some());
}

#[test]
fn two_runs_at_once_tear_no_line() {
    let folder = folder();
    let file = CostsFile::new(folder.path().join("costs.jsonl"));
    std::thread::scope(|scope| {
        for name in ["a", "b", "c", "d"] {
            let file = &file;
            scope.spawn(move || {
                let records: Vec<Record> = (1..=40).map(|n| record(name, 1 << (n % 20), 1.0)).collect();
                (0..20).for_each(|_| assert_eq!(file.add(&records, &[]), None));
            });
        }
    });
    let loaded = file.load();
    assert_eq!((loaded.costs.len(), loaded.warning), (4 * 20 * 40, None));
}

proptest! {
    #[test]
    fn no_bytes_do_harm(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
        let loaded = CostsFile::new("x").read(&bytes);
        prop_assert!(loaded.costs.is_empty() || loaded.costs.len() < 10);
    }
}
