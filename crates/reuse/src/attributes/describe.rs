//! A flow graph as people describe it: loops are written once, with their passes.

/// A program as a flow graph with loops.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FlowDescription {
    /// What it is called; may be empty.
    pub name: String,
    /// The variables.
    pub variables: Vec<DescribedVariable>,
    /// The loops.
    pub loops: Vec<DescribedLoop>,
    /// The blocks whose result is kept; blocks of a loop stand for those of its last pass.
    pub target: Vec<String>,
}

/// A variable, written once for all passes of its loops.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DescribedVariable {
    /// Its name.
    pub name: String,
    /// Its size; or one size for each pass of the loop around which it is carried, else of the innermost loop of its maker.
    pub bytes: Vec<u64>,
    /// The block that makes it, or `source`.
    pub from: String,
    /// The blocks that read it.
    pub to: Vec<String>,
    /// Whether a branch decides its value.
    pub barrier: bool,
    /// The block that makes the value that the first pass reads; then each pass reads what the one before it made.
    pub first: Option<String>,
    /// The loop around which it is carried, when that is not the innermost one of its maker.
    pub around: Option<String>,
}

/// A loop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DescribedLoop {
    /// Its name.
    pub name: String,
    /// The blocks in it, those of inner loops too.
    pub blocks: Vec<String>,
    /// How often it runs.
    pub passes: usize,
    /// How many of its passes are unrolled.
    pub until: usize,
}

impl FlowDescription {
    /// The outermost loop that holds a block of the target, by its place.
    pub fn loop_of_target(&self) -> Option<usize> {
        let holds = |found: &&DescribedLoop| self.target.iter().any(|name| found.blocks.contains(name));
        let widest = self.loops.iter().filter(holds).max_by_key(|found| found.blocks.len())?;
        self.loops.iter().position(|found| found == widest)
    }

    /// The same program stopped after so many passes of a loop.
    #[must_use]
    pub fn with_passes(&self, place: usize, passes: usize) -> Self {
        let mut shorter = self.clone();
        if let Some(found) = shorter.loops.get_mut(place) {
            found.until = passes.min(found.passes);
        }
        shorter
    }
}
