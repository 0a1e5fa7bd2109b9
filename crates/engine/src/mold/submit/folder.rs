//! The plan of a submission as a file: all that a follower needs to know.

use std::path::{Path, PathBuf};

use onceflow_cluster::{JobSystem, PlannedJob, SiteProfile, job_system};
use onceflow_study::Diagnostic;
use serde::{Deserialize, Serialize};

use super::site_shell::{RemoteSite, SiteShell};
use crate::{EngineError, TextLimit, read_text, write_whole};

/// Its name in the folder.
pub(super) const FILE: &str = "plan.json";

/// A plan that was submitted.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub(super) struct SubmittedPlan {
    pub(super) version: u32,
    /// What names of jobs begin with.
    pub(super) name: String,
    pub(super) system: String,
    pub(super) machine: String,
    pub(super) device: String,
    pub(super) nodes: u64,
    /// Host and folder.
    pub(super) remote: Option<(String, String)>,
    /// Keys of the site with their values.
    pub(super) site: Vec<(String, Vec<String>)>,
    /// Seconds since 1970.
    pub(super) submitted: f64,
    pub(super) makespan: u64,
    pub(super) cost: u64,
    /// Registered programs with their digests.
    pub(super) programs: Vec<(String, String)>,
    pub(super) tasks: Vec<SubmittedTask>,
}

/// A task of a plan, in the order of submission.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub(super) struct SubmittedTask {
    pub(super) id: String,
    pub(super) after: Vec<usize>,
    pub(super) nodes: u64,
    pub(super) command: String,
    #[serde(rename = "type")]
    pub(super) kind: Option<String>,
    pub(super) size: Option<f64>,
    pub(super) limit: u64,
    /// Predicted, in seconds.
    pub(super) seconds: u64,
    pub(super) start: Option<u64>,
}

impl SubmittedPlan {
    pub(super) fn write(&self, folder: &Path) -> Result<(), EngineError> {
        let path = folder.join(FILE);
        let text =
            serde_json::to_string_pretty(self).map_err(|error| EngineError::Internal(error.to_string()))?;
        write_whole(&path, text.as_bytes()).map_err(|error| EngineError::Write { path, error })
    }

    pub(super) fn read(folder: &Path) -> Result<Self, EngineError> {
        let path = folder.join(FILE);
        if !path.is_file() {
            let message = Diagnostic::error(format!("{} has no submitted workflow", folder.display()));
            let message = message.expected_found("a folder of onceflow mold submit", format!("no {FILE}"));
            return Err(EngineError::bad_input(message.with_hint("name the folder that was given after -o")));
        }
        let source = read_text(&path, TextLimit::Description)?;
        let plan: Self =
            serde_json::from_str(&source.text).map_err(|error| broken(&path, &error.to_string()))?;
        let place = |(at, task): (usize, &SubmittedTask)| task.after.iter().all(|before| *before < at);
        if plan.version != 1 || !plan.tasks.iter().enumerate().all(place) {
            return Err(broken(&path, "another version, or tasks that wait for later ones"));
        }
        Ok(plan)
    }

    pub(super) fn jobs(&self) -> Vec<PlannedJob> {
        let job = |task: &SubmittedTask| PlannedJob {
            task: task.id.clone(),
            nodes: task.nodes,
            limit: task.limit,
            after: task.after.clone(),
        };
        self.tasks.iter().map(job).collect()
    }

    pub(super) fn shell(&self, folder: &Path) -> SiteShell {
        let remote = self.remote.clone().map(|(host, folder)| RemoteSite { host, folder });
        SiteShell::new(remote, folder)
    }

    pub(super) fn batch_system(&self, folder: &Path) -> Result<Box<dyn JobSystem>, EngineError> {
        job_system(&self.system)
            .ok_or_else(|| broken(&folder.join(FILE), &format!("the batch system `{}`", self.system)))
    }

    pub(super) fn profile(&self, folder: &Path) -> Result<SiteProfile, EngineError> {
        let mut profile = SiteProfile::default();
        for (key, values) in &self.site {
            let set = profile.set(key, values);
            set.map_err(|error| broken(&folder.join(FILE), &format!("`{key}` of the site: {error}")))?;
        }
        Ok(profile)
    }
}

/// The keys of a site that are set, as [`SiteProfile::set`] takes them.
pub(super) fn site_keys(site: &SiteProfile) -> Vec<(String, Vec<String>)> {
    let one = |key: &str, value: &Option<String>| Some((key.to_owned(), vec![value.clone()?]));
    let number = |key: &str, value: Option<usize>| Some((key.to_owned(), vec![value?.to_string()]));
    let list = |key: &str, values: &[String]| (!values.is_empty()).then(|| (key.to_owned(), values.to_vec()));
    [
        one("account", &site.account),
        one("partition", &site.partition),
        one("qos", &site.qos),
        list("modules", &site.modules),
        list("prologue", &site.prologue),
        list("options", &site.options),
        number("most_tasks", site.most_tasks),
    ]
    .into_iter()
    .flatten()
    .collect()
}

fn broken(path: &Path, found: &str) -> EngineError {
    let message = Diagnostic::error(format!("{} is not what onceflow wrote", path.display()));
    EngineError::bad_input(message.expected_found("the plan of a submission", found))
}

/// Makes the folder of a submission; one that has files is refused.
pub(super) fn make_folder(folder: &Path) -> Result<(), EngineError> {
    let failed = |path: PathBuf| move |error| EngineError::Write { path, error };
    if folder.is_dir() && folder.read_dir().map_err(failed(folder.into()))?.next().is_some() {
        let message = Diagnostic::error(format!("{} has files", folder.display()));
        let message = message.expected_found("a new or empty folder after -o", "one with files");
        let hint = if folder.join(FILE).is_file() {
            format!("a workflow was submitted from it: onceflow mold follow {}", folder.display())
        } else {
            "choose another folder".to_owned()
        };
        return Err(EngineError::bad_input(message.with_hint(hint)));
    }
    for part in ["jobs", "programs"] {
        let path = folder.join(part);
        std::fs::create_dir_all(&path).map_err(failed(path))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plan_is_read_back_with_its_site_and_a_changed_one_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let mut site = SiteProfile::default();
        site.set("account", &["lab7".to_owned()]).unwrap();
        site.set("modules", &["a".to_owned(), "b".to_owned()]).unwrap();
        site.set("most_tasks", &["9".to_owned()]).unwrap();
        let task = SubmittedTask {
            id: "a".into(),
            after: vec![],
            nodes: 2,
            command: "st".into(),
            kind: None,
            size: Some(8.0),
            limit: 60,
            seconds: 50,
            start: Some(0),
        };
        let mut plan = SubmittedPlan {
            version: 1,
            name: "of1".into(),
            system: "slurm".into(),
            machine: "hpc".into(),
            device: "cpu".into(),
            nodes: 4,
            remote: Some(("login".into(), "/scratch".into())),
            site: site_keys(&site),
            submitted: 1.5,
            makespan: 50,
            cost: 100,
            programs: vec![("st".into(), "00".into())],
            tasks: vec![task],
        };
        plan.write(folder.path()).unwrap();
        let read = SubmittedPlan::read(folder.path()).unwrap();
        assert_eq!((&read, read.profile(folder.path()).unwrap()), (&plan, site));
        plan.tasks[0].after = vec![0];
        plan.write(folder.path()).unwrap();
        assert!(
            SubmittedPlan::read(folder.path()).unwrap_err().to_string().contains("not what onceflow wrote")
        );
        assert!(make_folder(folder.path()).unwrap_err().to_string().contains("mold follow"));
    }
}
