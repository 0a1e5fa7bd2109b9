//! The files that fuzzing starts from are those of the tests: `ONCEFLOW_BLESS=1 cargo test -p onceflow-imageio --test seeds`
//! writes them anew.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stderr)]

mod support;

use std::path::Path;

use onceflow_imageio::pyramid::{Pyramid, PyramidOptions, ScaleSink};
use onceflow_imageio::{OmeZarrSink, VolumeForm, open_bytes, png_bytes};
use onceflow_region::{
    Bounds, Column, Dense, Line, ObjectSet, Pixels, Points, Polygon, Polygons, Region, Span, Sparse, Table,
    Volume, VolumeGeometry,
};
use onceflow_store::publish::Publisher;
use onceflow_store::zarr::Compression;

use support::jpeg::{JpegForm, tables};
use support::texture;
use support::tiff::{Directory, TagValue, tiff};

fn value(colour: usize, column: usize, row: usize) -> u8 {
    (colour * 83 + column * 29 + row * 51 + 7) as u8
}

fn plain(width: usize, height: usize) -> Directory {
    let tiles = width.div_ceil(16) * height.div_ceil(16);
    Directory::tiles([width, height], [16, 16], 3, vec![texture(768); tiles])
}

fn slides() -> Vec<(&'static str, Vec<u8>)> {
    let shared = [&[0xff, 0xd8][..], &tables(), &[0xff, 0xd9]].concat();
    let tiles = vec![JpegForm::new(16, 16, 3).write_short(value); 4];
    let jpeg =
        Directory::tiles([25, 30], [16, 16], 3, tiles).short(259, 7).with(347, TagValue::Bytes(shared));
    let mut ome = plain(32, 24).text(
        "<OME><Image><Pixels SizeC=\"3\" PhysicalSizeX=\"0.25\" PhysicalSizeY=\"0.25\"/></Image></OME>",
    );
    ome.own = vec![plain(16, 12)];
    let planes = Directory::tiles([20, 20], [20, 8], 3, vec![texture(160); 9]).strips(8).short(284, 2);
    let real =
        Directory::tiles([8, 4], [16, 16], 1, vec![texture(1024)]).short(258, 32).short(339, 3).short(317, 3);
    vec![
        ("tiff_source/jpeg.svs", tiff(vec![jpeg.text("Aperio|AppMag = 20|MPP = 0.5"), plain(12, 15)], None)),
        ("tiff_source/ome.tif", tiff(vec![ome], None)),
        ("tiff_source/planes.tif", tiff(vec![planes], None)),
        ("tiff_source/real.tif", tiff(vec![real], None)),
        ("jpeg_source/grey.jpg", JpegForm::new(20, 10, 1).write(value)),
        ("jpeg_source/colour.jpg", JpegForm::new(20, 10, 3).write(value)),
        (
            "jpeg_source/progressive.jpg",
            JpegForm { progressive: true, ..JpegForm::new(20, 10, 3) }.write(value),
        ),
    ]
}

fn volumes() -> Vec<(&'static str, Vec<u8>)> {
    let side = |length| Span::new(0, length).unwrap();
    let values = Pixels::I16((0..60).collect());
    let volume =
        Volume::new(Bounds::new(side(5), side(4), side(3), Span::ONE), values, VolumeGeometry::default())
            .unwrap();
    let write = |form: VolumeForm| {
        let mut bytes = Vec::new();
        form.write(&volume, &mut bytes).unwrap();
        bytes
    };
    vec![
        ("volume_source/a.nii", write(VolumeForm::Nifti)),
        ("volume_source/a.nii.gz", write(VolumeForm::NiftiGz)),
        ("volume_source/a.mha", write(VolumeForm::Mha)),
        ("volume_source/packed.mha", write(VolumeForm::MhaPacked)),
    ]
}

fn regions() -> Vec<(&'static str, Vec<u8>)> {
    let plane = Dense::new(4, 3, 1, Pixels::U32(vec![0, 1, 1, 0, 2, 2, 0, 0, 0, 0, 9, 9])).unwrap();
    let mut objects = ObjectSet::from_labels(&plane).unwrap();
    objects.add_feature("area", Column::Real(vec![2.0, 2.0, 2.0])).unwrap();
    let bounds = Bounds::plane(-1, 2, 2, 2).unwrap();
    let volume =
        Volume::new(bounds, Pixels::F32(vec![0.0, 0.5, 0.0, -1.0]), VolumeGeometry::default()).unwrap();
    let mut points = Points::new(vec![[0.5, 1.5, 0.0], [-3.0, 4.0, 1.0]]).unwrap();
    points.add_column("kind", Column::Text(vec!["a".into(), "ü".into()])).unwrap();
    let square = vec![[0.0, 0.0], [4.0, 0.0], [4.0, 4.0], [0.0, 4.0]];
    let hole = vec![[1.0, 1.0], [1.0, 2.0], [2.0, 2.0]];
    let mut polygons = Polygons::new(vec![Polygon { outer: vec![square], holes: vec![hole] }]).unwrap();
    polygons.add_column("label", Column::Integer(vec![7])).unwrap();
    let colours = Dense::new(2, 1, 3, Pixels::U8(vec![1, 2, 3, 4, 5, 6])).unwrap();
    let write = |region: Region| {
        let mut bytes = Vec::new();
        onceflow_store::codec::encode(&region, &mut bytes).unwrap();
        bytes
    };
    vec![
        ("region_bytes/nothing", write(Region::Nothing)),
        ("region_bytes/colours", write(Region::Dense(colours))),
        ("region_bytes/labels", write(Region::Dense(plane))),
        ("region_bytes/line", write(Region::Line(Line::new(-5, Pixels::I16(vec![1, -2, 3])).unwrap()))),
        ("region_bytes/sparse", write(Region::Sparse(Sparse::from_volume(&volume)))),
        ("region_bytes/volume", write(Region::Volume(volume))),
        ("region_bytes/points", write(Region::Points(points))),
        ("region_bytes/polygons", write(Region::Polygons(polygons))),
        ("region_bytes/objects", write(Region::Objects(objects))),
        (
            "region_bytes/table",
            write(Region::Table(Table::numbers([("mean", 0.5), ("count", 7.0)]).unwrap())),
        ),
    ]
}

/// The files of a folder, each after a line with its name and length.
fn folder(path: &Path) -> Vec<u8> {
    let mut bytes = Vec::new();
    for name in ["zarr.json", "0/zarr.json", "0/c/0/0/0", "1/zarr.json", "1/c/0/0/0", "c/0/0/0"] {
        if let Ok(content) = std::fs::read(path.join(name)) {
            bytes.extend_from_slice(format!("#{name} {}\n", content.len()).as_bytes());
            bytes.extend_from_slice(&content);
        }
    }
    bytes
}

fn arrays() -> Vec<(&'static str, Vec<u8>)> {
    let place = tempfile::tempdir().unwrap();
    let write = |name: &str, channels: usize, compression: Compression| {
        let path = place.path().join(name);
        let (width, height) = (24, 18);
        let image =
            Dense::new(width, height, channels, Pixels::U8(texture(width * height * channels))).unwrap();
        let source = open_bytes("image.png", png_bytes(&image).unwrap()).unwrap();
        let mut pyramid =
            Pyramid::plan(source.info(), &PyramidOptions { tile: [16, 16], ..PyramidOptions::default() })
                .unwrap();
        pyramid.um_per_pixel = Some(0.5);
        let mut sink =
            Box::new(OmeZarrSink::create(&path, &pyramid, compression, &Publisher::hasty()).unwrap());
        for (scale, bounds) in (0..2).map(|scale| (scale, pyramid.scale_bounds(scale).unwrap())) {
            let pixels = image.crop(bounds).unwrap();
            let encoded = sink.encoder().encode(scale, bounds, &pixels).unwrap();
            sink.put(scale, bounds, encoded).unwrap();
        }
        sink.finish().unwrap();
        path
    };
    let colour = write("colour.ome.zarr", 3, Compression::Zstd(1));
    let grey = write("grey.ome.zarr", 1, Compression::None);
    vec![
        ("zarr_source/colour", folder(&colour)),
        ("zarr_source/grey", folder(&grey)),
        ("zarr_source/plain", folder(&grey.join("0"))),
        ("zarr_source/words", zarr_words()),
    ]
}

/// Metadata with the other words that arrays may have.
fn zarr_words() -> Vec<u8> {
    let metadata = r#"{"zarr_format":3,"node_type":"array","shape":[6,4,3],"data_type":"float32","fill_value":"NaN","chunk_grid":{"name":"regular","configuration":{"chunk_shape":[2,2,3]}},"chunk_key_encoding":{"name":"v2","configuration":{"separator":"."}},"codecs":[{"name":"transpose","configuration":{"order":[2,1,0]}},{"name":"bytes","configuration":{"endian":"big"}},{"name":"gzip","configuration":{"level":1}},"crc32c"],"dimension_names":["y","x","c"],"attributes":{}}"#;
    format!("#zarr.json {}\n{metadata}#0.0.0 4\nabcd", metadata.len()).into_bytes()
}

#[test]
fn seeds_are_what_the_tests_write() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/seeds");
    for (name, bytes) in slides().into_iter().chain(volumes()).chain(regions()).chain(arrays()) {
        let path = folder.join(name);
        if std::env::var_os("ONCEFLOW_BLESS").is_some() {
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(&path, &bytes).unwrap();
        }
        assert!(std::fs::read(&path).is_ok_and(|found| found == bytes), "{name} is not what the tests write");
    }
}
