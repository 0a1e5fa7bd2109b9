"""Runs: the folder of the command line, results as tables and arrays, stopping, failures."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import onceflow as of
from onceflow import _core
from onceflow.run import Run


@pytest.fixture
def run(study: of.Study) -> of.Run:
    return of.run(study, "runs/small")


def command(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-m", "onceflow", *words], capture_output=True, text=True, check=False)


def test_it_is_the_folder_of_the_command_line(study: of.Study, run: of.Run) -> None:
    study.save("study.toml")
    done = command("run", "study.toml", "-o", "runs/command")
    assert done.returncode == 0, done.stderr
    for name in ("rows.csv", "metrics.csv", "indices.json"):
        assert (run.folder / name).read_bytes() == Path("runs/command", name).read_bytes()
    again = command("run", "study.toml", "-o", "runs/small")
    assert "complete: nothing to compute" in again.stderr
    assert of.run("study.toml", "runs/small").state == "complete"
    different = of.diff(run, "runs/command")
    assert different.same and "0 with other metrics, 0 only in the first" in str(different)


def test_tables_and_indices(run: of.Run) -> None:
    assert len(run.rows) == 17 and run.rows["dice"].dtype == np.float64
    indices = run.indices("dice")
    assert indices.method == "morris" and len(indices.table) == 3
    assert run.indices().outputs == ["dice", "density"]
    assert indices.to_salib()["mu_star"].shape == (3,)
    assert run.plot("dice").svg.startswith("<svg")
    assert "Which parameters matter for dice?" in str(run)
    assert run.account["tasks"]["asked"] > run.account["tasks"]["computed"]
    assert set(run.best["parameters"]) >= {"G1"} and len(run.failures) == 0
    assert "row 3" in str(run.why(3))
    with pytest.raises(of.StudyError, match="no row 99"):
        run.values(99)
    with pytest.raises(of.SampleError, match="no output `dise`"):
        run.indices("dise")


def test_a_notebook_shows_the_first_screen(run: of.Run) -> None:
    page = run._repr_html_()
    assert page.startswith("<iframe srcdoc=") and "dice" in page and "&lt;script" not in page
    assert len(page) < 2_000_000


def test_regions_are_arrays(run: of.Run) -> None:
    row = int(run.rows["row"][3])
    mask = run.region("nuclei", row=row)
    truth, image = run.region("truth"), run.region("image", box=(8, 4, 40, 20))
    assert mask.shape == (96, 128) and mask.dtype == bool and not mask.flags.writeable
    assert truth.shape == (96, 128) and truth.dtype == np.uint32
    assert image.shape == (20, 40, 3) and image.dtype == np.uint8
    measured = of.compare(mask, truth)["dice"]
    assert measured == pytest.approx(run.rows["dice"][3], abs=1e-12)
    with pytest.raises(of.StudyError, match="depends on a row"):
        run.region("nuclei")
    with pytest.raises(of.StudyError, match="no image `other`"):
        run.region("image", image="other")


def test_overlays(run: of.Run) -> None:
    shown = run.show(3, box=(0, 0, 64, 48))
    assert shown.pixels.shape == (48, 64, 3) and shown.caption.startswith("row 3 on tile: dice")
    assert "µm" in shown.svg
    shown.save("a.png")
    shown.save("a.svg")
    assert np.array_equal(of.image("a.png").read(), shown.pixels)


def test_layers_for_napari(run: of.Run) -> None:
    class Viewer:
        def __init__(self) -> None:
            self.layers: list[tuple[str, tuple[int, ...], object]] = []

        def add_image(self, pixels: np.ndarray, *, name: str, scale: object, translate: object) -> None:
            self.layers.append((name, pixels.shape, scale))

        add_labels = add_image

    viewer = run.napari(3, viewer=Viewer())
    assert [layer[0] for layer in viewer.layers] == ["tile", "truth", "nuclei of row 3"]
    assert viewer.layers[0][2] == (0.25, 0.25)


def test_images_as_zarr(run: of.Run) -> None:
    path = run.zarr()
    assert path == run.folder / "zarr" / "tile.zarr" and run.zarr() == path
    assert np.array_equal(of.image(path).read(), run.region("image"))
    with pytest.raises(of.StudyError, match="no image `other`"):
        run.zarr("other")


def test_folders_are_opened_again(run: of.Run) -> None:
    opened = of.open("runs/small")
    assert opened.state == "complete" and opened.study == run.study
    assert np.array_equal(opened.region("nuclei", row=3), run.region("nuclei", row=3))
    with pytest.raises(of.StudyError, match="no such folder"):
        of.open("runs/absent")


def test_other_studies_are_not_replaced(study: of.Study, run: of.Run) -> None:
    Path("mine").mkdir()
    Path("mine/rows.csv").write_text("mine")
    with pytest.raises(of.StudyError):
        of.run(study, "mine")
    assert Path("mine/rows.csv").read_text() == "mine"


def test_settings_are_those_of_the_command_line(study: of.Study) -> None:
    with pytest.raises(of.StudyError, match="no setting `workerz`"):
        of.run(study, "a", workerz=2)
    with pytest.raises(of.StudyError, match="a number from 1 to 4096"):
        of.run(study, "a", workers=0)
    with pytest.raises(of.MemoryTooSmall) as caught:
        of.run(study, "a", memory="1 MiB")
    assert caught.value.least is not None and caught.value.least > 1 << 20
    assert of.run(study, "b", memory=caught.value.least, workers=1).state == "complete"


def test_commands_need_permission(tmp_path: Path) -> None:
    Path("workflow.json").write_text(
        json.dumps(
            {
                "workflow": "w",
                "version": 1,
                "parameters": {"n": {"type": "integer", "default": 1}},
                "regions": {"image": "rgb8", "found": "mask"},
                "stages": [
                    {
                        "stage": "s",
                        "in": ["image"],
                        "out": ["found"],
                        "tasks": [
                            {
                                "task": "t",
                                "op": {"command": ["false", "{n}", "{image}", "{found}"]},
                                "in": ["image"],
                                "reads": ["n"],
                                "out": ["found"],
                            }
                        ],
                    }
                ],
                "outputs": ["found"],
            }
        )
    )
    study = of.Study(
        "own",
        {"n": [1, 2]},
        workflow="workflow.json",
        images=[of.Image("a", "synth:64x64?seed=1")],
        metrics=[of.Metric("objects", of="found", measure="objects")],
        phases=[of.Moat("screen", 2)],
        run={"stop_above": 1.0},
    )
    with pytest.raises(of.CommandsNotAllowed, match="allow_commands=True"):
        of.run(study, "a")
    with pytest.warns(of.FailedRows):
        run = of.run(study, "a", allow_commands=True)
    assert len(run.failures) >= 4
    with pytest.raises(of.TaskError, match="too many rows failed"):
        of.run(study.replace(run={"stop_above": 0.1}), "b", allow_commands=True)


class OwnWorkflow:
    """What a study needs of a workflow that is an object."""

    name = "mine"

    def __init__(self, step: str) -> None:
        text = (
            '{"workflow": "mine", "version": 1, "parameters": {"G1": {"type": "integer", "default": 40}},'
            '"regions": {"image": "rgb8", "rc": "u8", "recon": "u8", "diff": "u8", "found": "mask"},'
            '"stages": [{"stage": "s", "in": ["image"], "out": ["found"], "tasks": ['
            '{"task": "a", "op": "nuclei.reconstruct", "in": ["image"],'
            ' "reads": {"reconConnectivity": {"value": 8}}, "out": ["rc", "recon"]},'
            '{"task": "' + step + '", "op": "nuclei.candidates", "in": ["rc", "recon"],'
            ' "reads": {"fillHolesConnectivity": {"value": 4}, "G1": "G1"}, "out": ["diff", "found"]}]}],'
            '"outputs": ["found"]}'
        )
        self._text = text

    def descriptor(self) -> str:
        return self._text

    def files(self) -> dict[str, bytes]:
        return {"mine.json": self._text.encode()}

    def save(self, path: Path) -> Path:
        path.write_text(self._text)
        return path


def test_a_workflow_may_be_an_object() -> None:
    def of_step(step: str) -> of.Study:
        return of.Study(
            "own",
            {"G1": of.Range(20, 80, step=20)},
            workflow=OwnWorkflow(step),
            images=[of.Image("a", "synth:64x64?seed=1")],
            metrics=[of.Metric("objects", of="found", measure="objects")],
            phases=[of.Moat("screen", 2)],
        )

    study = of_step("b")
    assert study.check().ok and study == of_step("b") and study != of_step("c")
    run = of.run(study, "runs/own")
    assert run.state == "complete" and [path.name for path in Path().iterdir()] == ["runs"]
    assert of.open("runs/own").region("found", row=1).dtype == bool
    study.save("study.toml")
    assert of.run("study.toml", "runs/file").rows.to_dict() == run.rows.to_dict()
    other = of.diff(run, of.run(of_step("c"), "runs/other"))
    assert {"task c is new", "task b is no longer there"} <= set(other.study) and len(other.rows) == 0


def large(study: of.Study) -> of.Study:
    image = of.Image("tile", "synth:1500x1500?seed=3", truth="synth:1500x1500?seed=3")
    return study.replace(images=[image], phases=[of.Moat("screen", 60)])


def test_a_run_begins_at_once_and_can_be_stopped(study: of.Study) -> None:
    began = time.monotonic()
    run = of.start(large(study), "runs/large", workers=1)
    assert time.monotonic() - began < 1 and run.state == "running"
    while not Path("runs/large/journal.jsonl").exists():
        time.sleep(0.05)
    run.stop()
    run.wait()
    assert run.state == "stopped"
    done = of.open("runs/large")
    assert done.state == "stopped"


def test_ctrl_c_drains_and_the_same_call_goes_on(study: of.Study) -> None:
    def interrupt() -> None:
        while not Path("runs/large/journal.jsonl").exists():
            time.sleep(0.01)
        os.kill(os.getpid(), signal.SIGINT)

    threading.Thread(target=interrupt).start()
    with pytest.raises(KeyboardInterrupt, match="the same call goes on"):
        of.run(large(study), "runs/large", workers=1)
    before = len(of.open("runs/large").rows) if Path("runs/large/rows.csv").exists() else 0
    again = of.start(large(study), "runs/large", workers=1)
    time.sleep(0.5)
    again.stop()
    again.wait()
    assert len(again.rows) >= before


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="no /proc on this system")
def test_memory_stays_under_its_bound(study: of.Study) -> None:
    script = """
import onceflow as of
of.quiet()
study = of.Study.read("study.toml")
peak = lambda: int(next(line for line in open("/proc/self/status") if line.startswith("VmHWM")).split()[1])
before = peak()
of.run(study, "runs/bound", memory="300 MiB", workers=2)
print((peak() - before) / 1024)
"""
    large(study).replace(phases=[of.Moat("screen", 3)]).save("study.toml")
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert 20 < float(done.stdout) < 300


def test_many_runs_take_no_more_memory(study: of.Study) -> None:
    small = study.replace(
        images=[of.Image("a", "synth:64x64?seed=1")], metrics=[study.metrics[1]], phases=[of.Moat("screen", 2)]
    )

    def resident() -> int:
        return int(Path("/proc/self/statm").read_text().split()[1]) * 4096

    if not Path("/proc/self/statm").exists():
        pytest.skip("no /proc on this system")
    for place in range(10):
        of.run(small, f"runs/{place}", workers=1)
    before = resident()
    for place in range(10, 60):
        of.run(small, f"runs/{place}", workers=1)
    assert resident() - before < 16 << 20


def test_tuning_finds_better_values(study: of.Study) -> None:
    best = of.tune(study, "dice", rows=20, out="runs/tune", seed=1)
    assert best.best["value"] >= best.rows["dice"][0]
    assert "dice" in str(best)
    with pytest.raises(of.StudyError, match="two names for one thing"):
        of.tune(study, rows=2, evaluations=2, out="a")
    with pytest.raises(of.StudyError, match="no metric `dise`"):
        of.tune(study, "dise", out="a")


def test_the_demo() -> None:
    run = of.demo("demo", size=128)
    assert run.state == "complete" and len(run.study.parameters) == 15


class TwoFiles(OwnWorkflow):
    """The same with a function beside it."""

    def __init__(self, limit: int) -> None:
        super().__init__("b")
        task = {"task": "own", "op": {"python": "steps/own.py:own"}, "in": ["found"], "reads": [], "out": ["mine"]}
        made = json.loads(self._text)
        made["stages"][0]["tasks"].append(task)
        made["stages"][0]["out"] = made["outputs"] = ["mine"]
        made["regions"]["mine"] = "mask"
        self._text = json.dumps(made)
        self._code = (
            f"def own(found: 'Mask') -> 'Mask':\n    found = found.copy()\n    found[:{limit}] = 1\n    return found\n"
        )

    def files(self) -> dict[str, bytes]:
        return {**super().files(), "steps/own.py": self._code.encode()}


@pytest.fixture
def same_python(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ONCEFLOW_PYTHON", sys.executable)


def of_function(limit: int, **changes: Any) -> of.Study:
    given: dict[str, Any] = {
        "workflow": TwoFiles(limit),
        "images": [of.Image("a", "synth:64x64?seed=1")],
        "metrics": [of.Metric("objects", of="mine", measure="objects")],
        "phases": [of.Moat("screen", 2)],
    }
    return of.Study("own", {"G1": of.Range(20, 80, step=20)}, **(given | changes))


@pytest.mark.usefixtures("same_python")
def test_a_region_behind_a_function_is_made_again() -> None:
    run = of.run(of_function(5), "runs/own")
    found = run.region("mine", row=1)
    assert found.dtype == bool and found[:5].all() and not found.all()
    assert run.show(1, region="mine") is not None
    with pytest.raises(of.CommandsNotAllowed, match="allow_commands=True"):
        of.open("runs/own").region("mine", row=1)
    assert (of.open("runs/own", allow_commands=True).region("mine", row=1) == found).all()


def test_studies_with_other_functions_differ() -> None:
    assert of_function(5) == of_function(5) and of_function(5) != of_function(6)


@pytest.mark.usefixtures("same_python")
def test_a_refused_study_leaves_the_files_of_a_run() -> None:
    of.run(of_function(5), "runs/own")

    def kept() -> dict[str, bytes]:
        return {str(path): path.read_bytes() for path in Path("runs").rglob("*") if path.is_file()}

    before = kept()
    with pytest.raises(of.StudyError, match="holds another study"):
        of.run(of_function(9, seed=8), "runs/own")
    assert kept() == before
    with pytest.raises(of.StudyError):
        of.run(of_function(9, metrics=[of.Metric("x", of="absent", measure="objects")]), "runs/none")
    assert kept() == before and not Path("runs/none").exists()
    assert of.run(of_function(9, seed=8), "runs/own", force=True).region("mine", row=1)[8].all()


@pytest.mark.usefixtures("same_python")
def test_files_of_a_run_that_goes_on_stay() -> None:
    changes: dict[str, Any] = {"images": [of.Image("a", "synth:1500x1500?seed=3")], "phases": [of.Moat("screen", 60)]}
    run = of.start(of_function(5, **changes), "runs/own", workers=1)
    while not Path("runs/own/journal.jsonl").exists():
        time.sleep(0.05)
    try:
        with pytest.raises(of.StudyError, match="another run is writing"):
            of.start(of_function(6, **changes), "runs/own")
        assert b"[:5]" in Path("runs/own/.workflow/steps/own.py").read_bytes()
    finally:
        run.stop()
        run.wait()


def test_an_error_is_said_each_time(study: of.Study) -> None:
    of.run(study, "runs/small")
    run = of.start(study.replace(seed=8), "runs/small")
    for _ in range(2):
        with pytest.raises(of.StudyError, match="holds another study"):
            run.wait()
    assert run.state == "failed"


def test_tables_grow_while_it_runs(study: of.Study) -> None:
    run = of.run(study, "runs/small")
    assert run.metrics is run.metrics and len(run.rows) == len(run.metrics)
    path = Path("runs/small/metrics.csv")
    lines = path.read_text().splitlines(keepends=True)
    path.write_text("".join(lines[:3]))
    assert len(run.metrics) == 2
    path.write_text("".join(lines))
    assert len(run.metrics) == len(lines) - 1


def test_words_that_look_like_numbers_stay_words() -> None:
    text = "row,mode,n\n0,4,4\n1,8,8\n"
    table = of.Table(_core.Table.of_csv(text, ["mode"]))
    assert table.row(0) == {"row": 0, "mode": "4", "n": 4}
    Path("run").mkdir()
    Path("run/rows.csv").write_text(
        text.replace("n\n", "flag\n").replace(",4\n", ",true\n").replace(",8\n", ",false\n")
    )
    words = {"mode": ["4", "8"], "flag": ["true", "false"]}
    run = Run(Path("run"), of.Study("words", words))
    assert run.values(1) == {"mode": "8", "flag": "false"}


def test_runs_without_indices_are_compared(study: of.Study) -> None:
    first = of.run(study, "runs/small")
    of.tune(study.replace(phases=[]), "dice", rows=8, out="runs/tune", seed=1)
    found = of.diff(first, "runs/tune")
    assert len(found.effects) == 0 and len(found.verdicts) == 0


def test_a_verdict_may_change_with_an_equal_index(study: of.Study) -> None:
    first, second = of.run(study, "runs/a"), of.run(study, "runs/b")
    assert of.diff(first, second).same
    path = Path("runs/b/indices.json")
    answer = json.loads(path.read_text())
    answer["phases"][-1]["analyses"][0]["outputs"][0]["parameters"][0]["verdict"] = "undecided"
    path.write_text(json.dumps(answer))
    found = of.diff(first, second)
    assert len(found.effects) == 0 and len(found.verdicts) == 1 and not found.same
