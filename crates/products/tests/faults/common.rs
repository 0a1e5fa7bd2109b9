//! What the tests of the store share.

use std::fs;
use std::path::Path;

use onceflow_products::{ProductStore, StoreOptions};

pub(crate) fn open(folder: &Path) -> ProductStore {
    ProductStore::open(folder, &StoreOptions::default()).unwrap()
}

pub(crate) fn copy_folder(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy_folder(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).unwrap();
        }
    }
}
