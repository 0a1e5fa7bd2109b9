//! Values out of nodes, with the reason when a node holds something else.

use std::sync::Arc;

use super::{Data, LocatedNode, LocatedTable};
use crate::value::whole;
use crate::{Diagnostic, SourceSpan, SourceText, Value};

/// Why a node does not have the expected type or value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mismatch {
    /// The place: the node, or the entry in it that is wrong.
    pub span: SourceSpan,
    /// What was wanted.
    pub expected: String,
    /// What is there.
    pub found: String,
}

impl Mismatch {
    /// The node is not `expected`.
    pub fn new(node: &LocatedNode, expected: impl Into<String>) -> Self {
        Self { span: node.span, expected: expected.into(), found: node.describe() }
    }

    /// The error about the value called `what`.
    pub(crate) fn diagnostic(self, source: &Arc<SourceText>, what: &str) -> Diagnostic {
        let diagnostic = Diagnostic::error(format!("`{what}` cannot be read")).at(source, self.span, "");
        diagnostic.expected_found(self.expected, self.found)
    }
}

/// A value that a [`TableReader`](super::TableReader) can read.
pub trait FromNode<'a>: Sized {
    /// The value, or why the node does not hold one.
    fn from_node(node: &'a LocatedNode) -> Result<Self, Mismatch>;
}

/// A value and its position, for checks after reading.
#[derive(Clone, Debug, PartialEq)]
pub struct Located<T> {
    /// The value.
    pub value: T,
    /// Its bytes in the source.
    pub span: SourceSpan,
}

impl<'a, T: FromNode<'a>> FromNode<'a> for Located<T> {
    fn from_node(node: &'a LocatedNode) -> Result<Self, Mismatch> {
        T::from_node(node).map(|value| Self { value, span: node.span })
    }
}

impl<'a> FromNode<'a> for &'a LocatedNode {
    fn from_node(node: &'a LocatedNode) -> Result<Self, Mismatch> {
        Ok(node)
    }
}

impl<'a> FromNode<'a> for &'a LocatedTable {
    fn from_node(node: &'a LocatedNode) -> Result<Self, Mismatch> {
        node.as_table().ok_or_else(|| Mismatch::new(node, "a table"))
    }
}

impl<'a> FromNode<'a> for &'a [LocatedNode] {
    fn from_node(node: &'a LocatedNode) -> Result<Self, Mismatch> {
        node.as_list().ok_or_else(|| Mismatch::new(node, "a list"))
    }
}

impl<'a> FromNode<'a> for &'a str {
    fn from_node(node: &'a LocatedNode) -> Result<Self, Mismatch> {
        node.as_text().ok_or_else(|| Mismatch::new(node, "a text in quotes"))
    }
}

impl FromNode<'_> for String {
    fn from_node(node: &LocatedNode) -> Result<Self, Mismatch> {
        <&str>::from_node(node).map(str::to_owned)
    }
}

impl FromNode<'_> for bool {
    fn from_node(node: &LocatedNode) -> Result<Self, Mismatch> {
        match node.data {
            Data::Bool(b) => Ok(b),
            _ => Err(Mismatch::new(node, "true or false")),
        }
    }
}

/// A whole number, also one written with a point (`20.0`): JSON does not tell them apart.
impl FromNode<'_> for i64 {
    fn from_node(node: &LocatedNode) -> Result<Self, Mismatch> {
        match node.data {
            Data::Integer(i) => Ok(i),
            Data::Real(x) if x.fract() == 0.0 => {
                whole(x).ok_or_else(|| Mismatch::new(node, "a whole number below 2^63"))
            }
            _ => Err(Mismatch::new(node, "a whole number")),
        }
    }
}

impl FromNode<'_> for u64 {
    fn from_node(node: &LocatedNode) -> Result<Self, Mismatch> {
        let whole = i64::from_node(node).ok().and_then(|i| Self::try_from(i).ok());
        let too_large = node.as_number().is_some_and(|x| x > 9e15);
        let expected = if too_large { "a whole number below 2^63" } else { "a whole number, 0 or more" };
        whole.ok_or_else(|| Mismatch::new(node, expected))
    }
}

/// A finite number; readers that allow infinite ones use the node.
impl FromNode<'_> for f64 {
    fn from_node(node: &LocatedNode) -> Result<Self, Mismatch> {
        let number = node.as_number().ok_or_else(|| Mismatch::new(node, "a number"))?;
        if number.is_finite() { Ok(number) } else { Err(Mismatch::new(node, "a finite number")) }
    }
}

impl FromNode<'_> for Value {
    fn from_node(node: &LocatedNode) -> Result<Self, Mismatch> {
        match &node.data {
            Data::Integer(i) => Ok(Self::Integer(*i)),
            Data::Real(x) if x.is_finite() => Ok(Self::Real(*x)),
            Data::Text(text) => Ok(Self::Text(text.clone())),
            _ => Err(Mismatch::new(node, "a finite number or a word")),
        }
    }
}

impl<'a, T: FromNode<'a>> FromNode<'a> for Vec<T> {
    fn from_node(node: &'a LocatedNode) -> Result<Self, Mismatch> {
        <&[LocatedNode]>::from_node(node)?.iter().map(T::from_node).collect()
    }
}
