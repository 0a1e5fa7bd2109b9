//! `onceflow work`: a worker of a run, which computes buckets until none is left.

use std::io::Read as _;
use std::sync::atomic::Ordering;

use onceflow_engine::{
    Level, RunFolder, RunSettings, StopFlag, WorkJob, WorkOptions, WorkSummary, duration_words, work,
};
use onceflow_study::{Diagnostic, counted};
use onceflow_terminal::{Exit, Failure, Terminal, engine_failure};
use serde_json::json;

use super::run::progress::RunProgress;
use super::run::watch;
use crate::args::{SettingsArgs, WorkArgs};
use crate::settings::open_as;

/// Computes buckets of the run in a folder.
pub(crate) fn run(args: &WorkArgs, terminal: &Terminal) -> Result<Exit, Failure> {
    let folder = RunFolder::new(&args.folder);
    let job = WorkJob::read(&folder).map_err(engine_failure)?;
    if !job.study.exists() {
        return Err(no_study(&job));
    }
    let settings_args =
        SettingsArgs { allow_commands: args.allow.allow_commands, ..SettingsArgs::new(&args.machine, None) };
    let level = Level::from_word(&job.reuse);
    let study = open_as(&job.study, &settings_args, level, terminal)?;
    let settings = RunSettings::clone(study.settings());
    let _guard = watch(&settings.stop);
    if args.until_closed {
        stop_when_closed(StopFlag::clone(&settings.stop));
    }
    let options = WorkOptions { name: args.name.clone(), bucket: args.bucket, token: args.token.clone() };
    let mut progress = RunProgress::silent();
    let summary = work(&study, &settings, &folder, &options, &mut progress).map_err(engine_failure)?;
    tell(&summary, args.json, terminal)?;
    Ok(if summary.stopped { Exit::Interrupted } else { Exit::Ok })
}

/// Lets running tasks end when standard input is closed: the process that started this one is gone, or wants no more.
fn stop_when_closed(stop: StopFlag) {
    std::thread::spawn(move || {
        let mut bytes = [0; 64];
        while std::io::stdin().read(&mut bytes).is_ok_and(|read| read > 0) {}
        stop.store(true, Ordering::Relaxed);
    });
}

fn tell(summary: &WorkSummary, json: bool, terminal: &Terminal) -> Result<(), Failure> {
    let WorkSummary { name, buckets, instances, given_up, seconds, stopped } = summary;
    if json {
        return terminal.json(&json!({
            "version": 1, "worker": name, "buckets": buckets, "instances": instances, "given_up": given_up,
            "seconds": seconds, "stopped": stopped,
        }));
    }
    let (buckets, instances) = (counted(*buckets, "bucket"), counted(*instances, "instance"));
    let end = if *stopped { "; stopped" } else { "" };
    terminal.say(&format!("{buckets} computed, {instances}, in {}{end}", duration_words(*seconds)));
    Ok(())
}

fn no_study(job: &WorkJob) -> Failure {
    let study = job.study.display();
    Failure::bad_input(
        Diagnostic::error("the study of the run is not on this machine")
            .expected_found(study.to_string(), "no such file")
            .with_hint(
                "put the study, its images and the folder of the run on a disk that all machines share",
            ),
    )
}
