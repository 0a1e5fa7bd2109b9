//! Whoever writes, results come back from wherever they are, and nothing is left.

use std::io::ErrorKind;

use onceflow_region::{Dense, Pixels};
use onceflow_reuse::NodeId;
use onceflow_store::publish::{Fault, Publisher};

use super::*;

const STAGINGS: [&str; 5] = [
    "co-located",
    "co-located:group=2,batch=3",
    "co-located:group=1,batch=5,random",
    "separated:writers=2,group=1,batch=1",
    "separated:writers=3,group=3,batch=4,random",
];

fn instance(number: u32) -> Instance {
    Instance { node: NodeId(number), site: 0 }
}

fn outputs(number: u32) -> Vec<Arc<Region>> {
    let plane = |value: u8| Dense::new(30, 20, 1, Pixels::U8(vec![value; 600])).unwrap();
    (0..2).map(|output| Arc::new(Region::Dense(plane((number * 2 + output) as u8)))).collect()
}

fn is_same(found: &[Arc<Region>], number: u32) -> bool {
    let digests = |regions: &[Arc<Region>]| regions.iter().map(|region| region.digest()).collect::<Vec<_>>();
    digests(found) == digests(&outputs(number))
}

fn lease(bytes: u64) -> Option<Lease> {
    Budget::new(bytes).try_reserve(bytes)
}

#[test]
fn results_come_back_from_wherever_they_are() {
    for (words, room) in STAGINGS.iter().flat_map(|words| [(words, 0), (words, 5000), (words, 1 << 20)]) {
        let place = tempfile::tempdir().unwrap();
        let scratch = Scratch::new(vec![place.path().into()], words.parse().unwrap(), lease(room));
        std::thread::scope(|scope| {
            for thread in 0..3 {
                let scratch = &scratch;
                scope.spawn(move || {
                    for number in thread * 20..thread * 20 + 20 {
                        scratch.put(instance(number), &outputs(number)).unwrap();
                        let earlier = number - number % 20 / 2;
                        assert!(is_same(&scratch.get(instance(earlier)).unwrap(), earlier));
                    }
                });
            }
        });
        (0..60).step_by(2).for_each(|number| scratch.forget(instance(number)));
        for number in 0..60 {
            let found = scratch.get(instance(number));
            assert_eq!(found.is_ok_and(|found| is_same(&found, number)), number % 2 == 1, "{words} {number}");
        }
        drop(scratch);
        assert_eq!(std::fs::read_dir(place.path()).unwrap().count(), 0, "{words}");
    }
}

/// What was taken and could not be written is still had, and whoever comes next is told.
#[test]
fn a_disk_that_fails_loses_nothing() {
    for words in STAGINGS {
        let place = tempfile::tempdir().unwrap();
        drop(DiskBlobs::open(place.path()).unwrap());
        let full = Publisher::hasty().with_faults(|_| Some(Fault::Error(ErrorKind::StorageFull)));
        let disk = DiskBlobs::open_with(place.path(), full).unwrap();
        let tiers = Tiers::builder(Budget::new(u64::MAX), 0).below(disk, u64::MAX).start().unwrap();
        let staging: Staging = words.parse().unwrap();
        let scratch = Scratch::new(Vec::new(), staging, lease(5000));
        let stager = staging.start_with(Down::new(tiers), scratch.waiting.clone()).unwrap();
        assert!(scratch.stager.set(Ok(stager)).is_ok());
        let put: Vec<bool> =
            (0..20).map(|number| scratch.put(instance(number), &outputs(number)).is_ok()).collect();
        assert!(put.contains(&false), "{words}");
        for (number, taken) in (0..).zip(put) {
            let found = scratch.get(instance(number));
            assert!(!taken || is_same(&found.unwrap(), number), "{words} {number}");
        }
    }
}
