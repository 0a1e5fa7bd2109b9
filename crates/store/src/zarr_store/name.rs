//! Identifiers as names of files: readable as far as that is safe, told apart by digests.

use onceflow_region::{Digester, RegionId, RegionQuery};

/// The beginning of the names of all regions that have one namespace and key.
pub(super) fn beginning(namespace: &str, key: &str) -> String {
    let mut digester = Digester::new("onceflow region 2026-11 name v1");
    digester.text(namespace);
    digester.text(key);
    format!("{}-{}-", readable(&format!("{namespace}-{key}")), short(digester))
}

/// The name of a region's files.
pub(super) fn name(id: &RegionId) -> String {
    let mut digester = Digester::new("onceflow region 2026-11 identifier v1");
    [&id.namespace, &id.key].into_iter().for_each(|text| digester.text(text));
    digester.text(id.kind.word());
    digester.bytes(&id.timestamp.to_le_bytes());
    digester.number(u64::from(id.version));
    format!("{}{}", beginning(&id.namespace, &id.key), short(digester))
}

/// The beginning of the names that a query can mean.
pub(super) fn beginning_of(query: &RegionQuery) -> String {
    beginning(&query.namespace, &query.key)
}

/// Small letters, digits and hyphens only: no separators, dots, or names that a system keeps for itself.
fn readable(text: &str) -> String {
    let letter = |letter: char| match letter.to_ascii_lowercase() {
        letter @ ('a'..='z' | '0'..='9') => letter,
        _ => '-',
    };
    format!("r-{}", text.chars().take(LONGEST).map(letter).collect::<String>())
}

/// Letters of a name that are shown.
const LONGEST: usize = 48;

fn short(digester: Digester) -> String {
    digester.finish().to_string()[..16].to_owned()
}

#[cfg(test)]
mod tests {
    use onceflow_region::RegionKind;

    use super::*;

    #[test]
    fn names_are_safe_and_differ() {
        let mut names = std::collections::BTreeSet::new();
        let ids = [
            ("a", "b"),
            ("a::b", ""),
            ("..", "/etc/passwd"),
            ("A", "b"),
            ("CON", "nul"),
            ("", ""),
            ("ü\0\n", "*?"),
        ];
        for (namespace, key) in ids {
            for kind in [RegionKind::Dense, RegionKind::Table] {
                for (timestamp, version) in [(0, 0), (0, 1), (1, 0), (-1, 0)] {
                    let id =
                        RegionId::new(namespace, key, kind).with_timestamp(timestamp).with_version(version);
                    let name = name(&id);
                    assert!(
                        name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-'),
                        "{name}"
                    );
                    assert!(name.starts_with(&beginning_of(&RegionQuery::from(&id))));
                    assert!(name.len() < 120 && names.insert(name));
                }
            }
        }
        let long = RegionId::new("x".repeat(5000), "y", RegionKind::Dense);
        assert!(name(&long).len() < 120);
    }
}
