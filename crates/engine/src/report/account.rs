//! The account of the work, rounded so that it still adds up in sight of the reader.

use onceflow_study::with_commas;

use crate::Amounts;

/// An amount that was asked, and what became of it; `asked` is the sum of the terms to the last digit shown.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Account {
    /// What was asked.
    pub(super) asked: Shown,
    /// Terms that are not zero, and what was computed, which stands last whatever it is.
    pub(super) terms: Vec<(&'static str, Shown)>,
}

/// A number as so many units of its last digit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Shown {
    /// Units of the last digit.
    pub(super) units: u64,
    decimals: usize,
}

impl Account {
    /// Whole tasks.
    pub(super) fn tasks(amounts: &Amounts) -> Self {
        Self::new(amounts, 0)
    }

    /// Seconds, with as many decimals as a total of this size needs.
    pub(super) fn seconds(amounts: &Amounts) -> Self {
        let decimals = match amounts.asked {
            asked if asked >= 100.0 || asked == 0.0 => 1,
            asked if asked >= 10.0 => 2,
            asked if asked >= 0.1 => 3,
            _ => 6,
        };
        Self::new(amounts, decimals)
    }

    fn new(amounts: &Amounts, decimals: usize) -> Self {
        let scale = 10f64.powi(i32::try_from(decimals).unwrap_or(0));
        let terms = terms(amounts);
        let units = apportioned(amounts.asked * scale, &terms.map(|(_, amount)| amount * scale));
        let shown = |units: u64| Shown { units, decimals };
        let mut named: Vec<_> =
            terms.iter().zip(&units.terms).map(|((name, _), u)| (*name, shown(*u))).collect();
        named.insert(named.len() - 1, (UNACCOUNTED, shown(units.rest)));
        named.retain(|(name, shown)| shown.units > 0 || *name == COMPUTED);
        Self { asked: shown(units.total), terms: named }
    }

    /// The place of a term's name in every account.
    pub(super) fn place(name: &str) -> usize {
        MEANINGS.iter().position(|(known, _)| *known == name).unwrap_or(MEANINGS.len())
    }

    /// What a term's name means, for people who have not read the manual.
    pub(super) fn meaning(name: &str) -> &'static str {
        MEANINGS.iter().find(|(known, _)| *known == name).map_or("", |(_, meaning)| meaning)
    }

    /// `300.8 s asked = stage 93.7 + task 80.0 + computed 127.1`, with the unit given.
    pub(super) fn sentence(&self, unit: &str) -> String {
        let terms: Vec<String> = self.terms.iter().map(|(name, shown)| format!("{name} {shown}")).collect();
        format!("{} {unit} asked = {}", self.asked, terms.join(" + "))
    }
}

impl std::fmt::Display for Shown {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let one = 10u64.saturating_pow(u32::try_from(self.decimals).unwrap_or(0));
        write!(f, "{}", with_commas(u128::from(self.units / one)))?;
        match self.decimals {
            0 => Ok(()),
            decimals => write!(f, ".{:0decimals$}", self.units % one),
        }
    }
}

/// Word for what was run.
pub(super) const COMPUTED: &str = "computed";
/// Word for what no term explains: it stands there only when the account itself is wrong.
const UNACCOUNTED: &str = "unaccounted";

const MEANINGS: [(&str, &str); 11] = [
    ("stage", "saved: a whole stage read the same values as in another row"),
    ("task", "saved: the chain of tasks up to it was that of another row"),
    ("dataflow", "saved: it took and read the same as in another row"),
    ("convergent", "saved: what it took turned out to hold the same as in another row"),
    ("object", "saved: its objects were those of another row"),
    ("products", "saved: an earlier run had made it"),
    ("ended early", "not needed: its part had ended"),
    ("failed", "failed, or waited for one that failed"),
    ("resumed", "done before the run was interrupted"),
    (UNACCOUNTED, "explained by nothing: the account is wrong"),
    (COMPUTED, "run"),
];

fn terms(amounts: &Amounts) -> [(&'static str, f64); 10] {
    [
        ("stage", amounts.stage),
        ("task", amounts.task),
        ("dataflow", amounts.dataflow),
        ("convergent", amounts.convergent),
        ("object", amounts.object),
        ("products", amounts.products),
        ("ended early", amounts.ended_early),
        ("failed", amounts.failed),
        ("resumed", amounts.resumed),
        (COMPUTED, amounts.computed),
    ]
}

struct Apportioned {
    total: u64,
    terms: Vec<u64>,
    rest: u64,
}

/// Whole numbers next to the terms whose sum is the whole number next to the total: the terms with the largest
/// fractions are rounded up. What rounding cannot explain is left over.
fn apportioned(total: f64, terms: &[f64]) -> Apportioned {
    let whole = |x: f64| x.max(0.0).floor() as u64;
    let mut units: Vec<u64> = terms.iter().map(|t| whole(*t)).collect();
    let floors: u64 = units.iter().sum();
    let total = (total.max(0.0).round() as u64).max(floors);
    let mut order: Vec<usize> =
        (0..terms.len()).filter(|i| terms[*i] > 0.0 && terms[*i].fract() > 0.0).collect();
    order.sort_by(|a, b| terms[*b].fract().total_cmp(&terms[*a].fract()));
    let mut rest = total - floors;
    for place in order {
        if rest == 0 {
            break;
        }
        units[place] += 1;
        rest -= 1;
    }
    Apportioned { total, terms: units, rest }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn amounts(parts: [f64; 10]) -> Amounts {
        let [stage, task, dataflow, convergent, object, products, ended_early, failed, resumed, computed] =
            parts;
        let asked = parts.iter().sum();
        Amounts {
            asked,
            stage,
            task,
            dataflow,
            convergent,
            object,
            products,
            ended_early,
            failed,
            resumed,
            computed,
        }
    }

    #[test]
    fn zero_terms_are_left_out_but_never_what_was_computed() {
        let account = Account::tasks(&amounts([17276.0, 21184.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]));
        assert_eq!(account.sentence("tasks"), "38,460 tasks asked = stage 17,276 + task 21,184 + computed 0");
    }

    #[test]
    fn every_term_has_a_meaning_and_its_place() {
        let all = Account::tasks(&amounts([1.0; 10]));
        let places: Vec<usize> = all.terms.iter().map(|(name, _)| Account::place(name)).collect();
        assert!(places.is_sorted() && all.terms.iter().all(|(name, _)| !Account::meaning(name).is_empty()));
    }

    #[test]
    fn what_no_term_explains_is_shown() {
        let wrong = Amounts { asked: 10.0, computed: 4.5, ..Amounts::default() };
        assert_eq!(Account::tasks(&wrong).sentence("tasks"), "10 tasks asked = unaccounted 5 + computed 5");
    }

    proptest! {
        #[test]
        fn every_account_adds_up_as_it_is_shown(parts in prop::array::uniform10(0.0..1e5f64), quiet in 0..10usize) {
            let mut parts = parts;
            parts[quiet] = 0.0;
            for account in [Account::seconds(&amounts(parts)), Account::tasks(&amounts(parts.map(f64::round)))] {
                let sum: u64 = account.terms.iter().map(|(_, shown)| shown.units).sum();
                prop_assert_eq!(sum, account.asked.units);
                prop_assert!(account.terms.iter().all(|(name, _)| *name != UNACCOUNTED));
                prop_assert_eq!(account.terms.last().map(|(name, _)| *name), Some(COMPUTED));
            }
        }
    }
}
