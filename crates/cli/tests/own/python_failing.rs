//! Python functions that do not do what they should: rows fail with what Python says, and others go on.

use crate::python::{lacks_python, with_function};
use crate::shell::Shell;
use crate::study::{failure, run};

/// A function whose task fails where `level` is 5.
fn failing(how: &str, declared: &str) -> Shell {
    with_function(&format!(
        "def wrong(bw):\n    {how}\n\n@of.task({declared})\ndef keep(bw: of.Mask, *, level: int = 3) -> of.Mask:\n    \
         print('level', level)\n    return wrong(bw) if level == 5 else bw\n"
    ))
}

#[test]
fn rows_fail_in_words_and_the_others_are_there() {
    if lacks_python() {
        return;
    }
    let cases = [
        ("raise ValueError('five')", "", "failed: ValueError: five"),
        ("bw[0, 0] = True", "", "failed: ValueError: assignment destination is read-only"),
        ("return bw[1:].astype(int)", "", "failed: keep gave int64 (79, 96), expected bool (80, 96)"),
        ("import sys; sys.exit(3)", "", "failed: SystemExit: 3"),
        ("import ctypes; ctypes.string_at(0)", "", "was ended by signal 11"),
        ("import os; os._exit(9)", "", "ended with exit code 9"),
        ("\n    while True: pass", "time='400 ms'", "was stopped: it took more than its 0.4 s"),
        (
            "\n    a = [np.ones(1 << 22)]\n    while True: a.append(a[-1] + 1)",
            "memory='200 MiB', time=60",
            "was stopped: it took 2",
        ),
    ];
    for (how, declared, expected) in cases {
        let shell = failing(how, declared);
        let said = failure(&shell);
        assert!(said.contains(&format!("`python3 steps.py:keep` {expected}")), "{how}\n{said}");
        let rows = shell.read("run/rows.csv");
        assert!(rows.contains(",ok,") && rows.contains("failed"), "{rows}");
    }
}

#[test]
fn a_traceback_is_the_log_and_the_commands_that_are_printed_work() {
    if lacks_python() {
        return;
    }
    let shell = failing("raise ValueError('five')", "");
    let said = run(&shell);
    let line = |name: &str| {
        let found = said.stderr.lines().find_map(|line| line.trim_start().strip_prefix(name));
        found.unwrap_or_else(|| panic!("{name}\n{said}")).trim().to_owned()
    };
    assert_eq!(line("its log"), "ValueError: five", "{said}");
    let log = shell.ok(line("all of it").strip_prefix("onceflow ").unwrap()).stdout;
    let expected = [
        "level 5",
        "Traceback (most recent call last):",
        "/steps.py\", line 10, in keep",
        "/steps.py\", line 5, in wrong",
        "    raise ValueError('five')",
        "ValueError: five",
    ];
    assert!(expected.iter().all(|text| log.contains(text)), "{log}");
    let again = shell.run(line("to do").split('#').next().unwrap().trim().strip_prefix("onceflow ").unwrap());
    assert!(again.stderr.contains("failed: ValueError: five"), "{again}");
    let script = std::process::Command::new(shell.path("look/keep/command.sh")).output().unwrap();
    let answers = String::from_utf8_lossy(&script.stdout).into_owned();
    assert!(answers.contains("ValueError: five"), "{answers}");
}

#[test]
fn a_function_that_is_not_exact_is_found() {
    if lacks_python() {
        return;
    }
    let text = "import random\ndef keep(bw: of.Mask, *, level: int = 3) -> of.Mask:\n    return bw & (np.random.rand(*bw.shape) > 0.5)\n";
    let said = failure(&with_function(text));
    assert!(
        said.contains("`python3 steps.py:keep` is declared exact, but two runs of one task differ"),
        "{said}"
    );
}

#[test]
fn what_a_file_says_wrongly_is_told_before_anything_runs() {
    if lacks_python() {
        return;
    }
    let cases = [
        ("def other(bw):\n    return bw\n", "task `keep`: steps.py has no function `keep`"),
        ("def keep(bw: of.U8, *, level: int = 3) -> of.Mask:\n    return bw\n", "has `bw` as a u8"),
        ("def keep(bw: of.Mask, *, level: int = 3) -> of.U8:\n    return bw\n", "has `kept` as a u8"),
        ("def keep(bw: of.Mask, *, level: float = 3.0) -> of.Mask:\n    return bw\n", "reads `level`"),
        (
            "def keep(bw: of.Mask, *, level: list = 3) -> of.Mask:\n    return bw\n",
            "the parameter `level` of keep",
        ),
        ("def keep(bw: of.Mask) -> tuple[of.Mask, of.Mask]:\n    return bw\n", "task `keep` makes 1 region"),
        ("def keep(bw: of.Mask):\n    return other\n", "keep uses `other`, a name without a value"),
        ("@of.task(halo='far')\ndef keep(bw: of.Mask):\n    return bw\n", "`halo` of @of.task"),
        ("@of.task(memory='much')\ndef keep(bw: of.Mask):\n    return bw\n", "found \"much\""),
        ("@of.task(device='gpu')\ndef keep(bw: of.Mask):\n    return bw\n", "are not run yet"),
        ("def keep(bw: of.Mask)\n    return bw\n", "cannot be read: "),
    ];
    for (text, expected) in cases {
        let shell = with_function(text);
        for command in ["check study.toml", "run study.toml -o run --allow-commands"] {
            let said = shell.run(command);
            assert_eq!(said.exit, 2, "{text}\n{said}");
            assert!(said.stderr.contains(expected), "{text}\n{said}");
        }
        assert!(!shell.exists("run"));
    }
}
