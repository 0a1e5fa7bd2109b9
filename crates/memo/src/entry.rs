//! What is kept of a command or a block: what identified it, how it ended, and its parts. As bytes it says nothing of times or
//! machines, so that the same work gives the same bytes.

/// What every entry begins with; the number changes when the form does.
const MAGIC: [u8; 4] = *b"OFM1";

/// A value of an attribute up to this length is kept as it is, for explanations; a longer one by its digest.
const LONGEST_VALUE: usize = 256;

/// What is kept of a command or a block.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MemoEntry {
    /// The command line, or the name of the block.
    pub title: String,
    /// What identified it.
    pub attributes: Vec<MemoAttribute>,
    /// The exit code; 0 for a block.
    pub exit: i32,
    /// What it gave.
    pub parts: Vec<MemoPart>,
}

/// Something that identified a result.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct MemoAttribute {
    /// What it is.
    pub kind: MemoAttributeKind,
    /// Its name.
    pub name: String,
    /// Its value, or the first digits of a digest.
    pub value: String,
}

/// Kinds of attributes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum MemoAttributeKind {
    /// An argument of the command line.
    Argument,
    /// The program, by its content.
    Program,
    /// A file that is read, by its content.
    Read,
    /// A value that was given.
    Value,
    /// The values of a variable in all passes until now.
    History,
    /// The name of a file that is written.
    Write,
}

/// Something that a command or a block gave.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemoPart {
    /// What it is.
    pub role: MemoRole,
    /// Its name.
    pub name: String,
    /// The mode of a file.
    pub mode: u32,
    /// Its length.
    pub bytes: u64,
    /// The digest of its content.
    pub digest: [u8; 32],
    /// Its content; none when it is kept in pieces of its own.
    pub content: Option<Vec<u8>>,
}

/// What a part is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemoRole {
    /// What was written to standard output.
    Output,
    /// What was written to standard error.
    Error,
    /// A file.
    File,
    /// A value of a program.
    Product,
}

impl MemoAttributeKind {
    const ALL: [Self; 6] =
        [Self::Argument, Self::Program, Self::Read, Self::Value, Self::History, Self::Write];

    /// The word for people.
    pub fn word(self) -> &'static str {
        match self {
            Self::Argument => "argument",
            Self::Program => "program",
            Self::Read => "read",
            Self::Value => "value",
            Self::History => "history",
            Self::Write => "write",
        }
    }
}

impl MemoRole {
    const ALL: [Self; 4] = [Self::Output, Self::Error, Self::File, Self::Product];
}

impl MemoAttribute {
    /// An attribute with a value as people read it: a short text as it is, other bytes by a digest.
    pub fn new(kind: MemoAttributeKind, name: impl Into<String>, value: &[u8]) -> Self {
        let plain = std::str::from_utf8(value)
            .ok()
            .filter(|text| text.len() <= LONGEST_VALUE && text.chars().all(|letter| !letter.is_control()));
        let value = plain.map_or_else(|| digits(blake3::hash(value).as_bytes()), str::to_owned);
        Self { kind, name: name.into(), value }
    }

    /// An attribute that is known by a digest.
    pub fn of_digest(kind: MemoAttributeKind, name: impl Into<String>, digest: &[u8; 32]) -> Self {
        Self { kind, name: name.into(), value: digits(digest) }
    }
}

impl MemoPart {
    /// A part with its content.
    pub fn new(role: MemoRole, name: impl Into<String>, content: Vec<u8>) -> Self {
        let digest = *blake3::hash(&content).as_bytes();
        let bytes = content.len() as u64;
        Self { role, name: name.into(), mode: 0, bytes, digest, content: Some(content) }
    }
}

fn digits(digest: &[u8; 32]) -> String {
    digest.iter().take(8).map(|byte| format!("{byte:02x}")).collect()
}

impl MemoEntry {
    /// The entry as bytes.
    pub fn encode(&self) -> Vec<u8> {
        self.encode_without(|_| false)
    }

    /// The entry as bytes, without the contents of parts that are kept elsewhere.
    pub(crate) fn encode_without(&self, is_elsewhere: impl Fn(&MemoPart) -> bool) -> Vec<u8> {
        let contents = self.parts.iter().map(|part| part.content.as_deref().filter(|_| !is_elsewhere(part)));
        let inline: usize = contents.clone().map(|content| content.map_or(0, <[u8]>::len)).sum();
        let mut bytes = Vec::with_capacity(inline + 1024);
        bytes.extend(MAGIC);
        put(&mut bytes, self.title.as_bytes());
        bytes.extend(self.exit.to_le_bytes());
        bytes.extend((self.attributes.len() as u32).to_le_bytes());
        for attribute in &self.attributes {
            bytes.push(attribute.kind as u8);
            put(&mut bytes, attribute.name.as_bytes());
            put(&mut bytes, attribute.value.as_bytes());
        }
        bytes.extend((self.parts.len() as u32).to_le_bytes());
        for (part, content) in self.parts.iter().zip(contents) {
            bytes.push(part.role as u8);
            put(&mut bytes, part.name.as_bytes());
            bytes.extend(part.mode.to_le_bytes());
            bytes.extend(part.bytes.to_le_bytes());
            bytes.extend(part.digest);
            bytes.push(u8::from(content.is_some()));
            bytes.extend(content.unwrap_or_default());
        }
        bytes
    }

    /// The entry that these bytes are; none when they are something else.
    pub fn decode(bytes: &[u8]) -> Option<Self> {
        let mut rest = RestBytes(bytes.strip_prefix(&MAGIC)?);
        let title = rest.text()?;
        let exit = i32::from_le_bytes(rest.array()?);
        let attributes = rest.list(RestBytes::attribute)?;
        let parts = rest.list(RestBytes::part)?;
        rest.0.is_empty().then_some(Self { title, attributes, exit, parts })
    }
}

fn put(bytes: &mut Vec<u8>, field: &[u8]) {
    bytes.extend((field.len() as u32).to_le_bytes());
    bytes.extend(field);
}

/// Bytes that are left to be read.
struct RestBytes<'a>(&'a [u8]);

impl<'a> RestBytes<'a> {
    fn take(&mut self, length: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(taken)
    }

    fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        self.take(N)?.try_into().ok()
    }

    fn text(&mut self) -> Option<String> {
        let length = u32::from_le_bytes(self.array()?);
        String::from_utf8(self.take(length as usize)?.to_vec()).ok()
    }

    /// Nothing is reserved for a length that was made up.
    fn list<T>(&mut self, read: fn(&mut Self) -> Option<T>) -> Option<Vec<T>> {
        let length = u32::from_le_bytes(self.array()?);
        (0..length).map(|_| read(self)).collect()
    }

    fn attribute(&mut self) -> Option<MemoAttribute> {
        let [kind] = self.array()?;
        let kind = *MemoAttributeKind::ALL.get(usize::from(kind))?;
        Some(MemoAttribute { kind, name: self.text()?, value: self.text()? })
    }

    fn part(&mut self) -> Option<MemoPart> {
        let [role] = self.array()?;
        let role = *MemoRole::ALL.get(usize::from(role))?;
        let (name, mode) = (self.text()?, u32::from_le_bytes(self.array()?));
        let (bytes, digest) = (u64::from_le_bytes(self.array()?), self.array()?);
        let content = match self.array()? {
            [0] => None,
            [1] => Some(self.take(usize::try_from(bytes).ok()?)?.to_vec()),
            _ => return None,
        };
        Some(MemoPart { role, name, mode, bytes, digest, content })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn entry(title: &str, exit: i32, contents: Vec<Option<Vec<u8>>>) -> MemoEntry {
        let part = |content: Option<Vec<u8>>| {
            let part = MemoPart::new(MemoRole::File, "out", content.clone().unwrap_or_default());
            MemoPart { content, ..part }
        };
        let attributes = vec![
            MemoAttribute::new(MemoAttributeKind::Value, "sigma", b"1.5"),
            MemoAttribute::new(MemoAttributeKind::Value, "noise", &[0; 300]),
        ];
        MemoEntry {
            title: title.to_owned(),
            attributes,
            exit,
            parts: contents.into_iter().map(part).collect(),
        }
    }

    proptest! {
        #[test]
        fn an_entry_comes_back(
            title in ".{0,20}", exit: i32,
            contents in prop::collection::vec(prop::option::of(prop::collection::vec(any::<u8>(), 0..20)), 0..4),
        ) {
            let mut made = entry(&title, exit, contents);
            // What is kept elsewhere has a length all the same.
            made.parts.iter_mut().filter(|part| part.content.is_none()).for_each(|part| part.bytes = 1 << 40);
            let bytes = made.encode();
            prop_assert_eq!(MemoEntry::decode(&bytes), Some(made));
            prop_assert!((0..bytes.len()).all(|end| MemoEntry::decode(&bytes[..end]).is_none()));
        }

        #[test]
        fn no_bytes_are_too_strange(bytes in prop::collection::vec(any::<u8>(), 0..200), at in 0_usize..80) {
            let _ = MemoEntry::decode(&bytes);
            let mut damaged = entry("x", 0, vec![Some(vec![1])]).encode();
            let place = at % damaged.len();
            damaged.splice(place..place, bytes);
            let _ = MemoEntry::decode(&damaged);
        }
    }
}
