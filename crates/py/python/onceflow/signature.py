# pyright: basic
"""What a function takes, reads and makes, from its source: regions before the star, parameters after it."""

from __future__ import annotations

import ast
from typing import Any

import onceflow.values as values
from onceflow.homes import Code, Constant, Package, Refused
from onceflow.values import NotConstant

__all__ = ["KINDS", "SignatureError", "options_of", "signature_of"]

#: Kinds of regions by the names of their types.
KINDS = {
    "Mask": "mask",
    "U8": "u8",
    "U16": "u16",
    "Rgb": "rgb8",
    "F32": "f32",
    "F64": "f64",
    "I32": "i32",
    "Labels": "labels",
    "TableRegion": "table",
}
#: Keyword-only arguments that are no parameters: where the result is written, and what was loaded once per worker.
RESERVED = ("out", "setup")

_PARAMETERS = {"int": "integer", "float": "real", "str": "category"}


class SignatureError(Exception):
    """A function that cannot be a task: what is wrong, what was expected, and what was found."""

    def __init__(self, message: str, expected: str, found: str) -> None:
        super().__init__(message)
        self.expected, self.found = expected, found


def signature_of(code: Code) -> dict[str, Any]:
    """The signature, as JSON: `takes` and `makes` with their kinds (None where nothing says it), `reads` with their defaults."""
    node = code.node
    if not isinstance(node, ast.FunctionDef):
        raise SignatureError("it is no plain function", "def", type(node).__name__)
    given = node.args
    for more in (given.vararg, given.kwarg):
        if more is not None:
            raise SignatureError(f"`{node.name}` takes any number of arguments", "each with a name", f"*{more.arg}")
    takes = [[a.arg, kind_of(a.annotation)] for a in (*given.posonlyargs, *given.args)]
    reads = [
        _parameter(node.name, argument, default, code.home)
        for argument, default in zip(given.kwonlyargs, given.kw_defaults, strict=True)
        if argument.arg not in RESERVED
    ]
    names = [argument.arg for argument in given.kwonlyargs]
    makes, several = _makes(node.returns)
    return {"takes": takes, "reads": reads, "makes": makes, "several": several,
            "out": "out" in names, "setup": "setup" in names}  # fmt: skip


def _makes(node: ast.expr | None) -> tuple[list[str | None] | None, bool]:
    """The kinds of results, and whether they are a tuple."""
    if node is None:
        return None, False
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        node = ast.parse(node.value, mode="eval").body
    if isinstance(node, ast.Constant) and node.value is None:
        return None, False
    if isinstance(node, ast.Subscript) and ast.unparse(node.value).split(".")[-1].lower() == "tuple":
        inner = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        return [kind_of(item) for item in inner], True
    return [kind_of(node)], False


def kind_of(node: ast.expr | None) -> str | None:
    """The kind of a region, by the last name of its annotation: `of.Mask` is a mask."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return KINDS.get(node.value.split(".")[-1])
    return KINDS.get(ast.unparse(node).split(".")[-1]) if node is not None else None


def _parameter(task: str, argument: ast.arg, default: ast.expr | None, home: Any) -> list[Any]:
    """Name, kind and default of a parameter."""
    try:
        value = None if default is None else values.read(default, lambda name: _constant(home, name))
    except NotConstant as error:
        message = f"the default of `{argument.arg}` of {task}"
        raise SignatureError(message, "a number or a word", str(error)) from None
    annotated = ast.unparse(argument.annotation) if argument.annotation else type(value).__name__
    kind = _PARAMETERS.get(annotated.strip("'\""))
    if kind is None or isinstance(value, bool):
        raise SignatureError(f"the parameter `{argument.arg}` of {task}", "int, float or str", annotated)
    return [argument.arg, kind, value]


def _constant(home: Any, name: str) -> object:
    found = home.find(name)
    if isinstance(found, Constant):
        return found.value
    raise NotConstant("no constant")


def options_of(code: Code, decorator: ast.expr | None) -> dict[str, Any]:
    """What the decorator says, as JSON; `setup` is the code of a function."""
    if not isinstance(decorator, ast.Call):
        return {}
    found: dict[str, Any] = {}
    for word in decorator.keywords:
        if word.arg is None or decorator.args:
            raise SignatureError("what @of.task says", "options with their names", ast.unparse(decorator))
        found[word.arg] = _option(code, word.arg, word.value)
    return found


def _option(code: Code, name: str, node: ast.expr) -> Any:
    if name == "setup":
        setup = code.home.find(node.id) if isinstance(node, ast.Name) else None
        if not isinstance(setup, Code):
            raise SignatureError("`setup` of @of.task", "the name of a function of yours", ast.unparse(node))
        return setup
    try:
        if isinstance(node, ast.List):
            return [values.read(item, lambda name: _constant(code.home, name)) for item in node.elts]
        return values.read(node, lambda name: _constant(code.home, name))
    except (NotConstant, Refused) as error:
        raise SignatureError(f"`{name}` of @of.task", "a constant", str(error)) from None


def uses_here(pieces: list[dict[str, Any]]) -> bool:
    """Whether anything asks where it is, or for random numbers."""
    named = [words for piece in pieces for words in piece["names"].values() if words[0] == "package"]
    paths = {Package(words[1], words[2]).path for words in named}
    if "onceflow.here" in paths or "onceflow.here.here" in paths:
        return True
    if any("import onceflow" in piece["source"] or "from onceflow" in piece["source"] for piece in pieces):
        return True
    of = {name for piece in pieces for name, words in piece["names"].items() if words[:3] == ["package", "onceflow", None]}
    return any(f"{name}.here" in piece["source"] for piece in pieces for name in of)
