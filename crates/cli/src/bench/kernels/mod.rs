//! Figures of the image operations on one tile and one thread: their times beside those of peers on the same tile, beside
//! the time of merely moving the bytes, and on masks that trouble algorithms.

mod clock;
mod folder;
mod goals;
mod operations;
mod peers;
mod shapes;
mod tile;

use crate::args::BenchArgs;
use crate::bench::{Figure, Goal};
use crate::failure::Failure;
use crate::terminal::Terminal;
use clock::Clock;
use operations::{Bench, Measured, OPERATIONS};
use peers::{PeerTime, Peers};

/// Measures them; peers take part when a Python that has them is found.
pub(crate) fn figures(terminal: &Terminal, args: &BenchArgs) -> Result<Vec<Figure>, Failure> {
    let peers = find_peers(terminal, args)?;
    let clock = Clock::new();
    let tile = {
        let _progress = terminal.progress("preparing the tile");
        tile::read(args.image.as_deref(), args.size)?
    };
    let bench = Bench { tile: &tile, clock, folder: peers.as_ref().map(Peers::folder) };
    let measured = {
        let _progress = terminal.progress("measuring operations");
        OPERATIONS.iter().map(|operation| operation(&bench)).collect::<Result<Vec<_>, _>>()?
    };
    let shapes = {
        let _progress = terminal.progress("measuring masks that trouble algorithms");
        shapes::figures(&tile, clock, &measured)
    };
    let times = peers.map_or_else(
        || Ok(Vec::new()),
        |peers| {
            let _progress = terminal.progress("measuring the peers");
            peers.measure(&tile, clock)
        },
    )?;
    let bandwidth = clock.bandwidth();
    let mut figures = vec![figure("bandwidth of a copy".into(), bandwidth / 1e6, "GB/s")];
    figures.extend(measured.iter().flat_map(|ours| operation(ours, tile.len(), bandwidth, &times)));
    figures.extend(shapes);
    Ok(figures)
}

fn find_peers(terminal: &Terminal, args: &BenchArgs) -> Result<Option<Peers>, Failure> {
    if args.no_peer {
        return Ok(None);
    }
    let found = Peers::find(args.python.as_deref())?;
    match &found {
        Some((_, name)) => terminal.say(&format!("peers: {name}")),
        None => terminal.say(
            "no peers: no Python with OpenCV, scikit-image and SciPy was found (scripts/peers installs one; --python names one)",
        ),
    }
    Ok(found.map(|(peers, _)| peers))
}

/// Its time, the least time that its bytes allow, and the peers.
fn operation(ours: &Measured, pixels: usize, bandwidth: f64, peers: &[PeerTime]) -> Vec<Figure> {
    let memory = if ours.warm { "memory given" } else { "new memory" };
    let floor = (ours.bytes * pixels) as f64 / bandwidth;
    let mut figures = vec![
        figure(format!("{} ({memory})", ours.name), ours.milliseconds, "ms"),
        figure(format!("{}: floor, {} bytes a pixel", ours.name, ours.bytes), floor, "ms"),
    ];
    for peer in peers.iter().filter(|peer| peer.operation == ours.name) {
        figures.push(Figure {
            goal: goals::goal(ours.name, &peer.peer),
            peer: Some(peer.milliseconds),
            ..figure(format!("{} (peer: {})", ours.name, peer.peer), ours.milliseconds, "ms")
        });
        figures.extend(differences(peer));
    }
    figures
}

fn differences(peer: &PeerTime) -> Option<Figure> {
    let name = format!("{}: differences from {}", peer.operation, peer.peer);
    let goal = Some(Goal::AtMost(0.0));
    peer.differences.map(|count| Figure { goal, ..figure(name, count as f64, "") })
}

fn figure(name: String, value: f64, unit: &'static str) -> Figure {
    Figure { name, value, unit, goal: None, peer: None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_operation_stands_beside_its_floor_and_its_peers() {
        let ours = Measured { name: "opening", milliseconds: 20.0, bytes: 2, warm: false };
        let peer = |operation: &str, milliseconds| PeerTime {
            operation: operation.into(),
            peer: "OpenCV".into(),
            milliseconds,
            differences: Some(3),
        };
        let figures = operation(&ours, 1000, 500.0, &[peer("label", 1.0), peer("opening", 50.0)]);
        insta::assert_snapshot!(crate::bench::to_text(&figures), @r"
        figure                                 value unit           goal  met        peer    ratio
        opening (new memory)                    20.0 ms
        opening: floor, 2 bytes a pixel         4.00 ms
        opening (peer: OpenCV)                  20.0 ms        >= 2.80 x  no         50.0     2.50
        opening: differences from OpenCV        3.00            <= 0.000  no
        ");
    }
}
