//! Where the outputs of finished instances lie: in memory, below it in the tiers, or on their way.
//!
//! Only what a part's tasks leave for each other can leave memory: results are read as soon as their row is through, and
//! what wider scopes make is small. What was touched longest ago goes first: rows follow each other depth first, so that
//! it is also what is read last.

use std::collections::{BTreeMap, BTreeSet};

/// A node at a site, by the site's place in the order of sites.
pub(super) type Home = (u32, u32);

/// The outputs that may leave memory.
#[derive(Debug, Default)]
pub(super) struct Residence {
    outputs: BTreeMap<Home, Output>,
    /// What could leave memory now, in the order in which it was touched.
    idle: BTreeSet<(u64, Home)>,
    touches: u64,
    /// Bytes that are being written, and free as soon as they are.
    leaving: u64,
}

#[derive(Debug)]
pub(super) struct Output {
    bytes: u64,
    place: Place,
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
    /// Whether nobody but what is made again reads it.
    temporary: bool,
    /// Whether it was made again: the next time it is written.
    remade: bool,
}

/// Where outputs are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    Memory,
    Leaving,
    Below,
    Coming,
    /// They were let go, and are made again when they are needed.
    Gone,
}

/// What to do about outputs that nobody reads any more.
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
    /// Whether nobody wants them any more.
    pub(super) unread: bool,
}

impl Residence {
    /// Outputs were made, and are in memory.
    pub(super) fn made(&mut self, home: Home, bytes: u64) {
        let place = Place::Memory;
        let output = Output {
            bytes,
            place,
            touched: 0,
            readers: 0,
            copied: false,
            refused: false,
            unread: false,
            temporary: false,
            remade: false,
        };
        self.outputs.insert(home, output);
        self.touch(home);
    }

    /// Where outputs are; those that cannot leave are in memory.
    pub(super) fn place(&self, home: Home) -> Place {
        self.outputs.get(&home).map_or(Place::Memory, |output| output.place)
    }

    /// Bytes of outputs that can leave.
    pub(super) fn bytes(&self, home: Home) -> u64 {
        self.outputs.get(&home).map_or(0, |output| output.bytes)
    }

    /// Bytes that will be free without anything more being done.
    pub(super) fn leaving(&self) -> u64 {
        self.leaving
    }

    /// Where outputs are that can leave.
    pub(super) fn known_place(&self, home: Home) -> Option<Place> {
        self.outputs.get(&home).map(|output| output.place)
    }

    /// Whether outputs may be let go: no copy lies below, and they were not made again before.
    pub(super) fn may_go(&self, home: Home) -> bool {
        self.outputs.get(&home).is_some_and(|output| !output.copied && !output.remade)
    }

    /// Whether nobody but what is made again reads outputs, of which no copy lies below: nothing of them stays when they go.
    pub(super) fn is_temporary(&self, home: Home) -> bool {
        self.outputs.get(&home).is_some_and(|output| output.temporary && !output.copied)
    }

    /// A copy of outputs lies below from before.
    pub(super) fn note_copy(&mut self, home: Home) {
        self.outputs.entry(home).and_modify(|output| output.copied = true);
    }

    /// Outputs leave memory without being written.
    pub(super) fn let_go(&mut self, home: Home) {
        if let Some(output) = self.outputs.get_mut(&home) {
            output.place = Place::Gone;
            self.touch(home);
        }
    }

    /// Outputs that are not there are being made again, in memory that is reserved. What had been released is temporary.
    pub(super) fn come_again(&mut self, home: Home, bytes: u64) {
        if !self.outputs.contains_key(&home) {
            self.made(home, bytes);
            self.outputs.entry(home).and_modify(|output| output.temporary = true);
        }
        self.outputs.entry(home).and_modify(|output| {
            output.place = Place::Coming;
            output.remade = true;
        });
        self.touch(home);
    }

    /// What is kept at a site only because something is made again, and is not being read.
    pub(super) fn temporaries(&self, sequence: u32) -> Vec<Home> {
        let all = self.outputs.range((sequence, 0)..=(sequence, u32::MAX));
        all.filter(|(_, output)| output.temporary && output.readers == 0).map(|(home, _)| *home).collect()
    }

    /// A running instance reads outputs, or does so no more.
    pub(super) fn read(&mut self, home: Home, begins: bool) {
        if let Some(output) = self.outputs.get_mut(&home) {
            output.readers = if begins { output.readers + 1 } else { output.readers.saturating_sub(1) };
            self.touch(home);
        }
    }

    /// What could leave memory now; what is read last comes first.
    pub(super) fn idle(&self) -> impl Iterator<Item = Home> {
        self.idle.iter().map(|(_, home)| *home)
    }

    /// Outputs leave memory; says whether they must be written first.
    pub(super) fn leave(&mut self, home: Home) -> bool {
        let Some(output) = self.outputs.get_mut(&home) else { return false };
        let writes = !output.copied;
        output.place = if writes { Place::Leaving } else { Place::Below };
        self.leaving += if writes { output.bytes } else { 0 };
        self.touch(home);
        writes
    }

    /// Outputs come back into memory that is reserved.
    pub(super) fn come(&mut self, home: Home) {
        if let Some(output) = self.outputs.get_mut(&home) {
            output.place = Place::Coming;
        }
    }

    /// What was on its way is there, or could not be moved. What could not be read is told by whoever needs it.
    pub(super) fn arrived(&mut self, home: Home, moved: bool) -> Option<Arrival> {
        let output = self.outputs.get_mut(&home)?;
        let frees = match output.place {
            Place::Memory | Place::Below | Place::Gone => return None,
            Place::Coming => false,
            Place::Leaving => {
                self.leaving -= output.bytes;
                output.refused = !moved;
                output.copied = moved;
                moved
            }
        };
        output.place = if frees { Place::Below } else { Place::Memory };
        let unread = output.unread;
        self.touch(home);
        if unread {
            self.remove(home);
        }
        Some(Arrival { frees, unread })
    }

    /// Nobody reads outputs any more.
    pub(super) fn released(&mut self, home: Home) -> Farewell {
        match self.place(home) {
            Place::Leaving | Place::Coming => {
                if let Some(output) = self.outputs.get_mut(&home) {
                    output.unread = true;
                }
                Farewell::Later
            }
            place => {
                let copied = self.remove(home).is_some_and(|output| output.copied);
                match place {
                    Place::Below | Place::Gone => Farewell::FromBelow,
                    _ => Farewell::FromMemory { copied },
                }
            }
        }
    }

    /// Puts outputs at the end of those that could leave, if they could.
    fn touch(&mut self, home: Home) {
        let Some(output) = self.outputs.get_mut(&home) else { return };
        self.idle.remove(&(output.touched, home));
        self.touches += 1;
        output.touched = self.touches;
        if output.place == Place::Memory && output.readers == 0 && !output.refused {
            self.idle.insert((output.touched, home));
        }
    }

    /// Forgets outputs.
    pub(super) fn remove(&mut self, home: Home) -> Option<Output> {
        self.outputs.remove(&home).inspect(|output| _ = self.idle.remove(&(output.touched, home)))
    }
}
