//! Where data lie at a node, and what it takes to have them elsewhere: three phases, of which copies run beside
//! computing where that is asked for.

use std::collections::HashMap;

use onceflow_runtime::{Instance, Policy};

use super::figures::Transfers;

/// The memories of a node.
#[derive(Debug)]
pub(super) struct Memories {
    policy: Policy,
    link: f64,
    gpus: Vec<Gpu>,
    places: HashMap<DataItem, DataPlace>,
    pub(super) transfers: Transfers,
}

/// Something that tasks read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum DataItem {
    /// What an instance made.
    Made(Instance),
    /// A source at a site.
    Source { source: usize, site: usize },
}

/// When the engines of a graphics card are free.
#[derive(Clone, Copy, Debug, Default)]
struct Gpu {
    uploads: f64,
    computes: f64,
    downloads: f64,
}

#[derive(Clone, Copy, Debug, Default)]
struct DataPlace {
    /// When it is in the memory of the node.
    host: f64,
    /// On which graphics cards it is.
    gpus: u64,
}

/// When a task computes, and when its worker is free and others may read what it made.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Times {
    pub(super) start: f64,
    pub(super) end: f64,
}

impl Memories {
    pub(super) fn new(policy: Policy, link: f64, gpus: usize) -> Self {
        let gpus = vec![Gpu::default(); gpus];
        Self { policy, link, gpus, places: HashMap::new(), transfers: Transfers::default() }
    }

    /// A task computes on a core.
    pub(super) fn on_cpu(
        &mut self,
        now: f64,
        made: Instance,
        reads: &[(DataItem, f64)],
        seconds: f64,
    ) -> Times {
        let start = reads.iter().fold(now, |when, (item, _)| when.max(self.on_host(now, *item)));
        let end = start + seconds;
        self.put(made, DataPlace { host: end, gpus: 0 });
        Times { start, end }
    }

    /// A task computes on a graphics card.
    pub(super) fn on_gpu(
        &mut self,
        now: f64,
        gpu: usize,
        (made, bytes): (Instance, f64),
        reads: &[(DataItem, f64)],
        seconds: f64,
    ) -> Times {
        let missing: Vec<(DataItem, f64)> =
            reads.iter().filter(|(item, _)| !self.is_on(gpu, *item)).copied().collect();
        let there = missing.iter().fold(now, |when, (item, _)| when.max(self.on_host(now, *item)));
        let upload = self.upload(missing.iter().map(|(_, bytes)| bytes).sum());
        let engine = self.gpus[gpu];
        let times = if self.policy.prefetch {
            let uploaded = there.max(engine.uploads) + upload;
            let start = uploaded.max(engine.computes);
            let end = start + seconds;
            let downloaded = end.max(engine.downloads) + self.download(bytes);
            self.gpus[gpu] = Gpu { uploads: uploaded, computes: end, downloads: downloaded };
            self.put(made, DataPlace { host: downloaded, gpus: 1 << gpu });
            Times { start, end }
        } else {
            let start = there.max(engine.computes) + upload;
            let end = start + seconds + self.download(bytes);
            self.gpus[gpu].computes = end;
            self.put(made, DataPlace { host: end, gpus: 1 << gpu });
            Times { start, end }
        };
        if self.policy.locality {
            missing.iter().for_each(|(item, _)| self.places.entry(*item).or_default().gpus |= 1 << gpu);
        }
        times
    }

    /// It is not read any more.
    pub(super) fn forget(&mut self, made: Instance) {
        self.places.remove(&DataItem::Made(made));
    }

    /// Without locality it is unknown what a graphics card still holds.
    fn is_on(&self, gpu: usize, item: DataItem) -> bool {
        self.policy.locality && self.places.get(&item).is_some_and(|place| place.gpus >> gpu & 1 == 1)
    }

    /// When an item is in the memory of the node: what a graphics card makes is copied there at once.
    fn on_host(&self, now: f64, item: DataItem) -> f64 {
        self.places.get(&item).map_or(now, |place| place.host)
    }

    fn put(&mut self, made: Instance, place: DataPlace) {
        if !self.gpus.is_empty() {
            self.places.insert(DataItem::Made(made), place);
        }
    }

    fn upload(&mut self, bytes: f64) -> f64 {
        self.transfers.uploaded += bytes;
        self.copy(bytes)
    }

    fn download(&mut self, bytes: f64) -> f64 {
        self.transfers.downloaded += bytes;
        self.copy(bytes)
    }

    fn copy(&mut self, bytes: f64) -> f64 {
        let seconds = bytes / self.link;
        self.transfers.seconds += seconds;
        seconds
    }
}

#[cfg(test)]
mod tests {
    use onceflow_reuse::NodeId;

    use super::*;

    const IMAGE: DataItem = DataItem::Source { source: 0, site: 0 };

    fn made(node: u32) -> Instance {
        Instance { node: NodeId(node), site: 0 }
    }

    /// A link of one byte per second, tasks that read and make ten bytes and compute for a hundred seconds.
    fn chain(policy: &str) -> (Vec<Times>, Transfers) {
        let mut memories = Memories::new(Policy::parse(policy).unwrap(), 1.0, 1);
        let first = memories.on_gpu(0.0, 0, (made(0), 10.0), &[(IMAGE, 10.0)], 100.0);
        let second =
            memories.on_gpu(first.end, 0, (made(1), 10.0), &[(DataItem::Made(made(0)), 10.0)], 100.0);
        let third = memories.on_cpu(second.end, made(2), &[(DataItem::Made(made(1)), 10.0)], 100.0);
        (vec![first, second, third], memories.transfers)
    }

    #[test]
    fn without_locality_everything_goes_up_and_down() {
        let (times, transfers) = chain("pats");
        let ends: Vec<f64> = times.iter().map(|times| times.end).collect();
        assert_eq!(ends, [120.0, 240.0, 340.0]);
        assert_eq!((transfers.uploaded, transfers.downloaded), (20.0, 20.0));
    }

    #[test]
    fn with_locality_what_a_card_holds_does_not_go_up_again() {
        let (times, transfers) = chain("pats+locality");
        let ends: Vec<f64> = times.iter().map(|times| times.end).collect();
        assert_eq!(ends, [120.0, 230.0, 330.0]);
        assert_eq!((transfers.uploaded, transfers.downloaded), (10.0, 20.0));
    }

    #[test]
    fn with_prefetch_copies_run_beside_computing() {
        let mut memories = Memories::new(Policy::parse("pats+prefetch").unwrap(), 1.0, 1);
        let times: Vec<Times> =
            (0..3).map(|n| memories.on_gpu(0.0, 0, (made(n), 10.0), &[(IMAGE, 10.0)], 100.0)).collect();
        let ends: Vec<f64> = times.iter().map(|times| times.end).collect();
        assert_eq!(ends, [110.0, 210.0, 310.0]);
    }
}
