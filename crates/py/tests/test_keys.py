# pyright: basic, reportAttributeAccessIssue=false, reportOptionalMemberAccess=false, reportArgumentType=false, reportCallIssue=false
# pyright: reportReturnType=false, reportOperatorIssue=false, reportIndexIssue=false, reportOptionalIterable=false
"""Keys of functions: equal for what does the same, different for what does not, and refused where nothing can say."""

from __future__ import annotations

import importlib
import itertools
import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from onceflow import describe
from onceflow.errors import KeyRefused
from onceflow.homes import FileHome
from onceflow.keys import key_of

HEAD = "import onceflow as of\nimport math\n"


def answer(folder: Path, source: str, function: str = "task", **files: str) -> dict:
    """What is said of a function of a file."""
    (folder / "steps.py").write_text(HEAD + textwrap.dedent(source))
    for name, text in files.items():
        (folder / f"{name}.py").write_text(textwrap.dedent(text))
    return describe.answer(folder, "steps.py", function, {})


def key(folder: Path, source: str, **files: str) -> str:
    found = answer(folder, source, **files)
    assert "key" in found, found
    return found["key"]


def refusal(folder: Path, source: str, **files: str) -> str:
    found = answer(folder, source, **files)
    assert "error" in found, found
    return found["error"]["message"]


PLAIN = """
LIMIT = 3

def helper(a):
    return a + LIMIT

def unused(a):
    return a

def task(a, *, k: int = 1):
    return helper(a) * k
"""

SAME = {
    "a comment": PLAIN.replace("    return helper", "    # so much\n    return helper"),
    "moved lines": "\n\n\n" + PLAIN,
    "a docstring": PLAIN.replace("    return helper", '    """So much."""\n    return helper'),
    "a docstring of a helper": PLAIN.replace("    return a + LIMIT", '    "doc"\n    return a + LIMIT'),
    "layout": PLAIN.replace("helper(a) * k", "(helper( a )\n        * k)"),
    "digits": PLAIN.replace("LIMIT = 3", "LIMIT = 0x3"),
    "arithmetic of constants": PLAIN.replace("LIMIT = 3", "TWO = 2\nLIMIT = TWO + 1"),
    "another function": PLAIN.replace("    return a\n", "    return a + 17\n"),
    "the decorator": PLAIN.replace("def task", "@of.task(halo=3)\ndef task"),
    "annotations": PLAIN.replace("def helper(a):", "def helper(a: int) -> int:"),
    "order": PLAIN.replace("LIMIT = 3\n", "") + "\nLIMIT = 3\n",
}

OTHER = {
    "code": PLAIN.replace("* k", "/ k"),
    "a helper": PLAIN.replace("a + LIMIT", "a - LIMIT"),
    "a constant": PLAIN.replace("LIMIT = 3", "LIMIT = 4"),
    "the type of a constant": PLAIN.replace("LIMIT = 3", "LIMIT = 3.0"),
    "a truth": PLAIN.replace("LIMIT = 3", "LIMIT = True"),
    "a default": PLAIN.replace("k: int = 1", "k: int = 2"),
    "a text in code": PLAIN.replace("* k", "* k if k != 'a' else 0"),
    "another text in code": PLAIN.replace("* k", "* k if k != 'b' else 0"),
    "a decorator of a helper": PLAIN.replace("def helper", "import functools\n@functools.cache\ndef helper"),
    "which helper": PLAIN.replace("helper(a) * k", "unused(a) * k"),
    "a lambda": PLAIN.replace("helper(a) * k", "(lambda: helper(a) * k)()"),
    "what a lambda reads": PLAIN.replace("helper(a) * k", "(lambda: unused(a) * k)()"),
    "async": PLAIN.replace("def helper", "async def helper"),
    "bits of a float": PLAIN.replace("LIMIT = 3", "LIMIT = 0.1 + 0.2"),
    "nearly the same float": PLAIN.replace("LIMIT = 3", "LIMIT = 0.3"),
    "a part of an f-string": PLAIN.replace("* k", "* len(f'{k}a')"),
    "the format of an f-string": PLAIN.replace("* k", "* len(f'{k:3}a')"),
    "a helper named as a built-in": PLAIN.replace("LIMIT", "max").replace("max = 3", "def max(a):\n    return a * 2"),
    "another helper named as a built-in": PLAIN.replace("LIMIT", "max").replace("max = 3", "def max(a):\n    return a * 3"),
    "an import named as a built-in": "from math import pow\n" + PLAIN.replace("* k", "* pow(k, 2)"),
    "a built-in": PLAIN.replace("* k", "* pow(k, 2)"),
    "an import": PLAIN.replace("* k", "* math.sin(k)"),
}


@pytest.mark.parametrize("source", SAME.values(), ids=SAME.keys())
def test_what_does_the_same_has_the_same_key(tmp_path: Path, source: str) -> None:
    assert source != PLAIN
    assert key(tmp_path, source) == key(tmp_path, PLAIN)


def test_near_twins_have_different_keys(tmp_path: Path) -> None:
    keys = {name: key(tmp_path, source) for name, source in {**OTHER, "plain": PLAIN}.items()}
    for (one, a), (other, b) in itertools.combinations(keys.items(), 2):
        assert a != b, (one, other)


def test_a_name_that_is_bound_twice_is_refused(tmp_path: Path) -> None:
    twice = PLAIN.replace("* k", "* math.sin(k)").replace("LIMIT", "import cmath as math\nLIMIT", 1)
    assert "imports bind" in refusal(tmp_path, twice)
    assert "that lines" in refusal(tmp_path, PLAIN.replace("LIMIT = 3", "LIMIT = 3\nLIMIT = 4"))


def test_functions_of_other_files_are_followed(tmp_path: Path) -> None:
    source = "from other import clean\nimport more\ndef task(a):\n    return clean(a) + more.count(a)\n"
    more = "from other import clean\nN = 1\ndef count(a):\n    return N\ndef unused():\n    return 1\n"
    first = key(tmp_path, source, other="def clean(a):\n    return a\n", more=more)
    assert first == key(tmp_path, source, other="def clean(a):\n    return a  # so\n", more=more + "\nM = 2\n")
    assert first != key(tmp_path, source, other="def clean(a):\n    return -a\n", more=more)
    assert first != key(tmp_path, source, other="def clean(a):\n    return a\n", more=more.replace("N = 1", "N = 2"))


def test_classes_are_followed(tmp_path: Path) -> None:
    source = "class Base:\n    n = 1\nclass Pair(Base):\n    def sum(self):\n        return self.n + helper()\n"
    source += "def helper():\n    return 1\ndef task(a):\n    return Pair().sum()\n"
    keys = {key(tmp_path, s) for s in (source, source.replace("n = 1", "n = 2"), source.replace("return 1", "return 2"))}
    assert len(keys) == 3


def test_functions_that_call_each_other_have_a_key(tmp_path: Path) -> None:
    source = "def odd(n):\n    return n > 0 and even(n - 1)\ndef even(n):\n    return n == 0 or odd(n - 1)\n"
    source += "def task(a):\n    return odd(a)\n"
    assert key(tmp_path, source) != key(tmp_path, source.replace("n == 0", "n == 1"))


REFUSED = {
    "a dict": ("MODEL = {}\ndef task(a):\n    return MODEL", "task uses `MODEL`, a dict, which cannot be part of its key"),
    "a list in a helper": ("L = [1]\ndef h():\n    return L\ndef task(a):\n    return h()", "`L`, a list"),
    "a list in a lambda": ("L = [1]\ndef task(a):\n    return (lambda: L)()", "`L`, a list"),
    "a call": ("import time\nNOW = time.time()\ndef task(a):\n    return NOW", "`NOW`, what a call gives"),
    "a name that is not there": ("def task(a):\n    return other(a)", "`other`, a name without a value"),
    "a loop": ("for i in (1, 2):\n    K = i\ndef task(a):\n    return K", "`K`, a name that is not bound by a plain line"),
    "a star": ("from math import *\ndef task(a):\n    return sin(a)", "`sin`, a name that `from ... import *` may bind"),
    "a changed global": ("N = 1\ndef task(a):\n    global N\n    N = 2", "`N`, a global name that it changes"),
    "eval": ("def task(a):\n    return eval('a')", "`eval`, which reaches what the source does not name"),
    "a package that is not there": ("import nothing_of_that_name\ndef task(a):\n    return nothing_of_that_name.f(a)",
                                    "of a package that is not installed"),
    "a module as a value": ("import other\ndef task(a):\n    return other", "`other`, a module of your own"),
}  # fmt: skip


@pytest.mark.parametrize(("source", "said"), REFUSED.values(), ids=REFUSED.keys())
def test_what_cannot_be_in_a_key_is_refused(tmp_path: Path, source: str, said: str) -> None:
    assert said in refusal(tmp_path, source + "\n", other="def f():\n    pass\n")


def test_a_refusal_says_why_and_what_to_do(tmp_path: Path) -> None:
    path = tmp_path / "steps.py"
    path.write_text("MODEL = {}\ndef split(a):\n    return MODEL\n")
    with pytest.raises(KeyRefused) as raised:
        describe.described(FileHome(path, tmp_path).find("split"))
    assert str(raised.value).splitlines() == [
        "split uses `MODEL`, a dict, which cannot be part of its key",
        "  because    results would be taken over although it had changed",
        "  to do      pass a number as a parameter; name a file: @of.task(files=[\"model.pt\"]) and of.file(\"model.pt\"); "
        "or make it inside the function",
    ]
    assert isinstance(raised.value, TypeError)


def test_a_file_that_changed_after_its_import_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = "def one(a):\n    return a * 2\n\ndef two(a):\n    return a * 3\n"
    changes = {"swapped": text.replace("one", "three").replace("two", "one").replace("three", "two"), "code": text.replace("* 2", "/ 2")}
    monkeypatch.syspath_prepend(str(tmp_path))
    for name, changed in changes.items():
        path = tmp_path / f"steps_{name}.py"
        path.write_text(text)
        module = importlib.import_module(path.stem)
        assert key_of(module.one) != key_of(module.two)
        path.write_text(changed)
        with pytest.raises(KeyRefused, match="changed after it was imported"):
            key_of(module.one)


def test_nothing_of_a_file_is_run(tmp_path: Path) -> None:
    found = answer(tmp_path, "open('made', 'w')\nraise SystemExit(3)\ndef task(a):\n    return a\n")
    assert "key" in found
    assert not (tmp_path / "made").exists()


def pythons() -> list[str]:
    """This Python, and others that are installed or named in ONCEFLOW_PYTHONS."""
    named = os.environ.get("ONCEFLOW_PYTHONS", "").split(":")
    installed = [f"/usr/bin/python3.{minor}" for minor in range(11, 16)]
    return [sys.executable, *(path for path in installed + named if path and Path(path).exists())]


def test_keys_are_equal_in_other_processes_and_versions(tmp_path: Path) -> None:
    source = PLAIN + "\ndef other(a):\n    return f'{a!r:>{LIMIT}}x' 'y', b'\\xff', 1e-300, 2j, ..., 'ü\\u2028', 10**30\n"
    source = source.replace("helper(a) * k", "[helper(x) for x in (other(a), {**{}}, not a)][:1] * k if (y := k) else None")
    here = key(tmp_path, source)
    script = "import json,sys; from onceflow import describe; from pathlib import Path\n"
    script += "print(describe.answer(Path(sys.argv[1]), 'steps.py', 'task', {})['key'])"
    lib = tmp_path / "lib" / "onceflow"
    lib.mkdir(parents=True)
    for path in Path(describe.__file__).parent.glob("*.py"):
        (lib / path.name).write_text(path.read_text() if path.name != "__init__.py" else "")
    versions = set()
    for python in pythons():
        command = [python, "-c", "import sys; print(sys.version_info[:2])"]
        versions.add(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
        said = subprocess.run([python, "-c", f"import sys; sys.path.insert(0, {str(lib.parent)!r})\n{script}", str(tmp_path)],
                              capture_output=True, text=True, check=False)  # fmt: skip
        assert said.stdout.strip() == here, (python, said.stderr)
    print(f"compared {len(versions)} versions")
