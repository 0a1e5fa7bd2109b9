//! A genetic algorithm; with several objectives NSGA-II (Deb et al. 2002): twenty parents, simulated binary crossover,
//! polynomial mutation, rounded to the grid.

use super::AskPoints;
use super::grid::GridPoint;
use super::history::{TuneBoard, TuneState};
use super::ranking::{crowding, ranks};
use super::start::Start;
use crate::random::RandomStream;

/// The parents, and the rows that wait to be selected with them.
#[derive(Debug)]
pub(super) struct Genetic {
    start: Start,
    parents: Vec<Parent>,
    pool: Vec<usize>,
}

/// A row that was selected.
#[derive(Clone, Debug)]
struct Parent {
    row: usize,
    rank: usize,
    room: f64,
}

const POPULATION: usize = 20;
const CROSSOVER: f64 = 0.9;
const ETA: f64 = 3.0;

impl Genetic {
    pub(super) fn new(board: &TuneBoard) -> Self {
        Self { start: Start::new(board, POPULATION - 1), parents: Vec::new(), pool: Vec::new() }
    }

    /// The best of parents and children: by rank, then by room.
    fn select(&mut self, board: &TuneBoard) {
        let mut rows: Vec<usize> = self.parents.iter().map(|p| p.row).chain(self.pool.drain(..)).collect();
        rows.sort_unstable();
        let failed = vec![f64::INFINITY; board.objectives];
        let losses: Vec<&Vec<f64>> = rows
            .iter()
            .map(|row| match &board.history.rows()[*row].outcome {
                TuneState::Losses(losses) => losses,
                _ => &failed,
            })
            .collect();
        let ranks = ranks(&losses);
        let mut selected: Vec<Parent> = Vec::new();
        for rank in 0..=ranks.iter().copied().max().unwrap_or(0) {
            let front: Vec<usize> = (0..rows.len()).filter(|place| ranks[*place] == rank).collect();
            let room = crowding(&losses, &front);
            let mut front: Vec<Parent> = front
                .iter()
                .zip(room)
                .map(|(place, room)| Parent { row: rows[*place], rank, room })
                .collect();
            front.sort_by(|a, b| b.room.total_cmp(&a.room).then(a.row.cmp(&b.row)));
            selected.extend(front);
        }
        selected.truncate(POPULATION);
        self.parents = selected;
    }

    /// The better of two random parents.
    fn tournament(&self, stream: &mut RandomStream) -> &Parent {
        let mut draw = || &self.parents[stream.below(self.parents.len() as u64) as usize];
        let (a, b) = (draw(), draw());
        let better = (b.rank, -b.room) < (a.rank, -a.room);
        if better { b } else { a }
    }

    fn child(&self, board: &TuneBoard, stream: &mut RandomStream) -> GridPoint {
        let (mother, father) = (self.tournament(stream).row, self.tournament(stream).row);
        let at = |row: usize| board.grid.nearest(&board.history.rows()[row].at);
        let (mother, father) = (at(mother), at(father));
        let mut child = mother.clone();
        let crosses = stream.unit() < CROSSOVER;
        let mutates = (2.0 / child.len() as f64).min(1.0);
        for axis in 0..child.len() {
            if crosses && stream.unit() < 0.5 {
                child[axis] = crossed(board, axis, mother[axis], father[axis], stream);
            }
            if stream.unit() < mutates {
                child[axis] = mutated(board, axis, child[axis], stream);
            }
        }
        child
    }
}

/// Simulated binary crossover.
fn crossed(board: &TuneBoard, axis: usize, a: u32, b: u32, stream: &mut RandomStream) -> u32 {
    let axis = &board.grid.axes()[axis];
    let (unit, swap) = (stream.unit(), stream.bits() & 1 == 0);
    if !axis.ordered {
        return if swap { a } else { b };
    }
    let power = 1.0 / (ETA + 1.0);
    let spread =
        if unit <= 0.5 { libm::pow(2.0 * unit, power) } else { libm::pow(0.5 / (1.0 - unit), power) };
    let (a, b) = (f64::from(a), f64::from(b));
    let sign = if swap { 1.0 } else { -1.0 };
    axis.nearest(0.5 * ((a + b) + sign * spread * (b - a)))
}

/// Polynomial mutation.
fn mutated(board: &TuneBoard, axis: usize, place: u32, stream: &mut RandomStream) -> u32 {
    if !board.grid.axes()[axis].ordered {
        return board.step(axis, place, stream);
    }
    let unit = stream.unit();
    let power = 1.0 / (ETA + 1.0);
    let delta = if unit < 0.5 {
        libm::pow(2.0 * unit, power) - 1.0
    } else {
        1.0 - libm::pow(2.0 * (1.0 - unit), power)
    };
    let axis = &board.grid.axes()[axis];
    axis.nearest(f64::from(place) + delta * f64::from(axis.last()))
}

impl AskPoints for Genetic {
    fn told(&mut self, board: &TuneBoard, row: usize) {
        self.pool.push(row);
        if self.pool.len() >= POPULATION {
            self.select(board);
        }
    }

    fn ask(&mut self, board: &TuneBoard, stream: &mut RandomStream) -> Option<GridPoint> {
        const TRIES: usize = 30;
        if let Some(point) = self.start.ask(board, stream) {
            return Some(point);
        }
        if self.parents.is_empty() {
            if self.pool.is_empty() {
                return None;
            }
            self.select(board);
        }
        let child = (0..TRIES).map(|_| self.child(board, stream)).find(|point| board.is_free(point));
        child.or_else(|| {
            let parent = self.tournament(stream).row;
            board.near(&board.grid.nearest(&board.history.rows()[parent].at), stream)
        })
    }
}
