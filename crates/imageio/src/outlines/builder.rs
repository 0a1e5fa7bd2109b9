//! Outlines as they are found, within limits: what is too much is refused before it is kept.

use super::{FillRule, OutlineProblem, OutlineShape, Outlines};

/// Points of all outlines: a slide of a million nuclei has less.
const MOST_POINTS: usize = 1 << 25;
/// Points of one shape.
const MOST_OF_SHAPE: usize = 1 << 20;
/// Rows that all edges together run through: drawing them takes as long.
const MOST_ROWS: f64 = (1u64 << 32) as f64;
/// Pairs of a shape and a hole in it.
const MOST_HOLES: usize = 1 << 22;
/// How far from the corner of the image a point may lie.
const FURTHEST: f64 = (1u64 << 31) as f64;

/// A geometry that is being read: rings, and shapes made of them.
#[derive(Debug, Default)]
pub(super) struct OutlineGeometry {
    points: Vec<[f64; 2]>,
    /// Where in `points` each ring ends.
    rings: Vec<u32>,
    /// Where in `rings` each shape ends.
    shapes: Vec<u32>,
}

impl OutlineGeometry {
    pub(super) fn point(&mut self, x: f64, y: f64) -> Result<(), OutlineProblem> {
        let near = |at: f64| at.abs() <= FURTHEST;
        if !near(x) || !near(y) {
            let todo = "give the coordinates in pixels of the whole image";
            return Err(OutlineProblem::new("coordinates within 2^31 pixels", format!("{x}, {y}"), todo));
        }
        let start = self.shapes.last().map_or(0, |ring| self.ring_start(*ring as usize));
        if self.points.len() - start >= MOST_OF_SHAPE {
            let expected = format!("at most {MOST_OF_SHAPE} points in one outline");
            return Err(OutlineProblem::new(expected, "more", "simplify the outlines"));
        }
        self.points.push([x, y]);
        Ok(())
    }

    pub(super) fn end_ring(&mut self) {
        self.rings.push(self.points.len() as u32);
    }

    pub(super) fn end_shape(&mut self) {
        self.shapes.push(self.rings.len() as u32);
    }

    /// Adds the shapes of another one.
    pub(super) fn append(&mut self, more: &OutlineGeometry) -> Result<(), OutlineProblem> {
        check_points(self.points.len() + more.points.len())?;
        let (points, rings) = (self.points.len() as u32, self.rings.len() as u32);
        self.points.extend_from_slice(&more.points);
        self.rings.extend(more.rings.iter().map(|end| points + end));
        self.shapes.extend(more.shapes.iter().map(|end| rings + end));
        Ok(())
    }

    /// Forgets what was read.
    pub(super) fn clear(&mut self) {
        *self = OutlineGeometry::default();
    }

    /// Whether it encloses anything.
    pub(super) fn has_area(&self) -> bool {
        !self.shapes.is_empty() && self.points.len() > 2
    }

    /// Left, top, right, bottom.
    pub(super) fn hull(&self) -> [f64; 4] {
        hull(&self.points)
    }

    pub(super) fn points(&self) -> usize {
        self.points.len()
    }

    fn ring_start(&self, ring: usize) -> usize {
        if ring == 0 { 0 } else { self.rings.get(ring - 1).map_or(0, |end| *end as usize) }
    }
}

/// The box around points: left, top, right, bottom.
pub(super) fn hull(points: &[[f64; 2]]) -> [f64; 4] {
    let none = [f64::INFINITY, f64::INFINITY, f64::NEG_INFINITY, f64::NEG_INFINITY];
    points.iter().fold(none, |[left, top, right, bottom], [x, y]| {
        [left.min(*x), top.min(*y), right.max(*x), bottom.max(*y)]
    })
}

/// Collects the objects of a file.
#[derive(Debug, Default)]
pub(super) struct OutlineBuilder {
    made: Outlines,
    rows: f64,
}

impl OutlineBuilder {
    /// Adds an object, cut out of which are the holes, and gives its number.
    pub(super) fn object(
        &mut self,
        geometry: &OutlineGeometry,
        rule: FillRule,
        holes: &[u32],
    ) -> Result<u32, OutlineProblem> {
        self.made.objects += 1;
        let first = self.made.holes.len() as u32;
        if self.made.holes.len() + holes.len() > MOST_HOLES {
            let expected = format!("at most {MOST_HOLES} regions with a negative region in them");
            return Err(OutlineProblem::new(expected, "more", "simplify the outlines"));
        }
        self.made.holes.extend_from_slice(holes);
        self.shapes(self.made.objects, geometry, rule, first..first + holes.len() as u32)?;
        Ok(self.made.objects)
    }

    /// Adds a shape that is cut out of others, and gives its place.
    pub(super) fn hole(&mut self, geometry: &OutlineGeometry, rule: FillRule) -> Result<u32, OutlineProblem> {
        let place = self.made.shapes.len() as u32;
        self.shapes(0, geometry, rule, 0..0)?;
        Ok(place)
    }

    /// Remembers where objects were drawn.
    pub(super) fn area(&mut self, hull: [f64; 4]) {
        self.made.areas.push(hull);
        self.made.left_out += 1;
    }

    /// Counts something that is no object.
    pub(super) fn leave_out(&mut self) {
        self.made.left_out += 1;
    }

    pub(super) fn finish(mut self, name: &str) -> Result<Outlines, OutlineProblem> {
        if self.made.objects == 0 {
            let found = match self.made.left_out {
                0 => "none".to_owned(),
                n => format!("none beside {n} without area, or that only say where others lie"),
            };
            return Err(OutlineProblem::new(
                "the outline of an object",
                found,
                "export the objects that were drawn",
            ));
        }
        self.made.file = name.to_owned();
        Ok(self.made)
    }

    fn shapes(
        &mut self,
        label: u32,
        geometry: &OutlineGeometry,
        rule: FillRule,
        holes: std::ops::Range<u32>,
    ) -> Result<(), OutlineProblem> {
        check_points(self.made.points.len() + geometry.points.len())?;
        let (points, rings) = (self.made.points.len() as u32, self.made.rings.len() as u32);
        self.made.points.extend_from_slice(&geometry.points);
        self.made.rings.extend(geometry.rings.iter().map(|end| points + end));
        let mut first = 0;
        for end in &geometry.shapes {
            let rings = rings + first..rings + end;
            self.made.shapes.push(OutlineShape { label, rings, rule, holes: holes.clone() });
            first = *end;
        }
        let pairs = geometry.points.windows(2).map(|pair| (pair[0][1] - pair[1][1]).abs());
        self.rows += pairs.sum::<f64>();
        if self.rows > MOST_ROWS {
            let expected = "outlines whose edges run through 2^32 rows at most";
            return Err(OutlineProblem::new(expected, "more", "simplify the outlines"));
        }
        Ok(())
    }
}

/// Refuses more points than a file of outlines can sensibly have.
pub(super) fn check_points(points: usize) -> Result<(), OutlineProblem> {
    if points <= MOST_POINTS {
        return Ok(());
    }
    let expected = format!("at most {MOST_POINTS} points");
    Err(OutlineProblem::new(expected, "more", "simplify the outlines, or split the file by boxes"))
}
