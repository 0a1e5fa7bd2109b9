//! What each verb does, one file per verb. Each takes its arguments and the terminal, and nothing else.

mod bench;
mod completions;
mod demo;

use crate::args::Verb;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::terminal::Terminal;

/// Does what was asked.
pub(crate) fn run(verb: &Verb, terminal: &Terminal) -> Result<Exit, Failure> {
    match verb {
        Verb::Demo(args) => demo::run(args, terminal),
        Verb::Bench(args) => bench::run(args, terminal),
        Verb::Completions(args) => completions::run(args, terminal),
        _ => Err(Failure::internal("not wired")),
    }
}
