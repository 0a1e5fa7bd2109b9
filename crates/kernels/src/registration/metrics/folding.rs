//! Folding: where a transform turns the world inside out.

/// What the determinants of a transform's derivative say.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Folding {
    /// Voxels.
    pub voxels: u64,
    /// Those with a determinant of 0 or less.
    pub folded: u64,
    /// The least determinant.
    pub least: f64,
    /// The greatest one.
    pub greatest: f64,
    /// The least logarithm of the positive ones.
    pub log_least: f64,
    /// The greatest.
    pub log_greatest: f64,
    sum: f64,
    squares: f64,
}

impl Folding {
    /// From determinants, each of a voxel that counts.
    pub fn of(determinants: impl IntoIterator<Item = f64>) -> Folding {
        let mut found = Folding {
            least: f64::INFINITY,
            greatest: f64::NEG_INFINITY,
            log_least: f64::INFINITY,
            log_greatest: f64::NEG_INFINITY,
            ..Folding::default()
        };
        determinants.into_iter().for_each(|value| found.add(value));
        found
    }

    fn add(&mut self, value: f64) {
        self.voxels += 1;
        self.least = self.least.min(value);
        self.greatest = self.greatest.max(value);
        if value > 0.0 {
            let log = libm::log(value);
            self.log_least = self.log_least.min(log);
            self.log_greatest = self.log_greatest.max(log);
            self.sum += log;
            self.squares += log * log;
        } else {
            self.folded += 1;
        }
    }

    /// The share of voxels that are folded.
    pub fn share(&self) -> f64 {
        self.folded as f64 / self.voxels.max(1) as f64
    }

    /// The standard deviation of the logarithms of the positive determinants.
    pub fn log_deviation(&self) -> f64 {
        let count = (self.voxels - self.folded).max(1) as f64;
        let mean = self.sum / count;
        (self.squares / count - mean * mean).max(0.0).sqrt()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folds_are_counted() {
        let found = Folding::of([1.0, 0.0, -2.0, std::f64::consts::E]);
        assert_eq!((found.voxels, found.folded, found.share()), (4, 2, 0.5));
        assert_eq!((found.least, found.greatest), (-2.0, std::f64::consts::E));
        assert!((found.log_deviation() - 0.5).abs() < 1e-12 && found.log_least == 0.0);
        assert_eq!(Folding::of([]).share(), 0.0);
    }
}
