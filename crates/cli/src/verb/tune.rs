//! `onceflow tune`: the best values, and whether they hold on slides that took no part.

mod asked;

use std::time::Instant;

use onceflow_engine::{RunSettings, TuneRequest};
use onceflow_terminal::{Exit, Failure, Terminal};

use crate::args::{SettingsArgs, TuneArgs};
use crate::settings::open_to_tune;
use crate::verb::plan;
use crate::verb::run::{PrintedJson, run_as};

/// Tunes a study and prints what it found.
pub(crate) fn run(args: &TuneArgs, terminal: &Terminal) -> Result<Exit, Failure> {
    if let (true, Some(folder)) = (args.asked.is_asked(), &args.o) {
        return asked::run(args, folder, terminal);
    }
    let began = Instant::now();
    let mut request = TuneRequest {
        evaluations: args.evaluations,
        seed: args.seed,
        yardstick: args.yardstick,
        leave_one_out: args.leave_one_out,
        ..TuneRequest::default()
    };
    args.at_most.iter().for_each(|bound| request.bound(*bound));
    let study = open_to_tune(&args.study, request, &settings_args(args), terminal)?;
    let (Some(path), false) = (&args.o, args.dry_run) else {
        return plan::print(&study, args.o.as_deref(), None, args.json, began, terminal);
    };
    let settings = RunSettings { force: args.force, began: Some(began), ..study.settings().clone() };
    run_as(&study, settings, path, args.json.then_some(PrintedJson::Tuning), terminal)
}

fn settings_args(args: &TuneArgs) -> SettingsArgs<'_> {
    SettingsArgs {
        machine: &args.machine,
        merge: None,
        policy: None,
        events: args.events.as_deref(),
        pictures: args.pictures,
        allow_commands: args.allow.allow_commands,
        growth: None,
        registration: None,
    }
}
