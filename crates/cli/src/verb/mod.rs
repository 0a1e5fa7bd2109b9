//! What each verb does, one file per verb. Each takes its arguments and the terminal, and nothing else.

mod analyze;
mod bench;
mod check;
mod compare;
mod completions;
mod config;
mod demo;
mod extend;
mod features;
mod image;
mod init;
mod memo;
mod mold;
mod plan;
mod products;
mod register;
mod report;
mod run;
mod sample;
mod segment;
mod status;
mod tune;
mod warp;
mod why;
mod work;

use onceflow_terminal::{Exit, Failure, Terminal};

use crate::args::Verb;

/// Carries out a verb.
pub(crate) fn run(verb: &Verb, terminal: &Terminal) -> Result<Exit, Failure> {
    match verb {
        Verb::Demo(args) => demo::run(args, terminal),
        Verb::Init(args) => init::run(args, terminal),
        Verb::Check(args) => check::run(args, terminal),
        Verb::Sample(args) => sample::run(args, terminal),
        Verb::Extend(args) => extend::run(args, terminal),
        Verb::Analyze(args) => analyze::run(args, terminal),
        Verb::Plan(args) => plan::run(args, terminal),
        Verb::Why(args) => why::run(args, terminal),
        Verb::Run(args) => run::run(args, terminal),
        Verb::Tune(args) => tune::run(args, terminal),
        Verb::Work(args) => work::run(args, terminal),
        Verb::Status(args) => status::run(args, terminal),
        Verb::Report(args) => report::run(args, terminal),
        Verb::Features(args) => features::run(args, terminal),
        Verb::Segment(args) => segment::run(args, terminal),
        Verb::Compare(args) => compare::run(args, terminal),
        Verb::Register(args) => register::run(args, terminal),
        Verb::Warp(args) => warp::run(args, terminal),
        Verb::Image(args) => image::run(args, terminal),
        Verb::Mold(args) => mold::run(args, terminal),
        Verb::Products(args) => products::run(args, terminal),
        Verb::Memo(args) => memo::run(args, terminal),
        Verb::Config(args) => config::run(args, terminal),
        Verb::Bench(args) => bench::run(args, terminal),
        Verb::Completions(args) => completions::run(args, terminal),
    }
}
