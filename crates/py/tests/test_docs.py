"""Everything that the documentation shows runs: docstrings, and the pages for users of Python."""

from __future__ import annotations

import contextlib
import doctest
import importlib
import io
import pkgutil
import re
import subprocess
import sys
from pathlib import Path

import pytest

import onceflow

REPOSITORY = Path(__file__).parents[3]
MODULES = [name for _, name, _ in pkgutil.iter_modules(onceflow.__path__) if name not in ("__main__", "_core")]
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


@pytest.mark.parametrize("name", MODULES)
def test_docstrings(name: str) -> None:
    module = importlib.import_module(f"onceflow.{name}")
    found = doctest.testmod(module, optionflags=FLAGS)
    assert found.failed == 0


def blocks(page: Path) -> list[tuple[str, str, int]]:
    """Kind, text and line of each fenced block."""
    text = page.read_text(encoding="utf-8")
    found = re.finditer(r"^```(\w+)[^\n]*\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    return [(match[1], match[2], text.count("\n", 0, match.start()) + 1) for match in found]


@pytest.mark.parametrize("name", ["README.md", "docs/how-to/python.md"])
def test_pages(name: str) -> None:
    page = REPOSITORY / name
    if not page.exists():
        pytest.skip(f"{page} is not there: the package was installed without its repository")
    names: dict[str, object] = {"__name__": "__main__"}
    printed: str | None = None
    for kind, text, line in blocks(page):
        if kind == "python":
            out = io.StringIO()
            with contextlib.redirect_stdout(out):
                exec(compile("\n" * line + text, str(page), "exec"), names)
            printed = out.getvalue()
        elif kind == "text" and printed is not None:
            assert doctest.OutputChecker().check_output(text, printed, FLAGS), (
                f"{page}:{line} shows\n{text}found\n{printed}"
            )
            printed = None
        else:
            printed = None


def test_the_example_of_blocks() -> None:
    program = Path(__file__).parents[3] / "examples" / "memo" / "levels.py"
    if not program.exists():
        pytest.skip(f"{program} is not there")
    words = [["1", "2", "3", "4", "5"], ["1", "2", "3", "4", "5"], ["1", "2", "9", "4", "5"]]
    lines = [
        subprocess.run([sys.executable, program, "kept", *each], capture_output=True, text=True, check=True).stdout
        for each in words
    ]
    assert [line.split(",")[0] for line in lines] == [f"{n} of 5 levels computed" for n in (5, 0, 3)]
    assert lines[0].split(",", 1)[1] == lines[1].split(",", 1)[1] != lines[2].split(",", 1)[1]
