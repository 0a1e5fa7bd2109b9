//! `onceflow mold submit` and `onceflow mold follow`.

use onceflow_engine::{
    FollowRequest, OptimizeGoal, OptimizeRequest, PlanGoal, StopFlag, SubmitRequest, mold_follow,
    mold_submit, read_profile,
};
use onceflow_terminal::{Exit, Failure, Terminal, engine_failure};

use super::{no_search, performance, policy, print};
use crate::args::{FollowArgs, SubmitArgs, SystemWord};
use crate::verb::run::watch;

/// Plans and submits a workflow.
pub(super) fn submit(args: &SubmitArgs, terminal: &Terminal) -> Result<Exit, Failure> {
    let profile = read_profile(args.profile.as_deref()).map_err(engine_failure)?.map(|(_, options)| options);
    let in_profile = profile.as_ref().and_then(|options| options.allow_commands).unwrap_or(false);
    let in_environment =
        std::env::var("ONCEFLOW_ALLOW_COMMANDS").is_ok_and(|word| word == "1" || word == "true");
    let goal =
        if args.gosa { PlanGoal::Static } else { PlanGoal::OnDemand { alpha: args.alpha.unwrap_or(0.5) } };
    let request = SubmitRequest {
        plan: OptimizeRequest {
            file: args.file.clone(),
            goal: OptimizeGoal::Best(goal),
            performance: args.performance.as_ref().map(|file| performance(file, &args.known)),
            policy: args.policy.map(|word| policy(word).ok_or_else(no_search)).transpose()?,
            seed: args.seed,
            at_most: args.at_most,
            with_page: false,
        },
        counts: args.plan.clone(),
        folder: args.output.clone(),
        system: match args.on {
            SystemWord::Slurm => "slurm".into(),
            SystemWord::Pbs => "pbs".into(),
        },
        site: profile.and_then(|options| options.site).unwrap_or_default(),
        remote: args.ssh.clone(),
        machine: args.known.machine.clone(),
        live_load: !args.no_load,
        allow_commands: args.allow.allow_commands || in_profile || in_environment,
        dry_run: args.dry_run,
    };
    let answer = mold_submit(&request, &|line| terminal.say(line)).map_err(engine_failure)?;
    print(&answer, args.json, terminal)
}

/// Follows a submission to its end.
pub(super) fn follow(args: &FollowArgs, terminal: &Terminal) -> Result<Exit, Failure> {
    let stop = StopFlag::default();
    let _guard = watch(&stop);
    let request = FollowRequest {
        folder: args.folder.clone(),
        poll: args.poll,
        cancel: args.cancel,
        collect: args.collect.clone(),
        stop: StopFlag::clone(&stop),
    };
    let (answer, is_done) = mold_follow(&request, &|line| terminal.say(line)).map_err(engine_failure)?;
    print(&answer, args.json, terminal)?;
    Ok(if is_done { Exit::Ok } else { Exit::RowsFailed })
}
