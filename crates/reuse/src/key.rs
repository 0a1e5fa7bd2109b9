//! Static keys: what a node is, independent of the plan, the run and the machine.

use std::collections::HashMap;
use std::fmt;

use onceflow_study::{Canonical, Scope};

use crate::{NodeId, NodeInput, Plan};

/// A BLAKE3 digest.
pub type Digest32 = [u8; 32];

/// A node's static key: equal keys are equal work.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Key(pub Digest32);

/// The keys of a plan's nodes for one part, each computed once.
pub struct Keys<'p> {
    plan: &'p Plan,
    source: &'p dyn Fn(usize, Scope) -> Digest32,
    known: HashMap<NodeId, Key>,
}

/// The first field of every key; it changes whenever anything else about their form does.
const FORM: &[u8] = b"onceflow static key 1";

impl Plan {
    /// The static key of a node: a digest of operation, version, canonical parameters and the keys of its inputs.
    ///
    /// `source` gives the digest of the contents that a task of that scope sees of a source: a task of scope image
    /// sees the whole image, one of scope part only its part. A task that never repeats has its row in its key; see
    /// [`Plan::lasts`].
    pub fn key(&self, node: NodeId, source: &dyn Fn(usize, Scope) -> Digest32) -> Key {
        self.keys(source).key(node)
    }

    /// The keys of many nodes for the same part.
    pub fn keys<'p>(&'p self, source: &'p dyn Fn(usize, Scope) -> Digest32) -> Keys<'p> {
        Keys { plan: self, source, known: HashMap::new() }
    }
}

impl Keys<'_> {
    /// The static key of a node.
    pub fn key(&mut self, node: NodeId) -> Key {
        if let Some(key) = self.known.get(&node) {
            return *key;
        }
        for ancestor in self.plan.ancestors(node) {
            if !self.known.contains_key(&ancestor) {
                let key = self.digest(ancestor);
                self.known.insert(ancestor, key);
            }
        }
        self.known[&node]
    }

    /// The key of a node whose inputs have theirs.
    fn digest(&self, id: NodeId) -> Key {
        let node = self.plan.spelled(id);
        let spec = &self.plan.flow().tasks[node.task].spec;
        let mut fields = Fields::new(FORM);
        fields.bytes(spec.id.as_bytes());
        fields.number(spec.version);
        fields.number(node.parameters.len() as u64);
        for parameter in &node.parameters {
            fields.canonical(parameter);
        }
        fields.number(node.inputs.len() as u64);
        for input in &node.inputs {
            self.input(&mut fields, node.task, input);
        }
        if !self.plan.flow().repeats(node.task) {
            fields.number(u64::from(node.row));
        }
        fields.key()
    }

    fn input(&self, fields: &mut Fields, task: usize, input: &NodeInput) {
        match input {
            NodeInput::Source(source) => {
                fields.bytes(b"source");
                fields.bytes(&(self.source)(*source, self.plan.flow().scope(task)));
            }
            NodeInput::Node { node, output } => {
                fields.bytes(b"made");
                fields.bytes(&self.known[node].0);
                fields.number(*output as u64);
            }
            NodeInput::Empty { kind } => {
                fields.bytes(b"empty");
                fields.bytes(kind.word().as_bytes());
            }
        }
    }
}

/// Fields one after another, each with its length before it, so that no two lists of fields have the same bytes.
struct Fields(blake3::Hasher);

impl Fields {
    fn new(form: &[u8]) -> Self {
        let mut fields = Self(blake3::Hasher::new());
        fields.bytes(form);
        fields
    }

    fn bytes(&mut self, bytes: &[u8]) {
        self.0.update(&(bytes.len() as u64).to_le_bytes());
        self.0.update(bytes);
    }

    fn number(&mut self, number: u64) {
        self.bytes(&number.to_le_bytes());
    }

    fn canonical(&mut self, value: &Canonical) {
        match value {
            Canonical::Real(bits) => self.tagged(b"real", &bits.to_le_bytes()),
            Canonical::Integer(i) => self.tagged(b"integer", &i.to_le_bytes()),
            Canonical::Connectivity8(eight) => self.tagged(b"connectivity", if *eight { b"8" } else { b"4" }),
            Canonical::Text(text) => self.tagged(b"text", text.as_bytes()),
        }
    }

    fn tagged(&mut self, tag: &[u8], bytes: &[u8]) {
        self.bytes(tag);
        self.bytes(bytes);
    }

    fn key(self) -> Key {
        Key(*self.0.finalize().as_bytes())
    }
}

/// In hexadecimal digits.
impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Key({self})")
    }
}
