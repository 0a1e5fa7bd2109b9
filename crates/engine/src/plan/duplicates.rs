//! What turned out to be the same while a study ran, as a list that `why` reads again.

use std::collections::HashMap;
use std::fmt::Write as _;

use onceflow_reuse::{NodeId, Plan};
use onceflow_runtime::Instance;
use onceflow_study::counted;

use crate::plan::{earlier, object_origins};

/// Instances that turned out to be the same as other nodes of their site.
pub(crate) type Duplicates = HashMap<Instance, NodeId>;

/// The head of the list.
pub(crate) const HEAD: &str = "phase,task,site,row,same_as\n";

/// One line per instance that turned out to be what another row had made; rows are those of the table, each the first that
/// asked.
pub(crate) fn lines(phase: &str, plan: &Plan, same: &Duplicates, first: usize) -> String {
    let mut found: Vec<_> = same.iter().collect();
    found.sort_unstable();
    let mut text = String::new();
    for (instance, other) in found {
        let task = &plan.flow().tasks[plan.task_of(instance.node)].name;
        let row = |node| first + plan.first_row(node) as usize;
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{phase},{task},{},{},{}", instance.site, row(instance.node), row(*other));
    }
    text
}

/// What a run of a study found out about its first phase.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FoundSame {
    found: Vec<Same>,
    phase: String,
    /// Where objects came from, as a run lists it.
    objects: String,
    /// What came from earlier runs, as a run lists it.
    earlier: String,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Same {
    task: String,
    site: usize,
    row: usize,
    same_as: usize,
}

impl FoundSame {
    /// Reads the list of a run, of which only one phase counts.
    ///
    /// # Errors
    /// The number of a line that is not an entry, and its text.
    pub fn read(text: &str, phase: &str) -> Result<Self, (usize, String)> {
        let mut lines = text.lines().zip(1..);
        match lines.next() {
            Some((head, _)) if head == HEAD.trim_end() => {}
            other => return Err((1, other.map_or("", |(head, _)| head).to_owned())),
        }
        let mut found = Vec::new();
        for (line, number) in lines {
            let fields: Vec<&str> = line.rsplitn(5, ',').collect();
            let [same_as, row, site, task, of] = fields[..] else { return Err((number, line.to_owned())) };
            let parsed = (|| Some((site.parse().ok()?, row.parse().ok()?, same_as.parse().ok()?)))();
            let Some((site, row, same_as)) = parsed else { return Err((number, line.to_owned())) };
            if of == phase {
                found.push(Same { task: task.to_owned(), site, row, same_as });
            }
        }
        Ok(Self { found, phase: phase.to_owned(), ..Self::default() })
    }

    /// Where the task that a row was the first to ask for turned out to be another row's: which, and at how many sites.
    pub(crate) fn of(&self, task: &str, row: usize) -> Vec<(usize, usize)> {
        let mut rows: Vec<usize> = self
            .found
            .iter()
            .filter(|same| same.task == task && same.row == row)
            .map(|same| same.same_as)
            .collect();
        rows.sort_unstable();
        let groups = rows.chunk_by(|one, other| one == other);
        groups.filter_map(|group| Some((*group.first()?, group.len()))).collect()
    }

    /// The same with the list of where objects came from.
    #[must_use]
    pub fn with_objects(self, objects: String) -> Self {
        Self { objects, ..self }
    }

    /// The same with the list of what came from earlier runs.
    #[must_use]
    pub fn with_earlier(self, earlier: String) -> Self {
        Self { earlier, ..self }
    }

    /// The earlier runs that the results of a row came from, or those of a task that the row was the first to ask for.
    pub(crate) fn earlier_words(&self, task: Option<&str>, row: usize) -> String {
        earlier::words(&self.earlier, &self.phase, task, row)
    }

    /// Where the objects of the task that a row was the first to ask for came from, in words.
    pub(crate) fn object_words(&self, task: &str, row: usize) -> String {
        object_origins::words(&self.objects, &self.phase, task, row)
    }

    /// The same in words; empty when it did not.
    pub(crate) fn words(&self, task: &str, row: usize) -> String {
        let one =
            |(other, sites): &(usize, usize)| format!("that of row {other} on {}", counted(*sites, "part"));
        let found: Vec<String> = self.of(task, row).iter().map(one).collect();
        if found.is_empty() {
            return String::new();
        }
        format!("      in the run its inputs held the same, so it was {}\n", found.join(" and "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_read_and_others_refused() {
        let text = format!("{HEAD}screen,t5,0,7,3\nscreen,t5,1,7,3\nscreen,t5,2,7,4\nlater,t5,0,7,1\n");
        let found = FoundSame::read(&text, "screen").unwrap();
        assert_eq!(found.of("t5", 7), [(3, 2), (4, 1)]);
        assert_eq!(found.of("t5", 3), []);
        assert!(found.words("t5", 7).contains("row 3 on 2 parts and that of row 4 on 1 part"));
        assert_eq!(FoundSame::read("row,file\n", "screen"), Err((1, "row,file".into())));
        assert_eq!(FoundSame::read(&format!("{HEAD}a,b,c\n"), "screen"), Err((2, "a,b,c".into())));
        assert_eq!(FoundSame::read(&format!("{HEAD}a,b,c,1,2\n"), "screen"), Err((2, "a,b,c,1,2".into())));
    }
}
