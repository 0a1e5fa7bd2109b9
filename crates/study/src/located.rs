//! A tree with the position of each value, read from JSON or TOML: the input of all readers here.

mod fields;
mod json;
mod read;
mod toml;

pub use self::fields::TableReader;
pub use self::json::parse_json;
pub use self::read::{FromNode, Located, Mismatch};
pub use self::toml::parse_toml;

use crate::{SourceSpan, excerpt};

/// Deepest nesting that is read; keeps a hostile text from exhausting the stack.
const DEEPEST: usize = 64;

/// A value and its position.
#[derive(Clone, Debug, PartialEq)]
pub struct LocatedNode {
    /// Its bytes in the source.
    pub span: SourceSpan,
    /// The value.
    pub data: Data,
}

/// What a [`LocatedNode`] holds.
#[derive(Clone, Debug, PartialEq)]
pub enum Data {
    /// JSON's `null`.
    Null,
    /// True or false.
    Bool(bool),
    /// A whole number written as one.
    Integer(i64),
    /// Any other number; TOML can write infinities and NaN, JSON cannot.
    Real(f64),
    /// A text.
    Text(String),
    /// A list.
    List(Vec<LocatedNode>),
    /// Keys with their values.
    Table(LocatedTable),
}

/// Keys with their values, in the order of the source; no key stands twice.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LocatedTable {
    /// The entries.
    pub entries: Vec<TableEntry>,
}

/// One key with its value.
#[derive(Clone, Debug, PartialEq)]
pub struct TableEntry {
    /// The key, unescaped.
    pub key: String,
    /// Where the key stands, quotes included.
    pub key_span: SourceSpan,
    /// The value.
    pub value: LocatedNode,
}

impl LocatedTable {
    /// The value of a key.
    pub fn get(&self, key: &str) -> Option<&LocatedNode> {
        self.entries.iter().find(|e| e.key == key).map(|e| &e.value)
    }

    /// The keys, in their order.
    pub fn keys(&self) -> impl Iterator<Item = &str> {
        self.entries.iter().map(|e| e.key.as_str())
    }
}

impl LocatedNode {
    /// The table, if it is one.
    pub fn as_table(&self) -> Option<&LocatedTable> {
        match &self.data {
            Data::Table(table) => Some(table),
            _ => None,
        }
    }

    /// The list, if it is one.
    pub fn as_list(&self) -> Option<&[LocatedNode]> {
        match &self.data {
            Data::List(list) => Some(list),
            _ => None,
        }
    }

    /// The text, if it is one.
    pub fn as_text(&self) -> Option<&str> {
        match &self.data {
            Data::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The number, if it is one.
    pub fn as_number(&self) -> Option<f64> {
        match &self.data {
            Data::Integer(i) => Some(*i as f64),
            Data::Real(x) => Some(*x),
            _ => None,
        }
    }

    /// What it is, for the `found` of a message: `"abc"`, `7`, `[1, 2]`, `a list of 30`.
    pub fn describe(&self) -> String {
        match &self.data {
            Data::Null => "null".into(),
            Data::Bool(b) => b.to_string(),
            Data::Integer(i) => i.to_string(),
            Data::Real(x) => x.to_string(),
            Data::Text(text) => format!("\"{}\"", excerpt(text)),
            Data::List(list) => describe_list(list),
            Data::Table(_) => "a table".into(),
        }
    }
}

/// Short lists of plain values are shown.
fn describe_list(list: &[LocatedNode]) -> String {
    let plain = |node: &LocatedNode| !matches!(node.data, Data::List(_) | Data::Table(_));
    if list.len() > 6 || !list.iter().all(plain) {
        return format!("a list of {}", list.len());
    }
    format!("[{}]", list.iter().map(LocatedNode::describe).collect::<Vec<_>>().join(", "))
}
