//! Loops unrolled: a copy of their blocks and variables for each pass.

use std::collections::{HashMap, HashSet};

use super::graph::GraphBuilder;
use super::{AttributeError, AttributeGraph, DescribedVariable, FlowDescription, GraphVariable, SOURCE};

/// No graph with more blocks and edges is made.
const MOST: usize = 4_000_000;

/// Loops are compared two by two.
const MOST_LOOPS: usize = 1000;

/// The passes at which a copy of a block runs, one for each loop it is in, the outermost first.
type Passes = Vec<usize>;

/// The loops around each block, the outermost first.
struct LoopNesting<'a> {
    described: &'a FlowDescription,
    around: HashMap<&'a str, Vec<usize>>,
}

impl FlowDescription {
    /// The graph without loops: `b.2` is the block `b` in the second pass.
    ///
    /// # Errors
    /// When loops overlap, a name is unknown, or the result would be very large or has cycles.
    pub fn unroll(&self) -> Result<AttributeGraph, AttributeError> {
        let nesting = LoopNesting::new(self)?;
        let mut graph = GraphBuilder::default();
        let mut size = 0_usize;
        for variable in &self.variables {
            size = size.saturating_add(nesting.copies(variable));
            if size > MOST {
                return Err(AttributeError::TooLarge { most: MOST });
            }
            nesting.add(variable, &mut graph)?;
        }
        let last = |name: &String| copy(name, &nesting.last_passes(name, &[]));
        graph.finish(&self.target.iter().map(last).collect::<Vec<_>>())
    }
}

impl<'a> LoopNesting<'a> {
    fn new(described: &'a FlowDescription) -> Result<Self, AttributeError> {
        check_loops(described)?;
        let mut order: Vec<usize> = (0..described.loops.len()).collect();
        order.sort_by_key(|place| std::cmp::Reverse(described.loops[*place].blocks.len()));
        let mut around: HashMap<&str, Vec<usize>> = HashMap::new();
        for place in order {
            for block in described.loops[place].blocks.iter().collect::<HashSet<_>>() {
                around.entry(block).or_default().push(place);
            }
        }
        Ok(Self { described, around })
    }

    fn loops(&self, block: &str) -> &[usize] {
        self.around.get(block).map_or(&[], Vec::as_slice)
    }

    /// How many passes of a loop are unrolled.
    fn passes(&self, place: usize) -> usize {
        self.described.loops[place].until
    }

    /// How many edges the copies of a variable have at most.
    fn copies(&self, variable: &DescribedVariable) -> usize {
        let of = |block: &String| {
            self.loops(block)
                .iter()
                .fold(1_usize, |product, place| product.saturating_mul(self.passes(*place)))
        };
        let readers = variable.to.iter().fold(0_usize, |sum, to| sum.saturating_add(of(to)));
        readers.saturating_add(of(&variable.from))
    }

    /// The passes of a block inside given ones of the outer loops: all further loops are at their last pass.
    fn last_passes(&self, block: &str, outer: &[usize]) -> Passes {
        let inner = self.loops(block).iter().skip(outer.len()).map(|place| self.passes(*place));
        outer.iter().copied().chain(inner).collect()
    }

    /// All copies of a block.
    fn all_passes(&self, block: &str) -> Vec<Passes> {
        self.loops(block).iter().fold(vec![Vec::new()], |all, place| {
            let more = |passes: &Passes| {
                let passes = passes.clone();
                (1..=self.passes(*place)).map(move |pass| passes.iter().copied().chain([pass]).collect())
            };
            all.iter().flat_map(more).collect()
        })
    }

    fn add(&self, variable: &DescribedVariable, graph: &mut GraphBuilder) -> Result<(), AttributeError> {
        let carried = self.carried(variable)?;
        let sized = self.sized(variable, carried)?;
        let mut places: HashMap<(String, Passes), usize> = HashMap::new();
        let mut copies: Vec<(String, Passes, Vec<String>)> = Vec::new();
        for reader in &variable.to {
            for passes in self.all_passes(reader) {
                let (from, of) = self.made(variable, carried, reader, &passes);
                let place = *places.entry((from.clone(), of.clone())).or_insert(copies.len());
                if place == copies.len() {
                    copies.push((from, of, Vec::new()));
                }
                copies[place].2.push(copy(reader, &passes));
            }
        }
        if variable.to.is_empty() {
            for of in self.all_passes(&variable.from) {
                graph.block(&copy(&variable.from, &of));
            }
        }
        for (from, of, mut to) in copies {
            let mut seen = HashSet::new();
            to.retain(|to| seen.insert(to.clone()));
            let bytes = size(variable, sized, &of);
            let to = to.iter().map(|to| graph.block(to)).collect::<Option<Vec<_>>>();
            let to = to.ok_or_else(|| AttributeError::IntoSource { variable: variable.name.clone() })?;
            let (name, origin) = (copy(&variable.name, &of), variable.name.clone());
            let from = graph.block(&from);
            graph.add(GraphVariable { name, origin, bytes, from, to, barrier: variable.barrier });
        }
        Ok(())
    }

    /// How many of the maker's loops there are down to the one around which a variable is carried; none when it is not.
    fn carried(&self, variable: &DescribedVariable) -> Result<Option<usize>, AttributeError> {
        if variable.first.is_none() {
            return Ok(None);
        }
        let loops = self.loops(&variable.from);
        let named = |place: &usize| match &variable.around {
            Some(name) => self.described.loops[*place].name == *name,
            None => true,
        };
        let Some(depth) = loops.iter().rposition(named) else {
            return Err(AttributeError::NoLoop { variable: variable.name.clone() });
        };
        let around = loops[depth];
        match variable.to.iter().find(|to| !self.loops(to).contains(&around)) {
            None => Ok(Some(depth + 1)),
            Some(outside) => Err(AttributeError::NotInLoop {
                variable: variable.name.clone(),
                name: self.described.loops[around].name.clone(),
                block: outside.clone(),
            }),
        }
    }

    /// Which of its passes gives the size of a variable; none when it has one size.
    fn sized(
        &self,
        variable: &DescribedVariable,
        carried: Option<usize>,
    ) -> Result<Option<usize>, AttributeError> {
        let loops = self.loops(&variable.from);
        let depth = carried.unwrap_or(loops.len());
        let expected = depth.checked_sub(1).map_or(1, |depth| self.described.loops[loops[depth]].passes);
        match variable.bytes.len() {
            1 => Ok(None),
            found if found == expected => Ok(depth.checked_sub(1)),
            found => Err(AttributeError::Sizes { variable: variable.name.clone(), expected, found }),
        }
    }

    /// The copy of the maker whose value a copy of a reader gets, and the passes that name the value.
    fn made(
        &self,
        variable: &DescribedVariable,
        carried: Option<usize>,
        reader: &str,
        passes: &[usize],
    ) -> (String, Passes) {
        let both = self.loops(&variable.from).iter().zip(self.loops(reader));
        let shared = both.take_while(|(one, other)| one == other).count();
        let Some(depth) = carried else {
            let of = self.last_passes(&variable.from, &passes[..shared]);
            return (copy(&variable.from, &of), of);
        };
        let of = passes[..depth].to_vec();
        let mut before = of.clone();
        before[depth - 1] -= 1;
        if before[depth - 1] > 0 {
            return (copy(&variable.from, &self.last_passes(&variable.from, &before)), of);
        }
        let first = variable.first.as_deref().unwrap_or(SOURCE);
        let both = self.loops(first).iter().zip(self.loops(reader)).take(depth - 1);
        let shared = both.take_while(|(one, other)| one == other).count();
        (copy(first, &self.last_passes(first, &of[..shared])), of)
    }
}

fn size(variable: &DescribedVariable, sized: Option<usize>, of: &[usize]) -> u64 {
    let pass = sized.and_then(|depth| of.get(depth)).map_or(0, |pass| pass - 1);
    variable.bytes.get(pass).copied().unwrap_or_default()
}

/// The name of a copy; the source has no copies.
fn copy(name: &str, passes: &[usize]) -> String {
    passes.iter().fold(name.to_owned(), |name, pass| format!("{name}.{pass}"))
}

fn check_loops(described: &FlowDescription) -> Result<(), AttributeError> {
    let variables = described.variables.iter();
    let named: HashSet<&str> =
        variables.flat_map(|v| v.to.iter().chain(&v.first).chain([&v.from])).map(String::as_str).collect();
    if described.loops.len() > MOST_LOOPS {
        return Err(AttributeError::TooManyLoops { most: MOST_LOOPS, found: described.loops.len() });
    }
    let sets: Vec<HashSet<&String>> = described.loops.iter().map(|l| l.blocks.iter().collect()).collect();
    for (place, found) in described.loops.iter().enumerate() {
        if found.passes == 0 {
            return Err(AttributeError::NoPass { name: found.name.clone() });
        }
        if let Some(block) = found.blocks.iter().find(|block| !named.contains(block.as_str())) {
            let (name, block) = (found.name.clone(), block.clone());
            return Err(AttributeError::UnknownBlock { name, block });
        }
        let overlaps = |other: &usize| {
            let (one, other) = (&sets[place], &sets[*other]);
            !one.is_disjoint(other) && (one == other || !(one.is_subset(other) || other.is_subset(one)))
        };
        if let Some(other) = (0..place).find(overlaps) {
            let (one, other) = (described.loops[other].name.clone(), found.name.clone());
            return Err(AttributeError::Overlap { one, other });
        }
    }
    Ok(())
}
