//! Where the outputs of finished instances lie: in memory, below it in the tiers, or on their way.
//!
//! Only what a part's tasks leave for each other can leave memory: results are read as soon as their row is through, and
//! what wider scopes make is small.

use std::collections::BTreeMap;

/// A node at a site, by the site's place in the order of sites.
pub(super) type Home = (u32, u32);

/// The outputs that may leave memory.
#[derive(Debug, Default)]
pub(super) struct Residence {
    outputs: BTreeMap<Home, Output>,
    /// Bytes that are being written, and free as soon as they are.
    leaving: u64,
}

#[derive(Debug)]
struct Output {
    bytes: u64,
    place: Place,
    /// Running instances that read it.
    readers: u32,
    /// Whether a copy lies below.
    copied: bool,
    /// Whether the tiers refused it.
    refused: bool,
    /// Whether it was let go while on its way.
    unread: bool,
}

/// Where outputs are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    Memory,
    Leaving,
    Below,
    Coming,
}

/// What to do about outputs that nobody reads any more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Farewell {
    /// They are in memory, which they give back.
    FromMemory,
    /// They are below.
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
        let output = Output { bytes, place, readers: 0, copied: false, refused: false, unread: false };
        self.outputs.insert(home, output);
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

    /// A running instance reads outputs, or does so no more.
    pub(super) fn read(&mut self, home: Home, begins: bool) {
        if let Some(output) = self.outputs.get_mut(&home) {
            output.readers = if begins { output.readers + 1 } else { output.readers.saturating_sub(1) };
        }
    }

    /// What could leave memory now.
    pub(super) fn movable(&self) -> impl Iterator<Item = Home> {
        let idle = |output: &Output| output.place == Place::Memory && output.readers == 0 && !output.refused;
        self.outputs.iter().filter(move |(_, output)| idle(output)).map(|(home, _)| *home)
    }

    /// Outputs leave memory; says whether they must be written first.
    pub(super) fn leave(&mut self, home: Home) -> bool {
        let Some(output) = self.outputs.get_mut(&home) else { return false };
        output.place = if output.copied { Place::Below } else { Place::Leaving };
        self.leaving += if output.copied { 0 } else { output.bytes };
        !output.copied
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
            Place::Memory | Place::Below => return None,
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
        if unread {
            self.outputs.remove(&home);
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
                self.outputs.remove(&home);
                if place == Place::Below { Farewell::FromBelow } else { Farewell::FromMemory }
            }
        }
    }
}
