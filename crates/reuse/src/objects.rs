//! Reuse object by object, in numbers: objects asked for, objects known, and the seconds that this saved.

/// The objects of a task's inputs, over a phase.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ObjectCounts {
    /// Objects that were looked up.
    pub asked: u64,
    /// Those of them that were known.
    pub found: u64,
    /// Pixels of the objects that were looked up.
    pub pixels_asked: u64,
    /// Pixels of those that were known.
    pub pixels_found: u64,
    /// Calls of the task in which all objects were known, and nothing was left but to put them together.
    pub whole: u64,
    /// Seconds that work on the others took.
    pub seconds_spent: f64,
    /// Seconds that went into telling which are known.
    pub seconds_looking: f64,
}

impl ObjectCounts {
    /// Seconds that the known objects would have taken, if their pixels cost what those of the others did.
    pub fn seconds_saved(&self) -> f64 {
        let new = self.pixels_asked.saturating_sub(self.pixels_found);
        if new == 0 { 0.0 } else { self.seconds_spent / new as f64 * self.pixels_found as f64 }
    }

    /// Adds an object that was looked up.
    pub fn ask(&mut self, pixels: usize, found: bool) {
        self.asked += 1;
        self.pixels_asked += pixels as u64;
        if found {
            self.found += 1;
            self.pixels_found += pixels as u64;
        }
    }

    /// Adds what another call of the task counted.
    pub fn add(&mut self, other: &Self) {
        self.asked += other.asked;
        self.found += other.found;
        self.pixels_asked += other.pixels_asked;
        self.pixels_found += other.pixels_found;
        self.whole += other.whole;
        self.seconds_spent += other.seconds_spent;
        self.seconds_looking += other.seconds_looking;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_saved_follows_from_what_the_new_pixels_took() {
        let mut counts = ObjectCounts { seconds_spent: 2.0, ..ObjectCounts::default() };
        assert_eq!(counts.seconds_saved(), 0.0);
        counts.ask(100, false);
        counts.ask(150, true);
        assert_eq!((counts.asked, counts.found, counts.pixels_asked), (2, 1, 250));
        assert_eq!(counts.seconds_saved(), 3.0);
        let mut sum = counts;
        sum.add(&counts);
        assert_eq!(sum.seconds_saved(), 6.0);
    }
}
