# pyright: basic
"""The key of a function: a digest of all that its results follow from, and the source that a worker is given of it.

What is digested is what runs: the function, the functions and classes of the user's own that it names, to any depth, with the
constants that they read, and the names and versions of packages. Everything else is refused.
"""

from __future__ import annotations

import ast
import copy
import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import onceflow.packages as packages
import onceflow.syntax as syntax
import onceflow.values as values
from onceflow.errors import Diagnostic, KeyRefused
from onceflow.homes import Code, Constant, Module, Package, Refused, code_of

__all__ = ["Digested", "digested", "key_of"]

_WHY = "results would be taken over although it had changed"
_TO_DO = (
    "pass a number as a parameter; name a file: @of.task(files=[\"model.pt\"]) and of.file(\"model.pt\"); "
    "or make it inside the function"
)  # fmt: skip
# With these a function reaches what its source does not name.
_ESCAPES = ("eval", "exec", "globals", "__import__")


@dataclass(frozen=True)
class Digested:
    """A function as a worker is given it.

    Attributes
    ----------
    key : str
        The digest.
    code : list of dict
        Functions and classes in the order in which they are made, the function itself last.
    uses : dict of str to str
        What the digest is of, by name: to say later what has changed.
    """

    key: str
    code: list[dict[str, Any]]
    uses: dict[str, str]


def key_of(function: Callable[..., Any], follow: tuple[str, ...] = ()) -> str:
    """The key of a function of this program."""
    try:
        code = code_of(function)
    except Refused as why:
        raise refusal(function.__name__, function.__name__, why) from None
    return digested(code, follow).key


def digested(code: Code, follow: tuple[str, ...] = (), setup: Code | None = None, *, early: bool = False) -> Digested:
    """The digest of a function, and of what is loaded once per worker.

    Parameters
    ----------
    early : bool
        Whether names that have no value yet are left out: while a file is still being run.

    Raises
    ------
    KeyRefused
        When it uses something that cannot be part of a key.
    """
    walk = _Walk(getattr(code.node, "name", "a function"), follow, early)
    try:
        if setup is not None:
            walk.visit(setup, is_task=False)
        walk.visit(code, is_task=True)
    except RecursionError:
        raise refusal(walk.task, walk.task, Refused("source that is nested too deeply")) from None
    whole = json.dumps([walk.texts[number] for number in range(len(walk.texts))], sort_keys=True)
    key = hashlib.sha256(f"onceflow python v1\n{whole}".encode()).hexdigest()
    return Digested(key, walk.pieces, dict(sorted(walk.uses.items())))


def refusal(task: str, name: str, why: Refused) -> KeyRefused:
    """The error about a name."""
    message = f"{task} uses `{name}`, {why}, which cannot be part of its key"
    error = KeyRefused.of(Diagnostic("error", message, why=_WHY, hint=why.to_do or _TO_DO))
    assert isinstance(error, KeyRefused)
    return error


class _Walk:
    """From a function to all that it names."""

    def __init__(self, task: str, follow: tuple[str, ...], early: bool) -> None:
        self.task, self.follow, self.early = task, follow, early
        self.numbers: dict[Any, int] = {}
        self.texts: dict[int, Any] = {}
        self.pieces: list[dict[str, Any]] = []
        self.uses: dict[str, str] = {}

    def visit(self, code: Code, *, is_task: bool = False) -> int:
        if code.identity in self.numbers:
            return self.numbers[code.identity]
        number = self.numbers[code.identity] = len(self.numbers)
        node = prepared(code, is_task=is_task)
        name = getattr(node, "name", None) or node.targets[0].id
        self._check_node(node)
        names = {name: self._reference(node, code.home, name) for name in self._names(node, code.home)}
        flat = {name: found for one in names.values() for name, found in one.items()}
        tree = syntax.text(copy.deepcopy(node))
        self.texts[number] = [tree, {name: text for name, (text, _) in flat.items()}]
        self.uses[name] = hashlib.sha256(tree.encode()).hexdigest()[:16]
        self.pieces.append(
            {"number": number, "name": name, "file": code.file, "source": code.source,
             "decorators": [ast.unparse(d) for d in getattr(node, "decorator_list", [])],
             "names": {name: reference for name, (_, reference) in flat.items()}}
        )  # fmt: skip
        return number

    def _names(self, node: ast.stmt, home: Any) -> list[str]:
        imported = {
            alias.asname or alias.name.split(".")[0]
            for inner in ast.walk(node)
            if isinstance(inner, (ast.Import, ast.ImportFrom))
            for alias in inner.names
        }
        return [n for n in syntax.used_names(node) if n not in imported and not self._is_built_in(n, home)]

    def _is_built_in(self, name: str, home: Any) -> bool:
        """Whether a name is Python's own: the user may have given it another meaning."""
        if name not in syntax.BUILTINS:
            return False
        try:
            return home.find(name) is None
        except Refused as why:
            raise refusal(self.task, name, why) from None

    def _check_node(self, node: ast.stmt) -> None:
        changed = syntax.changed_globals(node)
        if changed:
            raise refusal(self.task, changed[0], Refused("a global name that it changes", "give it back as a result"))
        for inner in ast.walk(node):
            if isinstance(inner, ast.Name) and inner.id in _ESCAPES:
                raise refusal(self.task, inner.id, Refused("which reaches what the source does not name"))
            if isinstance(inner, ast.Import):
                for alias in inner.names:
                    self._note(Package(alias.name))
            if isinstance(inner, ast.ImportFrom):
                self._note(Package(inner.module or ".", inner.names[0].name), inner.level > 0)

    def _note(self, package: Package, own: bool = False) -> str:
        """What a key says of a package."""
        if own:
            raise refusal(self.task, package.module, Refused("an import inside a function", "import it at the top"))
        try:
            said = packages.said(package.module, self.follow)
        except packages.NotInstalled:
            to_do = f"install {package.module.split('.')[0]}, or put its file beside and import it at the top"
            raise refusal(self.task, package.path, Refused("of a package that is not installed", to_do)) from None
        if not packages.is_standard(package.module):
            name, _, version = said.partition(" ")
            self.uses[name] = version
        return said

    def _reference(self, node: ast.stmt, home: Any, name: str) -> dict[str, tuple[Any, Any]]:
        """What a name refers to: for the key, and for the worker."""
        try:
            found = home.find(name)
            if found is None:
                if self.early:
                    return {}
                raise Refused("a name without a value", "bind it at the top of the file, or give it as an argument")
            if isinstance(found, Module):
                return self._attributes(node, found, name)
            return {name: self._reference_to(found, name)}
        except Refused as why:
            raise refusal(self.task, name, why) from None

    def _reference_to(self, found: Code | Constant | Package, name: str) -> tuple[Any, Any]:
        if isinstance(found, Code):
            number = self.visit(found)
            return ["code", number], ["code", number]
        if isinstance(found, Package):
            words = ["package", found.module, found.attribute, list(found.also)]
            return [*words, self._note(found)], words
        try:
            value = values.encode(found.value)
        except values.NotConstant as error:
            raise Refused(str(error)) from None
        self.uses[name] = hashlib.sha256(json.dumps(value).encode()).hexdigest()[:16]
        return ["value", value], ["value", value]

    def _attributes(self, node: ast.AST, module: Module, name: str) -> dict[str, tuple[Any, Any]]:
        """What is used of a module of the user's own."""
        attributes, bare = syntax.attributes_of(node, name)
        if bare:
            raise Refused("a module of your own", f"name what you need of it: {name}.function")
        found: dict[str, tuple[Any, Any]] = {}
        for attribute in sorted(attributes):
            inner = module.home.find(attribute)
            if isinstance(inner, Module):
                raise Refused(f"a module with the module {attribute}", f"from {name} import {attribute}")
            if inner is None:
                raise Refused(f"a module without {attribute}")
            found[f"{name}.{attribute}"] = self._reference_to(inner, f"{name}.{attribute}")
        return found


def prepared(code: Code, *, is_task: bool) -> Any:
    """The statement as it is digested and run: without the decorator of a task."""
    node: Any = copy.deepcopy(code.node)
    if is_task:
        node.decorator_list = [d for d in node.decorator_list if not is_task_decorator(d, code.home)]
    return plain(node)


def plain(node: Any) -> Any:
    """A statement without the annotations that nothing reads."""
    return _Plain().visit(node)


def is_task_decorator(node: ast.expr, home: Any) -> bool:
    """Whether a decorator is `of.task`."""
    named = node.func if isinstance(node, ast.Call) else node
    root, _, rest = ast.unparse(named).partition(".")
    try:
        found = home.find(root)
    except Refused:
        return False
    if isinstance(found, Package):
        found = found.of(rest) if rest else found
        return found.path.split(".")[0] == "onceflow" and found.path.split(".")[-1] == "task"
    return False


class _Plain(ast.NodeTransformer):
    """Takes annotations away where nothing reads them: of functions without decorators, and of their variables."""

    def _function(self, node: Any) -> Any:
        self.generic_visit(node)
        if node.decorator_list:
            return node
        node.returns = None
        given = node.args
        for argument in [*given.posonlyargs, *given.args, *given.kwonlyargs, given.vararg, given.kwarg]:
            if argument is not None:
                argument.annotation = None
        return node

    visit_FunctionDef = visit_AsyncFunctionDef = _function

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.ClassDef:
        # Annotations in the body of a class are its fields.
        for inner in node.body:
            if isinstance(inner, (ast.FunctionDef, ast.AsyncFunctionDef)):
                self.visit(inner)
        return node

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:
        self.generic_visit(node)
        if node.value is None:
            node.annotation = ast.copy_location(ast.Constant(0), node)
            return node
        return ast.copy_location(ast.Assign([node.target], node.value), node)
