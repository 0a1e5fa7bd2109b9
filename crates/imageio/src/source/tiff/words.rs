//! The texts in a TIFF file: its maker, the size of its pixels, and whether another reader is needed.

use onceflow_region::SourceError;
use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};

use super::directory::{Directories, TiffDirectory};
use crate::resolution::{CENTIMETRE, INCH, plausible, um_per_pixel};

/// What the texts say.
#[derive(Debug, Default, PartialEq)]
pub(super) struct TiffWords {
    pub(super) format: Option<&'static str>,
    pub(super) vendor: Option<String>,
    pub(super) um_per_pixel: Option<f64>,
    pub(super) objective_power: Option<f64>,
    /// Planes of a file with several: channels, depths and times.
    pub(super) planes: Option<[u64; 3]>,
    /// The form of a file whose first image is not the slide, or whose tiles do not lie edge to edge.
    pub(super) foreign: Option<&'static str>,
}

const DESCRIPTION: u16 = 270;
const SOFTWARE: u16 = 305;
const XMP: u16 = 700;
const NDPI: u16 = 65420;

impl TiffWords {
    pub(super) fn of(
        files: &mut Directories<'_>,
        directory: &TiffDirectory,
    ) -> Result<TiffWords, SourceError> {
        let description = files.text(directory, DESCRIPTION)?.unwrap_or_default();
        let mut words = match description.as_str() {
            text if text.starts_with("Aperio") => aperio(text),
            text if text.contains("<OME") => ome(text).map_err(|found| files.no_number("OME-XML", found))?,
            _ => TiffWords::default(),
        };
        words.foreign = foreign(files, directory, &description)?;
        if words.um_per_pixel.is_none() {
            words.um_per_pixel = from_tags(files, directory)?;
        }
        Ok(words)
    }
}

fn foreign(
    files: &mut Directories<'_>,
    directory: &TiffDirectory,
    description: &str,
) -> Result<Option<&'static str>, SourceError> {
    let software = files.text(directory, SOFTWARE)?.unwrap_or_default();
    let leica = description.contains("http://www.leica-microsystems.com/scn");
    let ventana = files.text(directory, XMP)?.is_some_and(|text| text.contains("iScan"));
    Ok(match () {
        () if directory.has(NDPI) => Some("a Hamamatsu NDPI slide"),
        () if leica => Some("a Leica SCN slide"),
        () if ventana => Some("a Ventana slide"),
        () if software.starts_with("MedScan") => Some("a Trestle slide"),
        () if software.starts_with("Philips") => Some("a Philips slide"),
        () => None,
    })
}

/// A text such as `Aperio Image Library ...|AppMag = 20|MPP = 0.4990`.
fn aperio(text: &str) -> TiffWords {
    let value = |name: &str| {
        let pair =
            text.split('|').filter_map(|part| part.split_once('=')).find(|(key, _)| key.trim() == name);
        pair.and_then(|(_, value)| value.trim().parse::<f64>().ok())
    };
    TiffWords {
        format: Some("svs"),
        vendor: Some("aperio".into()),
        um_per_pixel: value("MPP").and_then(|um| plausible(um, um)),
        objective_power: value("AppMag").filter(|power| power.is_finite()),
        ..TiffWords::default()
    }
}

/// OME-XML: the size of the first image's pixels and its numbers of planes.
fn ome(text: &str) -> Result<TiffWords, String> {
    let mut words = TiffWords { format: Some("ome-tiff"), ..TiffWords::default() };
    let mut reader = Reader::from_str(text);
    loop {
        match reader.read_event() {
            Ok(Event::Start(tag) | Event::Empty(tag)) => match tag.local_name().as_ref() {
                "Pixels" => {
                    words.um_per_pixel = physical_size(&tag);
                    words.planes =
                        Some([count(&tag, "SizeC")?, count(&tag, "SizeZ")?, count(&tag, "SizeT")?]);
                    return Ok(words);
                }
                "Objective" => {
                    words.objective_power =
                        attribute(&tag, "NominalMagnification").and_then(|value| value.parse().ok());
                }
                "Microscope" => words.vendor = attribute(&tag, "Manufacturer"),
                _ => {}
            },
            Ok(Event::Eof) | Err(_) => return Ok(words),
            Ok(_) => {}
        }
    }
}

/// A number of planes, 1 where none is given. One that cannot be read is an error: of several planes one would be taken for
/// all.
fn count(pixels: &BytesStart<'_>, name: &str) -> Result<u64, String> {
    let Some(text) = attribute(pixels, name) else { return Ok(1) };
    text.trim().parse().map_err(|_| format!("{name}=\"{}\"", text.chars().take(40).collect::<String>()))
}

fn physical_size(pixels: &BytesStart<'_>) -> Option<f64> {
    let side = |size: &str, unit: &str| {
        let size: f64 = attribute(pixels, size)?.parse().ok()?;
        let scale = match attribute(pixels, unit).as_deref() {
            None | Some("µm" | "\u{3bc}m" | "um" | "micron") => 1.0,
            Some("nm") => 1e-3,
            Some("mm") => 1e3,
            Some("cm") => 1e4,
            Some("m") => 1e6,
            Some(_) => return None,
        };
        Some(size * scale)
    };
    plausible(side("PhysicalSizeX", "PhysicalSizeXUnit")?, side("PhysicalSizeY", "PhysicalSizeYUnit")?)
}

fn attribute(tag: &BytesStart<'_>, name: &str) -> Option<String> {
    let attribute = tag.try_get_attribute(name).ok().flatten()?;
    Some(attribute.value.into_owned())
}

fn from_tags(files: &mut Directories<'_>, directory: &TiffDirectory) -> Result<Option<f64>, SourceError> {
    let unit = match files.one(directory, 296)? {
        None | Some(2) => INCH,
        Some(3) => CENTIMETRE,
        Some(_) => return Ok(None),
    };
    let [across, down] = [files.fraction(directory, 282)?, files.fraction(directory, 283)?];
    Ok(across.zip(down).and_then(|(across, down)| um_per_pixel(unit, across, down)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn aperio_says_the_size_of_a_pixel() {
        let words = aperio(
            "Aperio Image Library v11.2.1 \r\n46000x32914 JPEG/RGB Q=30|AppMag = 20|MPP = 0.4990|Left = 1",
        );
        assert_eq!((words.um_per_pixel, words.objective_power), (Some(0.499), Some(20.0)));
        assert_eq!(aperio("Aperio|MPP = none").um_per_pixel, None);
    }

    #[test]
    fn ome_says_the_planes() {
        let text = |unit: &str| {
            format!(
                r#"<?xml version="1.0"?><OME xmlns="http://www.openmicroscopy.org/Schemas/OME/2016-06">
                <Image ID="Image:0"><Pixels SizeC="3" SizeZ="2" SizeT="1" PhysicalSizeX="250" PhysicalSizeY="250"
                PhysicalSizeXUnit="{unit}" PhysicalSizeYUnit="{unit}"/></Image></OME>"#
            )
        };
        let words = ome(&text("nm")).unwrap();
        assert_eq!((words.um_per_pixel, words.planes), (Some(0.25), Some([3, 2, 1])));
        assert_eq!(ome(&text("µm")).unwrap().um_per_pixel, None);
        assert_eq!(ome(&text("pixel")).unwrap().um_per_pixel, None);
        assert_eq!(ome("<OME><unclosed").unwrap().planes, None);
    }
}
