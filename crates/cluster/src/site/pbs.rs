//! PBS Professional and OpenPBS: `qsub`, one `qstat` for all jobs, `qstat -x` for those that are over, `qdel`.

use super::{
    ArrayJob, BatchSystem, SiteAnswerError, SiteProfile, TaskState, TaskStates, all_lines_have, beginning,
    no_answer, states_of,
};

/// PBS.
#[derive(Clone, Copy, Debug, Default)]
pub struct Pbs;

/// An array of PBS has two tasks at least, and by default this many at most.
const MOST_TASKS: usize = 10_000;

impl BatchSystem for Pbs {
    fn word(&self) -> &'static str {
        "pbs"
    }

    fn tasks(&self, workers: usize, profile: &SiteProfile) -> usize {
        workers.clamp(2, profile.most_tasks.unwrap_or(MOST_TASKS).max(2))
    }

    fn script(&self, job: &ArrayJob, profile: &SiteProfile) -> String {
        let last = self.tasks(job.workers, profile) - 1;
        let name: String = job.name.chars().take(15).collect();
        let mut options = vec![
            format!("-N {name}"),
            format!("-J 0-{last}"),
            format!("-o {}/", job.logs),
            "-j oe".to_owned(),
            // The folder of the run says what is done: what is lost is submitted again from there.
            "-r y".to_owned(),
            format!("-l select=1:ncpus={}:mem={}mb", job.cores, job.memory.div_ceil(1 << 20)),
        ];
        options.extend(profile.account.as_ref().map(|account| format!("-A {account}")));
        options.extend(profile.partition.as_ref().map(|queue| format!("-q {queue}")));
        options.extend(profile.qos.as_ref().map(|qos| format!("-l qos={qos}")));
        options.extend(profile.time.as_ref().map(|time| format!("-l walltime={time}")));
        options.extend(profile.options.iter().cloned());
        let options: String = options.iter().map(|option| format!("#PBS {option}\n")).collect();
        let (beginning, command, folder) = (beginning(profile), &job.command, &job.folder);
        format!(
            "#!/bin/sh\n{options}\ncd {folder} || exit 3\n{beginning}exec {command} \\\n  --name \"pbs-${{PBS_JOBID%%[*}}-$PBS_ARRAY_INDEX\"\n"
        )
    }

    fn submit(&self, script: &str) -> Vec<String> {
        ["qsub", script].map(str::to_owned).to_vec()
    }

    fn submitted(&self, answer: &str) -> Result<String, SiteAnswerError> {
        // `123[].server`.
        let number = |line: &str| Some(line.trim().split_once("[]")?.0.to_owned());
        let is_number = |id: &String| !id.is_empty() && id.bytes().all(|byte| byte.is_ascii_digit());
        let found = answer.lines().rev().filter_map(number).find(is_number);
        found.ok_or_else(|| no_answer("the number of an array job, such as 123[].server", answer))
    }

    fn list(&self, jobs: &[String]) -> Vec<String> {
        let jobs = jobs.iter().map(|job| format!("{job}[]"));
        ["qstat", "-t"].map(str::to_owned).into_iter().chain(jobs).collect()
    }

    fn listed(&self, answer: &str) -> Result<TaskStates, SiteAnswerError> {
        // The head of the table and the line of the array itself are no tasks.
        let is_head = |line: &str| {
            let first = line.split_whitespace().next().unwrap_or_default();
            first == "Job" || first.starts_with("--") || first.contains("[]") || line.trim().is_empty()
        };
        let tasks: String =
            answer.lines().filter(|line| !is_head(line)).map(|line| format!("{line}\n")).collect();
        states_of(&tasks, "lines of qstat -t such as 123[4].server name user 0 R queue", state)
    }

    fn complains_of_past_jobs(&self, complaint: &str) -> bool {
        // Without -x it refuses jobs that are over, and says of others what it said without them.
        all_lines_have(complaint, &["Job has finished", "Unknown Job Id"])
    }

    fn history(&self, jobs: &[String]) -> Vec<String> {
        let jobs = jobs.iter().map(|job| format!("{job}[]"));
        ["qstat", "-x", "-t"].map(str::to_owned).into_iter().chain(jobs).collect()
    }

    fn remembered(&self, answer: &str) -> TaskStates {
        answer.lines().filter_map(state).collect()
    }

    fn cancel(&self, jobs: &[String]) -> Vec<String> {
        let jobs = jobs.iter().map(|job| format!("{job}[]"));
        std::iter::once("qdel".to_owned()).chain(jobs).collect()
    }
}

/// `123[4].server name user 00:00:01 R queue`: the task and its state.
fn state(line: &str) -> Option<((String, usize), TaskState)> {
    let fields: Vec<&str> = line.split_whitespace().collect();
    let (job, rest) = fields.first()?.split_once('[')?;
    let task = rest.split_once(']')?.0.parse().ok()?;
    if job.is_empty() || !job.bytes().all(|byte| byte.is_ascii_digit()) || fields.len() < 5 {
        return None;
    }
    let state = match fields[fields.len() - 2] {
        "Q" | "H" | "W" | "T" | "M" => TaskState::Waiting,
        "R" | "E" | "B" | "S" | "U" => TaskState::Running,
        // What a task ended with stands nowhere in the list: its lease tells.
        "X" | "F" => TaskState::Done,
        _ => return None,
    };
    Some(((job.to_owned(), task), state))
}
