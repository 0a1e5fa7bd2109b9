"""The package as it is installed: import, command, errors, reuse between blocks."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest

import onceflow as of
from onceflow import _core


def python(script: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)


def test_import_starts_nothing() -> None:
    script = """
import numpy, threading, os, sys
before = set(sys.modules)
import onceflow
heavy = {"pandas", "polars", "zarr", "dask", "IPython", "napari", "multiprocessing"} & (set(sys.modules) - before)
print(threading.active_count(), len(os.listdir("/proc/self/task")) if os.path.isdir("/proc/self/task") else 1, sorted(heavy))
"""
    assert python(script).stdout.split(maxsplit=2)[2].strip() == "[]"
    assert not list(Path().iterdir())


def test_the_command() -> None:
    done = subprocess.run([sys.executable, "-m", "onceflow", "--version"], capture_output=True, text=True, check=True)
    assert done.stdout == f"onceflow {of.__version__}\n"
    wrong = subprocess.run([sys.executable, "-m", "onceflow", "chekc"], capture_output=True, text=True, check=False)
    assert wrong.returncode == 2 and "check" in wrong.stderr


def test_errors_have_their_classes() -> None:
    assert issubclass(of.KeyRefused, TypeError) and issubclass(of.StudyError, ValueError)
    for kind in (
        of.StudyError,
        of.SampleError,
        of.TaskError,
        of.MemoryTooSmall,
        of.CommandsNotAllowed,
        of.Missing,
        of.Bug,
    ):
        assert issubclass(kind, of.Error)
    with pytest.raises(of.StudyError) as caught:
        of.plan("absent.toml")
    (message,) = caught.value.diagnostics
    assert message.to_do and "absent.toml" in str(caught.value)
    with pytest.raises(of.StudyError, match="--wurkers"):
        of.plan("absent.toml", wurkers=1)


def test_blocks_are_computed_once() -> None:
    computed: list[float] = []

    def distance(mask: np.ndarray, sigma: float, *, version: int = 1) -> np.ndarray:
        with of.memo("distance", mask=mask, sigma=sigma, version=version, store="kept", program="test") as block:
            if not block.known:
                computed.append(sigma)
                block["field"] = mask * sigma
                block["count"] = {"pixels": int(mask.sum()), "name": "ä"}
        assert block["count"] == {"pixels": int(mask.sum()), "name": "ä"}
        return block["field"]

    mask = np.eye(4)
    first, second = distance(mask, 2.0), distance(mask, 2.0)
    assert computed == [2.0] and np.array_equal(first, second) and second.dtype == np.float64
    distance(mask, 3.0)
    distance(mask.astype(np.float32), 2.0)
    distance(mask.T.copy(order="F"), 2.0)
    distance(mask, 2.0, version=2)
    assert computed == [2.0, 3.0, 2.0, 2.0]


def test_a_block_that_fails_is_not_kept() -> None:
    for _ in range(2):
        with pytest.raises(ZeroDivisionError), of.memo("fails", n=1, store="kept", program="test") as block:
            assert not block.known
            block["x"] = 1 / 0


def test_results_outlive_the_process() -> None:
    script = """
import onceflow as of
with of.memo("square", n=7, store="kept", program="test") as block:
    if not block.known:
        block["n"] = 49
print(block.known, block["n"])
"""
    assert python(script).stdout == "False 49\n"
    assert python(script).stdout == "True 49\n"


def test_what_cannot_identify_is_refused() -> None:
    with pytest.raises(of.KeyRefused, match="found      object"):
        of.memo("a", what=object(), store="kept")
    with pytest.raises(of.KeyRefused):
        of.memo("a", what=np.array([object()]), store="kept")


def test_files_identify_by_content() -> None:
    def known() -> bool:
        with of.memo("reads", files=["a.txt"], store="kept", program="test") as block:
            if not block.known:
                block["x"] = 1
            return block.known

    Path("a.txt").write_text("one")
    assert (known(), known()) == (False, True)
    Path("a.txt").write_text("two!")
    assert not known()


def test_products_of_runs(study: of.Study, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ONCEFLOW_STORE")
    first = of.run(study, "runs/first", store="kept")
    second = of.run(study.replace(name="again"), "runs/second", store="kept")
    assert first.account["tasks"]["by"]["products"] == 0
    assert second.account["tasks"]["computed"] < first.account["tasks"]["computed"]
    assert of.products(store="kept").stats()["version"] == 1
    assert of.diff(first, second).tasks["second"]["products"] > 0


def test_a_product_is_the_same_when_it_is_known() -> None:
    def products() -> list[object]:
        with of.memo("same", store="kept", program="test") as block:
            if not block.known:
                block["tuple"], block["number"], block["array"] = (1, 2), np.float64(2.5), np.zeros(3)
        array = block["array"]
        return [block["tuple"], type(block["number"]), type(block["tuple"]), array.flags.writeable, array.tolist()]

    assert products() == products() == [[1, 2], np.ndarray, list, False, [0.0, 0.0, 0.0]]


@pytest.mark.parametrize("attribute", [{1: "a"}, {1: "a", "1": "b"}, {"deep": [{None: 1}]}])
def test_keys_that_are_no_text_are_refused(attribute: object) -> None:
    with pytest.raises(of.KeyRefused, match="no text"):
        of.memo("keys", what=attribute, store="kept", program="test")


def test_files_are_digested_while_other_threads_run() -> None:
    with Path("large").open("wb") as file:
        file.truncate(512 << 20)
    done = threading.Event()
    longest = 0.0

    def count() -> None:
        nonlocal longest
        last = time.perf_counter()
        while not done.is_set():
            time.sleep(0.001)
            now = time.perf_counter()
            longest, last = max(longest, now - last), now

    thread = threading.Thread(target=count)
    thread.start()
    began = time.perf_counter()
    of.memo("large", files=["large"], store="kept", program="test")
    whole = time.perf_counter() - began
    done.set()
    thread.join()
    assert longest < max(0.5 * whole, 0.05)


@pytest.mark.skipif(os.name != "posix", reason="no SIGINT for another process")
def test_a_file_is_whole_after_ctrl_c() -> None:
    script = """
import onceflow as of
print("ready", flush=True)
of.convert("synth:3000x3000?seed=1", "tissue.tif")
"""
    process = subprocess.Popen(
        [sys.executable, "-c", script], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdout is not None and process.stdout.readline() == "ready\n"
    time.sleep(0.2)
    assert process.poll() is None
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=60)
    assert "KeyboardInterrupt" in said
    assert [path.name for path in Path().iterdir()] == ["tissue.tif"]
    assert of.convert("tissue.tif", "again.png", box=(2990, 2990, 10, 10))["width"] == 10


def test_columns_of_memory_are_no_rows() -> None:
    pixels = np.arange(5 * 7 * 3, dtype=np.uint8).reshape(5, 7, 3)
    assert _core.png(np.asfortranarray(pixels)) == _core.png(pixels)
    assert _core.png(np.asfortranarray(pixels[:, :, 0])) == _core.png(np.ascontiguousarray(pixels[:, :, 0]))
