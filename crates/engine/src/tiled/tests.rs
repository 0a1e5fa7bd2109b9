//! Tiles of an image on a disk against the whole image in memory.

use onceflow_kernels::Connectivity;
use onceflow_region::open_bytes;
use proptest::prelude::*;

use super::*;
use crate::{open_image, segment};

fn check(name: &str, parameters: &Parameters, normalize: bool, tiling: &Tiling) -> Tiled {
    let source = open_image(name, "".as_ref()).unwrap();
    let expected = segment(source.as_ref(), parameters, normalize).unwrap();
    let folder = std::env::temp_dir();
    let mut found = segment_tiled(source.as_ref(), parameters, normalize, tiling, &folder).unwrap();
    assert_eq!((found.status(), found.objects()), (expected.status, expected.objects), "{name} {tiling:?}");
    assert_eq!((found.foreground(), found.status_word()), (expected.foreground, expected.status_word()));
    let mut bytes = Vec::new();
    found.write_png(&mut bytes).unwrap();
    let mask = open_bytes("mask.png", bytes).unwrap();
    assert!(mask.read(mask.info().bounds().unwrap()).unwrap() == expected.mask, "{name} {tiling:?}");
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
        let tiling = Tiling::new(tile, 64 << 20).unwrap();
        check(&format!("synth:300x260?seed={seed}"), &parameters, normalize, &tiling);
    }
}

#[test]
fn little_memory_is_enough_for_a_large_image() {
    let tiling = Tiling::fitting(18 << 20).unwrap();
    assert!(tiling.tile() < 120);
    let found = check("synth:900x700?seed=7", &Parameters::default(), true, &tiling);
    assert!(found.objects() > 50);
}

#[test]
fn an_image_without_nuclei_has_an_empty_mask() {
    let tiling = Tiling::new(50, 64 << 20).unwrap();
    let bright = Parameters { red: -1, green: -1, blue: -1, ..Parameters::default() };
    assert_eq!(check("synth:120x90?seed=7", &bright, true, &tiling).status(), Status::Background);
    let none = Parameters { g1: 255, ..Parameters::default() };
    assert_eq!(check("synth:120x90?seed=7", &none, true, &tiling).status(), Status::NoCandidates);
}

/// Where everything is one object, it is flooded whole: that has no room in a window of a few tiles.
#[test]
fn an_object_without_room_is_refused() {
    let source = open_image("synth:900x700?seed=7", "".as_ref()).unwrap();
    let all = Parameters { g1: -1, g2: -1, max_size: i64::MAX, ..Parameters::default() };
    let tiling = Tiling::fitting(18 << 20).unwrap();
    let refused = segment_tiled(source.as_ref(), &all, true, &tiling, &std::env::temp_dir());
    let Err(EngineError::Memory { task, needed, limit }) = refused else { panic!("it has no room") };
    assert_eq!((task.as_str(), limit), ("t6_flood", 18 << 20));
    let enough = Tiling::new(100, needed).unwrap();
    assert!(segment_tiled(source.as_ref(), &all, true, &enough, &std::env::temp_dir()).is_ok());
}

#[test]
fn half_of_the_memory_is_for_components() {
    let (tiling, image) =
        (Tiling::fitting(32 << 20).unwrap(), Window { left: 0, top: 0, width: 3, height: 2 });
    let scratch = Scratch::new(&std::env::temp_dir(), image, &tiling).unwrap();
    assert!(scratch.allow(16 << 20).is_ok());
    assert!(
        matches!(scratch.allow((16 << 20) + 1), Err(EngineError::Memory { needed, .. }) if needed > 32 << 20)
    );
}

#[test]
fn a_folder_that_is_none_is_said() {
    let source = open_image("synth:30x20?seed=7", "".as_ref()).unwrap();
    let tiling = Tiling::fitting(1 << 30).unwrap();
    let refused = segment_tiled(source.as_ref(), &Parameters::default(), true, &tiling, "/nowhere".as_ref());
    assert!(matches!(refused, Err(EngineError::Environment(_))));
}
