//! What operations say they need is what runs reserve: no operation may take more than it declares, on images of any size
//! and of every kind that makes one of them work hard.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::collections::BTreeSet;
use std::fs::File;
use std::path::Path;

use onceflow_allocator::{CountingAllocator, begin_counting, peak_counted};
use onceflow_engine::{Granularity, MemoryMeter, OpenStudy, RunFolder, RunSettings, Silent, catalogue, run};
use onceflow_study::{SourceText, parse_study, read_workflow, shipped_workflow};

/// Counts what operations take.
#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

const METER: MemoryMeter = MemoryMeter { begin: begin_counting, peak: peak_counted };

/// What an operation may take beside what it declares: lists of a row's length, and what grows to the next power of two.
const BESIDE: u64 = 128 << 10;

/// What a decoder of PNG files works with.
const DECODER: u64 = 512 << 10;

/// Most pictures in two sizes; the one that asks most of floods in a larger one too.
const SIZES: [[u32; 2]; 3] = [[97, 64], [500, 300], LARGE];
const LARGE: [u32; 2] = [640, 800];

type Picture = fn(u32, u32) -> [u8; 3];

/// Pictures whose masks have as many runs as can be, hang together in one piece, or have deep levels.
const PICTURES: [(&str, Picture); 6] = [
    ("noise", |x, y| [0, 1, 2].map(|channel| (mixed(x, y, channel) >> 24) as u8)),
    ("board", |x, y| if (x + y) % 2 == 0 { [20, 10, 90] } else { [200, 200, 210] }),
    ("lines", |_, y| if y % 2 == 0 { [30, 20, 90] } else { [190, 190, 210] }),
    (
        "blots",
        |x, y| if (x % 24).abs_diff(12) + (y % 20).abs_diff(10) < 11 { [40, 20, 100] } else { [215; 3] },
    ),
    ("blood", |x, y| if (x / 2 + y / 2) % 2 == 0 { [220, 20, 40] } else { [180, 60, 150] }),
    ("slope", |x, y| [(x * 7 + y * 13) % 200, (x * 3) % 160, 120].map(|value| value as u8)),
];

fn mixed(x: u32, y: u32, channel: u32) -> u32 {
    let mut bits =
        x.wrapping_mul(0x9e37_79b9) ^ y.wrapping_mul(0x85eb_ca6b) ^ channel.wrapping_mul(0xc2b2_ae35);
    for _ in 0..2 {
        bits = (bits ^ (bits >> 15)).wrapping_mul(0x2c1b_3c6d);
        bits ^= bits >> 12;
    }
    bits.wrapping_mul(0x297a_2d39)
}

fn paint(path: &Path, [width, height]: [u32; 2], picture: impl Fn(u32, u32) -> [u8; 3]) {
    let mut encoder = png::Encoder::new(File::create(path).unwrap(), width, height);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_compression(png::Compression::Fast);
    let pixels: Vec<u8> =
        (0..height).flat_map(|y| (0..width).map(|x| picture(x, y)).collect::<Vec<_>>()).flatten().collect();
    encoder.write_header().unwrap().write_image_data(&pixels).unwrap();
}

/// The screening study of the benchmark on one image, few rows of it, compared with all there is to compare with.
fn study(workflow: &str) -> String {
    let file = "file = \"synth:1000x1000?seed=1\"";
    let text =
        include_str!("../src/run/study.toml").replace(file, "file = \"image.png\"\ntruth = \"truth.png\"");
    let text = text.replace("workflow = \"nuclei\"", &format!("workflow = {workflow:?}"));
    let metric = "[[metric]]\nname = \"far\"\nof = \"nuclei\"\nmeasure = \"hausdorff_distance\"\nagainst = \"truth\"\n\n[[phase]]";
    text.replace("[[phase]]", metric).replace("trajectories = 40", "trajectories = 2")
}

#[test]
fn no_operation_takes_more_than_it_declares() {
    let folder = tempfile::tempdir().unwrap();
    let catalogue = catalogue();
    let mut seen = BTreeSet::new();
    let all = PICTURES.into_iter().flat_map(|picture| SIZES.map(|size| (picture, size)));
    for ((name, picture), size) in all.filter(|((name, _), size)| *size != LARGE || *name == "slope") {
        paint(&folder.path().join("image.png"), size, picture);
        let dark = |x, y| if picture(x, y)[0] < 100 { [255; 3] } else { [0; 3] };
        paint(&folder.path().join("truth.png"), size, dark);
        // The whole tasks of the papers are made of the same pieces: one picture is enough for them.
        let workflows: &[&str] = if name == "slope" { &["nuclei", "nuclei-paper"] } else { &["nuclei"] };
        let grains = [Granularity::Written, Granularity::Split];
        let runs = workflows.iter().flat_map(|workflow| grains.map(|grain| (workflow, grain)));
        for (operation, pixels, scratch) in
            runs.flat_map(|(workflow, grain)| records(folder.path(), workflow, grain))
        {
            let spec = catalogue.get(&operation).unwrap();
            let declared = spec.scratch(pixels) + reading(&operation, pixels);
            assert!(
                scratch <= declared + BESIDE,
                "{operation} on {name} of {size:?}: declared {declared} bytes, took {scratch}: {} for each pixel",
                scratch as f64 / pixels as f64
            );
            seen.insert(operation);
        }
    }
    assert_eq!(seen.len(), catalogue.ids().count(), "all operations were seen: {seen:?}");
}

/// The statistics of a whole image read it strip by strip; runs reserve that with what reading takes.
fn reading(operation: &str, pixels: u64) -> u64 {
    if operation == "colour.statistics" { 3 * pixels + DECODER } else { 0 }
}

fn records(folder: &Path, name: &str, grain: Granularity) -> Vec<(String, u64, u64)> {
    let workflow = read_workflow(&shipped_workflow(name).unwrap()).unwrap();
    let (study, messages) =
        parse_study(&SourceText::new("declared", study(name))).unwrap().resolve(Some(&workflow), None);
    let study = study.unwrap_or_else(|| panic!("{messages:?}"));
    let prepared = OpenStudy::new(&study, &workflow, folder).unwrap().with_granularity(Some(grain));
    let into = tempfile::tempdir().unwrap();
    let options = RunSettings { workers: 1, meter: Some(METER), ..RunSettings::default() };
    let into = RunFolder::create(&into.path().join("run")).unwrap();
    let records = run(&prepared, &options, &into, &mut Silent).unwrap().records.into_iter();
    records.map(|record| (record.operation, record.pixels, record.scratch_bytes)).collect()
}
