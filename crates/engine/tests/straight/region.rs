//! Regions that are computed alone are what a run finds there.

use onceflow_engine::{
    EngineError, Level, PixelBox, RegionRequest, RunSettings, StoreFolder, compute_region, stored_pixels,
};
use onceflow_region::{Bounds, Dense, RegionQuery};
use onceflow_study::Value;

use crate::asked::{Asked, METRICS, PARAMETERS};

fn study(parts: &str) -> Asked {
    let image =
        "[[image]]\nname = \"tile\"\nfile = \"synth:320x240?seed=4\"\ntruth = \"synth:320x240?seed=4\"\n";
    let phase = "[[phase]]\nname = \"screen\"\nmethod = \"moat\"\ntrajectories = 2\n";
    let head = "name = \"region\"\nworkflow = \"nuclei\"\nseed = 5\n";
    Asked::new(&format!("{head}{image}{parts}{PARAMETERS}{METRICS}{phase}"))
}

fn request(bounds: Bounds) -> RegionRequest {
    RegionRequest {
        values: vec![("G1".into(), Value::Integer(60))],
        image: "tile".into(),
        bounds,
        output: "nuclei".into(),
    }
}

fn mask(asked: &Asked, bounds: Bounds) -> Dense {
    compute_region(&asked.open(), &settings(), &request(bounds)).unwrap().as_dense().unwrap().clone()
}

fn settings() -> RunSettings {
    RunSettings { memory: 1 << 30, ..RunSettings::default() }
}

#[test]
fn a_box_is_a_piece_of_the_whole() {
    let asked = study("");
    let whole = mask(&asked, Bounds::plane(0, 0, 320, 240).unwrap());
    assert_eq!((whole.width(), whole.height()), (320, 240));
    assert!(whole.as_u8().unwrap().iter().any(|pixel| *pixel != 0), "nuclei are found");
    let bounds = Bounds::plane(70, 50, 120, 90).unwrap();
    assert_eq!(mask(&asked, bounds), whole.crop(bounds).unwrap());
}

#[test]
fn parts_with_owned_seams_give_what_the_whole_image_gives() {
    let parts = "[parts]\nsize = 120\nseams = \"owned\"\nbackground = \"keep\"\n";
    let (cut, whole) = (study(parts), study(""));
    let image = mask(&whole, Bounds::plane(0, 0, 320, 240).unwrap());
    // One lies in a part, the other across several.
    for bounds in [Bounds::plane(10, 10, 80, 60).unwrap(), Bounds::plane(90, 80, 150, 110).unwrap()] {
        assert_eq!(mask(&cut, bounds), image.crop(bounds).unwrap(), "{bounds:?}");
    }
}

#[test]
fn what_does_not_exist_is_refused_by_name() {
    let asked = study("").open();
    let bounds = Bounds::plane(0, 0, 32, 32).unwrap();
    let refused =
        |request: RegionRequest| compute_region(&asked, &settings(), &request).unwrap_err().to_string();
    assert!(refused(RegionRequest { image: "other".into(), ..request(bounds) }).contains("no image `other`"));
    assert!(refused(RegionRequest { output: "nucleus".into(), ..request(bounds) }).contains("`nucleus`"));
    let values = vec![("G9".into(), Value::Integer(1))];
    assert!(refused(RegionRequest { values, ..request(bounds) }).contains("no parameter `G9`"));
    let outside = Bounds::plane(300, 0, 32, 32).unwrap();
    assert!(refused(request(outside)).contains("outside the image"));
}

/// Memory that no task fits in shows that nothing was computed.
#[test]
fn a_region_that_a_run_stored_is_taken() {
    let parts = "[parts]\nsize = 160\nseams = \"owned\"\nbackground = \"keep\"\n";
    let asked = study(parts);
    let store = Some(StoreFolder::new(asked.path().join("store")));
    asked
        .run_with(RunSettings { store: store.clone(), ..Asked::options(1 << 30, Level::Object, 2) })
        .unwrap();
    let tight = RunSettings { memory: 1, store, ..RunSettings::default() };
    let bounds = Bounds::plane(20, 30, 100, 90).unwrap();
    let of = |values, settings: &RunSettings| {
        compute_region(&asked.open(), settings, &RegionRequest { values, ..request(bounds) })
    };
    let taken = of(Vec::new(), &tight).unwrap();
    let computed = of(Vec::new(), &settings()).unwrap();
    assert_eq!(taken.as_dense(), computed.as_dense());
    assert!(
        computed.as_dense().unwrap().as_u8().unwrap().iter().any(|pixel| *pixel != 0),
        "nuclei are found"
    );
    let other = of(vec![("G1".into(), Value::Integer(7))], &tight);
    assert!(matches!(other, Err(EngineError::Memory { .. })), "no run had this row: {other:?}");
}

/// A part of more than four million pixels is kept in bands, and of these only one holds the box.
#[test]
fn of_a_large_region_that_a_run_stored_only_the_bands_of_the_box_are_read() {
    let image = "[[image]]\nname = \"tile\"\nfile = \"synth:2200x2000?seed=4\"\n";
    let metric = "[[metric]]\nname = \"change\"\nof = \"nuclei\"\nmeasure = \"pixel_difference\"\nagainst = \"default\"\n";
    let phase = "[[phase]]\nname = \"screen\"\nmethod = \"mc\"\nrows = 2\n";
    let head = "name = \"region\"\nworkflow = \"nuclei\"\nseed = 5\n";
    let asked = Asked::new(&format!("{head}{image}{PARAMETERS}{metric}{phase}"));
    let store = Some(StoreFolder::new(asked.path().join("store")));
    asked
        .run_with(RunSettings { store: store.clone(), ..Asked::options(1 << 31, Level::Object, 2) })
        .unwrap();
    let opened = store.as_ref().unwrap().open().unwrap();
    let bounds = Bounds::plane(300, 1700, 200, 100).unwrap();
    // By what it is and where, as any other program would find it: the row of the defaults is version 0.
    let query = RegionQuery { version: Some(0), ..RegionQuery::named("tile", "nuclei") };
    let listed = opened.regions(&query, Some(&bounds), 10).unwrap();
    assert_eq!(listed.len(), 1);
    assert_eq!(listed[0].region.as_ref().unwrap().bounds, Bounds::plane(0, 0, 2200, 2000).unwrap());
    let within = PixelBox { x: 300, y: 1700, width: 200, height: 100 };
    let found = stored_pixels(&opened, &listed[0].key, Some(within)).unwrap();
    assert_eq!(found.pieces, (1, 3));
    let whole = stored_pixels(&opened, &listed[0].key, None).unwrap();
    assert!(whole.pieces == (3, 3) && found.read_bytes < whole.read_bytes / 2);
    drop(opened);
    // Memory that no task fits in shows that nothing was computed.
    let tight = RunSettings { memory: 1, store, ..RunSettings::default() };
    let request = RegionRequest { values: Vec::new(), ..request(bounds) };
    let taken = compute_region(&asked.open(), &tight, &request).unwrap();
    let taken = taken.as_dense().unwrap();
    assert_eq!(taken, &whole.region.as_dense().unwrap().crop(bounds).unwrap());
    assert_eq!(taken, found.region.as_dense().unwrap());
    assert!(taken.as_u8().unwrap().iter().any(|pixel| *pixel != 0), "nuclei are found");
}
