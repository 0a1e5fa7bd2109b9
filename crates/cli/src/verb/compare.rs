//! `onceflow compare`: measures the agreement of two masks or label images, or of two folders of them.

mod folders;

use std::path::Path;
use std::sync::Arc;

use onceflow_engine::{agreement, bytes_to_compare, open_drawn, open_labels};
use onceflow_imageio::Outlines;
use onceflow_kernels::compare::{ComparisonCounts, MetricKind};
use onceflow_region::{ImageInfo, Source};
use onceflow_study::with_commas;
use onceflow_terminal::{Exit, Failure, Terminal, check_memory, engine_failure};
use serde_json::{Map, Value, json};

use crate::args::CompareArgs;
use crate::many::is_folder;

/// Compares and prints.
pub(crate) fn run(args: &CompareArgs, terminal: &Terminal) -> Result<Exit, Failure> {
    // A single folder holds the masks of one image, a file for each object.
    if is_folder(&args.result) && is_folder(&args.reference) {
        return folders::run(args, terminal);
    }
    let ((result, reference), counts) = counted(args, terminal)?;
    let stated = result.info().um_per_pixel.or(reference.info().um_per_pixel);
    let um_per_pixel = args.um_per_pixel.or(stated);
    if args.json {
        terminal.json(&to_json(&counts, um_per_pixel))?;
    } else {
        terminal.result(&to_text(args, result.info(), &counts, um_per_pixel))?;
    }
    Ok(Exit::Ok)
}

/// Opens and compares two files.
fn counted(args: &CompareArgs, terminal: &Terminal) -> Result<(ComparedImages, ComparisonCounts), Failure> {
    let (result, reference) = open(args)?;
    check_memory("compare the two", bytes_to_compare(result.info()), args.memory)?;
    let _progress = terminal.progress("comparing");
    let (a, b) = ((&*args.result, &*result), (&*args.reference, &*reference));
    let counts = agreement(a, b).map_err(engine_failure)?;
    Ok(((result, reference), counts))
}

/// The result and its reference.
type ComparedImages = (Arc<dyn Source>, Arc<dyn Source>);

/// Opens both; outlines are drawn over the pixels of the other one.
fn open(args: &CompareArgs) -> Result<ComparedImages, Failure> {
    let here = Path::new("");
    let opened = if Outlines::is_one(Path::new(&args.result)) {
        let reference = open_labels(&args.reference, here).map_err(engine_failure)?;
        (open_drawn(&args.result, here, reference.info()), reference)
    } else {
        let result = open_labels(&args.result, here).map_err(engine_failure)?;
        let reference = open_drawn(&args.reference, here, result.info()).map_err(engine_failure)?;
        (Ok(result), reference)
    };
    Ok((opened.0.map_err(engine_failure)?, opened.1))
}

fn to_json(counts: &ComparisonCounts, um_per_pixel: Option<f64>) -> Value {
    let mut object = Map::from_iter([("version".to_owned(), json!(1))]);
    for measure in MetricKind::ALL {
        let value = measure.value(counts, um_per_pixel);
        object.insert(
            measure.word().into(),
            if is_count(measure) { json!(value.map(|v| v as u64)) } else { json!(value) },
        );
    }
    object.insert("reference_objects".into(), json!(counts.reference_objects));
    object.insert("reference_foreground".into(), json!(counts.reference_foreground));
    object.insert("matched".into(), json!(counts.matched));
    object.insert("um_per_pixel".into(), json!(um_per_pixel));
    object.into()
}

fn to_text(
    args: &CompareArgs,
    info: &ImageInfo,
    counts: &ComparisonCounts,
    um_per_pixel: Option<f64>,
) -> String {
    let (result, reference) = (&args.result, &args.reference);
    let mut text = format!("{result} against {reference}, {} x {} pixels\n", info.width, info.height);
    for measure in MetricKind::ALL {
        let value = measure.value(counts, um_per_pixel);
        let shown = value.map_or_else(|| "-".into(), |value| number(measure, value));
        let about = if value.is_some() { about(measure, counts) } else { missing(measure).into() };
        text.push_str(&format!("  {:<23}{shown:>10}   {about}\n", measure.word()));
    }
    text
}

/// Whether the values of a measure are integers.
fn is_count(measure: MetricKind) -> bool {
    matches!(measure, MetricKind::PixelDifference | MetricKind::Objects | MetricKind::Foreground)
}

fn number(measure: MetricKind, value: f64) -> String {
    match measure {
        _ if is_count(measure) => with_commas(value as u128),
        MetricKind::MeanBoundaryDistance | MetricKind::HausdorffDistance => format!("{value:.2}"),
        MetricKind::ObjectsPerMm2 => with_commas(value.round() as u128),
        MetricKind::MeanObjectArea => format!("{value:.1}"),
        _ => format!("{value:.4}"),
    }
}

fn about(measure: MetricKind, counts: &ComparisonCounts) -> String {
    let commas = |count: u64| with_commas(u128::from(count));
    match measure {
        MetricKind::Dice => "twice the common pixels, over the pixels of both".into(),
        MetricKind::Jaccard => "the common pixels, over the pixels of either".into(),
        MetricKind::PixelDifference => "pixels that only one of the two has".into(),
        MetricKind::ObjectF1 => {
            format!("twice the matched objects ({}), over the objects of both", commas(counts.matched))
        }
        MetricKind::PanopticQuality => "twice the overlap of the matches, over the objects of both".into(),
        MetricKind::MeanBoundaryDistance => "pixels between the outlines, on average".into(),
        MetricKind::HausdorffDistance => "pixels between the outlines, at most".into(),
        MetricKind::Objects => format!("the reference has {}", commas(counts.reference_objects)),
        MetricKind::Foreground => {
            format!("pixels in objects; the reference has {}", commas(counts.reference_foreground))
        }
        MetricKind::AreaFraction => "pixels in objects, over all pixels".into(),
        MetricKind::ObjectsPerMm2 => "objects on a square millimetre".into(),
        MetricKind::MeanObjectArea => "pixels of an object, on average".into(),
    }
}

/// Why a measure has no value.
fn missing(measure: MetricKind) -> &'static str {
    match measure {
        MetricKind::MeanBoundaryDistance | MetricKind::HausdorffDistance => "only one of the two has objects",
        MetricKind::ObjectsPerMm2 => "give --um-per-pixel: no file says its resolution",
        _ => "there are no objects",
    }
}
