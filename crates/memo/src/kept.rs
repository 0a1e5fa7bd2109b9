//! Entries in a store. Parts that are long are kept in pieces, known by the content of the part: the same file is kept once,
//! whatever made it.

use std::fs::File;
use std::io::{self, Read as _};
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use onceflow_products::{Maker, NewProduct, Product, ProductKey, ProductStore, Published};

use crate::{MemoEntry, MemoError, MemoKey, MemoPart};

/// Parts stay in their entry up to so many bytes together.
pub(crate) const INLINE: usize = 4 << 20;

/// Bytes of a piece.
const PIECE: usize = 64 << 20;

/// Uses are noted once in so many milliseconds: noting one waits for the disk, which takes longer than all else that a known command
/// does.
const BETWEEN_USES: u64 = 3_600_000;

/// The key of a piece of a part with this content.
fn piece_key(digest: &[u8; 32], number: u64) -> ProductKey {
    let mut key = MemoKey::new("onceflow memo piece v1");
    key.field(digest);
    key.field(&number.to_le_bytes());
    key.finish()
}

fn pieces(part: &MemoPart) -> u64 {
    part.bytes.div_ceil(PIECE as u64)
}

/// A product whose use is noted now and then.
fn seldom_noted(store: &ProductStore, key: ProductKey) -> Result<Option<Product>, MemoError> {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_millis() as u64;
    let used = store.listed(&key)?.map(|listed| listed.used);
    if used.is_some_and(|used| is_recent(used, now))
        && let Some(product) = store.peek(key)?
    {
        return Ok(Some(product));
    }
    // One that is damaged is set aside here.
    Ok(store.fetch(&[key])?.pop().flatten())
}

/// Whether a use was noted lately; a clock that was set back is no reason to wait.
fn is_recent(used: u64, now: u64) -> bool {
    now.checked_sub(used).is_some_and(|since| since < BETWEEN_USES)
}

/// The entry with a key of a command; none when it, or a piece of it, is not there.
pub(crate) fn fetch(store: &ProductStore, key: ProductKey) -> Result<Option<(MemoEntry, f64)>, MemoError> {
    seldom_noted(store, key)?.map_or(Ok(None), |product| whole(store, &product))
}

/// The entry with a key of a block: a program notes its uses together.
pub(crate) fn fetch_noted(
    store: &ProductStore,
    key: ProductKey,
) -> Result<Option<(MemoEntry, f64)>, MemoError> {
    store.fetch(&[key])?.pop().flatten().map_or(Ok(None), |product| whole(store, &product))
}

fn whole(store: &ProductStore, product: &Product) -> Result<Option<(MemoEntry, f64)>, MemoError> {
    let Some(entry) = MemoEntry::decode(&product.payload) else { return Ok(None) };
    let elsewhere = entry.parts.iter().filter(|part| part.content.is_none());
    let keys: Vec<ProductKey> =
        elsewhere.flat_map(|part| (0..pieces(part)).map(|number| piece_key(&part.digest, number))).collect();
    let whole = keys.is_empty() || store.has(&keys)?.into_iter().all(|there| there);
    Ok(whole.then_some((entry, product.seconds)))
}

/// Gives the content of a part piece by piece; false when a piece is not there any more.
pub(crate) fn content(
    store: &ProductStore,
    part: &MemoPart,
    give: &mut dyn FnMut(&[u8]) -> Result<(), MemoError>,
) -> Result<bool, MemoError> {
    if let Some(content) = &part.content {
        give(content)?;
        return Ok(true);
    }
    let mut digest = blake3::Hasher::new();
    for number in 0..pieces(part) {
        let Some(piece) = seldom_noted(store, piece_key(&part.digest, number))? else {
            return Ok(false);
        };
        digest.update(&piece.payload);
        give(&piece.payload)?;
    }
    Ok(*digest.finalize().as_bytes() == part.digest)
}

/// Keeps an entry; long parts before it, so that an entry is never there without them.
pub(crate) fn publish(
    store: &ProductStore,
    key: ProductKey,
    entry: &MemoEntry,
    seconds: f64,
    maker: &Maker,
) -> Result<Published, MemoError> {
    let product = product(store, key, entry, seconds, maker)?;
    Ok(store.publish(&[product], maker)?)
}

/// The product of an entry, whose long parts are kept when this returns.
pub(crate) fn product(
    store: &ProductStore,
    key: ProductKey,
    entry: &MemoEntry,
    seconds: f64,
    maker: &Maker,
) -> Result<NewProduct, MemoError> {
    let mut inline = 0;
    let mut is_long = |part: &&MemoPart| {
        let length = part.content.as_ref().map_or(0, Vec::len);
        let fits = inline + length <= INLINE;
        inline += if fits { length } else { 0 };
        !fits
    };
    let long: Vec<&MemoPart> = entry.parts.iter().filter(|part| is_long(part)).collect();
    for part in &long {
        if let Some(content) = &part.content {
            publish_pieces(store, &part.digest, content, seconds, maker)?;
        }
    }
    let is_elsewhere = |part: &MemoPart| long.iter().any(|long| std::ptr::eq(*long, part));
    Ok(NewProduct { key, payload: entry.encode_without(is_elsewhere), seconds })
}

/// Keeps the pieces of a part that is a long file; false when the file is not what it was when it was digested.
pub(crate) fn publish_file(
    store: &ProductStore,
    part: &MemoPart,
    path: &Path,
    seconds: f64,
    maker: &Maker,
) -> Result<bool, MemoError> {
    let failed = |error: io::Error| MemoError::unreadable(path, &error);
    let mut file = File::open(path).map_err(failed)?;
    let mut digest = blake3::Hasher::new();
    for number in 0..pieces(part) {
        let mut payload = Vec::new();
        file.by_ref().take(PIECE as u64).read_to_end(&mut payload).map_err(failed)?;
        digest.update(&payload);
        let key = piece_key(&part.digest, number);
        store.publish(&[NewProduct { key, payload, seconds }], maker)?;
    }
    Ok(*digest.finalize().as_bytes() == part.digest)
}

fn publish_pieces(
    store: &ProductStore,
    digest: &[u8; 32],
    content: &[u8],
    seconds: f64,
    maker: &Maker,
) -> Result<(), MemoError> {
    for (number, piece) in content.chunks(PIECE).enumerate() {
        let key = piece_key(digest, number as u64);
        store.publish(&[NewProduct { key, payload: piece.to_vec(), seconds }], maker)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_use_is_noted_once_an_hour() {
        let day = 86_400_000;
        assert!(is_recent(day, day) && is_recent(day, day + 3_599_999));
        assert!(!is_recent(day, day + 3_600_000) && !is_recent(day, day - 1));
    }
}
