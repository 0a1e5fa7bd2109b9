//! Which parts of an image are run: those with tissue, and so many of them as a study asks for.

use onceflow_imageio::Working;
use onceflow_region::{Bounds, Digest, Part, Source};
use onceflow_study::{BackgroundRule, Study};

use crate::EngineError;
use crate::image::tissue_costs::{LEAST_TISSUE, tissue_pixels, tissue_pixels_of};

/// Pixels along a part that are enough to see how much tissue it holds.
const ENOUGH: u64 = 64;

/// An image as far as it is looked at before anything is run.
pub(super) struct Look<'a> {
    pub(super) name: &'a str,
    /// Its working pixels.
    pub(super) source: &'a dyn Source,
    /// The file, which may have coarser scales.
    pub(super) file: &'a dyn Source,
    pub(super) working: Working,
}

/// The parts that are run, and how many hold no tissue.
pub(super) fn choose(
    study: &Study,
    look: &Look<'_>,
    parts: Vec<Part>,
) -> Result<(Vec<Part>, usize), EngineError> {
    let (all, skip) = (parts.len(), study.parts.background == BackgroundRule::Skip);
    if all == 1 {
        return Ok((parts, 0));
    }
    let mut weighed = Vec::with_capacity(all);
    for part in parts {
        let area = part.core.area();
        let tissue = if skip { look.tissue(part.core)? } else { area };
        if tissue as f64 >= LEAST_TISSUE * area as f64 {
            weighed.push((part, tissue));
        }
    }
    let left_out = all - weighed.len();
    let wanted = study.parts.per_image.and_then(|n| usize::try_from(n).ok()).unwrap_or(usize::MAX);
    Ok((spread(weighed, wanted, study.seed, look.name), left_out))
}

impl Look<'_> {
    /// About how many pixels of a box are tissue: of a large one, as a coarse scale shows it.
    fn tissue(&self, bounds: Bounds) -> Result<u64, EngineError> {
        let whole = |side: u64| side as f64 * self.working.ratio();
        let most = whole(bounds.width().min(bounds.height())) / ENOUGH as f64;
        let scales = self.file.info().scales.iter().enumerate();
        let coarse = scales.filter(|(_, scale)| scale.downsample <= most);
        let coarsest = coarse.max_by(|a, b| a.1.downsample.total_cmp(&b.1.downsample));
        match coarsest.filter(|(_, scale)| scale.downsample > self.working.ratio()) {
            Some((scale, _)) => self.tissue_at(scale, bounds),
            None => tissue_pixels(self.source, bounds),
        }
    }

    fn tissue_at(&self, scale: usize, bounds: Bounds) -> Result<u64, EngineError> {
        let info = self.file.info();
        let factor = self.working.ratio() / info.scales[scale].downsample;
        let at = |edge: i64| (edge as f64 * factor) as i64;
        let length = |from: i64, to: i64| at(to).abs_diff(at(from)).max(1);
        let coarse = Bounds::plane(
            at(bounds.x()),
            at(bounds.y()),
            length(bounds.x(), bounds.right()),
            length(bounds.y(), bounds.bottom()),
        );
        let seen = coarse.and_then(|coarse| coarse.intersect(&info.scale_bounds(scale)?));
        let Some(seen) = seen else { return tissue_pixels(self.source, bounds) };
        let tissue = tissue_pixels_of(self.file, scale, seen)?;
        let all = u128::from(tissue) * u128::from(bounds.area()) / u128::from(seen.area().max(1));
        Ok(u64::try_from(all).unwrap_or(u64::MAX))
    }
}

/// So many parts, one from each of as many neighbourhoods with equal tissue; what has more of it is the likelier drawn. The
/// image's own name is in the draw, so other images change nothing.
fn spread(mut parts: Vec<(Part, u64)>, wanted: usize, seed: u64, name: &str) -> Vec<Part> {
    if wanted >= parts.len() {
        return parts.into_iter().map(|(part, _)| part).collect();
    }
    let mut chosen = Vec::with_capacity(wanted);
    neighbourhoods(&mut parts, wanted, &mut |parts| {
        let text = format!("{seed}\n{}\n{name}", chosen.len());
        let digest = Digest::of_text("onceflow parts of an image v1", &text);
        let number = digest.0.iter().take(8).fold(0, |sum, byte| sum << 8 | u64::from(*byte));
        chosen.extend(drawn(parts, number));
    });
    chosen.sort_by_key(|part| part.index);
    chosen
}

/// The part in which a number falls when parts are as long as they have tissue.
fn drawn(parts: &[(Part, u64)], number: u64) -> Option<Part> {
    let all: u64 = parts.iter().map(|(_, tissue)| tissue).sum();
    let mut rest = number % all.max(1);
    for (part, tissue) in parts {
        if rest < *tissue {
            return Some(*part);
        }
        rest -= tissue;
    }
    parts.last().map(|(part, _)| *part)
}

/// Does something with the parts of a neighbourhood.
type Visit<'a> = dyn FnMut(&[(Part, u64)]) + 'a;

/// Cuts parts into `count` neighbourhoods of about equal tissue: across the longer side, in two and in two again.
fn neighbourhoods(parts: &mut [(Part, u64)], count: usize, visit: &mut Visit<'_>) {
    if count <= 1 {
        return visit(parts);
    }
    let extent = |at: fn(&Part) -> i64| {
        let places = || parts.iter().map(|(part, _)| at(part));
        places().max().unwrap_or(0).abs_diff(places().min().unwrap_or(0))
    };
    let wide = extent(|part| part.core.x()) >= extent(|part| part.core.y());
    parts.sort_by_key(|(part, _)| {
        let (x, y) = (part.core.x(), part.core.y());
        if wide { (x, y) } else { (y, x) }
    });
    let first = count / 2;
    let (here, there) = parts.split_at_mut(cut(parts, first, count));
    neighbourhoods(here, first, visit);
    neighbourhoods(there, count - first, visit);
}

/// Where the first `first` of `count` equal shares of the tissue end; each share keeps a part at least.
fn cut(parts: &[(Part, u64)], first: usize, count: usize) -> usize {
    let all: u128 = parts.iter().map(|(_, tissue)| u128::from(*tissue)).sum();
    let wanted = all * first as u128;
    let (mut sum, mut best) = (0, (u128::MAX, first));
    for (place, (_, tissue)) in parts.iter().enumerate() {
        sum += u128::from(*tissue);
        let cut = place + 1;
        let off = (sum * count as u128).abs_diff(wanted);
        if (first..=parts.len() - (count - first)).contains(&cut) && off < best.0 {
            best = (off, cut);
        }
    }
    best.1
}

#[cfg(test)]
mod tests {
    use onceflow_region::{Remainder, partition};
    use proptest::prelude::*;

    use super::*;

    /// Parts of a square with so much tissue in each.
    fn weighed(side: u64, tissue: impl Fn(&Part) -> u64) -> Vec<(Part, u64)> {
        let whole = Bounds::plane(0, 0, side * 10, side * 10).unwrap();
        let parts = partition(whole, 10, 0, Remainder::Keep).unwrap();
        parts.into_iter().map(|part| (part, tissue(&part))).collect()
    }

    fn indices(parts: &[Part]) -> Vec<usize> {
        parts.iter().map(|part| part.index).collect()
    }

    #[test]
    fn four_parts_of_a_square_lie_in_its_four_quarters() {
        for seed in 0..50 {
            let chosen = spread(weighed(6, |_| 100), 4, seed, "slide");
            let mut quarters: Vec<_> = chosen.iter().map(|p| (p.core.x() / 30, p.core.y() / 30)).collect();
            quarters.sort_unstable();
            assert_eq!(quarters, [(0, 0), (0, 1), (1, 0), (1, 1)], "seed {seed}");
        }
    }

    #[test]
    fn parts_are_drawn_as_often_as_they_have_tissue() {
        // One part in nine has four times the tissue of the others: 4 of 12 draws of one part should be it.
        let draws = 3000;
        let rich = |part: &Part| if part.index == 4 { 40 } else { 10 };
        let hits = (0..draws).filter(|seed| indices(&spread(weighed(3, rich), 1, *seed, "a")) == [4]).count();
        let expected = draws as f64 / 3.0;
        assert!((hits as f64 - expected).abs() < 4.0 * (expected * 2.0 / 3.0).sqrt(), "{hits} of {expected}");
    }

    #[test]
    fn seed_and_name_decide_and_nothing_else() {
        let choose = |seed, name| indices(&spread(weighed(9, |_| 5), 7, seed, name));
        assert_eq!(choose(1, "a"), choose(1, "a"));
        assert!((0..20).any(|seed| choose(seed, "a") != choose(seed, "b")));
        assert!((0..20).any(|seed| choose(seed, "a") != choose(seed + 1, "a")));
    }

    proptest! {
        #[test]
        fn so_many_as_wanted_and_none_twice(
            side in 1u64..8, wanted in 1usize..70, seed in any::<u64>(), tissue in prop::collection::vec(0u64..500, 64),
        ) {
            let parts = weighed(side, |part| tissue[part.index % 64]);
            let all = parts.len();
            let mut chosen = indices(&spread(parts, wanted, seed, "x"));
            prop_assert_eq!(chosen.len(), wanted.min(all));
            chosen.dedup();
            prop_assert_eq!(chosen.len(), wanted.min(all));
            prop_assert!(chosen.is_sorted());
        }
    }
}
