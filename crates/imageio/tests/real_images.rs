//! Real images, when they are there: pixels as another decoder gives them, and boxes equal to crops.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stderr)]

mod support;

use std::path::{Path, PathBuf};

use onceflow_imageio::open;
use onceflow_region::{Dense, ObjectSet, Pixels, labels, rgb8};

use support::{Noise, boxed};

/// Name, sides, and the sum over all values of value times (position modulo 65521, plus 1) from Pillow, alpha dropped.
const IMAGES: [(&str, usize, usize, u64); 9] = [
    ("dsb2018/dsb2018_00ae65c1c6631ae6.labels.png", 320, 256, 30290410873),
    ("dsb2018/dsb2018_00ae65c1c6631ae6.png", 320, 256, 1355350749773),
    ("monuseg/TCGA-21-5784-01Z-00-DX1.labels.png", 1000, 1000, 878845491522),
    ("monuseg/TCGA-21-5784-01Z-00-DX1.tif", 1000, 1000, 16796451101063),
    ("monuseg/TCGA-A7-A13E-01Z-00-DX1.tif", 1000, 1000, 14789889489227),
    ("monuseg/TCGA-CH-5767-01Z-00-DX1.tif", 1000, 1000, 17672978555386),
    ("tcga-glioma/TCGA-41-3393-01Z-00-DX1_18300_68910_600_600_GBM.png", 600, 600, 5288031515628),
    ("tcga-glioma/TCGA-CS-4938-01Z-00-DX1_12560_47520_500_500_LGG-mask.png", 500, 500, 18510779682),
    ("tcga-glioma/TCGA-CS-4938-01Z-00-DX1_12560_47520_500_500_LGG.png", 500, 500, 4121826278091),
];

fn folder() -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/histology-nuclei");
    if !folder.is_dir() {
        eprintln!("skipped: the real images are not there");
        return None;
    }
    Some(folder)
}

fn sum(image: &Dense) -> u64 {
    let weight = |index: usize| (index % 65521) as u64 + 1;
    match image.pixels() {
        Pixels::U8(values) => values.iter().enumerate().map(|(i, &v)| u64::from(v) * weight(i)).sum(),
        Pixels::U16(values) => values.iter().enumerate().map(|(i, &v)| u64::from(v) * weight(i)).sum(),
        other => panic!("{}", other.element()),
    }
}

#[test]
fn pixels_are_those_of_another_decoder_and_boxes_are_crops() {
    let Some(folder) = folder() else { return };
    let mut noise = Noise(5);
    for (name, width, height, expected) in IMAGES {
        let source = open(&folder.join(name)).unwrap();
        let image = source.read(boxed(0, 0, width as u64, height as u64)).unwrap();
        assert_eq!((image.width(), image.height(), sum(&image)), (width, height, expected), "{name}");
        for _ in 0..6 {
            let (x, y) = (noise.below(width), noise.below(height));
            let (w, h) = (1 + noise.below(width - x), 1 + noise.below(height - y));
            let bounds = boxed(x as i64, y as i64, w as u64, h as u64);
            assert_eq!(source.read(bounds).unwrap(), image.crop(bounds).unwrap(), "{name} {bounds}");
        }
    }
}

#[test]
fn truth_becomes_objects() {
    let Some(folder) = folder() else { return };
    let read = |name: &str| {
        let source = open(&folder.join(name)).unwrap();
        source.read(source.info().bounds().unwrap()).unwrap()
    };
    let truth = labels(&read("monuseg/TCGA-B0-5698-01Z-00-DX1.labels.png")).unwrap();
    let objects = ObjectSet::from_labels(&truth.plane).unwrap();
    assert!(!truth.mask);
    assert_eq!((objects.len(), objects.to_labels().unwrap()), (357, truth.plane));
    assert!(objects.bytes() < 300_000, "{} bytes", objects.bytes());

    let red = labels(&read("tcga-glioma/TCGA-CS-4938-01Z-00-DX1_12560_47520_500_500_LGG-mask.png")).unwrap();
    assert_eq!((ObjectSet::from_labels(&red.plane).unwrap().len(), red.mask), (61, false));

    let colour = read("tcga-glioma/TCGA-CS-4938-01Z-00-DX1_12560_47520_500_500_LGG.png");
    assert_eq!(rgb8(&colour).unwrap(), colour);
}
