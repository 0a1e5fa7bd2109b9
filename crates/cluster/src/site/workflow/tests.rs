use std::collections::BTreeMap;

use proptest::prelude::*;

use super::*;
use crate::site::SiteProfile;

/// `a`, then `b` and `c`, then `d`.
fn diamond() -> WorkflowProgress {
    let job = |task: &str, after: &[usize]| PlannedJob {
        task: task.into(),
        nodes: 2,
        limit: 60,
        after: after.to_vec(),
    };
    WorkflowProgress::new(vec![job("a", &[]), job("b", &[0]), job("c", &[0]), job("d", &[1, 2])], 100)
}

/// Submits all that can be submitted; numbers are those of attempts.
fn submit(progress: &mut WorkflowProgress) -> Vec<NextJob> {
    let mut submitted = Vec::new();
    while let Some(next) = progress.next() {
        progress.apply(&JobChange::Sent(next.job));
        progress.apply(&JobChange::Queued(next.job, number(next.job, next.attempt)));
        submitted.push(next);
    }
    submitted
}

fn number(job: usize, attempt: u32) -> String {
    format!("{}", 100 * job + attempt as usize)
}

fn reports(list: &[(&str, JobReport)]) -> JobReports {
    list.iter().map(|(number, report)| ((*number).to_owned(), report.clone())).collect()
}

fn ended(list: &[(usize, i32)]) -> BTreeMap<usize, JobRecord> {
    list.iter().map(|(job, code)| (*job, JobRecord { ended: Some(*code), is_overdue: false })).collect()
}

fn words(progress: &WorkflowProgress) -> Vec<&'static str> {
    (0..progress.jobs().len()).map(|job| progress.stage(job).word()).collect()
}

#[test]
fn all_jobs_are_submitted_at_once_and_name_those_they_wait_for() {
    let mut progress = diamond();
    let submitted = submit(&mut progress);
    let after: Vec<Vec<String>> = submitted.iter().map(|next| next.after.clone()).collect();
    assert_eq!(after, [vec![], vec!["1".to_owned()], vec!["1".to_owned()], vec!["101".into(), "201".into()]]);
    let running = reports(&[("1", JobReport::Running), ("101", JobReport::Waiting)]);
    assert_eq!(progress.observe(&running, &BTreeMap::new()), [JobChange::Running(0)]);
    let changes = progress.observe(&JobReports::new(), &ended(&[(0, 0), (1, 0), (2, 0), (3, 0)]));
    assert_eq!((changes.len(), progress.is_done()), (4, true));
}

#[test]
fn no_more_jobs_than_the_site_allows_are_in_the_queue() {
    let mut progress = diamond();
    progress = WorkflowProgress::new(progress.jobs().to_vec(), 2);
    assert_eq!(submit(&mut progress).len(), 2);
    progress.observe(&JobReports::new(), &ended(&[(0, 0)]));
    let next = submit(&mut progress);
    assert_eq!((next.len(), next[0].job, next[0].after.len()), (1, 2, 0), "what is done is no dependency");
}

#[test]
fn a_job_killed_at_its_limit_is_submitted_once_more_with_all_behind_it() {
    let mut progress = diamond();
    submit(&mut progress);
    let mut records = ended(&[(0, 0)]);
    let late = reports(&[("101", JobReport::TimedOut), ("201", JobReport::Running)]);
    let changes = progress.observe(&late, &records);
    assert!(changes.contains(&JobChange::Again(1, 120, AgainReason::Limit)));
    assert!(changes.contains(&JobChange::Again(3, 60, AgainReason::Earlier)));
    let mut cancelled = progress.take_unwanted();
    cancelled.sort();
    assert_eq!(cancelled, ["101", "301"]);
    let again = submit(&mut progress);
    assert_eq!(
        again.iter().map(|next| (next.job, next.attempt, next.limit)).collect::<Vec<_>>(),
        [(1, 2, 120), (3, 2, 60)]
    );
    assert_eq!(again[1].after, ["102", "201"]);
    records.insert(2, JobRecord { ended: Some(0), is_overdue: false });
    let again = reports(&[("102", JobReport::TimedOut), ("302", JobReport::Waiting)]);
    progress.observe(&again, &records);
    assert_eq!(words(&progress), ["ok", "failed", "ok", "cancelled"]);
    assert!(matches!(progress.stage(1), JobStage::Failed(why) if why.contains("limit of 120 s")));
    assert_eq!(progress.take_unwanted(), ["102", "302"]);
}

#[test]
fn a_failed_job_fails_those_that_wait_for_it_and_names_itself() {
    let mut progress = diamond();
    submit(&mut progress);
    // Slurm cancels the followers before the record of the failed job arrives.
    let cancelled = JobReport::Cancelled("Slurm says CANCELLED".into());
    let first =
        reports(&[("1", JobReport::Failed("exit 3".into())), ("101", cancelled.clone()), ("201", cancelled)]);
    for _ in 0..2 {
        assert_eq!(progress.observe(&first, &BTreeMap::new()), [], "records may be late");
    }
    progress.observe(&first, &ended(&[(0, 3)]));
    assert_eq!(words(&progress), ["failed", "cancelled", "cancelled", "cancelled"]);
    assert_eq!(progress.stage(3), &JobStage::Skipped(0));
    assert!(progress.is_over() && !progress.is_done());
}

#[test]
fn a_lost_job_is_submitted_again_a_few_times() {
    let mut progress = diamond();
    submit(&mut progress);
    for attempt in 1..=4 {
        let gone = reports(&[(&number(0, attempt), JobReport::Lost("NODE_FAIL".into()))]);
        progress.observe(&gone, &BTreeMap::new());
        submit(&mut progress);
    }
    assert!(matches!(progress.stage(0), JobStage::Failed(why) if why.contains("lost 4 times")));
}

#[test]
fn a_job_that_no_list_has_is_lost_after_some_answers_or_out_of_time() {
    for (overdue, limit) in [(false, 60), (true, 120)] {
        let mut progress = diamond();
        submit(&mut progress);
        let record = BTreeMap::from([(0, JobRecord { ended: None, is_overdue: overdue })]);
        let others =
            reports(&[("101", JobReport::Waiting), ("201", JobReport::Waiting), ("301", JobReport::Waiting)]);
        assert_eq!(progress.observe(&others, &record), []);
        assert_eq!(progress.observe(&others, &record), []);
        let changes = progress.observe(&others, &record);
        assert!(matches!(changes[0], JobChange::Again(0, found, _) if found == limit), "{changes:?}");
    }
}

#[test]
fn a_job_that_ended_well_without_a_record_is_a_failure_that_says_so() {
    let mut progress = diamond();
    submit(&mut progress);
    let done = reports(&[("1", JobReport::Done)]);
    (0..3).for_each(|_| drop(progress.observe(&done, &BTreeMap::new())));
    assert!(matches!(progress.stage(0), JobStage::Failed(why) if why.contains("see this folder")));
}

#[test]
fn cancelling_ends_all_that_is_not_over() {
    let mut progress = diamond();
    submit(&mut progress);
    progress.observe(&JobReports::new(), &ended(&[(0, 0)]));
    progress.cancel();
    assert!(progress.is_over());
    assert_eq!((words(&progress)[0], progress.take_unwanted().len()), ("ok", 3));
}

fn script() -> JobScript {
    JobScript {
        name: "of1".into(),
        task: "it's".into(),
        nodes: 3,
        limit: 61,
        after: vec!["12".into(), "13".into()],
        command: "st 1".into(),
        folder: "/lab/a b".into(),
        files: "jobs/1".into(),
    }
}

#[test]
fn scripts_say_nodes_limits_dependencies_and_write_records() {
    let mut profile = SiteProfile::default();
    profile.set("account", &["lab7".to_owned()]).unwrap();
    profile.set("modules", &["fft".to_owned()]).unwrap();
    let slurm = job_system("slurm").unwrap().script(&script(), &profile);
    let pbs = job_system("pbs").unwrap().script(&script(), &profile);
    for (text, lines) in [
        (
            &slurm,
            &[
                "#SBATCH --nodes=3",
                "#SBATCH --time=2",
                "#SBATCH --dependency=afterok:12:13",
                "#SBATCH --account=lab7",
            ],
        ),
        (
            &pbs,
            &[
                "#PBS -l select=3",
                "#PBS -l walltime=00:01:01",
                "#PBS -W depend=afterok:12:13",
                "#PBS -A lab7",
            ],
        ),
    ] {
        let both = [
            "export ONCEFLOW_TASK='it'\\''s' ONCEFLOW_NODES=3",
            "module load fft",
            "st 1",
            "cd '/lab/a b' || exit 3",
        ];
        for line in lines.iter().chain(&both) {
            assert!(text.lines().any(|found| found == *line), "{line} in {text}");
        }
    }
    assert!(job_system("lsf").is_none());
}

#[test]
fn answers_of_slurm_say_what_became_of_each_job() {
    let slurm = job_system("slurm").unwrap();
    let listed = slurm
        .listed("noise\n1|RUNNING|None\n2|TIMEOUT|TimeLimit\n3|NODE_FAIL|x\n4|CANCELLED by 0|0:0\n")
        .unwrap();
    assert_eq!((&listed["1"], &listed["2"], listed.len()), (&JobReport::Running, &JobReport::TimedOut, 4));
    assert!(matches!((&listed["3"], &listed["4"]), (JobReport::Lost(_), JobReport::Cancelled(_))));
    let never = slurm.listed("5|PENDING|DependencyNeverSatisfied\n").unwrap();
    assert!(matches!(never["5"], JobReport::Cancelled(_)));
    assert!(slurm.listed("slurm_load_jobs error: Unable to contact slurm controller\n").is_err());
    assert_eq!(slurm.listed("slurm_load_jobs error: Invalid job id specified\n").unwrap(), JobReports::new());
    assert_eq!(slurm.found("77|PENDING|None\n"), Some("77".into()));
    let load = slurm.loaded("1|RUNNING|3|1:00|2:00\n2|PENDING|2|1-00:00:00|UNLIMITED\n").unwrap();
    assert_eq!((load.running[0].left, load.queued[0].limit), (Some(60), None));
    let (running, queued) = load.on(4);
    assert_eq!((running[0].nodes, running[0].left, queued[0].limit), (3, 60, 7 * 86_400));
    assert_eq!(load.on(1), (vec![], vec![]), "what does not fit is left out");
    assert!(slurm.loaded("squeue: error\n").is_err());
}

const QSTAT: &str = "Job Id: 7.pbs\n    Job_Name = of1\n    job_state = F\n    Exit_status = 271\n    \
    Resource_List.walltime = 00:01:00\n    resources_used.walltime = 00:01:03\nJob Id: 8.pbs\n    job_state = F\n    \
    Exit_status = 3\nJob Id: 9.pbs\n    job_state = R\n    Resource_List.nodect = 4\n    Resource_List.walltime = 02:00:00\n    \
    resources_used.walltime = 00:30:00\n";

#[test]
fn answers_of_pbs_say_what_became_of_each_job() {
    let pbs = job_system("pbs").unwrap();
    let listed = pbs.listed(QSTAT).unwrap();
    assert_eq!((&listed["7.pbs"], &listed["9.pbs"]), (&JobReport::TimedOut, &JobReport::Running));
    assert_eq!(listed["8.pbs"], JobReport::Failed("PBS says exit status 3".into()));
    assert!(pbs.listed("qstat: cannot connect to server pbs01 (errno=15010)\n").is_err());
    assert_eq!(pbs.listed("qstat: Unknown Job Id 12.pbs\n").unwrap(), JobReports::new());
    assert_eq!(pbs.submitted("welcome\n12.pbs01\n"), Ok("12.pbs01".into()));
    assert!(pbs.submitted("qsub: Unknown queue").is_err());
    let load = pbs.loaded(QSTAT).unwrap();
    assert_eq!((load.running.len(), load.running[0].nodes, load.running[0].left), (1, 4, Some(5400)));
}

fn any_report() -> impl Strategy<Value = Option<JobReport>> {
    let why = || "why".to_owned();
    prop_oneof![
        Just(None),
        Just(Some(JobReport::Waiting)),
        Just(Some(JobReport::Running)),
        Just(Some(JobReport::Done)),
        Just(Some(JobReport::Failed(why()))),
        Just(Some(JobReport::TimedOut)),
        Just(Some(JobReport::Lost(why()))),
        Just(Some(JobReport::Cancelled(why()))),
    ]
}

proptest! {
    /// Whatever a batch system answers: no job is submitted before those it waits for, all come to an end, and the journal gives
    /// the same state again.
    #[test]
    fn any_answers_lead_to_an_end_that_the_journal_repeats(
        edges in proptest::collection::vec(any::<bool>(), 36),
        answers in proptest::collection::vec((0usize..9, any_report(), proptest::option::of(0i32..2), any::<bool>()), 0..120),
    ) {
        let job = |place: usize| PlannedJob {
            task: place.to_string(), nodes: 1, limit: 60,
            after: (0..place).filter(|before| edges[place * (place - 1) / 2 + before]).collect(),
        };
        let jobs: Vec<PlannedJob> = (0..9).map(job).collect();
        let mut progress = WorkflowProgress::new(jobs.clone(), 5);
        let mut replayed = WorkflowProgress::new(jobs, 5);
        let mut journal = Vec::new();
        for (job, report, code, is_overdue) in answers {
            while let Some(next) = progress.next() {
                for change in [JobChange::Sent(next.job), JobChange::Queued(next.job, number(next.job, next.attempt))] {
                    progress.apply(&change);
                    journal.push(change);
                }
                let known = |before: &usize| *progress.stage(*before) == JobStage::Done || progress.stage(*before).number().is_some();
                prop_assert!(progress.jobs()[next.job].after.iter().all(known));
                prop_assert!(progress.numbers().len() <= 5);
            }
            let report = report.map(|report| (number(job, progress.attempt(job)), report));
            let record = BTreeMap::from([(job, JobRecord { ended: code, is_overdue })]);
            journal.extend(progress.observe(&report.into_iter().collect(), &record));
        }
        // Silence ends everything in time.
        for _ in 0..400 {
            while let Some(next) = progress.next() {
                let change = JobChange::Queued(next.job, number(next.job, next.attempt));
                progress.apply(&change);
                journal.push(change);
            }
            journal.extend(progress.observe(&JobReports::new(), &BTreeMap::new()));
        }
        prop_assert!(progress.is_over());
        journal.iter().for_each(|change| replayed.apply(change));
        for job in 0..9 {
            prop_assert_eq!(progress.stage(job), replayed.stage(job));
            prop_assert_eq!((progress.attempt(job), progress.limit(job)), (replayed.attempt(job), replayed.limit(job)));
            if let JobStage::Skipped(failed) = progress.stage(job) {
                prop_assert!(matches!(progress.stage(*failed), JobStage::Failed(_)));
            }
        }
    }

    #[test]
    fn no_answer_is_too_strange(answer in "([0-9]{1,3}|[|.:=\\n A-Z]|Job Id: |job_state = |Exit_status = |TIMEOUT){0,60}", any in ".{0,80}") {
        for system in ["slurm", "pbs"].map(|word| job_system(word).unwrap()) {
            for answer in [&answer, &any] {
                let _ = (system.submitted(answer), system.listed(answer), system.found(answer));
                if let Ok(load) = system.loaded(answer) {
                    let (running, queued) = load.on(4);
                    prop_assert!(running.iter().map(|job| job.nodes).sum::<u64>() <= 4 && queued.iter().all(|job| job.nodes <= 4));
                }
            }
        }
    }
}
