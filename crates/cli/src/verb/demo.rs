//! `onceflow demo`: an answer to look at, for synthetic tissue or for a function whose indices are known.

mod folder;
mod function;
mod tissue;

use crate::args::DemoArgs;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::terminal::Terminal;

/// Shows an answer.
pub(crate) fn run(args: &DemoArgs, terminal: &Terminal) -> Result<Exit, Failure> {
    match args.function {
        Some(function) => function::run(function, args.seed, args.json, terminal),
        None => tissue::run(args, terminal),
    }
}
