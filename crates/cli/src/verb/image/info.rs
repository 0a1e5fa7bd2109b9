//! `onceflow image info`: what an image file holds.

use std::path::Path;

use onceflow_engine::open_source;
use onceflow_region::{ImageInfo, Scale};
use onceflow_study::with_commas;
use serde_json::{Value, json};

use crate::args::InfoArgs;
use crate::engine::engine_failure;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::terminal::Terminal;

/// Reads the head and says what is in it.
pub(super) fn run(args: &InfoArgs, terminal: &Terminal) -> Result<Exit, Failure> {
    let source = open_source(&args.file, Path::new("")).map_err(engine_failure)?;
    if args.json {
        terminal.json(&to_json(source.info()))?;
    } else {
        terminal.result(&to_text(source.info()))?;
    }
    Ok(Exit::Ok)
}

fn to_json(info: &ImageInfo) -> Value {
    let scale = |s: &Scale| json!({ "width": s.width, "height": s.height, "downsample": s.downsample });
    json!({
        "version": 1,
        "format": info.format,
        "width": info.width,
        "height": info.height,
        "scales": info.scales.iter().map(scale).collect::<Vec<_>>(),
        "um_per_pixel": info.um_per_pixel,
        "channels": info.channels,
        "element": info.element.to_string(),
    })
}

fn to_text(info: &ImageInfo) -> String {
    let commas = |number: u64| with_commas(u128::from(number));
    let channels = if info.channels == 1 { "1 channel" } else { "3 channels" };
    let resolution = info.um_per_pixel.map_or_else(|| "not said".into(), |um| format!("{um} um per pixel"));
    let mut text = format!(
        "format      {}\nsize        {} x {} pixels\npixels      {channels} of {} bits\nresolution  {resolution}\n",
        info.format,
        commas(info.width),
        commas(info.height),
        info.element.bytes() * 8,
    );
    for Scale { width, height, downsample } in info.scales.iter().skip(1) {
        text.push_str(&format!(
            "scale       {} x {}, 1/{downsample} of it\n",
            commas(*width),
            commas(*height)
        ));
    }
    text
}
