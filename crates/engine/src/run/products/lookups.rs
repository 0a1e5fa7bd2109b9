//! Lookups in the store of results: in the background, and for no longer than they are worth. A store that answers slowly never
//! makes a run slower than computing.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::channel;
use std::time::{Duration, Instant};

use onceflow_products::{Product, ProductError, ProductKey, ProductStore};

use crate::store_folder::MOST_WAIT;

/// Keys that are looked up together.
const BATCH: usize = 512;

/// Lookups may take this time, whatever they find: a machine that is busy with other work may answer late for once.
const ALLOWANCE: Duration = MOST_WAIT;

/// Beyond it they may take this share of the time that is computed, and all the time that they save.
const SHARE: f64 = 0.05;

/// The time that lookups of a run may still take.
#[derive(Debug)]
pub(super) struct LookupBudget {
    /// Nanoseconds that were earned.
    earned: AtomicU64,
    /// Nanoseconds that were spent.
    spent: AtomicU64,
    /// Keys that were not looked up, since nothing was left.
    left_out: AtomicU64,
}

impl Default for LookupBudget {
    fn default() -> Self {
        Self::with(ALLOWANCE)
    }
}

impl LookupBudget {
    fn with(allowance: Duration) -> Self {
        let earned = AtomicU64::new(allowance.as_nanos() as u64);
        Self { earned, spent: AtomicU64::default(), left_out: AtomicU64::default() }
    }

    /// The time that is left; none where nothing is.
    pub(super) fn left(&self) -> Option<Duration> {
        let [earned, spent] = [&self.earned, &self.spent].map(|time| time.load(Ordering::Relaxed));
        earned.checked_sub(spent).filter(|left| *left > 0).map(Duration::from_nanos)
    }

    /// Seconds are computed: lookups may take a share of them.
    pub(super) fn computed(&self, seconds: f64) {
        self.earn(seconds * SHARE);
    }

    /// Products were found, which need not be computed.
    pub(super) fn found(&self, products: &[Option<Product>]) {
        self.earn(products.iter().flatten().map(|product| product.seconds).sum());
    }

    /// A lookup took this time.
    pub(super) fn spend(&self, time: Duration) {
        self.spent.fetch_add(time.as_nanos() as u64, Ordering::Relaxed);
    }

    /// So many keys are not looked up.
    pub(super) fn leave_out(&self, keys: usize) {
        self.left_out.fetch_add(keys as u64, Ordering::Relaxed);
    }

    /// What is to be said where keys were left out.
    pub(super) fn words(&self) -> Option<String> {
        let keys = self.left_out.load(Ordering::Relaxed);
        let seconds = self.spent.load(Ordering::Relaxed) as f64 / 1e9;
        (keys > 0).then(|| {
            let keys = onceflow_study::counted(usize::try_from(keys).unwrap_or(usize::MAX), "result");
            let took = crate::duration_words(seconds);
            format!("The store of results answers slowly: after {took} of lookups, {keys} were computed without asking it.")
        })
    }

    fn earn(&self, seconds: f64) {
        // A time that was never measured may be infinite.
        let nanos = Duration::try_from_secs_f64(seconds.min(MOST_EARNED)).unwrap_or_default().as_nanos();
        self.earned.fetch_add(nanos as u64, Ordering::Relaxed);
    }
}

/// No lookup is worth more seconds.
const MOST_EARNED: f64 = 3600.0;

/// The products with these keys, in their order, as far as the store gives them in time.
pub(super) fn fetch_in_time(
    store: &Arc<ProductStore>,
    keys: Vec<ProductKey>,
    budget: &LookupBudget,
) -> Result<Vec<Option<Product>>, ProductError> {
    let store = Arc::clone(store);
    in_time(keys, budget, move |keys| store.fetch(keys))
}

/// The same with any way to look up. A thread that is not waited for ends after the batch that it is at.
fn in_time(
    keys: Vec<ProductKey>,
    budget: &LookupBudget,
    fetch: impl Fn(&[ProductKey]) -> Result<Vec<Option<Product>>, ProductError> + Send + 'static,
) -> Result<Vec<Option<Product>>, ProductError> {
    let (all, mut found) = (keys.len(), Vec::with_capacity(keys.len()));
    let (sender, receiver) = channel();
    if all > 0 && budget.left().is_some() {
        std::thread::spawn(move || keys.chunks(BATCH).all(|keys| sender.send(fetch(keys)).is_ok()));
    }
    while found.len() < all {
        let began = Instant::now();
        let Some(batch) = budget.left().and_then(|left| receiver.recv_timeout(left).ok()) else { break };
        budget.spend(began.elapsed());
        let batch = batch?;
        budget.found(&batch);
        found.extend(batch);
    }
    if found.len() < all {
        // Nothing is left for other lookups either.
        budget.spend(budget.left().unwrap_or_default());
        budget.leave_out(all - found.len());
        found.resize(all, None);
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys(count: usize) -> Vec<ProductKey> {
        (0..count).map(|number| ProductKey([number as u8; 32])).collect()
    }

    fn product(seconds: f64) -> Option<Product> {
        Some(Product { payload: Vec::new(), seconds, maker: onceflow_products::Maker::default() })
    }

    fn slow(
        pause: Duration,
        seconds: Option<f64>,
    ) -> impl Fn(&[ProductKey]) -> Result<Vec<Option<Product>>, ProductError> {
        move |keys| {
            std::thread::sleep(pause);
            Ok(keys.iter().map(|_| seconds.and_then(product)).collect())
        }
    }

    #[test]
    fn a_store_that_answers_at_once_is_asked_for_everything() {
        let budget = LookupBudget::with(Duration::from_secs(60));
        let found = in_time(keys(5 * BATCH + 3), &budget, slow(Duration::ZERO, Some(0.0))).unwrap();
        assert!(found.len() == 5 * BATCH + 3 && found.iter().all(Option::is_some));
        assert_eq!(budget.words(), None);
    }

    #[test]
    fn a_store_that_never_answers_costs_the_allowance_once() {
        let budget = LookupBudget::with(Duration::from_millis(50));
        let began = Instant::now();
        for _ in 0..20 {
            let found = in_time(keys(10), &budget, slow(Duration::from_secs(600), Some(1.0))).unwrap();
            assert_eq!(found, vec![None; 10]);
        }
        assert!(began.elapsed() < Duration::from_secs(30), "each of them would take ten minutes");
        assert!(budget.left().is_none());
        assert!(budget.words().unwrap().contains("200 results"), "{:?}", budget.words());
    }

    #[test]
    fn slow_answers_go_on_as_long_as_they_save_more_than_they_take() {
        let pause = Duration::from_millis(30);
        let found = |seconds| {
            let budget = LookupBudget::with(Duration::from_millis(40));
            let found = in_time(keys(8 * BATCH), &budget, slow(pause, seconds)).unwrap();
            found.iter().flatten().count()
        };
        assert_eq!(found(Some(10.0)), 8 * BATCH, "a product is worth ten seconds");
        assert!(found(Some(0.0)) < 8 * BATCH, "products are worth nothing");
        assert_eq!(found(None), 0);
    }

    #[test]
    fn what_is_computed_pays_for_lookups() {
        let budget = LookupBudget::with(Duration::from_millis(1));
        budget.spend(Duration::from_millis(5));
        assert_eq!(budget.left(), None);
        budget.computed(f64::INFINITY);
        budget.computed(f64::NAN);
        assert!(budget.left().unwrap() > Duration::from_secs(1000));
    }

    #[test]
    fn an_error_of_the_store_is_passed_on() {
        let fail = |_: &[ProductKey]| Err(ProductError::UnknownImage { name: "x".into() });
        assert!(in_time(keys(1), &LookupBudget::default(), fail).is_err());
    }
}
