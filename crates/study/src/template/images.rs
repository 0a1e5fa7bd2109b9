//! A study of images that are there: its sheet, and what it says of their resolution.

use std::fmt::Write as _;

use super::write::text;
use crate::StudyImage;

/// What a study says of its images.
#[derive(Clone, Debug, PartialEq)]
pub struct ImagesTemplate {
    /// The sheet, relative to the study.
    pub sheet: String,
    /// The resolution to work at; that of each image without one.
    pub um_per_pixel: Option<f64>,
    /// Why this one.
    pub because: String,
    /// Whether an image has truth.
    pub with_truth: bool,
}

impl ImagesTemplate {
    pub(super) fn text(&self) -> String {
        let because = self.because.replace(char::is_control, " ");
        let resolution = match self.um_per_pixel {
            Some(um) => format!("um_per_pixel = {um:<20} # {because}"),
            None => format!("# um_per_pixel = 0.5                # {because}"),
        };
        format!(
            "images   = {:<23} # one line per image; own columns are there to group by\n\
             \n\
             [parts]\n\
             {resolution}\n\
             size         = 4096                 # images are cut into parts of this size\n\
             seams        = \"owned\"              # exact | owned | independent\n\
             background   = \"skip\"               # skip | keep\n\
             # per_image  = 4                    # so many parts of each image, spread over its tissue; without it: all\n",
            text(&self.sheet)
        )
    }
}

/// The text of a sheet.
pub fn sheet_text(images: &[StudyImage]) -> String {
    let mut out = String::from("name,file,truth,um_per_pixel\n");
    for image in images {
        let um_per_pixel = image.um_per_pixel.map_or_else(String::new, |um| um.to_string());
        let truth = image.truth.as_deref().unwrap_or_default();
        let fields = [&image.name, &image.file, truth, &um_per_pixel].map(field);
        let _infallible = writeln!(out, "{}", fields.join(","));
    }
    out
}

/// A field, in quotes where it needs them. Line ends cannot be in the name of an image that we read.
fn field(text: &str) -> String {
    if text.contains([',', '"', '\n', '\r']) || text.trim() != text {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use crate::{SourceText, StudyImage, parse_sheet};

    #[test]
    fn a_sheet_comes_back_as_it_was_written() {
        let plain =
            StudyImage { truth: Some("t/a.geojson".into()), ..StudyImage::of_file("a", "slides/a.svs") };
        let odd =
            StudyImage { um_per_pixel: Some(0.23), ..StudyImage::of_file("b, \"c\"", "slides/b, c.svs") };
        let images = [plain, odd];
        let sheet = parse_sheet(&SourceText::new("images.csv", super::sheet_text(&images))).unwrap();
        assert_eq!(sheet.images().cloned().collect::<Vec<_>>(), images);
    }
}
