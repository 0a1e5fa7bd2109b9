//! The mix of methods that needs the fewest rows: a scrambled start, a Gaussian process while it is cheap and learns much,
//! then rows of coordinate search among those of the process.

use super::AskPoints;
use super::coordinates::Coordinates;
use super::gaussian::Gaussian;
use super::grid::GridPoint;
use super::history::TuneBoard;
use super::start::Start;
use crate::random::RandomStream;

/// The methods of the mix.
#[derive(Debug)]
pub(super) struct Mix {
    start: Start,
    gaussian: Gaussian,
    coordinates: Coordinates,
}

/// Points of the start.
const START: usize = 6;
/// Rows after which every fourth one is of coordinate search.
const MODELLED: usize = 200;
const EVERY: usize = 4;

/// Rows after which the process is asked no more: it becomes dearer with every row.
const MOST_MODELLED: usize = 500;

impl Mix {
    pub(super) fn new(board: &TuneBoard, ranking: Vec<usize>) -> Self {
        let start = Start::new(board, START.min(board.grid.axes().len() + 3));
        let mut coordinates = Coordinates::new(ranking);
        coordinates.coarseness = 12;
        Self { start, gaussian: Gaussian::default(), coordinates }
    }
}

impl AskPoints for Mix {
    fn ask(&mut self, board: &TuneBoard, stream: &mut RandomStream) -> Option<GridPoint> {
        if let Some(point) = self.start.ask(board, stream) {
            return Some(point);
        }
        let rows = board.history.rows().len();
        let searches = board.objectives == 1
            && (rows >= MOST_MODELLED || rows >= MODELLED && rows.is_multiple_of(EVERY));
        let found = if searches { self.coordinates.ask(board, stream) } else { None };
        found.or_else(|| if rows < MOST_MODELLED { self.gaussian.ask(board, stream) } else { None })
    }
}
