//! `onceflow image`: inspects, cuts and converts images, and makes synthetic ones.

mod convert;
mod info;
mod pair;
mod parts;
mod synth;
mod volume;

use onceflow_terminal::{Exit, Failure, Terminal};

use crate::args::{ImageArgs, ImageVerb};

/// Carries out a verb of `image`.
pub(crate) fn run(args: &ImageArgs, terminal: &Terminal) -> Result<Exit, Failure> {
    match &args.verb {
        ImageVerb::Info(args) => info::run(args, terminal),
        ImageVerb::Parts(args) => parts::run(args, terminal),
        ImageVerb::Convert(args) => convert::run(args, terminal),
        ImageVerb::Synth(args) => synth::run(args, terminal),
        ImageVerb::Pair(args) => pair::run(args, terminal),
    }
}
