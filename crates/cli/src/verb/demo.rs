//! `onceflow demo`: an answer to look at, for synthetic tissue or for a function whose indices are known.

mod folder;
mod function;
mod tissue;

use onceflow_terminal::{Exit, Failure, Terminal};

use crate::args::DemoArgs;

/// Shows an answer.
pub(crate) fn run(args: &DemoArgs, terminal: &Terminal) -> Result<Exit, Failure> {
    match args.function {
        Some(function) => function::run(function, args.seed, args.json, terminal),
        None => tissue::run(args, terminal),
    }
}
