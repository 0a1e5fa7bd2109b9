//! The metrics of rows against those of the whole segmentation, called directly on each part.

use onceflow_engine::{Level, RowRecord, open_image, open_labels};
use onceflow_kernels::colour::{ColourSums, transfer};
use onceflow_kernels::compare::{ComparisonCounts, MetricKind, compare_boundaries_owned, count_owned};
use onceflow_kernels::nuclei::{Parameters, segment};
use onceflow_kernels::{Connectivity, Plane, Window, label};
use onceflow_region::{Bounds, Source};
use onceflow_study::Value;

use crate::asked::{Asked, IMAGES, METRICS, PARAMETERS};

#[test]
fn rows_have_the_metrics_of_the_segmentation_itself() {
    let phase = "[[phase]]\nname = \"look\"\nmethod = \"mc\"\nrows = 12\n";
    check("", phase, [&[alone([0, 0, 96, 80])], &[alone([10, 3, 110, 60])]]);
}

/// Parts of 48 pixels: a remainder of less than half joins the last one.
#[test]
fn counts_of_parts_are_added_before_ratios_are_taken() {
    let parts = "[parts]\nsize = 48\nseams = \"independent\"\n";
    let phase = "[[phase]]\nname = \"look\"\nmethod = \"mc\"\nrows = 5\n";
    let first = [[0, 0, 48, 48], [48, 0, 48, 48], [0, 48, 48, 32], [48, 48, 48, 32]].map(alone);
    check(parts, phase, [&first, &[[10, 3, 48, 60], [58, 3, 62, 60]].map(alone)]);
}

/// Owned parts of these small images see all of them, also what lies beyond the box of the second.
#[test]
fn owned_parts_see_beyond_the_box_and_count_within_it() {
    let parts = "[parts]\nsize = 48\n";
    let phase = "[[phase]]\nname = \"look\"\nmethod = \"mc\"\nrows = 5\n";
    let first = [[0, 0, 48, 48], [48, 0, 48, 48], [0, 48, 48, 32], [48, 48, 48, 32]];
    let first = first.map(|core| Part { read: [0, 0, 96, 80], counted: [0, 0, 96, 80], core });
    let second = [[10, 3, 48, 60], [58, 3, 62, 60]];
    let second = second.map(|core| Part { read: [0, 0, 150, 70], counted: [10, 3, 110, 60], core });
    check(parts, phase, [&first, &second]);
}

/// What a part reads, what of it lies in the box, and what belongs to it: x, y, width and height in the image.
struct Part {
    read: [u64; 4],
    counted: [u64; 4],
    core: [u64; 4],
}

fn alone(at: [u64; 4]) -> Part {
    Part { read: at, counted: at, core: at }
}

fn check(parts: &str, phase: &str, boxes: [&[Part]; 2]) {
    let head = "name = \"oracle\"\nworkflow = \"nuclei\"\nseed = 9\n";
    let asked = Asked::new(&format!("{head}{IMAGES}{parts}{PARAMETERS}{METRICS}{phase}"));
    let run = asked.run(Level::Dataflow, 2);
    let table = &run.answer.table;
    let images = [Image::new("synth:96x80?seed=3", true), Image::new("synth:150x70?seed=11", false)];
    let defaults = parameters(&table.parameters, &table.rows[0]);
    for row in &table.rows {
        let parameters = parameters(&table.parameters, row);
        for ((image, boxes), record) in images.iter().zip(boxes).zip(&row.images) {
            let expected = image.metrics(boxes, &parameters, &defaults);
            assert_eq!(record.metrics, expected, "row {}", row.row);
        }
    }
}

struct Image {
    source: std::sync::Arc<dyn Source>,
    truth: Option<std::sync::Arc<dyn Source>>,
    statistics: ColourSums,
}

impl Image {
    fn new(name: &str, with_truth: bool) -> Self {
        let folder = std::path::Path::new("");
        let source = open_image(name, folder).unwrap();
        let mut statistics = ColourSums::new();
        let info = source.info().clone();
        statistics.add(colours(source.as_ref(), [0, 0, info.width, info.height]).view());
        Self { source, truth: with_truth.then(|| open_labels(name, folder).unwrap()), statistics }
    }

    /// Dice, change, largest distance to the truth, and density, as the study asks for them.
    fn metrics(&self, parts: &[Part], row: &Parameters, defaults: &Parameters) -> Vec<Option<f64>> {
        let [mut alone, mut default, mut truth] = [ComparisonCounts::default(); 3];
        for Part { read, counted, core } in parts {
            let normalized = transfer(colours(self.source.as_ref(), *read).view(), &self.statistics.finish());
            let (seen, core) = (window(*counted, *read), window(*core, *counted));
            let found = |parameters| {
                let mask = segment(normalized.view(), parameters).mask;
                label(seen.of(mask.view()), Connectivity::Eight).plane
            };
            let mask = found(row);
            alone += count_owned(mask.view(), core);
            default += compare_boundaries_owned(mask.view(), found(defaults).view(), core).unwrap();
            if let Some(source) = &self.truth {
                let labels = source.read(bounds(*counted)).unwrap().as_u32().unwrap().to_vec();
                let labels = Plane::from_vec(labels, mask.width(), mask.height()).unwrap();
                truth += compare_boundaries_owned(mask.view(), labels.view(), core).unwrap();
            }
        }
        let value = |measure: MetricKind, counts: &ComparisonCounts| {
            measure.value(counts, Some(onceflow_synth::UM_PER_PIXEL))
        };
        vec![
            value(MetricKind::Dice, &truth),
            value(MetricKind::from_word("pixel_difference").unwrap(), &default),
            value(MetricKind::from_word("hausdorff_distance").unwrap(), &truth),
            value(MetricKind::from_word("objects_per_mm2").unwrap(), &alone),
        ]
    }
}

/// A box as seen from another's corner.
fn window([x, y, width, height]: [u64; 4], from: [u64; 4]) -> Window {
    let [left, top] = [x - from[0], y - from[1]].map(|side| side as usize);
    Window { left, top, width: width as usize, height: height as usize }
}

fn bounds([x, y, width, height]: [u64; 4]) -> Bounds {
    Bounds::plane(x.cast_signed(), y.cast_signed(), width, height).unwrap()
}

fn colours(source: &dyn Source, at: [u64; 4]) -> Plane<[u8; 3]> {
    let dense = source.read(bounds(at)).unwrap();
    let pixels = dense.as_u8().unwrap().as_chunks::<3>().0.to_vec();
    Plane::from_vec(pixels, dense.width(), dense.height()).unwrap()
}

fn parameters(names: &[String], row: &RowRecord) -> Parameters {
    let mut parameters = Parameters::default();
    for (name, value) in names.iter().zip(&row.values) {
        let number = match value {
            Value::Integer(i) => *i as f64,
            Value::Real(x) => *x,
            Value::Text(text) => panic!("{name} is {text}"),
        };
        set(&mut parameters, name, number);
    }
    parameters
}

fn set(parameters: &mut Parameters, name: &str, value: f64) {
    let whole = value as i64;
    let connectivity = if value == 8.0 { Connectivity::Eight } else { Connectivity::Four };
    match name {
        "blue" => parameters.blue = whole,
        "green" => parameters.green = whole,
        "red" => parameters.red = whole,
        "T1" => parameters.t1 = value,
        "T2" => parameters.t2 = value,
        "reconConnectivity" => parameters.recon_connectivity = connectivity,
        "fillHolesConnectivity" => parameters.fill_holes_connectivity = connectivity,
        "G1" => parameters.g1 = whole,
        "minSize" => parameters.min_size = whole,
        "maxSize" => parameters.max_size = whole,
        "G2" => parameters.g2 = whole,
        "minSizePl" => parameters.min_size_pl = whole,
        "watershedConnectivity" => parameters.watershed_connectivity = connectivity,
        "minSizeSeg" => parameters.min_size_seg = whole,
        "maxSizeSeg" => parameters.max_size_seg = whole,
        other => panic!("no parameter {other}"),
    }
}
