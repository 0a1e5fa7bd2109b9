"""The package as it is installed: import, command, errors, reuse between blocks."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import onceflow as of


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
