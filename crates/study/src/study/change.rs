//! How a study differs from an earlier form of it, as far as rows that were run are concerned.

use std::fmt;

use super::{Phase, RunSection, Study, StudyImage};
use crate::with_commas;

/// One way in which a study differs from an earlier form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StudyDifference {
    /// Every row is what it was: only how rows are run, analysed or called is new.
    Settings,
    /// A phase has more rows, which begin with those it had.
    Grown(PhaseGrowth),
    /// An image was added; the others are what they were.
    ImageAdded(String),
    /// A metric, by its name, is new, gone or another.
    Metric(String, Edit),
    /// Rows are not what they were; what changed, in words.
    Rows(String),
}

/// What became of something that has a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Edit {
    /// It is new.
    Added,
    /// It is gone.
    Removed,
    /// It is another.
    Changed,
}

/// A phase with more rows than before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PhaseGrowth {
    /// The phase.
    pub phase: String,
    /// The key of its size in study files.
    pub key: &'static str,
    /// Its size before.
    pub from: u64,
    /// Its size now.
    pub to: u64,
}

impl Study {
    /// How this study differs from an earlier one, in all that can be named; not at all when there is nothing.
    pub fn change_from(&self, earlier: &Self) -> Vec<StudyDifference> {
        let mut found = Vec::new();
        self.rows_changed(earlier, &mut found);
        self.images_changed(earlier, &mut found);
        let metrics = edits(&self.metrics, &earlier.metrics, |metric| &metric.name, PartialEq::eq);
        found.extend(metrics.into_iter().map(|(name, edit)| StudyDifference::Metric(name, edit)));
        self.phases_changed(earlier, &mut found);
        if found.is_empty() && self != earlier {
            found.push(StudyDifference::Settings);
        }
        found
    }

    /// What all rows are made of, beside images and metrics.
    fn rows_changed(&self, earlier: &Self, found: &mut Vec<StudyDifference>) {
        let mut rows = |words: String| found.push(StudyDifference::Rows(words));
        if self.seed != earlier.seed {
            rows(format!("seed {} -> {}", earlier.seed, self.seed));
        }
        let (now, before) = (self.space.parameters(), earlier.space.parameters());
        for (name, edit) in edits(now, before, |parameter| &parameter.name, PartialEq::eq) {
            rows(format!("parameter `{name}` {}", edit.word()));
        }
        for (name, edit) in edits(&self.fixed, &earlier.fixed, |(name, _)| name, PartialEq::eq) {
            rows(format!("value of `{name}` {}", edit.word()));
        }
        let others = [
            ("the workflow", self.workflow == earlier.workflow),
            ("the way images are cut into parts", self.parts == earlier.parts),
            ("the regions to keep", self.run.keep_regions == earlier.run.keep_regions),
        ];
        others.iter().filter(|(_, same)| !same).for_each(|(what, _)| rows(format!("{what} changed")));
        if found.is_empty() && self.space != earlier.space {
            found.push(StudyDifference::Rows("groups or constraints of the parameters changed".into()));
        }
    }

    fn images_changed(&self, earlier: &Self, found: &mut Vec<StudyDifference>) {
        let same = |one: &StudyImage, other: &StudyImage| one.without_columns() == other.without_columns();
        let images = edits(&self.images, &earlier.images, |image| &image.name, same);
        let kept: Vec<&String> = self.images.iter().map(|image| &image.name).collect();
        let before: Vec<&String> = earlier.images.iter().map(|image| &image.name).collect();
        let stayed = |names: &[&String], others: &[&String]| -> Vec<String> {
            names.iter().filter(|name| others.contains(name)).map(|name| (*name).clone()).collect()
        };
        if stayed(&kept, &before) != stayed(&before, &kept) {
            found.push(StudyDifference::Rows("images are in another order".into()));
        }
        found.extend(images.into_iter().map(|(name, edit)| match edit {
            Edit::Added => StudyDifference::ImageAdded(name),
            _ => StudyDifference::Rows(format!("image `{name}` {}", edit.word())),
        }));
    }

    fn phases_changed(&self, earlier: &Self, found: &mut Vec<StudyDifference>) {
        let names = |study: &Self| study.phases.iter().map(|phase| phase.name.clone()).collect::<Vec<_>>();
        if names(self) != names(earlier) {
            let phases = edits(&self.phases, &earlier.phases, |phase| &phase.name, |_, _| true);
            let words = |(name, edit): (String, Edit)| format!("phase `{name}` {}", edit.word());
            let words = phases.into_iter().map(words).collect::<Vec<_>>().join(", ");
            let words = if words.is_empty() { "phases are in another order".into() } else { words };
            return found.push(StudyDifference::Rows(words));
        }
        for (phase, before) in self.phases.iter().zip(&earlier.phases) {
            let before = before.with_seed_of(phase, earlier.seed, self.seed);
            match phase.growth_from(&before) {
                Some(None) => {}
                Some(Some(growth)) => found.push(StudyDifference::Grown(growth)),
                None => found.push(StudyDifference::Rows(phase.words_of_change(&before))),
            }
        }
    }

    /// The study without settings that do not change rows, and without the numbers of rows.
    #[must_use]
    pub fn without_settings(&self) -> Self {
        let run = RunSection {
            workers: None,
            memory: None,
            staging: None,
            failures: super::OnFailure::default(),
            stop_above: 0.0,
            unreadable: super::OnUnreadable::default(),
            keep_regions: self.run.keep_regions.clone(),
            resamples: 0,
            confidence: 0.0,
            granularity: None,
            until: None,
            at_most: None,
        };
        Self { name: String::new(), phases: Vec::new(), threshold: 0.0, run, ..self.clone() }
    }
}

impl StudyDifference {
    /// Whether rows that are done are of use for this study as far as they go.
    pub fn keeps_rows(&self) -> bool {
        !matches!(self, Self::Rows(_))
    }
}

/// `image `b` added`.
impl fmt::Display for StudyDifference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Settings => f.write_str("its settings"),
            Self::Grown(growth) => growth.fmt(f),
            Self::ImageAdded(name) => write!(f, "image `{name}` added"),
            Self::Metric(name, edit) => write!(f, "metric `{name}` {}", edit.word()),
            Self::Rows(words) => f.write_str(words),
        }
    }
}

/// `decompose base 256 -> 512`.
impl fmt::Display for PhaseGrowth {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let number = |n: u64| with_commas(n.into());
        write!(f, "{} {} {} -> {}", self.phase, self.key, number(self.from), number(self.to))
    }
}

impl Edit {
    /// Its word.
    pub fn word(self) -> &'static str {
        match self {
            Self::Added => "added",
            Self::Removed => "removed",
            Self::Changed => "changed",
        }
    }
}

/// What became of things that are known by their names.
fn edits<T>(
    now: &[T],
    before: &[T],
    name: impl Fn(&T) -> &String,
    same: impl Fn(&T, &T) -> bool,
) -> Vec<(String, Edit)> {
    let find = |list: &'_ [T], wanted: &T| list.iter().position(|other| name(other) == name(wanted));
    let gone = before.iter().filter(|thing| find(now, thing).is_none());
    let gone = gone.map(|thing| (name(thing).clone(), Edit::Removed));
    let there = now.iter().filter_map(|thing| match find(before, thing) {
        None => Some((name(thing).clone(), Edit::Added)),
        Some(at) => (!same(thing, &before[at])).then(|| (name(thing).clone(), Edit::Changed)),
    });
    gone.chain(there).collect()
}

impl Phase {
    /// The phase as it would be if only the study's seed had changed, which is named once and not for each phase.
    fn with_seed_of(&self, now: &Self, from: u64, to: u64) -> Self {
        let mut phase = self.clone();
        if (self.design.seed, now.design.seed) == (from, to) {
            phase.design.seed = to;
        }
        phase
    }

    /// What makes its rows others, in words.
    fn words_of_change(&self, earlier: &Self) -> String {
        let (to, from) = (self.design.method.size(), earlier.design.method.size());
        let same_method = self.design.method.word() == earlier.design.method.word();
        match (from, to) {
            (Some(from), Some(to)) if same_method && from != to => {
                PhaseGrowth { phase: self.name.clone(), key: self.size_key(), from, to }.to_string()
            }
            _ if self.design.seed != earlier.design.seed => {
                format!("seed of phase `{}` {} -> {}", self.name, earlier.design.seed, self.design.seed)
            }
            _ => format!("phase `{}` changed", self.name),
        }
    }

    /// The key of its size in study files.
    fn size_key(&self) -> &'static str {
        match self.design.method.word() {
            "morris" => "trajectories",
            "saltelli" => "base",
            "tune" => "evaluations",
            _ => "rows",
        }
    }

    /// `None` when its rows do not begin with those of the earlier form; `Some(None)` when they are the same.
    fn growth_from(&self, earlier: &Self) -> Option<Option<PhaseGrowth>> {
        let rows = |phase: &Self| (phase.name.clone(), phase.design.clone(), phase.keep.clone());
        if rows(self) == rows(earlier) {
            return Some(None);
        }
        let (to, from) = (self.design.method.size()?, earlier.design.method.size()?);
        let mut same = earlier.clone();
        same.design.method = same.design.method.with_size(to);
        let grown = to > from && self.design.method.extendable() && rows(self) == rows(&same);
        let key = self.size_key();
        grown.then(|| Some(PhaseGrowth { phase: self.name.clone(), key, from, to }))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::{SourceText, parse_study};

    const TEXT: &str = "name = \"a\"\nseed = 3\n[parameters]\nG1 = { from = 5, to = 80, step = 5 }\n\
        G2 = { from = 5, to = 45, step = 5 }\n[[metric]]\nname = \"y\"\n\
        [[phase]]\nname = \"screen\"\nmethod = \"moat\"\ntrajectories = 4\n\
        [[phase]]\nname = \"decompose\"\nmethod = \"vbd\"\nbase = 8\n";

    fn study(changes: &[(&str, &str)]) -> Study {
        let text = changes.iter().fold(TEXT.to_owned(), |text, (from, to)| {
            assert!(text.contains(from));
            text.replace(from, to)
        });
        let file = parse_study(&Arc::new(SourceText { name: "study.toml".into(), text })).unwrap();
        let (study, said) = file.resolve(None, None);
        study.unwrap_or_else(|| panic!("{said:?}"))
    }

    /// How a changed study differs, in words, and whether rows stay.
    fn changed(changes: &[(&str, &str)]) -> (Vec<String>, bool) {
        let found = study(changes).change_from(&study(&[]));
        (found.iter().map(ToString::to_string).collect(), found.iter().all(StudyDifference::keeps_rows))
    }

    #[test]
    fn what_does_not_touch_rows_is_a_setting() {
        assert_eq!(study(&[]).change_from(&study(&[])), []);
        assert_eq!(changed(&[("seed = 3\n", "seed = 3 # as ever\n")]), (vec![], true));
        let settings = (vec!["its settings".to_owned()], true);
        assert_eq!(changed(&[("\"a\"", "\"b\"")]), settings);
        assert_eq!(changed(&[("base = 8\n", "base = 8\n[run]\nworkers = 3\n")]), settings);
    }

    #[test]
    fn more_of_the_same_rows_is_growth() {
        let (words, keeps) = changed(&[("base = 8", "base = 16"), ("trajectories = 4", "trajectories = 6")]);
        assert_eq!(words, ["screen trajectories 4 -> 6", "decompose base 8 -> 16"]);
        assert!(keeps);
    }

    #[test]
    fn added_images_and_metrics_keep_rows() {
        let image = |name: &str| format!("[[image]]\nname = \"{name}\"\nfile = \"{name}.tif\"\n");
        let with = |images: &[&str], metric: &str| {
            let images: String = images.iter().map(|name| image(name)).collect();
            study(&[("[[metric]]\nname = \"y\"\n", &format!("{images}[[metric]]\nname = \"y\"\n{metric}"))])
        };
        let words = |now: &Study, before: &Study| {
            let found = now.change_from(before);
            (
                found.iter().map(ToString::to_string).collect::<Vec<_>>().join(", "),
                found.iter().all(|d| d.keeps_rows()),
            )
        };
        let before = with(&["a", "c"], "");
        let second = "[[metric]]\nname = \"z\"\n";
        assert_eq!(words(&with(&["a", "b", "c"], ""), &before), ("image `b` added".into(), true));
        assert_eq!(words(&with(&["a", "c"], second), &before), ("metric `z` added".into(), true));
        assert_eq!(words(&with(&["a"], ""), &before), ("image `c` removed".into(), false));
        assert_eq!(words(&with(&["c", "a"], ""), &before), ("images are in another order".into(), false));
        assert_eq!(words(&before, &with(&["a", "c"], second)), ("metric `z` removed".into(), true));
    }

    #[test]
    fn anything_else_makes_other_rows() {
        for (from, to, words) in [
            ("to = 80", "to = 90", "parameter `G1` changed"),
            ("seed = 3", "seed = 4", "seed 3 -> 4"),
            ("base = 8", "base = 4", "decompose base 8 -> 4"),
            ("method = \"vbd\"\nbase = 8", "method = \"mc\"\nrows = 80", "phase `decompose` changed"),
            ("name = \"screen\"", "name = \"first\"", "phase `screen` removed, phase `first` added"),
        ] {
            assert_eq!(changed(&[(from, to)]), (vec![words.to_owned()], false));
        }
    }

    #[test]
    fn only_causes_are_named() {
        let seed = ("seed = 3", "seed = 4");
        let own = ("base = 8", "base = 8\nseed = 3");
        let words = |changes: &[(&str, &str)]| changed(changes).0.join(", ");
        assert_eq!(words(&[seed, ("base = 8", "base = 16")]), "seed 3 -> 4, decompose base 8 -> 16");
        assert_eq!(words(&[("base = 8", "base = 8\nseed = 7")]), "seed of phase `decompose` 3 -> 7");
        // A phase with a seed of its own does not follow that of the study.
        assert_eq!(words(&[seed, own]), "seed 3 -> 4");
    }
}
