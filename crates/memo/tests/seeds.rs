//! The entries that fuzzing starts from are those of this version: `ONCEFLOW_BLESS=1 cargo test -p onceflow-memo --test seeds`
//! writes them anew.
#![allow(clippy::unwrap_used)]

use std::path::Path;

use onceflow_memo::{MemoAttribute, MemoAttributeKind, MemoEntry, MemoPart, MemoRole};

fn entries() -> [(&'static str, MemoEntry); 2] {
    let value = MemoAttribute::new(MemoAttributeKind::Value, "sigma", b"1.5");
    let read = MemoAttribute::of_digest(MemoAttributeKind::Read, "in.csv", &[7; 32]);
    let history = MemoAttribute::of_digest(MemoAttributeKind::History, "prm", &[8; 32]);
    let file = MemoPart { mode: 0o640, ..MemoPart::new(MemoRole::File, "out.csv", b"1,2\n".to_vec()) };
    let long =
        MemoPart { content: None, bytes: 1 << 33, ..MemoPart::new(MemoRole::File, "large", Vec::new()) };
    let said = MemoPart::new(MemoRole::Output, "", b"done\n".to_vec());
    let product = MemoPart::new(MemoRole::Product, "vec", vec![0; 24]);
    let command = MemoEntry {
        title: "./clean in.csv".into(),
        attributes: vec![read, value.clone()],
        exit: 3,
        parts: vec![said, file, long],
    };
    let block = MemoEntry {
        title: "register".into(),
        attributes: vec![value, history],
        exit: 0,
        parts: vec![product],
    };
    [("command", command), ("block", block)]
}

#[test]
fn seeds_are_what_this_version_writes() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/seeds/memo_entry");
    for (name, entry) in entries() {
        let path = folder.join(name);
        if std::env::var_os("ONCEFLOW_BLESS").is_some() {
            std::fs::write(&path, entry.encode()).unwrap();
        }
        assert!(
            std::fs::read(&path).is_ok_and(|found| found == entry.encode()),
            "{name} is not what is written"
        );
        assert_eq!(MemoEntry::decode(&entry.encode()), Some(entry));
    }
}
