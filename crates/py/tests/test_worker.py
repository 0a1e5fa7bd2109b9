# pyright: basic, reportAttributeAccessIssue=false, reportOptionalMemberAccess=false, reportArgumentType=false, reportCallIssue=false
# pyright: reportReturnType=false, reportOperatorIssue=false, reportIndexIssue=false, reportOptionalIterable=false
"""The process that runs functions, asked as a run asks it: through lines of JSON and shared memory."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from onceflow import describe
from onceflow.regions import DTYPES

PAGE = 4096
HEAD = "import numpy as np\nimport onceflow as of\n"


class Worker:
    """A worker of one function of a file."""

    def __init__(self, folder: Path, source: str, files: tuple[str, ...] = ()) -> None:
        (folder / "steps.py").write_text(HEAD + textwrap.dedent(source))
        found = describe.answer(folder, "steps.py", "task", {})
        assert "bundle" in found, found
        self.memory = os.memfd_create("test")
        os.ftruncate(self.memory, 1 << 20)
        self.log = folder / "log.txt"
        command = [sys.executable, "-c", "import sys; from onceflow.worker import main; main(sys.stdin.buffer)"]
        with self.log.open("wb") as log:
            self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log, cwd=folder)
        self.ready = self.ask({"task": "task", "files": list(files), "bundle": found["bundle"]})

    def ask(self, line: dict[str, Any]) -> dict[str, Any]:
        self.process.stdin.write(json.dumps(line).encode() + b"\n")
        self.process.stdin.flush()
        said = self.process.stdout.readline()
        return json.loads(said) if said else {"died": self.process.wait()}

    def call(self, *inputs: tuple[str, np.ndarray], out: tuple[str, ...] = ("mask",), shape: tuple[int, ...] = (4, 5),
             **parameters: Any) -> Any:  # fmt: skip
        at, given, made = 0, [], []
        for kind, array in inputs:
            os.pwrite(self.memory, np.ascontiguousarray(array, DTYPES[kind]).tobytes(), at)
            given.append({"kind": kind, "at": at, "shape": list(array.shape)})
            at += PAGE
        for kind in out:
            made.append({"kind": kind, "at": at, "shape": list(shape)})
            at += PAGE
        path = f"/proc/{os.getpid()}/fd/{self.memory}"
        answer = self.ask({"memory": path, "bytes": 1 << 20, "inputs": given, "outputs": made, "parameters": parameters,
                           "row": 17, "image": "one", "box": [1, 2, 5, 4], "seed": "ff"})  # fmt: skip
        if not answer.get("ok"):
            return answer
        read = [os.pread(self.memory, int(np.prod(shape)) * DTYPES[m["kind"]].itemsize, m["at"]) for m in made]
        arrays = [np.frombuffer(r, DTYPES[m["kind"]]).reshape(shape) for r, m in zip(read, made, strict=True)]
        return arrays[0] if len(arrays) == 1 else arrays


@pytest.fixture
def worker(tmp_path: Path):
    started: list[Worker] = []

    def start(source: str, files: tuple[str, ...] = ()) -> Worker:
        started.append(Worker(tmp_path, source, files))
        return started[-1]

    yield start
    for each in started:
        each.process.kill()
        each.process.wait()


GREY = ("u8", np.arange(20, dtype=np.uint8).reshape(4, 5))


def test_a_function_gets_views_and_parameters(worker) -> None:
    asked = worker("""
        LIMIT = 2
        def helper(a):
            return a + LIMIT
        @of.task(halo=3)
        def task(grey: of.U8, *, by: int = 1) -> of.Mask:
            return helper(grey) > by
    """)
    assert asked.ready == {"ok": True}
    assert (asked.call(GREY, by=8) == (GREY[1] > 6)).all()
    assert (asked.call(GREY, by=9) == (GREY[1] > 7)).all()


def test_inputs_cannot_be_written(worker) -> None:
    asked = worker("def task(grey: of.U8) -> of.U8:\n    grey[0, 0] = 9\n    return grey\n")
    assert asked.call(GREY, out=("u8",)) == {"ok": False, "error": "ValueError: assignment destination is read-only"}
    asked = worker("def task(grey: of.U8) -> of.U8:\n    grey.flags.writeable = True\n    return grey\n")
    assert "WRITEABLE" in asked.call(GREY, out=("u8",))["error"]


def test_a_wrong_result_is_told(worker) -> None:
    asked = worker("""
        def task(grey: of.U8, *, how: str = "") -> of.Mask:
            if how == "none":
                return None
            return grey.astype(np.int64)[:2] if how == "shape" else grey.astype(how)
    """)
    assert asked.call(GREY, how="shape")["error"] == "task gave int64 (2, 5), expected bool (4, 5)"
    assert asked.call(GREY, how="uint8")["error"] == "task gave uint8 (4, 5), expected bool (4, 5)"
    assert asked.call(GREY, how="none")["error"] == "task gave object (), expected bool (4, 5)"
    assert asked.call(GREY, how="bool").sum() == 19


@pytest.mark.parametrize(("kind", "dtype", "fits"), [
    ("labels", "int32", True), ("labels", "int64", True), ("labels", "uint16", True), ("labels", "bool", False),
    ("labels", "float32", False), ("u16", ">u2", True), ("u16", "u1", True), ("i32", "int64", True), ("f32", "f2", True),
    ("f64", "f4", True), ("f32", "f8", False), ("u8", "int64", False), ("f64", ">f8", True),
])  # fmt: skip
def test_types_that_lose_nothing_fit(worker, kind: str, dtype: str, fits: bool) -> None:
    asked = worker(f"def task(grey: of.U8):\n    return grey.astype('{dtype}')[::-1, ::-1]\n")
    made = asked.call(GREY, out=(kind,))
    assert isinstance(made, np.ndarray) == fits, made
    if fits:
        assert (made == GREY[1][::-1, ::-1]).all()


def test_numbers_that_do_not_fit_are_refused(worker) -> None:
    asked = worker("def task(grey: of.U8):\n    return grey.astype('i8') - 1\n")
    assert asked.call(GREY, out=("labels",))["error"] == "task gave int64 (4, 5), expected uint32 (4, 5)"


def test_a_result_may_be_written_in_place(worker) -> None:
    asked = worker("def task(grey: of.U8, *, out) -> of.U8:\n    out[1:] = grey[1:]\n")
    expected = GREY[1].copy()
    expected[0] = 0
    for _ in range(2):
        assert (asked.call(GREY, out=("u8",)) == expected).all()


def test_several_results_are_a_tuple(worker) -> None:
    asked = worker("def task(grey: of.U8) -> tuple[of.Mask, of.U8]:\n    return grey > 3, grey\n")
    one, other = asked.call(GREY, out=("mask", "u8"))
    assert (one == (GREY[1] > 3)).all()
    assert (other == GREY[1]).all()
    assert "gave 2 results" in asked.call(GREY, out=("mask", "u8", "u8"))["error"]


def test_what_it_prints_is_its_log(worker) -> None:
    asked = worker("import os\ndef task(grey: of.U8) -> of.U8:\n    print('hello')\n    os.system('echo more')\n    return grey\n")
    assert (asked.call(GREY, out=("u8",)) == GREY[1]).all()
    assert asked.log.read_text().splitlines() == ["more", "hello"] or asked.log.read_text().splitlines() == ["hello", "more"]


def test_an_exception_is_told_with_its_lines(worker, tmp_path: Path) -> None:
    asked = worker("def helper():\n    raise ValueError('no tissue')\ndef task(grey: of.U8) -> of.U8:\n    helper()\n")
    assert asked.call(GREY, out=("u8",)) == {"ok": False, "error": "ValueError: no tissue"}
    lines = asked.log.read_text().splitlines()
    assert lines[0] == "Traceback (most recent call last):"
    assert f'  File "{tmp_path}/steps.py", line 6, in task' in lines
    assert f'  File "{tmp_path}/steps.py", line 4, in helper' in lines
    assert "    raise ValueError('no tissue')" in lines
    assert not any("worker.py" in line for line in lines)


@pytest.mark.parametrize("how", ["sys.exit(3)", "raise KeyboardInterrupt", "raise SystemExit"])
def test_a_task_cannot_end_its_worker(worker, how: str) -> None:
    asked = worker(f"import sys\ndef task(grey: of.U8) -> of.U8:\n    {how}\n")
    assert asked.call(GREY)["ok"] is False
    assert asked.call(GREY)["ok"] is False


def test_a_segmentation_fault_is_the_end_and_is_logged(worker) -> None:
    asked = worker("import ctypes\ndef task(grey: of.U8) -> of.U8:\n    ctypes.string_at(0)\n")
    assert asked.call(GREY) == {"died": -signal.SIGSEGV}
    assert "Segmentation fault" in asked.log.read_text()


def test_only_what_was_digested_is_there(worker) -> None:
    asked = worker("def other():\n    pass\ndef task(grey: of.U8) -> of.U8:\n    raise ValueError(sorted(vars()))\n")
    assert asked.call(GREY)["error"] == "ValueError: ['grey']"
    asked = worker("open('made', 'w')\ndef task(grey: of.U8) -> of.U8:\n    import __main__\n    return grey if not hasattr(__main__, 'other') else None\n")
    assert (asked.call(GREY, out=("u8",)) == GREY[1]).all()


def test_what_is_loaded_once_is_given(worker, tmp_path: Path) -> None:
    (tmp_path / "model.txt").write_text("7")
    asked = worker("""
        def load():
            print("loaded")
            return int(of.file("model.txt").read_text())
        @of.task(setup=load, files=["model.txt"])
        def task(grey: of.U8, *, setup, k: int = 1) -> of.U8:
            return grey + setup * k
    """, ("model.txt",))
    for _ in range(2):
        assert (asked.call(GREY, out=("u8",), k=2) == GREY[1] + 14).all()
    assert asked.log.read_text() == "loaded\n"


def test_a_file_that_is_not_declared_is_refused(worker) -> None:
    asked = worker("def task(grey: of.U8) -> of.U8:\n    return of.file('other.txt')\n")
    assert "other.txt is no file of this task" in asked.call(GREY)["error"]


def test_a_function_may_ask_where_it_is(worker) -> None:
    asked = worker("def task(grey: of.U8) -> of.U8:\n    h = of.here()\n    raise ValueError(h.row, h.image, h.box)\n")
    assert asked.call(GREY)["error"] == "ValueError: (17, 'one', (1, 2, 5, 4))"
    asked = worker("def task(grey: of.U8):\n    return of.here().rng.random(grey.shape)\n")
    first, second = asked.call(GREY, out=("f64",)), asked.call(GREY, out=("f64",))
    assert (first == second).all()
    assert (first == np.random.default_rng(255).random((4, 5))).all()


def test_a_status_ends_a_part(worker) -> None:
    asked = worker("def task(grey: of.U8) -> of.U8:\n    raise of.Ended('no tissue')\n")
    assert asked.call(GREY) == {"ended": "no tissue"}


def test_classes_closures_and_cycles_are_made_again(worker) -> None:
    asked = worker("""
        from dataclasses import dataclass
        @dataclass
        class Pair:
            a: int
            b: "int" = 1
            def sum(self):
                return self.a + self.b + odd(3)
        def odd(n):
            return n > 0 and even(n - 1)
        def even(n):
            return n == 0 or odd(n - 1)
        class More(Pair):
            pass
        def task(grey: of.U8) -> of.U8:
            return grey + More(2).sum()
    """)
    assert (asked.call(GREY, out=("u8",)) == GREY[1] + 4).all()
