//! Many processes at once, killed without a warning. The children are this test program again; what each saw is in a file of
//! its own, and the files are checked together.

use std::collections::HashMap;
use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use onceflow_products::{Collection, Maker, NewProduct, ProductKey, ProductStore};

use crate::common::{open, scale, temporary};

/// Numbers that look random, the same in every run.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self, below: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % below
    }
}

fn key(number: u64) -> ProductKey {
    ProductKey(*blake3::hash(&number.to_le_bytes()).as_bytes())
}

/// The bytes of a key, of many lengths; every eighth key has the bytes of another.
fn payload(number: u64) -> Vec<u8> {
    let same = if number % 8 == 7 { number - 1 } else { number };
    let mut bytes = vec![0; (same as usize * 131) % 5000];
    blake3::Hasher::new().update(&same.to_le_bytes()).finalize_xof().fill(&mut bytes);
    if same % 3 == 0 {
        bytes.fill(same as u8);
    }
    bytes
}

fn product(number: u64) -> NewProduct {
    NewProduct { key: key(number), payload: payload(number), seconds: number as f64 }
}

/// Starts this program again in another role.
fn start(role: &str, folder: &Path, seed: u64) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "processes::child", "--nocapture"])
        .env("ONCEFLOW_CHILD", format!("{role} {seed}"))
        .env("ONCEFLOW_CHILD_FOLDER", folder)
        .stdout(Stdio::null())
        .spawn()
        .unwrap()
}

/// What a child does; nothing when it is not one.
#[test]
fn child() {
    let (Ok(role), Some(folder)) =
        (std::env::var("ONCEFLOW_CHILD"), std::env::var_os("ONCEFLOW_CHILD_FOLDER"))
    else {
        return;
    };
    let (role, seed) = role.split_once(' ').unwrap();
    let (folder, seed) = (Path::new(&folder), seed.parse().unwrap());
    let store = open(&folder.join("store"));
    match role {
        "write" => write(&store, seed),
        "read" => read(&store, seed),
        "collect" => collect(&store, seed),
        "contest" => contest(&store, folder, seed),
        role => panic!("{role}"),
    }
}

const KEYS: u64 = 64;
const ROUNDS: u64 = 60;

fn write(store: &ProductStore, seed: u64) {
    let mut numbers = Numbers(seed);
    for _ in 0..ROUNDS {
        let batch: Vec<NewProduct> = (0..=numbers.next(4)).map(|_| product(numbers.next(KEYS))).collect();
        let published = store.publish(&batch, &Maker::new(format!("runs/{seed}"))).unwrap();
        assert_eq!(published.conflicts, []);
    }
}

fn read(store: &ProductStore, seed: u64) {
    let mut numbers = Numbers(seed);
    for _ in 0..4 * ROUNDS {
        let asked: Vec<u64> = (0..=numbers.next(8)).map(|_| numbers.next(KEYS)).collect();
        let keys: Vec<ProductKey> = asked.iter().map(|number| key(*number)).collect();
        for (number, found) in asked.iter().zip(store.fetch(&keys).unwrap()) {
            assert!(found.is_none_or(|found| found.payload == payload(*number)), "product {number}");
        }
    }
}

fn collect(store: &ProductStore, seed: u64) {
    let mut numbers = Numbers(seed);
    for _ in 0..ROUNDS / 4 {
        store.collect(&Collection { size: Some(numbers.next(60_000)), older_than: None }).unwrap();
        std::thread::sleep(Duration::from_millis(numbers.next(5)));
    }
}

/// Nothing that a kill or a collection may leave is damage.
fn check_whole(folder: &Path) {
    let store = open(&folder.join("store"));
    let verified = store.verify(|_, _| {}).unwrap();
    assert_eq!(verified.damaged, []);
    let statistics = store.statistics().unwrap();
    assert_eq!((statistics.damaged, statistics.conflicts), (0, 0), "nothing that was promised has vanished");
    assert_eq!((statistics.products, statistics.product_bytes), (verified.sound, verified.bytes));
    let aside = fs::read_dir(folder.join("store/quarantine")).unwrap().count();
    assert_eq!(aside, 0, "nothing was set aside");
    read(&store, 1);
    store.publish(&(0..KEYS).map(product).collect::<Vec<_>>(), &Maker::new("runs/last")).unwrap();
    let keys: Vec<ProductKey> = (0..KEYS).map(key).collect();
    assert!(store.fetch(&keys).unwrap().iter().all(Option::is_some));
}

#[test]
fn writers_readers_and_collectors_are_killed_again_and_again() {
    let folder = temporary();
    let (kills, at_once) = (scale("ONCEFLOW_STORE_KILLS", 30), 5);
    let roles = ["write", "write", "read", "collect", "write"];
    let mut numbers = Numbers(20);
    let mut children: Vec<Child> = Vec::new();
    let (mut killed, mut started) = (0, 0);
    while killed < kills {
        while children.len() < at_once {
            children.push(start(roles[started % roles.len()], folder.path(), started as u64));
            started += 1;
        }
        std::thread::sleep(Duration::from_millis(numbers.next(25)));
        let mut child = children.swap_remove(numbers.next(at_once as u64) as usize);
        match child.try_wait().unwrap() {
            Some(ended) => assert!(ended.success(), "a child failed: {ended}"),
            None => {
                child.kill().unwrap();
                child.wait().unwrap();
                killed += 1;
            }
        }
    }
    for mut child in children {
        assert!(child.wait().unwrap().success());
    }
    check_whole(folder.path());
}

#[test]
fn processes_that_hammer_one_store_agree() {
    let folder = temporary();
    let processes = scale("ONCEFLOW_STORE_PROCESSES", 4);
    let roles = ["write", "read", "collect", "write"];
    let children: Vec<Child> =
        (0..processes).map(|n| start(roles[n % roles.len()], folder.path(), n as u64)).collect();
    for mut child in children {
        assert!(child.wait().unwrap().success());
    }
    check_whole(folder.path());
}

/// Publishes bytes of its own under keys that others publish too, and notes what it then finds.
fn contest(store: &ProductStore, folder: &Path, seed: u64) {
    let mut history =
        OpenOptions::new().create(true).append(true).open(folder.join(format!("{seed}.history"))).unwrap();
    for number in 0..KEYS {
        let own = NewProduct { key: key(number), payload: format!("from {seed}").into_bytes(), seconds: 1.0 };
        let published = store.publish(&[own], &Maker::new(format!("runs/{seed}"))).unwrap();
        let found = store.fetch(&[key(number)]).unwrap().remove(0).expect("nothing is collected");
        let found = String::from_utf8(found.payload).unwrap();
        let conflicts = published.conflicts.len();
        writeln!(history, "{number},{},{conflicts},{found}", published.stored).unwrap();
    }
}

/// First publish wins: of every key all processes see the bytes of the one process that stored it.
#[test]
fn of_processes_that_publish_the_same_keys_the_first_wins() {
    let folder = temporary();
    let processes = scale("ONCEFLOW_STORE_PROCESSES", 4);
    let children: Vec<Child> = (0..processes).map(|n| start("contest", folder.path(), n as u64)).collect();
    for mut child in children {
        assert!(child.wait().unwrap().success());
    }
    let mut winners: HashMap<String, (usize, Vec<String>)> = HashMap::new();
    for seed in 0..processes {
        let history = fs::read_to_string(folder.path().join(format!("{seed}.history"))).unwrap();
        for line in history.lines() {
            let [number, stored, conflicts, found] = line.split(',').collect::<Vec<_>>()[..] else {
                panic!()
            };
            let (stored_by, seen) = winners.entry(number.to_owned()).or_default();
            *stored_by += usize::from(stored == "1");
            assert_eq!(stored == "1", conflicts == "0", "{line}: one wins, the others are told");
            assert_eq!(stored == "1", found == format!("from {seed}"), "{line}");
            seen.push(found.to_owned());
        }
    }
    assert_eq!(winners.len(), KEYS as usize);
    for (number, (stored_by, seen)) in winners {
        assert_eq!(stored_by, 1, "product {number}");
        assert!(seen.len() == processes && seen.iter().all(|found| *found == seen[0]), "{number}: {seen:?}");
    }
    let statistics = open(&folder.path().join("store")).statistics().unwrap();
    assert_eq!(statistics.conflicts, KEYS * (processes as u64 - 1), "all were counted");
}
