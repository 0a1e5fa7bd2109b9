//! Roles of rows in a table without roles, and the check of rows against their roles.

use std::collections::HashMap;

use onceflow_study::{Factor, Space};

use super::TableError;
use crate::{RowRole, Sample};

/// Which design the rows of a table without roles come from, in the order in which SALib writes them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TableLayout {
    /// None: every row stands for itself.
    #[default]
    Points,
    /// Blocks of A, AB of each factor, BA of each factor when `second_order`, B.
    Saltelli {
        /// Whether the rows BA are there.
        second_order: bool,
    },
    /// Blocks of a start and one step for each factor.
    Morris,
}

/// Gives the rows their roles and base numbers; `lines` are where they stand.
pub(super) fn deal(
    space: &Space,
    sample: &mut Sample,
    layout: TableLayout,
    lines: &[usize],
) -> Result<(), TableError> {
    let factors = space.factors().len();
    let block = match layout {
        TableLayout::Points => return Ok(()),
        TableLayout::Saltelli { second_order } => saltelli_block(factors, second_order),
        TableLayout::Morris => vec![RowRole::Start; factors + 1],
    };
    if sample.is_empty() || !sample.len().is_multiple_of(block.len()) {
        return Err(wrong_length(sample.len(), block.len(), factors, layout));
    }
    for (i, row) in sample.rows.iter_mut().enumerate() {
        row.base = (i / block.len()) as u64;
        row.role = block[i % block.len()];
    }
    match layout {
        TableLayout::Morris => deal_steps(space, sample, block.len(), lines),
        _ => Ok(()),
    }
}

fn saltelli_block(factors: usize, second_order: bool) -> Vec<RowRole> {
    let mut block = vec![RowRole::A];
    block.extend((0..factors).map(RowRole::Ab));
    if second_order {
        block.extend((0..factors).map(RowRole::Ba));
    }
    block.push(RowRole::B);
    block
}

fn wrong_length(rows: usize, block: usize, factors: usize, layout: TableLayout) -> TableError {
    let (words, hint) = match layout {
        TableLayout::Saltelli { second_order: false } => {
            ("k + 2", "leave second order on if the sample was made with it (SALib's default)")
        }
        TableLayout::Saltelli { second_order: true } => {
            ("2k + 2", "leave second order out if the sample was made without")
        }
        _ => ("k + 1", "give the table that the sampler wrote, with all its rows"),
    };
    let expected = format!("a multiple of {block} rows ({words} for {factors} factors)");
    TableError::new("the table has the wrong number of rows", expected, rows.to_string()).with_hint(hint)
}

/// Finds the factor that moved in each row of a block, from the row before it or from the block's first row.
fn deal_steps(space: &Space, sample: &mut Sample, block: usize, lines: &[usize]) -> Result<(), TableError> {
    let mut seen = vec![false; space.factors().len()];
    for (row, line) in lines.iter().enumerate() {
        let start = row - row % block;
        if row == start {
            seen.fill(false);
            continue;
        }
        let moved = [row - 1, start].into_iter().find_map(|before| moved_factor(space, sample, before, row));
        match moved.filter(|factor| !std::mem::replace(&mut seen[*factor], true)) {
            Some(factor) => sample.rows[row].role = RowRole::Step(factor),
            None => return Err(mixed_up_step(space, sample, row, *line)),
        }
    }
    Ok(())
}

/// The only factor in which two rows differ.
fn moved_factor(space: &Space, sample: &Sample, before: usize, after: usize) -> Option<usize> {
    let (x, z) = (sample.numbers(before), sample.numbers(after));
    let moved = |f: &Factor| f.members.iter().any(|m| x[*m] != z[*m]);
    let mut factors = space.factors().iter().enumerate().filter(|(_, f)| moved(f)).map(|(i, _)| i);
    match (factors.next(), factors.next()) {
        (Some(one), None) => Some(one),
        _ => None,
    }
}

fn mixed_up_step(space: &Space, sample: &Sample, row: usize, line: usize) -> TableError {
    let (x, z) = (sample.numbers(row - 1), sample.numbers(row));
    let moved: Vec<&str> = space
        .parameters()
        .iter()
        .zip(x.iter().zip(z))
        .filter(|(_, (x, z))| x != z)
        .map(|(p, _)| p.name.as_str())
        .collect();
    let found = match moved.as_slice() {
        [] => "no difference".to_owned(),
        [one] => format!("`{one}`, which moved before"),
        many => format!("{} parameters that differ: {}", many.len(), many[..many.len().min(5)].join(", ")),
    };
    let expected = "one factor that differs from the row before, each factor once";
    TableError::new("mixed-up design: this is not a step of a trajectory", expected, found)
        .at(line)
        .with_hint(SAME_TABLE)
}

const SAME_TABLE: &str = "give the table that the sampler wrote, unsorted and with all its rows";

/// Checks that rows AB and BA hold what their roles say, wherever their base rows are there.
pub(super) fn verify(space: &Space, sample: &Sample, lines: &[usize]) -> Result<(), TableError> {
    let mut bases: HashMap<(u64, u64), [Option<usize>; 2]> = HashMap::new();
    for (i, row) in sample.rows.iter().enumerate() {
        let side = match row.role {
            RowRole::A => 0,
            RowRole::B => 1,
            _ => continue,
        };
        bases.entry((row.replicate, row.base)).or_default()[side] = Some(i);
    }
    for (i, row) in sample.rows.iter().enumerate() {
        let Some([Some(a), Some(b)]) = bases.get(&(row.replicate, row.base)) else { continue };
        let (own, other, factor) = match row.role {
            RowRole::Ab(factor) => (*a, *b, factor),
            RowRole::Ba(factor) => (*b, *a, factor),
            _ => continue,
        };
        if let Some(parameter) = misfit(space, sample, (i, own, other), factor) {
            return Err(mixed_up(space, sample, (i, own, other), parameter, lines[i]));
        }
    }
    Ok(())
}

/// The first parameter of a row that is neither from its own base row nor, inside the factor, from the other one.
fn misfit(space: &Space, sample: &Sample, rows: (usize, usize, usize), factor: usize) -> Option<usize> {
    let (row, own, other) = (sample.numbers(rows.0), sample.numbers(rows.1), sample.numbers(rows.2));
    let members = &space.factors()[factor].members;
    let from = |p: usize| if members.contains(&p) { other[p] } else { own[p] };
    (0..sample.parameters).find(|p| row[*p] != from(*p))
}

fn mixed_up(
    space: &Space,
    sample: &Sample,
    (row, own, other): (usize, usize, usize),
    parameter: usize,
    line: usize,
) -> TableError {
    let [place, a, b] = [row, own, other].map(|r| sample.rows[r]);
    let name = &space.parameters()[parameter].name;
    let is = |r: usize| sample.value(space, r, parameter);
    let role = place.role.text(space);
    let message =
        format!("mixed-up design: row {} is not the {role} of rows {} and {}", place.id, a.id, b.id);
    let expected =
        format!("`{name}` as in row {} ({}) or, in the factor, row {} ({})", a.id, is(own), b.id, is(other));
    TableError::new(message, expected, is(row).to_string()).at(line).with_hint(SAME_TABLE)
}
