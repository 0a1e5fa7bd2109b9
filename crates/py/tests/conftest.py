"""Every test has a folder of its own, no results of earlier runs, and no progress."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import onceflow as of


@pytest.fixture(autouse=True)
def alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ONCEFLOW_STORE", "none")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    of.quiet()
    yield


@pytest.fixture
def study() -> of.Study:
    return of.Study(
        "small",
        {"G1": of.Range(20, 80, step=20), "minSize": [4, 11], "fillHolesConnectivity": [4, 8]},
        workflow="nuclei",
        seed=7,
        images=[of.Image("tile", "synth:128x96?seed=3", truth="synth:128x96?seed=3", um_per_pixel=0.25)],
        metrics=[
            of.Metric("dice", of="nuclei", measure="dice", against="truth"),
            of.Metric("density", of="nuclei", measure="objects_per_mm2"),
        ],
        phases=[of.Moat("screen", 4)],
    )
