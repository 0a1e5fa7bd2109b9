//! Grey-level co-occurrence (Haralick, 1973): which grey levels are neighbours, in four directions.

use super::Logarithms;

/// Grey levels.
const LEVELS: usize = 8;
/// A level's place in the counts, so that pixels outside have one too.
const STRIDE: usize = 16;
/// The level of pixels outside.
pub(crate) const OUTSIDE: u8 = LEVELS as u8;

/// The level of a grey value: its upper three bits.
#[inline(always)]
pub(crate) fn level(grey: u8) -> u8 {
    grey >> 5
}

/// How often two levels are neighbours at 0°, 45°, 90° and 135°.
#[derive(Clone, Debug)]
pub(crate) struct Cooccurrence {
    counts: [[u32; LEVELS * STRIDE]; 4],
}

/// Haralick's measures of a texture.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Texture {
    pub(crate) contrast: f64,
    pub(crate) energy: f64,
    pub(crate) entropy: f64,
    pub(crate) homogeneity: f64,
    pub(crate) maximum_probability: f64,
    pub(crate) cluster_shade: f64,
    pub(crate) cluster_prominence: f64,
    pub(crate) correlation: f64,
}

impl Cooccurrence {
    pub(crate) fn new() -> Self {
        Self { counts: [[0; LEVELS * STRIDE]; 4] }
    }

    pub(crate) fn clear(&mut self) {
        self.counts = [[0; LEVELS * STRIDE]; 4];
    }

    /// Adds the pairs of each pixel with its neighbours at the right, above right, above and above left; `levels` are
    /// rows of `stride`, [`OUTSIDE`] where a pixel does not count, and `position` one that does.
    #[inline(always)]
    pub(crate) fn add(&mut self, levels: &[u8], position: usize, stride: usize) {
        let first = usize::from(levels[position] & 7) * STRIDE;
        let above = position - stride;
        for (counts, neighbour) in self.counts.iter_mut().zip([position + 1, above + 1, above, above - 1]) {
            counts[first + usize::from(levels[neighbour] & 15)] += 1;
        }
    }

    /// The texture in each direction, averaged over those that have pairs; `None` when there are none.
    pub(crate) fn texture(&self, logarithms: &Logarithms) -> Option<Texture> {
        let textures = self.counts.iter().filter_map(|counts| direction(counts, logarithms));
        let (sum, count) = textures.fold((Texture::default().values(), 0), |(sum, count), texture| {
            let values = texture.values();
            (std::array::from_fn(|i| sum[i] + values[i]), count + 1)
        });
        (count > 0).then(|| Texture::from_values(sum.map(|value| value / f64::from(count))))
    }
}

impl Texture {
    /// Names of the values.
    pub(crate) const NAMES: [&'static str; 8] = [
        "contrast",
        "energy",
        "entropy",
        "homogeneity",
        "maximum_probability",
        "cluster_shade",
        "cluster_prominence",
        "correlation",
    ];

    pub(crate) fn values(&self) -> [f64; 8] {
        [
            self.contrast,
            self.energy,
            self.entropy,
            self.homogeneity,
            self.maximum_probability,
            self.cluster_shade,
            self.cluster_prominence,
            self.correlation,
        ]
    }

    fn from_values(values: [f64; 8]) -> Self {
        let [contrast, energy, entropy, homogeneity, maximum_probability, cluster_shade, rest @ ..] = values;
        let [cluster_prominence, correlation] = rest;
        Self {
            contrast,
            energy,
            entropy,
            homogeneity,
            maximum_probability,
            cluster_shade,
            cluster_prominence,
            correlation,
        }
    }
}

/// The texture of one direction, each pair counted both ways; `None` when there are no pairs.
fn direction(counts: &[u32; LEVELS * STRIDE], logarithms: &Logarithms) -> Option<Texture> {
    let both = |i: usize, j: usize| counts[i * STRIDE + j] + counts[j * STRIDE + i];
    let cells =
        || (0..LEVELS).flat_map(|i| (0..LEVELS).map(move |j| (i, j))).map(|(i, j)| (i, j, both(i, j)));
    let pairs: u32 = cells().map(|(_, _, count)| count).sum();
    if pairs == 0 {
        return None;
    }
    let total = f64::from(pairs);
    // Integers as long as they can be: they make a texture of one level exact.
    let levels: u64 = cells().map(|(i, _, count)| i as u64 * u64::from(count)).sum();
    let mean = levels as f64 / total;
    let (mut texture, mut variance, mut common, mut surprise) = (Texture::default(), 0.0, 0.0, 0.0);
    for (i, j, count) in cells().filter(|(_, _, count)| *count > 0) {
        let share = f64::from(count) / total;
        let (a, b) = (i as f64 - mean, j as f64 - mean);
        let apart = (i as f64 - j as f64) * (i as f64 - j as f64);
        let cluster = a + b;
        texture.contrast += share * apart;
        texture.energy += share * share;
        texture.homogeneity += share / (1.0 + apart);
        texture.maximum_probability = texture.maximum_probability.max(share);
        texture.cluster_shade += share * (cluster * cluster * cluster);
        texture.cluster_prominence += share * (cluster * cluster * cluster * cluster);
        surprise += logarithms.times_itself(count);
        variance += share * a * a;
        common += share * a * b;
    }
    texture.entropy = logarithms.entropy(surprise, pairs);
    texture.correlation = if variance > 0.0 { common / variance } else { 1.0 };
    Some(texture)
}
