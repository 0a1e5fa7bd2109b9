//! Finding a cycle of blocks.

use super::AttributeGraph;

/// A cycle as `a -> b -> a`; none when every block can come after what it reads.
pub(super) fn cycle(graph: &AttributeGraph) -> Option<String> {
    let mut after = vec![Vec::new(); graph.blocks.len()];
    let mut waits = vec![0_usize; graph.blocks.len()];
    for variable in &graph.variables {
        for (from, to) in variable.from.iter().flat_map(|from| variable.to.iter().map(move |to| (*from, *to)))
        {
            after[from].push(to);
            waits[to] += 1;
        }
    }
    let mut ready: Vec<usize> = (0..waits.len()).filter(|block| waits[*block] == 0).collect();
    while let Some(block) = ready.pop() {
        for next in &after[block] {
            waits[*next] -= 1;
            if waits[*next] == 0 {
                ready.push(*next);
            }
        }
    }
    let start = waits.iter().position(|count| *count > 0)?;
    Some(walk(graph, &before(&after, &waits), start))
}

/// For each block that waits, one that waits before it.
fn before(after: &[Vec<usize>], waits: &[usize]) -> Vec<usize> {
    let mut before = vec![usize::MAX; after.len()];
    for block in (0..after.len()).filter(|block| waits[*block] > 0) {
        for next in &after[block] {
            before[*next] = before[*next].min(block);
        }
    }
    before
}

/// Walking back among blocks that wait must meet itself.
fn walk(graph: &AttributeGraph, before: &[usize], start: usize) -> String {
    let mut met = vec![false; before.len()];
    let mut at = start;
    while !std::mem::replace(&mut met[at], true) {
        at = before[at];
    }
    let (end, mut path) = (at, vec![graph.blocks[at].as_str()]);
    loop {
        at = before[at];
        path.push(&graph.blocks[at]);
        if at == end {
            break;
        }
    }
    path.reverse();
    path.join(" -> ")
}
