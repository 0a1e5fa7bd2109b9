"""Runs the study of examples/scikit-image plain and served, and compares what it measured with scikit-image alone."""

import csv
import json
import pathlib
import os
import subprocess
import sys

from skimage import io

onceflow, folder = sys.argv[1], pathlib.Path(sys.argv[2])
sys.path.insert(0, str(folder))
from split import split  # noqa: E402  (it lies in the folder)


def run(*words):
    print("onceflow", *words, flush=True)
    return subprocess.run([onceflow, *words], cwd=folder, check=True, capture_output=True, text=True).stdout


def read(name):
    return (folder / name).read_bytes()


run("check", "study.toml")
run("run", "study.toml", "-o", "plain", "--allow-commands")
text = (folder / "study.toml").read_text().replace('"workflow.json" ', '"served.json" ')
assert "served.json" in text.splitlines()[2], text
(folder / "served.toml").write_text(text)
run("run", "served.toml", "-o", "served", "--allow-commands")
for name in ["rows.csv", "metrics.csv"]:
    assert read(f"plain/{name}") == read(f"served/{name}"), name
rows = list(csv.DictReader((folder / "plain/rows.csv").open()))
assert len(rows) == 9 and all(row["status"] == "ok" for row in rows), rows
assert len({row["dice"] for row in rows}) > 2, "the parameters make no difference"
# A row made alone: what its step was given and made is what the function makes of it here.
for row in rows[:3]:
    run("run", "study.toml", "--row", row["row"], "--task", "split", "-o", "look", "--allow-commands")
    given = io.imread(folder / "look/split/inputs/candidates.tif")
    made = io.imread(folder / "look/split/outputs/nuclei.tif")
    expected = split(given, int(row["minDistance"]), float(row["sigma"]))
    assert given.dtype == "uint8" and set(given.flat) <= {0, 255}
    assert (made == expected).all(), row
# Clump by clump: the same rows as without reuse, most clumps once, and each as scikit-image alone splits it.
found = json.loads(run("run", "objects.toml", "-o", "objects", "--allow-commands", "--json"))["objects"]["split"]
run("run", "objects.toml", "-o", "none", "--allow-commands", "--reuse", "none")
for name in ["rows.csv", "metrics.csv"]:
    assert read(f"objects/{name}") == read(f"none/{name}"), name
assert found["pixels_known"] > found["pixels_asked"] / 2, found
from split_objects import split_objects  # noqa: E402

for row in list(csv.DictReader((folder / "objects/rows.csv").open()))[:2]:
    run("run", "objects.toml", "--row", row["row"], "--task", "split", "-o", "look-objects", "--allow-commands")
    given = io.imread(folder / "look-objects/split/task-1/inputs/candidates.tif")
    made = io.imread(folder / "look-objects/split/task-1/outputs/nuclei.tif")
    assert (made == split_objects(given, int(row["minDistance"]), float(row["sigma"]))).all(), row
# The whole mask at once is another thing: wide smoothing lets distances of neighbours run into each other, and
# the first minute tells.
wrong = (folder / "served.json").read_text().replace('"halo": 32,', '"halo": 32, "per_object": "candidates",')
wide = [('"real", "default": 1.0', '"real", "default": 4.0'), ("from = 0.5, to = 2.0, step = 0.5", "from = 4.0, to = 8.0, step = 2.0")]
for name, words in [("wrong.json", wrong), ("wrong.toml", text.replace('"served.json" ', '"wrong.json" '))]:
    for before, after in wide:
        words = words.replace(before, after)
    (folder / name).write_text(words)
said = subprocess.run(
    [onceflow, "run", "wrong.toml", "-o", "wrong", "--allow-commands"], cwd=folder, capture_output=True, text=True
)
assert said.returncode != 0 and "when it is given half of them" in said.stderr, said.stderr
print(f"own operations: {found['known']} of {found['asked']} clumps were known; a wrong per_object was found")
print(f"own operations: {len(rows)} rows, plain and served the same, 3 of them as scikit-image alone finds")
