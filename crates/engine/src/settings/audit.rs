//! The share of results of earlier runs that a run computes again to compare them.

use std::fmt;
use std::str::FromStr;

/// A share from 0 to 1, as `1%` or `0.01`.
#[derive(Clone, Copy, Debug, Default, PartialEq, PartialOrd)]
pub struct AuditShare(f64);

impl AuditShare {
    /// Whether anything is computed again.
    pub fn is_any(self) -> bool {
        self.0 > 0.0
    }

    /// Whether a result is among those that are computed again. The digest of its key stands for chance.
    pub(crate) fn has(self, digest: &[u8; 32]) -> bool {
        let [a, b, c, d, ..] = *digest;
        f64::from(u32::from_le_bytes([a, b, c, d])) < self.0 * (f64::from(u32::MAX) + 1.0)
    }
}

impl FromStr for AuditShare {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (number, unit) = match text.trim().strip_suffix('%') {
            Some(percent) => (percent, 0.01),
            None => (text, 1.0),
        };
        let share = number.trim().parse::<f64>().ok().map(|number| number * unit);
        let share = share.filter(|share| (0.0..=1.0).contains(share));
        share.map(Self).ok_or_else(|| format!("expected a share such as 1% or 0.01, found `{text}`"))
    }
}

impl fmt::Display for AuditShare {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}%", (self.0 * 1e6).round() / 1e4)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_read_in_percent_and_as_numbers() {
        for (text, share) in [("1%", 0.01), ("0.01", 0.01), ("100 %", 1.0), ("0", 0.0)] {
            assert_eq!(text.parse(), Ok(AuditShare(share)), "{text}");
        }
        for text in ["101%", "-1%", "two", "", "NaN", "%"] {
            assert!(text.parse::<AuditShare>().is_err(), "{text}");
        }
        assert_eq!(AuditShare(0.015).to_string(), "1.5%");
    }

    #[test]
    fn a_share_has_about_so_many_digests() {
        let digests = (0..4000_u32).map(|n| onceflow_region::Digest::of_text("audit", &n.to_string()).0);
        let digests: Vec<[u8; 32]> = digests.collect();
        for (share, least, most) in [(0.0, 0, 0), (0.1, 330, 470), (1.0, 4000, 4000)] {
            let found = digests.iter().filter(|digest| AuditShare(share).has(digest)).count();
            assert!((least..=most).contains(&found), "{share}: {found}");
        }
    }
}
