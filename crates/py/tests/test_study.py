"""Studies as objects: equal to their files, checked as on the command line, with comments that stay."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest

import onceflow as of

FILE = """\
# Which parameters matter?
name = "mine"    # a short name
seed = 3

[parameters]
# the range of the scanner
G1      = { from = 20, to = 80, step = 20 }
minSize = [4, 11]
filter  = "gauss"

[[phase]]    # first
name         = "screen"
method       = "morris"
trajectories = 4
"""


def test_both_forms_are_equal() -> None:
    Path("study.toml").write_text(FILE)
    study = of.Study(
        "mine",
        {"G1": of.Range(20, 80, step=20), "minSize": [4, 11], "filter": "gauss"},
        seed=3,
        phases=[of.Moat("screen", 4)],
    )
    read = of.Study.read("study.toml")
    assert read == study and hash(read) == hash(study)
    assert read.question == "Which parameters matter?"
    study.save("again.toml")
    assert of.Study.read("again.toml") == study
    assert study.replace(seed=4) != study


def test_comments_of_a_file_stay() -> None:
    Path("study.toml").write_text(FILE)
    read = of.Study.read("study.toml")
    read.save("same.toml")
    assert Path("same.toml").read_text() == FILE
    changed = read.replace(seed=9, name="other")
    changed.save("other.toml")
    text = Path("other.toml").read_text()
    assert 'name = "other"    # a short name' in text and "seed = 9" in text and "# the range of the scanner" in text
    assert of.Study.read("other.toml") == changed
    fewer = read.replace(parameters={"G1": of.Range(20, 80)}, phases=[], constraints=["G1 < 90"])
    assert of.Study._parsed(fewer.to_toml(), None) == fewer
    assert "# first" not in fewer.to_toml() and "# Which parameters matter?" in fewer.to_toml()


def test_every_key_of_the_reference_comes_back() -> None:
    page = Path(__file__).parents[3] / "docs" / "reference" / "study-file.md"
    if not page.exists():
        pytest.skip("docs/reference/study-file.md is not there")
    blocks = page.read_text().split("```toml file=")[1:]
    assert len(blocks) == 2
    for block in blocks:
        name, _, text = block.partition("\n")
        Path(name).write_text(text.split("```")[0])
        read = of.Study.read(name)
        made = dataclasses.replace(read, _text=None, _path=None)
        assert of.Study._parsed(made.to_toml(), None) == read


def test_objects_are_frozen_and_shown(study: of.Study) -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        study.seed = 3  # type: ignore[misc]
    assert repr(of.Range(5, 80, step=5)) == "Range(5, 80, step=5)"
    assert repr(of.Normal(0, 0.1)) == "Normal(0, 0.1)"
    with pytest.raises(TypeError):
        of.Range(1, 2, stepp=3)  # type: ignore[call-arg]


def test_check_says_what_the_command_says(study: of.Study) -> None:
    checked = study.check()
    assert (
        checked.ok
        and str(checked).endswith("ok\n")
        and "screen      moat, 3 parameters, 4 trajectories: 16 rows" in str(checked)
    )
    wrong = study.replace(metrics=[of.Metric("dice", of="nuclei", measure="dise", against="truth")]).check()
    assert not wrong.ok and wrong.errors[0].place == "study.toml:19:11" and "dice" in str(wrong.errors[0])
    assert not Path("study.toml").exists()


def test_mistakes_are_named(study: of.Study) -> None:
    with pytest.raises(of.StudyError, match="unknown key"):
        of.Study("a", {"x": {"from": 1, "two": 2}})
    with pytest.raises(of.StudyError, match="no parameter"):
        of.Study("a", {"x": None})
    with pytest.raises(of.StudyError, match="no such file"):
        of.Study.read("absent.toml")
    Path("bad.toml").write_text('name = "a"\nparametres = 1\n')
    with pytest.raises(of.StudyError) as caught:
        of.Study.read("bad.toml")
    assert any(message.line is not None for message in caught.value.diagnostics)


def test_plans(study: of.Study) -> None:
    plan = study.plan()
    assert plan.tasks["planned"] < plan.tasks["asked"] and plan.instances == 17
    assert "screen: 1 reference row + 16 rows" in str(plan)
    assert "row 3" in str(of.why(study, 3))


def test_a_study_is_a_problem(study: of.Study) -> None:
    X = of.sample(study, "morris", n=3)
    assert X.names == ["G1", "minSize", "fillHolesConnectivity"] and len(X) == 12
