//! Registration of volumes: what it costs and how good it is, beside elastix and SimpleITK on the same pairs.

mod judge;
mod line;
mod pair;

use std::num::NonZeroUsize;

use onceflow_kernels::Cpu;
use onceflow_terminal::{Failure, Terminal};
use serde_json::json;

use crate::args::BenchArgs;
use crate::figure::{BenchFigure, Goal};
use crate::python::PythonPeer;

use judge::Judgement;
use line::Registered;
use pair::{BenchPair, PairFolder};

/// How many times less processor time than a peer's.
const PEERS: [(&str, f64); 2] = [("elastix", 20.0), ("SimpleITK", 60.0)];

/// Measures a synthetic pair, or those of the folder that `--image` names.
pub(crate) fn figures(terminal: &Terminal, args: &BenchArgs) -> Result<Vec<BenchFigure>, Failure> {
    let peer =
        if args.no_peer { None } else { PythonPeer::find(args.python.as_deref(), include_str!("peer.py")) };
    match &peer {
        Some(peer) => terminal.say(&format!("peers: {}", peer.name())),
        None if args.no_peer => {}
        None => terminal
            .say("no peers: no Python with itk-elastix or SimpleITK was found (scripts/peers installs them)"),
    }
    let mut figures = Vec::new();
    for pair in pair::pairs(args.image.as_deref())? {
        let wanted = args.only.as_deref().is_none_or(|only| pair.name.contains(only));
        if wanted {
            figures.extend(of_pair(terminal, &pair, peer.as_ref())?);
        }
    }
    Ok(figures)
}

fn of_pair(
    terminal: &Terminal,
    pair: &BenchPair,
    peer: Option<&PythonPeer>,
) -> Result<Vec<BenchFigure>, Failure> {
    let _progress = terminal.progress(format!("registering {}", pair.name));
    let one = line::register(pair, Cpu::one_thread())?;
    let judged = Judgement::of(pair, &line::field(&one.transform))?;
    let mut figures = own(pair, &one, &judged);
    figures.extend(threads(pair, &one)?);
    let Some(peer) = peer else { return Ok(figures) };
    let folder = PairFolder::write(pair)?;
    for (tool, goal) in PEERS.into_iter().filter(|(tool, _)| peer.name().contains(tool)) {
        let field = folder.path("field.f32");
        let request = json!({
            "do": "register", "tool": tool, "fixed": folder.path("fixed.nii.gz"), "moving": folder.path("moving.nii.gz"),
            "field": field,
        });
        let seconds = peer.ask(&request)?["seconds"].as_f64().unwrap_or(f64::NAN);
        let theirs = Judgement::of(pair, &folder.field("field.f32")?)?;
        figures.extend(beside(pair, &one, (&judged, &theirs), tool, seconds, goal));
    }
    Ok(figures)
}

fn figure(pair: &BenchPair, what: &str, value: f64, unit: &'static str, goal: Option<Goal>) -> BenchFigure {
    BenchFigure { name: format!("{}: {what}", pair.name), value, unit, goal, peer: None }
}

fn own(pair: &BenchPair, one: &Registered, judged: &Judgement) -> Vec<BenchFigure> {
    let mut figures = vec![
        figure(pair, "one thread", one.processor_s, "s CPU", pair.goals.seconds.map(Goal::AtMost)),
        figure(pair, "Dice", judged.dice, "", pair.goals.dice.map(Goal::AtLeast)),
        figure(pair, "voxels folded", 100.0 * judged.folded, "%", Some(Goal::AtMost(0.0))),
        figure(pair, "memory by the fixed volume", one.memory, "times", Some(Goal::AtMost(6.0))),
    ];
    figures.extend(
        judged.error.map(|error| figure(pair, "error", error, "mm", pair.goals.error.map(Goal::AtMost))),
    );
    figures
}

/// Two threads beside one, where the machine has them, by wall time; and that they change nothing.
fn threads(pair: &BenchPair, one: &Registered) -> Result<Option<BenchFigure>, Failure> {
    let Some(two) = NonZeroUsize::new(2) else { return Ok(None) };
    if std::thread::available_parallelism().map_or(1, NonZeroUsize::get) < 2 {
        return Ok(None);
    }
    let both = line::register(pair, Cpu { threads: two, ..Cpu::one_thread() })?;
    if both.transform != one.transform {
        return Err(Failure::internal("two threads give another transform than one"));
    }
    let gain = one.wall_s / both.wall_s;
    Ok(Some(figure(pair, "two threads are faster", gain, "times", Some(Goal::AtLeast(1.8)))))
}

fn beside(
    pair: &BenchPair,
    one: &Registered,
    (ours, theirs): (&Judgement, &Judgement),
    tool: &str,
    seconds: f64,
    goal: f64,
) -> Vec<BenchFigure> {
    let beside = |what: &str, value, unit, goal, peer| BenchFigure {
        peer: Some(peer),
        ..figure(pair, &format!("{what} beside {tool}"), value, unit, goal)
    };
    vec![
        beside("one thread", one.processor_s, "s CPU", Some(Goal::Ratio(goal)), seconds),
        beside("Dice", ours.dice, "", Some(Goal::AtLeast(theirs.dice)), theirs.dice),
        beside("voxels folded", 100.0 * ours.folded, "%", None, 100.0 * theirs.folded),
    ]
}
