use std::path::Path;

use onceflow_region::{Bounds, Dense, Details, Element, ImageInfo, ImageScale, Source};
use proptest::prelude::*;

use super::*;
use crate::Working;

fn info(width: u64, height: u64) -> ImageInfo {
    ImageInfo {
        format: "test".into(),
        width,
        height,
        channels: 3,
        element: Element::U8,
        um_per_pixel: Some(0.25),
        scales: vec![ImageScale::whole(width, height)],
        details: Details::default(),
    }
}

fn over(text: &str, width: u64, height: u64) -> Arc<OutlineSource> {
    let info = info(width, height);
    Outlines::parse("t", text.as_bytes()).unwrap().over(&info, &Working::whole(&info))
}

fn whole(source: &dyn Source) -> Dense {
    source.read(source.info().bounds().unwrap()).unwrap()
}

fn labels(text: &str, width: u64, height: u64) -> Vec<u32> {
    whole(over(text, width, height).as_ref()).as_u32().unwrap().to_vec()
}

fn refused(text: &str) -> String {
    Outlines::parse("t", text.as_bytes()).unwrap_err().to_string()
}

/// Whether a point lies in rings, by counting the edges to its left: the definition, pixel by pixel.
fn is_inside(rings: &[Vec<[f64; 2]>], x: f64, y: f64, rule: FillRule) -> bool {
    let (mut crossed, mut turns) = (0, 0);
    for ring in rings {
        for (i, to) in ring.iter().enumerate() {
            let from = ring[(i + ring.len() - 1) % ring.len()];
            if (from[1] <= y) == (to[1] <= y) {
                continue;
            }
            let (upper, lower) = if from[1] < to[1] { (from, *to) } else { (*to, from) };
            let at = upper[0] + (y - upper[1]) * (lower[0] - upper[0]) / (lower[1] - upper[1]);
            if at <= x {
                crossed += 1;
                turns += if from[1] < to[1] { 1 } else { -1 };
            }
        }
    }
    if rule == FillRule::EvenOdd { crossed % 2 == 1 } else { turns != 0 }
}

fn ring_text(ring: &[[f64; 2]]) -> String {
    let points: Vec<String> = ring.iter().map(|[x, y]| format!("[{x},{y}]")).collect();
    format!("[{}]", points.join(","))
}

fn polygon_text(rings: &[Vec<[f64; 2]>]) -> String {
    format!("[{}]", rings.iter().map(|ring| ring_text(ring)).collect::<Vec<_>>().join(","))
}

/// Rings with corners on quarters of pixels, so that centres lie on edges and corners often.
fn rings() -> impl Strategy<Value = Vec<Vec<[f64; 2]>>> {
    let point = (-8i32..60, -8i32..60).prop_map(|(x, y)| [f64::from(x) / 4.0, f64::from(y) / 4.0]);
    prop::collection::vec(prop::collection::vec(point, 3..9), 1..4)
}

proptest! {
    #[test]
    fn geojson_is_drawn_as_each_pixel_by_itself_would_be(objects in prop::collection::vec(rings(), 1..5)) {
        let feature = |rings: &Vec<Vec<[f64; 2]>>| format!(
            r#"{{"type":"Feature","geometry":{{"type":"Polygon","coordinates":{}}},"properties":{{}}}}"#,
            polygon_text(rings)
        );
        let features: Vec<String> = objects.iter().map(feature).collect();
        let found = labels(&format!("[{}]", features.join(",")), 13, 12);
        for (i, label) in found.iter().enumerate() {
            let (x, y) = ((i % 13) as f64 + 0.5, (i / 13) as f64 + 0.5);
            let last = objects.iter().rposition(|rings| is_inside(rings, x, y, FillRule::EvenOdd));
            prop_assert_eq!(*label as usize, last.map_or(0, |at| at + 1), "{} {}", x, y);
        }
    }

    #[test]
    fn imagescope_is_drawn_as_each_pixel_by_itself_would_be(
        regions in prop::collection::vec((rings(), any::<bool>()), 1..6),
    ) {
        let vertices = |ring: &Vec<[f64; 2]>| -> String {
            ring.iter().map(|[x, y]| format!("<Vertex X=\"{x}\" Y=\"{y}\"/>")).collect()
        };
        let region = |(rings, negative): &(Vec<Vec<[f64; 2]>>, bool)| format!(
            "<Region Type=\"0\" NegativeROA=\"{}\"><Vertices>{}</Vertices></Region>",
            u8::from(*negative), vertices(&rings[0])
        );
        prop_assume!(regions.iter().any(|(_, negative)| !negative));
        let text: String = regions.iter().map(region).collect();
        let text = format!("<Annotations><Annotation><Regions>{text}</Regions></Annotation></Annotations>");
        let found = labels(&text, 13, 12);
        let inside = |rings: &Vec<Vec<[f64; 2]>>, x, y| is_inside(&rings[..1], x, y, FillRule::NonZero);
        let positive: Vec<_> = regions.iter().filter(|(_, negative)| !negative).collect();
        for (i, label) in found.iter().enumerate() {
            let (x, y) = ((i % 13) as f64 + 0.5, (i / 13) as f64 + 0.5);
            let cut = regions.iter().any(|(rings, negative)| *negative && inside(rings, x, y));
            let last = positive.iter().rposition(|(rings, _)| !cut && inside(rings, x, y));
            prop_assert_eq!(*label as usize, last.map_or(0, |at| at + 1), "{} {}", x, y);
        }
    }

    #[test]
    fn any_cut_and_any_resolution_is_drawn_alike(
        objects in prop::collection::vec(rings(), 1..4), wanted in 0.06f64..1.0,
        cut in (0.0f64..1.0, 0.0f64..1.0, 0.0f64..1.0, 0.0f64..1.0),
    ) {
        let geometry = |rings: &Vec<Vec<[f64; 2]>>| format!(r#"{{"type":"Polygon","coordinates":{}}}"#, polygon_text(rings));
        let text = format!("[{}]", objects.iter().map(geometry).collect::<Vec<_>>().join(","));
        let info = info(13, 12);
        let working = Working::new(&info, 0.25, wanted).unwrap();
        let source = Outlines::parse("t", text.as_bytes()).unwrap().over(&info, &working);
        let all = whole(source.as_ref());
        let part = |share: f64, from: usize, to: usize| from + (share * (to - from) as f64) as usize;
        let (x, y) = (part(cut.0, 0, all.width() - 1), part(cut.1, 0, all.height() - 1));
        let (w, h) = (part(cut.2, 1, all.width() - x), part(cut.3, 1, all.height() - y));
        let bounds = Bounds::plane(x as i64, y as i64, w as u64, h as u64).unwrap();
        prop_assert_eq!(source.read(bounds).unwrap(), all.crop(bounds).unwrap());
        let small = |rings: &Vec<Vec<[f64; 2]>>| -> Vec<Vec<[f64; 2]>> {
            rings.iter().map(|ring| ring.iter().map(|point| point.map(|at| at / working.ratio())).collect()).collect()
        };
        let objects: Vec<_> = objects.iter().map(small).collect();
        for (i, label) in all.as_u32().unwrap().iter().enumerate() {
            let (x, y) = ((i % all.width()) as f64 + 0.5, (i / all.width()) as f64 + 0.5);
            let last = objects.iter().rposition(|rings| is_inside(rings, x, y, FillRule::EvenOdd));
            prop_assert_eq!(*label as usize, last.map_or(0, |at| at + 1));
        }
    }

    #[test]
    fn no_text_breaks_the_readers(text in "[\\[\\]{}<>\"',:/ a-z0-9.-]{0,80}") {
        let _ = Outlines::parse("t", text.as_bytes());
    }
}

const SQUARE: &str = r#"{"type":"Polygon","coordinates":[[[1,1],[3,1],[3,3],[1,3],[1,1]]]}"#;

#[test]
fn every_form_of_geojson_is_read() {
    let expected = [0, 0, 0, 0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 0, 0, 0];
    let feature = format!(r#"{{"type":"Feature","properties":null,"geometry":{SQUARE}}}"#);
    let late = r#"{"type":"Feature","geometry":{"coordinates":[[[1,1,0],[3,1,0],[3,3,0],[1,3,0]]],"type":"Polygon"}}"#;
    for text in [
        SQUARE.to_owned(),
        feature.clone(),
        late.to_owned(),
        format!("[{feature}]"),
        format!(r#"{{"type":"FeatureCollection","features":[{feature}]}}"#),
        format!("\u{feff} [[{feature}]]"),
        r#"{"type":"MultiPolygon","coordinates":[[[[1,1],[2,1],[2,3],[1,3]]],[[[2,1],[3,1],[3,3],[2,3]]]]}"#
            .into(),
        format!(
            r#"{{"type":"GeometryCollection","geometries":[{{"type":"Point","coordinates":[1,2]}},{SQUARE}]}}"#
        ),
    ] {
        assert_eq!(labels(&text, 4, 4), expected, "{text}");
    }
    let hole = r#"{"type":"Polygon","coordinates":[[[0,0],[4,0],[4,4],[0,4]],[[1,1],[3,1],[3,3],[1,3]]]}"#;
    assert_eq!(labels(hole, 4, 4).iter().sum::<u32>(), 12);
}

fn of_type(object: &str, class: &str, at: u32) -> String {
    let class =
        if class.is_empty() { "null".into() } else { format!(r#"{{"name":"{class}","color":[1,2,3]}}"#) };
    let (from, to) = (at, at + 1);
    format!(
        r#"{{"type":"Feature","id":"x","geometry":{{"type":"Polygon","coordinates":[[[{from},0],[{to},0],[{to},1],[{from},1]]]}},
        "properties":{{"objectType":"{object}","classification":{class},"measurements":{{"a":[1,{{"b":2}}]}}}}}}"#
    )
}

#[test]
fn detections_are_the_objects_and_annotations_where_there_are_none() {
    let row = |features: &[String]| labels(&format!("[{}]", features.join(",")), 4, 1);
    let [annotation, detection] =
        ["annotation", "detection"].map(|kind| move |at| of_type(kind, "Tumor", at));
    assert_eq!(row(&[annotation(0), detection(1), of_type("cell", "", 2)]), [0, 1, 2, 0]);
    assert_eq!(row(&[annotation(0), annotation(2), of_type("tile", "", 1)]), [1, 0, 2, 0]);
    assert_eq!(row(&[annotation(0), of_type("annotation", "Ignore*", 1)]), [1, 0, 0, 0]);
    let region = format!("[{},{}]", of_type("annotation", "Region*", 2), annotation(2));
    let outlines = Outlines::parse("t", region.as_bytes()).unwrap();
    assert_eq!(
        (outlines.objects(), outlines.left_out(), outlines.areas()),
        (1, 1, &[[2.0, 0.0, 3.0, 1.0]][..])
    );
    let parent = annotation(0).replacen("\"id\":\"x\"", &format!("\"childObjects\":[{}]", annotation(3)), 1);
    assert_eq!(row(&[parent]), [0, 0, 0, 1]);
    let nucleus = of_type("cell", "", 0).replacen(
        "\"id\":\"x\"",
        r#""nucleusGeometry":{"type":"Polygon","coordinates":[[[1,0],[2,0],[2,1],[1,1]]]}"#,
        1,
    );
    assert_eq!(row(&[nucleus]), [0, 1, 0, 0]);
}

#[test]
fn what_is_wrong_is_said() {
    for (text, expected) in [
        ("[]", "expected the outline of an object, found none"),
        ("{}", "expected the outline of an object, found none"),
        (r#"{"type":"Point","coordinates":[1,2]}"#, "found none beside 1 without area"),
        (
            r#"{"type":"Polygon","coordinates":[[1,2],[3,4]]}"#,
            "coordinates in 1 lists where 2 make a polygon",
        ),
        (r#"{"type":"Polygon","coordinates":[[[1],[3,4]]]}"#, "a point with one coordinate"),
        (r#"{"type":"Polygon","coordinates":[[[1,2],[[3,4]]]]}"#, "different depths"),
        (r#"{"type":"Polygon","coordinates":[[[1e300,2],[3,4],[5,6]]]}"#, "coordinates within 2^31 pixels"),
        (r#"{"type":"Topology","coordinates":[]}"#, "a geometry of type `Topology`"),
        ("[1]", "invalid type: integer `1`, expected features at line 1 column 2"),
        (r#"{"type":"Polygon","coordinates":[[["#, "EOF while parsing"),
        ("hello", "expected GeoJSON (QuPath) or XML (ImageScope), found something else"),
        ("<svg/>", "expected ImageScope's <Annotations>, found <svg>"),
        ("<!DOCTYPE a><Annotations/>", "a document type"),
        ("<Annotations>", "the end of the file inside an element"),
        ("<Annotations/>", "expected the outline of an object, found none"),
        ("<Annotations><Annotation><Region><Vertex X=\"1\"/>", "a number Y at each vertex, found none"),
        (
            "<Annotations><Annotation><Region><Vertex X=\"1\" Y=\"NaN\"/>",
            "a number Y at each vertex, found `NaN`",
        ),
    ] {
        let found = refused(text);
        assert!(found.contains(expected), "{text}: {found}");
    }
    let deep = refused(&"[".repeat(100_000));
    assert!(deep.contains("recursion limit exceeded"), "{deep}");
    let deep = refused(&format!("<Annotations>{}", "<a>".repeat(100_000)));
    assert!(deep.contains("too deep"), "{deep}");
}

#[test]
fn what_would_take_for_ever_is_refused() {
    let tall: String =
        (0..9000).map(|i| format!("[{i},{}],", if i % 2 == 0 { 0 } else { 1_000_000 })).collect();
    let tall = format!(r#"{{"type":"Polygon","coordinates":[[{}[0,1]]]}}"#, tall);
    assert!(refused(&tall).contains("2^32 rows"), "{}", refused(&tall));
}

#[test]
fn rectangles_and_ellipses_may_be_given_by_their_boxes() {
    let region = |kind: &str| {
        format!(
            "<Annotations><Annotation><Regions><Region Type=\"{kind}\"><Vertices><Vertex X=\"0\" Y=\"0\"/>\
             <Vertex X=\"20\" Y=\"10\"/></Vertices></Region></Regions></Annotation></Annotations>"
        )
    };
    assert_eq!(labels(&region("1"), 20, 10).iter().sum::<u32>(), 200);
    let ellipse = labels(&region("2"), 20, 10).iter().sum::<u32>();
    assert!((150..=164).contains(&ellipse), "{ellipse} of about 157");
    assert!(refused(&region("4")).contains("found none beside 1"));
    // A kind that cannot be read is not taken for a line that was drawn by hand.
    assert!(refused(&region("box")).contains("a whole number as Type of a region, found `box`"));
    let negative = region("1").replace("Type=\"1\"", "Type=\"1\" NegativeROA=\"yes\"");
    assert!(refused(&negative).contains("a whole number as NegativeROA of a region, found `yes`"));
}

#[test]
fn digests_tell_outlines_and_resolutions_apart() {
    let digest = |text: &str, wanted: f64| {
        let info = info(40, 40);
        let working = Working::new(&info, 0.25, wanted).unwrap();
        Outlines::parse("t", text.as_bytes()).unwrap().over(&info, &working).digest().unwrap()
    };
    assert_eq!(digest(SQUARE, 0.25), digest(&SQUARE.replace(',', ", "), 0.25));
    assert_ne!(digest(SQUARE, 0.25), digest(SQUARE, 0.5));
    assert_ne!(digest(SQUARE, 0.25), digest(&SQUARE.replace("[3,3]", "[3,4]"), 0.25));
}

/// Labels that another program drew from the same file differ along the edges only: it has another rule for these.
#[test]
fn real_annotations_agree_with_what_another_program_drew() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/histology-nuclei/monuseg");
    let Ok(files) = std::fs::read_dir(&folder) else {
        #[allow(clippy::print_stderr, reason = "the reason why nothing is tested")]
        {
            eprintln!("skipped: the real annotations are not there");
        }
        return;
    };
    let mut seen = 0;
    for path in files.map(|file| file.unwrap().path()).filter(|path| path.extension() == Some("xml".as_ref()))
    {
        let theirs = crate::open(&path.with_extension("labels.png")).unwrap();
        let info = theirs.info().clone();
        assert!(Outlines::is_one(&path));
        let outlines = Outlines::read(&path).unwrap();
        let objects = outlines.objects();
        let ours = whole(outlines.over(&info, &Working::whole(&info)).as_ref());
        let theirs = onceflow_region::labels(&whole(theirs.as_ref())).unwrap().plane;
        let (ours, theirs) = (ours.as_u32().unwrap(), theirs.as_u32().unwrap());
        assert_eq!(theirs.iter().max(), Some(&objects), "{}", path.display());
        let both = ours.iter().zip(theirs).filter(|(a, b)| **a > 0 && a == b).count();
        let sum = ours.iter().chain(theirs).filter(|label| **label > 0).count();
        let dice = 2.0 * both as f64 / sum as f64;
        assert!(dice > 0.9, "{}: {dice}", path.display());
        seen += 1;
    }
    assert!(seen > 0);
}
