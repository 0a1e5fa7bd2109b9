//! Planning reads no pixel; work reads the box of interest, once.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use onceflow_imageio::{VolumeForm, open_bytes, open_volume_bytes, png_bytes};
use onceflow_region::store::WriteRegion;
use onceflow_region::{
    Bounds, Budget, DataRegion, Dense, Line, MeteredSource, Piece, Pieces, Pixels, Points, Region, RegionId,
    RegionKind, RegionQuery, RegionTemplate, RelatedTo, Relation, RelationKind, Remainder, Source, Span,
    Volume, VolumeGeometry, partition,
};
use onceflow_store::MemoryStore;
use onceflow_store::codec::{CodecError, EncodedRegion, encode};

fn ramp(width: usize, height: usize) -> Dense {
    Dense::new(width, height, 1, Pixels::U16((0..width * height).map(|value| value as u16).collect()))
        .unwrap()
}

fn metered(image: &Dense) -> Arc<MeteredSource> {
    Arc::new(MeteredSource::new(open_bytes("a.png", png_bytes(image).unwrap()).unwrap()))
}

fn id(kind: RegionKind) -> RegionId {
    RegionId::new("patient", "image", kind)
}

fn dense_id() -> RegionId {
    id(RegionKind::Dense)
}

#[test]
fn planning_reads_no_pixel_and_working_reads_each_part_once() {
    let image = ramp(40, 30);
    let source = metered(&image);
    let mut patient = RegionTemplate::new("patient");
    patient.add(DataRegion::of_image(dense_id(), source.clone(), 0).unwrap()).unwrap();
    // The manager's side: names, boxes, bytes, parts with halos, a template for each.
    let parts = partition(patient.bounds().unwrap(), 16, 3, Remainder::Merge).unwrap();
    let templates: Vec<_> = parts.iter().map(|part| patient.with_interest(&part.read).unwrap()).collect();
    assert_eq!((source.meter().calls(), patient.bytes(), templates.len()), (0, 0, 6));
    // The workers' side.
    let mut bytes = 0;
    for (part, template) in parts.iter().zip(&templates) {
        let (_, region) = template.latest(&RegionQuery::named("patient", "image")).unwrap();
        let read = region.get().unwrap();
        assert_eq!(read.as_dense(), Some(&image.crop(part.read).unwrap()));
        assert_eq!(part.crop(read.as_dense().unwrap()).unwrap(), image.crop(part.core).unwrap());
        bytes += part.read.area() * 2;
        assert!(region.get().is_ok() && region.is_read());
        assert_eq!(source.meter().bytes(), bytes, "the second look reads nothing");
    }
}

#[test]
fn the_background_reads_before_somebody_looks() {
    let image = ramp(9, 7);
    let source = metered(&image);
    let region = Arc::new(DataRegion::of_image(dense_id(), source.clone(), 0).unwrap());
    let mut jobs = Vec::new();
    region.prefetch(|job| jobs.push(job));
    assert_eq!(source.meter().calls(), 0, "the caller says when");
    let threads: Vec<_> = jobs.into_iter().map(thread::spawn).collect();
    thread::scope(|scope| (0..4).for_each(|_| _ = scope.spawn(|| region.get().unwrap())));
    threads.into_iter().for_each(|thread| thread.join().unwrap());
    assert_eq!(source.meter().calls(), 1, "it is read once, by the first thread");
    region.prefetch(|_| panic!("it is there"));
    region.forget();
    assert!(!region.is_read() && region.bytes() == 0);
    assert_eq!(region.get().unwrap().as_dense(), Some(&image));
    assert_eq!(source.meter().calls(), 2);
}

/// A source that fails until it is told not to.
#[derive(Debug)]
struct Moody(Arc<MeteredSource>, AtomicBool);

impl Source for Moody {
    fn info(&self) -> &onceflow_region::ImageInfo {
        self.0.info()
    }

    fn read(&self, bounds: Bounds) -> Result<Dense, onceflow_region::SourceError> {
        match self.1.load(Ordering::SeqCst) {
            true => self.0.read(bounds),
            false => Err(onceflow_region::SourceError::File {
                file: "a".into(),
                reason: "away".into(),
                todo: "wait",
            }),
        }
    }

    fn digest(&self) -> Result<onceflow_region::Digest, onceflow_region::SourceError> {
        self.0.digest()
    }
}

#[test]
fn what_fails_in_the_background_is_said_to_who_looks() {
    let source = Arc::new(Moody(metered(&ramp(3, 3)), AtomicBool::new(false)));
    let region = Arc::new(DataRegion::of_image(dense_id(), source.clone(), 0).unwrap());
    region.prefetch(|job| job());
    assert_eq!(region.get().unwrap_err().to_string(), "a: away; wait");
    source.1.store(true, Ordering::SeqCst);
    assert!(region.get().is_ok());
}

#[test]
fn reading_stays_within_the_budget() {
    let (budget, source) = (Budget::new(100), metered(&ramp(8, 8)));
    let whole = DataRegion::of_image(dense_id(), source.clone(), 0).unwrap().within(budget.clone());
    let error = whole.get().unwrap_err().to_string();
    assert_eq!(
        error,
        "memory: expected room for 128 bytes of patient::image, found 100 bytes; remove regions or raise the limit"
    );
    assert_eq!(source.meter().calls(), 0);
    let half = whole.with_interest(Bounds::plane(0, 0, 8, 4).unwrap()).unwrap();
    let held = half.get().unwrap();
    assert_eq!((budget.used(), half.bytes()), (64, 64));
    half.forget();
    assert_eq!(budget.used(), 64, "a reader still holds it");
    drop(held);
    assert_eq!(budget.used(), 0);
}

#[test]
fn every_home_gives_what_is_of_interest() {
    let (outer, inner) = (Bounds::plane(10, 20, 6, 5).unwrap(), Bounds::plane(12, 21, 3, 2).unwrap());
    let seen = Bounds::plane(2, 1, 3, 2).unwrap();
    let expected = Region::Dense(ramp(6, 5).crop(seen).unwrap());
    let store = Arc::new(MemoryStore::new(Budget::new(1 << 20)));
    store.write(&dense_id(), Region::Dense(ramp(6, 5))).unwrap();
    let stored = DataRegion::of_store(dense_id(), None, outer, store.clone());
    let staged = DataRegion::of(dense_id(), outer, Region::Dense(ramp(6, 5)));
    for region in [stored, staged] {
        assert!(region.get().unwrap().is_same(&Region::Dense(ramp(6, 5))));
        let part = region.with_interest(inner).unwrap();
        assert!(part.get().unwrap().is_same(&expected));
        assert!(region.with_interest(Bounds::plane(9, 20, 2, 2).unwrap()).is_err());
    }
    // What knows its place keeps it.
    let points = Points::new(vec![[12.5, 21.0, 0.0], [15.0, 21.0, 0.0]]).unwrap();
    store.write(&id(RegionKind::Points), Region::Points(points.clone())).unwrap();
    let stored = DataRegion::of_store(id(RegionKind::Points), None, outer, store);
    let found = stored.with_interest(inner).unwrap().get().unwrap();
    assert_eq!(found.as_points(), Some(&points.crop(&inner)));
}

#[test]
fn a_volume_is_read_box_by_box() {
    let bounds = Bounds::new(Span::from(4), Span::from(3), Span::from(2), Span::ONE);
    let geometry = VolumeGeometry { spacing: [0.5, 0.5, 2.0], ..VolumeGeometry::default() };
    let volume = Volume::new(bounds, Pixels::I16((0..24).collect()), geometry).unwrap();
    let mut bytes = Vec::new();
    VolumeForm::Mha.write(&volume, &mut bytes).unwrap();
    let source = Arc::new(open_volume_bytes("a.mha", bytes).unwrap());
    let region = DataRegion::of_volume(id(RegionKind::Volume), source);
    assert_eq!((region.info().bounds, region.info().um_per_pixel), (bounds, Some(500.0)));
    let inner = Bounds::new(Span::new(1, 2).unwrap(), Span::ONE, Span::new(1, 1).unwrap(), Span::ONE);
    let read = region.with_interest(inner).unwrap().get().unwrap();
    assert_eq!(read.as_volume().map(Volume::values), Some(&Pixels::I16(vec![13, 14])));
}

/// A region in files of its own, as tiles from a scanner: only those that are of interest are read.
#[test]
fn pieces_are_put_together() {
    let image = ramp(20, 14);
    let tiles = partition(image.bounds(), 6, 0, Remainder::Keep).unwrap();
    let sources: Vec<_> = tiles.iter().map(|tile| metered(&image.crop(tile.core).unwrap())).collect();
    let piece = |(tile, source): (&onceflow_region::Part, &Arc<MeteredSource>)| {
        let id = RegionId::new("tiles", tile.index.to_string(), RegionKind::Dense);
        let region = DataRegion::of_image(id, source.clone(), 0).unwrap();
        Piece { bounds: tile.core, id: Arc::new(region) }
    };
    let pieces: Vec<_> = tiles.iter().zip(&sources).map(piece).collect();
    let gap = Pieces::new(pieces[1..].to_vec()).unwrap();
    let whole = DataRegion::of_pieces(dense_id(), Arc::new(Pieces::new(pieces).unwrap())).unwrap();
    assert_eq!(whole.info().bounds, image.bounds());
    let interest = Bounds::plane(5, 5, 2, 3).unwrap();
    let part = whole.with_interest(interest).unwrap();
    assert_eq!(part.get().unwrap().as_dense(), Some(&image.crop(interest).unwrap()));
    let bytes: Vec<u64> = sources.iter().map(|source| source.meter().bytes()).collect();
    assert_eq!(bytes, [2, 2, 0, 0, 4, 4, 0, 0, 0, 0, 0, 0]);
    assert_eq!(whole.get().unwrap().as_dense(), Some(&image));
    let gap = DataRegion::of_pieces(dense_id(), Arc::new(gap)).unwrap();
    assert!(gap.get().unwrap_err().to_string().contains("gaps in"));
}

#[test]
fn regions_and_templates_refer_to_each_other() {
    let at = |time| Bounds::new(Span::from(3), Span::ONE, Span::ONE, Span::new(time, 1).unwrap());
    let line = || Region::Line(Line::new(0, Pixels::U8(vec![1, 2, 3])).unwrap());
    let signal = |time: i64| id(RegionKind::Line).with_timestamp(time);
    let later = Relation { kind: RelationKind::TimeStep { steps: 1 }, other: RelatedTo::Region(signal(1)) };
    let mut series = RegionTemplate::new("series");
    series.add(DataRegion::of(signal(0), at(0), line()).with_relation(later.clone())).unwrap();
    assert!(series.related(&signal(0)).is_empty(), "not staged yet");
    series.stage(signal(1), at(1), line()).unwrap();
    let related: Vec<_> =
        series.related(&signal(0)).iter().map(|(kind, region)| (*kind, region.id().timestamp)).collect();
    assert_eq!(related, [(later.kind, 1)]);
    let derived = Relation { kind: RelationKind::Derived, other: RelatedTo::Template("raw".into()) };
    series.relate(derived.clone());
    let part = series.with_interest(&at(0)).unwrap();
    assert_eq!((part.len(), part.relations()), (1, &[derived][..]));
}

/// An image with a second scale at half its size.
#[derive(Debug)]
struct TwoScales(onceflow_region::ImageInfo);

impl TwoScales {
    fn new() -> TwoScales {
        let mut info = metered(&ramp(9, 7)).info().clone();
        info.um_per_pixel = Some(0.25);
        info.scales.push(onceflow_region::ImageScale { width: 4, height: 3, downsample: 2.0 });
        TwoScales(info)
    }
}

impl Source for TwoScales {
    fn info(&self) -> &onceflow_region::ImageInfo {
        &self.0
    }

    fn read(&self, bounds: Bounds) -> Result<Dense, onceflow_region::SourceError> {
        self.read_scale(0, bounds)
    }

    fn read_scale(&self, scale: usize, bounds: Bounds) -> Result<Dense, onceflow_region::SourceError> {
        let Some(onceflow_region::ImageScale { width, height, .. }) = self.0.scales.get(scale) else {
            panic!("no scale")
        };
        Ok(ramp(*width as usize, *height as usize).crop(bounds).unwrap())
    }

    fn digest(&self) -> Result<onceflow_region::Digest, onceflow_region::SourceError> {
        Ok(onceflow_region::Digest::of_text("test", "two scales"))
    }
}

#[test]
fn a_pyramid_has_a_template_for_each_scale() {
    let source: Arc<dyn Source> = Arc::new(TwoScales::new());
    let templates = RegionTemplate::pyramid("slide", &source).unwrap();
    let names: Vec<&str> = templates.iter().map(RegionTemplate::name).collect();
    assert_eq!(names, ["slide", "slide/1"]);
    let related = |at: usize| templates[at].relations()[0].clone();
    let scale = |downsample| RelationKind::Scale { downsample };
    assert_eq!(related(0), Relation { kind: scale(2.0), other: RelatedTo::Template("slide/1".into()) });
    assert_eq!(related(1), Relation { kind: scale(0.5), other: RelatedTo::Template("slide".into()) });
    let (_, half) = templates[1].regions().next().unwrap();
    assert_eq!(
        (half.info().um_per_pixel, half.info().bounds),
        (Some(0.5), Bounds::plane(0, 0, 4, 3).unwrap())
    );
    assert_eq!(half.get().unwrap().as_dense(), Some(&ramp(4, 3)));
    assert!(DataRegion::of_image(dense_id(), source, 2).is_err());
}

#[test]
fn an_image_that_is_not_read_has_no_bytes() {
    let png = png_bytes(&Dense::new(1, 1, 1, Pixels::U8(vec![0])).unwrap()).unwrap();
    let region = Region::Image(open_bytes("image", png).unwrap());
    assert_eq!(EncodedRegion::new(&region).unwrap_err(), CodecError::Unread);
    assert_eq!(encode(&region, &mut Vec::new()).unwrap_err(), CodecError::Unread);
}
