//! What tasks of one size cost at each level of reuse.

use std::borrow::Cow;
use std::collections::BTreeMap;

use crate::Record;
use crate::size::{FEW, SizeClass};

/// What tasks of about one size cost, by the level of reuse of their run; older records do not say it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Reused {
    levels: BTreeMap<Option<String>, SizeClass>,
}

impl Reused {
    pub(crate) fn add(&mut self, record: &Record) {
        let class = self.levels.entry(record.reuse.clone()).or_insert_with(|| SizeClass::new(record.pixels));
        class.add(record);
    }

    pub(crate) fn count(&self) -> u64 {
        self.levels.values().map(SizeClass::count).sum()
    }

    /// What is known at the first level that has more than a few records; all of it where none has.
    pub(crate) fn nearest(&self, levels: &[&str]) -> Option<Cow<'_, SizeClass>> {
        let at = |level: &&str| self.levels.get(&Some((*level).to_owned()));
        let known = levels.iter().filter_map(at).find(|class| class.count() >= FEW);
        known.map(Cow::Borrowed).or_else(|| self.all())
    }

    /// What is known at all levels together.
    pub(crate) fn all(&self) -> Option<Cow<'_, SizeClass>> {
        self.levels.values().map(Cow::Borrowed).reduce(|mut all, level| {
            all.to_mut().merge(&level);
            all
        })
    }
}
