//! Rows of the index: whatever they say, a key gives its own bytes or none, and the store can be opened again.
#![no_main]

use libfuzzer_sys::fuzz_target;
use onceflow_products::{Maker, NewProduct, ProductKey, ProductStore, StoreOptions};
use rusqlite::Connection;
use rusqlite::types::Value;

const COLUMNS: [(&str, &str); 16] = [
    ("pack", "name"),
    ("pack", "lease"),
    ("maker", "run"),
    ("blob", "digest"),
    ("blob", "pack"),
    ("blob", "offset"),
    ("blob", "length"),
    ("blob", "bytes"),
    ("product", "key"),
    ("product", "blob"),
    ("product", "pack"),
    ("product", "offset"),
    ("product", "length"),
    ("product", "created"),
    ("product", "uses"),
    ("counter", "value"),
];

fuzz_target!(|bytes: &[u8]| {
    let folder = tempfile::tempdir().expect("a folder");
    let open = || ProductStore::open(folder.path(), &StoreOptions::default()).expect("every store opens");
    let product = |n: u8| NewProduct { key: ProductKey([n; 32]), payload: vec![n; 900], seconds: 1.0 };
    let keys = [1, 2].map(|n| ProductKey([n; 32]));
    open().publish(&[product(1), product(2)], &Maker::new("runs/first")).expect("an empty store");
    change(&folder.path().join("index3.sqlite"), bytes);
    for _ in 0..2 {
        let store = open();
        for (number, found) in [1, 2].into_iter().zip(store.fetch(&keys).unwrap_or_default()) {
            assert!(found.is_none_or(|found| found.payload == product(number).payload));
        }
        let _ = (store.list(), store.statistics(), store.verify(|_, _| {}), store.explain("01", 3));
    }
});

/// Puts a value into a column of a row, which may be refused.
fn change(index: &std::path::Path, bytes: &[u8]) {
    let [column, kind, all, rest @ ..] = bytes else { return };
    let (table, column) = COLUMNS[usize::from(*column) % COLUMNS.len()];
    let number = i64::from_le_bytes(std::array::from_fn(|at| rest.get(at).copied().unwrap_or_default()));
    let value = match kind % 4 {
        0 => Value::Integer(number),
        1 => Value::Blob(rest.to_vec()),
        2 => Value::Text(String::from_utf8_lossy(rest).into_owned()),
        _ => Value::Real(f64::from_bits(number.cast_unsigned())),
    };
    let connection = Connection::open(index).expect("the index");
    let one = if all % 2 == 0 { format!("WHERE {column} = (SELECT min({column}) FROM {table})") } else { String::new() };
    let _ = connection.execute(&format!("UPDATE OR IGNORE {table} SET {column} = ?1 {one}"), [value]);
}
