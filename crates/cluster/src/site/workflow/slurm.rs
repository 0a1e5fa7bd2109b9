//! Slurm's part in workflows: dependencies, whole nodes, one `squeue` for all jobs, and `sacct` where the site has it.

use super::load::{LoadAnswerError, QueueLoad, duration};
use super::system::{JobReport, JobReports, JobScript, JobSystem};
use crate::site::{BatchSystem as _, SiteAnswerError, SiteProfile, Slurm, no_answer};

pub(super) struct SlurmJobs;

impl JobSystem for SlurmJobs {
    fn word(&self) -> &'static str {
        Slurm.word()
    }

    fn commands(&self) -> &'static [&'static str] {
        &["sbatch", "squeue", "scancel"]
    }

    fn options(&self, job: &JobScript, profile: &SiteProfile) -> Vec<String> {
        let mut options = vec![
            format!("--job-name={}", job.name),
            format!("--nodes={}", job.nodes),
            // Limits of Slurm are whole minutes.
            format!("--time={}", job.limit.div_ceil(60).max(1)),
            format!("--output={}/{}.log", job.folder, job.files),
            "--exclusive".to_owned(),
            "--no-requeue".to_owned(),
        ];
        if !job.after.is_empty() {
            options.push(format!("--dependency=afterok:{}", job.after.join(":")));
            options.push("--kill-on-invalid-dep=yes".to_owned());
        }
        let own = [("account", &profile.account), ("partition", &profile.partition), ("qos", &profile.qos)];
        options.extend(own.iter().filter_map(|(name, value)| Some(format!("--{name}={}", value.as_ref()?))));
        options.extend(profile.options.iter().cloned());
        options.into_iter().map(|option| format!("#SBATCH {option}")).collect()
    }

    fn submit(&self, script: &str) -> Vec<String> {
        Slurm.submit(script)
    }

    fn submitted(&self, answer: &str) -> Result<String, SiteAnswerError> {
        Slurm.submitted(answer)
    }

    fn list(&self, numbers: &[String]) -> Vec<String> {
        words(&["squeue", "--noheader", "--states=all", "--format=%i|%T|%r", "--jobs", &numbers.join(",")])
    }

    fn listed(&self, answer: &str) -> Result<JobReports, SiteAnswerError> {
        let reports: JobReports = answer.lines().filter_map(report).collect();
        // Of jobs that it no longer knows squeue says only that; then none of them is listed.
        let is_empty = answer.trim().is_empty() || answer.contains("Invalid job id");
        if reports.is_empty() && !is_empty {
            return Err(no_answer("lines such as 123|RUNNING|None", answer));
        }
        Ok(reports)
    }

    fn history(&self, numbers: &[String]) -> Vec<String> {
        let fields = "--format=JobID,State,ExitCode";
        words(&["sacct", "--noheader", "--allocations", "--parsable2", fields, "--jobs", &numbers.join(",")])
    }

    fn find(&self, name: &str) -> Vec<String> {
        words(&["squeue", "--noheader", "--states=all", "--format=%i|%T|%r", "--name", name])
    }

    fn found(&self, answer: &str) -> Option<String> {
        answer.lines().find_map(report).map(|(number, _)| number)
    }

    fn cancel(&self, numbers: &[String]) -> Vec<String> {
        Slurm.cancel(numbers)
    }

    fn load(&self) -> Vec<String> {
        words(&["squeue", "--noheader", "--states=PENDING,RUNNING", "--sort=-p,i", "--format=%i|%T|%D|%L|%l"])
    }

    fn loaded(&self, answer: &str) -> Result<QueueLoad, LoadAnswerError> {
        let mut load = QueueLoad::default();
        for line in answer.lines().filter(|line| !line.trim().is_empty()) {
            let fields: Vec<&str> = line.trim().split('|').collect();
            let [number, state, nodes, left, limit] = fields[..] else {
                return Err(LoadAnswerError::line("123|RUNNING|2|1:00:00|2:00:00", line));
            };
            let Ok(nodes) = nodes.parse() else {
                return Err(LoadAnswerError::line("a number of nodes", line));
            };
            load.add(number, state == "RUNNING", nodes, duration(left), duration(limit));
        }
        Ok(load)
    }
}

fn words(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| (*word).to_owned()).collect()
}

/// `123|RUNNING|None` of squeue, `123|TIMEOUT|0:0` of sacct.
fn report(line: &str) -> Option<(String, JobReport)> {
    let mut fields = line.trim().split('|');
    let (number, state, more) = (fields.next()?, fields.next()?, fields.next()?);
    if number.is_empty() || !number.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    // `CANCELLED by 1000`.
    let word = state.split_whitespace().next()?;
    let says = || format!("Slurm says {state} ({more})");
    let report = match word {
        // The job before it failed: the reason stands there where it is not cancelled at once.
        "PENDING" if more == "DependencyNeverSatisfied" => JobReport::Cancelled(says()),
        "PENDING" | "CONFIGURING" | "REQUEUED" | "REQUEUE_HOLD" | "REQUEUE_FED" | "SPECIAL_EXIT"
        | "RESV_DEL_HOLD" => JobReport::Waiting,
        "RUNNING" | "COMPLETING" | "SUSPENDED" | "STAGE_OUT" | "RESIZING" | "SIGNALING" | "STOPPED" => {
            JobReport::Running
        }
        "COMPLETED" => JobReport::Done,
        "FAILED" | "OUT_OF_MEMORY" => JobReport::Failed(says()),
        "TIMEOUT" | "DEADLINE" => JobReport::TimedOut,
        "NODE_FAIL" | "BOOT_FAIL" | "PREEMPTED" => JobReport::Lost(says()),
        "CANCELLED" | "REVOKED" => JobReport::Cancelled(says()),
        _ => return None,
    };
    Some((number.to_owned(), report))
}
