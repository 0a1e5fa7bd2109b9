//! Whole slides: tiles give the same bytes as the whole, in bounded memory, and leave nothing behind.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stderr)]

mod pictures;
mod shell;

use pictures::read;
use shell::Shell;

/// A shell with a small image of tissue.
fn tissue() -> Shell {
    let shell = Shell::new();
    shell.ok("image synth --width 200 --height 150 --seed 7 -o tissue.png --truth truth.png");
    shell
}

const OUTPUTS: [&str; 6] = ["mask.png", "mask.tif", "labels.png", "labels.tif", "nuclei.geojson", "look.png"];

/// Writes all that there is into a folder, and tells what was said.
fn write_all(shell: &Shell, folder: &str, words: &str) -> serde_json::Value {
    std::fs::create_dir_all(shell.path(folder)).unwrap();
    let first = format!("-o {folder}/mask.png --labels {folder}/labels.png --overlay {folder}/look.png");
    let second =
        format!("-o {folder}/mask.tif --labels {folder}/labels.tif --polygons {folder}/nuclei.geojson");
    shell.ok(&format!("segment tissue.png {second} {words}"));
    shell.ok(&format!("segment tissue.png {first} --truth truth.png --json {words}")).json()
}

#[test]
fn every_output_of_tiles_is_that_of_the_whole() {
    let shell = tissue();
    let whole = write_all(&shell, "whole", "");
    for words in ["--tile 64", "--tile 37", "--tile 1000", "--memory '17 MiB'"] {
        let tiles = write_all(&shell, "tiles", words);
        assert!(tiles["tile"].as_u64().is_some() && whole["tile"].is_null(), "{tiles}");
        for name in ["status", "objects", "foreground", "width", "height", "parameters"] {
            assert_eq!(tiles[name], whole[name], "{words}");
        }
        for name in OUTPUTS {
            let bytes = |folder: &str| std::fs::read(shell.path(folder).join(name)).unwrap();
            assert!(bytes("tiles") == bytes("whole"), "{words} {name}");
        }
    }
    let output =
        shell::command(&shell.path("")).args(["segment", "tissue.png", "--tile", "50", "-o", "-"]).output();
    assert_eq!(output.unwrap().stdout, std::fs::read(shell.path("whole/mask.png")).unwrap());
    assert_eq!(shell.files(), ["tiles", "tissue.png", "truth.png", "whole"], "nothing is left behind");
}

#[test]
fn files_of_one_result_agree() {
    let shell = tissue();
    let json = write_all(&shell, "whole", "");
    let open = |name: &str| read(&shell.path("whole").join(name));
    let (narrow, wide) = (open("labels.png"), open("labels.tif"));
    assert!(
        narrow.as_u16().unwrap().iter().map(|label| u32::from(*label)).eq(wide.as_u32().unwrap().to_vec())
    );
    assert_eq!(open("mask.png").as_u8(), open("mask.tif").as_u8());
    let text = shell.read("whole/nuclei.geojson");
    let polygons: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(json["objects"], polygons["features"].as_array().unwrap().len());
    for feature in polygons["features"].as_array().unwrap() {
        assert_eq!(feature["properties"]["objectType"], "detection");
        assert!(feature["properties"]["measurements"].is_null());
    }
    // Outlines are those that come with features.
    shell.ok("features tissue.png --labels whole/labels.tif -o features.geojson");
    let features: serde_json::Value = serde_json::from_str(&shell.read("features.geojson")).unwrap();
    let geometries = |value: &serde_json::Value| {
        let features = value["features"].as_array().unwrap();
        features.iter().map(|feature| feature["geometry"].clone()).collect::<Vec<_>>()
    };
    assert_eq!(geometries(&features), geometries(&polygons));
}

#[test]
fn a_smaller_overlay_has_fewer_pixels() {
    let shell = tissue();
    shell.ok("segment tissue.png --overlay small.png --overlay-scale 8 --tile 50");
    let small = read(&shell.path("small.png"));
    assert_eq!((small.width(), small.height(), small.channels()), (25, 19, 3));
    assert_eq!(shell.run("segment tissue.png --overlay small.png --overlay-scale 0").exit, 2);
}

#[test]
fn tables_of_tiles_are_those_of_the_whole() {
    let shell = tissue();
    shell.ok("segment tissue.png -o mask.png --labels labels.tif");
    for nuclei in ["", "--mask mask.png", "--labels labels.tif", "--labels truth.png"] {
        for ending in ["csv", "geojson", "parquet"] {
            shell.ok(&format!("features tissue.png {nuclei} -o whole.{ending}"));
            for words in ["--tile 64 --workers 3", "--memory '17 MiB'"] {
                shell.ok(&format!("features tissue.png {nuclei} -o tiles.{ending} {words}"));
                let bytes = |name: &str| std::fs::read(shell.path(&format!("{name}.{ending}"))).unwrap();
                assert!(bytes("tiles") == bytes("whole"), "{nuclei} {ending} {words}");
            }
        }
    }
}

#[test]
fn tiles_are_refused_where_they_cannot_be() {
    let shell = tissue();
    for (name, exit, words) in [
        ("none", 2, "--tile 0"),
        ("memory", 4, "--tile 4096 --memory '1 GiB'"),
        ("too-little", 4, "--memory '16 MiB'"),
    ] {
        let said = shell.run(&format!("segment tissue.png -o mask.png {words}"));
        assert_eq!(said.exit, exit, "{said}");
        insta::assert_snapshot!(format!("tiles-{name}"), said);
    }
    let large = "synth:100000x100000 --memory '1 GiB' --dry-run --json";
    insta::assert_snapshot!("dry-run", shell.ok(&format!("segment {large} -o mask.png --labels l.tif")));
    insta::assert_snapshot!("dry-run-features", shell.ok(&format!("features {large} -o n.parquet")));
    assert_eq!(shell.run("segment synth:2000000000x2000000000 --json").exit, 2, "no tissue is as large");
}

/// Twelve terabytes are more than there are.
#[cfg(unix)]
#[test]
fn a_disk_without_space_is_said_before_the_work() {
    let shell = Shell::new();
    for words in ["segment synth:1400000x1400000 -o mask.tif", "features synth:1400000x1400000 -o n.csv"] {
        let said = shell.run(&format!("{words} --memory '1 GiB'"));
        assert_eq!(said.exit, 3, "{said}");
        assert!(said.stderr.contains("too little space") && said.stderr.contains("df -h"), "{said}");
    }
    assert!(shell.files().is_empty());
}

/// What is written when a signal comes is gone, and so is what lay on the disk.
#[cfg(unix)]
#[test]
fn ctrl_c_leaves_nothing_behind() {
    use std::os::unix::process::ExitStatusExt as _;
    use std::time::{Duration, Instant};

    let shell = Shell::new();
    let mut command = shell::command(&shell.path(""));
    command.args(["segment", "synth:2400x2400?seed=7", "--no-normalize", "-p", "G1=255", "--tile", "600"]);
    let mut child =
        command.args(["--overlay", "look.png"]).stderr(std::process::Stdio::null()).spawn().unwrap();
    // A file with a name of its own appears when the overlay is being written.
    let begun = Instant::now();
    while shell.files().is_empty() && begun.elapsed() < Duration::from_secs(60) {
        std::thread::sleep(Duration::from_millis(2));
    }
    assert!(shell.files()[0].starts_with(".onceflow-"), "{:?}", shell.files());
    let kill = std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(kill.unwrap().success());
    let ended = child.wait().unwrap();
    assert_eq!((ended.code(), ended.signal()), (Some(130), None));
    assert!(shell.files().is_empty(), "{:?}", shell.files());
}

/// The work on six million pixels would take 300 MB at once.
#[cfg(target_os = "linux")]
#[test]
fn resident_memory_stays_under_the_bound() {
    let shell = Shell::new();
    for words in [
        "segment synth:3000x2000?seed=7 -o mask.png --labels labels.tif --polygons n.geojson --overlay look.png",
        "features synth:3000x2000?seed=7 --no-normalize -o n.parquet --workers 2",
    ] {
        let mut command = shell::command(&shell.path(""));
        command.args(words.split(' ')).args(["--memory", "32 MiB"]);
        let quiet = std::process::Stdio::null;
        let mut child = command.stdout(quiet()).stderr(quiet()).spawn().unwrap();
        let mut peak = 0;
        while child.try_wait().unwrap().is_none() {
            peak = peak.max(resident(child.id()));
            std::thread::sleep(std::time::Duration::from_millis(5));
        }
        assert!(child.wait().unwrap().success(), "{words}");
        assert!(peak > 4 << 10 && peak < 32 << 10, "{words}: {peak} KiB");
    }
}

/// The most KiB that a process has had resident so far.
#[cfg(target_os = "linux")]
fn resident(process: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|line| line.trim().strip_suffix(" kB")?.parse().ok()).unwrap_or(0)
}
