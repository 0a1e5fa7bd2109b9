//! How a study differs from an earlier form of it, as far as rows that were run are concerned.

use super::{Phase, RunSection, Study};

/// How a study differs from an earlier form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StudyChange {
    /// Not at all.
    Nothing,
    /// Every row is what it was: only how they are run, analysed or called is new.
    Settings,
    /// Some phases have more rows, which begin with those they had.
    Larger(Vec<PhaseGrowth>),
    /// Rows are not what they were.
    Rows,
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
    /// How this study differs from an earlier one.
    pub fn change_from(&self, earlier: &Self) -> StudyChange {
        if self == earlier {
            return StudyChange::Nothing;
        }
        if self.without_settings() != earlier.without_settings() || self.phases.len() != earlier.phases.len()
        {
            return StudyChange::Rows;
        }
        let pairs = self.phases.iter().zip(&earlier.phases);
        let growths: Option<Vec<Option<PhaseGrowth>>> =
            pairs.map(|(phase, before)| phase.growth_from(before)).collect();
        match growths.map(|growths| growths.into_iter().flatten().collect::<Vec<_>>()) {
            None => StudyChange::Rows,
            Some(growths) if growths.is_empty() => StudyChange::Settings,
            Some(growths) => StudyChange::Larger(growths),
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

impl Phase {
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
        let key = match self.design.method.word() {
            "morris" => "trajectories",
            "saltelli" => "base",
            _ => "rows",
        };
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

    #[test]
    fn what_does_not_touch_rows_is_a_setting() {
        let before = study(&[]);
        assert_eq!(study(&[]).change_from(&before), StudyChange::Nothing);
        assert_eq!(
            study(&[("seed = 3\n", "seed = 3 # as ever\n")]).change_from(&before),
            StudyChange::Nothing
        );
        assert_eq!(study(&[("\"a\"", "\"b\"")]).change_from(&before), StudyChange::Settings);
        let quick = ("base = 8\n", "base = 8\n[run]\nworkers = 3\n");
        assert_eq!(study(&[quick]).change_from(&before), StudyChange::Settings);
    }

    #[test]
    fn more_of_the_same_rows_is_growth() {
        let growth = |phase: &str, key, from, to| PhaseGrowth { phase: phase.into(), key, from, to };
        let larger = study(&[("base = 8", "base = 16")]).change_from(&study(&[]));
        assert_eq!(larger, StudyChange::Larger(vec![growth("decompose", "base", 8, 16)]));
        let both = study(&[("base = 8", "base = 16"), ("trajectories = 4", "trajectories = 6")]);
        let both = both.change_from(&study(&[]));
        let screen = growth("screen", "trajectories", 4, 6);
        assert_eq!(both, StudyChange::Larger(vec![screen, growth("decompose", "base", 8, 16)]));
    }

    #[test]
    fn anything_else_makes_other_rows() {
        for change in [
            ("to = 80", "to = 90"),
            ("seed = 3", "seed = 4"),
            ("base = 8", "base = 4"),
            ("method = \"vbd\"\nbase = 8", "method = \"mc\"\nrows = 80"),
            ("name = \"screen\"", "name = \"first\""),
        ] {
            assert_eq!(study(&[change]).change_from(&study(&[])), StudyChange::Rows, "{change:?}");
        }
    }
}
