//! `onceflow image convert`: one image as another file.

mod form;
mod target;

use std::path::Path;
use std::sync::atomic::AtomicBool;

use onceflow_engine::{
    Conversion, EngineError, PlannedConversion, StepProgress, WantedPixels, available_memory,
    available_workers, convert, open_source, plan_conversion,
};
use onceflow_imageio::pyramid::{Halving, Pyramid, PyramidWork, PyramidWritten};
use onceflow_region::Budget;
use onceflow_study::{Diagnostic, Size, counted, with_commas};
use onceflow_terminal::{Exit, Failure, Terminal, engine_failure};
use serde_json::{Value, json};

use crate::args::{ConvertArgs, HalvingWord};
use crate::file::remove_on_signal;
use form::ConvertFormat;

/// Converts an image and prints what was written.
pub(super) fn run(args: &ConvertArgs, terminal: &Terminal) -> Result<Exit, Failure> {
    let form = ConvertFormat::of(args)?;
    target::check(args, &form)?;
    let source = open_source(&args.input, Path::new("")).map_err(engine_failure)?;
    let planned = plan_conversion(source, &conversion(args, &form)).map_err(engine_failure)?;
    let written = if args.dry_run { None } else { Some(work(args, &planned, terminal)?) };
    tell(args, &form, &planned.pyramid, written, terminal)
}

fn conversion(args: &ConvertArgs, form: &ConvertFormat) -> Conversion {
    let pixels = args.um_per_pixel.map(WantedPixels::Micrometres);
    let halving = args.halving.map(|word| match word {
        HalvingWord::Mean => Halving::Mean,
        HalvingWord::First => Halving::First,
    });
    Conversion {
        form: form.image,
        bounds: args.bounds,
        pixels: pixels.unwrap_or(WantedPixels::Scale(args.scale.unwrap_or(0))),
        single: args.no_pyramid,
        halving,
    }
}

fn work(
    args: &ConvertArgs,
    planned: &PlannedConversion,
    terminal: &Terminal,
) -> Result<PyramidWritten, Failure> {
    remove_on_signal();
    let progress = terminal.progress(format!("converting {} to {}", args.input, args.output.display()));
    let watch = |done, of| progress.step(StepProgress { task: "pixels", done, of });
    let threads = args.threads.map_or_else(available_workers, |threads| threads as usize);
    let budget = Budget::new(args.memory.map_or_else(available_memory, |size| size.0));
    let stop = AtomicBool::new(false);
    let work = PyramidWork { threads, budget, watch: &watch, stop: &stop };
    convert(planned, &args.output, &work).map_err(|error| match error {
        EngineError::Memory { needed, limit, .. } => too_small(needed, limit),
        other => engine_failure(other),
    })
}

fn too_small(needed: u64, limit: u64) -> Failure {
    let least = Size(needed.div_ceil(1 << 20) << 20);
    let message = Diagnostic::error("the memory bound is too small for one block of the image");
    let message = message.expected_found(format!("at least {least}"), Size(limit).rounded_down().to_string());
    Failure::memory(message.with_hint(format!("give --memory '{least}' or more")))
}

fn tell(
    args: &ConvertArgs,
    form: &ConvertFormat,
    pyramid: &Pyramid,
    written: Option<PyramidWritten>,
    terminal: &Terminal,
) -> Result<Exit, Failure> {
    let verb = if written.is_some() { "wrote" } else { "would write" };
    terminal.say(&format!("{verb} {}", args.output.display()));
    if args.json {
        terminal.json(&to_json(args, form, pyramid, written))?;
    } else {
        terminal.result(&to_text(form, pyramid, written))?;
    }
    Ok(Exit::Ok)
}

fn to_text(form: &ConvertFormat, pyramid: &Pyramid, written: Option<PyramidWritten>) -> String {
    let number = |number: u64| with_commas(u128::from(number));
    let mut text = format!("form        {}\n", form.words());
    for (scale, [width, height]) in pyramid.scales.iter().enumerate() {
        let um = pyramid
            .um_per_pixel_at(scale)
            .map_or_else(String::new, |um| format!(", {} um per pixel", rounded(um)));
        text.push_str(&format!("scale {scale:<6}{} x {}{um}\n", number(*width), number(*height)));
    }
    let mebibytes = |bytes: u64| Size(bytes.div_ceil(1 << 20) << 20);
    text.push_str(&format!("pixels      {} before compression\n", mebibytes(pyramid.bytes())));
    if let Some(PyramidWritten { tiles, bytes }) = written {
        let tiles = counted(usize::try_from(tiles).unwrap_or(usize::MAX), "tile");
        text.push_str(&format!("written     {} in {tiles}\n", mebibytes(bytes)));
    }
    text
}

/// As many digits as tell resolutions apart.
fn rounded(um: f64) -> f64 {
    (um * 1e6).round() / 1e6
}

fn to_json(
    args: &ConvertArgs,
    form: &ConvertFormat,
    pyramid: &Pyramid,
    written: Option<PyramidWritten>,
) -> Value {
    let scale = |(scale, [width, height]): (usize, &[u64; 2])| json!({ "width": width, "height": height, "downsample": 1u64 << scale });
    json!({
        "version": 1,
        "input": args.input,
        "output": args.output,
        "dry_run": args.dry_run,
        "form": form.name(),
        "width": pyramid.scales.first().map(|size| size[0]),
        "height": pyramid.scales.first().map(|size| size[1]),
        "scales": pyramid.scales.iter().enumerate().map(scale).collect::<Vec<_>>(),
        "um_per_pixel": pyramid.um_per_pixel,
        "channels": pyramid.channels,
        "element": pyramid.element.to_string(),
        "compression": form.compression(),
        "halving": match pyramid.halving { Halving::Mean => "mean", Halving::First => "first" },
        "bytes_before_compression": pyramid.bytes(),
        "tiles": written.map(|written| written.tiles),
        "bytes": written.map(|written| written.bytes),
    })
}
