"""Changes of a document: what is read again is what was wanted, in every form that TOML has."""

from __future__ import annotations

import random
import tomllib
from typing import Any

import pytest

import onceflow as of
from onceflow import toml

CASES = {
    "tables of their own": "[parameters.G1]\nfrom = 1\nto = 2\n\n[parameters.G2]\nfrom = 3\nto = 4\n",
    "another table first": '[[metric]]\nname = "dice"\n\n[parameters.G1]\nfrom = 1\n\n[parameters."G 2"]\nfrom = 3\n',
    "several lines": 'name = "x"\nconstraints = [\n  "a < b", # ]\n  "b < c",\n]   # kept\nseed = 1\n\n[parameters]\na = 1\n',
    "dotted keys": "run.workers = 4\nrun.memory = '''\na # [x]\n'''\nseed = 1\n",
    "no table": "seed = 1\nparameters = { a = 1 }\n",
    "a blank head": "  [ parameters ] # why\n  a = 1\n[ parameters . b ]\nfrom = 2\n[['metric']]\nname = 'd'\n[metric.more]\nx = 1\n",
    "no end of line": "# Question\nseed = 1\n[run]\nworkers = 2",
}


def drawn(chance: random.Random, depth: int = 2) -> Any:
    text = "".join(chance.choice("ab [\"'#\n\\\x7f]=é") for _ in range(chance.randrange(6)))
    kinds: list[Any] = [text, chance.randrange(-5, 5), chance.choice([0.5, 1e-9, 2.0, 1e300]), chance.random() < 0.5]
    if depth:
        some = range(chance.randrange(3))
        kinds += [
            [drawn(chance, 0) for _ in some],
            [{"a": drawn(chance, 0)} for _ in some],
            {chance.choice(["a", "b c", "é"]): drawn(chance, depth - 1) for _ in some},
        ]
    return chance.choice(kinds)


@pytest.mark.parametrize("text", CASES.values(), ids=CASES)
def test_a_changed_document_says_what_was_wanted(text: str) -> None:
    chance = random.Random(5)
    before = tomllib.loads(text)
    assert toml.edited(text, before, before) == text or not text.endswith("\n")
    for _ in range(300):
        after = {key: part for key, part in before.items() if chance.random() < 0.6}
        names = ["name", "seed", "parameters", "metric", "run", "constraints", "a b"]
        after |= {chance.choice(names): drawn(chance) for _ in range(chance.randrange(4))}
        assert tomllib.loads(toml.edited(text, before, after)) == after


def test_comments_of_values_on_several_lines_stay() -> None:
    text = CASES["several lines"]
    changed = toml.edited(text, tomllib.loads(text), tomllib.loads(text) | {"constraints": ["a < c"]})
    assert changed == 'name = "x"\nconstraints = ["a < c"]   # kept\nseed = 1\n\n[parameters]\na = 1\n'


def test_parameters_in_tables_of_their_own_are_replaced() -> None:
    text = 'name = "x"\n[[metric]]\nname = "y"\n[parameters.G1]\nfrom = 1\nto = 2\n[parameters.G2]\nfrom = 1\nto = 3\n'
    study = of.Study._parsed(text, None)
    for changes in (
        {"parameters": {"G3": of.Range(0, 1)}},
        {"metrics": [of.Metric("z")]},
        {"constraints": ["G1 < G2"]},
    ):
        changed = study.replace(**changes)
        assert of.Study._parsed(changed.to_toml(), None) == changed
