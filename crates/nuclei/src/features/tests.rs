//! Objects measured in tiles against the whole image in memory.

use onceflow_imageio::{open_bytes, png_bytes};
use onceflow_kernels::features::FEATURES;
use onceflow_kernels::{Plane, View};
use onceflow_region::{Dense, Pixels};
use proptest::prelude::*;

use super::*;
use crate::test_images::{open_image, open_labels};
use crate::workspace::test_workspace::{tiled, workspace};

fn file(
    source: &dyn Source,
    nuclei: NucleiSource<'_>,
    form: FeatureForm,
    workspace: &Workspace<'_>,
) -> Vec<u8> {
    let mut found = features(source, nuclei, true, workspace).unwrap();
    let mut bytes = Vec::new();
    let mut file = FeatureFile::new(form, &mut bytes).unwrap();
    found.measure(workspace, |object| file.add(object)).unwrap();
    file.finish().unwrap();
    bytes
}

#[test]
fn threads_and_tiles_change_nothing() {
    let source = open_image("synth:300x200?seed=7");
    let parameters = Parameters::default();
    for form in [FeatureForm::Csv, FeatureForm::GeoJson, FeatureForm::Parquet] {
        let of =
            |workspace: &Workspace<'_>| file(&*source, NucleiSource::Found(&parameters), form, workspace);
        let one = of(&Workspace { workers: 1, ..workspace(1 << 30) });
        assert!(one.len() > 5000);
        assert!(of(&Workspace { workers: 3, ..workspace(1 << 30) }) == one, "{form:?}");
        for (tile, memory) in [(37, 64), (64, 20), (200, 1024)] {
            assert!(of(&tiled(tile, memory << 20)) == one, "{form:?} {tile}");
        }
    }
}

#[test]
fn a_table_has_all_columns_in_each_form() {
    let source = open_image("synth:100x80?seed=7");
    let parameters = Parameters::default();
    let csv = file(&*source, NucleiSource::Found(&parameters), FeatureForm::Csv, &workspace(1 << 30));
    let lines = csv.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
    assert!(lines.map(|line| line.split(|byte| *byte == b',').count()).all(|fields| fields == 8 + FEATURES));
}

#[test]
fn labels_stay_and_masks_fall_apart() {
    let name = "synth:300x200?seed=7";
    let (image, truth) = (open_image(name), open_labels(name));
    let of = |nuclei| {
        let (mut areas, workspace) = (Vec::new(), workspace(1 << 30));
        let mut found = features(&*image, nuclei, false, &workspace).unwrap();
        let mut add = |object: &MeasuredObject| {
            areas.push(object.values[0]);
            Ok(())
        };
        found.measure(&workspace, &mut add).unwrap();
        areas
    };
    let (labels, mask) = (of(NucleiSource::Labels(name, &*truth)), of(NucleiSource::Mask(name, &*truth)));
    assert_eq!(labels.iter().sum::<f64>(), mask.iter().sum::<f64>());
    assert!(labels.len() >= mask.len() && mask.len() > 5);
}

#[test]
fn what_cannot_be_measured_is_refused() {
    let extent = ObjectExtent { label: 1, left: 0, top: 0, right: 100, bottom: 100 };
    assert!(refuse_scattered(&[extent; 64], 10_000).is_ok());
    assert!(refuse_scattered(&[extent; 65], 10_000).is_err());
}

#[test]
fn an_object_without_room_is_said_with_a_bound_that_does() {
    let image = open_image("synth:1000x700?seed=7");
    let all = Dense::new(1000, 700, 1, Pixels::U8(vec![1; 700_000])).unwrap();
    let all = open_bytes("all.png", png_bytes(&all).unwrap()).unwrap();
    let measure = |memory| {
        let workspace = Workspace { workers: 1, ..tiled(64, memory) };
        let mut found = features(&*image, NucleiSource::Mask("all.png", &*all), true, &workspace)?;
        found.measure(&workspace, |_| Ok(())).map_err(|error| error.downcast::<NucleiError>().unwrap())
    };
    let Err(NucleiError::Memory { needed, .. }) = measure(20 << 20) else { panic!("it has no room") };
    let mut needed = needed;
    // Each refusal names what it met; a few of them lead to the bound.
    for _ in 0..4 {
        match measure(needed) {
            Ok(()) => return,
            Err(NucleiError::Memory { needed: more, .. }) => needed = more.max(needed + 1),
            Err(other) => panic!("{other}"),
        }
    }
    panic!("{needed} bytes are not enough");
}

/// Shapes that nest, touch in corners and cross seams, drawn over each other; objects that touch when they are numbers.
fn drawing(width: usize, height: usize, strokes: &[(u8, u8, u8, u8)]) -> Vec<u32> {
    let mut labels = vec![0; width * height];
    for (number, &(x, y, size, kind)) in strokes.iter().enumerate() {
        let (left, top, size) = (usize::from(x) % width, usize::from(y) % height, usize::from(size) % 40);
        for (dx, dy) in (0..size).flat_map(|dy| (0..size).map(move |dx| (dx, dy))) {
            let inside = match kind % 4 {
                0 => true,
                1 => dx < 2 || dy < 2 || dx + 2 >= size || dy + 2 >= size,
                2 => dx == dy,
                _ => (dx + dy) % 3 == 0,
            };
            if inside && left + dx < width && top + dy < height {
                labels[(top + dy) * width + left + dx] = number as u32 * 7 % 23 + 1;
            }
        }
    }
    labels
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn drawn_objects_cut_anyhow(
        (width, height) in (1usize..90, 1usize..90),
        strokes in prop::collection::vec(any::<(u8, u8, u8, u8)>(), 0..12),
        (tile, memory, workers) in (1u64..100, 19u64..40, 1usize..4),
        (numbers, form) in (any::<bool>(), 0usize..3),
    ) {
        let form = [FeatureForm::Csv, FeatureForm::GeoJson, FeatureForm::Parquet][form];
        let image = open_image(&format!("synth:{width}x{height}?seed=3"));
        let labels = drawing(width, height, &strokes);
        let dense = Dense::new(width, height, 1, Pixels::U32(labels.clone())).unwrap();
        let drawn = open_bytes("drawn.png", png_bytes(&dense).unwrap()).unwrap();
        let nuclei = if numbers { NucleiSource::Labels("d", &*drawn) } else { NucleiSource::Mask("d", &*drawn) };
        let whole = file(&*image, nuclei, form, &workspace(1 << 30));
        let cut = file(&*image, nuclei, form, &Workspace { workers, ..tiled(tile, memory << 20) });
        prop_assert!(whole == cut);
        if form == FeatureForm::Csv {
            prop_assert_eq!(whole, kernel_table(&*image, labels, width, numbers));
        }
    }
}

/// The table made of what the kernels say of the whole image at once.
fn kernel_table(image: &dyn Source, labels: Vec<u32>, width: usize, numbers: bool) -> Vec<u8> {
    let colours = read_colours(image, true).unwrap();
    let height = labels.len() / width;
    let plane = if numbers {
        Plane::from_vec(labels, width, height).unwrap()
    } else {
        let mask: Vec<u8> = labels.iter().map(|label| u8::from(*label != 0)).collect();
        let mask = View::new(&mask, width, height).unwrap();
        onceflow_kernels::label(mask, onceflow_kernels::Connectivity::Eight).plane
    };
    let scene = LabelledImage::whole(colours.view(), plane.view()).unwrap();
    let mut bytes = Vec::new();
    let mut file = FeatureFile::new(FeatureForm::Csv, &mut bytes).unwrap();
    let mut meter = FeatureMeter::new();
    for extent in onceflow_kernels::features::extents(plane.view()) {
        file.add(&meter.measure(scene, extent).unwrap()).unwrap();
    }
    file.finish().unwrap();
    bytes
}
