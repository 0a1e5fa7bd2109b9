//! Which parameters pass from one phase to the next.

/// Which parameters vary in a phase.
#[derive(Clone, Debug, PartialEq)]
pub enum Keep {
    /// These parameters or groups.
    Names(Vec<String>),
    /// Those with large effects in an earlier phase.
    Effects(KeepRule),
}

/// A rule over the effects found in an earlier phase.
#[derive(Clone, Debug, PartialEq)]
pub struct KeepRule {
    /// The earlier phase.
    pub phase: String,
    /// The metric whose effects count; `None` when the study names no metric: then the model's first output.
    pub metric: Option<String>,
    /// A factor is kept when its interval reaches this share of the largest effect: doubt keeps it in.
    pub share: f64,
    /// Keep at least this many, the largest first.
    pub at_least: u64,
    /// Keep at most this many.
    pub at_most: Option<u64>,
}

/// The effect of a factor, as an analysis estimated it.
#[derive(Clone, Debug, PartialEq)]
pub struct FactorEffect {
    /// Name of the factor.
    pub name: String,
    /// The estimate: mu* of elementary effects, total index of variance-based ones.
    pub value: f64,
    /// Upper end of its interval; NaN when there is none.
    pub high: f64,
}

impl KeepRule {
    /// Default share of the largest effect.
    pub const SHARE: f64 = 0.10;

    /// Names of the factors that are kept, the largest effects first. An effect that is not known (NaN) is kept.
    pub fn choose(&self, effects: &[FactorEffect]) -> Vec<String> {
        let mut order: Vec<&FactorEffect> = effects.iter().collect();
        // Unknown effects come first: a bound on the number must not drop parameters that were not measured.
        let rank = |e: &FactorEffect| if e.value.is_nan() { f64::INFINITY } else { e.value };
        order.sort_by(|a, b| rank(b).total_cmp(&rank(a)));
        let largest = effects.iter().map(|e| e.value).fold(0.0, f64::max);
        let reaches = |e: &FactorEffect| e.value.is_nan() || e.high.max(e.value) >= self.share * largest;
        let place = |n: u64| usize::try_from(n).unwrap_or(usize::MAX);
        let wanted = order.iter().enumerate().filter(|(i, e)| *i < place(self.at_least) || reaches(e));
        let most = self.at_most.map_or(usize::MAX, place);
        wanted.take(most).map(|(_, e)| e.name.clone()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn choose(share: f64, at_least: u64, at_most: Option<u64>) -> String {
        let effects =
            [("a", 0.5, 0.9), ("b", 10.0, 12.0), ("c", 0.8, 1.1), ("d", 3.0, f64::NAN), ("e", 0.0, 0.0)];
        let effect = |(name, value, high): (&str, f64, f64)| FactorEffect { name: name.into(), value, high };
        let rule = KeepRule { phase: "screen".into(), metric: None, share, at_least, at_most };
        rule.choose(&effects.map(effect)).join(" ")
    }

    #[test]
    fn an_interval_that_reaches_the_share_keeps_its_factor() {
        assert_eq!(choose(0.10, 1, None), "b d c");
        assert_eq!(choose(0.09, 1, None), "b d c a");
        assert_eq!(choose(0.0, 1, None), "b d c a e");
    }

    #[test]
    fn numbers_bound_what_is_kept() {
        assert_eq!(choose(0.9, 3, None), "b d c");
        assert_eq!(choose(0.0, 1, Some(2)), "b d");
    }

    #[test]
    fn what_is_unknown_is_kept() {
        let rule = KeepRule { phase: "s".into(), metric: None, share: 0.1, at_least: 1, at_most: Some(1) };
        let effects =
            [("a", 1.0), ("b", f64::NAN)].map(|(n, v)| FactorEffect { name: n.into(), value: v, high: v });
        assert_eq!(rule.choose(&effects), ["b"]);
    }
}
