//! Random points, and methods that begin after others.

use super::AskPoints;
use super::grid::GridPoint;
use super::history::TuneBoard;
use super::start::Start;
use crate::random::RandomStream;

/// Independent random points.
#[derive(Debug)]
pub(super) struct RandomPoints;

impl AskPoints for RandomPoints {
    fn ask(&mut self, board: &TuneBoard, stream: &mut RandomStream) -> Option<GridPoint> {
        board.random(stream)
    }
}

/// A start, and a method that takes over when it is used up and something is known.
#[derive(Debug)]
pub(super) struct After<M> {
    start: Start,
    then: M,
}

impl<M> After<M> {
    pub(super) fn new(start: Start, then: M) -> Self {
        Self { start, then }
    }
}

impl<M: AskPoints> AskPoints for After<M> {
    fn told(&mut self, board: &TuneBoard, row: usize) {
        self.then.told(board, row);
    }

    fn ask(&mut self, board: &TuneBoard, stream: &mut RandomStream) -> Option<GridPoint> {
        self.start.ask(board, stream).or_else(|| self.then.ask(board, stream))
    }
}
