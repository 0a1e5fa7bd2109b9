//! A folder with a mask for each object, as one label image.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use onceflow_region::source::{check_read, dense};
use onceflow_region::{
    Bounds, Dense, Details, Digest, Digester, Element, ImageInfo, ImageScale, Pixels, Source, SourceError,
};

use crate::open;

/// Masks of one size, each with one object; objects are numbered from 1 on in the order of the names of their files. Where
/// two overlap, the later one wins.
#[derive(Debug)]
pub struct MaskFolder {
    name: String,
    masks: Vec<Arc<dyn Source>>,
    info: ImageInfo,
}

/// The most objects: each is a file.
const MOST: usize = 100_000;

const TODO: &str = "put one mask for each object into the folder, all of the size of the image";

impl MaskFolder {
    /// Whether a path is a folder of masks, and not one of chunks.
    pub fn is_one(path: &Path) -> bool {
        let has = |name: &str| path.join(name).exists();
        let is_zarr = ["zarr.json", ".zattrs", ".zgroup", ".zarray"].into_iter().any(has);
        path.is_dir() && !is_zarr && files(path).next().is_some()
    }

    /// Opens all masks; only their heads are read.
    ///
    /// # Errors
    /// When one cannot be read, is not of 8 or 16 bits, or has another size.
    pub fn open(path: &Path) -> Result<MaskFolder, SourceError> {
        let name = path.display().to_string();
        let mut files: Vec<PathBuf> = files(path).take(MOST + 1).collect();
        files.sort();
        if files.len() > MOST {
            return Err(SourceError::content(&name, "at most 100,000 masks", "more", TODO));
        }
        let masks = files.iter().map(|file| open(file)).collect::<Result<Vec<_>, _>>()?;
        let Some(first) = masks.first() else {
            return Err(SourceError::content(&name, "a folder of masks", "no mask", TODO));
        };
        let (width, height) = (first.info().width, first.info().height);
        let size = |info: &ImageInfo| (info.width, info.height);
        let fits = |info: &ImageInfo| {
            size(info) == (width, height) && matches!(info.element, Element::U8 | Element::U16)
        };
        if let Some((file, other)) = files.iter().zip(&masks).find(|(_, mask)| !fits(mask.info())) {
            let found = size(other.info());
            let found = format!("{} x {} pixels of {}", found.0, found.1, other.info().element);
            let expected = format!("{width} x {height} pixels of 8 or 16 bits, as the first mask");
            return Err(SourceError::content(&file.display().to_string(), &expected, found, TODO));
        }
        let info = ImageInfo {
            format: "masks".into(),
            width,
            height,
            channels: 1,
            element: Element::U32,
            um_per_pixel: None,
            scales: vec![ImageScale::whole(width, height)],
            details: Details::default(),
        };
        Ok(MaskFolder { name, masks, info })
    }
}

fn files(path: &Path) -> impl Iterator<Item = PathBuf> {
    let entries = std::fs::read_dir(path).into_iter().flatten().flatten().map(|entry| entry.path());
    entries.filter(|path| {
        let is_hidden = path.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.'));
        let ending = path.extension().map(|ending| ending.to_string_lossy().to_lowercase());
        !is_hidden && matches!(ending.as_deref(), Some("png" | "tif" | "tiff"))
    })
}

impl Source for MaskFolder {
    fn info(&self) -> &ImageInfo {
        &self.info
    }

    fn read(&self, bounds: Bounds) -> Result<Dense, SourceError> {
        let [_, _, width, height] = check_read(&self.name, &self.info, 0, &bounds)?;
        let mut labels = vec![0u32; width * height];
        for (number, mask) in (1u32..).zip(&self.masks) {
            let mask = mask.read(bounds)?;
            let channels = mask.channels();
            let mut paint = |at: usize, is_object: bool| {
                if is_object && let Some(label) = labels.get_mut(at) {
                    *label = number;
                }
            };
            match mask.pixels() {
                Pixels::U8(values) => {
                    let pixels = values.chunks(channels).enumerate();
                    pixels.for_each(|(at, pixel)| paint(at, pixel.iter().any(|value| *value != 0)));
                }
                Pixels::U16(values) => {
                    let pixels = values.chunks(channels).enumerate();
                    pixels.for_each(|(at, pixel)| paint(at, pixel.iter().any(|value| *value != 0)));
                }
                _ => {}
            }
        }
        dense(&self.name, [width, height], 1, Pixels::U32(labels))
    }

    fn digest(&self) -> Result<Digest, SourceError> {
        let mut digester = Digester::new("onceflow image 2026-11 masks v1");
        for mask in &self.masks {
            digester.bytes(&mask.digest()?.0);
        }
        Ok(digester.finish())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::png_bytes;

    #[test]
    fn masks_of_a_folder_are_one_label_image() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, width: usize, values: &[u8]| {
            let picture = Dense::new(width, values.len() / width, 1, Pixels::U8(values.to_vec())).unwrap();
            std::fs::write(folder.path().join(name), png_bytes(&picture).unwrap()).unwrap();
        };
        assert!(!MaskFolder::is_one(folder.path()));
        write("b.png", 3, &[0, 0, 255, 0, 255, 255]);
        write("a.png", 3, &[255, 0, 0, 0, 255, 0]);
        std::fs::write(folder.path().join("notes.txt"), "mine").unwrap();
        let labels = open_masks(folder.path());
        assert_eq!(
            labels.read(labels.info().bounds().unwrap()).unwrap().as_u32().unwrap(),
            [1, 0, 2, 0, 2, 2]
        );
        let before = labels.digest().unwrap();
        write("a.png", 3, &[0, 255, 0, 0, 255, 0]);
        assert_ne!(open_masks(folder.path()).digest().unwrap(), before);
        write("c.png", 2, &[255, 0]);
        let error = MaskFolder::open(folder.path()).unwrap_err().to_string();
        assert!(error.contains("3 x 2 pixels") && error.contains("2 x 1 pixels"), "{error}");
    }

    fn open_masks(folder: &Path) -> MaskFolder {
        assert!(MaskFolder::is_one(folder));
        MaskFolder::open(folder).unwrap()
    }
}
