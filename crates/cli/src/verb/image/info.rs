//! `onceflow image info`: shows size, scales and resolution of an image file.

use std::path::Path;

use onceflow_engine::open_source;
use onceflow_region::{Details, ImageInfo, ImageScale};
use onceflow_study::with_commas;
use onceflow_terminal::{Exit, Failure, Terminal, engine_failure};
use serde_json::{Value, json};

use super::volume;
use crate::args::InfoArgs;

/// Reads the header and prints it.
pub(super) fn run(args: &InfoArgs, terminal: &Terminal) -> Result<Exit, Failure> {
    if volume::is_volume(&args.file) {
        return volume::run(args, terminal);
    }
    let source = open_source(&args.file, Path::new("")).map_err(engine_failure)?;
    if args.json {
        terminal.json(&to_json(source.info()))?;
    } else {
        terminal.result(&to_text(source.info()))?;
    }
    Ok(Exit::Ok)
}

fn to_json(info: &ImageInfo) -> Value {
    let sides = |[width, height]: [u64; 2]| json!({ "width": width, "height": height });
    let scale = |(at, s): (usize, &ImageScale)| {
        let tile = info.details.tile_of(at).map(sides);
        json!({ "width": s.width, "height": s.height, "downsample": s.downsample, "tile": tile })
    };
    json!({
        "version": 1,
        "format": info.format,
        "width": info.width,
        "height": info.height,
        "scales": info.scales.iter().enumerate().map(scale).collect::<Vec<_>>(),
        "um_per_pixel": info.um_per_pixel,
        "channels": info.channels,
        "element": info.element.to_string(),
        "vendor": info.details.vendor,
        "objective_power": info.details.objective_power,
        "tile": info.details.tile.map(sides),
        "compression": info.details.compression,
        "library": info.details.library,
    })
}

fn to_text(info: &ImageInfo) -> String {
    let commas = |number: u64| with_commas(u128::from(number));
    let mut text = String::new();
    let mut line = |name: &str, words: String| text.push_str(&format!("{name:<12}{words}\n"));
    line("format", with(&info.format, info.details.vendor.as_ref().map(|vendor| format!(" of {vendor}"))));
    line("size", format!("{} x {} pixels", commas(info.width), commas(info.height)));
    let channels = if info.channels == 1 { "1 channel" } else { "3 channels" };
    line("pixels", format!("{channels} of {} bits", info.element.bytes() * 8));
    let resolution = info.um_per_pixel.map_or_else(|| "not said".into(), |um| format!("{um} um per pixel"));
    line(
        "resolution",
        with(&resolution, info.details.objective_power.map(|power| format!(", objective {power}x"))),
    );
    if let Some(stored) = stored(&info.details) {
        line("stored", stored);
    }
    for (at, ImageScale { width, height, downsample }) in info.scales.iter().enumerate().skip(1) {
        let smaller = format!("{} x {}, 1/{} of it", commas(*width), commas(*height), rounded(*downsample));
        let other = info.details.tile_of(at).filter(|tile| Some(*tile) != info.details.tile);
        line(
            "scale",
            with(&smaller, other.map(|[width, height]| format!(", in tiles of {width} x {height}"))),
        );
    }
    if let Some(library) = &info.details.library {
        line("read by", library.clone());
    }
    text
}

fn with(words: &str, more: Option<String>) -> String {
    format!("{words}{}", more.unwrap_or_default())
}

fn stored(details: &Details) -> Option<String> {
    let tiles = details.tile.map(|[width, height]| format!("in tiles of {width} x {height}"));
    let words: Vec<String> = tiles.into_iter().chain(details.compression.clone()).collect();
    (!words.is_empty()).then(|| words.join(", "))
}

/// As many digits as tell scales apart.
fn rounded(downsample: f64) -> f64 {
    (downsample * 1e4).round() / 1e4
}
