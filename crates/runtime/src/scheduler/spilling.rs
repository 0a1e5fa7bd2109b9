//! What is done when the next task does not fit: outputs that are read last go down the tiers, and come back before they
//! are read.

use super::ready::Candidate;
use super::residence::{Farewell, OutputPlace, SiteNode};
use super::{Instruction, Scheduler};
use crate::Instance;
use onceflow_study::Scope;

impl Scheduler<'_> {
    /// Lets outputs of tasks leave memory when others do not fit: the executor then carries out [`Instruction::Spill`],
    /// [`Instruction::Restore`] and [`Instruction::Drop`].
    #[must_use]
    pub fn spilling(mut self) -> Self {
        self.spilling = true;
        self
    }

    /// Whether all that a candidate reads is in memory.
    pub(super) fn has_inputs(&self, candidate: Candidate) -> bool {
        !self.spilling || self.inputs(candidate).all(|home| self.residence.place(home) == OutputPlace::Memory)
    }

    /// One step towards a candidate that cannot start: what it reads is brought back, or something else moves out of its
    /// way. None when enough is on its way already, or nothing can be moved.
    pub(super) fn make_way(&mut self, candidate: Candidate, worker: u32) -> Option<Instruction> {
        if self.lacks_memory(candidate) && self.drop_oldest() {
            return self.instructions.pop_front();
        }
        if !self.spilling {
            return None;
        }
        if let Some(gone) = self.gone_input(candidate) {
            return self.make_again(candidate, gone, worker);
        }
        let below = self.inputs(candidate).find(|home| self.residence.place(*home) == OutputPlace::Below);
        let wanted = match below {
            Some(home) => self.residence.bytes(home),
            None => self.own_bytes(candidate),
        };
        if let Some(home) = below.filter(|_| self.memory.reserve(wanted)) {
            self.residence.come(home);
            return Some(Instruction::Restore(self.moving(home)));
        }
        if wanted <= self.memory.free().saturating_add(self.residence.leaving()) {
            return None;
        }
        let last_read = self.read_last(candidate)?;
        Some(self.leave(last_read))
    }

    /// Whether what a candidate needs does not fit beside what is held.
    fn lacks_memory(&self, candidate: Candidate) -> bool {
        let needed = self.bytes_of_next_step(candidate);
        let needed = needed.unwrap_or_else(|| self.own_bytes(candidate) + self.bytes_below(candidate));
        needed > self.memory.free()
    }

    /// A running instance reads its inputs, or does so no more.
    pub(super) fn note_readers(&mut self, sequence: u32, node: u32, begins: bool) {
        if self.spilling {
            let inputs: Vec<SiteNode> =
                self.diversions.inputs(node).map(|input| self.maker((sequence, input))).collect();
            inputs.into_iter().for_each(|home| self.residence.read(home, begins));
        }
    }

    /// Outputs that were made may leave memory when they belong to a part and are not a result.
    pub(super) fn note_made(&mut self, sequence: u32, node: u32, task: usize) {
        let bytes = self.memory.outputs(task, self.pixels(sequence, task));
        if self.spilling && bytes > 0 && self.shape.scope[task] == Scope::Part && !self.shape.result[task] {
            self.residence.made((sequence, node), bytes);
        }
    }

    /// The last read of outputs is over.
    pub(super) fn let_go(&mut self, home: SiteNode) {
        let (sequence, node) = home;
        self.workers.forget_maker(home);
        if self.chain.is_some_and(|(_, target)| target == home) && self.recompute.is_none() {
            self.end_chain(home.0);
        }
        match self.residence.released(home) {
            Farewell::Later => return,
            Farewell::FromBelow => {}
            Farewell::FromMemory { copied } if self.retain(home, copied) => return,
            Farewell::FromMemory { .. } => {
                let task = self.diversions.task(node);
                self.memory.released(task, self.pixels(sequence, task));
            }
        }
        self.instructions.push_back(Instruction::Release(self.instance(sequence, node)));
    }

    /// Outputs that were on their way are there, or could not be moved.
    pub(super) fn moved(&mut self, instance: Instance, moved: bool) {
        let Some(home) = self.home(instance) else { return };
        let bytes = self.residence.bytes(home);
        let Some(arrival) = self.residence.arrived(home, moved) else { return };
        self.workers.move_ends();
        if arrival.frees || arrival.unread {
            self.memory.give_back(bytes);
        }
        if arrival.unread {
            self.instructions.push_back(Instruction::Release(instance));
        }
    }

    /// Outputs leave memory: the cheaper way.
    pub(super) fn leave(&mut self, home: SiteNode) -> Instruction {
        if self.residence.is_temporary(home) || self.recompute_is_cheaper(home) {
            return self.drop_for_now(home);
        }
        self.write_or_drop(home)
    }

    /// Outputs leave memory and are written, unless they had been before.
    pub(super) fn write_or_drop(&mut self, home: SiteNode) -> Instruction {
        if self.residence.leave(home) {
            return Instruction::Spill(self.moving(home));
        }
        self.memory.give_back(self.residence.bytes(home));
        Instruction::Drop(self.instance(home.0, home.1))
    }

    /// Whatever moves takes the place of a worker meanwhile.
    pub(super) fn moving(&mut self, home: SiteNode) -> Instance {
        self.workers.move_begins();
        self.instance(home.0, home.1)
    }

    /// The outputs in memory that are read last, those that the candidate itself reads left aside.
    fn read_last(&self, candidate: Candidate) -> Option<SiteNode> {
        let needed: Vec<SiteNode> = self.inputs(candidate).collect();
        self.residence.idle().find(|home| !needed.contains(home))
    }

    pub(super) fn inputs(&self, candidate: Candidate) -> impl Iterator<Item = SiteNode> {
        self.diversions.inputs(candidate.node).map(move |input| self.maker((candidate.sequence, input)))
    }

    /// Bytes of what a candidate reads that are not in memory.
    pub(super) fn bytes_below(&self, candidate: Candidate) -> u64 {
        let below = self.inputs(candidate).filter(|home| self.residence.place(*home) == OutputPlace::Below);
        below.map(|home| self.residence.bytes(home)).sum()
    }

    /// Bytes that a candidate needs besides what it reads.
    pub(super) fn own_bytes(&self, candidate: Candidate) -> u64 {
        let task = self.diversions.task(candidate.node);
        self.memory.own(task, self.pixels(candidate.sequence, task))
    }
}
