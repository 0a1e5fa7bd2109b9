//! Scales beside those of the definition: the whole image halved in memory.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use onceflow_region::{
    Access, Bounds, Budget, Dense, Details, Digest, Element, ImageInfo, ImageScale, Pixels, Source,
    SourceError,
};
use proptest::prelude::*;

use super::halve::halve;
use super::*;

/// An image in memory that counts what is read of it, and fails at a pixel if that is wished.
#[derive(Debug)]
pub(crate) struct HeldSource {
    image: Dense,
    info: ImageInfo,
    access: Access,
    pub(crate) read: AtomicU64,
    broken: Option<Bounds>,
}

impl HeldSource {
    pub(crate) fn new(image: Dense, access: Access) -> HeldSource {
        let (width, height) = (image.width() as u64, image.height() as u64);
        let info = ImageInfo {
            format: "held".into(),
            width,
            height,
            channels: image.channels() as u32,
            element: image.element(),
            um_per_pixel: Some(0.25),
            scales: vec![ImageScale::whole(width, height)],
            details: Details::default(),
        };
        HeldSource { image, info, access, read: AtomicU64::new(0), broken: None }
    }
}

impl Source for HeldSource {
    fn info(&self) -> &ImageInfo {
        &self.info
    }

    fn read(&self, bounds: Bounds) -> Result<Dense, SourceError> {
        if self.broken.is_some_and(|broken| broken.intersect(&bounds).is_some()) {
            let (file, reason) = ("held".to_owned(), "broken".to_owned());
            return Err(SourceError::File { file, reason, todo: "mend it" });
        }
        self.read.fetch_add(bounds.area(), Ordering::Relaxed);
        Ok(self.image.crop(bounds).unwrap())
    }

    fn access(&self) -> Access {
        self.access
    }

    fn digest(&self) -> Result<Digest, SourceError> {
        Ok(Digest::of_text("held", "held"))
    }
}

/// Tiles in the order in which they were put.
type Put = Arc<Mutex<Vec<(usize, Bounds, Vec<u8>)>>>;

struct Kept {
    tile: [u64; 2],
    put: Put,
    finished: Arc<AtomicBool>,
    full: Option<usize>,
}

struct Plain;

impl TileEncoder for Plain {
    fn encode(&self, _: usize, bounds: Bounds, pixels: &Dense) -> Result<Vec<u8>, SinkError> {
        assert_eq!((bounds.width(), bounds.height()), (pixels.width() as u64, pixels.height() as u64));
        match pixels.pixels() {
            Pixels::U8(values) => Ok(values.clone()),
            Pixels::U32(values) => Ok(values.iter().flat_map(|value| value.to_le_bytes()).collect()),
            _ => panic!("other pixels"),
        }
    }
}

impl ScaleSink for Kept {
    fn tile(&self) -> [u64; 2] {
        self.tile
    }

    fn encoder(&self) -> Arc<dyn TileEncoder> {
        Arc::new(Plain)
    }

    fn put(&mut self, scale: usize, bounds: Bounds, encoded: Vec<u8>) -> Result<(), SinkError> {
        let mut put = self.put.lock().unwrap();
        if self.full == Some(put.len()) {
            return Err(SinkError::Write {
                file: "kept".into(),
                error: std::io::ErrorKind::StorageFull.into(),
            });
        }
        put.push((scale, bounds, encoded));
        Ok(())
    }

    fn finish(self: Box<Self>) -> Result<(), SinkError> {
        self.finished.store(true, Ordering::Relaxed);
        Ok(())
    }
}

/// What is put when an image is written.
fn written(
    source: &HeldSource,
    options: &PyramidOptions,
    threads: usize,
) -> (Pyramid, Vec<(usize, Bounds, Vec<u8>)>) {
    let pyramid = Pyramid::plan(source.info(), options).unwrap();
    let (put, finished) = (Put::default(), Arc::new(AtomicBool::new(false)));
    let sink =
        Kept { tile: options.tile, put: Arc::clone(&put), finished: Arc::clone(&finished), full: None };
    let (stop, seen) = (AtomicBool::new(false), AtomicU64::new(0));
    let watch = |done, of| {
        assert!(done > seen.load(Ordering::Relaxed) && done <= of);
        seen.store(done, Ordering::Relaxed);
    };
    let work = PyramidWork { threads, budget: Budget::new(1 << 30), watch: &watch, stop: &stop };
    let said = write_pyramid(source, &pyramid, &work, Box::new(sink)).unwrap();
    assert!(finished.load(Ordering::Relaxed) && work.budget.used() == 0);
    assert_eq!(seen.load(Ordering::Relaxed), pyramid.bounds.area());
    let put = std::mem::take(&mut *put.lock().unwrap());
    assert_eq!(
        (said.tiles, said.bytes),
        (put.len() as u64, put.iter().map(|tile| tile.2.len() as u64).sum())
    );
    (pyramid, put)
}

/// The tiles of all scales, from the whole image halved in memory.
fn expected(
    image: &Dense,
    options: &PyramidOptions,
    pyramid: &Pyramid,
) -> BTreeMap<(usize, Bounds), Vec<u8>> {
    let mut image = image.crop(options.bounds.unwrap_or(image.bounds())).unwrap();
    let mut tiles = BTreeMap::new();
    for (scale, size) in pyramid.scales.iter().enumerate() {
        assert_eq!([image.width() as u64, image.height() as u64], *size);
        for y in (0..size[1]).step_by(options.tile[1] as usize) {
            for x in (0..size[0]).step_by(options.tile[0] as usize) {
                let tile = Bounds::plane(x as i64, y as i64, options.tile[0], options.tile[1]).unwrap();
                let tile = tile.intersect(&image.bounds()).unwrap();
                let bytes = Plain.encode(scale, tile, &image.crop(tile).unwrap()).unwrap();
                tiles.insert((scale, tile), bytes);
            }
        }
        image = halve(&image, pyramid.halving).unwrap();
    }
    tiles
}

/// An image and all its scales, halved in memory.
pub(crate) fn halved(image: &Dense, pyramid: &Pyramid) -> Vec<Dense> {
    let next = |image: &Dense| Some(halve(image, pyramid.halving).unwrap());
    std::iter::successors(Some(image.clone()), next).take(pyramid.scales.len()).collect()
}

fn ramp(width: usize, height: usize, channels: usize) -> Dense {
    let values = (0..width * height * channels).map(|at| (at * 7919 % 65521 % 256) as u8).collect();
    Dense::new(width, height, channels, Pixels::U8(values)).unwrap()
}

fn access() -> impl Strategy<Value = Access> {
    prop_oneof![Just(Access::Boxes), Just(Access::Rows), Just(Access::Whole)]
}

proptest! {
    #[test]
    fn scales_are_those_of_the_definition(
        (width, height) in (1usize..90, 1usize..90),
        (across, down) in (1u64..12, 1u64..12),
        channels in prop_oneof![Just(1usize), Just(3)],
        (access, threads, single) in (access(), 1usize..4, any::<bool>()),
        corner in (0.0..1.0, 0.0..1.0, 0.0..1.0, 0.0..1.0),
    ) {
        let image = ramp(width, height, channels);
        let part = |side: usize, from: f64, length: f64| {
            let start = (side as f64 * from) as i64;
            (start, 1 + ((side as i64 - start - 1) as f64 * length) as u64)
        };
        let ((x, w), (y, h)) = (part(width, corner.0, corner.2), part(height, corner.1, corner.3));
        let bounds = Bounds::plane(x, y, w, h);
        let options = PyramidOptions { bounds, tile: [across * 2, down * 2], single, ..PyramidOptions::default() };
        let source = HeldSource::new(image.clone(), access);
        let (pyramid, put) = written(&source, &options, threads);
        prop_assert_eq!(source.read.load(Ordering::Relaxed), bounds.unwrap().area(), "each pixel is read once");
        prop_assert_eq!(&written(&source, &options, 1).1, &put, "one thread or many");
        let count = put.len();
        let found: BTreeMap<_, _> = put.into_iter().map(|(scale, tile, bytes)| ((scale, tile), bytes)).collect();
        prop_assert_eq!(found.len(), count, "each tile is put once");
        prop_assert_eq!(found, expected(&image, &options, &pyramid));
    }
}

#[test]
fn large_blocks_meet_at_their_borders() {
    let image = ramp(5000, 2300, 1);
    let options = PyramidOptions { tile: [256, 256], ..PyramidOptions::default() };
    for access in [Access::Boxes, Access::Rows, Access::Whole] {
        let (pyramid, put) = written(&HeldSource::new(image.clone(), access), &options, 2);
        assert_eq!(pyramid.scales.last(), Some(&[157, 72]));
        let found: BTreeMap<_, _> =
            put.into_iter().map(|(scale, tile, bytes)| ((scale, tile), bytes)).collect();
        assert!(found == expected(&image, &options, &pyramid));
    }
}

#[test]
fn labels_stay_labels() {
    let labels = Pixels::U32((0..35 * 21u32).map(|at| at * 2_654_435).collect());
    let image = Dense::new(35, 21, 1, labels).unwrap();
    let options = PyramidOptions { tile: [4, 4], ..PyramidOptions::default() };
    let (pyramid, put) = written(&HeldSource::new(image.clone(), Access::Boxes), &options, 2);
    assert_eq!((pyramid.halving, pyramid.element), (Halving::First, Element::U32));
    let found: BTreeMap<_, _> = put.into_iter().map(|(scale, tile, bytes)| ((scale, tile), bytes)).collect();
    assert_eq!(found, expected(&image, &options, &pyramid));
}

#[test]
fn what_goes_wrong_is_said_and_nothing_is_finished() {
    let source =
        HeldSource { broken: Bounds::plane(30, 30, 1, 1), ..HeldSource::new(ramp(64, 64, 1), Access::Boxes) };
    let pyramid =
        Pyramid::plan(source.info(), &PyramidOptions { tile: [2, 2], ..PyramidOptions::default() }).unwrap();
    let run = |source: &HeldSource, full: Option<usize>, limit: u64, stop: bool| {
        let finished = Arc::new(AtomicBool::new(false));
        let sink = Kept { tile: [2, 2], put: Put::default(), finished: Arc::clone(&finished), full };
        let stop = AtomicBool::new(stop);
        let work = PyramidWork { threads: 3, budget: Budget::new(limit), watch: &|_, _| {}, stop: &stop };
        let error = write_pyramid(source, &pyramid, &work, Box::new(sink)).unwrap_err();
        assert!(!finished.load(Ordering::Relaxed));
        error
    };
    assert!(matches!(run(&source, None, 1 << 30, false), PyramidError::Source(_)));
    let whole = HeldSource::new(ramp(64, 64, 1), Access::Boxes);
    for full in [0, 1, 700] {
        assert!(matches!(run(&whole, Some(full), 1 << 30, false), PyramidError::Sink(_)));
    }
    assert!(matches!(run(&whole, None, 1 << 30, true), PyramidError::Stopped));
    let PyramidError::Memory { needed, limit: 1000 } = run(&whole, None, 1000, false) else { panic!() };
    assert!(matches!(run(&whole, None, needed - 1, false), PyramidError::Memory { .. }));
    assert!(matches!(run(&whole, Some(9), needed, false), PyramidError::Sink(_)));
}

#[test]
fn wishes_that_cannot_be_are_refused() {
    let source = HeldSource::new(ramp(9, 5, 1), Access::Boxes);
    let tile = [4, 4];
    for (bounds, scale, tile) in [
        (Bounds::plane(0, 0, 10, 1), 0, tile),
        (Bounds::plane(-1, 0, 2, 2), 0, tile),
        (Bounds::plane(3, 3, 0, 1), 0, tile),
        (None, 1, tile),
        (None, 0, [3, 4]),
        (None, 0, [4, 0]),
    ] {
        let options = PyramidOptions { bounds, scale, tile, ..PyramidOptions::default() };
        assert!(
            matches!(Pyramid::plan(source.info(), &options), Err(PyramidError::Refused { .. })),
            "{options:?}"
        );
    }
}

#[test]
fn a_box_is_that_of_the_whole_image_at_every_scale() {
    let mut info = HeldSource::new(ramp(1000, 600, 1), Access::Boxes).info.clone();
    info.scales.push(ImageScale { width: 251, height: 150, downsample: 4.0 });
    let bounds = |x, y, width, height| {
        let bounds = Bounds::plane(x, y, width, height);
        let options = PyramidOptions { scale: 1, bounds, tile: [64, 64], ..PyramidOptions::default() };
        Pyramid::plan(&info, &options).unwrap()
    };
    assert_eq!(bounds(0, 0, 1000, 600).bounds, Bounds::plane(0, 0, 251, 150).unwrap());
    assert_eq!(bounds(500, 300, 10, 1).bounds, Bounds::plane(125, 75, 4, 1).unwrap());
    assert_eq!(bounds(999, 599, 1, 1).bounds, Bounds::plane(250, 149, 1, 1).unwrap());
    assert_eq!(bounds(0, 0, 1, 1).um_per_pixel_at(1), Some(2.0));
}
