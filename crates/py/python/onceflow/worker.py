# pyright: basic
"""A process that runs one function: it is given the source that was digested, and regions in shared memory.

Lines of JSON go in and come out. The first one holds the function, each other one a task.
"""

from __future__ import annotations

import ast
import faulthandler
import importlib
import json
import linecache
import mmap
import os
import sys
import traceback
import types
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

import onceflow.keys as keys
import onceflow.syntax as syntax
import onceflow.values as values
from onceflow.errors import Diagnostic, TaskError
from onceflow.here import Ended, Here, enter, give_files
from onceflow.regions import DTYPES, fitting

__all__ = ["Function", "main", "made"]

_MODULE = "onceflow_task"


def main(questions: BinaryIO) -> None:
    """Serves tasks until there are no more questions."""
    answers = _own_output()
    faulthandler.enable()
    function: Function | None = None
    memory = _Memory()
    for line in questions:
        asked = json.loads(line)
        try:
            if function is None:
                function = Function(asked)
                answer: dict[str, Any] = {"ok": True}
            else:
                answer = function.serve(asked, memory)
        except Ended as status:
            answer = {"ended": str(status)}
        except TaskError as error:
            answer = {"ok": False, "error": str(error)}
        except BaseException as error:  # a task that fails is an answer too, also one that calls sys.exit
            _print_own(error)
            answer = {"ok": False, "error": "".join(traceback.format_exception_only(error)).strip()}
        sys.stdout.flush()
        sys.stderr.flush()
        os.write(answers, json.dumps(answer).encode() + b"\n")


def _own_output() -> int:
    """A copy of standard output for answers. What tasks print goes to standard error, which is their log."""
    answers = os.dup(1)
    os.dup2(2, 1)
    sys.stdout = os.fdopen(1, "w", buffering=1, encoding="utf-8", errors="backslashreplace", closefd=False)
    return answers


def _print_own(error: BaseException) -> None:
    """Prints a traceback without the frames of this package."""
    inner = error.__traceback__
    while inner is not None and inner.tb_frame.f_globals.get("__name__", "").startswith("onceflow."):
        inner = inner.tb_next
    traceback.print_exception(error.with_traceback(inner))


class Function:
    """A function with what it takes and makes, and what was loaded for it."""

    def __init__(self, head: dict[str, Any]) -> None:
        give_files({name: Path(name).absolute() for name in head["files"]})
        bundle = json.loads(head["bundle"])
        objects = made(bundle["code"])
        self.name: str = bundle["code"][-1]["name"]
        self.function = objects[bundle["code"][-1]["number"]]
        self.bundle = bundle
        self.more = {}
        if bundle["setup"] is not None:
            self.more["setup"] = objects[bundle["setup"]]()

    def serve(self, asked: dict[str, Any], memory: _Memory) -> dict[str, Any]:
        """Runs it once, with regions in shared memory."""
        memory.open(asked["memory"], asked["bytes"])
        inputs = [memory.region(slot, write=False) for slot in asked["inputs"]]
        box = asked["box"]
        enter(Here(asked["row"], asked["image"], tuple(box) if box else None, int(asked["seed"], 16)))
        outputs = [slot if slot["kind"] == "table" else memory.region(slot, write=True) for slot in asked["outputs"]]
        return {"ok": True, "tables": self.run(inputs, asked["parameters"], asked["outputs"], outputs)}

    def run(self, inputs: list[Any], parameters: dict[str, Any], wanted: list[Any], outputs: list[Any]) -> list[Any]:
        """Calls the function, and puts its results where they belong; columns of tables are given back."""
        more = dict(self.more)
        if self.bundle["out"]:
            for output in outputs:
                output[...] = 0
            more["out"] = tuple(outputs) if self.bundle["several"] or len(outputs) > 1 else outputs[0]
        result = self.function(*inputs, **parameters, **more)
        if self.bundle["out"] and result is None:
            return [None] * len(outputs)
        results = list(result) if isinstance(result, (tuple, list)) and len(wanted) > 1 else [result]
        if len(results) != len(wanted):
            raise _wrong(f"{self.name} gave {len(results)} results", f"{len(wanted)}", f"{len(results)}")
        return [self._put(*each) for each in zip(results, wanted, outputs, strict=True)]

    def _put(self, result: Any, wanted: dict[str, Any], output: Any) -> Any:
        if wanted["kind"] == "table":
            return _columns(self.name, result)
        array = np.asarray(result)
        fits = fitting(array, wanted["kind"]) if array.shape == output.shape else None
        if fits is None:
            raise _wrong(f"{self.name} gave {array.dtype} {array.shape}", f"{output.dtype} {output.shape}", None)
        np.copyto(output, fits, casting="unsafe")
        return None


def _wrong(message: str, expected: str, found: str | None) -> TaskError:
    error = TaskError(f"{message}, expected {expected}")
    error.diagnostics = (Diagnostic("error", message, expected, found),)
    return error


def _columns(name: str, result: Any) -> list[Any]:
    """Columns of a table as JSON."""
    if not hasattr(result, "items"):
        raise _wrong(f"{name} gave {type(result).__name__}", "columns by name", None)
    columns = [(str(column), np.asarray(each)) for column, each in result.items()]
    lengths = {each.shape for _, each in columns}
    if len(lengths) > 1 or any(len(shape) != 1 for shape in lengths):
        raise _wrong(f"{name} gave columns of the shapes {sorted(lengths)}", "one length for all", None)
    kinds = {"i": "integer", "u": "integer", "b": "integer", "f": "real", "U": "text", "O": "text"}
    for column, each in columns:
        if each.dtype.kind not in kinds:
            raise _wrong(f"{name} gave {each.dtype} as `{column}`", "numbers or words", None)
    # Numbers that are not finite have no JSON.
    plain = {"integer": lambda v: int(v), "real": lambda v: repr(float(v)), "text": str}
    return [[c, kinds[e.dtype.kind], [plain[kinds[e.dtype.kind]](v) for v in e.tolist()]] for c, e in columns]


class _Memory:
    """Memory that is shared with the run: inputs are read-only, outputs are not."""

    def __init__(self) -> None:
        self._path, self._bytes = "", 0
        self._read: Any = None
        self._write: Any = None

    def open(self, path: str, size: int) -> None:
        if (path, size) == (self._path, self._bytes):
            return
        handle = os.open(path, os.O_RDWR)
        try:
            self._read = mmap.mmap(handle, size, access=mmap.ACCESS_READ)
            self._write = mmap.mmap(handle, size, access=mmap.ACCESS_WRITE)
        finally:
            os.close(handle)
        self._path, self._bytes = path, size

    def region(self, slot: dict[str, Any], *, write: bool) -> Any:
        """A view of a region."""
        if slot["kind"] == "table":
            return {name: _column(kind, each) for name, kind, each in slot["columns"]}
        shape = tuple(slot["shape"])
        return np.ndarray(shape, DTYPES[slot["kind"]], self._write if write else self._read, slot["at"])


def _column(kind: str, each: list[Any]) -> np.ndarray:
    if kind == "real":
        return np.array(list(map(float, each)), np.float64)
    return np.array(each, np.int64) if kind == "integer" else np.array(each, object)


def made(pieces: list[dict[str, Any]]) -> dict[int, Any]:
    """Makes functions and classes of their source. Each sees the names that were digested, and nothing else."""
    sys.modules.setdefault(_MODULE, types.ModuleType(_MODULE))
    objects: dict[int, Any] = {}
    spaces: list[tuple[dict[str, Any], dict[str, Any]]] = []
    for piece in pieces:
        space: dict[str, Any] = {"__name__": _MODULE}
        _fill(space, piece["names"], objects)
        exec(_compiled(piece), space)
        objects[piece["number"]] = space[piece["name"]]
        spaces.append((space, piece["names"]))
    # Functions that name each other are complete only now.
    for space, names in spaces:
        _fill(space, names, objects)
    return objects


def _compiled(piece: dict[str, Any]) -> types.CodeType:
    file, _, first = piece["file"].rpartition(":")
    tree = ast.parse(piece["source"])
    node: Any = syntax.without_docstrings(keys.plain(tree.body[0]))
    if hasattr(node, "decorator_list"):
        node.decorator_list = [d for d in node.decorator_list if ast.unparse(d) in piece["decorators"]]
    tree.body = [node]
    ast.increment_lineno(tree, int(first) - 1)
    lines = ["\n"] * (int(first) - 1) + piece["source"].splitlines(keepends=True)
    linecache.cache[file] = (len(lines), None, _merged(file, lines), file)
    return compile(tree, file, "exec")


def _merged(file: str, lines: list[str]) -> list[str]:
    """The lines of a file, where several pieces of it are known."""
    entry: Any = linecache.cache.get(file)
    known: list[str] = list(entry[2]) if entry else []
    longest = max(len(known), len(lines))
    pad = [(each + ["\n"] * longest)[:longest] for each in (known, lines)]
    return [new if new != "\n" else old for old, new in zip(*pad, strict=True)]


def _fill(space: dict[str, Any], names: dict[str, Any], objects: dict[int, Any]) -> None:
    for name, reference in names.items():
        if reference[0] == "code" and reference[1] not in objects:
            continue
        owner, _, attribute = name.rpartition(".")
        found = _value(reference, objects)
        if owner:
            setattr(space.setdefault(owner, types.ModuleType(owner)), attribute, found)
        else:
            space[name] = found


def _value(reference: list[Any], objects: dict[int, Any]) -> Any:
    kind, what, *rest = reference
    if kind == "code":
        return objects[what]
    if kind == "value":
        return values.decode(what)
    attribute, also = rest
    for module in also:
        importlib.import_module(module)
    found: Any = importlib.import_module(what)
    path = what
    for part in attribute.split(".") if attribute else []:
        path = f"{path}.{part}"
        found = getattr(found, part) if hasattr(found, part) else importlib.import_module(path)
    return found
