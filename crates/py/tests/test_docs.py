"""Everything that the documentation shows runs: docstrings, and the pages for users of Python."""

from __future__ import annotations

import contextlib
import doctest
import importlib
import io
import pkgutil
import re
from pathlib import Path

import pytest

import onceflow

PAGES = Path(__file__).parents[3] / "docs" / "how-to"
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


@pytest.mark.parametrize("name", ["python.md"])
def test_pages(name: str) -> None:
    page = PAGES / name
    if not page.exists():
        pytest.skip(f"{page} is not there: the package was installed without its repository")
    names: dict[str, object] = {"__name__": "__main__"}
    printed = ""
    for kind, text, line in blocks(page):
        if kind == "python":
            out = io.StringIO()
            with contextlib.redirect_stdout(out):
                exec(compile("\n" * line + text, str(page), "exec"), names)
            printed = out.getvalue()
        elif kind == "text":
            assert doctest.OutputChecker().check_output(text, printed, FLAGS), (
                f"{page}:{line} shows\n{text}found\n{printed}"
            )
