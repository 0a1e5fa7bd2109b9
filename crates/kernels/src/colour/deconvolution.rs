//! Colour deconvolution (Ruifrok and Johnston, 2001): what a pixel would look like if it held one stain alone.

/// Absorbance of red, green and blue by haematoxylin.
const HAEMATOXYLIN: [f64; 3] = [0.650, 0.704, 0.286];
/// Absorbance of red, green and blue by eosin.
const EOSIN: [f64; 3] = [0.072, 0.990, 0.105];

/// Parts colours into haematoxylin and eosin.
///
/// The absorbance of a channel is −log₁₀((v + 1) / 256). The two stains take the amounts whose mixture comes nearest to
/// the absorbance of the three channels (least squares, vectors of unit length). A stain's picture is the light that its
/// amount lets through, 256 · 10^(−amount) − 1, rounded to 8 bits: 255 where there is none of it.
///
/// The light is a product of powers of the channels, so that each channel brings its factor from a table.
#[derive(Clone, Debug)]
pub struct Deconvolution {
    factors: [[[f64; 2]; 256]; 3],
}

impl Default for Deconvolution {
    fn default() -> Self {
        Self::new()
    }
}

impl Deconvolution {
    /// Fills the tables.
    pub fn new() -> Self {
        let [haematoxylin, eosin] = weights();
        let mut factors = [[[0.0; 2]; 256]; 3];
        for (channel, table) in factors.iter_mut().enumerate() {
            for (value, entry) in table.iter_mut().enumerate() {
                let light = (value as f64 + 1.0) / 256.0;
                *entry = [haematoxylin, eosin].map(|weights| libm::pow(light, weights[channel]));
            }
        }
        Self { factors }
    }

    /// The pictures of haematoxylin and of eosin at a pixel.
    #[inline(always)]
    pub fn stains(&self, [red, green, blue]: [u8; 3]) -> [u8; 2] {
        let [reds, greens, blues] = &self.factors;
        let (red, green, blue) = (reds[red as usize], greens[green as usize], blues[blue as usize]);
        let picture = |stain: usize| {
            // One less and one half more; the conversion cuts off the fraction and saturates at 0 and 255.
            (red[stain] * green[stain] * blue[stain] * 256.0 - 0.5) as u8
        };
        [picture(0), picture(1)]
    }
}

/// What each channel's absorbance adds to the amount of each stain: the rows of the pseudo-inverse.
fn weights() -> [[f64; 3]; 2] {
    let (haematoxylin, eosin) = (unit(HAEMATOXYLIN), unit(EOSIN));
    let common = dot(haematoxylin, eosin);
    let apart = 1.0 - common * common;
    let weights = |own: [f64; 3], other: [f64; 3]| {
        std::array::from_fn(|channel| (own[channel] - common * other[channel]) / apart)
    };
    [weights(haematoxylin, eosin), weights(eosin, haematoxylin)]
}

fn unit(vector: [f64; 3]) -> [f64; 3] {
    let length = dot(vector, vector).sqrt();
    vector.map(|x| x / length)
}

fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The colour of some haematoxylin and some eosin on white.
    fn mixed(haematoxylin: f64, eosin: f64) -> [u8; 3] {
        let (h, e) = (unit(HAEMATOXYLIN), unit(EOSIN));
        std::array::from_fn(|channel| {
            let absorbance = haematoxylin * h[channel] + eosin * e[channel];
            (256.0 * libm::exp10(-absorbance) - 1.0).round() as u8
        })
    }

    #[test]
    fn stains_that_were_mixed_come_apart() {
        let deconvolution = Deconvolution::new();
        for (h, e) in [(0.0, 0.0), (0.5, 0.0), (0.0, 0.5), (0.3, 0.2), (0.7, 0.4)] {
            let expected = [h, e].map(|amount: f64| 256.0 * libm::exp10(-amount) - 1.0);
            let found = deconvolution.stains(mixed(h, e)).map(f64::from);
            let near = expected.iter().zip(&found).all(|(expected, found)| (expected - found).abs() < 3.0);
            assert!(near, "{h} {e}: {expected:?} {found:?}");
        }
    }

    #[test]
    fn white_holds_no_stain_and_black_is_within_bounds() {
        assert_eq!(Deconvolution::new().stains([255; 3]), [255, 255]);
        // Red alone cannot be mixed from the two: one of them is asked for less than nothing.
        assert_eq!(Deconvolution::new().stains([0, 255, 255])[1], 255);
    }
}
