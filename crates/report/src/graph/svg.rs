//! Graphs as pictures: boxes in layers from top to bottom, each below all it hangs on.

use onceflow_sensitivity::svg::{Svg, SvgElement, SvgText};

use super::dot::fill;
use super::{Graph, GraphBox};

const LINE: f64 = 15.0;
const LETTER: f64 = 7.0;
const PADDING: f64 = 10.0;
const GAP: f64 = 22.0;
const LAYER_GAP: f64 = 46.0;
const TITLE: f64 = 34.0;

/// Where a box is: its centre and its upper side.
#[derive(Clone, Copy, Debug, Default)]
struct BoxPosition {
    centre: f64,
    top: f64,
}

pub(super) fn svg(graph: &Graph) -> String {
    let layers = layers(graph);
    let (places, width, height) = places(graph, &layers);
    let mut lanes = ArrowLanes::new(graph, &layers, &places);
    let mut arrows = Svg::default();
    graph.arrows.iter().for_each(|arrow| push_arrow(&mut arrows, graph, &places, arrow, &mut lanes));
    let width = width.max(lanes.right + GAP);
    let mut content = Svg::default();
    let paper = SvgElement::new("rect").attribute("width", "100%").attribute("height", "100%");
    content.push(&paper.attribute("fill", "white"));
    let title = SvgElement::text((GAP, 22.0)).number("font-size", 14.0).attribute("font-weight", "bold");
    content.push(&title.words(&graph.title));
    content.extend(&arrows);
    graph.boxes.iter().zip(&places).for_each(|(drawn, place)| push_box(&mut content, drawn, *place));
    let root = SvgElement::document(width.round(), height.round()).attribute("font-family", "sans-serif");
    format!("{}\n", root.number("font-size", 12.0).children(&content))
}

/// Where arrows go that pass a layer: beside its boxes, each on a way of its own.
struct ArrowLanes {
    layer_of: Vec<usize>,
    /// The right side of each layer.
    sides: Vec<f64>,
    right: f64,
}

impl ArrowLanes {
    fn new(graph: &Graph, layers: &[Vec<usize>], places: &[BoxPosition]) -> Self {
        let mut layer_of = vec![0; graph.boxes.len()];
        for (layer, boxes) in layers.iter().enumerate() {
            boxes.iter().for_each(|at| layer_of[*at] = layer);
        }
        let side = |boxes: &Vec<usize>| {
            boxes.iter().map(|at| places[*at].centre + width_of(&graph.boxes[*at]) / 2.0).fold(0.0, f64::max)
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
fn layers(graph: &Graph) -> Vec<Vec<usize>> {
    let mut depth = vec![0usize; graph.boxes.len()];
    // Arrows go from smaller to larger numbers or the other way; as many rounds as boxes settle any graph without cycles.
    for _ in 0..graph.boxes.len() {
        let before = depth.clone();
        for (from, to, _) in &graph.arrows {
            depth[*to] = depth[*to].max(depth[*from] + 1).min(graph.boxes.len());
        }
        if depth == before {
            break;
        }
    }
    let mut layers: Vec<Vec<usize>> = vec![Vec::new(); depth.iter().max().map_or(0, |most| most + 1)];
    depth.iter().enumerate().for_each(|(at, layer)| layers[*layer].push(at));
    for layer in 1..layers.len() {
        let rank = ranks(&layers[..layer], graph.boxes.len());
        let above = |at: usize| {
            let from: Vec<f64> =
                graph.arrows.iter().filter(|arrow| arrow.1 == at).map(|arrow| rank[arrow.0]).collect();
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

fn width_of(drawn: &GraphBox) -> f64 {
    let letters = drawn.lines.iter().map(|line| line.chars().count()).max().unwrap_or_default();
    letters as f64 * LETTER + 2.0 * PADDING
}

fn height_of(drawn: &GraphBox) -> f64 {
    drawn.lines.len() as f64 * LINE + PADDING
}

fn places(graph: &Graph, layers: &[Vec<usize>]) -> (Vec<BoxPosition>, f64, f64) {
    let layer_width =
        |layer: &Vec<usize>| layer.iter().map(|at| width_of(&graph.boxes[*at]) + GAP).sum::<f64>() + GAP;
    let title = graph.title.chars().count() as f64 * (LETTER + 1.5) + 2.0 * GAP;
    let width = layers.iter().map(layer_width).fold(title, f64::max);
    let mut places = vec![BoxPosition::default(); graph.boxes.len()];
    let mut top = TITLE;
    for layer in layers {
        let mut left = (width - layer_width(layer)) / 2.0 + GAP;
        for at in layer {
            let own = width_of(&graph.boxes[*at]);
            places[*at] = BoxPosition { centre: left + own / 2.0, top };
            left += own + GAP;
        }
        let highest = layer.iter().map(|at| height_of(&graph.boxes[*at])).fold(0.0, f64::max);
        top += highest + LAYER_GAP;
    }
    (places, width, (top - LAYER_GAP + GAP).max(TITLE + GAP))
}

fn push_box(svg: &mut Svg, drawn: &GraphBox, place: BoxPosition) {
    let size = (width_of(drawn), height_of(drawn));
    let rectangle = SvgElement::rectangle((place.centre - size.0 / 2.0, place.top), size).number("rx", 5.0);
    svg.push(&rectangle.attribute("fill", fill(drawn.kind)).attribute("stroke", "#555"));
    for (at, line) in drawn.lines.iter().enumerate() {
        let y = place.top + PADDING / 2.0 + LINE * (at as f64 + 0.8);
        let text = SvgElement::text((place.centre, y)).attribute("text-anchor", "middle");
        let text = if at == 0 { text.attribute("font-weight", "bold") } else { text };
        svg.push(&text.words(line));
    }
}

fn push_arrow(
    svg: &mut Svg,
    graph: &Graph,
    places: &[BoxPosition],
    (from, to, words): &(usize, usize, String),
    lanes: &mut ArrowLanes,
) {
    let (start, end) = (places[*from], places[*to]);
    let (x, low, goal, top) = (start.centre, start.top + height_of(&graph.boxes[*from]), end.centre, end.top);
    let middle = (low + top) / 2.0;
    let (way, beside) = match lanes.beside(*from, *to) {
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
    let path = |data: &str| SvgElement::new("path").attribute("d", data);
    svg.push(&path(&way).attribute("fill", "none").attribute("stroke", "#888"));
    svg.push(&path(&format!("M{goal:.1} {top:.1} l-4 -7 h8 z")).attribute("fill", "#888"));
    if !words.is_empty() {
        let x = beside + 4.0;
        lanes.right = lanes.right.max(x + words.chars().count() as f64 * LETTER);
        svg.text((x, middle), &SvgText::new(words, 10.0, "#666"));
    }
}

#[cfg(test)]
mod tests {
    use super::super::BoxKind;
    use super::*;

    #[test]
    fn boxes_stand_below_what_they_hang_on() {
        let mut graph = Graph { title: "a < b".into(), ..Graph::default() };
        let add = |graph: &mut Graph, name: &str| graph.add(BoxKind::Task, vec![name.into()]);
        let (a, b, c) = (add(&mut graph, "a"), add(&mut graph, "b"), add(&mut graph, "c & d"));
        graph.arrow(a, b, "");
        graph.arrow(b, c, "mask");
        graph.arrow(a, c, "");
        assert_eq!(layers(&graph), [vec![a], vec![b], vec![c]]);
        let text = graph.svg();
        assert!(text.contains("c &amp; d") && text.contains("a &lt; b") && text.ends_with("</svg>\n"));
        assert_eq!(text.matches("<rect").count(), 4);
    }

    #[test]
    fn nothing_is_an_empty_picture() {
        assert!(Graph::default().svg().starts_with("<svg"));
    }
}
