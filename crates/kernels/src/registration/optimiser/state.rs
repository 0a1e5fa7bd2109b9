//! The state of a level as bytes.

use super::directions::PAIRS;
use super::search::{Cost, Ended, LevelState, Pair, TraceRow};
use super::vectors::dot;

/// Says what the bytes are; the digit is their version.
const HEAD: &[u8; 8] = b"ofstate1";

/// Why bytes are no state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StateError {
    /// Other bytes, or those of another version.
    #[error("expected the saved state of a registration level, found other bytes")]
    Other,
    /// Too short, too long, or numbers that cannot be.
    #[error("expected the saved state of a registration level, found one that is damaged")]
    Damaged,
}

impl LevelState {
    /// All of the state as bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = HEAD.to_vec();
        let ended = match self.ended {
            None => 0,
            Some(Ended::Converged) => 1,
            Some(Ended::Stalled) => 2,
            Some(Ended::Flat) => 3,
        };
        let counts = [self.coefficients.len(), self.pairs.len(), usize::from(self.direction.is_some())];
        let counts = counts.into_iter().chain([self.trace.len(), ended]);
        counts.for_each(|count| bytes.extend((count as u64).to_le_bytes()));
        let mut put = |values: &[f64]| values.iter().for_each(|value| bytes.extend(value.to_le_bytes()));
        put(&[self.reach]);
        put(&self.coefficients);
        put(&self.gradient);
        self.pairs.iter().for_each(|pair| {
            put(&pair.step);
            put(&pair.change);
        });
        self.direction.iter().for_each(|direction| put(direction));
        for TraceRow { iteration, cost, tries } in &self.trace {
            put(&[f64::from(*iteration), f64::from(*tries), cost.total, cost.similarity, cost.bending]);
            put(&[cost.counted as f64]);
        }
        bytes
    }

    /// The state of bytes that [`LevelState::to_bytes`] made.
    ///
    /// # Errors
    /// When the bytes are something else, or damaged.
    pub fn from_bytes(bytes: &[u8]) -> Result<LevelState, StateError> {
        let body = bytes.strip_prefix(HEAD).ok_or(StateError::Other)?;
        let (words, rest) = body.as_chunks::<8>();
        if !rest.is_empty() {
            return Err(StateError::Damaged);
        }
        read(words).ok_or(StateError::Damaged)
    }
}

fn read(words: &[[u8; 8]]) -> Option<LevelState> {
    let (counts, words) = words.split_at_checked(5)?;
    let [length, pairs, directions, rows, ended] = [0, 1, 2, 3, 4].map(|at| u64::from_le_bytes(counts[at]));
    let ended = match ended {
        0 => None,
        1 => Some(Ended::Converged),
        2 => Some(Ended::Stalled),
        3 => Some(Ended::Flat),
        _ => return None,
    };
    let vectors = pairs.checked_mul(2)?.checked_add(directions)?.checked_add(2)?;
    let expected = vectors.checked_mul(length)?.checked_add(rows.checked_mul(6)?)?.checked_add(1)?;
    let sound =
        length > 0 && length.is_multiple_of(3) && pairs <= PAIRS as u64 && directions <= 1 && rows > 0;
    if expected != words.len() as u64 || !sound {
        return None;
    }
    let mut numbers = words.iter().map(|word| f64::from_le_bytes(*word));
    let reach = numbers.next()?;
    let mut vector = || numbers.by_ref().take(length as usize).collect::<Vec<f64>>();
    let (coefficients, gradient) = (vector(), vector());
    let pairs = (0..pairs).map(|_| pair(vector(), vector())).collect();
    let direction = (directions == 1).then(&mut vector);
    let numbers: Vec<f64> = numbers.collect();
    let trace = numbers.as_chunks::<6>().0.iter().map(row).collect();
    Some(LevelState { coefficients, gradient, pairs, direction, reach, trace, ended })
}

fn pair(step: Vec<f64>, change: Vec<f64>) -> Pair {
    let product = dot(&step, &change);
    Pair { step, change, product }
}

fn row(&[iteration, tries, total, similarity, bending, counted]: &[f64; 6]) -> TraceRow {
    let cost = Cost { total, similarity, bending, counted: counted as u64 };
    TraceRow { iteration: iteration as u32, cost, tries: tries as u32 }
}
