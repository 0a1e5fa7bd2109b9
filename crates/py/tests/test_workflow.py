# pyright: basic, reportAttributeAccessIssue=false, reportOptionalMemberAccess=false, reportArgumentType=false, reportCallIssue=false
# pyright: reportReturnType=false, reportOperatorIssue=false, reportIndexIssue=false, reportOptionalIterable=false
"""Workflows written in Python: carried out in this process, saved, and run as any other."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import onceflow as of

LIMIT = 3


def around(mask):
    inside = np.pad(mask, 1)
    return inside[2:, 1:-1] & inside[:-2, 1:-1]


@of.task(halo=4, memory="600 MiB", time="2 min")
def thin(candidates: of.Mask, *, steps: int = 1, mode: str = "all") -> of.Mask:
    """Takes rows away."""
    for _ in range(min(steps, LIMIT)):
        candidates = candidates & around(candidates)
    return candidates if mode == "all" else candidates[::-1]


def workflow() -> of.Workflow:
    w = of.Workflow("thin-with-python", about="Thinned candidates")
    rc, recon = w.op("nuclei.reconstruct", w.image, reconConnectivity=8)
    _, found = w.op("nuclei.candidates", rc, recon, fillHolesConnectivity=4, G1=of.Parameter("G1", 40, unit="grey"))
    w.output(nuclei=w.op(thin, found, mode="all"))
    return w


def test_parameters_are_those_of_functions_and_those_that_are_named() -> None:
    assert workflow().parameters() == {"G1": 40, "steps": 1}


def test_one_instance_runs_in_this_process() -> None:
    rgb, _ = of.synth(96, 80, seed=3)
    made = workflow().run(rgb, G1=20)["nuclei"]
    assert (made.dtype, made.shape) == (np.bool_, (80, 96))
    more = workflow().run(rgb, G1=20, steps=0)["nuclei"]
    assert 0 < made.sum() < more.sum()
    with pytest.raises(of.StudyError, match="there is no parameter `G2`"):
        workflow().run(rgb, G2=1)


def test_the_descriptor_is_valid_and_says_what_is_read(tmp_path: Path) -> None:
    path = workflow().save(tmp_path / "workflow.json")
    words = json.loads(path.read_text())
    assert words["stages"][-1]["tasks"][0]["op"] == {"python": "steps/thin.py:thin"}
    assert words["parameters"]["G1"] == {"type": "integer", "default": 40, "unit": "grey"}
    checked = subprocess.run([sys.executable, "-m", "onceflow", "check", str(path)], capture_output=True, text=True, check=False)
    # Nothing reads the first output of `nuclei.candidates`, and the check says so.
    assert checked.returncode == 0 and checked.stdout.endswith("ok, 1 warning\n"), checked
    workflow().save(path)
    path.write_text("mine")
    with pytest.raises(of.StudyError, match="exists"):
        workflow().save(path)


def test_a_saved_workflow_gives_what_this_process_gives(tmp_path: Path) -> None:
    workflow().save(tmp_path / "workflow.json")
    (tmp_path / "study.toml").write_text(
        'name = "thin"\nworkflow = "workflow.json"\n[[image]]\nname = "one"\nfile = "synth:96x80?seed=3"\n'
        '[parameters]\nG1 = [20, 40]\nsteps = [0, 1]\n[[metric]]\nname = "change"\nof = "nuclei"\n'
        'measure = "pixel_difference"\nagainst = "default"\n[[phase]]\nname = "screen"\nmethod = "moat"\ntrajectories = 2\n'
        '[run]\nkeep_regions = ["nuclei"]\nresamples = 50\n'
    )
    words = [sys.executable, "-m", "onceflow", "run", "study.toml", "-o", "run", "--allow-commands"]
    said = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert said.returncode == 0, said
    rgb, _ = of.synth(96, 80, seed=3)
    default = workflow().run(rgb)["nuclei"]
    rows = [line.split(",") for line in (tmp_path / "run" / "rows.csv").read_text().splitlines()]
    at = {name: rows[0].index(name) for name in ("G1", "steps", "change")}
    for row in rows[1:]:
        made = workflow().run(rgb, G1=int(row[at["G1"]]), steps=int(row[at["steps"]]))["nuclei"]
        assert float(row[at["change"]]) == pytest.approx((made != default).mean()) or float(row[at["change"]]) == (made != default).sum()


def test_another_function_takes_the_place_of_one() -> None:
    def thin(candidates: of.Mask, *, steps: int = 2) -> of.Mask:
        return ~candidates

    rgb, _ = of.synth(96, 80, seed=3)
    other = workflow().with_task(of.task(thin))
    assert other.parameters() == {"G1": 40, "steps": 1}
    assert (other.run(rgb)["nuclei"] != workflow().run(rgb)["nuclei"]).any()
    with pytest.raises(of.StudyError, match="no task"):
        workflow().with_task(around)


def test_wrong_regions_and_parameters_are_told() -> None:
    w = of.Workflow("wrong")
    with pytest.raises(of.StudyError, match="there is no operation"):
        w.op("nuclei.nothing", w.image)
    with pytest.raises(of.StudyError, match="takes 1 regions"):
        w.op("nuclei.reconstruct", w.image, w.image, reconConnectivity=8)
    with pytest.raises(of.StudyError, match="reads no `G7`"):
        w.op("nuclei.reconstruct", w.image, G7=8)
    with pytest.raises(of.StudyError, match="takes its `candidates`"):
        w.op(thin, w.image)
    with pytest.raises(of.StudyError, match="has no output"):
        w.descriptor()
