//! ImageScope's XML: layers (`Annotation`) of regions, whose negative ones are cut out of the others of their layer.
//!
//! Freehand regions enclose everything that their line goes around, even where it crosses itself. Arrows and rulers have no area.

use quick_xml::Reader;
use quick_xml::XmlVersion;
use quick_xml::events::{BytesStart, Event};

use super::builder::{OutlineBuilder, OutlineGeometry, check_points};
use super::{FillRule, OutlineProblem};

/// Elements in each other: these files have six.
const DEEPEST: usize = 64;
/// Corners of an ellipse, of which the file gives the box.
const CORNERS: u32 = 128;

/// Reads a text.
pub(super) fn read(bytes: &[u8], builder: &mut OutlineBuilder) -> Result<(), OutlineProblem> {
    let text = std::str::from_utf8(bytes).map_err(|error| broken(&error.to_string()))?;
    let mut reader = Reader::from_str(text);
    let mut file = Annotations { builder, layer: Vec::new(), region: None, points: 0, depth: 0 };
    let mut seen = false;
    loop {
        match reader.read_event() {
            Ok(Event::Start(tag)) => {
                file.check_root(&tag, &mut seen)?;
                file.depth += 1;
                file.start(&tag)?;
            }
            Ok(Event::Empty(tag)) => {
                file.check_root(&tag, &mut seen)?;
                file.start(&tag)?;
                file.end(tag.local_name().as_ref())?;
            }
            Ok(Event::End(tag)) => {
                file.depth = file.depth.saturating_sub(1);
                file.end(tag.local_name().as_ref())?;
            }
            Ok(Event::DocType(_)) => return Err(broken("a document type")),
            Ok(Event::Eof) if file.depth > 0 => return Err(broken("the end of the file inside an element")),
            Ok(Event::Eof) => return Ok(()),
            Ok(_) => {}
            Err(error) => return Err(broken(&error.to_string())),
        }
    }
}

struct Annotations<'b> {
    builder: &'b mut OutlineBuilder,
    /// The regions of the layer that is open.
    layer: Vec<ScopeRegion>,
    region: Option<ScopeRegion>,
    points: usize,
    depth: usize,
}

#[derive(Debug, Default)]
struct ScopeRegion {
    kind: u32,
    negative: bool,
    corners: Vec<[f64; 2]>,
}

/// A number of a region; 0 where none is given.
fn whole_number(tag: &BytesStart<'_>, name: &str) -> Result<u32, OutlineProblem> {
    let Some(text) = attribute(tag, name)? else { return Ok(0) };
    text.trim().parse().map_err(|_| {
        let expected = format!("a whole number as {name} of a region");
        OutlineProblem::new(expected, format!("`{}`", cut(&text)), "save the annotations again")
    })
}

impl Annotations<'_> {
    fn check_root(&self, tag: &BytesStart<'_>, seen: &mut bool) -> Result<(), OutlineProblem> {
        if self.depth >= DEEPEST {
            return Err(broken("elements too deep in each other"));
        }
        let is_first = !std::mem::replace(seen, true);
        if is_first && tag.local_name().as_ref() != "Annotations" {
            let name: String = tag.local_name().as_ref().chars().take(40).collect();
            let todo = "save the annotations from ImageScope, or export GeoJSON";
            return Err(OutlineProblem::new("ImageScope's <Annotations>", format!("<{name}>"), todo));
        }
        Ok(())
    }

    fn start(&mut self, tag: &BytesStart<'_>) -> Result<(), OutlineProblem> {
        match tag.local_name().as_ref() {
            "Region" => {
                let kind = whole_number(tag, "Type")?;
                let negative = whole_number(tag, "NegativeROA")? == 1;
                self.region = Some(ScopeRegion { kind, negative, corners: Vec::new() });
            }
            "Vertex" | "V" => self.vertex(tag)?,
            _ => {}
        }
        Ok(())
    }

    fn vertex(&mut self, tag: &BytesStart<'_>) -> Result<(), OutlineProblem> {
        let Some(region) = &mut self.region else { return Ok(()) };
        let number = |name: &str| -> Result<f64, OutlineProblem> {
            let text = attribute(tag, name)?;
            let number = text.as_deref().and_then(|text| text.trim().parse::<f64>().ok());
            number.filter(|number| number.is_finite()).ok_or_else(|| {
                let found = text.map_or_else(|| "none".into(), |text| format!("`{}`", cut(&text)));
                OutlineProblem::new(
                    format!("a number {name} at each vertex"),
                    found,
                    "save the annotations again",
                )
            })
        };
        region.corners.push([number("X")?, number("Y")?]);
        self.points += 1;
        check_points(self.points)
    }

    fn end(&mut self, name: &str) -> Result<(), OutlineProblem> {
        match name {
            "Region" => self.layer.extend(self.region.take()),
            "Annotation" => return self.end_layer(),
            _ => {}
        }
        Ok(())
    }

    fn end_layer(&mut self) -> Result<(), OutlineProblem> {
        let regions = std::mem::take(&mut self.layer);
        let (negative, positive): (Vec<_>, Vec<_>) = regions.into_iter().partition(|r| r.negative);
        let mut holes = Vec::new();
        for region in negative {
            if let Some(shape) = region.shape()? {
                holes.push((shape.hull(), self.builder.hole(&shape, FillRule::NonZero)?));
            }
        }
        holes.sort_by(|a, b| a.0[1].total_cmp(&b.0[1]));
        for region in positive {
            let Some(shape) = region.shape()? else {
                self.builder.leave_out();
                continue;
            };
            let within = within(&holes, shape.hull());
            self.builder.object(&shape, FillRule::NonZero, &within)?;
        }
        Ok(())
    }
}

/// The holes whose boxes meet one; they are sorted by their upper edges.
fn within(holes: &[([f64; 4], u32)], of: [f64; 4]) -> Vec<u32> {
    let below = holes.partition_point(|(hole, _)| hole[1] <= of[3]);
    let meet = |hole: &[f64; 4]| hole[3] >= of[1] && hole[0] <= of[2] && hole[2] >= of[0];
    holes[..below].iter().filter(|(hole, _)| meet(hole)).map(|(_, place)| *place).collect()
}

impl ScopeRegion {
    /// Its outline: of a rectangle or an ellipse the file may give the box alone.
    fn shape(self) -> Result<Option<OutlineGeometry>, OutlineProblem> {
        let corners = match (self.kind, self.corners.as_slice()) {
            (3 | 4, _) => return Ok(None),
            (1, &[[left, top], [right, bottom]]) => {
                vec![[left, top], [right, top], [right, bottom], [left, bottom]]
            }
            (2, [_, _] | [_, _, _, _]) => ellipse(super::builder::hull(&self.corners)),
            _ => self.corners,
        };
        let mut geometry = OutlineGeometry::default();
        for [x, y] in corners {
            geometry.point(x, y)?;
        }
        geometry.end_ring();
        geometry.end_shape();
        Ok(geometry.has_area().then_some(geometry))
    }
}

fn ellipse([left, top, right, bottom]: [f64; 4]) -> Vec<[f64; 2]> {
    let corner = |at: u32| {
        let angle = f64::from(at) * std::f64::consts::TAU / f64::from(CORNERS);
        let x = (left + right) / 2.0 + (right - left) / 2.0 * libm::cos(angle);
        let y = (top + bottom) / 2.0 + (bottom - top) / 2.0 * libm::sin(angle);
        [x, y]
    };
    (0..CORNERS).map(corner).collect()
}

fn attribute(tag: &BytesStart<'_>, name: &str) -> Result<Option<String>, OutlineProblem> {
    for attribute in tag.attributes() {
        let attribute = attribute.map_err(|error| broken(&error.to_string()))?;
        if attribute.key.as_ref() == name {
            let value = attribute.normalized_value(XmlVersion::Implicit1_0);
            return value.map(|value| Some(value.into_owned())).map_err(|error| broken(&error.to_string()));
        }
    }
    Ok(None)
}

fn broken(found: &str) -> OutlineProblem {
    OutlineProblem::new("ImageScope's XML", cut(found), "save the annotations from ImageScope again")
}

fn cut(text: &str) -> String {
    text.chars().take(200).collect()
}
