//! Instances that turn out to be equal while the plan is carried out: when all inputs of a node are there, and another node
//! has read the same values from the same contents, the other's outputs are its own.
//!
//! The one that came first leads; the others follow it while it waits or runs, and are over when it is. Outputs of a leader
//! without readers are retained for a while, in memory that is given back as soon as a task needs it: others
//! may yet turn out to be equal. A follower whose leader's outputs are gone leads from then on.

use std::collections::{BTreeMap, HashMap};

use onceflow_reuse::{ContentDigest, Merger, Met, NodeId, NodeInput, source_word};
use onceflow_study::Scope;

use super::ready::Candidate;
use super::residence::SiteNode;
use super::site::{SiteEffect, Standing, Surroundings};
use super::{Instruction, Scheduler};
use crate::Instance;

/// What has turned out to be equal.
#[derive(Debug)]
pub(super) struct Duplicates {
    merger: Merger,
    /// Who waits for a leader to be over.
    followers: HashMap<SiteNode, Vec<Candidate>>,
    retained: Retained,
    /// The word of each source.
    sources: Vec<u64>,
    options: DuplicateOptions,
}

/// What may turn out to be equal, and what is kept for it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DuplicateOptions {
    /// Tasks of which every node runs: all their outputs are kept or shown.
    pub tasks: Vec<usize>,
    /// Nodes that always run: their outputs are kept or shown.
    pub nodes: Vec<NodeId>,
    /// Most bytes of outputs that are kept without readers.
    pub retained: u64,
    /// The number of this execution among those of a run, which share what they know of contents.
    pub execution: u32,
    /// The contents of sources that an earlier execution made, by source and part.
    pub contents: HashMap<(usize, usize), ContentDigest>,
}

/// Outputs without readers, the oldest first.
#[derive(Debug, Default)]
struct Retained {
    most: u64,
    bytes: u64,
    next: u64,
    order: BTreeMap<u64, SiteNode>,
    of: BTreeMap<SiteNode, RetainedOutputs>,
}

/// Outputs that are retained.
#[derive(Clone, Copy, Debug)]
struct RetainedOutputs {
    /// When they came.
    came: u64,
    bytes: u64,
    /// Whether a copy lies below memory.
    copied: bool,
}

impl Scheduler<'_> {
    /// Merges instances that turn out to be equal. The executor says what outputs hold
    /// ([`Scheduler::learn`]).
    #[must_use]
    pub fn finding_duplicates(mut self, options: DuplicateOptions) -> Self {
        let retained = Retained { most: options.retained, ..Retained::default() };
        let (merger, followers) = (Merger::default(), HashMap::new());
        let sources = self.plan().flow().sources.iter().map(|name| source_word(name)).collect();
        self.duplicates = Some(Duplicates { merger, followers, retained, sources, options });
        self
    }

    /// The outputs of an instance, which is about to be told to be over, have these digests; an output without a digest equals no other.
    pub fn learn(&mut self, instance: Instance, digests: &[ContentDigest]) {
        let outputs = self.plan().flow().tasks[self.plan().task_of(instance.node)].outputs.len();
        if let (Some((sequence, node)), Some(duplicates)) = (self.home(instance), &mut self.duplicates) {
            let unlike = |output| ContentDigest::unlike(duplicates.options.execution, sequence, node, output);
            let unlike: Vec<ContentDigest> = (digests.len()..outputs).map(unlike).collect();
            duplicates.merger.learn(sequence, NodeId(node), &[digests, &unlike].concat());
        }
    }

    /// What each input of an instance holds; none where that is not asked for or not known.
    pub fn input_digests(&self, instance: Instance) -> Vec<ContentDigest> {
        self.home(instance).and_then(|home| self.digests_at(home)).unwrap_or_default()
    }

    /// The instance whose outputs are those of this one: itself, or the one that it turned out to be equal to.
    pub fn stands_for(&self, instance: Instance) -> Instance {
        let home = self.home(instance).filter(|_| self.duplicates.is_some());
        home.map_or(instance, |home| Instance { node: NodeId(self.maker(home).1), ..instance })
    }

    /// The node, of the same site, that made the outputs of a node.
    pub(super) fn maker(&self, (sequence, node): SiteNode) -> SiteNode {
        let same = self.sites.site(sequence).and_then(|site| site.same_as(node));
        (sequence, same.unwrap_or(node))
    }

    /// All that a node needs is there: it is queued, unless its work is done already or about to be.
    pub(super) fn meet(&mut self, candidate: Candidate) {
        let home = candidate.home();
        let Some(met) = self.met(home) else { return self.queue(candidate) };
        match self.leader(home.0, &met) {
            // No row needed it for a while.
            Some((leader, _)) if leader == home => self.queue(candidate),
            Some((leader, Standing::Open)) => self.follow(candidate, leader),
            Some((leader, Standing::Over)) => self.adopt(home, leader),
            Some((leader, Standing::Released)) if self.revive(leader) => self.adopt(home, leader),
            _ => self.lead(candidate, met),
        }
    }

    /// A leader is over, and so are its followers.
    pub(super) fn adopt_followers(&mut self, leader: SiteNode) {
        for follower in self.take_followers(leader) {
            self.adopt(follower.home(), leader);
            self.drop_hold(leader);
        }
    }

    /// A leader that no row needs will not run: its followers are met again.
    pub(super) fn abandon_followers(&mut self, leader: SiteNode) {
        for follower in self.take_followers(leader) {
            self.drop_hold(leader);
            self.meet(follower);
        }
        self.apply(leader.0);
    }

    /// Keeps outputs without readers in memory if there is room for them, and says whether it does. A copy of them
    /// that lies below stays there.
    pub(super) fn retain(&mut self, home: SiteNode, copied: bool) -> bool {
        let task = self.diversions.task(home.1);
        let bytes = self.memory.outputs(task, self.pixels(home.0, task));
        let Some(Duplicates { retained, options, .. }) = &mut self.duplicates else { return false };
        if bytes > retained.most || options.tasks.contains(&task) {
            return false;
        }
        retained.push(home, bytes, copied);
        while self.duplicates.as_ref().is_some_and(|c| c.retained.is_over()) && self.drop_oldest() {}
        true
    }

    /// Whether outputs without readers are still in memory.
    pub(super) fn is_retained(&self, home: SiteNode) -> bool {
        self.duplicates.as_ref().is_some_and(|duplicates| duplicates.retained.of.contains_key(&home))
    }

    /// What a node is made again from is read.
    pub(super) fn revive_inputs(&mut self, home: SiteNode) {
        let retained: Vec<SiteNode> =
            self.own_inputs(home).filter(|input| self.is_retained(*input)).collect();
        retained.into_iter().for_each(|input| _ = self.revive(input));
    }

    /// Gives the memory back of what was retained longest; false when nothing is.
    pub(super) fn drop_oldest(&mut self) -> bool {
        let oldest = self.duplicates.as_ref().and_then(|duplicates| duplicates.retained.oldest());
        oldest.inspect(|home| self.drop_retained(*home)).is_some()
    }

    /// Nothing more is done at a site.
    pub(super) fn end_duplicates(&mut self, sequence: u32) {
        let Some(duplicates) = &mut self.duplicates else { return };
        duplicates.merger.close(sequence);
        duplicates.retained.at(sequence).into_iter().for_each(|home| self.drop_retained(home));
    }

    /// What a node is to do, as it shows now; none when it is to run whatever others did.
    fn met(&self, home: SiteNode) -> Option<Met> {
        let DuplicateOptions { tasks, nodes, .. } = &self.duplicates.as_ref()?.options;
        let (node, flow) = (self.plan().spelled(NodeId(home.1)), self.plan().flow());
        if tasks.contains(&node.task) || nodes.contains(&NodeId(home.1)) || !flow.repeats(node.task) {
            return None;
        }
        Some(Met { task: node.task, parameters: node.parameters, inputs: self.digests_at(home)? })
    }

    fn digests_at(&self, (sequence, node): SiteNode) -> Option<Vec<ContentDigest>> {
        let Duplicates { merger, sources, options, .. } = self.duplicates.as_ref()?;
        let (scope, site) = (self.shape.scope[self.diversions.task(node)], self.sites.index(sequence));
        let content = |input: NodeInput| match input {
            NodeInput::Source(source) => {
                let made = options.contents.get(&(source, site)).filter(|_| scope == Scope::Part);
                Some(made.copied().unwrap_or_else(|| ContentDigest::source(sources[source], scope, site)))
            }
            NodeInput::Empty { kind } => Some(ContentDigest::empty(kind, scope, site)),
            NodeInput::Node { node, output } => {
                let place = self.sites.around(sequence, self.shape.scope[self.plan().task_of(node)])?;
                merger.digests(place, node)?.get(output).copied()
            }
        };
        self.plan().inputs_of(NodeId(node)).map(content).collect()
    }

    /// Who was first to do a piece of work at a site, and how far it is.
    fn leader(&self, sequence: u32, met: &Met) -> Option<(SiteNode, Standing)> {
        let node = self.duplicates.as_ref()?.merger.first(sequence, met)?.0;
        Some(((sequence, node), self.sites.site(sequence)?.standing(node)))
    }

    fn lead(&mut self, candidate: Candidate, met: Met) {
        if let Some(duplicates) = &mut self.duplicates {
            duplicates.merger.lead(candidate.sequence, met, NodeId(candidate.node));
        }
        self.queue(candidate);
    }

    /// A follower holds what its leader will make.
    fn follow(&mut self, candidate: Candidate, leader: SiteNode) {
        if let (Some(duplicates), Some(site)) = (&mut self.duplicates, self.sites.site_mut(leader.0)) {
            duplicates.followers.entry(leader).or_default().push(candidate);
            site.hold(leader.1);
        }
    }

    fn take_followers(&mut self, leader: SiteNode) -> Vec<Candidate> {
        self.duplicates.as_mut().and_then(|c| c.followers.remove(&leader)).unwrap_or_default()
    }

    fn drop_hold(&mut self, (sequence, node): SiteNode) {
        let Self { sites, effects, .. } = self;
        if let Some(site) = sites.site_mut(sequence) {
            site.drop_hold(node, effects);
        }
    }

    /// A node is over as its leader is, with the leader's outputs.
    fn adopt(&mut self, home: SiteNode, leader: SiteNode) {
        let Self { shape, diversions, effects, sites, duplicates, .. } = self;
        if let (Some(duplicates), Some(site)) = (duplicates, sites.site_mut(home.0)) {
            duplicates.merger.learn_from(home.0, NodeId(home.1), NodeId(leader.1));
            site.adopt(home.1, leader.1, &mut Surroundings { shape, diversions, effects });
        }
        let (instance, same_as) = (self.instance(home.0, home.1), self.instance(leader.0, leader.1));
        self.instructions.push_back(Instruction::Same { instance, same_as });
    }

    /// Outputs that were retained, or are just about to be let go, are read again; false when they are gone.
    fn revive(&mut self, home: SiteNode) -> bool {
        let leaving = self.effects.iter().position(|effect| *effect == SiteEffect::Release { node: home.1 });
        let retained = self.duplicates.as_mut().and_then(|duplicates| duplicates.retained.remove(home));
        match (leaving, retained) {
            (Some(at), _) => _ = self.effects.remove(at),
            (None, Some(held)) => self.hold_again(home, held),
            (None, None) => return false,
        }
        if let Some(site) = self.sites.site_mut(home.0) {
            site.revive(home.1);
        }
        true
    }

    /// What was retained is read again, and was written before or not.
    fn hold_again(&mut self, home: SiteNode, held: RetainedOutputs) {
        self.note_made(home.0, home.1, self.diversions.task(home.1));
        if held.copied {
            self.residence.note_copy(home);
        }
    }

    fn drop_retained(&mut self, home: SiteNode) {
        if let Some(held) = self.duplicates.as_mut().and_then(|c| c.retained.remove(home)) {
            self.memory.give_back(held.bytes);
            self.instructions.push_back(Instruction::Release(self.instance(home.0, home.1)));
        }
    }
}

impl Retained {
    fn push(&mut self, home: SiteNode, bytes: u64, copied: bool) {
        self.next += 1;
        self.bytes += bytes;
        self.of.insert(home, RetainedOutputs { came: self.next, bytes, copied });
        // What takes no room need not make any.
        if bytes > 0 {
            self.order.insert(self.next, home);
        }
    }

    fn remove(&mut self, home: SiteNode) -> Option<RetainedOutputs> {
        let held = self.of.remove(&home)?;
        self.order.remove(&held.came);
        self.bytes -= held.bytes;
        Some(held)
    }

    fn oldest(&self) -> Option<SiteNode> {
        self.order.first_key_value().map(|(_, home)| *home)
    }

    fn is_over(&self) -> bool {
        self.bytes > self.most
    }

    fn at(&self, sequence: u32) -> Vec<SiteNode> {
        self.of.range((sequence, 0)..=(sequence, u32::MAX)).map(|(home, _)| *home).collect()
    }
}
