# pyright: basic
"""Functions as files beside a descriptor: as they stand in a file, or as they were digested."""

from __future__ import annotations

import ast
import json
import math
import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import onceflow.describe as describe
import onceflow.values as values
from onceflow.errors import StudyError
from onceflow.homes import code_of
from onceflow.task import describe_task, options_of_task

__all__ = ["operation", "write"]


def operation(function: Callable[..., Any], folder: Path | None, files: dict[str, bytes]) -> dict[str, Any]:
    """The operation of a function in a descriptor in a folder; files that it needs beside it are added to `files`."""
    name = function.__name__
    file, _, _ = code_of(function).file.rpartition(":")
    inside = folder is not None and Path(file).is_file() and Path(file).resolve().is_relative_to(folder.resolve())
    if folder is not None and inside and _key_of(Path(file), name) == describe_task(function)["key"]:
        return {"python": f"{Path(file).resolve().relative_to(folder.resolve()).as_posix()}:{name}"}
    path = f"steps/{name}.py"
    text = digested_file(function)
    if files.setdefault(path, text.encode()) != text.encode():
        raise StudyError.expected(f"two functions are called {name}", "one of a name", path, "give one of them another name")
    for each in options_of_task(function).get("files") or []:
        beside = Path(file).parent / each
        if not beside.is_file():
            raise StudyError.expected(f"{name} declares the file {each}", f"a file {beside}", "none")
        files[each] = beside.read_bytes()
    return {"python": f"{path}:{name}"}


def _key_of(path: Path, name: str) -> str | None:
    """The key of a function as its file alone says it."""
    return describe.answer(path.parent, path.name, name, {}).get("key")


def digested_file(function: Callable[..., Any]) -> str:
    """A file with what was digested of a function, and nothing else."""
    said = describe_task(function)
    bundle = json.loads(said["bundle"])
    by_number = {piece["number"]: piece for piece in bundle["code"]}
    heads: dict[str, str] = {}
    for piece in bundle["code"]:
        for name, reference in piece["names"].items():
            line = _line(name, reference, by_number)
            if heads.setdefault(name, line) != line or "." in name:
                to_do = "from module import name, each under its own name"
                raise StudyError.expected(f"{function.__name__} uses two things as `{name}`", "one", name, to_do)
    options = {n: v for n, v in options_of_task(function).items() if v is not None and n != "setup"}
    words = [f"{name}={value!r}" for name, value in options.items()]
    words += [f"setup={by_number[bundle['setup']]['name']}"] if bundle["setup"] is not None else []
    bodies = [_body(piece) for piece in bundle["code"]]
    bodies[-1] = f"@_onceflow.task({', '.join(words)})\n{bodies[-1]}"
    imports = [line for line in heads.values() if line.startswith(("import ", "from "))]
    constants = [line for line in heads.values() if line not in imports and line]
    aliases = [line for line in constants if line.endswith("  # a function")]
    constants = [line for line in constants if line not in aliases]
    parts = ["import onceflow as _onceflow", *sorted(imports), "", *constants, "", "\n\n\n".join(bodies), *aliases]
    return "\n".join(parts) + "\n"


def _line(name: str, reference: list[Any], pieces: dict[int, Any]) -> str:
    """The line that binds a name."""
    kind, what, *rest = reference
    if kind == "code":
        own = pieces[what]["name"]
        return "" if own == name else f"{name} = {own}  # a function"
    if kind == "value":
        return f"{name} = {_literal(what)}"
    attribute, also = rest
    if attribute is None:
        plain = f"import {what}" if what == name else f"import {what} as {name}"
        return "\n".join([*(f"import {module}" for module in also), *([] if also and what == name else [plain])])
    inner, _, last = attribute.rpartition(".")
    return f"from {what}{'.' + inner if inner else ''} import {last}{'' if last == name else f' as {name}'}"


def _literal(words: Any) -> str:
    """A constant as source."""
    if isinstance(words, list) and words[0] in ("array", "number"):
        return f"_onceflow.constant({json.dumps(words)!r})"
    if isinstance(words, list) and words[0] == "tuple":
        return "(" + "".join(f"{_literal(each)}, " for each in words[1:]) + ")"
    value = values.decode(words)
    if isinstance(value, (complex, frozenset)) or (isinstance(value, float) and not math.isfinite(value)):
        return f"_onceflow.constant({json.dumps(words)!r})"
    return repr(value)


def _body(piece: dict[str, Any]) -> str:
    """The source of a function without the decorators that are not its own."""
    tree = ast.parse(piece["source"])
    node: Any = tree.body[0]
    lines = piece["source"].rstrip("\n").split("\n")
    decorators = getattr(node, "decorator_list", [])
    if decorators:
        kept = [f"@{text}" for text in piece["decorators"]]
        lines = [*kept, *lines[node.lineno - 1 :]]
    return "\n".join(lines)


def write(path: Path, content: bytes, *, force: bool) -> None:
    """Write a file whole or not at all; one that is there with another content stays, unless `force`."""
    if path.is_file() and not force and path.read_bytes() != content:
        raise StudyError.expected(f"{path} exists", "no file, or one with the same content", "another content", "force=True replaces it")
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=".onceflow-")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
