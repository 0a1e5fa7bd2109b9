//! A study opened to be tuned: one without a phase that tunes gets one in place of its phases, and options of a command stand
//! in its text, so that the folder of the run holds the study that was run.

use std::fmt::Write as _;
use std::path::Path;
use std::time::Duration;

use onceflow_study::{Against, Method, Study, TuneBound};

use super::{DocumentContent, StudyInput, open_document, open_study};
use crate::file::{TextLimit, read_text};
use crate::{EngineError, OpenStudy, SettingsLayers};

/// What a command says of the phase that tunes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TuneRequest {
    /// Rows to run, with that of the defaults.
    pub evaluations: Option<u64>,
    /// Seed of the phase.
    pub seed: Option<u64>,
    /// No batch begins after this time.
    pub time: Option<Duration>,
    /// No batch begins after tasks took this time, added up over workers.
    pub cost: Option<Duration>,
    /// Random rows beside.
    pub yardstick: Option<u64>,
    /// Whether each slide is left out once.
    pub leave_one_out: bool,
}

impl TuneRequest {
    /// Adds a bound; the smaller one of two of a kind stands.
    pub fn bound(&mut self, bound: TuneBound) {
        fn least<T: Ord + Copy>(known: &mut Option<T>, new: T) {
            *known = Some(known.map_or(new, |known| known.min(new)));
        }
        match bound {
            TuneBound::Rows(rows) => least(&mut self.evaluations, rows),
            TuneBound::Time(time) => least(&mut self.time, time),
            TuneBound::Cost(cost) => least(&mut self.cost, cost),
        }
    }

    /// The keys of the study and their values.
    fn keys(self) -> Vec<(&'static str, String)> {
        let number = |key, n: Option<u64>| n.map(|n| (key, n.to_string()));
        let time = |key, time: Option<Duration>, unit: &str| {
            time.map(|time| (key, format!("\"{}{unit}\"", time.as_secs_f64())))
        };
        let each = self.leave_one_out.then(|| ("leave_one_out", "true".to_owned()));
        let keys = [
            number("evaluations", self.evaluations),
            number("seed", self.seed),
            time("time", self.time, " s"),
            time("cost", self.cost, " core-s"),
            number("yardstick", self.yardstick),
            each,
        ];
        keys.into_iter().flatten().collect()
    }
}

/// Opens a study to be tuned.
///
/// # Errors
/// As [`open_study`].
pub fn open_to_tune(
    path: &Path,
    request: TuneRequest,
    layers: &SettingsLayers,
) -> Result<OpenStudy, EngineError> {
    let document = open_document(path)?;
    let study = match &document.content {
        Some(DocumentContent::Study(study, _)) => Some(study.as_ref()),
        // What is wrong with it is said when it is opened.
        _ => None,
    };
    let Some(study) = study else { return open_study(path, layers) };
    let tunes = study.phases.iter().any(|phase| matches!(phase.design.method, Method::Tune(_)));
    if tunes && request == TuneRequest::default() {
        return open_study(path, layers);
    }
    let text = &read_text(path, TextLimit::Description)?.text;
    let text = if tunes { edited(text, request) } else { with_phase(text, study, request) };
    let folder = path.parent().unwrap_or(Path::new("")).to_path_buf();
    open_study(StudyInput::Text { text, folder }, layers)
}

/// The text with one phase, which tunes, in place of all; without a metric that counts objects it gets one.
fn with_phase(text: &str, study: &Study, request: TuneRequest) -> String {
    let mut result = String::new();
    for block in blocks(text).into_iter().filter(|block| !is_phase(block)) {
        result.push_str(block);
    }
    if !result.ends_with('\n') {
        result.push('\n');
    }
    let counts = |measure: Option<&str>| matches!(measure, Some("object_f1" | "panoptic_quality"));
    let against_truth = study.metrics.iter().find(|metric| metric.against == Against::Truth);
    if !study.metrics.iter().any(|metric| counts(metric.measure.as_deref()))
        && !study.metrics.iter().any(|metric| metric.name == "object_f1")
        && let Some(of) = against_truth.and_then(|metric| metric.of.as_ref())
    {
        let _infallible = write!(
            result,
            "\n[[metric]]\nname = \"object_f1\"\nof = {of:?}\nmeasure = \"object_f1\"\nagainst = \"truth\"\n"
        );
    }
    result.push_str("\n[[phase]]\nname = \"tune\"\nmethod = \"tune\"\n");
    result.push_str(&lines(request));
    result
}

/// The text with these values in the phase that tunes.
fn edited(text: &str, request: TuneRequest) -> String {
    let keys = request.keys();
    let replaced = |line: &&str| {
        let key = line.split('=').next().unwrap_or_default().trim();
        !keys.iter().any(|(own, _)| *own == key)
    };
    let mut result = String::new();
    for block in blocks(text) {
        if !is_phase(block) || !tunes(block) {
            result.push_str(block);
            continue;
        }
        let kept: String = block.split_inclusive('\n').filter(replaced).collect();
        let (head, rest) = kept.split_at(kept.find('\n').map_or(kept.len(), |end| end + 1));
        result.push_str(head);
        if !head.ends_with('\n') {
            result.push('\n');
        }
        result.push_str(&lines(request));
        result.push_str(rest);
    }
    result
}

fn lines(request: TuneRequest) -> String {
    request.keys().into_iter().map(|(key, value)| format!("{key} = {value}\n")).collect()
}

/// The text cut before the heads of its tables.
fn blocks(text: &str) -> Vec<&str> {
    let mut cuts = vec![0];
    let mut place = 0;
    for line in text.split_inclusive('\n') {
        if line.starts_with('[') && place > 0 {
            cuts.push(place);
        }
        place += line.len();
    }
    cuts.push(text.len());
    cuts.windows(2).map(|pair| &text[pair[0]..pair[1]]).collect()
}

fn is_phase(block: &str) -> bool {
    let head = block.lines().next().unwrap_or_default().replace(' ', "");
    head.starts_with("[[phase]]") || head.starts_with("[phase.")
}

fn tunes(block: &str) -> bool {
    block.lines().any(|line| {
        let line = line.split('#').next().unwrap_or_default().replace([' ', '\''], "").replace('"', "");
        line == "method=tune"
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const REQUEST: TuneRequest = TuneRequest {
        evaluations: Some(50),
        seed: Some(7),
        time: None,
        cost: None,
        yardstick: None,
        leave_one_out: false,
    };

    #[test]
    fn bounds_stand_in_the_study_and_the_smaller_one_counts() {
        let mut request = TuneRequest { leave_one_out: true, yardstick: Some(20), ..TuneRequest::default() };
        for bound in ["200 rows", "2 h", "90 min", "80 rows", "1 core-h", "3 h"] {
            request.bound(TuneBound::parse(bound).unwrap());
        }
        assert_eq!(
            lines(request),
            "evaluations = 80\ntime = \"5400 s\"\ncost = \"3600 core-s\"\nyardstick = 20\nleave_one_out = true\n"
        );
    }

    #[test]
    fn options_of_a_command_stand_in_the_phase_that_tunes() {
        let text = "name = \"a\"\n[[phase]]\nname = \"s\"\nmethod = \"moat\"\nseed = 3\n\n[[phase]]\nname = \"t\"\n\
                    method = \"tune\" # look\nevaluations = 9\n[run]\nworkers = 1\n";
        let edited = edited(text, REQUEST);
        assert_eq!(
            edited,
            "name = \"a\"\n[[phase]]\nname = \"s\"\nmethod = \"moat\"\nseed = 3\n\n[[phase]]\nevaluations = 50\nseed = 7\n\
             name = \"t\"\nmethod = \"tune\" # look\n[run]\nworkers = 1\n"
        );
    }

    #[test]
    fn tables_of_phases_are_told_from_others() {
        let blocks = blocks("a = 1\n[[phase]]\nx = 1\n[phase.keep]\ny = 2\n[run]\nz = 3");
        assert_eq!(
            blocks.iter().map(|block| is_phase(block)).collect::<Vec<_>>(),
            [false, true, true, false]
        );
    }
}
