use onceflow_region::MeteredSource;
use proptest::prelude::*;

use super::*;

/// An image in memory, with a scale at half its size when it is asked for.
#[derive(Debug)]
struct Memory {
    scales: Vec<Dense>,
    info: ImageInfo,
}

impl Memory {
    fn new(scales: Vec<Dense>) -> Arc<Memory> {
        let [width, height] = [scales[0].width(), scales[0].height()];
        let scale = |dense: &Dense| ImageScale {
            width: dense.width() as u64,
            height: dense.height() as u64,
            downsample: (width as f64 / dense.width() as f64 + height as f64 / dense.height() as f64) / 2.0,
        };
        let info = ImageInfo {
            format: "memory".into(),
            width: width as u64,
            height: height as u64,
            channels: scales[0].channels() as u32,
            element: scales[0].element(),
            um_per_pixel: Some(0.25),
            scales: scales.iter().map(scale).collect(),
            details: Details::default(),
        };
        Arc::new(Memory { scales, info })
    }
}

impl Source for Memory {
    fn info(&self) -> &ImageInfo {
        &self.info
    }

    fn read(&self, bounds: Bounds) -> Result<Dense, SourceError> {
        self.read_scale(0, bounds)
    }

    fn read_scale(&self, scale: usize, bounds: Bounds) -> Result<Dense, SourceError> {
        check_read("memory", &self.info, scale, &bounds)?;
        Ok(self.scales[scale].crop(bounds).unwrap())
    }

    fn digest(&self) -> Result<Digest, SourceError> {
        Ok(Digest::of_text("test", "memory"))
    }
}

/// Pixels that look random but are not.
fn noise(width: usize, height: usize, channels: usize) -> Dense {
    let value = |i: usize| ((i as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 56) as u8;
    let values = (0..width * height * channels).map(value).collect();
    Dense::new(width, height, channels, Pixels::U8(values)).unwrap()
}

fn whole(source: &dyn Source) -> Dense {
    source.read(source.info().bounds().unwrap()).unwrap()
}

fn at(source: Arc<dyn Source>, wanted: f64) -> Resampled {
    let working = Working::new(source.info(), 0.25, wanted).unwrap();
    Resampled::colours(source, working, Some(wanted)).unwrap()
}

/// The area average in real numbers, straight from its definition.
fn oracle_mean(image: &Dense, ratio: f64, x: usize, y: usize, channel: usize) -> f64 {
    let overlap = |pixel: usize, at: usize| {
        let (from, to) = (at as f64 * ratio, (at + 1) as f64 * ratio);
        (to.min((pixel + 1) as f64) - from.max(pixel as f64)).max(0.0)
    };
    let (mut sum, mut all) = (0.0, 0.0);
    for row in 0..image.height() {
        for column in 0..image.width() {
            let weight = overlap(column, x) * overlap(row, y);
            let value = image.as_u8().unwrap()[(row * image.width() + column) * image.channels() + channel];
            (sum, all) = (sum + weight * f64::from(value), all + weight);
        }
    }
    sum / all
}

/// Interpolation between the four nearest centres, straight from its definition.
fn oracle_between(image: &Dense, ratio: f64, x: usize, y: usize, channel: usize) -> f64 {
    let place = |at: usize, length: usize| ((at as f64 + 0.5) * ratio - 0.5).clamp(0.0, (length - 1) as f64);
    let (px, py) = (place(x, image.width()), place(y, image.height()));
    let value = |column: usize, row: usize| {
        let (column, row) = (column.min(image.width() - 1), row.min(image.height() - 1));
        f64::from(image.as_u8().unwrap()[(row * image.width() + column) * image.channels() + channel])
    };
    let (left, top) = (px.floor() as usize, py.floor() as usize);
    let (tx, ty) = (px.fract(), py.fract());
    let line = |row: usize| value(left, row) * (1.0 - tx) + value(left + 1, row) * tx;
    line(top) * (1.0 - ty) + line(top + 1) * ty
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn pixels_are_those_of_the_definition(
        width in 1usize..24, height in 1usize..24, channels in prop_oneof![Just(1usize), Just(3usize)],
        ratio in prop_oneof![0.3f64..0.98, 1.02f64..5.0],
    ) {
        let image = noise(width, height, channels);
        let resampled = at(Memory::new(vec![image.clone()]), 0.25 * ratio);
        let found = whole(&resampled);
        prop_assert_eq!(found.width() as f64, (width as f64 / ratio).round().max(1.0));
        for (i, value) in found.as_u8().unwrap().iter().enumerate() {
            let (pixel, channel) = (i / channels, i % channels);
            let (x, y) = (pixel % found.width(), pixel / found.width());
            let ratio = resampled.working().ratio();
            let oracle = if ratio > 1.0 { oracle_mean } else { oracle_between };
            let expected = oracle(&image, ratio, x, y, channel);
            // A fraction of 1/4096 of a pixel can move a value by a fraction of the greatest difference there is.
            prop_assert!((f64::from(*value) - expected).abs() <= 0.5 + 0.3, "{x} {y}: {value} for {expected}");
        }
    }

    #[test]
    fn any_cut_gives_the_same_pixels(
        width in 2usize..60, height in 2usize..60, wanted in 0.1f64..1.4, halves in any::<bool>(),
        cut in (0.0f64..1.0, 0.0f64..1.0, 0.0f64..1.0, 0.0f64..1.0), labels in any::<bool>(),
    ) {
        let mut scales = vec![noise(width, height, 3)];
        if halves {
            scales.push(noise(width / 2, height / 2, 3));
        }
        let source = Memory::new(scales);
        let working = Working::new(source.info(), 0.25, wanted).unwrap();
        let resampled = match labels {
            true => Resampled::labels(source, working),
            false => Resampled::colours(source, working, None).unwrap(),
        };
        let all = whole(&resampled);
        let part = |share: f64, from: usize, to: usize| from + (share * (to - from) as f64) as usize;
        let (x, y) = (part(cut.0, 0, all.width() - 1), part(cut.1, 0, all.height() - 1));
        let (w, h) = (part(cut.2, 1, all.width() - x), part(cut.3, 1, all.height() - y));
        let bounds = Bounds::plane(x as i64, y as i64, w as u64, h as u64).unwrap();
        prop_assert_eq!(resampled.read(bounds).unwrap(), all.crop(bounds).unwrap());
    }

    #[test]
    fn labels_are_those_of_the_nearest_pixel(width in 1usize..40, height in 1usize..40, wanted in 0.05f64..1.5) {
        let image = noise(width, height, 1);
        let source = Memory::new(vec![image.clone()]);
        let working = Working::new(source.info(), 0.25, wanted).unwrap();
        let resampled = Resampled::labels(source, working);
        let (found, ratio) = (whole(&resampled), working.ratio());
        for (i, label) in found.as_u8().unwrap().iter().enumerate() {
            let nearest = |at: usize, length: usize| (((at as f64 + 0.5) * ratio) as usize).min(length - 1);
            let (x, y) = (nearest(i % found.width(), width), nearest(i / found.width(), height));
            prop_assert_eq!(*label, image.as_u8().unwrap()[y * width + x]);
        }
    }
}

#[test]
fn a_scale_of_the_wanted_resolution_is_taken_as_it_is() {
    let (full, half) = (noise(41, 31, 3), noise(20, 15, 3));
    let source = Memory::new(vec![full.clone(), half.clone()]);
    assert_eq!(whole(&at(source.clone(), 0.5)), half);
    assert_eq!(whole(&at(source, 0.2501)), full);
}

#[test]
fn colours_that_are_all_alike_stay_so() {
    let grey = Dense::new(37, 23, 1, Pixels::U16(vec![54_321; 37 * 23])).unwrap();
    for wanted in [0.06, 0.2, 0.31, 0.9, 3.0] {
        let found = whole(&at(Memory::new(vec![grey.clone()]), wanted));
        assert!(found.as_u16().unwrap().iter().all(|value| *value == 54_321), "{wanted}");
    }
}

#[test]
fn large_images_are_read_in_strips_and_each_pixel_about_once() {
    let source = Arc::new(MeteredSource::new(Memory::new(vec![noise(3000, 3000, 3)])));
    let resampled = at(source.clone(), 0.8);
    let before = source.meter().bytes();
    whole(&resampled);
    let (calls, bytes) = (source.meter().calls(), source.meter().bytes() - before);
    assert!(calls >= 4 && bytes / calls <= STRIP, "{calls} reads of {bytes} bytes");
    assert!(bytes < 28_000_000, "{bytes} bytes of 27 million");
}

#[test]
fn digests_tell_resolutions_and_purposes_apart() {
    let source = Memory::new(vec![noise(40, 40, 1)]);
    let digest = |wanted: f64| at(source.clone(), wanted).digest().unwrap();
    assert_eq!(digest(0.5), digest(0.5));
    assert_ne!(digest(0.5), digest(0.51));
    let working = Working::new(source.info(), 0.25, 0.5).unwrap();
    assert_ne!(digest(0.5), Resampled::labels(source.clone(), working).digest().unwrap());
    let real = Dense::new(2, 2, 1, Pixels::F32(vec![0.5; 4])).unwrap();
    let real = Memory::new(vec![real]);
    let error = Resampled::colours(real.clone(), Working::new(real.info(), 0.25, 0.5).unwrap(), None);
    assert!(error.unwrap_err().to_string().contains("8 or 16 bits"));
}

#[test]
fn a_box_lies_in_its_image_with_nothing_around_it() {
    let inner = noise(6, 5, 1);
    let placed = crate::PlacedImage::new(Memory::new(vec![inner.clone()]), 3, 2, 12, 9).unwrap();
    let all = whole(&placed);
    for y in 0..9usize {
        for x in 0..12usize {
            let inside = (3..9).contains(&x) && (2..7).contains(&y);
            let expected = if inside { inner.as_u8().unwrap()[(y - 2) * 6 + x - 3] } else { 0 };
            assert_eq!(all.as_u8().unwrap()[y * 12 + x], expected, "{x} {y}");
        }
    }
    let within = Bounds::plane(4, 3, 2, 2).unwrap();
    assert_eq!(placed.read(within).unwrap(), all.crop(within).unwrap());
    assert!(placed.read(Bounds::plane(11, 8, 2, 1).unwrap()).is_err());
    assert!(crate::PlacedImage::new(Memory::new(vec![inner]), 7, 2, 12, 9).is_none());
}
