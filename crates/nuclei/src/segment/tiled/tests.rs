//! Tiles of an image on a disk against the whole image in memory.

use onceflow_kernels::Connectivity;
use onceflow_kernels::nuclei::SegmentationStatus;
use onceflow_kernels::nuclei::tiled::Planes as _;
use onceflow_region::Pixels;
use proptest::prelude::*;

use onceflow_kernels::Window;

use super::*;
use crate::segment::{gathered, segment};
use crate::test_images::open_image;
use crate::workspace::test_workspace::{tiled, workspace};

/// Mask, labels and polygons.
fn outputs(found: &mut Segmented, workspace: &Workspace<'_>) -> (Pixels, Pixels, String) {
    let mask = gathered(|take| found.give_mask(workspace, take));
    let labels = gathered(|take| found.give_labels(workspace, take));
    let mut polygons = Vec::new();
    found.write_polygons(1.0, workspace, &mut polygons).unwrap();
    (mask, labels, String::from_utf8(polygons).unwrap())
}

fn check(name: &str, parameters: &Parameters, normalize: bool, tiled: &Workspace<'_>) -> Segmented {
    let source = open_image(name);
    let workspace = workspace(u64::MAX);
    let mut expected = segment(source.as_ref(), parameters, normalize, &workspace).unwrap();
    let mut found = segment(source.as_ref(), parameters, normalize, tiled).unwrap();
    assert_eq!((found.status, found.objects), (expected.status, expected.objects), "{name} {tiled:?}");
    assert_eq!((found.foreground, found.status_word()), (expected.foreground, expected.status_word()));
    let (whole, cut) = (outputs(&mut expected, &workspace), outputs(&mut found, tiled));
    assert!(whole == cut, "{name} {tiled:?}");
    assert_eq!(cut.2.lines().count() as u64, found.objects + 2);
    assert!(tiled.budget.peak() <= tiled.budget.limit());
    found
}

fn connectivity(eight: bool) -> Connectivity {
    if eight { Connectivity::Eight } else { Connectivity::Four }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn tiles_of_tissue_make_the_whole(
        (seed, normalize) in (0u32..1000, any::<bool>()),
        tile in prop_oneof![Just(37u64), Just(64), Just(100), 20u64..300],
        (recon, fill, watershed) in (any::<bool>(), any::<bool>(), any::<bool>()),
        (g1, g2, t1, t2) in (5i64..80, 2i64..46, 2.5..7.5f64, 2.5..7.5f64),
        (min_size, min_size_pl, min_size_seg, max_size_seg) in (2i64..40, 5i64..80, 2i64..40, 300i64..1500),
    ) {
        let parameters = Parameters {
            recon_connectivity: connectivity(recon),
            fill_holes_connectivity: connectivity(fill),
            watershed_connectivity: connectivity(watershed),
            g1, g2, t1, t2, min_size, min_size_pl, min_size_seg, max_size_seg,
            ..Parameters::default()
        };
        check(&format!("synth:300x260?seed={seed}"), &parameters, normalize, &tiled(tile, 64 << 20));
    }
}

#[test]
fn little_memory_is_enough_for_a_large_image() {
    let tiling = Tiling::fitting(18 << 20).unwrap();
    assert!(tiling.tile() < 120);
    let workspace = tiled(tiling.tile() as u64, 18 << 20);
    let found = check("synth:900x700?seed=7", &Parameters::default(), true, &workspace);
    assert!(found.objects > 50);
}

#[test]
fn an_image_without_nuclei_has_an_empty_mask() {
    let tiling = tiled(50, 64 << 20);
    let bright = Parameters { red: -1, green: -1, blue: -1, ..Parameters::default() };
    assert_eq!(check("synth:120x90?seed=7", &bright, true, &tiling).status, SegmentationStatus::Background);
    let none = Parameters { g1: 255, ..Parameters::default() };
    assert_eq!(check("synth:120x90?seed=7", &none, true, &tiling).status, SegmentationStatus::NoCandidates);
}

/// Where everything is one object, it is flooded whole: that has no room in a window of a few tiles.
#[test]
fn an_object_without_room_is_refused() {
    let source = open_image("synth:900x700?seed=7");
    let all = Parameters { g1: -1, g2: -1, max_size: i64::MAX, ..Parameters::default() };
    let refused = segment(source.as_ref(), &all, true, &tiled(64, 18 << 20));
    let Err(NucleiError::Memory { task, needed, limit }) = refused else { panic!("it has no room") };
    assert_eq!((task.as_str(), limit), ("t6_flood", 18 << 20));
    assert!(segment(source.as_ref(), &all, true, &tiled(100, needed)).is_ok());
}

#[test]
fn components_draw_from_the_same_memory() {
    let workspace = tiled(64, 32 << 20);
    let (tiling, image) = (workspace.tiling.unwrap(), Window { left: 0, top: 0, width: 3, height: 2 });
    let mut layers = TiledLayers::new((image, 1), &tiling, &workspace).unwrap();
    assert!(layers.allow(3 << 20).is_ok());
    let refused = layers.allow(8 << 20);
    assert!(matches!(refused, Err(NucleiError::Memory { needed, .. }) if needed > 32 << 20));
    assert!(layers.allow(1 << 20).is_ok() && workspace.budget.used() < 27 << 20);
    drop(layers);
    assert_eq!(workspace.budget.used(), 0);
}

#[test]
fn a_folder_that_is_none_is_said() {
    let source = open_image("synth:30x20?seed=7");
    let workspace = Workspace { folder: "/nowhere".into(), ..tiled(64, 1 << 30) };
    let refused = segment(source.as_ref(), &Parameters::default(), true, &workspace);
    assert!(matches!(refused, Err(NucleiError::Environment(_))));
}
