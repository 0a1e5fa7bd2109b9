//! What OME-Zarr says of an image: its axes, their units, and the arrays of its scales.

use onceflow_store::zarr::json::BadMetadata;
use onceflow_store::zarr::{ArrayLayout, PlaneAxes, json};
use serde_json::Value;

use crate::resolution::{METRE, plausible};

/// An image with the arrays of its scales, the largest first.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Multiscale {
    axes: Vec<OmeAxis>,
    /// The folders of the arrays, with how large a step along each axis is.
    pub(super) scales: Vec<(String, Vec<f64>)>,
    /// Colours of the channels, when they are said.
    colours: Vec<String>,
}

#[derive(Debug, Clone, PartialEq)]
struct OmeAxis {
    name: String,
    unit: Option<String>,
}

/// The most scales: sides of 2^63 pixels have not more.
const MOST_SCALES: usize = 64;

/// The colours that make three channels a colour image.
pub(super) const RGB: [&str; 3] = ["FF0000", "00FF00", "0000FF"];

impl Multiscale {
    /// Reads the first image that the attributes name.
    pub(super) fn parse(ome: &Value) -> Result<Multiscale, BadMetadata> {
        let images = ome.get("multiscales").and_then(Value::as_array);
        let Some(image) = images.and_then(|images| images.first()) else { return Err(no_image(ome)) };
        let axes = json::list(image, "axes")?.iter().map(OmeAxis::parse).collect::<Result<Vec<_>, _>>()?;
        let all = scale(image, axes.len())?;
        let datasets = json::list(image, "datasets")?;
        if !(1..=MOST_SCALES).contains(&datasets.len()) {
            return Err(BadMetadata::new(format!("1 to {MOST_SCALES} datasets"), datasets.len().to_string()));
        }
        let of = |dataset: &Value| {
            let steps = scale(dataset, axes.len())?;
            let steps = steps.iter().zip(&all).map(|(one, all)| one * all).collect();
            Ok((path(dataset)?, steps))
        };
        let scales = datasets.iter().map(of).collect::<Result<_, _>>()?;
        Ok(Multiscale { scales, axes, colours: colours(ome) })
    }

    /// Which axes are those of the image; the array must have one place along all others, and one channel or colours.
    pub(super) fn plane(&self, layout: &ArrayLayout) -> Result<PlaneAxes, BadMetadata> {
        if layout.shape.len() != self.axes.len() {
            let found = format!("an array of shape {:?}", layout.shape);
            return Err(BadMetadata::new(format!("an array of {} axes", self.axes.len()), found));
        }
        let names: Vec<Option<&str>> = self.axes.iter().map(|axis| Some(axis.name.as_str())).collect();
        let plane = plane(&names, &layout.shape)?;
        let three = plane.channels.is_some_and(|axis| layout.shape[axis] == 3);
        let colours = self.colours.iter().map(|colour| colour.to_uppercase());
        if three && self.colours.len() == 3 && !colours.eq(RGB) {
            let found = format!("channels shown as {}", self.colours.join(", "));
            return Err(BadMetadata::new("red, green and blue as the three channels", found));
        }
        Ok(plane)
    }

    /// Micrometres per pixel, when a unit is said and a microscope can have seen them.
    pub(super) fn um_per_pixel(&self, plane: PlaneAxes) -> Option<f64> {
        let steps = &self.scales.first()?.1;
        let step = |axis: usize| Some(steps.get(axis)? * micrometres(self.axes.get(axis)?.unit.as_deref()?)?);
        plausible(step(plane.columns)?, step(plane.rows)?)
    }
}

/// Which axes are those of an image, by their names.
pub(super) fn plane(names: &[Option<&str>], shape: &[u64]) -> Result<PlaneAxes, BadMetadata> {
    let axis = |name: &str| names.iter().position(|its| *its == Some(name));
    let found = || {
        let names: Vec<&str> = names.iter().map(|name| name.unwrap_or("?")).collect();
        format!("axes {} with {shape:?} places", names.join(""))
    };
    let (Some(rows), Some(columns)) = (axis("y"), axis("x")) else {
        return Err(BadMetadata::new("axes y and x", found()));
    };
    let plane = PlaneAxes { channels: axis("c"), rows, columns };
    let other = |place: usize| ![Some(rows), Some(columns), plane.channels].contains(&Some(place));
    if (0..shape.len()).any(|place| other(place) && shape[place] != 1) {
        return Err(BadMetadata::new("an image of one plane (one depth, one time)", found()));
    }
    match plane.channels.map_or(1, |axis| shape[axis]) {
        1 | 3 => Ok(plane),
        _ => Err(BadMetadata::new("an image of 1 channel (grey) or 3 (colour)", found())),
    }
}

fn no_image(ome: &Value) -> BadMetadata {
    let expected = "an image (multiscales)";
    if ome.get("plate").is_some() || ome.get("well").is_some() {
        return BadMetadata::new(expected, "a plate of many; name the folder of one field");
    }
    if ome.get("bioformats2raw.layout").is_some() {
        return BadMetadata::new(
            expected,
            "a folder of several images; name one of them, such as its folder 0",
        );
    }
    BadMetadata::new(expected, "none")
}

impl OmeAxis {
    fn parse(value: &Value) -> Result<OmeAxis, BadMetadata> {
        let unit = value.get("unit").and_then(Value::as_str).map(str::to_owned);
        Ok(OmeAxis { name: json::text(value, "name")?.to_owned(), unit })
    }
}

/// How large a step along each axis is: 1 where nothing is said. Translations do not change sizes.
fn scale(value: &Value, rank: usize) -> Result<Vec<f64>, BadMetadata> {
    let Some(transformations) = value.get("coordinateTransformations").and_then(Value::as_array) else {
        return Ok(vec![1.0; rank]);
    };
    let scale = transformations.iter().find(|one| one.get("type").and_then(Value::as_str) == Some("scale"));
    let Some(numbers) = scale.and_then(|scale| scale.get("scale")) else { return Ok(vec![1.0; rank]) };
    let steps: Option<Vec<f64>> =
        numbers.as_array().and_then(|list| list.iter().map(Value::as_f64).collect());
    let steps = steps.filter(|steps| steps.len() == rank);
    steps.ok_or_else(|| json::wrong(&format!("a scale of {rank} numbers"), Some(numbers)))
}

fn path(dataset: &Value) -> Result<String, BadMetadata> {
    let path = json::text(dataset, "path")?.trim_end_matches('/');
    let good = |part: &str| !matches!(part, "" | "." | "..") && !part.contains(['\\', '\0', ':']);
    match path.split('/').all(good) {
        true => Ok(path.to_owned()),
        false => Err(json::wrong("the path of a folder within", dataset.get("path"))),
    }
}

fn colours(ome: &Value) -> Vec<String> {
    let channels = ome.get("omero").and_then(|omero| omero.get("channels")).and_then(Value::as_array);
    let colour = |channel: &Value| channel.get("color")?.as_str().map(str::to_owned);
    channels.and_then(|channels| channels.iter().map(colour).collect()).unwrap_or_default()
}

/// Micrometres in a unit of length, as UDUNITS-2 names them.
fn micrometres(unit: &str) -> Option<f64> {
    Some(match unit {
        "micrometer" | "micrometre" | "micron" | "um" | "µm" => 1.0,
        "nanometer" | "nanometre" | "nm" => 1e-3,
        "millimeter" | "millimetre" | "mm" => 1e3,
        "centimeter" | "centimetre" | "cm" => 1e4,
        "meter" | "metre" | "m" => METRE,
        "angstrom" => 1e-4,
        _ => return None,
    })
}
