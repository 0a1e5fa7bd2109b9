use proptest::prelude::*;

use super::*;

fn job() -> ArrayJob {
    ArrayJob {
        name: "onceflow-first".into(),
        workers: 3,
        cores: 2,
        memory: 3 << 30,
        command: "onceflow work /lab/first --workers 2".into(),
        folder: "/lab".into(),
        logs: "/lab/first/work/logs".into(),
    }
}

fn profile() -> SiteProfile {
    let mut profile = SiteProfile::default();
    let list = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
    for (key, values) in [
        ("account", &["lab7"][..]),
        ("partition", &["main"]),
        ("qos", &["normal"]),
        ("time", &["4:00:00"]),
        ("modules", &["openslide/4"]),
        ("prologue", &["export A=1", "ulimit -c 0"]),
        ("options", &["--constraint=ib"]),
        ("workers", &["64"]),
        ("most_tasks", &["500"]),
    ] {
        profile.set(key, &list(values)).unwrap();
    }
    profile
}

#[test]
fn scripts_say_what_the_site_wants_and_end_in_the_worker() {
    let script = Slurm.script(&job(), &profile());
    for line in [
        "#SBATCH --array=0-2",
        "#SBATCH --cpus-per-task=2",
        "#SBATCH --mem=3072M",
        "#SBATCH --account=lab7",
        "#SBATCH --partition=main",
        "#SBATCH --qos=normal",
        "#SBATCH --time=4:00:00",
        "#SBATCH --constraint=ib",
        "module load openslide/4",
        "export A=1",
        "exec onceflow work /lab/first --workers 2 \\",
        "  --name slurm-$SLURM_ARRAY_JOB_ID-$SLURM_ARRAY_TASK_ID",
    ] {
        assert!(script.lines().any(|found| found == line), "{line} in {script}");
    }
    let script = Pbs.script(&job(), &profile());
    for line in [
        "#PBS -J 0-2",
        "#PBS -l select=1:ncpus=2:mem=3072mb",
        "#PBS -A lab7",
        "#PBS -q main",
        "#PBS -l walltime=4:00:00",
        "cd /lab || exit 3",
        "  --name \"pbs-${PBS_JOBID%%[*}-$PBS_ARRAY_INDEX\"",
    ] {
        assert!(script.lines().any(|found| found == line), "{line} in {script}");
    }
    let many = ArrayJob { workers: 5000, ..job() };
    assert!(Slurm.script(&many, &profile()).contains("--array=0-499\n"), "the bound of the site");
    assert!(Slurm.script(&many, &SiteProfile::default()).contains("--array=0-999\n"));
}

#[test]
fn profiles_with_other_keys_and_lines_are_refused() {
    let mut profile = SiteProfile::default();
    let text = |text: &str| vec![text.to_owned()];
    assert_eq!(profile.set("acount", &text("a")), Err(SiteProfileError::Key));
    assert!(profile.set("account", &[]).is_err() && profile.set("workers", &text("many")).is_err());
    assert!(profile.set("account", &text("a\n#SBATCH --uid=0")).is_err(), "no line of its own");
    assert_eq!(profile, SiteProfile::default());
}

#[test]
fn answers_of_slurm_are_read_and_garbage_is_refused() {
    assert_eq!(Slurm.submitted("12\n"), Ok("12".into()));
    assert_eq!(Slurm.submitted("Welcome to the site\n12;cluster\n"), Ok("12".into()));
    for garbage in ["", "sbatch: error: invalid account", "12x", "Submitted"] {
        assert!(Slurm.submitted(garbage).is_err(), "{garbage}");
    }
    let listed = Slurm.listed("12_0|RUNNING|None\nnoise\n12_1|PENDING|Priority\n12_2|NODE_FAIL|\n").unwrap();
    let state = |task: usize| listed[&("12".to_owned(), task)].clone();
    assert_eq!((state(0), state(1)), (TaskState::Running, TaskState::Waiting));
    assert!(matches!(state(2), TaskState::Ended(_)));
    assert_eq!(Slurm.listed("").unwrap(), TaskStates::new());
    assert!(Slurm.listed("slurm_load_jobs error: Unable to contact slurm controller\n").is_err());
    let told = Slurm.remembered("12_0|COMPLETED|0:0\n12_1|CANCELLED by 0|0:15\n12_2|FAILED|1:0\nSlurm accounting storage is disabled\n");
    assert_eq!(told[&("12".into(), 0)], TaskState::Done);
    assert!(matches!(told[&("12".into(), 1)], TaskState::Ended(_)));
    assert_eq!(told[&("12".into(), 2)], TaskState::Failed("Slurm says FAILED with 1:0".into()));
}

#[test]
fn an_array_has_no_more_tasks_than_the_site_allows_and_its_script_says_so() {
    let few = SiteProfile { most_tasks: Some(500), ..SiteProfile::default() };
    let none = SiteProfile::default();
    for (system, workers, profile, expected) in [
        (&Slurm as &dyn BatchSystem, 2000, &none, 1000),
        (&Slurm, 2000, &few, 500),
        (&Slurm, 1, &none, 1),
        (&Slurm, 0, &none, 1),
        (&Pbs, 1, &none, 2),
        (&Pbs, 20_000, &none, 10_000),
        (&Pbs, 2000, &few, 500),
    ] {
        assert_eq!(system.tasks(workers, profile), expected, "{} of {workers}", system.word());
        let script = system.script(&ArrayJob { workers, ..job() }, profile);
        let range = format!("0-{}\n", expected - 1);
        assert!(script.contains(&range), "{range}: {script}");
    }
}

#[test]
fn complaints_about_jobs_that_are_over_are_told_from_others() {
    let gone = "qstat: 7[].pbs01 Job has finished, use -x or -H to obtain historical job information\n";
    assert!(Pbs.complains_of_past_jobs(gone));
    assert!(Pbs.complains_of_past_jobs(&format!("{gone}qstat: Unknown Job Id 8[].pbs01\n")));
    assert!(!Pbs.complains_of_past_jobs(&format!("{gone}qstat: cannot connect to server pbs01\n")));
    assert!(Slurm.complains_of_past_jobs("slurm_load_jobs error: Invalid job id specified\n"));
    for other in ["", "\n", "slurm_load_jobs error: Socket timed out on send/recv operation"] {
        assert!(!Slurm.complains_of_past_jobs(other) && !Pbs.complains_of_past_jobs(other), "{other}");
    }
}

#[test]
fn answers_of_pbs_are_read_and_garbage_is_refused() {
    assert_eq!(Pbs.submitted("123[].pbs01\n"), Ok("123".into()));
    assert!(Pbs.submitted("qsub: Unknown queue").is_err() && Pbs.submitted("").is_err());
    let table = "Job id            Name             User              Time Use S Queue\n\
        ----------------  ---------------- ----------------  -------- - -----\n\
        123[].pbs01       onceflow         me                       0 B workq\n\
        123[0].pbs01      onceflow         me                00:00:01 R workq\n\
        123[1].pbs01      onceflow         me                       0 Q workq\n";
    let listed = Pbs.listed(table).unwrap();
    assert_eq!(listed[&("123".into(), 0)], TaskState::Running);
    assert_eq!((listed.len(), &listed[&("123".to_owned(), 1)]), (2, &TaskState::Waiting));
    assert!(Pbs.listed("qstat: cannot connect to server pbs01 (errno=15010)\n").is_err());
    assert_eq!(Pbs.remembered("123[1].pbs01 onceflow me 00:00:09 X workq\nx\n").len(), 1);
}

proptest! {
    #[test]
    fn no_answer_is_too_strange(answer in "[0-9_|\\[\\]. A-Za-z\\n]{0,200}") {
        for system in [&Slurm as &dyn BatchSystem, &Pbs] {
            let _ = (system.submitted(&answer), system.listed(&answer), system.remembered(&answer));
        }
    }
}
