//! Slurm: `sbatch`, one `squeue` for all jobs, `sacct` where the site keeps an account, `scancel`.

use super::{
    ArrayJob, BatchSystem, SiteAnswerError, SiteProfile, TaskState, TaskStates, all_lines_have, beginning,
    no_answer, states_of,
};

/// Slurm.
#[derive(Clone, Copy, Debug, Default)]
pub struct Slurm;

/// Slurm's own bound of tasks in an array, unless the site has another.
const MOST_TASKS: usize = 1000;

impl BatchSystem for Slurm {
    fn word(&self) -> &'static str {
        "slurm"
    }

    fn tasks(&self, workers: usize, profile: &SiteProfile) -> usize {
        workers.clamp(1, profile.most_tasks.unwrap_or(MOST_TASKS))
    }

    fn script(&self, job: &ArrayJob, profile: &SiteProfile) -> String {
        let last = self.tasks(job.workers, profile) - 1;
        let mut options = vec![
            format!("--job-name={}", job.name),
            format!("--array=0-{last}"),
            format!("--chdir={}", job.folder),
            format!("--output={}/slurm-%A-%a.log", job.logs),
            "--open-mode=append".to_owned(),
            "--nodes=1".to_owned(),
            "--ntasks=1".to_owned(),
            format!("--cpus-per-task={}", job.cores),
            format!("--mem={}M", job.memory.div_ceil(1 << 20)),
            // The folder of the run says what is done: what is lost is submitted again from there.
            "--no-requeue".to_owned(),
        ];
        let mut add = |name: &str, value: &Option<String>| {
            options.extend(value.as_ref().map(|value| format!("--{name}={value}")));
        };
        add("account", &profile.account);
        add("partition", &profile.partition);
        add("qos", &profile.qos);
        add("time", &profile.time);
        options.extend(profile.options.iter().cloned());
        let options: String = options.iter().map(|option| format!("#SBATCH {option}\n")).collect();
        let (beginning, command) = (beginning(profile), &job.command);
        format!(
            "#!/bin/sh\n{options}\n{beginning}exec {command} \\\n  --name slurm-$SLURM_ARRAY_JOB_ID-$SLURM_ARRAY_TASK_ID\n"
        )
    }

    fn submit(&self, script: &str) -> Vec<String> {
        ["sbatch", "--parsable", script].map(str::to_owned).to_vec()
    }

    fn submitted(&self, answer: &str) -> Result<String, SiteAnswerError> {
        // `--parsable` gives `123` or `123;cluster`, after whatever a site's own hook has to say.
        let number = |line: &str| {
            let id = line.trim().split(';').next().unwrap_or_default();
            (!id.is_empty() && id.bytes().all(|byte| byte.is_ascii_digit())).then(|| id.to_owned())
        };
        answer.lines().rev().find_map(number).ok_or_else(|| no_answer("the number of a job", answer))
    }

    fn list(&self, jobs: &[String]) -> Vec<String> {
        let jobs = jobs.join(",");
        ["squeue", "--noheader", "--array", "--states=all", "--format=%i|%T|%r", "--jobs", &jobs]
            .map(str::to_owned)
            .to_vec()
    }

    fn listed(&self, answer: &str) -> Result<TaskStates, SiteAnswerError> {
        states_of(answer, "lines such as 123_4|RUNNING|None", |line| state(line, None))
    }

    fn complains_of_past_jobs(&self, complaint: &str) -> bool {
        // A controller forgets a job some minutes after its end.
        all_lines_have(complaint, &["Invalid job id specified"])
    }

    fn history(&self, jobs: &[String]) -> Vec<String> {
        let jobs = jobs.join(",");
        [
            "sacct",
            "--noheader",
            "--array",
            "--allocations",
            "--parsable2",
            "--format=JobID,State,ExitCode",
            "--jobs",
            &jobs,
        ]
        .map(str::to_owned)
        .to_vec()
    }

    fn remembered(&self, answer: &str) -> TaskStates {
        let lines = answer.lines().filter_map(|line| state(line, line.split('|').nth(2)));
        lines.collect()
    }

    fn cancel(&self, jobs: &[String]) -> Vec<String> {
        std::iter::once("scancel".to_owned()).chain(jobs.iter().cloned()).collect()
    }
}

/// `123_4|RUNNING|…`: the task and its state.
fn state(line: &str, exit: Option<&str>) -> Option<((String, usize), TaskState)> {
    let mut fields = line.trim().split('|');
    let (id, word) = (fields.next()?, fields.next()?);
    let (job, task) = id.split_once('_')?;
    let known = !job.is_empty() && job.bytes().all(|byte| byte.is_ascii_digit());
    let task = task.parse().ok().filter(|_| known)?;
    // `CANCELLED by 1000`.
    let word = word.split_whitespace().next()?;
    let state = match word {
        "PENDING" | "CONFIGURING" | "REQUEUED" | "REQUEUE_HOLD" | "REQUEUE_FED" | "SPECIAL_EXIT"
        | "RESV_DEL_HOLD" => TaskState::Waiting,
        "RUNNING" | "COMPLETING" | "SUSPENDED" | "STAGE_OUT" | "RESIZING" | "SIGNALING" | "STOPPED" => {
            TaskState::Running
        }
        "COMPLETED" => TaskState::Done,
        "FAILED" | "OUT_OF_MEMORY" => {
            let exit = exit.map_or_else(String::new, |exit| format!(" with {exit}"));
            TaskState::Failed(format!("Slurm says {word}{exit}"))
        }
        "NODE_FAIL" | "BOOT_FAIL" | "PREEMPTED" | "CANCELLED" | "REVOKED" | "TIMEOUT" | "DEADLINE" => {
            TaskState::Ended(format!("Slurm says {word}"))
        }
        _ => return None,
    };
    Some(((job.to_owned(), task), state))
}
