//! Index files that someone made up: they lead nowhere else, take no memory, and give no bytes that were not published.

use std::fs;
use std::path::Path;

use onceflow_products::{Maker, NewProduct, ProductStore, StoreOptions};
use rusqlite::Connection;

use crate::common::{check, has, key, maker, open, product, products, temporary};

fn store() -> tempfile::TempDir {
    let folder = temporary();
    open(folder.path()).publish(&products(&[1, 2, 3, 4]), &maker()).unwrap();
    folder
}

fn tamper(folder: &Path, sql: &str) {
    let index = Connection::open(folder.join("index3.sqlite")).unwrap();
    index.execute_batch(sql).unwrap();
}

/// The store gives what was published or nothing, and can be used again.
fn harmless(folder: &Path, words: &str) {
    for _ in 0..3 {
        let store = ProductStore::open(folder, &StoreOptions::default()).unwrap();
        let whole = store.fetch(&[1, 2, 3, 4].map(key)).is_ok()
            && store.list().is_ok()
            && store.verify(|_, _| {}).is_ok();
        let missing: Vec<u8> = if whole { (1..=4).filter(|n| !has(&store, *n)).collect() } else { continue };
        if store.publish(&products(&missing), &maker()).is_ok() {
            assert!((1..=4).all(|number| has(&store, number)), "{words}");
            return;
        }
    }
    panic!("{words}: the store cannot be used");
}

#[test]
fn rows_that_were_made_up_are_harmless() {
    let rows = [
        "UPDATE pack SET name = '../../outside.pack3'",
        "UPDATE pack SET name = x'00ff00ff'",
        "UPDATE product SET offset = -1",
        "UPDATE product SET offset = 9223372036854775807, length = 9223372036854775807",
        "UPDATE product SET length = 1099511627776",
        "UPDATE blob SET length = 1099511627776",
        "UPDATE blob SET offset = 9223372036854775807",
        "UPDATE blob SET length = 'long', bytes = 'many'",
        "UPDATE blob SET offset = 0",
        "UPDATE product SET blob = (SELECT max(blob) FROM product)",
        "UPDATE product SET blob = 4711",
        "UPDATE product SET pack = 4711",
        "UPDATE product SET maker = 4711",
        "UPDATE product SET seconds = 'NaN', created = -5, uses = -7, pinned = 'x'",
        "UPDATE maker SET run = x'ff'",
        "UPDATE product SET key = x'01' WHERE key = (SELECT min(key) FROM product)",
        "UPDATE counter SET value = -1",
        "INSERT INTO counter VALUES ('hits', 9223372036854775807)",
        "INSERT INTO trash SELECT name, '' FROM pack",
        "INSERT INTO trash VALUES ('../outside', ''), ('/etc/passwd', NULL)",
        "DELETE FROM pack",
        "DELETE FROM blob",
        "CREATE TRIGGER bad AFTER UPDATE ON product BEGIN DELETE FROM product; END",
        "ALTER TABLE product RENAME TO other; CREATE VIEW product AS SELECT * FROM other",
        "DROP TABLE trash",
    ];
    for sql in rows {
        let folder = store();
        let outside = folder.path().with_extension("outside.pack3");
        fs::write(&outside, "mine").unwrap();
        tamper(folder.path(), sql);
        harmless(folder.path(), sql);
        assert_eq!(fs::read(&outside).unwrap(), b"mine", "{sql}");
        fs::remove_file(outside).unwrap();
    }
}

#[test]
fn names_of_any_kind_come_back_and_are_cut_when_they_are_long() {
    let folder = temporary();
    let store = open(folder.path());
    for (number, run) in ["", "\u{1b}[31m\n\0", "../../x", &"ü".repeat(9000)].into_iter().enumerate() {
        let made = NewProduct { key: key(number as u8 + 50), ..product(3) };
        let maker = Maker { run: run.into(), user: run.into(), program: run.into() };
        store.publish(std::slice::from_ref(&made), &maker).unwrap();
        let found = store.fetch(&[made.key]).unwrap().remove(0).unwrap();
        assert!(run.starts_with(&found.maker.run) && found.maker.run.len() <= 1000);
    }
    drop(store);
    check(folder.path(), &[], "names of any kind");
}

/// Links in the folder of packs are not packs, and what they point to is not touched.
#[cfg(unix)]
#[test]
fn links_among_the_packs_are_left_alone() {
    let (folder, outside) = (store(), temporary());
    let target = outside.path().join("mine");
    fs::write(&target, "mine").unwrap();
    let link = folder.path().join("packs").join(format!("{}.pack3", "0".repeat(32)));
    std::os::unix::fs::symlink(&target, &link).unwrap();
    check(folder.path(), &[1, 2, 3, 4], "a link");
    assert_eq!(fs::read(&target).unwrap(), b"mine");
    assert!(link.symlink_metadata().is_ok());
}
