//! What every store of blobs must do, and what a store on a disk must withstand.

use onceflow_region::Budget;
use proptest::prelude::*;

use super::*;

fn texture(length: usize) -> Vec<u8> {
    (0..length as u32).map(|i| (i.wrapping_mul(2654435761) >> 13) as u8).collect()
}

fn check(store: &dyn BlobStore) {
    let lengths = [0, 1, 1000, CHUNK - 1, CHUNK, CHUNK + 1, 2 * CHUNK + 77];
    let mut digests = Vec::new();
    for length in lengths {
        let bytes = texture(length);
        let digest = store.put(&bytes).unwrap();
        assert_eq!(store.put(&bytes).unwrap(), digest);
        assert_eq!(store.length(&digest).unwrap(), Some(length as u64));
        assert_eq!(&store.get(&digest).unwrap()[..], bytes);
        digests.push(digest);
        for (start, end) in
            [(0, length), (0, 0), (length, length), (length / 3, length / 2), (length / 2, length)]
        {
            assert_eq!(store.get_range(&digest, start as u64..end as u64).unwrap(), bytes[start..end]);
        }
        let outside = store.get_range(&digest, 0..length as u64 + 1).unwrap_err();
        assert!(matches!(outside, BlobError::Range { .. }), "{outside}");
    }
    digests.sort_unstable();
    assert_eq!(store.list().unwrap(), digests);
    refuses_other_content(store);
    for digest in digests {
        store.remove(&digest).unwrap();
        assert!(matches!(store.remove(&digest), Err(BlobError::Missing { .. })));
        assert!(matches!(store.get(&digest), Err(BlobError::Missing { .. })));
        assert!(!store.contains(&digest).unwrap());
    }
    assert!(store.list().unwrap().is_empty());
}

fn refuses_other_content(store: &dyn BlobStore) {
    let wrong = Digest([7; 32]);
    let error = store.write(&wrong, &&b"other"[..]).unwrap_err();
    assert!(matches!(error, BlobError::Content { .. }), "{error}");
    assert!(!store.contains(&wrong).unwrap());
}

#[test]
fn memory_and_disk_keep_bytes() {
    let budget = Budget::new(8 << 20);
    check(&MemoryBlobs::new(budget.clone()));
    assert_eq!(budget.used(), 0);
    let place = tempfile::tempdir().unwrap();
    check(&DiskBlobs::open(place.path().join("new/folder")).unwrap());
}

#[test]
fn memory_is_bounded_and_given_back_by_the_last_reader() {
    let store = MemoryBlobs::new(Budget::new(100));
    let digest = store.put(&[1; 60]).unwrap();
    let full = store.put(&[2; 60]).unwrap_err();
    assert_eq!(
        full.to_string(),
        "memory: expected room for 60 bytes, found 40 bytes; remove blobs or raise the limit"
    );
    let held = store.get(&digest).unwrap();
    store.remove(&digest).unwrap();
    assert!(store.put(&[2; 60]).is_err());
    drop(held);
    store.put(&[2; 60]).unwrap();
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn ranges_of_large_blobs_are_slices(length in 0usize..3 * CHUNK, a in 0.0f64..=1.0, b in 0.0f64..=1.0) {
        let place = tempfile::tempdir().unwrap();
        let store = DiskBlobs::open_with(place.path(), crate::publish::Publisher::hasty()).unwrap();
        let bytes = texture(length);
        let digest = store.put(&bytes).unwrap();
        let (start, end) = ((a.min(b) * length as f64) as usize, (a.max(b) * length as f64) as usize);
        prop_assert!(store.get_range(&digest, start as u64..end as u64).unwrap() == bytes[start..end]);
    }

    #[test]
    fn digests_are_read_as_they_are_printed(bytes in any::<[u8; 32]>()) {
        let digest = Digest(bytes);
        prop_assert_eq!(digest.to_string().parse::<Digest>(), Ok(digest));
        prop_assert!(digest.to_string().to_uppercase().parse::<Digest>().is_err() || digest.to_string().bytes().all(|b| b.is_ascii_digit()));
        prop_assert!(digest.to_string()[1..].parse::<Digest>().is_err());
    }
}
