//! `onceflow compare`: how far two results agree.

use std::path::Path;
use std::sync::Arc;

use onceflow_engine::{agreement, bytes_to_compare, open_drawn, open_labels};
use onceflow_kernels::compare::{Counts, Measure};
use onceflow_region::{ImageInfo, Outlines, Source};
use onceflow_study::with_commas;
use serde_json::{Map, Value, json};

use crate::args::CompareArgs;
use crate::engine::engine_failure;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::memory;
use crate::terminal::Terminal;

/// Opens, counts, says.
pub(crate) fn run(args: &CompareArgs, terminal: &Terminal) -> Result<Exit, Failure> {
    let (result, reference) = open(args)?;
    memory::check("compare the two", bytes_to_compare(result.info()), args.memory)?;
    let counts = {
        let _progress = terminal.progress("comparing");
        let (a, b) = ((&*args.result, &*result), (&*args.reference, &*reference));
        agreement(a, b).map_err(engine_failure)?
    };
    let stated = result.info().um_per_pixel.or(reference.info().um_per_pixel);
    let um_per_pixel = args.um_per_pixel.or(stated);
    if args.json {
        terminal.json(&to_json(&counts, um_per_pixel))?;
    } else {
        terminal.result(&to_text(args, result.info(), &counts, um_per_pixel))?;
    }
    Ok(Exit::Ok)
}

/// What is compared with what.
type Both = (Arc<dyn Source>, Arc<dyn Source>);

/// Opens both; outlines are drawn over the pixels of the other one.
fn open(args: &CompareArgs) -> Result<Both, Failure> {
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

fn to_json(counts: &Counts, um_per_pixel: Option<f64>) -> Value {
    let mut object = Map::from_iter([("version".to_owned(), json!(1))]);
    for measure in Measure::ALL {
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

fn to_text(args: &CompareArgs, info: &ImageInfo, counts: &Counts, um_per_pixel: Option<f64>) -> String {
    let (result, reference) = (&args.result, &args.reference);
    let mut text = format!("{result} against {reference}, {} x {} pixels\n", info.width, info.height);
    for measure in Measure::ALL {
        let value = measure.value(counts, um_per_pixel);
        let shown = value.map_or_else(|| "-".into(), |value| number(measure, value));
        let about = if value.is_some() { about(measure, counts) } else { missing(measure).into() };
        text.push_str(&format!("  {:<23}{shown:>10}   {about}\n", measure.word()));
    }
    text
}

/// Whether its values are whole numbers.
fn is_count(measure: Measure) -> bool {
    matches!(measure, Measure::PixelDifference | Measure::Objects | Measure::Foreground)
}

fn number(measure: Measure, value: f64) -> String {
    match measure {
        _ if is_count(measure) => with_commas(value as u128),
        Measure::MeanBoundaryDistance | Measure::HausdorffDistance => format!("{value:.2}"),
        Measure::ObjectsPerMm2 => with_commas(value.round() as u128),
        Measure::MeanObjectArea => format!("{value:.1}"),
        _ => format!("{value:.4}"),
    }
}

fn about(measure: Measure, counts: &Counts) -> String {
    let commas = |count: u64| with_commas(u128::from(count));
    match measure {
        Measure::Dice => "twice the common pixels, over the pixels of both".into(),
        Measure::Jaccard => "the common pixels, over the pixels of either".into(),
        Measure::PixelDifference => "pixels that only one of the two has".into(),
        Measure::ObjectF1 => {
            format!("twice the matched objects ({}), over the objects of both", commas(counts.matched))
        }
        Measure::PanopticQuality => "twice the overlap of the matches, over the objects of both".into(),
        Measure::MeanBoundaryDistance => "pixels between the outlines, on average".into(),
        Measure::HausdorffDistance => "pixels between the outlines, at most".into(),
        Measure::Objects => format!("the reference has {}", commas(counts.reference_objects)),
        Measure::Foreground => {
            format!("pixels in objects; the reference has {}", commas(counts.reference_foreground))
        }
        Measure::AreaFraction => "pixels in objects, over all pixels".into(),
        Measure::ObjectsPerMm2 => "objects on a square millimetre".into(),
        Measure::MeanObjectArea => "pixels of an object, on average".into(),
    }
}

/// Why a measure has no value.
fn missing(measure: Measure) -> &'static str {
    match measure {
        Measure::MeanBoundaryDistance | Measure::HausdorffDistance => "only one of the two has objects",
        Measure::ObjectsPerMm2 => "give --um-per-pixel: no file says its resolution",
        _ => "there are no objects",
    }
}
