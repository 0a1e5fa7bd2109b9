//! A run by hand that checks every instruction as it comes, against what the oracle says.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use onceflow_reuse::{Account, ContentDigest, Level, NodeInput, Plan};
use onceflow_runtime::{
    Cause, Event, Instance, Instruction, RowOutcome, Scheduler, SchedulerError, TaskOutcome,
};
use onceflow_study::{Repeats, Scope};

use super::oracle::{Fate, Oracle, RowFate};
use super::{Dice, World, empty_content, source_content};

/// A run by hand that checks every instruction as it comes.
pub struct Driver<'w> {
    world: &'w World,
    oracle: &'w Oracle<'w>,
    dice: Dice,
    running: Vec<Instance>,
    /// Outputs on their way, and whether down.
    moving: Vec<(Instance, bool)>,
    /// Outputs below memory.
    below: HashSet<Instance>,
    /// Outputs that were let go to be made again.
    gone: HashSet<Instance>,
    /// What runs again, and how often something did.
    again: HashSet<Instance>,
    twice: HashSet<Instance>,
    pub recomputed: u64,
    /// Whether what lies below sometimes takes nothing.
    pub refuses: bool,
    /// How often each instance may fail for a reason that passes.
    pub hiccups: u32,
    attempts: HashMap<Instance, u32>,
    /// Those that failed so last: they are not tried again when nobody wants them any more, or another did the same.
    given_up: HashSet<Instance>,
    /// What each instance gave.
    contents: HashMap<Instance, u64>,
    /// Those that were found to be equal to others.
    pub same: HashMap<Instance, Instance>,
    /// Instances whose outputs are there.
    pub kept: HashSet<Instance>,
    released: HashSet<Instance>,
    pub ran: Vec<(Scope, usize, usize, u64)>,
    pub failed: usize,
    pub over: BTreeSet<(Scope, usize, usize, u64)>,
    pub rows: BTreeMap<(usize, usize), RowOutcome>,
}

impl<'w> Driver<'w> {
    pub fn new(oracle: &'w Oracle<'w>, seed: u64) -> Self {
        Self {
            world: oracle.world,
            oracle,
            dice: Dice(seed),
            running: Vec::new(),
            moving: Vec::new(),
            below: HashSet::new(),
            gone: HashSet::new(),
            again: HashSet::new(),
            twice: HashSet::new(),
            recomputed: 0,
            refuses: false,
            hiccups: 0,
            attempts: HashMap::new(),
            given_up: HashSet::new(),
            contents: HashMap::new(),
            same: HashMap::new(),
            kept: HashSet::new(),
            released: HashSet::new(),
            ran: Vec::new(),
            failed: 0,
            over: BTreeSet::new(),
            rows: BTreeMap::new(),
        }
    }

    /// Runs until nothing is left, or until `events` of them have happened.
    pub fn run(
        &mut self,
        scheduler: &mut Scheduler<'_>,
        workers: usize,
        events: usize,
    ) -> Result<(), SchedulerError> {
        for event in 0.. {
            if event == events {
                scheduler.handle(Event::Stop);
            }
            assert!(event < 100_000, "it never ends");
            while let Some(instruction) = scheduler.next()? {
                self.obey(scheduler.plan(), instruction);
                let busy = self.running.len() + self.moving.len();
                assert!(busy <= workers, "more instances run than there are workers");
            }
            let Some(event) = self.happen(scheduler.plan()) else { break };
            if let Event::Finished { instance, outcome: TaskOutcome::Done | TaskOutcome::Ended(_) } = &event {
                scheduler.learn(*instance, &self.outputs(scheduler.plan(), *instance));
            }
            scheduler.handle(event);
        }
        assert!(scheduler.is_finished(), "nothing runs, but the scheduler is not finished");
        assert_eq!(scheduler.next(), Ok(None), "an instruction after the end");
        Ok(())
    }

    /// Something that runs or moves is over.
    fn happen(&mut self, plan: &Plan) -> Option<Event> {
        let busy = self.running.len() + self.moving.len();
        if busy == 0 {
            return None;
        }
        let which = self.dice.roll(busy);
        if which < self.running.len() {
            let instance = self.running.swap_remove(which);
            if self.again.remove(&instance) {
                self.gone.remove(&instance);
                assert!(self.kept.insert(instance), "it was there all the time");
                return Some(Event::Finished { instance, outcome: TaskOutcome::Done });
            }
            let tried = self.attempts.entry(instance).or_default();
            if *tried < self.hiccups && self.dice.chance(30) {
                *tried += 1;
                self.given_up.insert(instance);
                let outcome = TaskOutcome::Failed { message: "away".into(), transient: true };
                return Some(Event::Finished { instance, outcome });
            }
            let outcome = self.finish(plan, instance);
            return Some(Event::Finished { instance, outcome });
        }
        let (instance, down) = self.moving.swap_remove(which - self.running.len());
        let moved = !(down && self.refuses && self.dice.roll(3) == 0);
        if moved && down {
            assert!(self.kept.remove(&instance) && self.below.insert(instance), "it is not in memory");
        } else if !down {
            assert!(self.kept.insert(instance), "it is in memory already");
        }
        Some(Event::Moved { instance, moved })
    }

    fn leave(&mut self, plan: &Plan, instance: Instance) {
        assert!(self.kept.contains(&instance), "it is not in memory");
        for reader in &self.running {
            assert!(!self.inputs(plan, *reader).contains(&instance), "it leaves while it is read");
        }
    }

    fn obey(&mut self, plan: &Plan, instruction: Instruction) {
        match instruction {
            Instruction::Run { instance, cause: Cause::MadeAgain, .. } => self.start_again(plan, instance),
            Instruction::Run { instance, attempt, .. } => self.start(plan, instance, attempt),
            Instruction::Same { instance, same_as } => {
                // One that failed for a reason that passes, and was wanted by nobody for a while, may find another's.
                assert!(!self.contents.contains_key(&instance) || self.given_up.contains(&instance));
                assert!(!self.same.contains_key(&same_as), "what is equal to another leads");
                let content = self.content(plan, instance);
                assert_eq!(content, self.contents[&same_as], "what is taken for equal is not");
                self.contents.insert(instance, content);
                self.same.insert(instance, same_as);
            }
            Instruction::Spill(instance) => {
                self.leave(plan, instance);
                assert!(!self.below.contains(&instance), "it is written twice");
                self.moving.push((instance, true));
            }
            Instruction::Drop(instance) => {
                self.leave(plan, instance);
                self.kept.remove(&instance);
                if !self.below.contains(&instance) && !self.released.contains(&instance) {
                    self.gone.insert(instance);
                }
            }
            Instruction::Restore(instance) => {
                assert!(self.below.contains(&instance), "it is not below");
                assert!(!self.kept.contains(&instance), "it is in memory");
                self.moving.push((instance, false));
            }
            Instruction::Release(instance) => {
                let (above, below) = (self.kept.remove(&instance), self.below.remove(&instance));
                let gone = self.gone.remove(&instance);
                assert!(above || below || gone, "released what is not there");
                assert!(self.moving.iter().all(|(moving, _)| *moving != instance), "released on its way");
                // What had been released may be made once more for others, and goes again.
                assert!(self.released.insert(instance) || self.twice.contains(&instance), "released twice");
                for reader in &self.running {
                    assert!(!self.inputs(plan, *reader).contains(&instance), "released while it is read");
                }
            }
            Instruction::Row { row, part, outcome, results } => {
                for (task, result) in self.world.flow.results.iter().zip(&results) {
                    let fate = &self.oracle.fates[&(part, row)];
                    let ended = fate.ended[self.world.flow.tasks[*task].stage];
                    assert_eq!(result.is_none(), ended);
                    if let Some(result) = result {
                        assert!(self.kept.contains(result), "a result is not there");
                        assert_eq!(fate.tasks[*task], Fate::Runs(self.contents[result]));
                    }
                }
                assert!(self.rows.insert((part, row), outcome).is_none(), "a row is told twice");
            }
        }
    }

    /// What was let go is made again: its inputs are there, and it gives what it gave.
    fn start_again(&mut self, plan: &Plan, instance: Instance) {
        for input in self.inputs(plan, instance) {
            assert!(self.kept.contains(&input), "an input is not there");
        }
        assert!(!self.kept.contains(&instance), "it is there");
        let let_go = self.gone.contains(&instance) || self.released.contains(&instance);
        assert!(let_go && !self.below.contains(&instance), "it was not let go");
        let task = plan.task_of(instance.node);
        assert_eq!(self.world.flow.tasks[task].spec.repeats, Repeats::Exact);
        assert_eq!(self.content(plan, instance), self.contents[&instance]);
        assert!(self.again.insert(instance));
        self.twice.insert(instance);
        assert!(self.recomputed < 100_000, "it is made again and again");
        self.recomputed += 1;
        self.running.push(instance);
    }

    fn start(&mut self, plan: &Plan, instance: Instance, attempt: u32) {
        for input in self.inputs(plan, instance) {
            assert!(self.kept.contains(&input), "an input is not there");
        }
        self.given_up.remove(&instance);
        let content = self.content(plan, instance);
        assert_eq!(self.attempts.get(&instance).copied().unwrap_or(0), attempt);
        assert_eq!(self.contents.insert(instance, content).is_some(), attempt > 0, "an instance runs twice");
        let place = self.place(plan, instance);
        assert!(self.oracle.allowed.contains(&place), "nobody needs {place:?}");
        assert!(self.is_due(place), "{place:?} starts before the tasks that may end it");
        if attempt == 0 {
            self.ran.push(place);
        }
        self.running.push(instance);
    }

    /// Whether for some row all that comes before is over, or is not needed for it.
    fn is_due(&self, (scope, site, task, content): (Scope, usize, usize, u64)) -> bool {
        let before = self.oracle.before(task);
        let fates =
            self.oracle.fates.iter().filter(|((part, _), _)| self.world.layout.site(scope, *part) == site);
        let due = |(part, fate): (usize, &RowFate)| {
            fate.tasks[task] == Fate::Runs(content)
                && before.iter().all(|task| match fate.tasks[*task] {
                    Fate::Runs(content) => self.over.contains(&self.oracle.place(part, *task, content)),
                    Fate::Ended => true,
                    Fate::NotReached => false,
                })
        };
        let mut fates = fates.map(|((part, _), fate)| (*part, fate));
        // What rows that fail had begun is not in their fates: of those only the inputs are checked.
        !self.oracle.needed.contains(&(scope, site, task, content)) || self.has_failures() || fates.any(due)
    }

    fn has_failures(&self) -> bool {
        self.world.fails.contains(&true)
    }

    fn finish(&mut self, plan: &Plan, instance: Instance) -> TaskOutcome {
        let place = self.place(plan, instance);
        self.over.insert(place);
        let outcome = self.world.outcome(place.2, place.3);
        if matches!(outcome, TaskOutcome::Failed { .. }) {
            self.failed += 1;
        } else {
            self.kept.insert(instance);
        }
        outcome
    }

    fn place(&self, plan: &Plan, instance: Instance) -> (Scope, usize, usize, u64) {
        let task = plan.task_of(instance.node);
        (self.world.flow.scope(task), instance.site, task, self.contents[&instance])
    }

    fn inputs(&self, plan: &Plan, instance: Instance) -> Vec<Instance> {
        let inputs: Vec<NodeInput> = plan.inputs_of(instance.node).collect();
        let node = |input: &NodeInput| match input {
            NodeInput::Node { node, .. } => {
                let maker = self.instance(plan, *node, instance);
                Some(self.same.get(&maker).copied().unwrap_or(maker))
            }
            _ => None,
        };
        inputs.iter().filter_map(node).collect()
    }

    /// The instance of a node that another instance takes from.
    fn instance(&self, plan: &Plan, node: onceflow_reuse::NodeId, taker: Instance) -> Instance {
        let scope = |node: onceflow_reuse::NodeId| self.world.flow.scope(plan.task_of(node));
        let site = match (scope(taker.node), scope(node)) {
            (own, other) if own == other => taker.site,
            (Scope::Part, other) => self.world.layout.site(other, taker.site),
            _ => 0,
        };
        Instance { node, site }
    }

    fn content(&self, plan: &Plan, instance: Instance) -> u64 {
        let node = plan.spelled(instance.node);
        let input = |input: &NodeInput| match input {
            NodeInput::Source(source) => {
                source_content(*source, self.world.flow.scope(node.task), instance.site)
            }
            NodeInput::Empty { kind } => empty_content(*kind),
            NodeInput::Node { node, output } => {
                self.world.output(self.contents[&self.instance(plan, *node, instance)], *output)
            }
        };
        let inputs: Vec<u64> = node.inputs.iter().map(input).collect();
        self.world.content(node.task, node.row, &node.parameters, &inputs)
    }

    /// What the outputs of an instance hold.
    fn outputs(&self, plan: &Plan, instance: Instance) -> Vec<ContentDigest> {
        let outputs = 0..self.world.flow.tasks[plan.task_of(instance.node)].outputs.len();
        outputs
            .map(|output| ContentDigest([self.world.output(self.contents[&instance], output), 0, 0, 0]))
            .collect()
    }

    /// What must hold when a run was not stopped.
    pub fn check_end(&self, level: Level, account: &Account) {
        let told: BTreeMap<_, _> =
            self.oracle.fates.iter().map(|(at, fate)| (*at, fate.outcome.clone())).collect();
        assert_eq!(self.rows, told);
        assert!(self.kept.is_empty() && self.below.is_empty() && self.gone.is_empty(), "outputs stay behind");
        let ran: BTreeSet<_> = self.ran.iter().copied().collect();
        assert!(ran.is_superset(&self.oracle.needed), "something needed did not run");
        if !self.has_failures() {
            assert_eq!(ran, self.oracle.needed);
        }
        if level == Level::Convergent || (level == Level::Dataflow && self.world.variety == 0) {
            assert_eq!(ran.len(), self.ran.len(), "equal work ran twice");
        }
        self.check_account(account);
    }

    fn check_account(&self, account: &Account) {
        assert!(account.is_balanced());
        let given_up = self.given_up.len();
        assert_eq!(account.total().planned, (self.ran.len() - self.failed - given_up) as u64);
        if !self.has_failures() {
            assert_eq!(account.total().convergent, self.same.len() as u64);
        }
        for (task, entry) in account.tasks.iter().enumerate() {
            let scope = self.world.flow.scope(task);
            let sites: BTreeSet<usize> =
                self.parts().map(|part| self.world.layout.site(scope, part)).collect();
            assert_eq!(entry.asked, (sites.len() * self.world.values.len()) as u64);
            let ended = |((part, row), fate): (&(usize, usize), &RowFate)| {
                let site = self.world.layout.site(scope, *part);
                (fate.tasks[task] == Fate::Ended).then_some((site, *row))
            };
            let ended: BTreeSet<_> = self.oracle.fates.iter().filter_map(ended).collect();
            if !self.has_failures() {
                assert_eq!((entry.ended_early, entry.failed), (ended.len() as u64, 0));
            }
        }
    }

    fn parts(&self) -> impl Iterator<Item = usize> {
        0..self.world.layout.parts.len()
    }
}
