//! Commands and blocks that are known, beside ccache; and the smallest attributes of large graphs.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

use onceflow_memo::BlockStore;
use onceflow_reuse::attributes::{DescribedVariable, FlowDescription, SOURCE, minimise};
use onceflow_terminal::Failure;

use super::figure;
use crate::figure::{BenchFigure, Goal};
use crate::program::{failed, onceflow};

/// Each time is the median of so many.
const TIMES: usize = 41;

/// Bytes of the file that the known command has written.
const OUTPUT: usize = 1 << 20;

/// Blocks of a random graph.
const BLOCKS: usize = 10_000;

fn median(mut work: impl FnMut() -> Result<(), Failure>) -> Result<f64, Failure> {
    work()?;
    let mut times = Vec::with_capacity(TIMES);
    for _ in 0..TIMES {
        let start = Instant::now();
        work()?;
        times.push(start.elapsed().as_secs_f64());
    }
    times.sort_by(f64::total_cmp);
    Ok(times[TIMES / 2])
}

/// Runs a command in a folder.
fn run(folder: &Path, command: &mut Command) -> Result<(), Failure> {
    let silent = command.current_dir(folder).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let status = silent.status().map_err(failed)?;
    if status.success() { Ok(()) } else { Err(failed(format!("a command ended with {status}"))) }
}

fn memo(arguments: &[&str]) -> Result<Command, Failure> {
    let mut command = Command::new(onceflow()?);
    command.arg("memo").args(["--store", "store"]).args(arguments).env("ONCEFLOW_PROGRESS", "never");
    Ok(command)
}

/// A known command: the whole process, beyond reading what it gave.
pub(super) fn commands() -> Result<Vec<BenchFigure>, Failure> {
    let folder = tempfile::tempdir().map_err(failed)?;
    let bytes = OUTPUT.to_string();
    let words = ["--writes", "out", "--", "sh", "-c", "head -c $0 /dev/urandom > out", &bytes];
    let known = median(|| run(folder.path(), &mut memo(&words)?))?;
    let reading = median(|| std::fs::read(folder.path().join("out")).map(drop).map_err(failed))?;
    let beyond = figure("known command of 1 MiB", (known - reading) * 1e3, "ms", Some(Goal::AtMost(5.0)));
    let start = median(|| run(folder.path(), Command::new(onceflow()?).arg("--version")))?;
    let starting = figure("of which starting the program", start * 1e3, "ms", None);
    Ok([beyond, starting].into_iter().chain(compiler(folder.path())?).collect())
}

/// A known call of a compiler, beside ccache where both are there.
fn compiler(folder: &Path) -> Result<Option<BenchFigure>, Failure> {
    let is_there = |program: &str| Command::new(program).arg("--version").output().is_ok();
    if !is_there("cc") {
        return Ok(None);
    }
    let source = "#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\nint main(void) { puts(\"known\"); return 0; }\n";
    std::fs::write(folder.join("a.c"), source).map_err(failed)?;
    let compile = ["-O2", "-c", "a.c", "-o", "a.o"];
    let words = [&["--reads", "a.c", "--writes", "a.o", "--", "cc"][..], &compile].concat();
    let ours = median(|| run(folder, &mut memo(&words)?))?;
    let peer = is_there("ccache").then(|| {
        let mut ccache = Command::new("ccache");
        ccache.arg("cc").args(compile).env("CCACHE_DIR", folder.join("ccache"));
        median(|| run(folder, &mut ccache))
    });
    let peer = peer.transpose()?.map(|seconds| seconds * 1e3);
    let value = figure("known call of cc (peer: ccache)", ours * 1e3, "ms", Some(Goal::Ratio(1.0)));
    Ok(Some(BenchFigure { peer, ..value }))
}

/// Beginning and ending a block of a program, with a product of 1 kB.
pub(super) fn blocks() -> Result<Vec<BenchFigure>, Failure> {
    const COUNT: u64 = 2000;
    let folder = tempfile::tempdir().map_err(failed)?;
    let open = || BlockStore::open(folder.path(), "bench", "1").map_err(failed);
    let product = [7; 1000];
    let all = |store: &BlockStore| -> Result<f64, Failure> {
        let start = Instant::now();
        for number in 0..COUNT {
            store.record("prm", &number.to_le_bytes());
            let mut block = store.begin("block");
            block.attribute("image", b"a.img").history("prm");
            if block.known().map_err(failed)? {
                block.product("vec").map_err(failed)?;
            } else {
                block.give("vec", &product).map_err(failed)?;
            }
            block.end().map_err(failed)?;
        }
        Ok(start.elapsed().as_secs_f64() / COUNT as f64 * 1e6)
    };
    let new = all(&open()?)?;
    let known = all(&open()?)?;
    Ok(vec![
        figure("known block, begin to end", known, "us", Some(Goal::AtMost(50.0))),
        figure("new block, begin to end", new, "us", Some(Goal::AtMost(50.0))),
    ])
}

/// The smallest attributes of random graphs, the slowest of several.
pub(super) fn attributes() -> Result<Vec<BenchFigure>, Failure> {
    let mut slowest: f64 = 0.0;
    for (reach, seed) in [(BLOCKS, 1), (BLOCKS, 2), (100, 3), (10, 4), (5, 5)] {
        let graph = random(reach, seed).unroll().map_err(failed)?;
        let start = Instant::now();
        let found = minimise(&graph);
        slowest = slowest.max(start.elapsed().as_secs_f64());
        if !found.is_proved() {
            return Err(failed("the smallest attributes were not proved"));
        }
    }
    Ok(vec![figure("smallest attributes of 10,000 blocks", slowest * 1e3, "ms", Some(Goal::AtMost(1000.0)))])
}

/// A graph whose blocks are read by blocks at most `reach` further on.
fn random(reach: usize, seed: u64) -> FlowDescription {
    let mut state = seed;
    let mut next = move |below: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % below
    };
    let name = |block: usize| if block == 0 { SOURCE.to_owned() } else { format!("v{block}") };
    let mut variables = Vec::new();
    for from in 0..BLOCKS {
        for number in 0..1 + from % 2 {
            let bytes = vec![[1, 2, 5, 8, 40, 300, 5000][next(7)]];
            let readers = 1 + next(3);
            let to = (0..readers).map(|_| name(from + 1 + next(reach.min(BLOCKS - from)))).collect();
            let barrier = from > 0 && next(100) < 15;
            let (name, from) = (format!("x{from}.{number}"), name(from));
            variables.push(DescribedVariable { name, bytes, from, to, barrier, first: None, around: None });
        }
    }
    FlowDescription { name: String::new(), variables, loops: Vec::new(), target: vec![name(BLOCKS)] }
}
