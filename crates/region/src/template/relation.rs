//! How regions and templates that cover the same space stand to each other: other scales, other times, what was made of
//! what.

use crate::{Bounds, RegionId, Span};

/// A reference to another region or template that covers the same space.
///
/// ```
/// use onceflow_region::{Bounds, RelatedTo, Relation, RelationKind};
///
/// let kind = RelationKind::Scale { downsample: 4.0 };
/// let smaller = Relation { kind, other: RelatedTo::Template("slide at scale 1".into()) };
/// let here = Bounds::plane(10, 20, 100, 50);
/// assert_eq!(here.and_then(|here| smaller.kind.seen_there(&here)), Bounds::plane(2, 5, 26, 13));
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Relation {
    /// How the other one stands to this one.
    pub kind: RelationKind,
    /// Which one.
    pub other: RelatedTo,
}

/// How another region or template stands to this one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum RelationKind {
    /// The other shows the same at another scale.
    Scale {
        /// How many pixels of this one a pixel of the other is wide; below 1 the other one is the finer.
        downsample: f64,
    },
    /// The other shows the same place at another time.
    TimeStep {
        /// How much later.
        steps: i64,
    },
    /// This one was made of the other.
    Derived,
}

/// What a relation leads to.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum RelatedTo {
    /// A region, in the same template or in another.
    Region(RegionId),
    /// A template, by its name.
    Template(String),
}

impl RelationKind {
    /// The same place in the other's coordinates: every pixel of it that touches the box. `None` when that is not a box we
    /// can hold.
    pub fn seen_there(&self, bounds: &Bounds) -> Option<Bounds> {
        match *self {
            RelationKind::Scale { downsample } => {
                let columns = scaled(bounds.columns(), downsample)?;
                Some(Bounds::new(columns, scaled(bounds.rows(), downsample)?, bounds.z(), bounds.time()))
            }
            RelationKind::TimeStep { steps } => {
                let time = bounds.time().translate(steps)?;
                Some(Bounds::new(bounds.columns(), bounds.rows(), bounds.z(), time))
            }
            RelationKind::Derived => Some(*bounds),
        }
    }

    /// The relation that leads back; `None` for [`RelationKind::Derived`], which has no inverse.
    pub fn back(&self) -> Option<RelationKind> {
        match *self {
            RelationKind::Scale { downsample } => Some(RelationKind::Scale { downsample: 1.0 / downsample }),
            RelationKind::TimeStep { steps } => Some(RelationKind::TimeStep { steps: steps.checked_neg()? }),
            RelationKind::Derived => None,
        }
    }
}

fn scaled(span: Span, downsample: f64) -> Option<Span> {
    if !(downsample.is_finite() && downsample > 0.0) {
        return None;
    }
    let (start, end) = ((span.start() as f64 / downsample).floor(), (span.end() as f64 / downsample).ceil());
    let range = -(2f64.powi(62))..2f64.powi(62);
    let fits = range.contains(&start) && range.contains(&end);
    let length = if span.is_empty() { 0 } else { (end as i64).abs_diff(start as i64) };
    if fits { Span::new(start as i64, length) } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scales_there_and_back_hold_the_box() {
        for (x, width, downsample) in [(0, 7, 2.0), (-9, 100, 3.7), (5, 1, 16.0), (12, 30, 0.25)] {
            let bounds = Bounds::plane(x, 2 * x, width, width).unwrap();
            let kind = RelationKind::Scale { downsample };
            let there = kind.seen_there(&bounds).unwrap();
            let back = kind.back().unwrap().seen_there(&there).unwrap();
            assert!(back.contains(&bounds), "{bounds} {there} {back}");
            assert!(there.width() as f64 <= width as f64 / downsample + 2.0);
        }
        for downsample in [0.0, -1.0, f64::NAN, 1e-300] {
            let bounds = Bounds::plane(1, 1, 5, 5).unwrap();
            assert_eq!(RelationKind::Scale { downsample }.seen_there(&bounds), None);
        }
    }

    #[test]
    fn time_moves_and_what_is_derived_stays() {
        let bounds = Bounds::plane(1, 2, 3, 4).unwrap();
        let later = RelationKind::TimeStep { steps: 5 };
        assert_eq!(later.seen_there(&bounds).unwrap().time().start(), 5);
        assert_eq!(later.back(), Some(RelationKind::TimeStep { steps: -5 }));
        assert_eq!(RelationKind::TimeStep { steps: i64::MIN }.back(), None);
        assert_eq!(RelationKind::Derived.seen_there(&bounds), Some(bounds));
    }
}
