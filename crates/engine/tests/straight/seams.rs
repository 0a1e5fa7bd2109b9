//! Images that are cut with owned seams give what the uncut image gives.

use onceflow_engine::{EngineError, Level, Run, RunFolder, Silent};
use onceflow_imageio::open;
use onceflow_region::Bounds;

use crate::asked::{Answered, Asked, METRICS, PARAMETERS, QUICK};

const HEAD: &str = "name = \"seams\"\nworkflow = \"nuclei\"\nseed = 5\n";

fn image(name: &str) -> String {
    format!("[[image]]\nname = \"one\"\nfile = \"{name}\"\ntruth = \"{name}\"\n")
}

fn parts(size: u64, seams: &str) -> String {
    format!("[parts]\nsize = {size}\nseams = \"{seams}\"\nbackground = \"keep\"\n")
}

/// Every metric that counts pixels or objects.
const COUNTED: &str = r#"
[[metric]]
name = "quality"
of = "nuclei"
measure = "panoptic_quality"
against = "truth"
[[metric]]
name = "f1"
of = "nuclei"
measure = "object_f1"
against = "default"
[[metric]]
name = "objects"
of = "nuclei"
measure = "objects"
[[metric]]
name = "foreground"
of = "nuclei"
measure = "foreground"
"#;

const SCREEN: &str = "[[phase]]\nname = \"screen\"\nmethod = \"moat\"\ntrajectories = 2\n";
const SECOND: &str = "[[phase]]\nname = \"second\"\nmethod = \"lhs\"\nrows = 4\nanalysis = \"correlation\"\n";

#[test]
fn parts_that_see_everything_give_the_bytes_of_the_uncut_image_at_every_level() {
    let study = |parts: &str| {
        let metrics = format!("{METRICS}{COUNTED}");
        Asked::new(&format!(
            "{HEAD}{}{parts}{PARAMETERS}{metrics}{SCREEN}{SECOND}{QUICK}",
            image("synth:96x80?seed=3")
        ))
    };
    let cut = study(&parts(32, "owned")).same_everywhere();
    assert_eq!(cut.answer.images[0].parts, 9, "a rest of half a part is one");
    let whole = Answered::of(&study("").run(Level::Dataflow, 1));
    assert_eq!(Answered::of(&cut), whole);
    let exact = study(&parts(32, "exact")).run(Level::Dataflow, 2);
    assert_eq!((exact.answer.images[0].parts, Answered::of(&exact)), (1, whole));
}

const ROWS: &str = r#"
[parameters]
G1 = { from = 20, to = 80, step = 10 }
G2 = { from = 20, to = 45, step = 5 }
minSizeSeg = { from = 2, to = 40, step = 2 }
[[phase]]
name = "look"
method = "mc"
rows = 3
"#;

/// A metric of each row.
fn column(run: &Run, name: &str) -> Vec<f64> {
    let place = run.answer.table.metrics.iter().position(|metric| metric == name).unwrap();
    run.answer.table.rows.iter().map(|row| row.metrics[place].unwrap()).collect()
}

#[test]
fn small_parts_of_large_tissue_differ_from_it_in_almost_nothing() {
    let study = |parts: &str| {
        Asked::new(&format!("{HEAD}{}{parts}{ROWS}{COUNTED}", image("synth:1500x1100?seed=4")))
            .run(Level::Dataflow, 2)
    };
    let (whole, owned) = (study(&parts(2048, "owned")), study(&parts(256, "owned")));
    assert_eq!((whole.answer.images[0].parts, owned.answer.images[0].parts), (1, 24));
    assert_eq!((whole.answer.halo, owned.answer.halo), (0, 22 + 2 * 64));
    for name in ["quality", "f1", "objects", "foreground"] {
        for (a, b) in column(&whole, name).into_iter().zip(column(&owned, name)) {
            // An object larger than the halo ends otherwise where it is cut; synthetic clumps are that large at low G2.
            assert!((a - b).abs() <= 1e-3 * a.abs(), "{name}: {a} uncut, {b} cut");
        }
    }
    let independent = study(&parts(256, "independent"));
    let off = |run: &Run| (column(run, "objects")[0] - column(&whole, "objects")[0]).abs();
    assert!(off(&independent) > 10.0 * off(&owned), "{} and {}", off(&independent), off(&owned));
}

#[test]
fn truth_objects_are_those_of_the_uncut_image() {
    let study = |parts: &str| {
        let text = format!("{HEAD}{}{parts}{ROWS}{METRICS}", image("synth:400x300?seed=9"));
        Asked::new(&text).run(Level::Dataflow, 2).answer.images[0].truth_objects.unwrap()
    };
    let whole = study("");
    assert_eq!(study(&parts(64, "owned")), whole);
    assert!(study(&parts(64, "independent")) > whole);
}

#[test]
fn kept_regions_show_what_belongs_to_a_part() {
    let kept = |parts: &str| {
        let keep = "[run]\nkeep_regions = [\"nuclei\"]\n";
        let asked = Asked::new(&format!("{HEAD}{}{parts}{ROWS}{METRICS}{keep}", image("synth:96x80?seed=3")));
        let options = Asked::options(1 << 30, Level::Dataflow, 1);
        asked.run_into("kept", &options, &mut Silent).unwrap();
        let folder = RunFolder::create(&asked.path().join("kept")).unwrap();
        let masks = (0..).map_while(|part| {
            let source = open(&folder.path().join(format!("regions/nuclei/row0-{part}.png"))).ok()?;
            let (width, height) = (source.info().width, source.info().height);
            let pixels = source.read(Bounds::plane(0, 0, width, height).unwrap()).unwrap();
            Some((width, pixels.as_u8().unwrap().to_vec()))
        });
        masks.collect::<Vec<_>>()
    };
    let (whole, halves) = (kept(""), kept(&parts(48, "owned")));
    assert_eq!(
        halves.iter().map(|(width, pixels)| (*width, pixels.len())).collect::<Vec<_>>(),
        [(48, 48 * 48), (48, 48 * 48), (48, 48 * 32), (48, 48 * 32)]
    );
    let row = |part: &(u64, Vec<u8>), y: usize| part.1[y * 48..(y + 1) * 48].to_vec();
    let stitched: Vec<u8> = (0..80)
        .flat_map(|y| [y / 48 * 2, y / 48 * 2 + 1].map(|part| row(&halves[part], y % 48)).concat())
        .collect();
    assert_eq!(stitched, whole[0].1);
}

#[test]
fn exact_seams_need_the_memory_of_the_uncut_image() {
    let asked = |seams: &str| {
        Asked::new(&format!("{HEAD}{}{}{ROWS}{METRICS}", image("synth:700x700?seed=9"), parts(64, seams)))
    };
    let exact = asked("exact");
    let needed = match exact.run_in(4 << 20, Level::Dataflow, 1) {
        Err(EngineError::ExactMemory { needed, limit }) if limit == 4 << 20 => needed,
        other => panic!("{other:?}"),
    };
    assert!(needed > 700 * 700 * 20, "{needed}");
    assert!(
        asked("owned")
            .open()
            .plan(Level::Dataflow, &onceflow_engine::Merge::Nothing, 1, needed)
            .unwrap()
            .least
            < needed
    );
}
