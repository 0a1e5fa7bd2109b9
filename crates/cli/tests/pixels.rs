//! Images of whatever pixels: `segment`, `features` and `compare` convert them and say how, or refuse them and say why.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stderr)]

mod pictures;
mod shell;

use pictures::{read, tiff};
use shell::{Said, Shell};

const SIZE: (u32, u32) = (90, 70);

/// The same tissue in many forms.
fn tissue() -> (Shell, Vec<u8>) {
    let shell = Shell::new();
    shell.ok("image synth --width 90 --height 70 --seed 7 -o tissue.png --truth truth.png");
    let colours = read(&shell.path("tissue.png")).as_u8().unwrap().to_vec();
    (shell, colours)
}

/// A TIFF of the tissue in which each pixel becomes the bytes that `of` makes of its three colours.
fn form(colours: &[u8], values: u16, bits: u16, format: u16, of: impl Fn(&[u8]) -> Vec<u8>) -> Vec<u8> {
    tiff(SIZE.0, SIZE.1, values, bits, format, &colours.chunks(3).flat_map(of).collect::<Vec<u8>>())
}

/// One after the other.
fn each<const N: usize>(pixel: &[u8], of: impl Fn(u8) -> [u8; N]) -> Vec<u8> {
    pixel.iter().flat_map(|value| of(*value)).collect()
}

#[test]
fn what_can_be_colours_becomes_them_and_that_is_said() {
    let (shell, colours) = tissue();
    let wide = |value: u8| (u16::from(value) * 257).to_le_bytes();
    let real = |value: u8| (f32::from(value) / 255.0).to_le_bytes();
    let double = |value: u8| (f64::from(value) / 255.0).to_le_bytes();
    shell.write("8.tif", form(&colours, 3, 8, 1, <[u8]>::to_vec));
    shell.write("16.tif", form(&colours, 3, 16, 1, |pixel| each(pixel, wide)));
    shell.write("32.tif", form(&colours, 3, 32, 3, |pixel| each(pixel, real)));
    shell.write("64.tif", form(&colours, 3, 64, 3, |pixel| each(pixel, double)));
    shell.write("alpha.tif", form(&colours, 4, 8, 1, |pixel| [pixel, &[9]].concat()));
    shell.ok("segment tissue.png -o expected.png --labels labels.png --overlay expected-look.png");
    shell.ok("features tissue.png -o expected.csv");
    for name in ["8", "16", "32", "64", "alpha"] {
        for words in ["", "--tile 32"] {
            let said = shell.ok(&format!("segment {name}.tif -o mask.png --overlay look.png {words}"));
            assert_eq!(said.stderr.contains("note:"), !["8", "alpha"].contains(&name), "{said}");
            for (found, expected) in [("mask.png", "expected.png"), ("look.png", "expected-look.png")] {
                assert!(read(&shell.path(found)) == read(&shell.path(expected)), "{name} {words}");
            }
            shell.ok(&format!("features {name}.tif -o found.csv {words}"));
            assert!(shell.read("found.csv") == shell.read("expected.csv"), "{name} {words}");
        }
    }
    insta::assert_snapshot!("16", shell.ok("segment 16.tif"));
    insta::assert_snapshot!("real", shell.ok("features 32.tif -o -").stderr);
}

#[test]
fn grey_is_read_as_colours() {
    let (shell, colours) = tissue();
    let grey = |pixel: &[u8]| vec![pixel[1]];
    shell.write("1.tif", form(&colours, 1, 8, 1, grey));
    shell.write("3.tif", form(&colours, 3, 8, 1, |pixel| vec![pixel[1]; 3]));
    shell.write("2.tif", form(&colours, 2, 8, 1, |pixel| vec![pixel[1], 9]));
    let json = |name: &str| shell.ok(&format!("segment {name} --no-normalize -p T1=100 --json")).json();
    assert_eq!(json("1.tif"), json("3.tif"));
    assert_eq!(json("2.tif"), json("3.tif"), "alpha is dropped");
}

#[test]
fn what_cannot_be_colours_is_refused() {
    let (shell, colours) = tissue();
    let number = |value: u8| u32::from(value).to_le_bytes();
    let real = |value: u8| f32::from(value).to_le_bytes();
    shell.write("5.tif", form(&colours, 5, 8, 1, |pixel| [pixel, &[1, 2]].concat()));
    shell.write("whole.tif", form(&colours, 3, 32, 1, |pixel| each(pixel, number)));
    shell.write("bright.tif", form(&colours, 3, 32, 3, |pixel| each(pixel, real)));
    shell.write("nan.tif", form(&colours, 1, 32, 3, |_| f32::NAN.to_le_bytes().to_vec()));
    shell.write("none.tif", tiff(0, 4, 1, 8, 1, &[]));
    shell.write("product.tif", tiff(u32::MAX, u32::MAX, 3, 8, 1, &[0; 30]));
    for name in ["5", "whole", "bright", "nan", "none", "product"] {
        let said = shell.run(&format!("segment {name}.tif -o mask.png"));
        assert_eq!(said.exit, 2, "{said}");
        insta::assert_snapshot!(format!("refused-{name}"), said);
        for words in [format!("segment {name}.tif --tile 40"), format!("features {name}.tif -o n.csv")] {
            assert_eq!(reason(&shell.run(&words)), reason(&said), "{words}");
        }
    }
    assert!(!shell.exists("mask.png") && !shell.exists("n.csv"));
}

/// Exit code and what was expected and found.
fn reason(said: &Said) -> (i32, Vec<String>) {
    let lines =
        said.stderr.lines().filter(|line| line.starts_with("  expected") || line.starts_with("  found"));
    (said.exit, lines.map(str::to_owned).collect())
}

#[test]
fn labels_that_are_none_are_refused_everywhere() {
    let (shell, colours) = tissue();
    let real = |value: u8| f32::from(value).to_le_bytes();
    shell.write("real.tif", form(&colours, 1, 32, 3, |pixel| real(pixel[0]).to_vec()));
    shell
        .write("wide.tif", form(&colours, 1, 32, 1, |pixel| u32::from(pixel[0] / 99).to_le_bytes().to_vec()));
    shell.ok("compare wide.tif truth.png");
    shell.ok("features tissue.png --labels wide.tif -o n.csv");
    for (name, words) in [
        ("compare", "compare real.tif truth.png"),
        ("features", "features tissue.png --labels real.tif -o m.csv"),
        ("features-tiled", "features tissue.png --mask real.tif --tile 30 -o m.csv"),
        ("segment", "segment tissue.png --overlay look.png --truth real.tif"),
        ("segment-tiled", "segment tissue.png --overlay look.png --truth tissue.png --tile 30"),
    ] {
        let said = shell.run(words);
        assert_eq!(said.exit, 2, "{said}");
        assert!(said.stderr.contains("neither a mask nor a label image"), "{name}: {said}");
    }
    assert!(!shell.exists("m.csv") && !shell.exists("look.png"));
}
