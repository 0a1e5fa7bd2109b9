//! Figures of tuning: how good the best row is after so many rows, beside tuners of others on the same objective; what
//! proposals and rows cost; what a screening run is worth; and whether the confirmed gain is what it says.

mod bootstrap;
mod cost;
mod elsewhere;
mod evaluator;
mod front;
mod functions;
mod honesty;
mod objective;
mod objectives;
mod peer;
mod proposals;
mod quality;
mod sections;
mod slides;
mod space;
mod synthetic;
mod tile;
mod tissue;
mod warm;

use onceflow_terminal::{Failure, Terminal};

use crate::args::BenchArgs;
use crate::figure::BenchFigure;
use peer::TunePeers;
use tissue::TissueObjective;

/// Scores of the defaults on the four quadrants that goals speak of.
const QUADRANTS: [f64; 2] = [0.3726, 0.5574];

/// Measures them, on quadrants of four slides of a folder or of synthetic ones.
pub(crate) fn figures(terminal: &Terminal, args: &BenchArgs) -> Result<Vec<BenchFigure>, Failure> {
    let peers = find_peers(terminal, args);
    let [tiles, others] = slides::quadrants(args.image.as_deref())?;
    let mut objective = TissueObjective::new(tiles)?;
    let defaults = objective.defaults();
    let found = [defaults.object_f1, defaults.dice];
    let has_goals = found.iter().zip(QUADRANTS).all(|(found, known)| (found - known).abs() < 1e-4);
    if !has_goals {
        terminal.say("these are not the tiles that goals speak of: figures of quality have none");
    }
    let mut figures = vec![
        sections::figure("defaults: object F1", defaults.object_f1, "", None),
        sections::figure("defaults: Dice", defaults.dice, "", None),
    ];
    let (rows, peers) = (&mut objective, peers.as_ref());
    let mut measure = |name: &str, section: &mut dyn FnMut() -> Result<Vec<BenchFigure>, Failure>| {
        if args.only.as_deref().is_none_or(|only| name.contains(only)) {
            let _progress = terminal.progress(format!("measuring {name}"));
            figures.extend(section()?);
        }
        Ok::<(), Failure>(())
    };
    measure("proposals", &mut || proposals::figures(rows))?;
    measure("cost", &mut || cost::figures(rows, peers))?;
    measure("quality", &mut || quality::figures(rows, peers, has_goals))?;
    measure("elsewhere", &mut || elsewhere::figures(rows, &others, has_goals))?;
    measure("warm", &mut || warm::figures(rows, has_goals))?;
    measure("front", &mut || front::figures(rows, peers, has_goals))?;
    measure("objectives", &mut || {
        objectives::figures(&mut TissueObjective::new(slides::quadrants(None)?[0].clone())?, peers)
    })?;
    measure("honesty", &mut honesty::figures)?;
    Ok(figures)
}

fn find_peers(terminal: &Terminal, args: &BenchArgs) -> Option<TunePeers> {
    if args.no_peer {
        return None;
    }
    let peers = TunePeers::find(args.python.as_deref());
    match &peers {
        Some(peers) => terminal.say(&format!("peers: {}", peers.name())),
        None => terminal.say("no peers: no Python with Optuna was found (scripts/peers installs them)"),
    }
    peers
}
