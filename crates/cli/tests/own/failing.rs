//! Programs that do not do what they should: rows fail, in words that lead on.

use crate::shell::Shell;
use crate::study::{HEAD, SCRIPT, changed, failure, run, study};

#[test]
fn an_exit_code_fails_rows_and_the_commands_that_are_printed_work() {
    let shell = study(
        "echo working; if [ \"$1\" = 5 ]; then echo 'ValueError: five' >&2; exit 1; fi; cp \"$2\" \"$3\"\n",
    );
    let said = run(&shell);
    assert_eq!(said.exit, 1, "{said}");
    let line = |name: &str| {
        let found = said.stderr.lines().find_map(|line| line.trim_start().strip_prefix(name));
        found.unwrap_or_else(|| panic!("{name}\n{said}")).trim().to_owned()
    };
    assert!(line("first").ends_with("one: `sh keep.sh ...` ended with exit code 1"), "{said}");
    assert_eq!(line("its log"), "ValueError: five");
    let log = shell.ok(line("all of it").strip_prefix("onceflow ").unwrap());
    assert_eq!(log.stdout, "working\nValueError: five\n");
    // The whole line, as it is printed, in a shell.
    let (code, words) = in_a_shell(&shell, &line("to do"));
    assert_eq!(code, Some(1), "{words}");
    assert!(words.contains("keep failed: `sh keep.sh ...` ended with exit code 1"), "{words}");
    assert_eq!(in_a_shell(&shell, &line("all of it")).0, Some(0));
    assert_eq!(shell.read("look/keep/log.txt"), "working\nValueError: five\n");
    let script = std::process::Command::new(shell.path("look/keep/command.sh")).output().unwrap();
    assert_eq!((script.status.code(), script.stderr), (Some(1), b"ValueError: five\n".to_vec()));
}

/// Runs a line in a shell that finds `onceflow`; what it printed to standard error.
fn in_a_shell(shell: &Shell, line: &str) -> (Option<i32>, String) {
    let program = std::path::Path::new(env!("CARGO_BIN_EXE_onceflow"));
    let path = format!("{}:{}", program.parent().unwrap().display(), std::env::var("PATH").unwrap());
    let mut command = std::process::Command::new("sh");
    command.args(["-c", line]).current_dir(shell.path("")).env("PATH", path).env("ONCEFLOW_COSTS", "none");
    let output = command.env_remove("ONCEFLOW_ALLOW_COMMANDS").output().unwrap();
    (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
}

#[test]
fn what_it_makes_is_looked_at() {
    let cases = [
        ("true\n", "outputs/kept.tif: expected a mask, found no file of that name"),
        (
            "echo hello > \"$3\"\n",
            "outputs/kept.tif: expected a mask as TIFF or PNG, found a file that cannot be read so",
        ),
        ("head -c 200 \"$2\" > \"$3\"\n", "outputs/kept.tif: expected a mask"),
        ("ln -s ../inputs/bw.tif \"$3\"\n", "expected a mask as a plain file"),
    ];
    for (script, expected) in cases {
        let said = failure(&study(script));
        assert!(said.contains("did not make its outputs as declared") && said.contains(expected), "{said}");
    }
    // One pixel of another value.
    let odd = format!(
        "cp \"$2\" \"$3\"; printf '\\007' | dd of=\"$3\" bs=1 seek={HEAD} conv=notrunc 2>/dev/null\n"
    );
    assert!(failure(&study(&odd)).contains("expected a mask of 0 and 255, or of 0 and 1, found the value"));
}

#[test]
fn a_program_that_hangs_is_stopped_with_its_children() {
    let shell = changed("sleep 61 & sleep 60\n", r#""time": "20 s""#, r#""time": "300 ms""#);
    let began = std::time::Instant::now();
    let said = failure(&shell);
    assert!(said.contains("was stopped: it took more than its 0.3 s"), "{said}");
    assert!(began.elapsed().as_secs() < 30, "it waited for the children");
}

#[cfg(target_os = "linux")]
#[test]
fn a_program_that_takes_too_much_memory_is_stopped() {
    let leak = "all=$(head -c 80000000 /dev/zero | tr '\\0' x); sleep 20\n";
    let said = failure(&changed(leak, "200 MiB", "40 MiB"));
    assert!(said.contains("of memory, more than its 40 MiB"), "{said}");
}

#[cfg(target_os = "linux")]
#[test]
fn a_leap_beyond_all_bounds_is_refused_by_the_system() {
    // Four times its memory and 1 GiB, in KiB; a buffer that is larger is asked for before anybody has looked.
    let leap = "sleep 0.2; ulimit -d; dd if=/dev/zero of=/dev/null bs=1300M count=1\n";
    let shell = changed(leap, "200 MiB", "40 MiB");
    assert!(failure(&shell).contains("ended with exit code 1"));
    let log = shell.ok("report run --log --row 0 --image one").stdout;
    assert!(log.starts_with("1212416\n") && log.contains("memory exhausted"), "{log}");
}

#[test]
fn memory_that_can_never_be_had_is_refused_before_anything_runs() {
    let shell = changed(SCRIPT, "200 MiB", "2 GiB");
    let said = run(&shell);
    assert!(said.exit == 4 && said.stderr.contains("keep"), "{said}");
}

#[test]
fn a_wrong_exact_is_found_with_the_first_instance() {
    // The number of its process, a pixel per bit: no two runs paint the same.
    let random = format!(
        "cp \"$2\" \"$3\"; n=$$; for bit in $(seq 24); do \
         if [ $((n % 2)) = 1 ]; then printf '\\377'; else printf '\\000'; fi; n=$((n / 2)); done \
         | dd of=\"$3\" bs=1 seek={HEAD} conv=notrunc 2>/dev/null\n"
    );
    let said = failure(&study(&random));
    assert!(said.contains("is declared exact, but two runs of one task differ in "), "{said}");
    assert!(
        said.contains(" of 7680 values of `kept`") && said.contains(r#"declare "repeats": "close""#),
        "{said}"
    );
    let shell: Shell = changed(&random, r#""time": "20 s""#, r#""repeats": "close""#);
    assert_eq!(run(&shell).exit, 0);
}
