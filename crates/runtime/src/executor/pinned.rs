//! Workers that stay on one processor each.

/// Keeps the calling thread on one of the processors that it may use, another one for each worker as far as there are some.
/// Where the system does not allow it, or knows no such thing, the thread runs where the system lets it.
pub(super) fn pin(worker: usize) {
    #[cfg(target_os = "linux")]
    {
        use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};
        let Ok(allowed) = sched_getaffinity(None) else { return };
        let processors: Vec<usize> = (0..CpuSet::MAX_CPU).filter(|at| allowed.is_set(*at)).collect();
        if let Some(own) = processors.get(worker % processors.len().max(1)) {
            let mut only = CpuSet::new();
            only.set(*own);
            let _ = sched_setaffinity(None, &only);
        }
    }
    #[cfg(not(target_os = "linux"))]
    let _ = worker;
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use rustix::thread::sched_getaffinity;

    use super::*;

    #[test]
    fn each_worker_has_one_processor_of_those_there_are() {
        let all = sched_getaffinity(None).unwrap();
        let own = |worker| {
            let thread = std::thread::spawn(move || {
                pin(worker);
                sched_getaffinity(None).unwrap()
            });
            thread.join().unwrap()
        };
        let (first, last) = (own(0), own(all.count() as usize - 1));
        assert_eq!((first.count(), last.count()), (1, 1));
        assert_eq!(first == last, all.count() == 1);
        assert_eq!(own(all.count() as usize), first, "more workers than processors share them");
    }
}
