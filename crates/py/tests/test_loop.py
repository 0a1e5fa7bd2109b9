"""Ask and tell: no row twice, answers that outlive the process, several processes at once."""

from __future__ import annotations

import json
import math
import multiprocessing
import subprocess
import sys
import time
from pathlib import Path

import pytest

import onceflow as of

STUDY = """
name = "mine"
seed = 4
[parameters]
a = { from = 0, to = 1, default = 0.5 }
b = { from = 0, to = 1, default = 0.5 }
c = { values = [1, 2], default = 1 }
[[metric]]
name = "y"
[[phase]]
name = "screen"
method = "moat"
trajectories = 10
[[phase]]
name = "decompose"
method = "vbd"
base = 64
keep = { phase = "screen", share = 0.1 }
"""


def model(row: of.Row) -> dict[str, float]:
    return {"y": 3 * row["a"] + row["c"]}


@pytest.fixture
def file() -> str:
    Path("study.toml").write_text(STUDY)
    return "study.toml"


def test_rows_are_handed_out_once_and_repeats_never(file: str) -> None:
    loop = of.Loop(file, "screen")
    asked = loop.ask()
    numbers = [row.number for row in asked]
    assert len(set(numbers)) == len(numbers) == int((loop.rows.duplicate_of < 0).sum()) < 41
    assert loop.ask() == [] and loop.waiting == len(asked)
    for row in asked:
        loop.tell(row, **model(row))
    assert str(loop).startswith(
        f"{len(asked)} rows told, 0 failed, {40 - len(asked)} answered by an earlier row; 0 asked"
    )
    assert loop.answer("y").influential == ["a", "c"]
    assert loop.answer("y").to_json()["outputs"][0]["failures"]["missing"] == 0


def test_failed_rows_are_never_numbers(file: str) -> None:
    loop = of.Loop(file)
    for place, row in enumerate(loop.ask()):
        if place == 5:
            loop.fail(row, ValueError("no nuclei"))
        else:
            loop.tell(row, **model(row))
    assert list(loop.failures.values()) == ["no nuclei"]
    with pytest.warns(of.FailedRows):
        assert loop.answer().failed >= 1


def test_batches_extension_and_the_next_phase(file: str) -> None:
    loop = of.Loop(file)
    first = loop.ask(8)
    assert len(first) == 8
    while rows := [*first, *loop.ask(8)]:
        for row in rows:
            loop.tell(row, **model(row))
        first = []
    told = len(loop._told)
    loop.extend(trajectories=20)
    fresh = loop.ask()
    assert fresh and min(row.number for row in fresh) >= 40
    for row in fresh:
        loop.tell(row, **model(row))
    assert len(loop._told) == told + len(fresh)
    following = loop.next()
    assert following.phase == "decompose"
    row = following.ask(1)[0]
    assert row["b"] == 0.5 and set(row) == {"a", "b", "c"}
    with pytest.raises(of.StudyError, match="no phase follows"):
        following._told[row.number] = {"y": 1.0}
        following.next()


def test_what_was_told_outlives_the_process(file: str) -> None:
    script = f"""
import onceflow as of, os
loop = of.Loop({file!r}, out="kept")
for row in loop.ask(12):
    loop.tell(row, y=3 * row["a"] + row["c"])
loop.ask(3)
os._exit(9)
"""
    assert subprocess.run([sys.executable, "-c", script], check=False).returncode == 9
    loop = of.Loop(file, out="kept")
    assert len(loop._told) == 12 and loop.waiting == 3
    rest = {row.number for row in loop.ask()}
    assert not rest & set(loop._told) and len(rest) + 15 == int((loop.rows.duplicate_of < 0).sum())
    lines = Path("kept/loop.jsonl").read_text()
    Path("kept/loop.jsonl").write_text(lines + '{"told": 1, "out')
    again = of.Loop(file, out="kept")
    assert len(again._told) == 12
    again.tell(min(rest), y=1.0)
    assert len(of.Loop(file, out="kept")._told) == 13


def test_other_rows_are_refused(file: str) -> None:
    of.Loop(file, out="kept")
    Path("study.toml").write_text(STUDY.replace("seed = 4", "seed = 5"))
    with pytest.raises(of.StudyError, match="has other rows"):
        of.Loop(file, out="kept")


def test_a_lease_ends(file: str) -> None:
    loop = of.Loop(file, lease=0.05)
    lost = loop.ask()
    time.sleep(0.1)
    assert [row.number for row in loop.ask()] == [row.number for row in lost]
    with pytest.raises(of.StudyError, match="duration"):
        of.Loop(file, lease="soon")


def worker(file: str, start: float) -> None:
    time.sleep(max(0.0, start - time.time()))
    loop = of.Loop(file, out="shared")
    while rows := loop.ask(2):
        for row in rows:
            loop.tell(row, **model(row))


def test_processes_share_a_folder(file: str) -> None:
    of.Loop(file, out="shared")
    context = multiprocessing.get_context("spawn")
    workers = [context.Process(target=worker, args=(file, time.time() + 1)) for _ in range(3)]
    for process in workers:
        process.start()
    for process in workers:
        process.join()
    told = [json.loads(line)["told"] for line in Path("shared/loop.jsonl").read_text().splitlines() if '"told"' in line]
    loop = of.Loop(file, out="shared")
    assert len(told) == len(set(told)) == int((loop.rows.duplicate_of < 0).sum())
    assert loop.ask() == []


def test_wrong_answers_are_refused(file: str) -> None:
    loop = of.Loop(file)
    row = loop.ask(1)[0]
    with pytest.raises(of.SampleError, match="without an output"):
        loop.tell(row)
    with pytest.raises(of.SampleError, match="not in the sample"):
        loop.tell(9999, y=1.0)
    loop.tell(row, y=math.nan)
    with pytest.raises(of.SampleError, match="no row was told"):
        of.Loop(file).answer()


def test_told_twice_is_refused_unless_equal(file: str) -> None:
    loop = of.Loop(file)
    row = loop.ask(1)[0]
    loop.tell(row, y=1.0)
    loop.tell(row, y=1.0)
    with pytest.raises(of.SampleError, match="told twice"):
        loop.tell(row, y=2.0)


def test_a_phase_that_tunes_is_a_search(file: str) -> None:
    Path(file).write_text(STUDY + '[[phase]]\nname = "tune"\nmethod = "tune"\n')
    search = of.Loop(file, phase="tune", out="search", seed=2)
    assert isinstance(search, of.Search)
    assert search.ask(0) == []
    with pytest.raises(of.SampleError, match="0 or more"):
        search.ask(-1)
    first = search.ask(3)
    assert search.ask(3) == first[: len(search.ask(3))]
    for row in first:
        search.tell(row, **model(row))
    again = of.Search(file, maximize="y", out="elsewhere", seed=2)
    assert [dict(row) for row in again.ask(3)] == [dict(row) for row in first]
    (bad,) = search.ask()
    search.fail(bad, "no nuclei")
    for _ in range(20):
        for row in search.ask():
            search.tell(row, **model(row))
    assert "1 failed" in str(search) and search.best["outputs"]["y"] > 4.5
    with pytest.raises(of.SampleError, match="without what is improved"):
        search.tell(search.ask()[0], z=1.0)
    with pytest.raises(of.StudyError, match="tuner has no such value"):
        of.Search(file, maximize="y", tuner="best")
    with pytest.raises(of.StudyError):
        search.tell(bad, y=1.0)


def told_elsewhere(function: str, *words: str) -> None:
    script = f"import onceflow as of\nloop = of.Loop(*{words!r}, out='kept')\n{function}"
    subprocess.run([sys.executable, "-c", script], check=True)


def test_answers_of_another_process_are_known(file: str) -> None:
    loop = of.Loop(file, out="kept")
    rows = loop.ask(6)
    tell = "for row in loop.ask(): loop.tell(row, y=3 * row['a'] + row['c'])"
    told_elsewhere(f"loop.fail({rows[0].number}, 'no')\n{tell}", file)
    assert str(loop).startswith(f"{len(loop.rows) - 6 - int((loop.rows.duplicate_of >= 0).sum())} rows told, 1 failed")
    told_elsewhere("loop.extend(trajectories=12)", file)
    assert loop.waiting == 5 and loop.failures == {rows[0].number: "no"} and len(loop.rows) == 48
    for row in rows[1:]:
        loop.tell(row, **model(row))
    told_elsewhere(tell, file)
    with pytest.warns(of.FailedRows):
        assert loop.answer("y").influential == ["a", "c"]
    told_elsewhere("loop.extend(trajectories=14)\n" + tell, file)
    with pytest.warns(of.FailedRows):
        assert loop.next().phase == "decompose"


def forked(loop: of.Loop) -> None:
    while rows := loop.ask(2):
        for row in rows:
            loop.tell(row, y=float(row.number))


@pytest.mark.skipif("fork" not in multiprocessing.get_all_start_methods(), reason="this system has no fork")
def test_a_loop_that_a_fork_inherits_is_shared() -> None:
    problem = {"num_vars": 2, "names": ["a", "b"], "bounds": [[0, 1], [0, 1]]}
    loop = of.Loop(problem, method="saltelli", n=64, out="forked")
    loop.tell(loop.ask(1)[0], y=0.0)
    children = [multiprocessing.get_context("fork").Process(target=forked, args=(loop,)) for _ in range(3)]
    for process in children:
        process.start()
    forked(loop)
    for process in children:
        process.join()
        assert process.exitcode == 0
    assert loop.waiting == 0 and len(loop._told) == len(loop.rows)
    lines = [json.loads(line) for line in Path("forked/loop.jsonl").read_text().splitlines()]
    told = [line["told"] for line in lines if "told" in line]
    assert sorted(told) == sorted(loop.rows.number.tolist())


@pytest.mark.parametrize("cut", [0, 1, 5, 40, -1])
def test_a_journal_whose_first_line_was_cut_begins_anew(file: str, cut: int) -> None:
    loop = of.Loop(file, out="kept")
    path = Path("kept/loop.jsonl")
    head = path.read_bytes()
    path.write_bytes(head[:cut])
    loop = of.Loop(file, out="kept")
    loop.tell(loop.ask(1)[0], y=1.0)
    assert path.read_bytes().startswith(head)
    assert len(of.Loop(file, out="kept")._told) == 1


@pytest.mark.parametrize("text", ["mine", "mine\n", "[1]\n", '{"a": 1}\n'])
def test_a_file_that_is_no_journal_stays(file: str, text: str) -> None:
    Path("kept").mkdir()
    Path("kept/loop.jsonl").write_text(text)
    with pytest.raises(of.StudyError, match="is no journal"):
        of.Loop(file, out="kept")
    assert Path("kept/loop.jsonl").read_text() == text


def test_the_first_answer_of_a_row_that_was_lent_twice_stays(file: str) -> None:
    slow = of.Loop(file, out="kept", lease=0.05)
    (row, *rest) = slow.ask()
    time.sleep(0.1)
    quick = of.Loop(file, out="kept", lease=0.05)
    assert row in quick.ask()
    quick.tell(row, y=1.0)
    with pytest.warns(UserWarning, match="the first answer stays"):
        slow.tell(row, y=1.0000000001)
    slow.fail(row, "late")
    assert slow._told[row.number] == {"y": 1.0} and not slow.failures
    for value in (math.nan, math.inf):
        quick.tell(rest[0], y=value)
        slow.tell(rest[0], y=value)


def test_no_rows_and_other_sizes() -> None:
    problem = {"num_vars": 2, "names": ["a", "b"], "bounds": [[0, 1], [0, 1]]}
    loop = of.Loop(problem, method="saltelli", n=64, out="kept")
    assert loop.ask(0) == [] and len(loop.ask(2)) == 2
    with pytest.raises(of.SampleError, match="0 or more"):
        loop.ask(-1)
    with pytest.raises(of.StudyError, match="has other rows"):
        of.Loop(problem, method="saltelli", n=128, out="kept")
    loop.extend(n=128)
    assert len(of.Loop(problem, method="saltelli", n=64, out="kept").rows) == len(loop.rows)


def test_the_search_of_a_phase_has_what_the_phase_says(file: str) -> None:
    text = STUDY.replace('[[phase]]\nname = "decompose"', '[[metric]]\nname = "z"\n[[phase]]\nname = "decompose"')
    phase = '[[phase]]\nname = "tune"\nmethod = "tune"\nmetric = "z"\nseed = 5\ntuner = "random"\n'
    Path(file).write_text(text + phase + 'keep = { phase = "decompose", metric = "z", share = 0.1 }\n')
    loop = of.Loop(file)
    while loop.phase != "decompose":
        for row in loop.ask():
            loop.tell(row, **model(row), z=-row["a"])
        loop = loop.next()
    for row in loop.ask():
        loop.tell(row, **model(row), z=-row["a"])
    search = loop.next()
    assert isinstance(search, of.Search)
    rows = search.ask(10)
    assert all(set(row) == {"a", "b", "c"} and row["b"] == 0.5 and row["c"] == 1 for row in rows)
    assert len({row["a"] for row in rows}) > 5
    assert [row["a"] for row in of.Loop(file, "tune").ask(10)] != [
        row["a"] for row in of.Loop(file, "tune", seed=6).ask(10)
    ]
    for row in rows:
        search.tell(row, z=-row["a"])
    assert search.best["parameters"]["a"] == min(row["a"] for row in rows)
    assert set(search.best["parameters"]) == {"a", "b", "c"}
