//! Why a level finds work equal, in plain words.

use crate::{Account, Flow, Level};

/// What the level finds that the one before does not. The account is that of one part.
pub(super) fn because(
    flow: &Flow,
    account: &Account,
    level: Level,
    seconds: &dyn Fn(usize) -> f64,
) -> String {
    let scene = LevelPair { flow, account, seconds };
    match level {
        Level::None => String::new(),
        Level::Stage => scene.stage(),
        Level::Task => scene.task(),
        Level::Dataflow => scene.dataflow(),
        // What they find is not known before anything runs.
        Level::Convergent | Level::Object => String::new(),
    }
}

struct LevelPair<'p> {
    flow: &'p Flow,
    account: &'p Account,
    seconds: &'p dyn Fn(usize) -> f64,
}

impl LevelPair<'_> {
    fn stage(&self) -> String {
        let merged = self.merged(Level::Stage);
        let constant = |task: &usize| self.account.tasks[*task].left_at(Level::Stage) == 1;
        let (fixed, some): (Vec<_>, Vec<_>) = merged.into_iter().partition(constant);
        let unread = |task: &usize| self.reads_nothing(*task);
        let (unread, same): (Vec<_>, Vec<_>) = fixed.into_iter().partition(unread);
        let mut reasons = Vec::new();
        if !unread.is_empty() {
            reasons.push(format!("{} {} no parameter", self.names(&unread), verb(&unread, "read")));
        }
        if !same.is_empty() {
            reasons.push(format!("{} {} the same in every row", self.names(&same), verb(&same, "read")));
        }
        if !some.is_empty() {
            reasons.push(format!("some rows agree in all that is read in {}", self.stages(&some)));
        }
        if reasons.is_empty() {
            "no two rows agree in all that a stage reads".into()
        } else {
            reasons.join("; ")
        }
    }

    fn task(&self) -> String {
        match self.merged(Level::Task).last() {
            Some(last) => format!("equal beginnings of the chain, up to {}", self.flow.tasks[*last].name),
            None => "no two rows begin a chain alike".into(),
        }
    }

    /// The task that saves most, and those with the same reason: what they would wait for in a chain and do not need.
    fn dataflow(&self) -> String {
        let merged = self.merged(Level::Dataflow);
        let saved = |task: usize| self.account.tasks[task].by[2] as f64 * (self.seconds)(task);
        let most = merged.iter().copied().max_by(|a, b| saved(*a).total_cmp(&saved(*b)).then(b.cmp(a)));
        let Some(most) = most else {
            return "no two tasks are equal beyond the beginnings of their chains".into();
        };
        let strangers = self.strangers(most);
        let alike: Vec<_> = merged.into_iter().filter(|task| self.strangers(*task) == strangers).collect();
        let (names, need) = (self.names(&alike), verb(&alike, "need"));
        if strangers.is_empty() {
            return format!("{names} {need} only some of what the stage takes");
        }
        format!("{names} {need} nothing of {}", self.names(&strangers))
    }

    /// The tasks of which the level merges some.
    fn merged(&self, level: Level) -> Vec<usize> {
        let by = level as usize - Level::Stage as usize;
        (0..self.flow.tasks.len()).filter(|task| self.account.tasks[*task].by[by] > 0).collect()
    }

    /// Whether neither a task nor anything it depends on reads a parameter of the rows.
    fn reads_nothing(&self, task: usize) -> bool {
        let silent = |task: usize| self.flow.tasks[task].parameters().next().is_none();
        self.depends_on(task).into_iter().enumerate().all(|(task, needed)| !needed || silent(task))
    }

    /// Tasks before this one in its chain that differ between rows and that it does not depend on.
    fn strangers(&self, task: usize) -> Vec<usize> {
        let needed = self.depends_on(task);
        let chain = self.flow.stages[self.flow.tasks[task].stage].tasks.iter().copied();
        let before = chain.take_while(|other| *other != task);
        before
            .filter(|other| !needed[*other] && self.account.tasks[*other].left_at(Level::Dataflow) > 1)
            .collect()
    }

    /// For each task whether this one is it or needs a region that it had a part in.
    fn depends_on(&self, task: usize) -> Vec<bool> {
        let mut needed = vec![false; self.flow.tasks.len()];
        needed[task] = true;
        for at in (0..=task).rev() {
            if needed[at] {
                for maker in self.flow.tasks[at].inputs.iter().filter_map(|input| input.maker()) {
                    needed[maker] = true;
                }
            }
        }
        needed
    }

    fn names(&self, tasks: &[usize]) -> String {
        listed(tasks.iter().map(|task| self.flow.tasks[*task].name.as_str()).collect())
    }

    fn stages(&self, tasks: &[usize]) -> String {
        let mut names: Vec<_> =
            tasks.iter().map(|task| self.flow.stages[self.flow.tasks[*task].stage].name.as_str()).collect();
        names.dedup();
        listed(names)
    }
}

/// A sentence names that many; of more it says how many.
const FEW: usize = 4;

/// `a`, `a and b`, `a, b and c`, `a, b, c and 5 more`.
fn listed(names: Vec<&str>) -> String {
    let mut names: Vec<String> = names.into_iter().map(str::to_owned).collect();
    if names.len() > FEW {
        let more = names.split_off(FEW - 1);
        names.push(format!("{} more", more.len()));
    }
    match names.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, before)) => format!("{} and {last}", before.join(", ")),
        None => String::new(),
    }
}

/// The verb for one or for several.
fn verb(tasks: &[usize], verb: &str) -> String {
    if tasks.len() == 1 { format!("{verb}s") } else { verb.to_owned() }
}
