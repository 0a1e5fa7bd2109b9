//! Attributes: golden graphs, the paper's table, and a search through all extensions as the oracle.
#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stderr)]

use std::collections::BTreeSet;
use std::path::PathBuf;

use onceflow_reuse::attributes::{
    AttributeError, AttributeGraph, AttributeSet, DescribedLoop, DescribedVariable, FlowDescription, SOURCE,
    minimise, read_flow_descriptions,
};
use onceflow_study::{LocatedNode, SourceText, parse_json};
use proptest::prelude::*;

/// Figure 4 of the data-minimisation paper, with the sizes of its table 2.
const PAPER: &str = include_str!("../../../examples/memo/registration.toml");

fn read(name: &str, text: &str) -> Vec<FlowDescription> {
    read_flow_descriptions(&SourceText::new(name, text)).unwrap_or_else(|errors| panic!("{errors}"))
}

fn names(graph: &AttributeGraph, set: &AttributeSet) -> BTreeSet<String> {
    set.variables.iter().map(|place| graph.variables()[*place].name.clone()).collect()
}

fn set<const N: usize>(names: [&str; N]) -> BTreeSet<String> {
    names.into_iter().map(str::to_owned).collect()
}

#[test]
fn the_papers_table_comes_out() {
    let described = &read("registration.toml", PAPER)[0];
    let place = described.loop_of_target().unwrap();
    let prior = [680_058_008, 680_408_008, 680_408_008, 683_000_008, 683_000_008];
    for (pass, (least, initial)) in (1..).zip([20, 28, 36, 44, 52].into_iter().zip(prior)) {
        let graph = described.with_passes(place, pass).unroll().unwrap();
        let found = minimise(&graph);
        assert_eq!((found.initial.bytes, found.least.bytes), (initial, least), "pass {pass}");
        assert_eq!(found.least_c3.bytes, least, "pass {pass}");
        assert!(found.is_proved());
        let values = (1..=pass).map(|pass| format!("prm.{pass}"));
        assert_eq!(names(&graph, &found.least), values.chain(["n1".into(), "n2".into()]).collect());
    }
}

#[test]
fn a_value_with_several_readers_counts_once_and_c3_is_stricter() {
    let text = r#"{"target": ["work", "more"], "variables": [
        {"name": "n", "bytes": 6, "from": "source", "to": ["read"]},
        {"name": "x", "bytes": 1000, "from": "read", "to": ["work", "more", "show"]}]}"#;
    let graph = read("shared.json", text)[0].unroll().unwrap();
    let found = minimise(&graph);
    assert_eq!(found.initial.bytes, 1000);
    assert_eq!(names(&graph, &found.least), set(["n"]));
    assert_eq!(names(&graph, &found.least_c3), set(["x"]), "`show` needs what `read` makes");
}

#[test]
fn of_equal_attributes_those_nearest_the_target_are_taken() {
    let text = r#"{"target": ["c"], "variables": [
        {"name": "x", "bytes": 5, "from": "source", "to": ["a"]},
        {"name": "y", "bytes": 5, "from": "a", "to": ["b"]},
        {"name": "z", "bytes": 5, "from": "b", "to": ["c"]}]}"#;
    let graph = read("chain.json", text)[0].unroll().unwrap();
    let found = minimise(&graph);
    assert_eq!(names(&graph, &found.least), set(["z"]));
    assert!(found.least.joined.is_empty());
}

#[test]
fn a_barrier_keeps_its_maker_from_joining_its_readers() {
    // Joining `choose` saves 90 bytes by `big`, but `flag` is decided there and read by `middle`.
    let text = r#"{"target": ["work"], "variables": [
        {"name": "seed", "bytes": 10, "from": "source", "to": ["choose"]},
        {"name": "big", "bytes": 100, "from": "choose", "to": ["work"]},
        {"name": "flag", "bytes": 1, "from": "choose", "to": ["middle"], "barrier": true},
        {"name": "wide", "bytes": 30, "from": "middle", "to": ["work"]}]}"#;
    let graph = read("barrier.json", text)[0].unroll().unwrap();
    let found = minimise(&graph);
    assert_eq!(names(&graph, &found.least), set(["seed", "wide"]));
    assert_eq!(found.least.bytes, 40);
    assert!(found.is_proved());
}

#[test]
fn nested_loops_are_unrolled_and_carried_values_go_round_the_loop_that_is_named() {
    let text = r#"
target = ["step"]
[[variable]]
name = "start"
bytes = 100
from = "step"
to = ["step"]
first = "init"
[[variable]]
name = "seed"
bytes = 3
from = "source"
to = ["init"]
[[variable]]
name = "rate"
bytes = 8
from = "choose"
to = ["step"]
barrier = true
[[loop]]
name = "outer"
blocks = ["choose", "step"]
passes = 2
[[loop]]
name = "inner"
blocks = ["step"]
passes = 3
"#;
    // `start` goes round the inner loop: each outer pass begins with `init` again.
    let graph = read("nested.toml", text)[0].unroll().unwrap();
    assert_eq!(graph.blocks()[graph.target()[0]], "step.2.3");
    assert_eq!(names(&graph, &minimise(&graph).least), set(["rate.2", "seed"]));
    // Round the outer loop, every inner pass of the first outer pass reads what `init` made, and the last gives it on.
    let outer = text.replace("first = \"init\"", "first = \"init\"\naround = \"outer\"");
    let graph = read("nested.toml", &outer)[0].unroll().unwrap();
    assert_eq!(names(&graph, &minimise(&graph).least), set(["rate.1", "rate.2", "seed"]));
}

fn refusal(text: &str) -> String {
    let source = SourceText::new("graph.toml", text);
    match read_flow_descriptions(&source) {
        Err(errors) => errors.to_string(),
        Ok(described) => described[0].unroll().unwrap_err().to_string(),
    }
}

#[test]
fn what_is_wrong_is_said_with_its_place() {
    let variable = "[[variable]]\nname = \"x\"\nbytes = 1\nfrom = \"a\"\nto = [\"b\"]\n";
    let check = |text: String, words: &str| {
        let found = refusal(&text);
        assert!(found.contains(words), "{found}");
    };
    check(format!("target = [\"c\"]\n{variable}"), "target `c` is no block of the graph");
    check(format!("target = [\"source\"]\n{variable}"), "`source` is the target");
    check(format!("target = []\n{variable}"), "the graph has no target");
    check(format!("target = [\"b\"]\n{variable}{variable}"), "variable `x` stands twice");
    check("target = [\"b\"]\n".into(), "the flow graph has no variables");
    check(variable.replace("\"b\"", "\"source\"") + "[x]", "graph.toml:6:");
    check(format!("target = [\"b\"]\n{}", variable.replace("= 1", "= -1")), "graph.toml:4:9");
    check(
        format!("target = [\"b\"]\n{}", variable.replace("= 1", "= \"1 XB\"")),
        "a size in bytes such as 8",
    );
    check(format!("target = [\"b\"]\n{}", variable.replace("= 1", "= [1, 2]")), "has 2 sizes: expected one");
    check(format!("target = [\"b\"]\n{variable}first = \"b\"\n"), "no loop carries it");
    let back = variable
        .replace("\"x\"", "\"y\"")
        .replace("\"b\"", "\"t\"")
        .replace("\"a\"", "\"b\"")
        .replace("\"t\"", "\"a\"");
    check(format!("target = [\"b\"]\n{variable}{back}"), "cycles, found b -> a -> b");
    let round = "[[loop]]\nname = \"l\"\nblocks = [\"a\", \"b\"]\npasses = 0\n";
    check(format!("target = [\"b\"]\n{variable}{round}"), "loop `l` has no passes");
    check(
        format!("target = [\"b\"]\n{variable}{}", round.replace("= 0", "= 9000000000")),
        "expected fewer passes",
    );
    let other = round.replace("\"l\"", "\"m\"").replace("= 0", "= 2").replace("\"a\", ", "\"x\", ");
    check(format!("target = [\"b\"]\n{variable}{other}"), "loop `m` has the block `x`");
}

/// The answers beside a golden graph.
fn expected(node: &LocatedNode, key: &str) -> u64 {
    let set = node.as_table().unwrap().get(key).unwrap().as_table().unwrap();
    set.get("bytes").unwrap().as_number().unwrap() as u64
}

#[test]
fn golden_graphs_are_exact() {
    let folder = std::env::var_os("ONCEFLOW_GOLDEN").map_or_else(
        || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/golden"),
        PathBuf::from,
    );
    let file = folder.join("registration/attributes.json");
    let Ok(text) = std::fs::read_to_string(&file) else {
        eprintln!(
            "skipped: {} is not there; ONCEFLOW_GOLDEN names the folder of golden cases",
            file.display()
        );
        return;
    };
    let answers = parse_json(&SourceText::new("attributes.json", text.as_str())).unwrap();
    let answers = answers.as_list().unwrap();
    let described = read("attributes.json", &text);
    assert!(described.len() == answers.len() && answers.len() >= 51);
    for (described, answer) in described.iter().zip(answers) {
        let graph = described.unroll().unwrap();
        let found = minimise(&graph);
        let sets = [("initial", &found.initial), ("least", &found.least), ("least_c3", &found.least_c3)];
        for (key, set) in sets {
            assert_eq!(set.bytes, expected(answer, key), "{}: {key}", described.name);
        }
        assert!(found.is_proved(), "{}", described.name);
    }
}

/// Tries every extension of the target; bytes and joined blocks of the smallest, in general and with C3.
fn oracle(graph: &AttributeGraph) -> [(u64, usize); 2] {
    let target: BTreeSet<usize> = graph.target().iter().copied().collect();
    let mut above = target.clone();
    loop {
        let makers = graph.variables().iter().filter(|v| v.to.iter().any(|to| above.contains(to)));
        let more: Vec<usize> = makers.filter_map(|v| v.from).filter(|from| !above.contains(from)).collect();
        if more.is_empty() {
            break;
        }
        above.extend(more);
    }
    let free: Vec<usize> = above.difference(&target).copied().collect();
    let mut best = [(u64::MAX, usize::MAX); 2];
    for chosen in 0_u32..1 << free.len() {
        let extra: BTreeSet<usize> =
            (0..free.len()).filter(|n| chosen >> n & 1 == 1).map(|n| free[n]).collect();
        let all: BTreeSet<usize> = target.union(&extra).copied().collect();
        let joined = |v: &Option<usize>| v.is_some_and(|from| extra.contains(&from));
        let reads = |to: &[usize]| to.iter().any(|to| all.contains(to));
        if graph.variables().iter().any(|v| v.barrier && joined(&v.from) && reads(&v.to)) {
            continue;
        }
        let enters =
            graph.variables().iter().filter(|v| v.from.is_none_or(|f| !all.contains(&f)) && reads(&v.to));
        let answer = (enters.map(|v| v.bytes).sum(), extra.len());
        let c3 = graph.variables().iter().all(|v| !joined(&v.from) || v.to.iter().all(|to| all.contains(to)));
        best[0] = best[0].min(answer);
        if c3 {
            best[1] = best[1].min(answer);
        }
    }
    best
}

/// A variable of a random graph: bytes, readers further on, and whether a branch decides it.
type Drawn = (u64, Vec<usize>, bool);

fn description(blocks: usize, drawn: &[Vec<Drawn>], last: usize) -> FlowDescription {
    let name = |block: usize| if block == 0 { SOURCE.to_owned() } else { format!("v{block}") };
    let variable = |(from, number, (bytes, to, barrier)): (usize, usize, &Drawn)| DescribedVariable {
        name: format!("{}.{number}", name(from)),
        bytes: vec![*bytes],
        from: name(from),
        to: to.iter().map(|to| name(from + 1 + to % (blocks - from))).collect(),
        barrier: *barrier && from > 0,
        first: None,
        around: None,
    };
    let all = drawn.iter().take(blocks).enumerate();
    let all = all.flat_map(|(from, of)| of.iter().enumerate().map(move |(number, v)| (from, number, v)));
    let target = (blocks + 1 - last..=blocks).map(name).collect();
    FlowDescription { name: String::new(), variables: all.map(variable).collect(), loops: Vec::new(), target }
}

fn drawn_variable() -> impl Strategy<Value = Drawn> {
    let bytes = prop::sample::select(vec![0, 1, 2, 5, 8, 40, 300, 5000]);
    (bytes, prop::collection::vec(any::<usize>(), 1..4), prop::bool::weighted(0.2))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]
    #[test]
    fn the_cut_is_as_small_and_as_near_as_any_extension(
        blocks in 3_usize..10,
        drawn in prop::collection::vec(prop::collection::vec(drawn_variable(), 1..3), 10),
        last in 1_usize..3,
    ) {
        let graph = description(blocks, &drawn, last).unroll();
        // A last block that no variable goes to is none of the graph.
        prop_assume!(!matches!(graph, Err(AttributeError::UnknownTarget { .. })));
        let graph = graph.unwrap();
        let found = minimise(&graph);
        let answers = [&found.least, &found.least_c3].map(|set| (set.bytes, set.joined.len()));
        prop_assert_eq!(answers, oracle(&graph));
        prop_assert!(found.is_proved());
        prop_assert_eq!(minimise(&graph), found);
    }

    #[test]
    fn no_text_is_too_strange(text in "(\\PC|\\n){0,200}") {
        let _ = read_flow_descriptions(&SourceText::new("graph", text));
    }
}

/// A random graph of many blocks, by a generator that gives the same numbers everywhere.
fn large(blocks: usize, reach: usize, seed: u64) -> FlowDescription {
    let mut state = seed;
    let mut next = move |below: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % below
    };
    let sizes = [1, 2, 5, 8, 40, 300, 5000];
    let mut variable = |from: usize| {
        let room = reach.min(blocks - from);
        let to = (0..=next(3)).map(|_| next(room)).collect();
        (sizes[next(7)], to, next(100) < 15)
    };
    let drawn: Vec<Vec<Drawn>> =
        (0..blocks).map(|from| (0..1 + from % 2).map(|_| variable(from)).collect()).collect();
    description(blocks, &drawn, 1)
}

#[test]
fn the_smallest_attributes_of_ten_thousand_blocks_are_proved() {
    for (reach, seed) in [(10_000, 1), (10_000, 2), (100, 3), (10, 4), (5, 5)] {
        let graph = large(10_000, reach, seed).unroll().unwrap();
        let found = minimise(&graph);
        eprintln!(
            "reach {reach}: {} of {} bytes, {} joined",
            found.least.bytes,
            found.initial.bytes,
            found.least.joined.len()
        );
        assert!(found.is_proved(), "reach {reach}");
        assert!(found.least.bytes <= found.least_c3.bytes && found.least_c3.bytes <= found.initial.bytes);
    }
}

#[test]
fn a_chain_of_many_passes_is_unrolled() {
    let mut described = read("registration.toml", PAPER).remove(0);
    let DescribedLoop { passes, until, .. } = &mut described.loops[0];
    (*passes, *until) = (3000, 3000);
    described.variables.iter_mut().for_each(|variable| variable.bytes.truncate(1));
    let found = minimise(&described.unroll().unwrap());
    assert_eq!(found.least.bytes, 12 + 8 * 3000);
}
