//! Records: the bytes of a result (a *blob*), and what a key stands for (an *entry*). Records that are cut, changed, made up
//! or at another place than they were written to are found out.

pub(crate) mod blob;
mod compress;
pub(crate) mod entry;
mod region;

use std::fmt;

pub use region::ProductRegion;

/// The key of a product: equal keys are equal results.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ProductKey(pub [u8; 32]);

/// Who made a product.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Maker {
    /// The run, as its user named it.
    pub run: String,
    /// The user and the machine.
    pub user: String,
    /// The version of the program.
    pub program: String,
}

/// Two runs computed different bytes for one key. The first product stays.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Conflict {
    /// The key.
    pub key: ProductKey,
    /// Who made the product that is there.
    pub first: Maker,
    /// Who made the other.
    pub second: Maker,
}

/// Where a record is. It is in the checksum: bytes that were copied to another place are no record there.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place<'a> {
    /// The name of the pack.
    pub(crate) pack: &'a str,
    /// Bytes of the pack before the record.
    pub(crate) offset: u64,
}

/// Bytes of a checksum.
const SUM: usize = 16;

/// Names longer than this are cut: they are for people.
const LONGEST_TEXT: usize = 1000;

impl Maker {
    /// A maker on this machine, with this version of the program.
    pub fn new(run: impl Into<String>) -> Self {
        let variable = |name| std::env::var(name).unwrap_or_default();
        let user = Some(variable("USER")).filter(|user| !user.is_empty()).unwrap_or_else(|| "unknown".into());
        let host = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
        let user = format!("{user}@{}", Some(host.trim()).filter(|h| !h.is_empty()).unwrap_or("localhost"));
        Self { run: run.into(), user, program: env!("CARGO_PKG_VERSION").into() }
    }
}

/// The digest of the bytes of a result.
pub(crate) fn digest(payload: &[u8]) -> [u8; 32] {
    *blake3::hash(payload).as_bytes()
}

/// The checksum of a record at a place.
fn sum(place: Place<'_>, bytes: &[u8]) -> [u8; SUM] {
    let mut hasher = blake3::Hasher::new();
    hasher.update(place.pack.as_bytes()).update(&place.offset.to_le_bytes()).update(bytes);
    let mut sum = [0; SUM];
    sum.copy_from_slice(&hasher.finalize().as_bytes()[..SUM]);
    sum
}

pub(crate) fn put_text(body: &mut Vec<u8>, text: &str) {
    let mut end = text.len().min(LONGEST_TEXT);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    body.extend((end as u16).to_le_bytes());
    body.extend(&text.as_bytes()[..end]);
}

/// Fields one after another.
pub(crate) struct Fields<'a>(pub(crate) &'a [u8]);

impl Fields<'_> {
    pub(crate) fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (field, rest) = self.0.split_first_chunk::<N>()?;
        self.0 = rest;
        Some(*field)
    }

    pub(crate) fn text(&mut self) -> Option<String> {
        let length = u16::from_le_bytes(self.array()?) as usize;
        let (text, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        String::from_utf8(text.to_vec()).ok()
    }

    pub(crate) fn maker(&mut self) -> Option<Maker> {
        Some(Maker { run: self.text()?, user: self.text()?, program: self.text()? })
    }
}

/// In hexadecimal digits.
impl fmt::Display for ProductKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for ProductKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ProductKey({self})")
    }
}
