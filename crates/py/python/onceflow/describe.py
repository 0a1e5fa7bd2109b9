# pyright: basic
"""Functions of files, described without running anything of them: signature, options, key, and the source for a worker."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any, BinaryIO

import onceflow.keys as keys
from onceflow.errors import Diagnostic, KeyRefused
from onceflow.homes import Code, FileHome, Refused
from onceflow.options import checked
from onceflow.signature import SignatureError, options_of, signature_of, uses_here

__all__ = ["answer", "described", "main"]


def main(questions: BinaryIO) -> None:
    """Answers one line of JSON with another: for each function what it is, or why it cannot be a task."""
    request = json.loads(questions.readline())
    root = Path(request["root"])
    known: dict[Path, FileHome] = {}
    answers = [answer(root, asked["file"], asked["function"], known) for asked in request["functions"]]
    sys.stdout.write(json.dumps({"interpreter": sys.executable, "functions": answers}) + "\n")


def answer(root: Path, file: str, function: str, known: dict[Path, FileHome]) -> dict[str, Any]:
    """What a function of a file is, or why it cannot be a task."""
    try:
        path = root / file
        home = known.get(path) or FileHome(path, root, known)
        code = home.find(function)
        if not isinstance(code, Code):
            expected = " or ".join(home.functions()[:6]) or "a function"
            raise SignatureError(f"{file} has no function `{function}`", expected, "none of that name")
        return described(code)
    except KeyRefused as error:
        return {"error": _words(error.diagnostics[0])}
    except SignatureError as error:
        return {"error": {"message": str(error), "expected": error.expected, "found": error.found}}
    except Refused as error:
        return {"error": {"message": f"`{function}` is {error}", "to_do": error.to_do}}
    except RecursionError:
        return {"error": {"message": f"{file} is nested too deeply"}}


def _words(diagnostic: Diagnostic) -> dict[str, Any]:
    return {"message": diagnostic.message, "why": diagnostic.why, "to_do": diagnostic.hint}


def described(code: Code, options: dict[str, Any] | None = None) -> dict[str, Any]:
    """A function, as JSON; options of its decorator unless they are given."""
    if options is None:
        decorators = getattr(code.node, "decorator_list", [])
        own = next((d for d in decorators if keys.is_task_decorator(d, code.home)), None)
        options = options_of(code, own)
    options = checked(options)
    setup, follow = options.pop("setup", None), tuple(options.pop("follow", ()))
    found = keys.digested(code, follow, setup)
    signature = signature_of(code)
    if signature["setup"] != (setup is not None):
        wanted = ["no `setup`", "an argument `setup` after the star, and setup=... of @of.task"]
        raise SignatureError("what is loaded once per worker", wanted[1], "one of both")
    # What is loaded once is visited first.
    bundle = {**signature, "code": found.code, "setup": None if setup is None else 0}
    return {"key": found.key, "uses": found.uses, "seeded": uses_here(found.code), "bundle": json.dumps(bundle),
            "options": options, **signature}  # fmt: skip
