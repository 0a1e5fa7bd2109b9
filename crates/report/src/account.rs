//! The account of the work, rounded so that the shown numbers still add up.

use onceflow_study::with_commas;

use crate::Amounts;

/// A requested amount and its terms; `asked` is exactly the sum of the terms as shown.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct RoundedAccount {
    /// The requested amount.
    pub(super) asked: RoundedNumber,
    /// Terms that are not zero; the computed amount is always there, as the last one.
    pub(super) terms: Vec<(&'static str, RoundedNumber)>,
}

/// A rounded number, stored as a count of units of its last digit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct RoundedNumber {
    /// Units of the last digit.
    pub(super) units: u64,
    decimals: u8,
}

impl RoundedAccount {
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

    fn new(amounts: &Amounts, decimals: u8) -> Self {
        let scale = 10f64.powi(i32::from(decimals));
        let terms = terms(amounts);
        let units = apportioned(amounts.asked * scale, &terms.map(|(_, amount)| amount * scale));
        let shown = |units: u64| RoundedNumber { units, decimals };
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

    /// The meaning of a term, for readers who do not know the manual.
    pub(super) fn meaning(name: &str) -> &'static str {
        MEANINGS.iter().find(|(known, _)| *known == name).map_or("", |(_, meaning)| meaning)
    }

    /// `300.8 s asked = stage 93.7 + task 80.0 + computed 127.1`, with the unit given.
    pub(super) fn sentence(&self, unit: &str) -> String {
        let terms: Vec<String> = self.terms.iter().map(|(name, shown)| format!("{name} {shown}")).collect();
        format!("{} {unit} asked = {}", self.asked, terms.join(" + "))
    }
}

impl std::fmt::Display for RoundedNumber {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let one = 10u64.saturating_pow(u32::from(self.decimals));
        write!(f, "{}", with_commas(u128::from(self.units / one)))?;
        match usize::from(self.decimals) {
            0 => Ok(()),
            decimals => write!(f, ".{:0decimals$}", self.units % one),
        }
    }
}

/// Name of the term for computed work.
pub(super) const COMPUTED: &str = "computed";
/// Name of the term for unexplained work; it is shown only when the account itself is wrong.
const UNACCOUNTED: &str = "unaccounted";

const MEANINGS: [(&str, &str); 11] = [
    ("stage", "saved: the whole stage had the same parameter values in another row"),
    ("task", "saved: the task and all tasks before it were equal in another row"),
    ("dataflow", "saved: the same inputs and parameter values as in another row"),
    ("convergent", "saved: its inputs turned out to have the same contents as in another row"),
    ("object", "saved: its objects were already computed for another row"),
    ("products", "saved: the result of an earlier run was used"),
    ("ended early", "not needed: its part had ended before"),
    ("failed", "failed, or needed the result of a task that failed"),
    ("resumed", "done before the run was interrupted"),
    (UNACCOUNTED, "not explained by any term: the account is wrong"),
    (COMPUTED, "computed in this run"),
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
/// fractions are rounded up. A difference larger than rounding is the rest.
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
        let account =
            RoundedAccount::tasks(&amounts([17276.0, 21184.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]));
        assert_eq!(account.sentence("tasks"), "38,460 tasks asked = stage 17,276 + task 21,184 + computed 0");
    }

    #[test]
    fn every_term_has_a_meaning_and_its_place() {
        let all = RoundedAccount::tasks(&amounts([1.0; 10]));
        let places: Vec<usize> = all.terms.iter().map(|(name, _)| RoundedAccount::place(name)).collect();
        assert!(
            places.is_sorted() && all.terms.iter().all(|(name, _)| !RoundedAccount::meaning(name).is_empty())
        );
    }

    #[test]
    fn what_no_term_explains_is_shown() {
        let wrong = Amounts { asked: 10.0, computed: 4.5, ..Amounts::default() };
        assert_eq!(
            RoundedAccount::tasks(&wrong).sentence("tasks"),
            "10 tasks asked = unaccounted 5 + computed 5"
        );
    }

    #[test]
    fn every_term_has_a_meaning() {
        for (name, _) in terms(&Amounts::default()).into_iter().chain([(UNACCOUNTED, 0.0)]) {
            assert!(!RoundedAccount::meaning(name).is_empty(), "{name}");
        }
    }

    proptest! {
        #[test]
        fn every_account_adds_up_as_it_is_shown(parts in prop::array::uniform10(0.0..1e5f64), quiet in 0..10usize) {
            let mut parts = parts;
            parts[quiet] = 0.0;
            for account in [RoundedAccount::seconds(&amounts(parts)), RoundedAccount::tasks(&amounts(parts.map(f64::round)))] {
                let sum: u64 = account.terms.iter().map(|(_, shown)| shown.units).sum();
                prop_assert_eq!(sum, account.asked.units);
                prop_assert!(account.terms.iter().all(|(name, _)| *name != UNACCOUNTED));
                prop_assert_eq!(account.terms.last().map(|(name, _)| *name), Some(COMPUTED));
            }
        }
    }
}
