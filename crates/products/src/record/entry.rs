//! What a key stands for: the digest of the result, who computed it, when, what it took, and which region it is.

use super::{Fields, LONGEST_TEXT, Maker, Place, ProductKey, ProductRegion, SUM, put_text, region, sum};

/// What every entry begins with; the number changes when the form does.
pub(crate) const MAGIC: [u8; 4] = *b"OFK3";

/// What entries of the second form begin with: they say nothing of a region.
const WITHOUT_REGION: [u8; 4] = *b"OFK2";

/// Bytes before the body: the magic and the length of the body.
pub(crate) const HEAD: usize = 8;

/// No entry is longer than this.
pub(crate) const LONGEST: usize = HEAD + 32 + 32 + 8 + 8 + 3 * (2 + LONGEST_TEXT) + region::LONGEST + SUM;

/// What a key stands for.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Entry {
    /// The key.
    pub(crate) key: ProductKey,
    /// The digest of the result.
    pub(crate) digest: [u8; 32],
    /// Milliseconds since 1970 at which it was made.
    pub(crate) created: u64,
    /// Seconds that it took to compute.
    pub(crate) seconds: f64,
    /// Who made it.
    pub(crate) maker: Maker,
    /// Which region it is.
    pub(crate) region: Option<ProductRegion>,
}

impl Entry {
    /// Adds the entry as bytes of a place.
    pub(crate) fn encode(&self, place: Place<'_>, bytes: &mut Vec<u8>) {
        let start = bytes.len();
        bytes.extend(MAGIC);
        bytes.extend([0; 4]);
        bytes.extend(self.key.0);
        bytes.extend(self.digest);
        bytes.extend(self.created.to_le_bytes());
        bytes.extend(self.seconds.to_bits().to_le_bytes());
        for text in [&self.maker.run, &self.maker.user, &self.maker.program] {
            put_text(bytes, text);
        }
        region::encode(self.region.as_ref(), bytes);
        let body = bytes.len() - start - HEAD;
        bytes[start + 4..start + HEAD].copy_from_slice(&(body as u32).to_le_bytes());
        let sum = sum(place, &bytes[start..]);
        bytes.extend(sum);
    }

    /// The entry that these bytes are at a place; none when they were cut or changed.
    pub(crate) fn decode(place: Place<'_>, bytes: &[u8]) -> Option<Self> {
        if length(bytes)? != bytes.len() {
            return None;
        }
        let (content, found) = bytes.split_at(bytes.len() - SUM);
        if sum(place, content) != found {
            return None;
        }
        let has_region = content.starts_with(&MAGIC);
        let mut fields = Fields(&content[HEAD..]);
        let entry = Self {
            key: ProductKey(fields.array()?),
            digest: fields.array()?,
            created: u64::from_le_bytes(fields.array()?),
            seconds: f64::from_bits(u64::from_le_bytes(fields.array()?)),
            maker: fields.maker()?,
            region: if has_region { region::decode(&mut fields)? } else { None },
        };
        fields.0.is_empty().then_some(entry)
    }
}

/// The bytes of the whole entry that these bytes begin; none where no entry begins.
pub(crate) fn length(head: &[u8]) -> Option<usize> {
    let body = head.strip_prefix(&MAGIC).or_else(|| head.strip_prefix(&WITHOUT_REGION))?;
    let body = u32::from_le_bytes(body.first_chunk().copied()?) as usize;
    let length = HEAD.checked_add(body)?.checked_add(SUM)?;
    (length <= LONGEST).then_some(length)
}

#[cfg(test)]
pub(crate) mod tests {
    use onceflow_region::{Bounds, RegionId, RegionKind, Span};
    use proptest::prelude::*;

    use super::*;

    const HERE: Place<'_> = Place { pack: "here", offset: 7 };

    pub(crate) fn entry(key: u8, payload: &[u8]) -> Entry {
        let maker = Maker { run: "runs/first".into(), user: "ada@lab".into(), program: "1".into() };
        let digest = crate::record::digest(payload);
        let region = (key == 1).then(mask);
        Entry { key: ProductKey([key; 32]), digest, created: 5, seconds: 0.25, maker, region }
    }

    pub(crate) fn mask() -> ProductRegion {
        let id = RegionId::new("tile", "nuclei", RegionKind::Dense).with_version(3).with_timestamp(-7);
        let span = |start, length| Span::new(start, length).unwrap();
        let bounds = Bounds::new(span(-5, 40), span(i64::MIN, 3), span(9, 1), span(2, 8));
        ProductRegion { id, bounds }
    }

    fn encoded(entry: &Entry) -> Vec<u8> {
        let mut bytes = Vec::new();
        entry.encode(HERE, &mut bytes);
        bytes
    }

    #[test]
    fn a_changed_bit_or_a_cut_is_found() {
        let bytes = encoded(&entry(1, b"dice"));
        assert_eq!(Entry::decode(HERE, &bytes), Some(entry(1, b"dice")));
        for at in 0..bytes.len() {
            for bit in 0..8 {
                let mut changed = bytes.clone();
                changed[at] ^= 1 << bit;
                assert_eq!(Entry::decode(HERE, &changed), None, "bit {bit} of byte {at}");
            }
            assert_eq!(Entry::decode(HERE, &bytes[..at]), None);
        }
        assert_eq!(Entry::decode(Place { offset: 8, ..HERE }, &bytes), None, "another place");
    }

    #[test]
    fn an_entry_of_the_second_form_has_no_region() {
        let mut bytes = encoded(&Entry { region: None, ..entry(1, b"dice") });
        bytes.truncate(bytes.len() - SUM - 1);
        bytes[..4].copy_from_slice(&WITHOUT_REGION);
        let body = (bytes.len() - HEAD) as u32;
        bytes[4..HEAD].copy_from_slice(&body.to_le_bytes());
        bytes.extend(sum(HERE, &bytes));
        assert_eq!(Entry::decode(HERE, &bytes), Some(Entry { region: None, ..entry(1, b"dice") }));
    }

    #[test]
    fn no_entry_is_longer_than_it_may_be() {
        let mut long = entry(1, b"");
        let text = "ü".repeat(LONGEST_TEXT);
        long.maker = Maker { run: text.clone(), user: text.clone(), program: text.clone() };
        long.region = Some(ProductRegion { id: RegionId::new(&text, &text, RegionKind::Polygons), ..mask() });
        assert!(encoded(&long).len() <= LONGEST);
        assert!(Entry::decode(HERE, &encoded(&long)).is_some());
    }

    proptest! {
        #[test]
        fn an_entry_comes_back(run in ".{0,20}", seconds: u64, created: u64, image in ".{0,9}", x: i32, width: u32) {
            let mut made = entry(9, b"x");
            (made.maker.run, made.seconds, made.created) = (run, f64::from_bits(seconds), created);
            let bounds = Bounds::plane(x.into(), 0, width.into(), 7).unwrap();
            made.region = Some(ProductRegion { id: RegionId::new(image, "nuclei", RegionKind::Dense), bounds });
            let found = Entry::decode(HERE, &encoded(&made)).unwrap();
            prop_assert_eq!(found.seconds.to_bits(), seconds);
            prop_assert_eq!(Entry { seconds: 0.0, ..found }, Entry { seconds: 0.0, ..made });
        }

        #[test]
        fn no_bytes_are_too_strange(mut bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            Entry::decode(HERE, &bytes);
            if bytes.len() > HEAD + SUM {
                // A checksum that is right does not make an entry of them.
                let body = bytes.len() - HEAD - SUM;
                let magic = if body % 2 == 0 { MAGIC } else { WITHOUT_REGION };
                bytes[..4].copy_from_slice(&magic);
                bytes[4..HEAD].copy_from_slice(&(body as u32).to_le_bytes());
                let right = sum(HERE, &bytes[..HEAD + body]);
                bytes[HEAD + body..].copy_from_slice(&right);
                Entry::decode(HERE, &bytes);
            }
        }
    }
}
