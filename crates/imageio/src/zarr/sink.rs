//! Writing OME-Zarr 0.5: a folder with an array for each scale, seen under its name when it is finished.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use onceflow_region::{Bounds, Dense};
use onceflow_store::publish::{Filling, Publisher};
use onceflow_store::zarr::{ArrayForm, Compression, SHARD};
use serde_json::{Value, json};

use super::ome::RGB;
use crate::pyramid::{Pyramid, ScaleSink, SinkError, TileEncoder};

/// An OME-Zarr image that is being written; a tile is a shard.
#[derive(Debug)]
pub struct OmeZarrSink {
    name: String,
    filling: Filling,
    scales: Arc<Scales>,
}

/// The scales as arrays.
#[derive(Debug)]
struct Scales {
    name: String,
    forms: Vec<ArrayForm>,
}

impl OmeZarrSink {
    /// Begins an image. A folder that is there already is replaced when the new one is finished.
    ///
    /// # Errors
    /// When nothing can be written beside it.
    pub fn create(
        path: &Path,
        pyramid: &Pyramid,
        compression: Compression,
        publisher: &Publisher,
    ) -> Result<OmeZarrSink, SinkError> {
        let name = path.display().to_string();
        let form = |&size: &[u64; 2]| ArrayForm::new(size, pyramid.channels, pyramid.element, compression);
        let forms: Vec<ArrayForm> = pyramid.scales.iter().map(form).collect();
        let failed = |error| SinkError::Write { file: name.clone(), error };
        let filling = publisher.begin_folder(path).map_err(failed)?;
        write_metadata(filling.path(), pyramid, &forms, &title(path)).map_err(failed)?;
        Ok(OmeZarrSink { filling, scales: Arc::new(Scales { name: name.clone(), forms }), name })
    }
}

impl ScaleSink for OmeZarrSink {
    fn tile(&self) -> [u64; 2] {
        [SHARD; 2]
    }

    fn encoder(&self) -> Arc<dyn TileEncoder> {
        Arc::<Scales>::clone(&self.scales)
    }

    fn put(&mut self, scale: usize, bounds: Bounds, encoded: Vec<u8>) -> Result<(), SinkError> {
        let key = self.scales.form(scale)?.key(&bounds);
        let path = self.filling.path().join(scale.to_string()).join(&key);
        let file = format!("{}/{scale}/{key}", self.name);
        write_shard(&path, &encoded).map_err(|error| SinkError::Write { file, error })
    }

    fn finish(self: Box<Self>) -> Result<(), SinkError> {
        let file = self.name;
        self.filling.finish().map_err(|error| SinkError::Write { file, error })
    }
}

impl Scales {
    fn form(&self, scale: usize) -> Result<&ArrayForm, SinkError> {
        self.forms.get(scale).ok_or_else(|| SinkError::Form {
            file: self.name.clone(),
            expected: format!("a scale from 0 to {}", self.forms.len().saturating_sub(1)),
            found: scale.to_string(),
            todo: "plan the image with that scale",
        })
    }
}

impl TileEncoder for Scales {
    fn encode(&self, scale: usize, _: Bounds, pixels: &Dense) -> Result<Vec<u8>, SinkError> {
        let failed = |error| SinkError::Write { file: self.name.clone(), error };
        self.form(scale)?.encode(pixels).map_err(failed)
    }
}

/// Writes a file of an array, and the folders on the way to it.
fn write_shard(path: &Path, bytes: &[u8]) -> io::Result<()> {
    match fs::write(path, bytes) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            path.parent().map_or(Ok(()), fs::create_dir_all)?;
            fs::write(path, bytes)
        }
        result => result,
    }
}

fn title(path: &Path) -> String {
    path.file_stem().map_or_else(String::new, |stem| stem.to_string_lossy().into_owned())
}

fn write_metadata(folder: &Path, pyramid: &Pyramid, forms: &[ArrayForm], title: &str) -> io::Result<()> {
    write_json(folder.join("zarr.json"), &group(pyramid, title))?;
    forms.iter().enumerate().try_for_each(|(scale, form)| {
        let folder = folder.join(scale.to_string());
        fs::create_dir(&folder)?;
        write_json(folder.join("zarr.json"), &form.metadata())
    })
}

pub(super) fn write_json(path: PathBuf, value: &Value) -> io::Result<()> {
    fs::write(path, serde_json::to_vec_pretty(value)?)
}

/// The metadata of the image. Smaller scales begin half of their larger pixel later: a pixel stands for its middle.
fn group(pyramid: &Pyramid, title: &str) -> Value {
    let axis = |name: &str| match pyramid.um_per_pixel {
        Some(_) => json!({"name": name, "type": "space", "unit": "micrometer"}),
        None => json!({"name": name, "type": "space"}),
    };
    let step = pyramid.um_per_pixel.unwrap_or(1.0);
    let dataset = |scale: usize| {
        let pixel = step * (scale as f64).exp2();
        let shift = (pixel - step) / 2.0;
        json!({"path": scale.to_string(), "coordinateTransformations": [
            {"type": "scale", "scale": [1.0, pixel, pixel]},
            {"type": "translation", "translation": [0.0, shift, shift]},
        ]})
    };
    let mut ome = json!({"version": "0.5", "multiscales": [{
        "name": title,
        "axes": [{"name": "c", "type": "channel"}, axis("y"), axis("x")],
        "datasets": (0..pyramid.scales.len()).map(dataset).collect::<Vec<_>>(),
    }]});
    if let (3, Some(omero)) = (pyramid.channels, omero(pyramid)) {
        ome["omero"] = omero;
    }
    json!({"zarr_format": 3, "node_type": "group", "attributes": {"ome": ome}})
}

/// How viewers show the three channels of a colour image; `None` for values whose range is not known.
fn omero(pyramid: &Pyramid) -> Option<Value> {
    let most = match pyramid.element {
        onceflow_region::Element::U8 => 255,
        onceflow_region::Element::U16 => 65535,
        _ => return None,
    };
    let channel = |(label, colour): (&str, &str)| {
        let window = json!({"min": 0, "max": most, "start": 0, "end": most});
        json!({"label": label, "color": colour, "active": true, "window": window})
    };
    let labels = ["red", "green", "blue"].into_iter().zip(RGB);
    Some(json!({"channels": labels.map(channel).collect::<Vec<_>>(), "rdefs": {"model": "color"}}))
}
