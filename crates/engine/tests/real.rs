//! Studies of real tissue against figures of an independent program, where the tiles are found beside the repository.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stderr)]

mod asked;

use std::path::{Path, PathBuf};

use asked::Asked;
use onceflow_engine::{Level, Run, rows_csv};
use onceflow_sensitivity::Indices;

fn tiles() -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/histology-nuclei");
    if !folder.exists() {
        eprintln!("skipped: there are no tiles at {}", folder.display());
    }
    folder.canonicalize().ok()
}

fn image(name: &str, file: &Path, truth: &Path) -> String {
    format!("[[image]]\nname = \"{name}\"\nfile = '{}'\ntruth = '{}'\n", file.display(), truth.display())
}

fn glioma(tiles: &Path) -> String {
    let file = |ending: &str| {
        tiles.join(format!("tcga-glioma/TCGA-CS-4938-01Z-00-DX1_12560_47520_500_500_LGG{ending}.png"))
    };
    image("LGG", &file(""), &file("-mask"))
}

/// The ranges of the papers.
const PARAMETERS: &str = r#"
[parameters]
blue  = { from = 210, to = 240, step = 10 }
green = { from = 210, to = 240, step = 10 }
red   = { from = 210, to = 240, step = 10 }
T1    = { from = 2.5, to = 7.5, step = 0.5 }
T2    = { from = 2.5, to = 7.5, step = 0.5 }
reconConnectivity     = [4, 8]
fillHolesConnectivity = [4, 8]
G1         = { from = 5, to = 80, step = 5 }
minSize    = { from = 2, to = 40, step = 2 }
maxSize    = { from = 900, to = 1500, step = 50 }
G2         = { from = 2, to = 40, step = 2 }
minSizePl  = { from = 5, to = 80, step = 5 }
watershedConnectivity = [4, 8]
minSizeSeg = { from = 2, to = 40, step = 2 }
maxSizeSeg = { from = 900, to = 1500, step = 50 }
"#;

fn metric(against: &str) -> String {
    format!("[[metric]]\nname = \"dice\"\nof = \"nuclei\"\nmeasure = \"dice\"\nagainst = \"{against}\"\n")
}

/// What another program finds with trajectories of its own.
const INDEPENDENT: [(&str, f64); 5] =
    [("G2", 0.38), ("G1", 0.11), ("minSizePl", 0.06), ("minSize", 0.03), ("reconConnectivity", 0.02)];

#[test]
fn the_screen_of_a_tile_of_glioma_finds_what_is_known_to_matter() {
    let Some(tiles) = tiles() else { return };
    let head = "name = \"screen\"\nworkflow = \"nuclei\"\nseed = 1\n";
    let phase = "[[phase]]\nname = \"screen\"\nmethod = \"moat\"\ntrajectories = 12\n";
    let asked = Asked::new(&format!("{head}{}{PARAMETERS}{}{phase}", glioma(&tiles), metric("default")));
    let effects = effects(&asked.run(Level::Dataflow, 2));
    eprintln!("mu* of dice against the defaults, and what an independent program finds:");
    for (name, value) in &effects {
        let other = INDEPENDENT.iter().find(|(other, _)| other == name);
        let other = other.map_or(String::new(), |(_, value)| value.to_string());
        eprintln!("  {name:<24}{value:<10.4}{other}");
    }
    assert_eq!((effects[0].0.as_str(), effects[1].0.as_str()), ("G2", "G1"));
    for name in ["blue", "green", "red"] {
        let (_, value) = effects.iter().find(|(other, _)| other == name).unwrap();
        assert_eq!(*value, 0.0, "no row of tissue is background, so {name} changes nothing");
    }
}

/// Names and mu*, the largest first.
fn effects(run: &Run) -> Vec<(String, f64)> {
    let Indices::Morris(factors) = &run.answer.phases[0].analyses[0].outputs[0].indices else {
        panic!("not a screen")
    };
    let mut effects: Vec<(String, f64)> = factors.iter().map(|f| (f.name.clone(), f.mu_star.value)).collect();
    effects.sort_by(|a, b| b.1.total_cmp(&a.1));
    effects
}

#[test]
fn the_defaults_agree_with_the_truth_as_well_as_is_known() {
    let Some(tiles) = tiles() else { return };
    let known = [
        ("TCGA-21-5784-01Z-00-DX1", 0.631, 398),
        ("TCGA-A7-A13E-01Z-00-DX1", 0.575, 314),
        ("TCGA-B0-5698-01Z-00-DX1", 0.542, 357),
        ("TCGA-CH-5767-01Z-00-DX1", 0.481, 294),
    ];
    let monuseg = tiles.join("monuseg");
    let file = |name: &str, ending: &str| monuseg.join(format!("{name}.{ending}"));
    let images = known.map(|(name, ..)| image(name, &file(name, "tif"), &file(name, "labels.png"))).concat();
    let asked = Asked::new(&format!(
        "name = \"defaults\"\nworkflow = \"nuclei\"\n{}{images}[parameters]\nminSizeSeg = [21, 30]\n{}\
         [[phase]]\nname = \"two\"\nmethod = \"grid\"\n",
        glioma(&tiles),
        metric("truth")
    ));
    let run = asked.run(Level::Dataflow, 2);
    let reference = &run.answer.table.rows[0];
    let expected = [("LGG", 0.847, 61)].into_iter().chain(known);
    for (((name, dice, objects), record), image) in expected.zip(&reference.images).zip(&run.answer.images) {
        let found = record.metrics[0].unwrap();
        eprintln!("{name}: dice {found:.4}, known {dice}");
        assert!((found - dice).abs() < 0.0005, "{name}: expected dice {dice}, found {found}");
        assert_eq!(image.truth_objects, Some(objects), "{name}");
    }
    assert_eq!(run.answer.table.rows[1].images, reference.images, "the first combination is the defaults");
}

/// Nuclei of this tile are smaller than the halo, and no reconstruction goes far in it: even small parts change no digit.
#[test]
fn a_tile_of_glioma_that_is_cut_gives_the_rows_of_the_whole_tile() {
    let Some(tiles) = tiles() else { return };
    let rows = |parts: &str| {
        let head = "name = \"cut\"\nworkflow = \"nuclei\"\nseed = 3\n";
        let ranges =
            "[parameters]\nG1 = { from = 20, to = 80, step = 10 }\nG2 = { from = 20, to = 45, step = 5 }\n";
        let phase = "[[phase]]\nname = \"look\"\nmethod = \"mc\"\nrows = 3\n";
        let text = format!("{head}{}{parts}{ranges}{}{}{phase}", glioma(&tiles), metric("truth"), OBJECTS);
        rows_csv(&Asked::new(&text).run(Level::Dataflow, 2).answer)
    };
    let whole = rows("");
    assert_eq!(rows("[parts]\nsize = 128\n"), whole);
    assert_ne!(rows("[parts]\nsize = 128\nseams = \"independent\"\n"), whole);
}

const OBJECTS: &str = "[[metric]]\nname = \"objects\"\nof = \"nuclei\"\nmeasure = \"objects\"\n";
