//! The tiles of the objective: a quadrant of each of four slides, or of synthetic ones, and the other quadrants to confirm.

use std::path::{Path, PathBuf};

use onceflow_engine::open_image;
use onceflow_kernels::{Plane, Window};
use onceflow_region::{Bounds, Dense};
use onceflow_study::Diagnostic;
use onceflow_terminal::Failure;

use super::synthetic::synthetic;
use super::tile::TuneTile;
use crate::kernels::{normalize, plane_of};
use crate::program::failed;

/// An image, and the file of its truth.
type Slide = (PathBuf, PathBuf);

/// Slides that a run needs.
const SLIDES: usize = 4;
/// Synthetic slides, when no folder is named.
const SYNTHETIC: [&str; SLIDES] = [
    "synth:1000x1000?seed=1&slide=1",
    "synth:1000x1000?seed=2&slide=2",
    "synth:1000x1000?seed=3&slide=3",
    "synth:1000x1000?seed=4&slide=4",
];

/// Endings of images.
const IMAGES: [&str; 5] = ["tif", "tiff", "png", "svs", "jpg"];

/// The quadrant of each slide that takes part in tuning, and the others.
pub(super) fn quadrants(folder: Option<&str>) -> Result<[Vec<TuneTile>; 2], Failure> {
    let pictures: Vec<_> = match folder {
        Some(folder) => slides(Path::new(folder))?.iter().take(SLIDES).map(read).collect::<Result<_, _>>()?,
        None => SYNTHETIC.into_iter().map(synthetic).collect::<Result<_, _>>()?,
    };
    let mut tiles = [Vec::new(), Vec::new()];
    for (number, (colours, labels)) in pictures.into_iter().enumerate() {
        for quadrant in 0..4 {
            let tile = cut(&colours, &labels, quadrant).ok_or_else(|| failed("a slide without pixels"))?;
            tiles[usize::from(quadrant != number)].push(tile);
        }
    }
    Ok(tiles)
}

/// The first slides of a folder by name, each with a file of labels beside it.
fn slides(folder: &Path) -> Result<Vec<Slide>, Failure> {
    let files = std::fs::read_dir(folder).map_err(failed)?;
    let mut images: Vec<PathBuf> = files.filter_map(|file| Some(file.ok()?.path())).collect();
    images.sort();
    let labels = |image: &PathBuf| {
        let kind = image.extension()?.to_str()?;
        IMAGES.contains(&kind).then_some(())?;
        let stem = image.file_stem()?.to_str()?;
        let labels = image.with_file_name(format!("{stem}.labels.png"));
        (labels != *image && labels.is_file()).then_some(labels)
    };
    let slides: Vec<Slide> =
        images.into_iter().filter_map(|image| Some((image.clone(), labels(&image)?))).collect();
    if slides.len() < SLIDES {
        let found = format!("{} in {}", slides.len(), folder.display());
        let error = Diagnostic::error("too few slides to tune on")
            .expected_found("four images, each with NAME.labels.png beside it", found);
        return Err(Failure::bad_input(error.with_hint("name a folder with --image, or leave it out")));
    }
    Ok(slides)
}

fn read((image, labels): &Slide) -> Result<(Plane<[u8; 3]>, Plane<u32>), Failure> {
    let (image, labels) = (whole(image)?, whole(labels)?);
    let labels = onceflow_region::labels(&labels).map_err(failed)?.plane;
    let (width, height) = (labels.width(), labels.height());
    let labels = labels.as_u32().and_then(|labels| Plane::from_vec(labels.to_vec(), width, height));
    let colours = plane_of(&image).filter(|colours| (colours.width(), colours.height()) == (width, height));
    let both = colours.zip(labels);
    both.ok_or_else(|| failed("a slide and its labels are not of one size"))
        .map(|(colours, labels)| (normalize(&colours), labels))
}

fn whole(file: &Path) -> Result<Dense, Failure> {
    let source = open_image(&file.display().to_string(), Path::new("")).map_err(failed)?;
    let (width, height) = (source.info().width, source.info().height);
    let bounds = Bounds::plane(0, 0, width, height).ok_or_else(|| failed("an image without pixels"))?;
    source.read(bounds).map_err(failed)
}

fn cut(colours: &Plane<[u8; 3]>, labels: &Plane<u32>, quadrant: usize) -> Option<TuneTile> {
    let (width, height) = (colours.width() / 2, colours.height() / 2);
    let window = Window { left: quadrant % 2 * width, top: quadrant / 2 * height, width, height };
    let pixels = window.of(colours.view()).rows().flatten().copied().collect();
    Some(TuneTile::new(Plane::from_vec(pixels, width, height)?, window.of(labels.view())))
}
