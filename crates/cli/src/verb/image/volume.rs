//! `onceflow image info` of volumes with three dimensions.

use onceflow_engine::open_volume;
use onceflow_region::VolumeInfo;
use onceflow_terminal::{Exit, Failure, Terminal, engine_failure};
use serde_json::{Value, json};

use crate::args::InfoArgs;

/// Whether a name is that of a volume, by its ending.
pub(super) fn is_volume(name: &str) -> bool {
    let name = name.to_lowercase();
    [".nii", ".nii.gz", ".mha", ".mhd"].iter().any(|ending| name.ends_with(ending))
}

/// Reads the header and prints it.
pub(super) fn run(args: &InfoArgs, terminal: &Terminal) -> Result<Exit, Failure> {
    let source = open_volume(&args.file).map_err(engine_failure)?;
    if args.json {
        terminal.json(&to_json(source.info()))?;
    } else {
        terminal.result(&to_text(source.info()))?;
    }
    Ok(Exit::Ok)
}

fn to_json(info: &VolumeInfo) -> Value {
    let (width, height) = (info.bounds.width(), info.bounds.height());
    json!({
        "version": 1,
        "format": info.format,
        "width": width,
        "height": height,
        "depth": info.bounds.z().length(),
        "times": info.bounds.time().length(),
        "scales": [{ "width": width, "height": height, "downsample": 1.0 }],
        "um_per_pixel": info.geometry.um_per_pixel(),
        "spacing_mm": info.geometry.spacing,
        "origin_mm": info.geometry.origin,
        "directions": info.geometry.directions,
        "channels": 1,
        "element": info.element.to_string(),
        "compression": info.compression,
    })
}

fn to_text(info: &VolumeInfo) -> String {
    let (width, height, depth) = (info.bounds.width(), info.bounds.height(), info.bounds.z().length());
    let [x, y, z] = info.geometry.spacing;
    let mut text = format!("format      {}\nsize        {width} x {height} x {depth} places\n", info.format);
    if info.bounds.time().length() > 1 {
        text.push_str(&format!("times       {}\n", info.bounds.time().length()));
    }
    text.push_str(&format!("values      {}\nspacing     {x} x {y} x {z} mm\n", info.element));
    if let Some(compression) = &info.compression {
        text.push_str(&format!("stored      {compression}\n"));
    }
    text
}
