//! Both placements bring the same blobs to the store, groups write together, and failures are told.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use onceflow_region::Digest;
use proptest::prelude::*;

use super::*;
use crate::blob::{Blob, BlobContent, BlobError, DiskBlobs, MemoryBlobs, Opened};
use crate::publish::{Fault, PublishStep, Publisher};

fn separated(writers: usize, group_size: usize, batch: usize, distribution: Distribution) -> Staging {
    Staging { placement: Placement::Separated { writers, group_size, batch, distribution } }
}

fn any_distribution() -> impl Strategy<Value = Distribution> {
    prop_oneof![Just(Distribution::RoundRobin), (0u64..9).prop_map(Distribution::Random)]
}

fn any_staging() -> impl Strategy<Value = Staging> {
    let separate = (1usize..6, 1usize..6, 1usize..5, any_distribution()).prop_map(
        |(writers, group, batch, distribution)| separated(writers, group.min(writers), batch, distribution),
    );
    let together = (1usize..6, 1usize..5, prop::option::of(any_distribution())).prop_map(
        |(group_size, batch, distribution)| Staging {
            placement: Placement::CoLocated { group_size, batch, distribution },
        },
    );
    prop_oneof![1 => Just(co_located(1, 1)), 2 => together, 4 => separate]
}

fn co_located(group_size: usize, batch: usize) -> Staging {
    Staging { placement: Placement::CoLocated { group_size, batch, distribution: None } }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]
    #[test]
    fn words_are_read_as_they_are_written(staging in any_staging()) {
        prop_assert_eq!(staging.to_string().parse(), Ok(staging));
    }

    #[test]
    fn everything_that_is_staged_is_in_the_store(
        staging in any_staging(), sizes in prop::collection::vec(0usize..200, 0..40), limit in 200u64..2000,
    ) {
        let store = Arc::new(MemoryBlobs::new(Budget::new(1 << 20)));
        let budget = Budget::new(limit);
        let stager = staging.start(store.clone(), budget.clone()).unwrap();
        let blob = |at: usize, size: usize| vec![at as u8; size];
        let staged: Vec<_> = sizes.iter().enumerate().map(|(at, &size)| stager.stage(blob(at, size)).unwrap()).collect();
        stager.flush().unwrap();
        for (at, (digest, &size)) in staged.iter().zip(&sizes).enumerate() {
            prop_assert_eq!(&store.get(digest).unwrap()[..], &blob(at, size)[..]);
        }
        prop_assert!(budget.peak() <= limit && budget.used() == 0);
        // What is staged and not flushed is written by the end.
        let last = stager.stage(vec![255; 100]).unwrap();
        drop(stager);
        prop_assert!(store.contains(&last).unwrap());
    }
}

#[test]
fn words_say_what_is_meant() {
    let read = |text: &str| text.parse::<Staging>();
    assert_eq!(read("co-located").unwrap(), co_located(1, 1));
    assert_eq!(read("co-located:group=3").unwrap(), co_located(3, 1));
    assert_eq!(read("co-located:batch=2,group=3").unwrap(), co_located(3, 2));
    assert_eq!(read("separated").unwrap(), separated(1, 1, 4, Distribution::RoundRobin));
    let four = read("separated:writers=4,group=2,random").unwrap();
    assert_eq!(four, separated(4, 2, 4, Distribution::Random(0)));
    for text in [
        "",
        "colocated",
        "co-located:",
        "co-located:group=0",
        "co-located:group=2000",
        "co-located:batch=0",
        "co-located:writers=2",
        "co-located:random=x",
        "separated:",
        "separatedwriters=2",
        "separated:writers=0",
        "separated:writers=2,group=3",
        "separated:group=0",
        "separated:batch=0",
        "separated:writers=-1",
        "separated:writers=2000",
        "separated:random=x",
        "separated:speed=9",
    ] {
        let error = read(text).unwrap_err().to_string();
        assert!(error.starts_with("expected co-located, co-located:"), "{text}: {error}");
    }
}

/// A store that counts simultaneous writers.
#[derive(Debug)]
struct Noting {
    blobs: MemoryBlobs,
    writing: AtomicUsize,
    most: AtomicUsize,
    fails: bool,
}

impl Noting {
    fn new(fails: bool) -> Arc<Noting> {
        let blobs = MemoryBlobs::new(Budget::new(1 << 20));
        Arc::new(Noting { blobs, writing: AtomicUsize::new(0), most: AtomicUsize::new(0), fails })
    }
}

impl BlobStore for Noting {
    fn name(&self) -> String {
        "noting".into()
    }

    fn write(&self, digest: &Digest, content: &dyn BlobContent) -> Result<(), BlobError> {
        let writing = self.writing.fetch_add(1, Ordering::SeqCst) + 1;
        self.most.fetch_max(writing, Ordering::SeqCst);
        std::thread::sleep(Duration::from_millis(3));
        self.writing.fetch_sub(1, Ordering::SeqCst);
        if self.fails {
            return Err(std::io::Error::from(std::io::ErrorKind::StorageFull).into());
        }
        self.blobs.write(digest, content)
    }

    fn open(&self, digest: &Digest) -> Result<Opened, BlobError> {
        self.blobs.open(digest)
    }

    fn get(&self, digest: &Digest) -> Result<Blob, BlobError> {
        self.blobs.get(digest)
    }

    fn get_range(&self, digest: &Digest, range: std::ops::Range<u64>) -> Result<Vec<u8>, BlobError> {
        self.blobs.get_range(digest, range)
    }

    fn length(&self, digest: &Digest) -> Result<Option<u64>, BlobError> {
        self.blobs.length(digest)
    }

    fn remove(&self, digest: &Digest) -> Result<(), BlobError> {
        self.blobs.remove(digest)
    }

    fn list(&self) -> Result<Vec<Digest>, BlobError> {
        self.blobs.list()
    }
}

fn stage_all(stager: &Stager, blobs: u8) {
    for number in 0..blobs {
        stager.stage(vec![number; 10]).unwrap();
    }
}

/// Stages so many blobs one after the other; so many and no more are written before the flush.
fn check_written(staging: Staging, blobs: u8, expected: usize) {
    let store = Noting::new(false);
    let stager = staging.start(store.clone(), Budget::new(1 << 20)).unwrap();
    stage_all(&stager, blobs);
    let begun = std::time::Instant::now();
    while store.list().unwrap().len() < expected && begun.elapsed() < Duration::from_secs(20) {
        std::thread::sleep(Duration::from_millis(5));
    }
    std::thread::sleep(Duration::from_millis(40));
    assert_eq!(store.list().unwrap().len(), expected, "{staging} {blobs}");
}

#[test]
fn a_full_queue_makes_its_whole_group_write() {
    let staging = |group| separated(4, group, 3, Distribution::RoundRobin);
    // Nine blobs in turn: the first queue holds three, the others two.
    check_written(staging(1), 9, 3);
    check_written(staging(2), 9, 5);
    check_written(staging(4), 9, 9);
    // No queue is long enough.
    check_written(staging(4), 8, 0);
}

#[test]
fn a_thread_with_a_batch_makes_its_whole_group_write() {
    // Threads come one after the other: the first makes two blobs, the second as many as are told.
    let written = |group, blobs: u8| {
        let store = Noting::new(false);
        let stager = co_located(group, 3).start(store.clone(), Budget::new(1 << 20)).unwrap();
        for (thread, blobs) in [2, blobs].into_iter().enumerate() {
            let stage = || {
                for number in 0..blobs {
                    stager.stage(vec![thread as u8, number]).unwrap();
                }
            };
            std::thread::scope(|scope| scope.spawn(stage).join().unwrap());
        }
        store.list().unwrap().len()
    };
    assert_eq!([written(1, 2), written(1, 3), written(1, 4)], [0, 3, 3]);
    assert_eq!([written(2, 2), written(2, 3), written(2, 4)], [0, 5, 5]);
}

#[test]
fn threads_of_a_group_write_together_and_groups_apart() {
    for (group, batch) in [(1, 1), (2, 1), (4, 1), (4, 3), (3, 2)] {
        let store = Noting::new(false);
        let stager = co_located(group, batch).start(store.clone(), Budget::new(1 << 20)).unwrap();
        std::thread::scope(|scope| {
            for thread in 0..4u8 {
                let stager = &stager;
                scope.spawn(move || {
                    for number in 0..7 + thread {
                        stager.stage(vec![thread, number]).unwrap();
                    }
                });
            }
        });
        stager.flush().unwrap();
        assert_eq!(store.list().unwrap().len(), 7 + 8 + 9 + 10);
        assert!(store.most.load(Ordering::SeqCst) > 1, "{group} {batch}");
    }
}

#[test]
fn writers_of_a_group_write_at_the_same_time() {
    let store = Noting::new(false);
    let staging = separated(4, 4, 5, Distribution::RoundRobin);
    let stager = staging.start(store.clone(), Budget::new(1 << 20)).unwrap();
    stage_all(&stager, 40);
    stager.flush().unwrap();
    assert!(store.most.load(Ordering::SeqCst) > 1);
    assert_eq!(store.list().unwrap().len(), 40);
}

#[test]
fn failures_are_told_on_the_next_call_or_flush() {
    for staging in [co_located(1, 1), co_located(2, 3), separated(2, 2, 1, Distribution::RoundRobin)] {
        let stager = staging.start(Noting::new(true), Budget::new(1000)).unwrap();
        let told = (0..50).find_map(|number| stager.stage(vec![number; 10]).err()).or(stager.flush().err());
        let Some(StagingError::Blob(error)) = told else { panic!("{staging}: {told:?}") };
        assert!(error.to_string().contains("the disk is full"), "{error}");
    }
    let place = tempfile::tempdir().unwrap();
    let fault =
        |step| (step == PublishStep::Sync).then_some(Fault::Error(std::io::ErrorKind::PermissionDenied));
    drop(DiskBlobs::open(place.path()).unwrap());
    let disk = DiskBlobs::open_with(place.path(), Publisher::hasty().with_faults(fault)).unwrap();
    let stager =
        separated(1, 1, 1, Distribution::RoundRobin).start(Arc::new(disk), Budget::new(1000)).unwrap();
    stager.stage(vec![1; 10]).unwrap();
    let error = stager.flush().unwrap_err().to_string();
    assert!(error.ends_with("permission denied: change its owner or name another folder"), "{error}");
}

#[test]
fn what_has_no_room_to_wait_is_written_at_once() {
    for staging in [co_located(2, 9), separated(1, 1, 9, Distribution::RoundRobin)] {
        let store = Noting::new(false);
        let stager = staging.start(store.clone(), Budget::new(10)).unwrap();
        let large = stager.stage(vec![1; 11]).unwrap();
        assert!(store.contains(&large).unwrap(), "{staging}");
        let small = stager.stage(vec![2; 10]).unwrap();
        assert!(!store.contains(&small).unwrap(), "{staging}");
    }
}

#[test]
fn computing_threads_can_give_what_they_make_to_groups_in_turn() {
    let staging: Staging = "co-located:group=1,batch=2,round-robin".parse().unwrap();
    let store = Noting::new(false);
    let stager = staging.start(store.clone(), Budget::new(1 << 20)).unwrap();
    let stage = |numbers: std::ops::Range<u8>| {
        std::thread::scope(|scope| {
            let all = || numbers.for_each(|number| _ = stager.stage(vec![number]).unwrap());
            scope.spawn(all).join().unwrap();
        });
        store.list().unwrap().len()
    };
    // The first thread leaves one with the only group there is. The second comes with a group of its own, and brings two
    // to each: with its own group alone, that of the first would still wait.
    assert_eq!([stage(0..1), stage(1..5)], [0, 5]);
}

#[test]
fn a_measurement_stages_every_blob() {
    let load = Load { threads: 3, blobs: 12, bytes: 5000, passes: 2 };
    let placements = [
        ("co-located", 3),
        ("co-located:group=2,batch=2", 3),
        ("co-located:group=3", 3),
        ("co-located:group=2,batch=2,random", 3),
        ("separated:writers=2,group=2,batch=2", 1),
        ("separated:writers=1,random", 2),
    ];
    for (text, computing) in placements {
        let place = tempfile::tempdir().unwrap();
        let disk = Arc::new(DiskBlobs::open_with(place.path(), Publisher::hasty()).unwrap());
        let staging: Staging = text.parse().unwrap();
        let measured = measure(&staging, &load, disk.clone(), &Budget::new(20_000)).unwrap();
        assert_eq!(disk.list().unwrap().len(), 12, "{text}");
        assert!(measured.megabytes_per_second > 0.0 && measured.waited <= measured.seconds, "{measured:?}");
        assert_eq!(measured.computing, computing);
    }
}
