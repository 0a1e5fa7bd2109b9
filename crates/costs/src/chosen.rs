//! The records of a run that are worth remembering: a few for each operation, device, size and level of reuse.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use crate::Record;
use crate::size::size_class;

/// At most so many records of each operation, version, device, size and level of reuse. They are chosen evenly from the
/// cheapest to the dearest, so that means and quartiles stay about what they are; the order of the records does not matter.
pub fn chosen(records: &[Record], most: usize) -> Vec<&Record> {
    let mut groups: BTreeMap<_, Vec<&Record>> = BTreeMap::new();
    for record in records {
        let size = size_class(record.pixels);
        let key = (&record.operation, record.version, &record.device, size, &record.reuse);
        groups.entry(key).or_default().push(record);
    }
    groups.into_values().flat_map(|group| evenly(group, most)).collect()
}

fn evenly(mut group: Vec<&Record>, most: usize) -> Vec<&Record> {
    group.sort_by(|a, b| by_cost(a, b));
    let count = group.len().min(most);
    // The middles of as many shares of equal size.
    (0..count).map(|place| group[(2 * place + 1) * group.len() / (2 * count)]).collect()
}

/// Records that are equal in this order are equal.
fn by_cost(a: &Record, b: &Record) -> Ordering {
    let bytes = |r: &Record| (r.pixels, r.output_bytes, r.scratch_bytes);
    a.seconds.total_cmp(&b.seconds).then_with(|| bytes(a).cmp(&bytes(b)))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn record(operation: &str, pixels: u64, seconds: f64) -> Record {
        let (operation, device) = (operation.into(), "cpu".into());
        Record {
            operation,
            version: 1,
            device,
            pixels,
            seconds,
            output_bytes: 1,
            scratch_bytes: 0,
            reuse: None,
        }
    }

    #[test]
    fn each_operation_and_size_has_its_own() {
        let records: Vec<Record> =
            (0..100).map(|n| record(["a", "b"][n % 2], [64, 4096][n / 2 % 2], n as f64)).collect();
        let chosen = chosen(&records, 10);
        assert_eq!(chosen.len(), 40);
        assert!(chosen.iter().filter(|r| r.operation == "a" && r.pixels == 64).count() == 10);
    }

    #[test]
    fn each_level_of_reuse_keeps_its_own() {
        let at = |level: &str, seconds: f64| Record { reuse: Some(level.into()), ..record("a", 64, seconds) };
        let many = (0..1000).map(|n| at("none", f64::from(n)));
        let records: Vec<Record> = many.chain((0..7).map(|n| at("dataflow", f64::from(n)))).collect();
        let chosen = chosen(&records, 10);
        let of = |level: &str| chosen.iter().filter(|r| r.reuse.as_deref() == Some(level)).count();
        assert_eq!((of("none"), of("dataflow")), (10, 7));
    }

    proptest! {
        #[test]
        fn the_order_does_not_matter_and_quartiles_stay(
            mut seconds in proptest::collection::vec(0.0f64..10.0, 1..300), turn in 0usize..300, most in 1usize..40,
        ) {
            let records = |seconds: &[f64]| seconds.iter().map(|s| record("x", 64, *s)).collect::<Vec<_>>();
            let first = records(&seconds);
            let found: Vec<f64> = chosen(&first, most).iter().map(|r| r.seconds).collect();
            let count = seconds.len();
            seconds.rotate_left(turn % count);
            let second = records(&seconds);
            let again: Vec<f64> = chosen(&second, most).iter().map(|r| r.seconds).collect();
            prop_assert_eq!(&found, &again);
            prop_assert_eq!(found.len(), count.min(most));
            // As many lie below the middle one as above it, up to a share.
            let middle = found[found.len() / 2];
            let below = seconds.iter().filter(|s| **s < middle).count() as f64;
            let share = count as f64 / found.len() as f64;
            prop_assert!((below - count as f64 / 2.0).abs() <= share + 1.0, "{below} of {count}");
        }
    }
}
