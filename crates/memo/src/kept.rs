//! Entries in a store. Parts that are long are kept in pieces, known by the content of the part: the same file is kept once,
//! whatever made it.

use std::fs::File;
use std::io::{self, Read as _};
use std::path::Path;

use onceflow_products::{Maker, NewProduct, ProductKey, ProductStore, Published};

use crate::{MemoEntry, MemoError, MemoKey, MemoPart};

/// Parts stay in their entry up to so many bytes together.
pub(crate) const INLINE: usize = 4 << 20;

/// Bytes of a piece.
const PIECE: usize = 64 << 20;

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

/// The entry with a key; none when it, or a piece of it, is not there.
pub(crate) fn fetch(store: &ProductStore, key: ProductKey) -> Result<Option<(MemoEntry, f64)>, MemoError> {
    let Some(product) = store.fetch(&[key])?.pop().flatten() else { return Ok(None) };
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
        let Some(piece) = store.fetch(&[piece_key(&part.digest, number)])?.pop().flatten() else {
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
    mut entry: MemoEntry,
    seconds: f64,
    maker: &Maker,
) -> Result<Published, MemoError> {
    let mut inline = 0;
    for part in &mut entry.parts {
        let length = part.content.as_ref().map_or(0, Vec::len);
        inline += length;
        if inline <= INLINE {
            continue;
        }
        inline -= length;
        if let Some(content) = part.content.take() {
            publish_pieces(store, &part.digest, &content, seconds, maker)?;
        }
    }
    let product = NewProduct { key, payload: entry.encode(), seconds };
    Ok(store.publish(&[product], maker)?)
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
