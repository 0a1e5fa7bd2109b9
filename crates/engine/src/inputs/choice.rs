//! Which parts of an image are run: those with tissue, and so many of them as a study asks for.

use onceflow_region::{Bounds, Part, Source};
use onceflow_study::{Background, Study};

use crate::EngineError;
use crate::tissue_costs::tissue_pixels;

/// A part with less tissue than this holds nothing to study.
const LEAST_TISSUE: f64 = 0.01;

/// The parts that are run, and how many hold no tissue.
pub(super) fn choose(
    study: &Study,
    source: &dyn Source,
    parts: Vec<Part>,
) -> Result<(Vec<Part>, usize), EngineError> {
    let all = parts.len();
    let mut chosen = parts;
    if all > 1 && study.parts.background == Background::Skip {
        let mut tissue = Vec::new();
        for part in chosen {
            if has_tissue(source, part.core)? {
                tissue.push(part);
            }
        }
        chosen = tissue;
    }
    let left_out = all - chosen.len();
    if let Some(wanted) = study.parts.per_image {
        chosen = spread(chosen, wanted, study.seed);
    }
    Ok((chosen, left_out))
}

fn has_tissue(source: &dyn Source, bounds: Bounds) -> Result<bool, EngineError> {
    Ok(tissue_pixels(source, bounds)? as f64 >= LEAST_TISSUE * bounds.area() as f64)
}

/// So many parts at equal distances in their order, the first by the seed.
fn spread(parts: Vec<Part>, wanted: u64, seed: u64) -> Vec<Part> {
    let (all, wanted) = (parts.len(), usize::try_from(wanted).unwrap_or(usize::MAX));
    if wanted >= all {
        return parts;
    }
    let start = (seed % all as u64) as usize;
    let mut places: Vec<usize> = (0..wanted).map(|i| (start + i * all / wanted) % all).collect();
    places.sort_unstable();
    places.into_iter().map(|place| parts[place]).collect()
}

#[cfg(test)]
mod tests {
    use onceflow_region::{Remainder, partition};

    use super::*;

    #[test]
    fn parts_are_spread_by_the_seed_and_never_twice() {
        let whole = Bounds::plane(0, 0, 100, 10).unwrap();
        let parts = partition(whole, 10, 0, Remainder::Keep).unwrap();
        for seed in 0..20 {
            for wanted in 1..12 {
                let mut chosen: Vec<usize> =
                    spread(parts.clone(), wanted, seed).iter().map(|p| p.index).collect();
                assert_eq!(chosen.len(), (wanted as usize).min(10));
                chosen.dedup();
                assert_eq!(chosen.len(), (wanted as usize).min(10));
            }
        }
        let places = |seed| spread(parts.clone(), 3, seed).iter().map(|p| p.index).collect::<Vec<_>>();
        assert_eq!((places(0), places(1)), (vec![0, 3, 6], vec![1, 4, 7]));
    }
}
