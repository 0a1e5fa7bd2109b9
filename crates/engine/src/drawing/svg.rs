//! Graphs as pictures: boxes in layers from top to bottom, each below all it hangs on.

use super::dot::fill;
use super::{Drawing, DrawnBox};

const LINE: f64 = 15.0;
const LETTER: f64 = 7.0;
const PADDING: f64 = 10.0;
const GAP: f64 = 22.0;
const LAYER_GAP: f64 = 46.0;
const TITLE: f64 = 34.0;

/// Where a box is: its centre and its upper side.
#[derive(Clone, Copy, Debug, Default)]
struct Place {
    centre: f64,
    top: f64,
}

pub(super) fn svg(drawing: &Drawing) -> String {
    let layers = layers(drawing);
    let (places, width, height) = places(drawing, &layers);
    let mut around = Around::new(drawing, &layers, &places);
    let mut arrows = String::new();
    drawing.arrows.iter().for_each(|arrow| arrows.push_str(&arrow_svg(drawing, &places, arrow, &mut around)));
    let width = width.max(around.right + GAP);
    let mut text = head(drawing, width, height) + &arrows;
    let drawn = drawing.boxes.iter().zip(&places);
    drawn.for_each(|(drawn, place)| text.push_str(&box_svg(drawn, *place)));
    text.push_str("</svg>\n");
    text
}

fn head(drawing: &Drawing, width: f64, height: f64) -> String {
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width:.0}\" height=\"{height:.0}\" \
         viewBox=\"0 0 {width:.0} {height:.0}\" font-family=\"sans-serif\" font-size=\"12\">\n\
         <rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n\
         <text x=\"{GAP}\" y=\"22\" font-size=\"14\" font-weight=\"bold\">{}</text>\n",
        escaped(&drawing.title)
    )
}

/// Where arrows go that pass a layer: beside its boxes, each on a way of its own.
struct Around {
    layer_of: Vec<usize>,
    /// The right side of each layer.
    sides: Vec<f64>,
    right: f64,
}

impl Around {
    fn new(drawing: &Drawing, layers: &[Vec<usize>], places: &[Place]) -> Self {
        let mut layer_of = vec![0; drawing.boxes.len()];
        for (layer, boxes) in layers.iter().enumerate() {
            boxes.iter().for_each(|at| layer_of[*at] = layer);
        }
        let side = |boxes: &Vec<usize>| {
            boxes
                .iter()
                .map(|at| places[*at].centre + width_of(&drawing.boxes[*at]) / 2.0)
                .fold(0.0, f64::max)
        };
        Self { layer_of, sides: layers.iter().map(side).collect(), right: 0.0 }
    }

    /// The place beside all layers between two boxes, when there are some.
    fn beside(&mut self, from: usize, to: usize) -> Option<f64> {
        let between = self.layer_of[from] + 1..self.layer_of[to];
        let sides = self.sides.get_mut(between).filter(|sides| !sides.is_empty())?;
        let way = sides.iter().copied().fold(0.0, f64::max) + PADDING;
        sides.iter_mut().for_each(|side| *side = way);
        self.right = self.right.max(way);
        Some(way)
    }
}

/// The boxes of each layer, in an order in which arrows cross little.
fn layers(drawing: &Drawing) -> Vec<Vec<usize>> {
    let mut depth = vec![0usize; drawing.boxes.len()];
    // Arrows go from smaller to larger numbers or the other way; as many rounds as boxes settle any graph without cycles.
    for _ in 0..drawing.boxes.len() {
        let before = depth.clone();
        for (from, to, _) in &drawing.arrows {
            depth[*to] = depth[*to].max(depth[*from] + 1).min(drawing.boxes.len());
        }
        if depth == before {
            break;
        }
    }
    let mut layers: Vec<Vec<usize>> = vec![Vec::new(); depth.iter().max().map_or(0, |most| most + 1)];
    depth.iter().enumerate().for_each(|(at, layer)| layers[*layer].push(at));
    for layer in 1..layers.len() {
        let rank = ranks(&layers[..layer], drawing.boxes.len());
        let above = |at: usize| {
            let from: Vec<f64> =
                drawing.arrows.iter().filter(|arrow| arrow.1 == at).map(|arrow| rank[arrow.0]).collect();
            from.iter().sum::<f64>() / from.len().max(1) as f64
        };
        layers[layer].sort_by(|one, other| above(*one).total_cmp(&above(*other)));
    }
    layers
}

/// Where each box of the layers so far stands in its layer, from 0 to 1.
fn ranks(layers: &[Vec<usize>], boxes: usize) -> Vec<f64> {
    let mut ranks = vec![0.5; boxes];
    for layer in layers {
        for (place, at) in layer.iter().enumerate() {
            ranks[*at] = (place as f64 + 0.5) / layer.len() as f64;
        }
    }
    ranks
}

fn width_of(drawn: &DrawnBox) -> f64 {
    let letters = drawn.lines.iter().map(|line| line.chars().count()).max().unwrap_or_default();
    letters as f64 * LETTER + 2.0 * PADDING
}

fn height_of(drawn: &DrawnBox) -> f64 {
    drawn.lines.len() as f64 * LINE + PADDING
}

fn places(drawing: &Drawing, layers: &[Vec<usize>]) -> (Vec<Place>, f64, f64) {
    let layer_width =
        |layer: &Vec<usize>| layer.iter().map(|at| width_of(&drawing.boxes[*at]) + GAP).sum::<f64>() + GAP;
    let title = drawing.title.chars().count() as f64 * (LETTER + 1.5) + 2.0 * GAP;
    let width = layers.iter().map(layer_width).fold(title, f64::max);
    let mut places = vec![Place::default(); drawing.boxes.len()];
    let mut top = TITLE;
    for layer in layers {
        let mut left = (width - layer_width(layer)) / 2.0 + GAP;
        for at in layer {
            let own = width_of(&drawing.boxes[*at]);
            places[*at] = Place { centre: left + own / 2.0, top };
            left += own + GAP;
        }
        let highest = layer.iter().map(|at| height_of(&drawing.boxes[*at])).fold(0.0, f64::max);
        top += highest + LAYER_GAP;
    }
    (places, width, (top - LAYER_GAP + GAP).max(TITLE + GAP))
}

fn box_svg(drawn: &DrawnBox, place: Place) -> String {
    let (width, height) = (width_of(drawn), height_of(drawn));
    let mut text = format!(
        "<rect x=\"{:.1}\" y=\"{:.1}\" width=\"{width:.1}\" height=\"{height:.1}\" rx=\"5\" fill=\"{}\" stroke=\"#555\"/>\n",
        place.centre - width / 2.0,
        place.top,
        fill(drawn.kind)
    );
    for (at, line) in drawn.lines.iter().enumerate() {
        let weight = if at == 0 { " font-weight=\"bold\"" } else { "" };
        let y = place.top + PADDING / 2.0 + LINE * (at as f64 + 0.8);
        let x = place.centre;
        text.push_str(&format!(
            "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"middle\"{weight}>{}</text>\n",
            escaped(line)
        ));
    }
    text
}

fn arrow_svg(
    drawing: &Drawing,
    places: &[Place],
    (from, to, words): &(usize, usize, String),
    around: &mut Around,
) -> String {
    let (start, end) = (places[*from], places[*to]);
    let (x, low, goal, top) =
        (start.centre, start.top + height_of(&drawing.boxes[*from]), end.centre, end.top);
    let middle = (low + top) / 2.0;
    let (way, beside) = match around.beside(*from, *to) {
        None => (
            format!("M{x:.1} {low:.1} C{x:.1} {middle:.1} {goal:.1} {middle:.1} {goal:.1} {top:.1}"),
            (x + goal) / 2.0,
        ),
        Some(side) => {
            let (first, last) = (low + LAYER_GAP, top - LAYER_GAP);
            let down = format!("M{x:.1} {low:.1} C{x:.1} {first:.1} {side:.1} {low:.1} {side:.1} {first:.1}");
            (format!("{down} V{last:.1} C{side:.1} {top:.1} {goal:.1} {last:.1} {goal:.1} {top:.1}"), side)
        }
    };
    let mut text = format!(
        "<path d=\"{way}\" fill=\"none\" stroke=\"#888\"/>\n<path d=\"M{goal:.1} {top:.1} l-4 -7 h8 z\" fill=\"#888\"/>\n"
    );
    if !words.is_empty() {
        let x = beside + 4.0;
        around.right = around.right.max(x + words.chars().count() as f64 * LETTER);
        text.push_str(&format!(
            "<text x=\"{x:.1}\" y=\"{middle:.1}\" font-size=\"10\" fill=\"#666\">{}</text>\n",
            escaped(words)
        ));
    }
    text
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::super::BoxKind;
    use super::*;

    #[test]
    fn boxes_stand_below_what_they_hang_on() {
        let mut drawing = Drawing { title: "a < b".into(), ..Drawing::default() };
        let add = |drawing: &mut Drawing, name: &str| drawing.add(BoxKind::Task, vec![name.into()]);
        let (a, b, c) = (add(&mut drawing, "a"), add(&mut drawing, "b"), add(&mut drawing, "c & d"));
        drawing.arrow(a, b, "");
        drawing.arrow(b, c, "mask");
        drawing.arrow(a, c, "");
        assert_eq!(layers(&drawing), [vec![a], vec![b], vec![c]]);
        let text = drawing.svg();
        assert!(text.contains("c &amp; d") && text.contains("a &lt; b") && text.ends_with("</svg>\n"));
        assert_eq!(text.matches("<rect").count(), 4);
    }

    #[test]
    fn nothing_is_an_empty_picture() {
        assert!(Drawing::default().svg().starts_with("<svg"));
    }
}
