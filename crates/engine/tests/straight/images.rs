//! What becomes of a study's images: resolution, truth in every form, boxes, and what is said of those that are wrong.

use onceflow_engine::{Level, OpenStudy, Run, open_image, open_labels};
use onceflow_imageio::{Resampled, Working, png_bytes};
use onceflow_region::{Bounds, Dense, Pixels, Source};

use crate::asked::{Asked, METRICS, PARAMETERS};

const HEAD: &str = "name = \"images\"\nworkflow = \"nuclei\"\nseed = 9\n";
const PHASE: &str = "[[phase]]\nname = \"look\"\nmethod = \"mc\"\nrows = 3\n";
const TISSUE: &str = "synth:160x120?seed=3";

fn asked(images: &str, parts: &str) -> Asked {
    Asked::new(&format!("{HEAD}{images}{parts}{PARAMETERS}{METRICS}{PHASE}"))
}

fn image(name: &str, keys: &str) -> String {
    format!("[[image]]\nname = \"{name}\"\nfile = \"{TISSUE}\"\n{keys}\n")
}

fn whole(source: &dyn Source) -> Dense {
    source.read(source.info().bounds().unwrap()).unwrap()
}

/// The metrics of each row and image.
fn metrics(run: &Run) -> Vec<Vec<Vec<Option<f64>>>> {
    let rows = run.answer.table.rows.iter();
    rows.map(|row| row.images.iter().map(|image| image.metrics.clone()).collect()).collect()
}

/// The labels of the tissue as GeoJSON, one feature per row of a label: whatever the order, the same pixels.
fn geojson(labels: &Dense) -> String {
    let values = labels.as_u32().unwrap();
    let most = values.iter().max().copied().unwrap();
    let mut objects = vec![Vec::new(); most as usize];
    for (row, line) in values.chunks(labels.width()).enumerate() {
        let mut start = 0;
        for run in line.chunk_by(|a, b| a == b) {
            let (from, to) = (start, start + run.len());
            start = to;
            if run[0] > 0 {
                let (top, bottom) = (row, row + 1);
                objects[run[0] as usize - 1].push(format!(
                    "[[[{from},{top}],[{to},{top}],[{to},{bottom}],[{from},{bottom}],[{from},{top}]]]"
                ));
            }
        }
    }
    let feature = |polygons: &Vec<String>| {
        let geometry = format!("{{\"type\":\"MultiPolygon\",\"coordinates\":[{}]}}", polygons.join(","));
        format!(
            "{{\"type\":\"Feature\",\"geometry\":{geometry},\"properties\":{{\"objectType\":\"detection\"}}}}"
        )
    };
    let features: Vec<_> = objects.iter().filter(|o| !o.is_empty()).map(feature).collect();
    format!("{{\"type\":\"FeatureCollection\",\"features\":[{}]}}", features.join(","))
}

#[test]
fn truth_is_the_same_as_labels_and_as_outlines_of_all_and_of_a_box() {
    let labels = whole(open_labels(TISSUE, "".as_ref()).unwrap().as_ref());
    let wide: Vec<u16> = labels.as_u32().unwrap().iter().map(|label| *label as u16).collect();
    let wide = Dense::new(labels.width(), labels.height(), 1, Pixels::U16(wide)).unwrap();
    let part = Bounds::plane(20, 10, 100, 90).unwrap();
    let keys = |truth: &str| format!("box = [20, 10, 100, 90]\ntruth = \"{truth}\"");
    let names = [TISSUE, "whole.png", "box.png", "truth.geojson"];
    let images: String = names.iter().map(|truth| image(truth, &keys(truth))).collect();
    let asked = asked(&images, "");
    std::fs::write(asked.path().join("whole.png"), png_bytes(&wide).unwrap()).unwrap();
    std::fs::write(asked.path().join("box.png"), png_bytes(&wide.crop(part).unwrap()).unwrap()).unwrap();
    std::fs::write(asked.path().join("truth.geojson"), geojson(&labels)).unwrap();
    for row in metrics(&asked.run(Level::Dataflow, 2)) {
        assert!(row[0].iter().all(Option::is_some), "{row:?}");
        assert!(row.iter().all(|image| *image == row[0]), "{row:?}");
    }
}

#[test]
fn a_study_at_another_resolution_is_that_of_images_resampled_before() {
    let source = open_image(TISSUE, "".as_ref()).unwrap();
    let um = source.info().um_per_pixel.unwrap();
    let working = Working::new(source.info(), um, um * 1.6).unwrap();
    let small = whole(&Resampled::colours(source, working, None).unwrap());
    let labels = whole(&Resampled::labels(open_labels(TISSUE, "".as_ref()).unwrap(), working));
    let labels: Vec<u16> = labels.as_u32().unwrap().iter().map(|label| *label as u16).collect();
    let labels = Dense::new(small.width(), small.height(), 1, Pixels::U16(labels)).unwrap();
    let before = format!(
        "[[image]]\nname = \"before\"\nfile = \"small.png\"\ntruth = \"labels.png\"\num_per_pixel = {}\n",
        um * 1.6
    );
    let asked = asked(
        &format!("{}{before}", image("now", &format!("truth = \"{TISSUE}\""))),
        &format!("[parts]\num_per_pixel = {}\n", um * 1.6),
    );
    std::fs::write(asked.path().join("small.png"), png_bytes(&small).unwrap()).unwrap();
    std::fs::write(asked.path().join("labels.png"), png_bytes(&labels).unwrap()).unwrap();
    let run = asked.run(Level::Dataflow, 2);
    for row in metrics(&run) {
        assert!(row[0].iter().all(Option::is_some) && row[0] == row[1], "{row:?}");
    }
    let summaries = &run.answer.images;
    assert_eq!((summaries[0].width, summaries[0].height), (100, 75));
    assert!(summaries[0].resampled.is_some() && summaries[1].resampled.is_none());
    let said = OpenStudy::new(&asked.study, &asked.workflow, asked.path()).unwrap().resampling();
    assert!(said.len() == 1 && said[0].starts_with("now is resampled from"), "{said:?}");
}

#[test]
fn only_parts_within_the_truth_box_are_compared_with_truth() {
    let keys = format!("truth = \"{TISSUE}\"");
    let boxed = format!("{keys}\ntruth_box = [0, 0, 120, 120]");
    let corner = format!("{keys}\nbox = [0, 0, 120, 120]");
    let images = format!("{}{}{}", image("all", &keys), image("some", &boxed), image("corner", &corner));
    let parts = "[parts]\nsize = 60\nseams = \"independent\"\nbackground = \"keep\"\n";
    let run = asked(&images, parts).run(Level::Dataflow, 2);
    let of = |image: usize| run.answer.images[image].truth_objects.unwrap();
    assert!(of(1) > 0 && of(1) <= of(0), "{} {}", of(0), of(1));
    // Against truth it is as if only these parts were studied; alone it is not.
    assert_eq!(of(1), of(2));
    for row in metrics(&run) {
        assert_eq!(row[1][0], row[2][0], "dice");
    }
    let nothing = format!("{keys}\ntruth_box = [0, 0, 20, 20]");
    let asked = asked(&image("a", &nothing), parts);
    let error = OpenStudy::new(&asked.study, &asked.workflow, asked.path()).unwrap_err();
    assert!(error.to_string().contains("no part of image `a` lies in its truth_box"), "{error}");
}

#[test]
fn where_annotations_say_where_objects_were_drawn_the_rest_has_no_truth() {
    let feature = |class: &str, side: u32| {
        format!(
            "{{\"type\":\"Feature\",\"geometry\":{{\"type\":\"Polygon\",\"coordinates\":\
             [[[0,0],[{side},0],[{side},{side}],[0,{side}]]]}},\"properties\":{{\"objectType\":\"annotation\",\
             \"classification\":{{\"name\":\"{class}\"}}}}}}"
        )
    };
    let asked = asked(&image("a", "truth = \"t.geojson\""), "");
    let text = format!("[{},{}]", feature("Region*", 80), feature("Tumor", 9));
    std::fs::write(asked.path().join("t.geojson"), text).unwrap();
    let error = OpenStudy::new(&asked.study, &asked.workflow, asked.path()).unwrap_err().to_string();
    assert!(error.contains("write truth_box = [0, 0, 80, 80]"), "{error}");
}

#[test]
fn everything_that_is_wrong_with_images_is_said_at_once() {
    let images: String = (0..4)
        .map(|i| format!("[[image]]\nname = \"i{i}\"\nfile = \"none-{i}.svs\"\n"))
        .chain([image("outside", "box = [150, 0, 20, 20]"), image("truth", "truth = \"none.geojson\"")])
        .collect();
    let asked = asked(&images, "");
    let error = OpenStudy::new(&asked.study, &asked.workflow, asked.path()).unwrap_err().to_string();
    for expected in ["none-0.svs", "none-3.svs", "`outside` reaches outside", "the truth none.geojson"] {
        assert!(error.contains(expected), "{expected}: {error}");
    }
}

#[test]
fn three_hundred_images_are_opened_and_run_without_a_handle_each() {
    let images: String = (0..300)
        .map(|i| format!("[[image]]\nname = \"i{i}\"\nfile = \"{i}.png\"\num_per_pixel = 0.5\ntruth = \"synth:48x40?seed=3\"\n"))
        .collect();
    let asked = asked(&images, "");
    let tissue = whole(open_image("synth:48x40?seed=3", "".as_ref()).unwrap().as_ref());
    let bytes = png_bytes(&tissue).unwrap();
    (0..300).for_each(|i| std::fs::write(asked.path().join(format!("{i}.png")), &bytes).unwrap());
    let handles = || std::fs::read_dir("/proc/self/fd").map_or(0, Iterator::count);
    let before = handles();
    let study = asked.open();
    assert!(handles() < before + 50, "{} handles after {before}", handles());
    assert_eq!(study.multiplicity().parts, 300);
}
