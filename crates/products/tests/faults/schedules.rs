//! Schedules, one by one: two or three processes use a store, and their steps are interleaved in every order. A process is held
//! before each of its steps, and goes on when the schedule says so.

use std::path::Path;
use std::sync::{Arc, Condvar, Mutex};

use onceflow_products::{Collection, Faults, Maker, NewProduct, ProductStore, Published, StoreOptions};

use crate::common::{
    check, check_without_index, copy_folder, has, key, maker, open, product, products, scale, temporary,
};

/// Who may go on, and who waits.
#[derive(Default)]
struct Turns {
    waits: Vec<bool>,
    ended: Vec<bool>,
    granted: Option<usize>,
}

/// Holds each actor before each of its steps.
#[derive(Default)]
struct Gate {
    turns: Mutex<Turns>,
    changed: Condvar,
}

impl Gate {
    fn pass(&self, actor: usize) {
        let mut turns = self.turns.lock().unwrap();
        turns.waits[actor] = true;
        self.changed.notify_all();
        while turns.granted != Some(actor) {
            turns = self.changed.wait(turns).unwrap();
        }
        (turns.granted, turns.waits[actor]) = (None, false);
    }

    fn end(&self, actor: usize) {
        self.turns.lock().unwrap().ended[actor] = true;
        self.changed.notify_all();
    }

    /// The actors that wait, when none runs; none when all have ended.
    fn waiting(&self) -> Vec<usize> {
        let mut turns = self.turns.lock().unwrap();
        let runs = |turns: &Turns| {
            turns.granted.is_some() || (0..turns.waits.len()).any(|at| !turns.waits[at] && !turns.ended[at])
        };
        while runs(&turns) {
            turns = self.changed.wait(turns).unwrap();
        }
        (0..turns.waits.len()).filter(|at| !turns.ended[*at]).collect()
    }

    fn grant(&self, actor: usize) {
        self.turns.lock().unwrap().granted = Some(actor);
        self.changed.notify_all();
    }
}

/// The orders of steps, one after the other: what was chosen at each step, among how many.
#[derive(Default)]
struct Schedule {
    chosen: Vec<(usize, usize)>,
    at: usize,
    last: Option<usize>,
    switches: usize,
    most_switches: usize,
}

impl Schedule {
    /// Who goes on. An actor that could go on is interrupted so often only.
    fn next(&mut self, waiting: &[usize]) -> usize {
        let goes_on = self.last.filter(|last| waiting.contains(last));
        let options: Vec<usize> = match goes_on {
            Some(last) if self.switches == self.most_switches => vec![last],
            Some(last) => {
                std::iter::once(last).chain(waiting.iter().copied().filter(|w| *w != last)).collect()
            }
            None => waiting.to_vec(),
        };
        if self.at == self.chosen.len() {
            self.chosen.push((0, options.len()));
        }
        let (choice, among) = self.chosen[self.at];
        assert_eq!(among, options.len(), "the same steps give the same choices");
        self.switches += usize::from(goes_on.is_some() && choice > 0);
        (self.at, self.last) = (self.at + 1, Some(options[choice]));
        options[choice]
    }

    /// The next order; whether there is one.
    fn advance(&mut self) -> bool {
        while let Some((choice, among)) = self.chosen.pop() {
            if choice + 1 < among {
                self.chosen.push((choice + 1, among));
                (self.at, self.last, self.switches) = (0, None, 0);
                return true;
            }
        }
        false
    }
}

type Act<T> = fn(&ProductStore) -> T;

/// Lets actors use copies of a store in every order of their steps; how many orders there were.
fn every_order<T: Send>(from: &Path, acts: &[Act<T>], look: impl Fn(&Path, Vec<T>, &str)) -> usize {
    let most_switches = scale("ONCEFLOW_STORE_SWITCHES", 1);
    let mut schedule = Schedule { most_switches, ..Schedule::default() };
    for count in 1.. {
        let folder = temporary();
        copy_folder(from, folder.path());
        let gate = Arc::new(Gate::default());
        *gate.turns.lock().unwrap() =
            Turns { waits: vec![false; acts.len()], ended: vec![false; acts.len()], granted: None };
        let stores: Vec<ProductStore> =
            (0..acts.len()).map(|actor| held(folder.path(), &gate, actor)).collect();
        let given = std::thread::scope(|scope| {
            let act = |(actor, (act, store)): (usize, (&Act<T>, ProductStore))| {
                let (gate, act) = (Arc::clone(&gate), *act);
                scope.spawn(move || {
                    HELD.set(true);
                    gate.pass(actor);
                    let given = act(&store);
                    drop(store);
                    gate.end(actor);
                    given
                })
            };
            let actors: Vec<_> = acts.iter().zip(stores).enumerate().map(act).collect();
            loop {
                match gate.waiting() {
                    waiting if waiting.is_empty() => break,
                    waiting => gate.grant(schedule.next(&waiting)),
                }
            }
            actors.into_iter().map(|actor| actor.join().unwrap()).collect()
        });
        look(folder.path(), given, &format!("{:?}", schedule.chosen));
        if !schedule.advance() {
            return count;
        }
    }
    unreachable!()
}

thread_local! {
    /// Whether the steps of this thread wait for their turn: to open a store is no step here.
    static HELD: std::cell::Cell<bool> = const { std::cell::Cell::new(false) };
}

fn held(folder: &Path, gate: &Arc<Gate>, actor: usize) -> ProductStore {
    let gate = Arc::clone(gate);
    let faults: Faults = Arc::new(move |_| {
        if HELD.get() {
            gate.pass(actor);
        }
        None
    });
    ProductStore::open(folder, &StoreOptions { faults: Some(faults), ..StoreOptions::default() }).unwrap()
}

/// A store of four products, of which one is pinned.
fn store() -> tempfile::TempDir {
    let folder = temporary();
    let store = open(folder.path());
    store.publish(&products(&[1, 2, 3, 4]), &maker()).unwrap();
    store.pin(&key(3).to_string(), true).unwrap();
    folder
}

fn published(store: &ProductStore, run: &str, byte: u8) -> Published {
    let differs = NewProduct { payload: vec![byte; 100], ..product(8) };
    store.publish(&[product(5), differs], &Maker::new(run)).unwrap()
}

#[test]
fn of_two_that_publish_one_key_in_every_order_one_wins_and_the_other_is_told() {
    let from = store();
    let acts: [Act<Published>; 2] = [|store| published(store, "a", 1), |store| published(store, "b", 2)];
    let orders = every_order(from.path(), &acts, |folder, given, words| {
        assert_eq!(given.iter().map(|given| given.stored).sum::<u64>(), 2, "{words}");
        let conflicts: Vec<_> = given.iter().flat_map(|given| &given.conflicts).collect();
        let [conflict] = conflicts[..] else { panic!("{words}: {conflicts:?}") };
        let runs = [&conflict.first.run[..], &conflict.second.run[..]];
        let found = open(folder).fetch(&[key(8)]).unwrap().remove(0).unwrap();
        let winner = if found.payload == vec![1; 100] { "a" } else { "b" };
        assert_eq!((runs[0], &found.maker.run[..]), (winner, winner), "{words}");
        assert_ne!(runs[0], runs[1], "{words}");
        check(folder, &[1, 2, 3, 4, 5], words);
    });
    assert!(orders >= 12, "{orders} orders");
}

#[test]
fn what_is_published_while_another_collects_is_there_or_was_collected_in_every_order() {
    let from = store();
    let acts: [Act<u64>; 2] = [
        |store| store.publish(&products(&[5, 6]), &maker()).unwrap().stored,
        |store| store.collect(&Collection { size: Some(0), older_than: None }).unwrap().removed,
    ];
    let orders = every_order(from.path(), &acts, |folder, given, words| {
        let left = open(folder).statistics().unwrap().products;
        assert_eq!(4 + given[0], left + given[1], "{words}");
        let copy = temporary();
        copy_folder(folder, copy.path());
        check(folder, &[3], words);
        check_without_index(copy.path(), &[3], words);
    });
    assert!(orders >= 15, "{orders} orders");
}

#[test]
fn a_lookup_in_any_order_with_a_collection_gives_what_the_index_named() {
    let from = store();
    let look = |store: &ProductStore| {
        let there = store.has(&[key(1), key(3)]).unwrap();
        // The pinned one is moved to another pack, the other one is removed.
        let found = store.fetch(&[key(3)]).unwrap().remove(0);
        assert_eq!(found.unwrap().payload, product(3).payload);
        assert!(there[1]);
        u64::from(has(store, 1))
    };
    let acts: [Act<u64>; 2] =
        [look, |store| store.collect(&Collection { size: Some(0), older_than: None }).unwrap().removed];
    let orders = every_order(from.path(), &acts, |folder, given, words| {
        assert_eq!(given[1], 3, "{words}");
        check(folder, &[3], words);
    });
    assert!(orders >= 5, "{orders} orders");
}

#[test]
fn three_that_publish_look_up_and_collect_leave_a_whole_store_in_every_order() {
    let from = store();
    let acts: [Act<u64>; 3] = [
        |store| store.publish(&products(&[1, 2, 6]), &maker()).unwrap().stored,
        |store| store.collect(&Collection { size: Some(0), older_than: None }).unwrap().removed,
        |store| {
            assert!(has(store, 3));
            u64::from(has(store, 2))
        },
    ];
    let orders = every_order(from.path(), &acts, |folder, given, words| {
        let left = open(folder).statistics().unwrap().products;
        assert_eq!(4 + given[0], left + given[1], "{words}");
        check(folder, &[3], words);
    });
    assert!(orders >= 40, "{orders} orders");
}
