//! Where the outputs of finished instances lie: in memory, below it in the tiers, or on their way.
//!
//! Only what a part's tasks leave for each other can leave memory: results are read as soon as their row is through, and
//! what wider scopes make is small. What was touched longest ago goes first: rows follow each other depth first, so that
//! it is also what is read last.

use std::collections::{BTreeMap, BTreeSet};

/// A node at a site, by the site's place in the order of sites.
pub(super) type SiteNode = (u32, u32);

/// The outputs that may leave memory.
#[derive(Debug, Default)]
pub(super) struct Residence {
    outputs: BTreeMap<SiteNode, ResidentOutput>,
    /// What could leave memory now, in the order in which it was touched.
    idle: BTreeSet<(u64, SiteNode)>,
    touches: u64,
    /// Bytes that are being written, and free as soon as they are.
    leaving: u64,
}

#[derive(Debug)]
pub(super) struct ResidentOutput {
    bytes: u64,
    place: OutputPlace,
    /// When it was made, read or moved last.
    touched: u64,
    /// Running instances that read it.
    readers: u32,
    /// Whether a copy lies below.
    copied: bool,
    /// Whether the tiers refused it.
    refused: bool,
    /// Whether it was let go while on its way.
    unread: bool,
    /// Whether only tasks that are recomputed read it.
    temporary: bool,
    /// Whether it was made again: the next time it is written.
    recomputed: bool,
}

/// Where outputs are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum OutputPlace {
    Memory,
    Leaving,
    Below,
    Coming,
    /// They were let go, and are made again when they are needed.
    Gone,
}

/// What to do about outputs without readers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Farewell {
    /// They are in memory, which they give back, and perhaps below it too.
    FromMemory {
        /// Whether a copy lies below.
        copied: bool,
    },
    /// They are not in memory.
    FromBelow,
    /// They are on their way: when they arrive.
    Later,
}

/// What became of outputs that were on their way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Arrival {
    /// Whether their memory is free now.
    pub(super) frees: bool,
    /// Whether they have no readers any more.
    pub(super) unread: bool,
}

impl Residence {
    /// Outputs were made, and are in memory.
    pub(super) fn made(&mut self, home: SiteNode, bytes: u64) {
        let place = OutputPlace::Memory;
        let output = ResidentOutput {
            bytes,
            place,
            touched: 0,
            readers: 0,
            copied: false,
            refused: false,
            unread: false,
            temporary: false,
            recomputed: false,
        };
        self.outputs.insert(home, output);
        self.touch(home);
    }

    /// Where outputs are; those that cannot leave are in memory.
    pub(super) fn place(&self, home: SiteNode) -> OutputPlace {
        self.outputs.get(&home).map_or(OutputPlace::Memory, |output| output.place)
    }

    /// Bytes of outputs that can leave.
    pub(super) fn bytes(&self, home: SiteNode) -> u64 {
        self.outputs.get(&home).map_or(0, |output| output.bytes)
    }

    /// Bytes that will be free without anything more being done.
    pub(super) fn leaving(&self) -> u64 {
        self.leaving
    }

    /// Where outputs are that can leave.
    pub(super) fn known_place(&self, home: SiteNode) -> Option<OutputPlace> {
        self.outputs.get(&home).map(|output| output.place)
    }

    /// Whether outputs may be let go: no copy lies below, and they were not made again before.
    pub(super) fn may_go(&self, home: SiteNode) -> bool {
        self.outputs.get(&home).is_some_and(|output| !output.copied && !output.recomputed)
    }

    /// Whether only recomputed tasks read the outputs and no copy lies below: nothing of them stays when they go.
    pub(super) fn is_temporary(&self, home: SiteNode) -> bool {
        self.outputs.get(&home).is_some_and(|output| output.temporary && !output.copied)
    }

    /// A copy of outputs lies below from before.
    pub(super) fn note_copy(&mut self, home: SiteNode) {
        self.outputs.entry(home).and_modify(|output| output.copied = true);
    }

    /// Outputs leave memory without being written.
    pub(super) fn let_go(&mut self, home: SiteNode) {
        if let Some(output) = self.outputs.get_mut(&home) {
            output.place = OutputPlace::Gone;
            self.touch(home);
        }
    }

    /// Outputs that are not there are being made again, in memory that is reserved. What had been released is temporary.
    pub(super) fn come_again(&mut self, home: SiteNode, bytes: u64) {
        if !self.outputs.contains_key(&home) {
            self.made(home, bytes);
            self.outputs.entry(home).and_modify(|output| output.temporary = true);
        }
        self.outputs.entry(home).and_modify(|output| {
            output.place = OutputPlace::Coming;
            output.recomputed = true;
        });
        self.touch(home);
    }

    /// What is kept at a site only because something is made again, and is not being read.
    pub(super) fn temporaries(&self, sequence: u32) -> Vec<SiteNode> {
        let all = self.outputs.range((sequence, 0)..=(sequence, u32::MAX));
        all.filter(|(_, output)| output.temporary && output.readers == 0).map(|(home, _)| *home).collect()
    }

    /// A running instance reads outputs, or does so no more.
    pub(super) fn read(&mut self, home: SiteNode, begins: bool) {
        if let Some(output) = self.outputs.get_mut(&home) {
            output.readers = if begins { output.readers + 1 } else { output.readers.saturating_sub(1) };
            self.touch(home);
        }
    }

    /// What could leave memory now; what is read last comes first.
    pub(super) fn idle(&self) -> impl Iterator<Item = SiteNode> {
        self.idle.iter().map(|(_, home)| *home)
    }

    /// Outputs leave memory; says whether they must be written first.
    pub(super) fn leave(&mut self, home: SiteNode) -> bool {
        let Some(output) = self.outputs.get_mut(&home) else { return false };
        let writes = !output.copied;
        output.place = if writes { OutputPlace::Leaving } else { OutputPlace::Below };
        self.leaving += if writes { output.bytes } else { 0 };
        self.touch(home);
        writes
    }

    /// Outputs come back into memory that is reserved.
    pub(super) fn come(&mut self, home: SiteNode) {
        if let Some(output) = self.outputs.get_mut(&home) {
            output.place = OutputPlace::Coming;
        }
    }

    /// What was on its way is there, or could not be moved. Outputs that could not be read fail the tasks that need them.
    pub(super) fn arrived(&mut self, home: SiteNode, moved: bool) -> Option<Arrival> {
        let output = self.outputs.get_mut(&home)?;
        let frees = match output.place {
            OutputPlace::Memory | OutputPlace::Below | OutputPlace::Gone => return None,
            OutputPlace::Coming => false,
            OutputPlace::Leaving => {
                self.leaving -= output.bytes;
                output.refused = !moved;
                output.copied = moved;
                moved
            }
        };
        output.place = if frees { OutputPlace::Below } else { OutputPlace::Memory };
        let unread = output.unread;
        self.touch(home);
        if unread {
            self.remove(home);
        }
        Some(Arrival { frees, unread })
    }

    /// The last read of outputs is over.
    pub(super) fn released(&mut self, home: SiteNode) -> Farewell {
        match self.place(home) {
            OutputPlace::Leaving | OutputPlace::Coming => {
                if let Some(output) = self.outputs.get_mut(&home) {
                    output.unread = true;
                }
                Farewell::Later
            }
            place => {
                let copied = self.remove(home).is_some_and(|output| output.copied);
                match place {
                    OutputPlace::Below | OutputPlace::Gone => Farewell::FromBelow,
                    _ => Farewell::FromMemory { copied },
                }
            }
        }
    }

    /// Puts outputs at the end of those that could leave, if they could.
    fn touch(&mut self, home: SiteNode) {
        let Some(output) = self.outputs.get_mut(&home) else { return };
        self.idle.remove(&(output.touched, home));
        self.touches += 1;
        output.touched = self.touches;
        if output.place == OutputPlace::Memory && output.readers == 0 && !output.refused {
            self.idle.insert((output.touched, home));
        }
    }

    /// Forgets outputs.
    pub(super) fn remove(&mut self, home: SiteNode) -> Option<ResidentOutput> {
        self.outputs.remove(&home).inspect(|output| _ = self.idle.remove(&(output.touched, home)))
    }
}
