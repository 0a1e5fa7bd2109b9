//! `onceflow image convert`: one image as another file, whole or not at all.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stderr)]

mod pictures;
mod shell;

use std::process::Stdio;
use std::time::{Duration, Instant};

use onceflow_region::Dense;
use pictures::{read, shared, tiff};
use serde_json::json;
use shell::Shell;

fn scales(shell: &Shell, name: &str) -> Vec<Dense> {
    let source = onceflow_imageio::open(&shell.path(name)).unwrap();
    let read = |scale| source.read_scale(scale, source.info().scale_bounds(scale).unwrap()).unwrap();
    (0..source.info().scales.len()).map(read).collect()
}

fn tissue() -> Shell {
    let shell = Shell::new();
    shell.ok("image synth --width 700 --height 520 --seed 7 -o tissue.png --truth truth.png");
    shell
}

#[test]
fn an_image_becomes_a_pyramid_in_either_form_with_the_same_pixels() {
    let shell = tissue();
    insta::assert_snapshot!("tiff", shell.ok("image convert tissue.png a.tif --tile 128"));
    let said = shell.ok("image convert synth:700x520?seed=7 b.ome.zarr --json --threads 3");
    assert_eq!(said.stderr.trim(), "wrote b.ome.zarr");
    let json = said.json();
    assert_eq!(
        (&json["form"], &json["compression"], &json["halving"]),
        (&json!("ome-zarr"), &json!("zstd"), &json!("mean"))
    );
    let image = read(&shell.path("tissue.png"));
    let pyramid = scales(&shell, "a.tif");
    assert_eq!(pyramid.len(), 4);
    assert_eq!(pyramid[0], image);
    assert_eq!(scales(&shell, "b.ome.zarr")[0], image);
    // From one form to the other and back, all scales are made again of the same pixels.
    shell.ok("image convert b.ome.zarr c.tif --tile 128 --compression none");
    assert_eq!(scales(&shell, "c.tif"), pyramid);
    shell.ok("image convert c.tif d.png");
    assert_eq!(read(&shell.path("d.png")), image);
    for threads in [1, 2, 5] {
        shell.ok(&format!("image convert tissue.png e.tif --tile 128 --threads {threads} --force"));
        assert_eq!(std::fs::read(shell.path("e.tif")).unwrap(), std::fs::read(shell.path("a.tif")).unwrap());
    }
    let info = shell.ok("image info a.tif --json").json();
    assert_eq!((&info["compression"], &info["tile"]["width"]), (&json!("deflate"), &json!(128)));
    assert_eq!(
        info["scales"][3],
        json!({ "width": 88, "height": 65, "downsample": 7.977272727272727, "tile": { "width": 128, "height": 128 } })
    );
}

#[test]
fn a_part_of_an_image_at_another_scale() {
    let shell = tissue();
    shell.ok("image convert tissue.png a.tif --tile 64");
    shell.ok("image convert a.tif part.png --box 101,50,300,201");
    let bounds = |x, y, width, height| onceflow_region::Bounds::plane(x, y, width, height).unwrap();
    let whole = read(&shell.path("tissue.png"));
    assert_eq!(read(&shell.path("part.png")), whole.crop(bounds(101, 50, 300, 201)).unwrap());
    let json = shell.ok("image convert a.tif half.tif --scale 1 --no-pyramid --json").json();
    assert_eq!((&json["width"], &json["scales"].as_array().unwrap().len()), (&json!(350), &1));
    assert_eq!(scales(&shell, "half.tif"), scales(&shell, "a.tif")[1..2]);
    let json = shell.ok("image convert synth:700x520?seed=7 b.tif --um-per-pixel 0.4 --json").json();
    assert_eq!((&json["width"], &json["um_per_pixel"]), (&json!(437), &json!(0.4)));
    // A resolution that the image has is its scale, as it is.
    shell.ok("image convert synth:700x520?seed=7 c.tif --tile 64");
    shell.ok("image convert c.tif d.tif --um-per-pixel 0.5 --no-pyramid");
    assert_eq!(scales(&shell, "d.tif"), scales(&shell, "c.tif")[1..2]);
}

#[test]
fn labels_are_never_averaged() {
    let shell = tissue();
    shell.ok("segment tissue.png --labels labels.tif");
    let json = shell.ok("image convert labels.tif small.tif --tile 128 --json").json();
    assert_eq!((&json["halving"], &json["element"]), (&json!("first"), &json!("u32")));
    let found = scales(&shell, "small.tif");
    let numbers: std::collections::BTreeSet<u32> = found[0].as_u32().unwrap().iter().copied().collect();
    assert!(found.iter().all(|scale| scale.as_u32().unwrap().iter().all(|label| numbers.contains(label))));
    let json = shell.ok("image convert truth.png t.tif --halving first --dry-run --json").json();
    assert_eq!(
        (&json["halving"], &json["element"], &json["bytes"]),
        (&json!("first"), &json!("u16"), &json!(null))
    );
}

#[test]
fn jpeg_is_small_and_near() {
    let shell = tissue();
    insta::assert_snapshot!("jpeg", shell.ok("image convert tissue.png a.tif --quality 80"));
    shell.ok("image convert tissue.png b.tif");
    let length = |name: &str| std::fs::metadata(shell.path(name)).unwrap().len();
    assert!(length("a.tif") * 3 < length("b.tif"), "{} {}", length("a.tif"), length("b.tif"));
    let (a, b) = (read(&shell.path("a.tif")), read(&shell.path("tissue.png")));
    let sum: u64 =
        a.as_u8().unwrap().iter().zip(b.as_u8().unwrap()).map(|(a, b)| u64::from(a.abs_diff(*b))).sum();
    assert!((sum as f64) < 5.0 * a.as_u8().unwrap().len() as f64);
}

#[test]
fn what_cannot_be_is_said_before_the_work() {
    let shell = tissue();
    shell.write("real.tif", tiff(2, 1, 1, 32, 3, &[0; 8])).write("text.png", "words");
    shell.write("data.zarr/notes.txt", "mine").write("folder.tif/a", "").write("there.tif", "before");
    for (name, exit, words) in [
        ("ending", 2, "tissue.png a.jpg"),
        ("no-ending", 2, "tissue.png a"),
        ("missing", 2, "nothing.png a.tif"),
        ("text", 2, "text.png a.tif"),
        ("input", 2, "tissue.png ./tissue.png --force"),
        ("exists", 2, "tissue.png there.tif"),
        ("other-folder", 2, "tissue.png data.zarr --force"),
        ("is-folder", 3, "tissue.png folder.tif --force"),
        ("no-folder", 3, "tissue.png nowhere/a.tif"),
        ("box-words", 2, "tissue.png a.tif --box 1,2,3"),
        ("box-empty", 2, "tissue.png a.tif --box 1,2,0,5"),
        ("box-outside", 2, "tissue.png a.tif --box 600,0,200,100"),
        ("scale", 2, "tissue.png a.tif --scale 1"),
        ("scale-and-um", 2, "tissue.png a.tif --scale 0 --um-per-pixel 1"),
        ("um-unknown", 2, "tissue.png a.tif --um-per-pixel 1"),
        ("um-wrong", 2, "synth:9x9 a.tif --um-per-pixel 0"),
        ("um-far", 2, "synth:9x9 a.tif --um-per-pixel 1000"),
        ("um-box", 2, "synth:90x90 a.tif --um-per-pixel 0.4 --box 80,80,20,20"),
        ("tile", 2, "tissue.png a.tif --tile 100"),
        ("tile-zarr", 2, "tissue.png a.zarr --tile 256"),
        ("zstd-tiff", 2, "tissue.png a.tif --compression zstd"),
        ("jpeg-zarr", 2, "tissue.png a.zarr --compression jpeg"),
        ("quality-deflate", 2, "tissue.png a.tif --compression deflate --quality 80"),
        ("png-compression", 2, "tissue.png a.png --compression deflate"),
        ("jpeg-real", 2, "real.tif a.tif --compression jpeg"),
        ("png-real", 2, "real.tif a.png"),
        ("memory", 4, "synth:20000x20000 a.tif --memory '4 MiB'"),
    ] {
        let said = shell.run(&format!("image convert {words}"));
        assert_eq!(said.exit, exit, "{said}");
        insta::assert_snapshot!(format!("refused-{name}"), said);
    }
    let there = ["data.zarr", "folder.tif", "real.tif", "text.png", "there.tif", "tissue.png", "truth.png"];
    assert_eq!(shell.files(), there, "nothing is left behind");
    assert_eq!(shell.read("there.tif"), "before");
}

#[test]
fn a_dry_run_writes_nothing() {
    let shell = Shell::new();
    insta::assert_snapshot!(
        "dry-run",
        shell.ok("image convert synth:100000x90000?seed=3 slide.tif --dry-run")
    );
    let json = shell.ok("image convert synth:100000x90000?seed=3 slide.ome.zarr --dry-run --json").json();
    assert_eq!((&json["dry_run"], &json["tiles"]), (&json!(true), &json!(null)));
    assert!(shell.files().is_empty());
}

/// Waits until something is being written.
fn begun(shell: &Shell) {
    let start = Instant::now();
    while shell.files().is_empty() {
        assert!(start.elapsed() < Duration::from_secs(60), "nothing is written");
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[cfg(unix)]
#[test]
fn whoever_stops_it_finds_nothing_under_its_name() {
    for (signal, output) in
        [("-INT", "a.tif"), ("-INT", "a.ome.zarr"), ("-KILL", "a.tif"), ("-KILL", "a.ome.zarr")]
    {
        let shell = Shell::new();
        let mut command = shell::command(&shell.path(""));
        command.args(["image", "convert", "synth:12000x12000?seed=1", output]);
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        begun(&shell);
        let kill = std::process::Command::new("kill").args([signal, &child.id().to_string()]).status();
        assert!(kill.unwrap().success());
        let code = child.wait().unwrap().code();
        assert!(!shell.exists(output), "{signal} {output}");
        if signal == "-INT" {
            assert_eq!(code, Some(130));
            assert!(shell.files().is_empty(), "{output}: {:?}", shell.files());
        } else {
            assert!(shell.files().iter().all(|name| name.starts_with(".onceflow-")), "{:?}", shell.files());
        }
    }
}

#[test]
fn real_slides_become_pyramids() {
    let Some(slide) = shared("data/wsi/CMU-1-Small-Region.svs") else { return };
    let shell = Shell::new();
    insta::assert_snapshot!("slide", shell.ok(&format!("image convert {} a.tif", slide.display())));
    shell.ok(&format!("image convert {} b.ome.zarr", slide.display()));
    let source = onceflow_imageio::open(&slide).unwrap();
    let whole = source.read(source.info().bounds().unwrap()).unwrap();
    assert_eq!(scales(&shell, "a.tif")[0], whole);
    assert_eq!(scales(&shell, "b.ome.zarr")[0], whole);
    let info = shell.ok("image info a.tif --json").json();
    assert!((info["um_per_pixel"].as_f64().unwrap() - 0.499).abs() < 1e-9);
}

#[test]
fn parts_are_drawn() {
    let shell = tissue();
    insta::assert_snapshot!(
        "parts",
        shell.ok("image parts tissue.png --size 256 --halo 16 --picture parts.png")
    );
    let picture = read(&shell.path("parts.png"));
    assert_eq!((picture.width(), picture.height(), picture.channels()), (700, 520, 3));
    let json = shell.ok("image parts tissue.png --count 5 --picture other.png --json").json();
    assert_eq!(json["parts"].as_array().unwrap().len(), 5);
    for (exit, words) in [(2, "parts.tif"), (2, "-"), (2, "tissue.png"), (3, "nowhere/a.png"), (2, "a.jpg")] {
        let said = shell.run(&format!("image parts tissue.png --size 256 --picture {words}"));
        assert_eq!(said.exit, exit, "{said}");
    }
}
