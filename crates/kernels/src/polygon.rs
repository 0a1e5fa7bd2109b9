//! The outline of an object as polygons along the sides of its pixels.

use std::collections::HashMap;

use crate::View;

/// A corner of pixels: column and row, 0 at the image's corner.
pub type PixelCorner = [u32; 2];

/// One part of an object, connected by its pixels' sides, with its holes.
///
/// Rings are closed: the first corner is repeated at the end. The outer one has a positive area by the formula Σ xᵢyᵢ₊₁ −
/// xᵢ₊₁yᵢ (clockwise on a screen), holes a negative one. No ring touches itself; a hole may touch another ring in corners.
/// Parts that touch in a corner only are polygons of their own: a polygon that touches itself would not be valid.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Polygon {
    /// The outer boundary.
    pub outer: Vec<PixelCorner>,
    /// The boundaries of the holes.
    pub holes: Vec<Vec<PixelCorner>>,
}

/// The outline of the object with this label. `labels` shows its bounding box, whose corner in the image is `origin`. Parts
/// come in raster order of their first pixels.
pub fn outline(labels: View<'_, u32>, object: u32, origin: PixelCorner) -> Vec<Polygon> {
    let stride = labels.width() + 2;
    let mut mask = vec![0; stride * (labels.height() + 2)];
    for (row, framed) in labels.rows().zip(mask.chunks_exact_mut(stride).skip(1)) {
        framed[1..].iter_mut().zip(row).for_each(|(pixel, label)| *pixel = u8::from(*label == object));
    }
    polygons(&mask, stride, origin)
}

/// The polygons of a mask that has a frame of zeros, in raster order of their first pixels. Coordinates are those of
/// the box inside the frame, moved by `origin`.
pub(crate) fn polygons(mask: &[u8], stride: usize, origin: PixelCorner) -> Vec<Polygon> {
    let mut tracer = Tracer { mask, stride, owners: vec![UNOWNED; mask.len()], rings: Vec::new() };
    for position in 0..mask.len() {
        if mask[position] != 0 && mask[position - 1] == 0 && tracer.owners[position] == UNOWNED {
            tracer.trace(position);
        }
    }
    tracer.assemble(origin)
}

/// Marks a left side that belongs to no ring yet.
const UNOWNED: u32 = u32::MAX;

struct Tracer<'a> {
    mask: &'a [u8],
    stride: usize,
    /// The ring that each pixel's left side belongs to.
    owners: Vec<u32>,
    rings: Vec<BoundaryRing>,
}

/// A boundary, its corners in coordinates of the framed mask, the first one not repeated.
struct BoundaryRing {
    corners: Vec<PixelCorner>,
    hole: bool,
}

/// Directions in the order of turns to the right.
#[derive(Clone, Copy, PartialEq, Eq)]
enum TraceHeading {
    Up,
    Right,
    Down,
    Left,
}

impl TraceHeading {
    fn turned_right(self) -> Self {
        match self {
            Self::Up => Self::Right,
            Self::Right => Self::Down,
            Self::Down => Self::Left,
            Self::Left => Self::Up,
        }
    }

    fn turned_left(self) -> Self {
        self.turned_right().turned_right().turned_right()
    }
}

impl Tracer<'_> {
    /// Follows the boundary up the left side of a pixel, the object at the right hand, until it comes back.
    fn trace(&mut self, start: usize) {
        let mut path: Vec<(usize, bool)> = Vec::new();
        let (mut corner, mut heading) = (start, TraceHeading::Up);
        loop {
            // A corner is named by the pixel below and right of it.
            let (next, pinched) = self.turn(corner, heading);
            if next != heading {
                path.push((corner, pinched));
            }
            heading = next;
            corner = match heading {
                TraceHeading::Up => corner - self.stride,
                TraceHeading::Right => corner + 1,
                TraceHeading::Down => corner + self.stride,
                TraceHeading::Left => corner - 1,
            };
            if heading == TraceHeading::Up {
                self.owners[corner] = self.rings.len() as u32;
                if corner == start {
                    break;
                }
            }
        }
        self.keep(path);
    }

    /// The heading after a corner, and whether the object touches itself there. Pixels that touch only in a corner are not
    /// connected.
    fn turn(&self, corner: usize, heading: TraceHeading) -> (TraceHeading, bool) {
        let (above, left) = (corner - self.stride, corner - 1);
        let (ahead_left, ahead_right) = match heading {
            TraceHeading::Up => (above - 1, above),
            TraceHeading::Right => (above, corner),
            TraceHeading::Down => (corner, left),
            TraceHeading::Left => (left, above - 1),
        };
        match (self.mask[ahead_left] != 0, self.mask[ahead_right] != 0) {
            (other, false) => (heading.turned_right(), other),
            (true, true) => (heading.turned_left(), false),
            (false, true) => (heading, false),
        }
    }

    /// Cuts a closed path where it touches itself, and keeps the rings; the ring with the start comes first.
    fn keep(&mut self, path: Vec<(usize, bool)>) {
        let mut open: Vec<(usize, bool)> = Vec::with_capacity(path.len());
        let mut pinches: HashMap<usize, usize> = HashMap::new();
        let mut loops = Vec::new();
        for (corner, pinched) in path {
            if pinched && let Some(before) = pinches.remove(&corner) {
                let cut = open.split_off(before);
                cut.iter().filter(|(_, pinched)| *pinched).for_each(|(corner, _)| _ = pinches.remove(corner));
                loops.push(cut);
            }
            if pinched {
                pinches.insert(corner, open.len());
            }
            open.push((corner, pinched));
        }
        for path in std::iter::once(open).chain(loops) {
            let at = |corner: usize| [(corner % self.stride) as u32, (corner / self.stride) as u32];
            let corners: Vec<PixelCorner> = path.into_iter().map(|(corner, _)| at(corner)).collect();
            self.claim(&corners);
            self.rings.push(BoundaryRing { hole: doubled_area(&corners) < 0, corners });
        }
    }

    /// Marks the left sides along a ring as its own.
    fn claim(&mut self, corners: &[PixelCorner]) {
        let ring = self.rings.len() as u32;
        for (from, to) in sides(corners).filter(|(from, to)| from[0] == to[0] && from[1] > to[1]) {
            for y in to[1]..from[1] {
                self.owners[y as usize * self.stride + from[0] as usize] = ring;
            }
        }
    }

    fn assemble(&self, origin: PixelCorner) -> Vec<Polygon> {
        let moved = |ring: &BoundaryRing| {
            let closed = ring.corners.iter().chain(ring.corners.first());
            closed.map(|corner| [corner[0] - 1 + origin[0], corner[1] - 1 + origin[1]]).collect()
        };
        let mut polygons = Vec::new();
        let mut places = vec![None; self.rings.len()];
        for (ring, place) in self.rings.iter().zip(&mut places).filter(|(ring, _)| !ring.hole) {
            *place = Some(polygons.len());
            polygons.push(Polygon { outer: moved(ring), holes: Vec::new() });
        }
        for ring in self.rings.iter().filter(|ring| ring.hole) {
            if let Some(place) = self.around(ring).and_then(|outer| places[outer]) {
                polygons[place].holes.push(moved(ring));
            }
        }
        polygons
    }

    /// The outer ring around a hole. The pixels at the left of the hole's leftmost side reach to a side of the same part;
    /// if that is another hole's, it lies further to the left, so that the loop ends.
    fn around(&self, hole: &BoundaryRing) -> Option<usize> {
        let mut ring = hole;
        loop {
            let down = sides(&ring.corners).filter(|(from, to)| from[0] == to[0] && from[1] < to[1]);
            let (corner, _) = down.min_by_key(|(from, _)| *from)?;
            let mut position = corner[1] as usize * self.stride + corner[0] as usize - 1;
            while self.mask[position - 1] != 0 {
                position -= 1;
            }
            let owner = self.owners[position] as usize;
            ring = self.rings.get(owner)?;
            if !ring.hole {
                return Some(owner);
            }
        }
    }
}

/// The sides of a ring whose first corner is not repeated.
fn sides(corners: &[PixelCorner]) -> impl Iterator<Item = (PixelCorner, PixelCorner)> {
    corners.iter().zip(corners.iter().cycle().skip(1)).map(|(from, to)| (*from, *to))
}

fn doubled_area(corners: &[PixelCorner]) -> i64 {
    let cross = |(a, b): (PixelCorner, PixelCorner)| {
        i64::from(a[0]) * i64::from(b[1]) - i64::from(b[0]) * i64::from(a[1])
    };
    sides(corners).map(cross).sum()
}
