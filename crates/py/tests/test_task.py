# pyright: basic, reportAttributeAccessIssue=false, reportOptionalMemberAccess=false, reportArgumentType=false, reportCallIssue=false
# pyright: reportReturnType=false, reportOperatorIssue=false, reportIndexIssue=false, reportOptionalIterable=false
"""Decorated functions: they stay functions, and are refused when they are decorated."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import onceflow as of
from onceflow import describe, keys
from onceflow.homes import FileHome
from onceflow.task import describe_task

LIMIT = 7
KERNEL = np.ones((3, 3)) / 9
MODEL = {"a": 1}


def helper(a):
    return a > LIMIT


@of.task(halo=32, memory="600 MiB", time="2 min")
def split(grey: of.U8, *, by: int = 5, sigma: float = 1.0, mode: str = "a") -> of.Mask:
    """Split it."""
    return helper(grey + by)


def smoothed(grey):
    return grey * KERNEL[0, 0]


def test_a_decorated_function_stays_a_function() -> None:
    assert split(np.array([[1, 9]], np.uint8), by=0).tolist() == [[False, True]]
    assert split.__doc__ == "Split it."


def test_the_signature_follows_from_arguments() -> None:
    found = describe_task(split)
    assert found["takes"] == [["grey", "u8"]]
    assert found["reads"] == [["by", "integer", 5], ["sigma", "real", 1.0], ["mode", "category", "a"]]
    assert found["makes"] == ["mask"]
    assert found["options"] == {"halo": 32, "memory": "600 MiB", "time": "2 min"}


def test_the_key_is_that_of_the_file() -> None:
    path = Path(__file__)
    from_file = describe.described(FileHome(path, path.parent).find("split"))
    assert describe_task(split)["key"] == from_file["key"]


def test_arrays_are_in_the_key_by_value() -> None:
    global KERNEL
    first = keys.key_of(smoothed)
    before = KERNEL
    try:
        KERNEL = before * 2
        assert keys.key_of(smoothed) != first
        KERNEL = before.astype(">f8")[::1, ::1]
        assert keys.key_of(smoothed) == first
        KERNEL = np.zeros((1 << 18, 1))
        with pytest.raises(of.KeyRefused, match="more than 1,048,576"):
            keys.key_of(smoothed)
    finally:
        KERNEL = before


def test_closures_are_in_the_key_by_value() -> None:
    def made(n):
        def inner(a):
            return (lambda: a + n)()

        return inner

    assert keys.key_of(made(1)) == keys.key_of(made(1))
    assert keys.key_of(made(1)) != keys.key_of(made(2))
    with pytest.raises(of.KeyRefused, match="`n`, a list"):
        keys.key_of(made([]))


def test_what_cannot_be_in_a_key_is_refused_at_once() -> None:
    with pytest.raises(of.KeyRefused, match="wrong uses `MODEL`, a dict, which cannot be part of its key"):

        @of.task
        def wrong(a: of.Mask) -> of.Mask:
            return MODEL


def test_wrong_options_and_arguments_are_told() -> None:
    def plain(a: of.Mask) -> of.Mask:
        return a

    def many(*a: of.Mask) -> of.Mask:
        return a[0]

    def by_list(a: of.Mask, *, k: list = ()) -> of.Mask:
        return a

    for options, said in [({"hallo": 3}, "no option `hallo`"), ({"halo": -1}, "`halo`"), ({"device": "gpu"}, "not run yet"),
                          ({"per_tile": 3}, "16 or more"), ({"repeats": "often"}, "\"exact\"")]:  # fmt: skip
        with pytest.raises(of.Error, match=said):
            of.task(**options)(plain)
    with pytest.raises(of.Error, match="any number of arguments"):
        of.task(many)
    with pytest.raises(of.Error, match="int, float or str"):
        of.task(by_list)


def test_a_function_of_a_package_is_named_by_it() -> None:
    found = describe_task(split)
    assert set(found["uses"]) == {"split", "helper", "LIMIT"}
    assert keys.digested(keys.code_of(smoothed)).uses.keys() == {"smoothed", "KERNEL"}


def twice(a):
    return a * KERNEL[0] + LIMIT


@of.task(halo=2, files=["model.txt"])
def written(grey: of.U8, *, by: float = 0.5) -> of.F64:
    """Made of more."""
    return twice(grey) * by


def test_a_saved_function_has_the_same_key(tmp_path: Path) -> None:
    from onceflow.saved import digested_file, operation

    (tmp_path / "written.py").write_text(digested_file(written))
    said = describe.answer(tmp_path, "written.py", "written", {})
    assert said.get("key") == describe_task(written)["key"], said
    assert said["options"] == {"halo": 2, "files": ["model.txt"]}
    assert operation(split, Path(__file__).parent, {}) == {"python": "test_task.py:split"}
    files: dict[str, bytes] = {}
    assert operation(split, tmp_path, files) == {"python": "steps/split.py:split"}
    assert list(files) == ["steps/split.py"]
