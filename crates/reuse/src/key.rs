//! Keys of results: what a node is, independent of the plan, the run and the machine.

use std::collections::HashMap;
use std::fmt;

use onceflow_study::{Canonical, OpSpec, Scope};

use crate::{NodeId, NodeInput, Plan};

/// A BLAKE3 digest.
pub type Digest32 = [u8; 32];

/// The key of a result: equal keys are equal results.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TaskKey(pub Digest32);

/// The static keys of a plan's nodes at one site, each computed once.
#[derive(Clone, Debug, Default)]
pub struct StaticKeys {
    /// None where a source that a node depends on has no digest.
    known: HashMap<NodeId, Option<TaskKey>>,
}

/// The first field of every static and of every content key; it changes whenever anything else about their form does.
const STATIC_FORM: &[u8] = b"onceflow static key 1";
const CONTENT_FORM: &[u8] = b"onceflow content key 1";

impl Plan {
    /// The static key of a node: a digest of operation, version, canonical parameters and the keys of its inputs.
    ///
    /// `source` gives the digest of the contents that a task of that scope sees of a source: a task of scope image
    /// sees the whole image, one of scope part only its part. A task that never repeats has its row in its key; see
    /// [`Plan::lasts`].
    pub fn key(&self, node: NodeId, source: &dyn Fn(usize, Scope) -> Digest32) -> TaskKey {
        let digest = |at, scope| Some(source(at, scope));
        let key = StaticKeys::default().key(self, node, &digest);
        key.unwrap_or(TaskKey(Digest32::default()))
    }
}

impl StaticKeys {
    /// The static key of a node, as [`Plan::key`] gives it; none when a source that it depends on has no digest.
    pub fn key(
        &mut self,
        plan: &Plan,
        node: NodeId,
        source: &dyn Fn(usize, Scope) -> Option<Digest32>,
    ) -> Option<TaskKey> {
        let mut open = vec![node];
        while let Some(id) = open.last().copied() {
            if self.known.contains_key(&id) {
                open.pop();
                continue;
            }
            let inputs = plan.inputs_of(id).filter_map(made_by);
            let before: Vec<NodeId> = inputs.filter(|input| !self.known.contains_key(input)).collect();
            if before.is_empty() {
                let key = self.digest(plan, id, source);
                self.known.insert(id, key);
            } else {
                open.extend(before);
            }
        }
        self.known.get(&node).copied().flatten()
    }

    /// The key of a node whose inputs have theirs.
    fn digest(
        &self,
        plan: &Plan,
        id: NodeId,
        source: &dyn Fn(usize, Scope) -> Option<Digest32>,
    ) -> Option<TaskKey> {
        let node = plan.spelled(id);
        let mut fields = KeyFields::new(STATIC_FORM);
        fields.call(&plan.flow().tasks[node.task].spec, &node.parameters);
        fields.number(node.inputs.len() as u64);
        let scope = plan.flow().scope(node.task);
        for input in &node.inputs {
            match input {
                NodeInput::Source(at) => fields.tagged(b"source", &source(*at, scope)?),
                NodeInput::Node { node, output } => {
                    fields.tagged(b"made", &self.known.get(node).copied().flatten()?.0);
                    fields.number(*output as u64);
                }
                NodeInput::Empty { kind } => fields.tagged(b"empty", kind.word().as_bytes()),
            }
        }
        if !plan.flow().repeats(node.task) {
            fields.number(u64::from(node.row));
        }
        Some(fields.key())
    }
}

/// What an input of a task holds, for content keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InputDigest {
    /// A source, by the digest of what the task sees of it.
    Source(Digest32),
    /// The output of another task, by the digest of its bytes.
    Made(Digest32),
}

/// The content key of a call: a digest of operation, version, canonical parameters and what its inputs hold.
pub fn content_key(spec: &OpSpec, parameters: &[Canonical], inputs: &[InputDigest]) -> TaskKey {
    let mut fields = KeyFields::new(CONTENT_FORM);
    fields.call(spec, parameters);
    fields.number(inputs.len() as u64);
    for input in inputs {
        match input {
            InputDigest::Source(digest) => fields.tagged(b"source", digest),
            InputDigest::Made(digest) => fields.tagged(b"made", digest),
        }
    }
    fields.key()
}

fn made_by(input: NodeInput) -> Option<NodeId> {
    match input {
        NodeInput::Node { node, .. } => Some(node),
        NodeInput::Source(_) | NodeInput::Empty { .. } => None,
    }
}

/// Fields one after another, each with its length before it, so that no two lists of fields have the same bytes.
struct KeyFields(blake3::Hasher);

impl KeyFields {
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

    /// The operation, and what it reads.
    fn call(&mut self, spec: &OpSpec, parameters: &[Canonical]) {
        self.bytes(spec.id.as_bytes());
        self.number(spec.version);
        self.number(parameters.len() as u64);
        parameters.iter().for_each(|parameter| self.canonical(parameter));
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

    fn key(self) -> TaskKey {
        TaskKey(*self.0.finalize().as_bytes())
    }
}

/// In hexadecimal digits.
impl fmt::Display for TaskKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for TaskKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "TaskKey({self})")
    }
}
