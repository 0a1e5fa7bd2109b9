//! Coordinate search (Hooke and Jeeves 1961), coarse to fine: one parameter after the other, that of the last task first,
//! since what such rows share with the best one need not be computed again. At an optimum a few parameters are drawn anew
//! and one descent starts from there.

use super::AskPoints;
use super::grid::GridPoint;
use super::history::{TuneBoard, TuneState};
use crate::random::RandomStream;

/// The search.
#[derive(Debug)]
pub(super) struct Coordinates {
    centre: Option<GridPoint>,
    steps: Vec<u32>,
    /// The place in the order of the axes from which moves are tried.
    cursor: usize,
    /// Parameters of which some are drawn anew at an optimum, the most important first; all when it is empty.
    pub(super) ranking: Vec<usize>,
    /// The first steps, as a part of the values of a parameter.
    pub(super) coarseness: u32,
}

/// What is known of a point.
enum KnownPoint {
    Loss(f64),
    Pending,
    Free,
    /// A constraint excludes it.
    Excluded,
}

/// Parameters that are drawn anew at an optimum.
const KICKED: usize = 3;
/// Moves and optima that are passed through without a new row, before the search gives up for now.
const MOST_STEPS: usize = 400;

impl Coordinates {
    pub(super) fn new(ranking: Vec<usize>) -> Self {
        Self { centre: None, steps: Vec::new(), cursor: 0, ranking, coarseness: 3 }
    }

    fn begin(&mut self, board: &TuneBoard, centre: GridPoint, share: u32) {
        self.steps = board.grid.axes().iter().map(|axis| (axis.count() as u32 / share).max(1)).collect();
        self.centre = Some(centre);
        self.cursor = 0;
    }

    /// The moves from a centre: the axis and the point.
    fn moves<'a>(
        &'a self,
        board: &'a TuneBoard,
        centre: &'a GridPoint,
    ) -> impl Iterator<Item = (usize, GridPoint)> + 'a {
        let order = &board.grid.late_first;
        let places = (0..order.len()).map(move |place| (self.cursor + place) % order.len());
        places.flat_map(move |place| {
            let axis = order[place];
            let moved = self.values(board, axis, centre[axis]).into_iter().map(move |value| {
                let mut point = centre.clone();
                point[axis] = value;
                point
            });
            moved.map(move |point| (place, point))
        })
    }

    fn values(&self, board: &TuneBoard, axis: usize, place: u32) -> Vec<u32> {
        let (step, axis) = (self.steps[axis], &board.grid.axes()[axis]);
        if !axis.ordered {
            return (0..=axis.last()).filter(|other| *other != place).collect();
        }
        // A step past the end goes to the end.
        let [up, down] = [place.saturating_add(step).min(axis.last()), place.saturating_sub(step)];
        [up, down].into_iter().filter(|other| *other != place).collect()
    }

    /// Where all moves are known and none is better: finer steps, or another start.
    fn turn(&mut self, board: &TuneBoard, stream: &mut RandomStream) -> Option<()> {
        if self.steps.iter().any(|step| *step > 1) {
            self.steps.iter_mut().for_each(|step| *step = (*step / 2).max(1));
            self.cursor = 0;
            return Some(());
        }
        let (best, _) = board.history.best()?;
        let best = board.grid.nearest(&board.history.rows()[best].at);
        let kicked = self.kicked(board, &best, stream).or_else(|| board.random(stream))?;
        self.begin(board, kicked, 6);
        Some(())
    }

    /// The best point with a few parameters drawn anew, those that matter more often.
    fn kicked(&self, board: &TuneBoard, best: &GridPoint, stream: &mut RandomStream) -> Option<GridPoint> {
        const TRIES: usize = 50;
        let all: Vec<usize> = (0..best.len()).collect();
        let ranking = if self.ranking.is_empty() { &all } else { &self.ranking };
        let draw = |stream: &mut RandomStream| {
            let mut point = best.clone();
            for _ in 0..KICKED {
                let axis = ranking[stream.below(ranking.len() as u64) as usize];
                point[axis] = stream.below(board.grid.axes()[axis].count() as u64) as u32;
            }
            point
        };
        (0..TRIES).map(|_| draw(stream)).find(|point| board.is_free(point))
    }
}

fn known(board: &TuneBoard, point: &GridPoint) -> KnownPoint {
    match board.history.row_at(point).map(|row| &board.history.rows()[row].outcome) {
        None if board.grid.allows(point) => KnownPoint::Free,
        None => KnownPoint::Excluded,
        Some(TuneState::Pending) => KnownPoint::Pending,
        Some(TuneState::Losses(losses)) => KnownPoint::Loss(losses.first().copied().unwrap_or(f64::INFINITY)),
        Some(TuneState::Failed) => KnownPoint::Loss(f64::INFINITY),
    }
}

impl AskPoints for Coordinates {
    fn ask(&mut self, board: &TuneBoard, stream: &mut RandomStream) -> Option<GridPoint> {
        for _ in 0..MOST_STEPS {
            let Some(centre) = self.centre.clone() else {
                let (best, _) = board.history.best()?;
                let nearest = board.grid.nearest(&board.history.rows()[best].at);
                let centre = if board.grid.allows(&nearest) { nearest } else { board.random(stream)? };
                self.begin(board, centre, self.coarseness);
                continue;
            };
            let loss = match known(board, &centre) {
                KnownPoint::Free => return Some(centre),
                KnownPoint::Loss(loss) => loss,
                // Its neighbours are not worth much before it is known.
                KnownPoint::Pending => return None,
                KnownPoint::Excluded => f64::INFINITY,
            };
            let (mut waits, mut better, mut free) = (false, None, None);
            for (place, point) in self.moves(board, &centre) {
                match known(board, &point) {
                    KnownPoint::Loss(other) if other < loss => {
                        better = Some((place, point));
                        break;
                    }
                    KnownPoint::Free if free.is_none() => free = Some(point),
                    KnownPoint::Pending => waits = true,
                    _ => {}
                }
            }
            match (better, free) {
                (Some((place, point)), _) => (self.cursor, self.centre) = (place, Some(point)),
                (None, Some(point)) => return Some(point),
                (None, None) if waits => return None,
                (None, None) => self.turn(board, stream)?,
            }
        }
        None
    }
}
