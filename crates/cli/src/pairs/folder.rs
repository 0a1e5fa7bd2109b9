//! The images of a folder, and what was drawn on them, as people keep them: side by side, in folders of their own, or in a
//! folder for each image (`ID/images/ID.png`, `ID/masks/*.png`).

use std::collections::HashSet;
use std::io;
use std::path::{Path, PathBuf};

use super::name::{FolderKind, bare, ending, is_drawn, is_image, is_outlines, rank, stem};
use super::{DrawnFile, LeftOut};

/// What a folder holds.
#[derive(Debug, Default)]
pub(crate) struct FolderFiles {
    pub(crate) images: Vec<PathBuf>,
    pub(super) drawn: Vec<DrawnFile>,
    pub(crate) left_out: Vec<LeftOut>,
}

/// Folders in folders that are looked into.
const DEEPEST: usize = 4;

impl FolderFiles {
    /// Looks into a folder, and into folders in it that are known by their names, or where it holds no image itself.
    pub(crate) fn of(folder: &Path) -> io::Result<FolderFiles> {
        let mut found = FolderFiles::default();
        found.look(folder, DEEPEST)?;
        Ok(found)
    }

    /// Sorts files that are named one by one, or by a pattern.
    pub(crate) fn of_files(files: Vec<PathBuf>) -> FolderFiles {
        let mut found = FolderFiles::default();
        found.sort(files);
        found
    }

    /// Images, whatever their names say.
    pub(crate) fn of_images(images: Vec<PathBuf>) -> FolderFiles {
        FolderFiles { images, ..FolderFiles::default() }
    }

    /// Adds what another folder holds.
    pub(crate) fn add(&mut self, other: FolderFiles) {
        let FolderFiles { images, drawn, left_out } = other;
        self.images
            .extend(images.into_iter().filter(|image| !self.images.contains(image)).collect::<Vec<_>>());
        self.drawn.extend(drawn);
        self.left_out.extend(left_out);
    }

    /// The images of a QuPath project, with what was exported beside it. QuPath's own files hold annotations that only it
    /// reads.
    pub(crate) fn of_project(self, images: Vec<PathBuf>, data: &Path) -> FolderFiles {
        let left_out = if self.drawn.is_empty() && data.is_dir() {
            let why =
                "QuPath's own files; export the annotations as GeoJSON: File > Export objects as GeoJSON";
            vec![LeftOut::new(data, why)]
        } else {
            Vec::new()
        };
        FolderFiles { images, left_out, ..self }
    }

    fn look(&mut self, folder: &Path, deeper: usize) -> io::Result<()> {
        let (files, folders) = entries(folder)?;
        let before = self.images.len();
        self.sort(files);
        let of_kind = |kind| folders.iter().filter(move |folder| FolderKind::of(folder) == kind);
        if let (Some(images), Some(masks)) = (of_kind(FolderKind::Images).next(), one_by_one(folder)) {
            return self.one_image(images, masks);
        }
        for drawn in of_kind(FolderKind::Drawn) {
            self.drawn.extend(drawn_in(drawn)?);
        }
        if deeper == 0 || self.images.len() > before {
            return Ok(());
        }
        let has_images = of_kind(FolderKind::Images).next().is_some();
        let next = of_kind(if has_images { FolderKind::Images } else { FolderKind::Other });
        for folder in next {
            self.look(folder, deeper - 1)?;
        }
        let ignored = of_kind(FolderKind::Other).filter(|_| has_images);
        self.left_out.extend(
            ignored.map(|folder| LeftOut::new(folder, "its name is neither that of images nor of truth")),
        );
        Ok(())
    }

    /// Files of one folder: what was drawn has the name of an image beside it, and a word more.
    fn sort(&mut self, files: Vec<PathBuf>) {
        let (rasters, outlines): (Vec<_>, Vec<_>) = files.into_iter().partition(|file| is_image(file));
        let names: HashSet<String> =
            rasters.iter().filter(|file| !is_drawn(file)).map(|file| stem(file).to_lowercase()).collect();
        for file in rasters {
            let has_image = names.contains(&bare(&file).to_lowercase());
            match (is_drawn(&file), has_image) {
                (true, true) => self.drawn.push(DrawnFile::new(file)),
                (true, false) if !names.is_empty() => {
                    let why = format!("it is named like truth, and there is no image `{}`", bare(&file));
                    self.left_out.push(LeftOut::new(&file, why));
                }
                _ => self.images.push(file),
            }
        }
        // A `.json` without the name of an image is no truth: it may hold anything.
        let is_its = |file: &PathBuf| ending(file) != "json" || names.contains(&bare(file).to_lowercase());
        self.drawn.extend(outlines.into_iter().filter(is_its).map(DrawnFile::new));
    }

    /// `ID/images/ID.png` with `ID/masks/*.png`.
    fn one_image(&mut self, images: &Path, masks: PathBuf) -> io::Result<()> {
        let (files, _) = entries(images)?;
        let mut files = files.into_iter().filter(|file| is_image(file));
        if let Some(image) = files.next() {
            self.drawn.push(DrawnFile { path: masks, of: Some(image.clone()) });
            self.images.push(image);
        }
        self.left_out
            .extend(files.map(|file| LeftOut::new(&file, "the masks beside it are those of another image")));
        Ok(())
    }
}

/// The folder of masks of a folder with one image, of which each object has a mask of its own.
fn one_by_one(folder: &Path) -> Option<PathBuf> {
    let (images, masks) = (folder.join("images"), folder.join("masks"));
    let count = |folder: &Path| {
        entries(folder).map_or(0, |(files, _)| files.iter().filter(|file| is_image(file)).count())
    };
    let only = entries(&images).ok()?.0.into_iter().find(|file| is_image(file))?;
    let is_folder_of_it =
        folder.file_name().is_some_and(|name| name.to_string_lossy() == stem(&only).as_str());
    (count(&images) == 1 && count(&masks) > 0 && (is_folder_of_it || count(&masks) > 1)).then_some(masks)
}

/// Everything drawn in a folder of such files; a folder in it that is named after an image holds the masks of its objects.
pub(super) fn drawn_in(folder: &Path) -> io::Result<Vec<DrawnFile>> {
    let (files, folders) = entries(folder)?;
    let files = files.into_iter().filter(|file| rank(file).is_some());
    let of_masks = folders.into_iter().filter(|folder| onceflow_imageio::MaskFolder::is_one(folder));
    Ok(files.chain(of_masks).map(DrawnFile::new).collect())
}

/// Images and outlines, then folders, each sorted; hidden ones are left out, and OME-Zarr is an image.
fn entries(folder: &Path) -> io::Result<(Vec<PathBuf>, Vec<PathBuf>)> {
    let entries = std::fs::read_dir(folder)?.collect::<Result<Vec<_>, _>>()?;
    let is_hidden =
        |path: &PathBuf| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.'));
    let mut paths: Vec<_> =
        entries.into_iter().map(|entry| entry.path()).filter(|path| !is_hidden(path)).collect();
    paths.sort();
    let (folders, files): (Vec<_>, Vec<_>) =
        paths.into_iter().partition(|path| path.is_dir() && ending(path) != "zarr");
    Ok((files.into_iter().filter(|file| is_image(file) || is_outlines(file)).collect(), folders))
}
