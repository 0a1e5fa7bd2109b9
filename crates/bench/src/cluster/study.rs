//! A study in a folder, run again and again: every run must give the bytes of the first.

use super::HOUR;
use crate::program::{self, failed};
use onceflow_terminal::Failure;

/// The papers' screening study of the nuclei workflow.
const STUDY: &str = include_str!("../run/study.toml");
/// Each run is measured so often; the quickest counts.
const TIMES: usize = 3;
/// What must be the same.
const RESULTS: [&str; 3] = ["rows.csv", "metrics.csv", "indices.json"];
/// What every run is given beside its folder.
pub(super) const QUIET: [&str; 9] =
    ["--costs", "none", "--store", "none", "--pictures", "none", "--granularity", "written", "--json"];

/// A folder with a study of parts.
pub(super) struct StudyFolder {
    folder: tempfile::TempDir,
}

impl StudyFolder {
    /// A study of an image with edges of so many pixels, in parts of so many.
    pub(super) fn new(edge: u32, part: u32) -> Result<Self, Failure> {
        let bench = Self { folder: tempfile::tempdir().map_err(failed)? };
        let study = STUDY.replace("synth:1000x1000?seed=1", &format!("synth:{edge}x{edge}?seed=1"));
        let study = study.replace("[parts]\n", &format!("[parts]\nsize = {part}\n"));
        std::fs::write(bench.path("study.toml"), study).map_err(failed)?;
        Ok(bench)
    }

    pub(super) fn path(&self, name: &str) -> String {
        self.folder.path().join(name).display().to_string()
    }

    /// Seconds of the quickest of some runs, which all must give the bytes of the first of all runs.
    pub(super) fn quickest(&self, name: &str, more: &[&str]) -> Result<f64, Failure> {
        let mut least = f64::INFINITY;
        for number in 0..TIMES {
            let output = format!("{name}-{number}");
            let words = self.words(&output, more);
            let words: Vec<&str> = words.iter().map(String::as_str).collect();
            least = least.min(program::run(&words, HOUR)?.seconds);
            self.same(&output)?;
        }
        Ok(least)
    }

    /// The words of a run into a folder.
    pub(super) fn words(&self, output: &str, more: &[&str]) -> Vec<String> {
        let (study, output) = (self.path("study.toml"), self.path(output));
        let words = ["run", &study, "-o", &output].into_iter().chain(QUIET).chain(more.iter().copied());
        words.map(str::to_owned).collect()
    }

    /// Refuses a run whose results are not those of the first run.
    pub(super) fn same(&self, output: &str) -> Result<(), Failure> {
        for name in RESULTS {
            let read = |folder: &str| std::fs::read(self.path(&format!("{folder}/{name}"))).map_err(failed);
            if read("threads-0")? != read(output)? {
                return Err(failed(format!("{name} of {output} differs from that of threads")));
            }
        }
        Ok(())
    }

    /// How many buckets a run was cut into, as its answer says.
    pub(super) fn buckets(&self, output: &str) -> Result<f64, Failure> {
        let text = std::fs::read_to_string(self.path(&format!("{output}/answer.txt"))).map_err(failed)?;
        let words: Vec<&str> = text.split_whitespace().collect();
        let count = words.windows(2).find(|pair| pair[1].starts_with("bucket")).map(|pair| pair[0]);
        let count = count.and_then(|count| count.replace(',', "").parse().ok());
        count.ok_or_else(|| failed("the answer does not say how many buckets there were"))
    }
}
