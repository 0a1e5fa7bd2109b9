//! What one operation costs on one device, as a function of size.

use std::borrow::Cow;

use onceflow_study::OpSpec;

use crate::curve::{CostCurve, CurvePlace, Knot};
use crate::line::CostPoint;
use crate::reused::Reused;
use crate::size::{FEW, SizeClass};

/// What one operation costs on one device. Half of all tasks of a size, or more, are expected between `low` and `high`.
///
/// Where tasks were measured, seconds go through the means of all sizes that have several records, straight from one
/// size to the next, and never fall as the size grows. Beyond those sizes they change like `fixed + each * pixels`, a
/// robust line (Theil and Sen) through all sizes in which neither part is negative. Bytes are bounds: 95 of 100
/// measured tasks needed no more.
#[derive(Clone, Debug)]
pub struct CostModel {
    declared: DeclaredCost,
    records: u64,
    seconds: Option<CostCurve>,
    output: Option<CostCurve>,
    scratch: Option<CostCurve>,
}

/// What a task is expected to cost. Half of all such tasks, or more, are expected between `low` and `high`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CostEstimate {
    /// The mean: so many tasks take so many times as long.
    pub seconds: f64,
    /// A quarter of them are cheaper.
    pub low: f64,
    /// A quarter of them are dearer.
    pub high: f64,
    /// Where it comes from.
    pub origin: EstimateOrigin,
}

/// Bytes that a task is expected to need at most.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ByteEstimate {
    /// So many suffice for nearly all tasks.
    pub bytes: u64,
    /// Where it comes from.
    pub origin: EstimateOrigin,
}

/// Where an estimate comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EstimateOrigin {
    /// Tasks of the same operation, version and device that were measured.
    Measured {
        /// How many, of any size.
        records: u64,
    },
    /// What the operation declares: it was measured on some other machine.
    Declared,
}

/// What an operation says of itself, per pixel.
#[derive(Clone, Copy, Debug)]
struct DeclaredCost {
    seconds: f64,
    output: u32,
    scratch: u32,
    /// Scratch whatever the number of pixels.
    fixed: u64,
}

/// Machines differ by about so much.
const DECLARED_SPREAD: f64 = 3.0;

impl CostModel {
    /// By what the operation declares, and by the sizes that were measured, from small to large: seconds at the first
    /// of some levels of reuse that has several records of a size, bytes at whatever level, since they are bounds.
    pub(crate) fn new<'c>(spec: &OpSpec, sizes: impl Iterator<Item = &'c Reused>, levels: &[&str]) -> Self {
        let (all, sizes): (Vec<_>, Vec<_>) =
            sizes.filter_map(|size| Some((size.all()?, size.nearest(levels)?))).unzip();
        let bound = |of: fn(&SizeClass) -> Option<Knot>| bounding(all.iter().filter_map(|size| of(size)));
        Self {
            declared: DeclaredCost {
                seconds: spec.cost_ns_per_pixel * 1e-9,
                output: spec.output_bytes_per_pixel,
                scratch: spec.scratch_bytes_per_pixel,
                fixed: spec.scratch_bytes,
            },
            records: sizes.iter().map(|size| size.count()).sum(),
            seconds: rising(&sizes),
            output: bound(SizeClass::output),
            scratch: bound(SizeClass::scratch),
        }
    }

    /// How long a task of that many pixels takes.
    pub fn seconds(&self, pixels: u64) -> CostEstimate {
        let pixels = pixels as f64;
        let (place, origin) = match &self.seconds {
            Some(curve) => (curve.at(pixels), self.measured()),
            None => (
                CurvePlace::around(self.declared.seconds * pixels, DECLARED_SPREAD),
                EstimateOrigin::Declared,
            ),
        };
        CostEstimate { seconds: place.middle, low: place.low, high: place.high, origin }
    }

    /// Bytes that its outputs take.
    pub fn output_bytes(&self, pixels: u64) -> ByteEstimate {
        self.bytes(self.output.as_ref(), self.declared.output, pixels)
    }

    /// Bytes that it needs besides while it runs. Records in which they are 0 were not measured for it.
    pub fn scratch_bytes(&self, pixels: u64) -> ByteEstimate {
        let ByteEstimate { bytes, origin } = self.bytes(self.scratch.as_ref(), self.declared.scratch, pixels);
        // What a program takes beside us is declared and never measured here.
        ByteEstimate { bytes: bytes.saturating_add(self.declared.fixed), origin }
    }

    fn bytes(&self, curve: Option<&CostCurve>, declared: u32, pixels: u64) -> ByteEstimate {
        match curve {
            Some(curve) => {
                ByteEstimate { bytes: up(curve.at(pixels as f64).middle), origin: self.measured() }
            }
            None => ByteEstimate {
                bytes: u64::from(declared).saturating_mul(pixels),
                origin: EstimateOrigin::Declared,
            },
        }
    }

    fn measured(&self) -> EstimateOrigin {
        EstimateOrigin::Measured { records: self.records }
    }
}

/// A few records of a size are not enough for a knot, but they count for the line.
fn rising(sizes: &[Cow<'_, SizeClass>]) -> Option<CostCurve> {
    let all: Vec<(Knot, u64)> = sizes.iter().map(|size| (size.seconds(), size.count())).collect();
    let knots = all.iter().filter(|(_, count)| *count >= FEW).map(|(knot, _)| *knot).collect();
    let points: Vec<CostPoint> = all.iter().map(|(knot, _)| knot.point).collect();
    (!points.is_empty()).then(|| CostCurve::rising(knots, &points))
}

fn bounding(knots: impl Iterator<Item = Knot>) -> Option<CostCurve> {
    let knots: Vec<Knot> = knots.collect();
    let points: Vec<CostPoint> = knots.iter().map(|knot| knot.point).collect();
    (!points.is_empty()).then(|| CostCurve::bounding(knots, &points))
}

/// The next whole number, unless it is one but for rounding.
fn up(bytes: f64) -> u64 {
    let nearest = bytes.round();
    let whole = (bytes - nearest).abs() <= nearest * 1e-15;
    (if whole { nearest } else { bytes.ceil() }) as u64
}
