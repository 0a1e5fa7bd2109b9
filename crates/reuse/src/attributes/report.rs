//! What identifies a described target, pass by pass, in bytes and in words.

use std::collections::{BTreeMap, HashSet};
use std::fmt;

use onceflow_study::with_commas;

use super::{AttributeError, AttributeGraph, AttributeSet, FlowDescription, MinimalAttributes, minimise};

/// Loops with more passes are shown by their first and last pass.
const MOST_PASSES: usize = 64;

/// Bytes of the key of the pass before.
const KEY: u64 = 32;

/// The attributes of a described target.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AttributeReport {
    /// What the graph is called.
    pub name: String,
    /// The target, as it is described.
    pub target: Vec<String>,
    /// One for each pass of the outermost loop around the target; one where there is none.
    pub passes: Vec<PassAttributes>,
}

/// The attributes of a target after some passes of its loop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PassAttributes {
    /// How many passes; none without a loop.
    pub pass: Option<usize>,
    /// The graph, unrolled.
    pub graph: AttributeGraph,
    /// What identifies the target in it.
    pub found: MinimalAttributes,
    /// Bytes that are looked up when the attributes of the pass before stand in as a key of 32 bytes; none where this pass
    /// is not identified by those and some more.
    pub chained: Option<u64>,
}

impl AttributeReport {
    /// Finds the attributes of a description.
    ///
    /// # Errors
    /// When the graph cannot be unrolled.
    pub fn new(described: &FlowDescription) -> Result<Self, AttributeError> {
        let mut passes: Vec<PassAttributes> = Vec::new();
        for (pass, described) in by_pass(described) {
            let graph = described.unroll()?;
            let found = minimise(&graph);
            let chained = passes.last().and_then(|before| chained(before, pass, &graph, &found.least));
            passes.push(PassAttributes { pass, graph, found, chained });
        }
        Ok(Self { name: described.name.clone(), target: described.target.clone(), passes })
    }
}

fn by_pass(described: &FlowDescription) -> Vec<(Option<usize>, FlowDescription)> {
    let Some(place) = described.loop_of_target() else { return vec![(None, described.clone())] };
    let all = described.loops[place].passes;
    let shown: Vec<usize> = match all {
        0..=MOST_PASSES => (1..=all.max(1)).collect(),
        _ => vec![1, all],
    };
    shown.into_iter().map(|pass| (Some(pass), described.with_passes(place, pass))).collect()
}

fn chained(
    before: &PassAttributes,
    pass: Option<usize>,
    graph: &AttributeGraph,
    least: &AttributeSet,
) -> Option<u64> {
    if before.pass.map(|pass| pass + 1) != pass {
        return None;
    }
    let names = |graph: &AttributeGraph, set: &AttributeSet| -> HashSet<String> {
        set.variables.iter().map(|place| graph.variables()[*place].name.clone()).collect()
    };
    let (old, new) = (names(&before.graph, &before.found.least), names(graph, least));
    let more = least.variables.iter().map(|place| &graph.variables()[*place]);
    let more: u64 =
        more.filter(|variable| !old.contains(&variable.name)).map(|variable| variable.bytes).sum();
    old.is_subset(&new).then_some(KEY + more)
}

impl PassAttributes {
    /// The names of attributes; copies of one variable as `prm (5 values)`.
    pub fn names(&self, set: &AttributeSet) -> Vec<String> {
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        for place in &set.variables {
            *counts.entry(&self.graph.variables()[*place].origin).or_default() += 1;
        }
        let word = |(name, count): (&str, usize)| match count {
            1 => name.to_owned(),
            many => format!("{name} ({many} values)"),
        };
        counts.into_iter().map(word).collect()
    }

    /// For each variable that enters the target and is no attribute, those that stand in for it.
    pub fn replaced(&self) -> Vec<(usize, AttributeSet)> {
        let least: HashSet<usize> = self.found.least.variables.iter().copied().collect();
        let replaced = self.found.initial.variables.iter().filter(|place| !least.contains(place));
        replaced.map(|place| (*place, self.graph.behind(*place, &least))).collect()
    }

    /// Why it is so, one line for each thing that was found.
    pub fn words(&self) -> Vec<String> {
        let bytes = |bytes: u64| format!("{} bytes", with_commas(bytes.into()));
        let replaced = self.replaced().into_iter().map(|(place, by)| {
            let variable = &self.graph.variables()[place];
            let names = match self.names(&by) {
                names if names.is_empty() => "nothing: it is always the same".to_owned(),
                names => format!("{}, {}", names.join(", "), bytes(by.bytes)),
            };
            format!("{} ({}) is replaced with {names}", variable.origin, bytes(variable.bytes))
        });
        let mut words: Vec<String> = replaced.collect();
        let kept = self.found.least.variables.iter().map(|place| &self.graph.variables()[*place]);
        let mut decided: Vec<&str> = kept.filter(|v| v.barrier).map(|v| v.origin.as_str()).collect();
        decided.dedup();
        words.extend(decided.into_iter().collect::<std::collections::BTreeSet<_>>().into_iter().map(
            |name| {
                format!("{name} is decided by a branch: its values stay, one for each pass (a value history)")
            },
        ));
        if self.found.least_c3.bytes > self.found.least.bytes {
            words.push(format!(
                "blocks whose results nothing else reads (condition C3) give {}: a smaller choice identifies the target, but some \
                 blocks that join must still run for others",
                bytes(self.found.least_c3.bytes)
            ));
        }
        words.push(match self.found.is_proved() {
            true => "proved: no attributes have fewer bytes".to_owned(),
            false => format!(
                "not proved: the search was given up, attributes of {} may exist",
                bytes(self.found.bound)
            ),
        });
        words
    }
}

impl AttributeGraph {
    /// The chosen variables from which a variable is computed.
    fn behind(&self, start: usize, chosen: &HashSet<usize>) -> AttributeSet {
        let mut into: Vec<Vec<usize>> = vec![Vec::new(); self.blocks().len()];
        for (place, variable) in self.variables().iter().enumerate() {
            variable.to.iter().for_each(|to| into[*to].push(place));
        }
        let (mut seen, mut left) = (HashSet::from([start]), vec![start]);
        let mut variables = Vec::new();
        while let Some(place) = left.pop() {
            if chosen.contains(&place) {
                variables.push(place);
                continue;
            }
            let from = self.variables()[place].from;
            left.extend(from.iter().flat_map(|from| &into[*from]).filter(|place| seen.insert(**place)));
        }
        variables.sort_unstable();
        AttributeSet {
            bytes: variables.iter().map(|v| self.variables()[*v].bytes).sum(),
            variables,
            joined: Vec::new(),
        }
    }
}

/// The table of passes, and the reasons of the last one.
impl fmt::Display for AttributeReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = if self.name.is_empty() { String::new() } else { format!("{}: ", self.name) };
        writeln!(f, "{name}what identifies the result of {}\n", self.target.join(", "))?;
        writeln!(
            f,
            "  {:<6}{:>18}{:>14}{:>14}{:>10}    attributes",
            "pass", "all inputs", "least", "with C3", "chained"
        )?;
        for pass in &self.passes {
            let number = |bytes: u64| with_commas(bytes.into());
            let MinimalAttributes { initial, least, least_c3, .. } = &pass.found;
            writeln!(
                f,
                "  {:<6}{:>18}{:>14}{:>14}{:>10}    {}",
                pass.pass.map_or_else(|| "-".to_owned(), |pass| pass.to_string()),
                number(initial.bytes),
                number(least.bytes),
                number(least_c3.bytes),
                pass.chained.map_or_else(|| "-".to_owned(), number),
                pass.names(least).join(", "),
            )?;
        }
        writeln!(f)?;
        let words = self.passes.last().map(PassAttributes::words).unwrap_or_default();
        words.iter().try_for_each(|line| writeln!(f, "  {line}"))
    }
}
