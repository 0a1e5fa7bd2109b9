//! Attributes, and the key they make. Each field stands with its length, so that no two lists of fields are the same bytes.

use onceflow_products::ProductKey;
use onceflow_region::Digester;

/// A key that is being made.
pub struct MemoKey {
    digester: Digester,
}

impl MemoKey {
    /// The key of one kind of thing; the kind holds a version, raised whenever the fields change their meaning.
    pub fn new(kind: &str) -> Self {
        Self { digester: Digester::new(kind) }
    }

    /// Adds bytes.
    pub fn field(&mut self, bytes: &[u8]) {
        self.digester.number(bytes.len() as u64);
        self.digester.bytes(bytes);
    }

    /// Adds how many fields follow.
    pub fn count(&mut self, count: usize) {
        self.digester.number(count as u64);
    }

    /// The key.
    pub fn finish(self) -> ProductKey {
        ProductKey(self.digester.finish().0)
    }
}

impl std::fmt::Debug for MemoKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("MemoKey")
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn key(fields: &[Vec<u8>]) -> ProductKey {
        let mut key = MemoKey::new("test");
        fields.iter().for_each(|field| key.field(field));
        key.finish()
    }

    proptest! {
        #[test]
        fn other_fields_are_another_key(
            one in prop::collection::vec(prop::collection::vec(0_u8..3, 0..3), 0..4),
            other in prop::collection::vec(prop::collection::vec(0_u8..3, 0..3), 0..4),
        ) {
            prop_assert_eq!(key(&one) == key(&other), one == other);
        }
    }
}
