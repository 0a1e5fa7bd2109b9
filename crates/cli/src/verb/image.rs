//! `onceflow image`: looking into images, and making synthetic ones.

mod convert;
mod info;
mod parts;
mod synth;
mod volume;

use crate::args::{ImageArgs, ImageVerb};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::terminal::Terminal;

/// Does what was asked.
pub(crate) fn run(args: &ImageArgs, terminal: &Terminal) -> Result<Exit, Failure> {
    match &args.verb {
        ImageVerb::Info(args) => info::run(args, terminal),
        ImageVerb::Parts(args) => parts::run(args, terminal),
        ImageVerb::Convert(args) => convert::run(args, terminal),
        ImageVerb::Synth(args) => synth::run(args, terminal),
    }
}
