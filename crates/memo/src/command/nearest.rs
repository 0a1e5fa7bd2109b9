//! Why a command had to run: the most similar result that is kept, and what differs from it.

use std::collections::BTreeMap;
use std::time::{SystemTime, UNIX_EPOCH};

use onceflow_products::{ProductKey, ProductStore};

use super::request::IdentifiedCommand;
use crate::{MemoAttribute, MemoAttributeKind, MemoEntry, MemoError};

/// So many of the newest results are looked at.
const MOST: usize = 100;

/// The most similar result that is kept.
#[derive(Clone, Debug, PartialEq)]
pub enum Nearness {
    /// No result of this program with these outputs is kept.
    First,
    /// This one is, and differs.
    Nearest {
        /// Its key.
        key: ProductKey,
        /// Seconds since it was kept.
        age: f64,
        /// What differs.
        differences: Vec<MemoDifference>,
    },
    /// The same attributes are kept: as a failure, or as a result that was damaged.
    Same,
}

/// An attribute that differs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemoDifference {
    /// What it is.
    pub kind: MemoAttributeKind,
    /// Its name.
    pub name: String,
    /// Its value in the result that is kept; none when it had no such attribute.
    pub kept: Option<String>,
    /// Its value now; none when there is no such attribute any more.
    pub now: Option<String>,
}

/// Finds the most similar result of the same program with the same outputs.
pub(super) fn nearest(store: &ProductStore, identified: &IdentifiedCommand) -> Result<Nearness, MemoError> {
    let family = identified.family();
    let listed = store.list()?;
    let like = listed.iter().rev().filter(|listed| listed.maker.run.starts_with(&family)).take(MOST);
    let mut best: Option<(ProductKey, u64, Vec<MemoDifference>)> = None;
    for listed in like {
        let Some(product) = store.peek(listed.key)? else { continue };
        // Pieces of long files bear the same run, and are no entries.
        let Some(entry) = MemoEntry::decode(&product.payload) else { continue };
        if listed.key == identified.key {
            return Ok(Nearness::Same);
        }
        let differences = differences(&entry.attributes, &identified.attributes);
        if best.as_ref().is_none_or(|(.., least)| differences.len() < least.len()) {
            best = Some((listed.key, listed.created, differences));
        }
    }
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_millis() as u64;
    Ok(best.map_or(Nearness::First, |(key, created, differences)| {
        let age = now.saturating_sub(created) as f64 / 1000.0;
        Nearness::Nearest { key, age, differences }
    }))
}

fn differences(kept: &[MemoAttribute], now: &[MemoAttribute]) -> Vec<MemoDifference> {
    let mut both: BTreeMap<(MemoAttributeKind, &str), [Option<&str>; 2]> = BTreeMap::new();
    for (side, attributes) in [kept, now].into_iter().enumerate() {
        for attribute in attributes {
            both.entry((attribute.kind, &attribute.name)).or_default()[side] = Some(&attribute.value);
        }
    }
    let differs = both.into_iter().filter(|(_, [kept, now])| kept != now);
    differs
        .map(|((kind, name), [kept, now])| MemoDifference {
            kind,
            name: name.to_owned(),
            kept: kept.map(str::to_owned),
            now: now.map(str::to_owned),
        })
        .collect()
}
