//! Files that are none: pipes, broken links, empty and damaged files. Each is refused at once, in words that lead on.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod shell;
mod studies;

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use shell::{Shell, command};

/// Runs a command that must end soon; what it printed to standard error.
fn soon(shell: &Shell, words: &[&str]) -> (Option<i32>, String) {
    let mut child =
        command(&shell.path("")).args(words).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    let began = Instant::now();
    while child.try_wait().unwrap().is_none() {
        if began.elapsed() > Duration::from_secs(20) {
            child.kill().unwrap();
            panic!("{words:?} hangs");
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    let output = child.wait_with_output().unwrap();
    (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
}

#[test]
fn a_pipe_that_gives_nothing_is_refused() {
    let shell = Shell::new();
    shell.ok("image synth --width 40 --height 30 -o tissue.png");
    for name in ["pipe.toml", "pipe.json", "pipe.png", "pipe.csv", "pipe.geojson"] {
        assert!(Command::new("mkfifo").arg(shell.path(name)).status().unwrap().success());
    }
    let study = |from: &str, to: &str| studies::changed(from, to);
    shell.write("image.toml", study("file = \"synth:96x80?seed=3\"", "file = \"pipe.png\""));
    shell.write("truth.toml", study("truth = \"synth:96x80?seed=3\"", "truth = \"pipe.geojson\""));
    shell.write("flow.toml", study("workflow = \"nuclei\"", "workflow = \"pipe.json\""));
    for words in [
        "check pipe.toml",
        "check image.toml",
        "check truth.toml",
        "check flow.toml",
        "run image.toml -o run",
        "plan pipe.toml",
        "segment pipe.png",
        "segment tissue.png --params pipe.json",
        "segment tissue.png --truth pipe.geojson",
        "features pipe.png -o n.csv",
        "compare pipe.png tissue.png",
        "compare tissue.png pipe.geojson",
        "image info pipe.png",
        "init pipe.png -o s.toml",
        "sample --problem pipe.toml --method mc --n 4",
        "analyze --problem image.toml --method morris -X pipe.csv -Y pipe.csv",
    ] {
        let (code, said) = soon(&shell, &words.split(' ').collect::<Vec<_>>());
        assert_eq!(code, Some(2), "{words}\n{said}");
        assert!(said.contains("a pipe"), "{words}\n{said}");
    }
}

#[test]
fn a_pipe_that_a_program_writes_to_is_read() {
    let shell = Shell::new();
    shell.write("study.toml", studies::STUDY);
    let program = env!("CARGO_BIN_EXE_onceflow");
    let output = Command::new("bash")
        .args(["-c", &format!("{program} check <(sleep 0.3; cat study.toml)")])
        .current_dir(shell.path(""))
        .output();
    let Ok(output) = output else { return };
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    // The name of the pipe has no ending that tells a study, but its text does.
    assert!(!said.contains("a pipe that gives nothing"), "{said}");
}

#[test]
fn empty_files_and_broken_links_say_what_they_are() {
    let shell = Shell::new();
    shell.write("empty.toml", "").write("blank.json", " \n").write("empty.png", "");
    for (link, to) in [("gone.png", "archive/gone.png"), ("gone.toml", "archive/gone.toml")] {
        std::os::unix::fs::symlink(to, shell.path(link)).unwrap();
    }
    for (name, words) in [
        ("empty-study", "check empty.toml"),
        ("blank", "check blank.json"),
        ("empty-image", "segment empty.png"),
        ("broken-link", "segment gone.png"),
        ("broken-study", "check gone.toml"),
        ("misspelled", "chek empty.toml"),
    ] {
        let said = shell.run(words);
        assert_eq!(said.exit, 2, "{said}");
        insta::assert_snapshot!(name, said);
    }
}

#[test]
fn damaged_images_are_described_in_words() {
    let shell = Shell::new();
    shell.ok("image synth --width 40 --height 30 -o tissue.png");
    let whole = std::fs::read(shell.path("tissue.png")).unwrap();
    let data = whole.windows(4).position(|four| four == b"IDAT").unwrap() + 20;
    // The checksum of the pixels stands before the last chunk, which has 12 bytes.
    let checksum = whole.len() - 13;
    for (at, expected) in [(data, "pixels that cannot be unpacked"), (checksum, "IDAT")] {
        let mut bytes = whole.clone();
        bytes[at] ^= 0xff;
        shell.write("flipped.png", &bytes);
        let said = shell.run("segment flipped.png");
        assert_eq!(said.exit, 2, "{said}");
        assert!(!said.stderr.contains('{') && said.stderr.contains(expected), "{said}");
    }
}

#[test]
fn sizes_are_those_that_people_write() {
    let shell = Shell::new();
    shell.write("study.toml", studies::changed("memory = \"64 MiB\"", "memory = \"3000001\""));
    let said = shell.run("run study.toml -o run");
    assert_eq!(said.exit, 4, "{said}");
    let numbers = |text: &str| {
        text.split_whitespace()
            .zip(text.split_whitespace().skip(1))
            .any(|(a, b)| b.starts_with('B') && a.len() > 3 && a.chars().all(|c| c.is_ascii_digit()))
    };
    assert!(!numbers(&said.stderr), "{said}");
    assert!(said.stderr.contains("MiB"), "{said}");
    // The size that is named works.
    let named = said.stderr.split("--memory '").nth(1).unwrap().split('\'').next().unwrap();
    shell.ok(&format!("run study.toml -o run --memory '{named}'"));
}
