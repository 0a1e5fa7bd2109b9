//! Stores that earlier versions made. `stores/form1` is as the first version wrote it: five products of two runs, one of them
//! pinned, one used twice.

use std::path::Path;

use onceflow_products::{ProductKey, ProductStore};

use crate::common::{copy_folder, open};

/// The payload of a product in `form1`.
fn payload(number: u8) -> Vec<u8> {
    match number {
        1 | 3 => b"dice 0.75".to_vec(),
        2 => vec![7; 3000],
        4 => Vec::new(),
        n => (0..200u32).map(|i| (i * i * u32::from(n)) as u8).collect(),
    }
}

fn check(store: &ProductStore) {
    for number in 1..=5 {
        let found = store.fetch(&[ProductKey([number; 32])]).unwrap().remove(0).unwrap();
        assert_eq!(found.payload, payload(number), "product {number}");
        assert_eq!(found.seconds, f64::from(number) / 4.0);
        let run = if number <= 3 { "runs/first" } else { "runs/second" };
        assert_eq!((&found.maker.run[..], &found.maker.user[..]), (run, "ada@lab"));
    }
    let listed = store.list().unwrap();
    assert_eq!(listed.len(), 5);
    assert!(listed.iter().all(|product| product.pinned == (product.key.0[0] == 5)));
    let uses: Vec<u64> = listed.iter().map(|product| product.uses).collect();
    assert_eq!(uses, [1, 3, 1, 1, 1], "two uses of the second are from before");
}

#[test]
fn a_store_of_the_first_form_gives_its_products() {
    let folder = tempfile::tempdir().unwrap();
    copy_folder(Path::new("tests/stores/form1"), folder.path());
    check(&open(folder.path()));
}
