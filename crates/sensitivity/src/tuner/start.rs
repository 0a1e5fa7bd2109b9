//! The first rows: points of a scrambled Sobol' sequence, which fill the space evenly.

use super::AskPoints;
use super::grid::GridPoint;
use super::history::TuneBoard;
use crate::random::{RandomStream, StreamPurpose};
use crate::sampler::{Directions, MOST_DIMENSIONS};

/// Points of a sequence, one after the other.
#[derive(Debug)]
pub(super) struct Start {
    points: Vec<GridPoint>,
}

/// How many rows a start has: enough that models see every parameter move.
pub(super) fn rows(board: &TuneBoard) -> usize {
    (board.grid.axes().len() + 2).clamp(4, 10)
}

impl Start {
    /// So many points that the constraints allow.
    pub(super) fn new(board: &TuneBoard, rows: usize) -> Self {
        let mut points = sequence(board, rows);
        points.reverse();
        Self { points }
    }
}

/// Points of the sequence that the constraints allow; in more dimensions than it has, random ones.
fn sequence(board: &TuneBoard, rows: usize) -> Vec<GridPoint> {
    const ATTEMPTS: usize = 2000;
    let axes = board.grid.axes();
    let mut stream = RandomStream::new(board.seed, StreamPurpose::Tuning, 0, 2);
    let random = |stream: &mut RandomStream, count: usize| -> Vec<GridPoint> {
        (0..count).filter_map(|_| board.grid.any(stream)).collect()
    };
    let Some(directions) = Directions::new(axes.len()).ok().filter(|_| axes.len() <= MOST_DIMENSIONS) else {
        return random(&mut stream, rows);
    };
    let mut sequence = directions.sequence(Some(board.seed), 0);
    let mut units = vec![0.0; axes.len()];
    let mut points: Vec<GridPoint> = Vec::new();
    for _ in 0..ATTEMPTS {
        if points.len() == rows {
            return points;
        }
        sequence.next_into(&mut units);
        let place = |(axis, unit): (&super::grid::TuneAxis, &f64)| (unit * axis.count() as f64) as u32;
        let point: GridPoint = axes.iter().zip(&units).map(place).collect();
        if board.grid.allows(&point) && !points.contains(&point) {
            points.push(point);
        }
    }
    let missing = rows - points.len();
    points.extend(random(&mut stream, missing));
    points
}

impl AskPoints for Start {
    fn ask(&mut self, board: &TuneBoard, _stream: &mut RandomStream) -> Option<GridPoint> {
        while let Some(point) = self.points.pop() {
            if board.is_free(&point) {
                return Some(point);
            }
        }
        None
    }
}
