//! A product as bytes: a header, the product, a checksum over both. Records that are cut, changed or made up are found out.

use std::fmt;

use crate::ProductError;

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

/// A record as it is read.
#[derive(Clone, Debug, PartialEq)]
#[doc(hidden)]
pub struct ProductRecord {
    /// The key.
    pub key: ProductKey,
    /// Milliseconds since 1970 at which it was made.
    pub created: u64,
    /// Seconds that it took to compute.
    pub seconds: f64,
    /// Who made it.
    pub maker: Maker,
    /// The product.
    pub payload: Vec<u8>,
}

/// What every record begins with; the number changes when the form does.
const MAGIC: [u8; 4] = *b"OFP1";

/// Bytes before the body: the magic and the length of the body.
pub(crate) const HEAD: usize = 8;

/// Bytes after the body: the checksum.
pub(crate) const SUM: usize = 32;

/// No product is longer than this, and no body reaches twice of it.
pub(crate) const LONGEST: usize = 16 << 20;

/// Products from this length on are compressed, where that saves a tenth.
const WORTH_COMPRESSING: usize = 512;

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

/// A record as bytes.
pub(crate) fn encode(record: &ProductRecord) -> Result<Vec<u8>, ProductError> {
    let bytes = record.payload.len();
    if bytes > LONGEST {
        return Err(ProductError::TooLarge { bytes: bytes as u64, limit: LONGEST as u64 });
    }
    let packed =
        (bytes >= WORTH_COMPRESSING).then(|| zstd::bulk::compress(&record.payload, 1).ok()).flatten();
    let packed = packed.filter(|packed| packed.len() < bytes - bytes / 10);
    let mut body = Vec::with_capacity(bytes + 128);
    body.extend(record.key.0);
    body.extend(record.created.to_le_bytes());
    body.extend(record.seconds.to_bits().to_le_bytes());
    for text in [&record.maker.run, &record.maker.user, &record.maker.program] {
        put_text(&mut body, text);
    }
    body.push(u8::from(packed.is_some()));
    body.extend((bytes as u32).to_le_bytes());
    body.extend(packed.as_ref().unwrap_or(&record.payload));
    let mut all = MAGIC.to_vec();
    all.extend((body.len() as u32).to_le_bytes());
    all.extend(&body);
    let sum = blake3::hash(&all);
    all.extend(sum.as_bytes());
    Ok(all)
}

/// The bytes of the whole record that these bytes begin; none where no record begins.
pub(crate) fn length(head: &[u8]) -> Option<usize> {
    let body = u32::from_le_bytes(head.get(4..HEAD)?.try_into().ok()?) as usize;
    (head[..4] == MAGIC && body <= 2 * LONGEST).then_some(HEAD + body + SUM)
}

/// The record that these bytes are; none when they were cut or changed.
#[doc(hidden)]
pub fn decode(bytes: &[u8]) -> Option<ProductRecord> {
    if length(bytes)? != bytes.len() {
        return None;
    }
    let (content, sum) = bytes.split_at(bytes.len() - SUM);
    if blake3::hash(content).as_bytes() != sum {
        return None;
    }
    let mut fields = Fields(&content[HEAD..]);
    let key = ProductKey(fields.array()?);
    let created = u64::from_le_bytes(fields.array()?);
    let seconds = f64::from_bits(u64::from_le_bytes(fields.array()?));
    let maker = Maker { run: fields.text()?, user: fields.text()?, program: fields.text()? };
    let [compressed] = fields.array()?;
    let length = u32::from_le_bytes(fields.array()?) as usize;
    let payload = match compressed {
        0 => fields.0.to_vec(),
        1 if length <= LONGEST => zstd::bulk::decompress(fields.0, length).ok()?,
        _ => return None,
    };
    (payload.len() == length).then_some(ProductRecord { key, created, seconds, maker, payload })
}

/// Names longer than this are cut: they are for people.
const LONGEST_TEXT: usize = 1000;

fn put_text(body: &mut Vec<u8>, text: &str) {
    let mut end = text.len().min(LONGEST_TEXT);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    body.extend((end as u16).to_le_bytes());
    body.extend(&text.as_bytes()[..end]);
}

/// Fields one after another.
struct Fields<'a>(&'a [u8]);

impl Fields<'_> {
    fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (field, rest) = self.0.split_first_chunk::<N>()?;
        self.0 = rest;
        Some(*field)
    }

    fn text(&mut self) -> Option<String> {
        let length = u16::from_le_bytes(self.array()?) as usize;
        let (text, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        String::from_utf8(text.to_vec()).ok()
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

#[cfg(test)]
pub(crate) mod tests {
    use proptest::prelude::*;

    use super::*;

    pub(crate) fn record(key: u8, payload: &[u8]) -> ProductRecord {
        let maker = Maker { run: "runs/first".into(), user: "ada@lab".into(), program: "1".into() };
        ProductRecord {
            key: ProductKey([key; 32]),
            created: 5,
            seconds: 0.25,
            maker,
            payload: payload.to_vec(),
        }
    }

    #[test]
    fn a_changed_bit_or_a_cut_is_found() {
        for payload in [&b"dice"[..], &[7; 3000]] {
            let bytes = encode(&record(1, payload)).unwrap();
            assert_eq!(decode(&bytes), Some(record(1, payload)));
            for at in 0..bytes.len() {
                for bit in 0..8 {
                    let mut changed = bytes.clone();
                    changed[at] ^= 1 << bit;
                    assert_eq!(decode(&changed), None, "bit {bit} of byte {at}");
                }
                assert_eq!(decode(&bytes[..at]), None);
            }
        }
    }

    #[test]
    fn a_product_that_is_too_long_is_refused() {
        let error = encode(&record(1, &vec![0; LONGEST + 1])).unwrap_err().to_string();
        assert!(error.contains("at most 16777216 bytes"), "{error}");
    }

    proptest! {
        #[test]
        fn a_record_comes_back(payload in prop::collection::vec(any::<u8>(), 0..2000), run in ".{0,20}", seconds: u64) {
            let mut record = record(9, &payload);
            record.maker.run = run;
            record.seconds = f64::from_bits(seconds);
            let decoded = decode(&encode(&record).unwrap()).unwrap();
            prop_assert_eq!(decoded.seconds.to_bits(), seconds);
            prop_assert_eq!(ProductRecord { seconds: 0.0, ..decoded }, ProductRecord { seconds: 0.0, ..record });
        }

        #[test]
        fn no_bytes_are_too_strange(mut bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            decode(&bytes);
            if bytes.len() > HEAD + SUM {
                // A checksum that is right does not make a record of them.
                let body = bytes.len() - HEAD - SUM;
                bytes[..4].copy_from_slice(&MAGIC);
                bytes[4..HEAD].copy_from_slice(&(body as u32).to_le_bytes());
                let sum = blake3::hash(&bytes[..HEAD + body]);
                bytes[HEAD + body..].copy_from_slice(sum.as_bytes());
                decode(&bytes);
            }
        }
    }
}
