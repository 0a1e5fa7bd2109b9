//! Figures of the image operations on one tile: their times on one thread beside those of peers on the same tile, beside
//! the time of merely moving the bytes, and on masks that trouble algorithms; and how much faster all threads are.

mod clock;
mod folder;
mod goals;
mod operations;
mod peers;
mod shapes;
mod tile;

use std::num::NonZeroUsize;

use onceflow_terminal::{Failure, Terminal};

use crate::args::BenchArgs;
use crate::figure::{BenchFigure, Goal};
pub(crate) use clock::processor_time;

use clock::BenchClock;
use operations::{KernelBench, MeasuredOperation, OPERATIONS, ThreadTimes};
use peers::{KernelPeers, PeerTime};
pub(crate) use tile::{normalize, plane_of, read_colours};

/// Measures them; peers take part when a Python that has them is found.
pub(crate) fn figures(terminal: &Terminal, args: &BenchArgs) -> Result<Vec<BenchFigure>, Failure> {
    let peers = find_peers(terminal, args)?;
    let clock = BenchClock::new();
    let tile = {
        let _progress = terminal.progress("preparing the tile");
        tile::read(args.image.as_deref(), args.size)?
    };
    let threads = std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
    let bench = KernelBench { tile: &tile, clock, threads, folder: peers.as_ref().map(KernelPeers::folder) };
    let measured = {
        let _progress = terminal.progress("measuring operations");
        let wanted = OPERATIONS
            .iter()
            .filter(|(name, _)| args.only.as_ref().is_none_or(|only| name.contains(only.as_str())));
        wanted.map(|(name, measure)| measure(&bench, name)).collect::<Result<Vec<_>, _>>()?
    };
    let shapes = if args.only.is_none() {
        let _progress = terminal.progress("measuring masks that trouble algorithms");
        shapes::measure(&bench)?
    } else {
        Vec::new()
    };
    let times = peers.map_or_else(
        || Ok(Vec::new()),
        |peers| {
            let _progress = terminal.progress("measuring the peers");
            peers.measure(&tile, clock)
        },
    )?;
    let bandwidth = clock.bandwidth();
    let mut figures = vec![
        figure("bandwidth of a copy".into(), bandwidth / 1e6, "GB/s"),
        figure(format!("copy: {threads} threads, times faster"), BenchClock::copy_gain(threads), ""),
    ];
    figures.extend(load());
    for ours in &measured {
        figures.extend(operation(ours, tile.len(), bandwidth, &times));
        figures.extend((ours.name == "digest").then(|| rate(ours, tile.len())));
        figures.extend(ours.threads.map(|times| gain(ours.name, threads, times)).into_iter().flatten());
    }
    figures.extend(shapes::figures(&shapes, &measured, &times));
    Ok(figures)
}

fn find_peers(terminal: &Terminal, args: &BenchArgs) -> Result<Option<KernelPeers>, Failure> {
    // Peers measure all operations or none.
    if args.no_peer || args.only.is_some() {
        return Ok(None);
    }
    let found = KernelPeers::find(args.python.as_deref())?;
    match &found {
        Some((_, name)) => terminal.say(&format!("peers: {name}")),
        None => terminal.say(
            "no peers: no Python with OpenCV, scikit-image and SciPy was found (scripts/peers installs one; --python names one)",
        ),
    }
    Ok(found.map(|(peers, _)| peers))
}

/// Its time, the least time that its bytes allow, and the peers.
fn operation(
    ours: &MeasuredOperation,
    pixels: usize,
    bandwidth: f64,
    peers: &[PeerTime],
) -> Vec<BenchFigure> {
    let floor = (ours.bytes * pixels) as f64 / bandwidth;
    let mut figures = vec![
        figure(ours.name.into(), ours.milliseconds, "ms"),
        figure(format!("{}: floor, {} bytes a pixel", ours.name, ours.bytes), floor, "ms"),
    ];
    for peer in peers.iter().filter(|peer| peer.operation == ours.name) {
        figures.push(BenchFigure {
            goal: goals::goal(ours.name, &peer.peer),
            peer: Some(peer.milliseconds),
            ..figure(format!("{} (peer: {})", ours.name, peer.peer), ours.milliseconds, "ms")
        });
        figures.extend(differences(peer));
    }
    figures
}

/// Bytes in a second, to be held against those of a copy, which counts read and written ones.
fn rate(ours: &MeasuredOperation, pixels: usize) -> BenchFigure {
    let bytes = (ours.bytes * pixels) as f64;
    figure(format!("{}: bytes", ours.name), bytes / ours.milliseconds / 1e6, "GB/s")
}

/// The share of the processors that threads are wished to use.
const USED: f64 = 0.9;

/// How many times as long as a copy of its bytes an operation may take in all threads to be called bound by memory.
const BOUND: f64 = 1.15;

/// What all threads take, how many times less that is than what one takes, beside the same of a copy of its bytes, and how
/// many times as much as such a copy. What takes hardly longer than a copy cannot gain as it is wished; then that is the goal.
fn gain(name: &str, threads: NonZeroUsize, times: ThreadTimes) -> [BenchFigure; 4] {
    let ThreadTimes { one, all, copies: (copy_by_one, copy) } = times;
    let wished = USED * threads.get() as f64;
    let bound = one / all < wished && all <= BOUND * copy;
    let faster = (!bound).then_some(Goal::AtLeast(wished));
    let copies = bound.then_some(Goal::AtMost(BOUND));
    let name = format!("{name}: {threads} threads");
    [
        figure(name.clone(), all, "ms"),
        BenchFigure { goal: faster, ..figure(format!("{name}, times faster"), one / all, "") },
        figure(format!("{name}, a copy of its bytes times faster"), copy_by_one / copy, ""),
        BenchFigure { goal: copies, ..figure(format!("{name}, times a copy of its bytes"), all / copy, "") },
    ]
}

/// How many programs wanted a processor in the last minute, where the system says it: threads gain nothing where others
/// have the processors.
fn load() -> Option<BenchFigure> {
    let text = std::fs::read_to_string("/proc/loadavg").ok()?;
    let load = text.split(' ').next()?.parse().ok()?;
    Some(figure("load of the machine".into(), load, ""))
}

fn differences(peer: &PeerTime) -> Option<BenchFigure> {
    let name = format!("{}: differences from {}", peer.operation, peer.peer);
    let goal = Some(Goal::AtMost(0.0));
    peer.differences.map(|count| BenchFigure { goal, ..figure(name, count as f64, "") })
}

fn figure(name: String, value: f64, unit: &'static str) -> BenchFigure {
    BenchFigure { name, value, unit, goal: None, peer: None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_operation_stands_beside_its_floor_and_its_peers() {
        let ours = MeasuredOperation { name: "opening", milliseconds: 20.0, threads: None, bytes: 2 };
        let peer = |operation: &str, milliseconds| PeerTime {
            operation: operation.into(),
            peer: "OpenCV".into(),
            milliseconds,
            differences: Some(3),
        };
        let mut figures = operation(&ours, 1000, 500.0, &[peer("label", 1.0), peer("opening", 50.0)]);
        let two = NonZeroUsize::MIN.saturating_add(1);
        figures.extend(gain(ours.name, two, ThreadTimes { one: 20.0, all: 12.5, copies: (2.0, 1.25) }));
        figures.extend(gain("threshold", two, ThreadTimes { one: 3.0, all: 2.0, copies: (2.66, 1.9) }));
        insta::assert_snapshot!(crate::to_text(&figures), @r"
        figure                                                       value unit           goal  met        peer    ratio
        opening                                                       20.0 ms
        opening: floor, 2 bytes a pixel                               4.00 ms
        opening (peer: OpenCV)                                        20.0 ms        >= 2.80 x  no         50.0     2.50
        opening: differences from OpenCV                              3.00            <= 0.000  no
        opening: 2 threads                                            12.5 ms
        opening: 2 threads, times faster                              1.60             >= 1.80  no
        opening: 2 threads, a copy of its bytes times faster          1.60
        opening: 2 threads, times a copy of its bytes                 10.0
        threshold: 2 threads                                          2.00 ms
        threshold: 2 threads, times faster                            1.50
        threshold: 2 threads, a copy of its bytes times faster        1.40
        threshold: 2 threads, times a copy of its bytes               1.05             <= 1.15  yes
        ");
    }
}
