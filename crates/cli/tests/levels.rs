//! Every level of reuse finds the same to the last byte, on real images and synthetic ones, with any number of workers.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stderr)]

mod pictures;
mod shell;

use pictures::shared;
use shell::Shell;

/// All fifteen parameters in their published ranges, along trajectories and at random.
const ASKED: &str = r#"
[parts]
seams = "owned"
size = 400

[parameters]
blue                  = { from = 210, to = 240, step = 10 }
green                 = { from = 210, to = 240, step = 10 }
red                   = { from = 210, to = 240, step = 10 }
T1                    = { from = 2.5, to = 7.5, step = 0.5 }
T2                    = { from = 2.5, to = 7.5, step = 0.5 }
reconConnectivity     = [4, 8]
fillHolesConnectivity = [4, 8]
G1                    = { from = 5, to = 80, step = 5 }
minSize               = { from = 2, to = 40, step = 2 }
maxSize               = { from = 900, to = 1500, step = 50 }
G2                    = { from = 2, to = 40, step = 2 }
minSizePl             = { from = 5, to = 80, step = 5 }
watershedConnectivity = [4, 8]
minSizeSeg            = { from = 2, to = 40, step = 2 }
maxSizeSeg            = { from = 900, to = 1500, step = 50 }

[[metric]]
name = "dice"
of = "nuclei"
measure = "dice"
against = "default"

[[metric]]
name = "change"
of = "nuclei"
measure = "pixel_difference"
against = "default"

[[phase]]
name = "along"
method = "moat"
trajectories = 2

[[phase]]
name = "at-random"
method = "lhs"
rows = 16
"#;

const HEAD: &str = "name = \"levels\"\nworkflow = \"nuclei\"\nseed = 8\n";

fn image(name: &str, file: &str) -> String {
    format!("\n[[image]]\nname = \"{name}\"\nfile = \"{file}\"\n")
}

/// The ways that must agree with `none`; the last has hardly any room for what it knows.
const WAYS: [&str; 9] = [
    "--reuse stage",
    "--reuse task --merge rtma --max-bucket-size 7",
    "--reuse dataflow --workers 8",
    "--reuse convergent --workers 1",
    "--reuse convergent --workers 8",
    "--reuse object --workers 1",
    "--reuse object --workers 2",
    "--reuse object --workers 8",
    "--reuse object --workers 1 --memory '44 MiB'",
];

fn agree(images: &str) {
    let shell = Shell::new();
    shell.write("study.toml", format!("{HEAD}{images}{ASKED}"));
    shell.ok("run study.toml -o none --reuse none --workers 2");
    let (rows, metrics) = (shell.read("none/rows.csv"), shell.read("none/metrics.csv"));
    assert!(rows.lines().count() > 30, "{rows}");
    for (number, way) in WAYS.iter().enumerate() {
        shell.ok(&format!("run study.toml -o way-{number} {way}"));
        assert_eq!(shell.read(&format!("way-{number}/rows.csv")), rows, "{way}");
        assert_eq!(shell.read(&format!("way-{number}/metrics.csv")), metrics, "{way}");
    }
    let object: serde_json::Value = serde_json::from_str(&shell.read("way-6/run.json")).unwrap();
    assert!(object["objects"]["t6_flood"]["known"].as_u64().unwrap() > 0, "{object}");
}

#[test]
fn levels_agree_on_real_images() {
    let Some(folder) = shared("golden/nuclei") else { return };
    let images = ["breast", "cmu", "dsb", "gbm", "lgg"].map(|name| {
        let file = folder.join(name).join("input.png");
        image(name, &file.display().to_string())
    });
    agree(&images.concat());
}

#[test]
fn levels_agree_on_synthetic_images() {
    agree(&[image("one", "synth:500x300?seed=5"), image("other", "synth:260x410?seed=6")].concat());
}
