//! PBS's part in workflows: `qsub -W depend`, and one `qstat -x -f` for all jobs, which also says how they ended.

use std::collections::BTreeMap;

use super::load::{LoadAnswerError, QueueLoad, duration};
use super::system::{JobReport, JobReports, JobScript, JobSystem};
use crate::site::{BatchSystem as _, Pbs, SiteAnswerError, SiteProfile, no_answer};

pub(super) struct PbsJobs;

/// Exit status of a job that OpenPBS ends at its limit (JOB_EXEC_KILL_WALLTIME).
const KILLED_AT_LIMIT: i64 = -29;
/// Exit statuses below 0 are PBS's own, but the one above: it could not run the job.
const SIGNALS: i64 = 256;

impl JobSystem for PbsJobs {
    fn word(&self) -> &'static str {
        Pbs.word()
    }

    fn commands(&self) -> &'static [&'static str] {
        &["qsub", "qstat", "qselect", "qdel"]
    }

    fn options(&self, job: &JobScript, profile: &SiteProfile) -> Vec<String> {
        let (hours, minutes, seconds) = (job.limit / 3600, job.limit / 60 % 60, job.limit % 60);
        let mut options = vec![
            format!("-N {}", job.name),
            format!("-l select={}", job.nodes),
            "-l place=scatter:excl".to_owned(),
            format!("-l walltime={hours:02}:{minutes:02}:{seconds:02}"),
            format!("-o {}/{}.log", job.folder, job.files),
            "-j oe".to_owned(),
            "-r n".to_owned(),
        ];
        if !job.after.is_empty() {
            options.push(format!("-W depend=afterok:{}", job.after.join(":")));
        }
        options.extend(profile.account.as_ref().map(|account| format!("-A {account}")));
        options.extend(profile.partition.as_ref().map(|queue| format!("-q {queue}")));
        options.extend(profile.qos.as_ref().map(|qos| format!("-l qos={qos}")));
        options.extend(profile.options.iter().cloned());
        options.into_iter().map(|option| format!("#PBS {option}")).collect()
    }

    fn submit(&self, script: &str) -> Vec<String> {
        Pbs.submit(script)
    }

    fn submitted(&self, answer: &str) -> Result<String, SiteAnswerError> {
        let found = answer.lines().rev().find_map(number);
        found.ok_or_else(|| no_answer("the number of a job, such as 123.server", answer))
    }

    fn list(&self, numbers: &[String]) -> Vec<String> {
        ["qstat", "-x", "-f"].map(str::to_owned).into_iter().chain(numbers.iter().cloned()).collect()
    }

    fn listed(&self, answer: &str) -> Result<JobReports, SiteAnswerError> {
        let jobs = jobs(answer);
        let is_empty = answer.trim().is_empty() || answer.contains("Unknown Job Id");
        if jobs.is_empty() && !is_empty {
            return Err(no_answer("jobs of qstat -f, such as Job Id: 123.server", answer));
        }
        Ok(jobs.iter().filter_map(|(number, fields)| Some((number.clone(), report(fields)?))).collect())
    }

    fn history(&self, numbers: &[String]) -> Vec<String> {
        self.list(numbers)
    }

    fn find(&self, name: &str) -> Vec<String> {
        ["qselect", "-x", "-N", name].map(str::to_owned).to_vec()
    }

    fn found(&self, answer: &str) -> Option<String> {
        answer.lines().find_map(number)
    }

    fn cancel(&self, numbers: &[String]) -> Vec<String> {
        std::iter::once("qdel".to_owned()).chain(numbers.iter().cloned()).collect()
    }

    fn load(&self) -> Vec<String> {
        ["qstat", "-f"].map(str::to_owned).to_vec()
    }

    fn loaded(&self, answer: &str) -> Result<QueueLoad, LoadAnswerError> {
        let mut load = QueueLoad::default();
        for (number, fields) in jobs(answer) {
            let field = |name: &str| fields.get(name).map_or("", String::as_str);
            let is_running = match field("job_state") {
                "R" | "E" => true,
                "Q" => false,
                _ => continue,
            };
            // A job that does not say its nodes has one.
            let nodes = field("Resource_List.nodect").parse().unwrap_or(1);
            let limit = duration(field("Resource_List.walltime"));
            let used = duration(field("resources_used.walltime")).unwrap_or(0);
            load.add(&number, is_running, nodes, limit.map(|limit| limit.saturating_sub(used)), limit);
        }
        Ok(load)
    }
}

/// `123.server`.
fn number(line: &str) -> Option<String> {
    let line = line.trim();
    let (digits, server) = line.split_once('.')?;
    let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    let is_name = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
    (is_number && !server.is_empty() && server.bytes().all(is_name)).then(|| line.to_owned())
}

/// The jobs of `qstat -f` with their fields; lines that continue a field are left out.
fn jobs(answer: &str) -> BTreeMap<String, BTreeMap<String, String>> {
    let mut jobs: BTreeMap<String, BTreeMap<String, String>> = BTreeMap::new();
    let mut now = None;
    for line in answer.lines() {
        if let Some(id) = line.strip_prefix("Job Id:") {
            now = number(id);
            jobs.extend(now.clone().map(|number| (number, BTreeMap::new())));
        } else if let (Some(fields), Some((name, value))) =
            (now.as_ref().and_then(|number| jobs.get_mut(number)), line.split_once(" = "))
        {
            fields.insert(name.trim().to_owned(), value.trim().to_owned());
        }
    }
    jobs
}

fn report(fields: &BTreeMap<String, String>) -> Option<JobReport> {
    let field = |name: &str| fields.get(name).map(String::as_str);
    let time = |name: &str| field(name).and_then(duration);
    Some(match field("job_state")? {
        "Q" | "H" | "W" | "T" | "M" => JobReport::Waiting,
        "R" | "E" | "B" | "S" | "U" => JobReport::Running,
        "F" | "X" | "C" => match field("Exit_status").and_then(|status| status.parse::<i64>().ok()) {
            Some(0) => JobReport::Done,
            Some(KILLED_AT_LIMIT) => JobReport::TimedOut,
            // Older ones end it with a signal.
            Some(status)
                if status >= SIGNALS
                    && time("Resource_List.walltime").is_some_and(|limit| {
                        time("resources_used.walltime").is_some_and(|used| used >= limit)
                    }) =>
            {
                JobReport::TimedOut
            }
            Some(status) if status < 0 => JobReport::Lost(format!("PBS says exit status {status}")),
            Some(status) => JobReport::Failed(format!("PBS says exit status {status}")),
            None => JobReport::Cancelled("PBS says that it never ran".into()),
        },
        _ => return None,
    })
}
