# pyright: basic
"""Where names of a function are looked up: in a file that is only read, or among the values of a running program."""

from __future__ import annotations

import ast
import functools
import inspect
import sys
import sysconfig
import textwrap
import types
from collections.abc import Hashable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import onceflow.packages as packages
import onceflow.syntax as syntax
import onceflow.values as values
from onceflow.values import NotConstant

__all__ = ["Code", "Constant", "FileHome", "LiveHome", "Module", "Package", "Refused", "code_of"]

# Longer files were not written by people.
_LONGEST = 4 << 20


class Refused(Exception):
    """Why a name cannot be part of a key: what it is, and what to do instead of what is always possible."""

    def __init__(self, what: str, to_do: str | None = None) -> None:
        super().__init__(what)
        self.to_do = to_do


@dataclass(frozen=True)
class Code:
    """A function or class of the user's own."""

    identity: Hashable
    node: ast.stmt = field(compare=False)
    home: Any = field(compare=False)
    file: str
    source: str = field(compare=False)


@dataclass(frozen=True)
class Constant:
    """A value that cannot change."""

    value: object


@dataclass(frozen=True)
class Package:
    """Something of an installed package: the module, what is taken of it, and modules that are loaded with it."""

    module: str
    attribute: str | None = None
    also: tuple[str, ...] = ()

    def of(self, attribute: str) -> Package:
        """An attribute of it."""
        return Package(self.module, f"{self.attribute}.{attribute}" if self.attribute else attribute, self.also)

    @property
    def path(self) -> str:
        """`scipy.ndimage.label`."""
        return f"{self.module}.{self.attribute}" if self.attribute else self.module


@dataclass(frozen=True)
class Module:
    """A module of the user's own."""

    home: Any


class FileHome:
    """The names at the top of a file, of which nothing is run. Other files of the user lie beside it, inside `root`."""

    def __init__(self, path: Path, root: Path, known: dict[Path, FileHome] | None = None) -> None:
        self.path, self.root = path, root
        self._known = {} if known is None else known
        self._known[path] = self
        self._found: dict[str, list[ast.stmt]] = {}
        self._text = _read(path)
        try:
            self._tree = ast.parse(self._text, str(path))
        except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
            line = getattr(error, "lineno", None)
            place = f" in line {line}" if line else ""
            raise Refused(f"a name of {path.name}, which cannot be read: {error.args[0]}{place}") from None
        self._star = False
        for statement in self._tree.body:
            self._star |= isinstance(statement, ast.ImportFrom) and statement.names[0].name == "*"
            for name in [] if isinstance(statement, ast.Expr) else syntax.bound_names(statement):
                self._found.setdefault(name, []).append(statement)

    def functions(self) -> list[str]:
        """The names of its functions."""
        return [node.name for node in self._tree.body if isinstance(node, ast.FunctionDef)]

    def find(self, name: str) -> Code | Constant | Package | Module | None:
        """What a name is; None when the file does not say.

        Raises
        ------
        Refused
            When it cannot be part of a key.
        """
        statements = self._found.get(name)
        if not statements:
            if self._star:
                raise Refused("a name that `from ... import *` may bind", "name it in the import")
            return None
        if all(isinstance(s, ast.Import) for s in statements):
            return self._imported(name, statements)
        if len(statements) > 1:
            lines = ", ".join(str(s.lineno) for s in statements)
            raise Refused(f"a name that lines {lines} of {self.path.name} bind", "bind it once")
        return self._bound(name, statements[0])

    def _bound(self, name: str, statement: ast.stmt) -> Code | Constant | Package | Module:
        if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            return self._code(statement)
        if isinstance(statement, ast.ImportFrom):
            return self._imported_from(name, statement)
        if isinstance(statement, (ast.Assign, ast.AnnAssign)) and statement.value is not None:
            targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
            if all(isinstance(target, ast.Name) for target in targets):
                return self._assigned(statement)
        what = f"a name that is not bound by a plain line at the top of {self.path.name}"
        raise Refused(what, f"write `{name} = ...` as a line of its own")

    def _code(self, statement: ast.stmt) -> Code:
        first = min([statement.lineno, *(d.lineno for d in getattr(statement, "decorator_list", []))])
        lines = self._text.splitlines(keepends=True)[first - 1 : statement.end_lineno]
        identity = (str(self.path), statement.lineno)
        return Code(identity, statement, self, f"{self.path}:{first}", "".join(lines))

    def _assigned(self, statement: Any) -> Code | Constant | Package:
        if isinstance(statement.value, ast.Lambda):
            return self._code(statement)
        found = self._attribute(statement.value) or self._same(statement.value)
        if found is not None:
            return found
        try:
            return Constant(values.read(statement.value, self._constant))
        except NotConstant as error:
            raise Refused(str(error)) from None

    def _same(self, node: ast.expr) -> Code | Constant | None:
        """`clean = tidy`, another name of a function, or a constant that a saved file holds as text."""
        if isinstance(node, ast.Name):
            named = self.find(node.id)
            return named if isinstance(named, Code) else None
        if isinstance(node, ast.Call) and len(node.args) == 1 and isinstance(node.args[0], ast.Constant):
            called = self._attribute(node.func)
            if called is not None and called.path in ("onceflow.constant", "onceflow.values.constant"):
                return Constant(values.Encoded(str(node.args[0].value)))
        return None

    def _attribute(self, node: ast.expr) -> Package | None:
        """`np.float32`: something of a package."""
        if isinstance(node, ast.Attribute):
            inner = self._attribute(node.value)
            return inner and inner.of(node.attr)
        found = self._found.get(node.id, [None])[0] if isinstance(node, ast.Name) else None
        if isinstance(node, ast.Name) and isinstance(found, (ast.Import, ast.ImportFrom)):
            named = self.find(node.id)
            return named if isinstance(named, Package) else None
        return None

    def _constant(self, name: str) -> object:
        found = self.find(name)
        if isinstance(found, Constant):
            return found.value
        raise NotConstant("an expression that is not a constant")

    def _imported(self, name: str, statements: list[Any]) -> Package | Module:
        aliases = [a for s in statements for a in s.names if (a.asname or a.name.split(".")[0]) == name]
        if len(aliases) > 1 and any(a.asname for a in aliases):
            raise Refused("a name that several imports bind", "import it once")
        alias = aliases[0]
        module = alias.name if alias.asname else alias.name.split(".")[0]
        own = self._own(module, self.path.parent)
        if own is not None:
            return Module(own)
        if alias.asname:
            return Package(module)
        return Package(module, also=tuple(sorted({a.name for a in aliases} - {module})))

    def _imported_from(self, name: str, statement: ast.ImportFrom) -> Code | Constant | Package | Module:
        alias = next(a for a in statement.names if (a.asname or a.name) == name)
        folder = self.path.parent
        for _ in range(statement.level - 1):
            folder = folder.parent
        module = statement.module or ""
        inside = f"{module}.{alias.name}" if module else alias.name
        own = self._own(module, folder) if module else None
        if own is not None:
            found = own.find(alias.name)
            if found is not None:
                return found
        inner = self._own(inside, folder)
        if inner is not None:
            return Module(inner)
        if own is not None or statement.level:
            raise Refused(f"a name that {module or 'this folder'} does not bind")
        return Package(module, alias.name)

    def _own(self, module: str, folder: Path) -> FileHome | None:
        base = folder.joinpath(*module.split("."))
        for path in (base.with_name(base.name + ".py"), base / "__init__.py"):
            if path.is_file():
                if not path.resolve().is_relative_to(self.root.resolve()):
                    raise Refused(f"a name of {path.name}, which is outside {self.root}", "put the file beside it")
                return self._known.get(path) or FileHome(path, self.root, self._known)
        return None


def _read(path: Path) -> str:
    if path.stat().st_size > _LONGEST:
        raise Refused(f"a name of {path.name}, which has more than {_LONGEST:,} bytes")
    try:
        with path.open("rb") as file:
            import tokenize

            encoding, _ = tokenize.detect_encoding(file.readline)
        return path.read_text(encoding)
    except (OSError, SyntaxError, UnicodeError, LookupError) as error:
        raise Refused(f"a name of {path.name}, which cannot be read: {error}") from None


class LiveHome:
    """The values of a running program, as a function of it sees them."""

    def __init__(self, names: dict[str, Any], function: types.FunctionType | None = None) -> None:
        self._names, self._closed = names, _closed(function) if function else {}

    def find(self, name: str) -> Code | Constant | Package | Module | None:
        """What a name is; None when there is no value of that name (yet)."""
        if name in self._closed:
            return _found(self._closed[name])
        if name not in self._names:
            return None
        value = self._names[name]
        return self._imported(name, value) or _found(value)

    def _imported(self, name: str, value: object) -> Package | None:
        """What the file says of the name, when it is still true: the same words as for the file alone."""
        file = self._names.get("__file__")
        if not isinstance(file, str) or not file.endswith(".py"):
            return None
        try:
            said = FileHome(Path(file), Path(file).parent).find(name)
        except (Refused, OSError):
            return None
        return said if isinstance(said, Package) and loaded(said) is value else None


def loaded(package: Package) -> object:
    """What a package holds now; None when it is not loaded."""
    found: object = sys.modules.get(package.module)
    for attribute in package.attribute.split(".") if package.attribute else []:
        found = getattr(found, attribute, None)
    return found


def _closed(function: types.FunctionType) -> dict[str, Any]:
    cells = zip(function.__code__.co_freevars, function.__closure__ or (), strict=True)
    found = {}
    for name, cell in cells:
        try:
            found[name] = cell.cell_contents
        except ValueError:  # it is bound later
            pass
    return found


def _found(value: Any) -> Code | Constant | Package | Module:
    if isinstance(value, types.ModuleType):
        return Module(LiveHome(vars(value))) if is_own(value.__name__) else Package(value.__name__)
    inner = inspect.unwrap(value) if callable(value) else value
    if isinstance(inner, (types.FunctionType, type)) and is_own(inner.__module__):
        return code_of(inner)
    try:
        return Constant(value) if values.encode(value) is value else Constant(value)
    except NotConstant as error:
        return _of_package(value, error)


def _of_package(value: Any, error: NotConstant) -> Package:
    name = getattr(value, "__qualname__", None) or getattr(value, "__name__", None)
    for module in (getattr(value, "__module__", None), "numpy", "scipy.special"):
        if isinstance(name, str) and isinstance(module, str) and not is_own(module):
            package = Package(module, name)
            if loaded(package) is value:
                return package
    raise Refused(str(error))


def is_own(module: str) -> bool:
    """Whether a module was written by the user: it is no part of Python, and not installed."""
    if module == "__main__":
        return True
    if packages.is_standard(module):
        return False
    file = getattr(sys.modules.get(module), "__file__", None)
    if file is None:
        return module not in sys.modules
    folders = {sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib")}
    path = Path(file)
    installed = any(path.is_relative_to(folder) for folder in folders) or "site-packages" in path.parts
    return not installed and "dist-packages" not in path.parts


def code_of(value: Any) -> Code:
    """The source of a function or class of the user's own."""
    try:
        lines, first = inspect.getsourcelines(value)
        source = textwrap.dedent("".join(lines))
        node = ast.parse(source).body[0]
    except (OSError, TypeError, SyntaxError, IndexError):
        word = "class" if isinstance(value, type) else "function"
        raise Refused(f"a {word} whose source cannot be found", "write it in a file or in a cell") from None
    if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)) and not _is_lambda(node):
        raise Refused("a function inside an expression", "give it a name with def")
    if not _is_source_of(node, value):
        raise Refused("whose file was changed after it was imported", "import it again: restart, or reload its module")
    first = max(first, 1)
    file = inspect.getsourcefile(value) or "<unknown>"
    if isinstance(value, type):
        home = LiveHome(vars(sys.modules[value.__module__]))
    else:
        home = LiveHome(value.__globals__, value)
    return Code(id(value), ast.increment_lineno(node, first - 1), home, f"{file}:{first}", source)


def _is_source_of(node: Any, value: Any) -> bool:
    """Whether a value was made of this source: its file may have been changed since."""
    if _is_lambda(node):
        return True
    if node.name != value.__name__:
        return False
    # Test runners rewrite assertions.
    if not isinstance(value, types.FunctionType) or any(isinstance(inner, ast.Assert) for inner in ast.walk(node)):
        return True
    code = value.__code__
    made = _codes("".join(inspect.findsource(value)[0]))
    found = made.get((code.co_name, code.co_firstlineno)) if made else None
    return made is None or (found is not None and _instructions(found) == _instructions(code))


@functools.lru_cache(maxsize=32)
def _codes(text: str) -> dict[tuple[str, int], types.CodeType] | None:
    """The functions of a file by name and line; None where its text alone cannot be compiled, as that of some cells."""
    try:
        waiting = [compile(text, "<source>", "exec", dont_inherit=True)]
    except (SyntaxError, ValueError):
        return None
    found = {}
    while waiting:
        code = waiting.pop()
        found[code.co_name, code.co_firstlineno] = code
        waiting += [inner for inner in code.co_consts if isinstance(inner, types.CodeType)]
    return found


def _instructions(code: types.CodeType) -> tuple[Any, ...]:
    """What code does, with that of inner functions, without its place."""
    constants = tuple(_instructions(c) if isinstance(c, types.CodeType) else repr(c) for c in code.co_consts)
    return code.co_code, code.co_names, code.co_varnames, constants


def _is_lambda(node: ast.stmt) -> bool:
    if not isinstance(node, ast.Assign) or len(node.targets) != 1:
        return False
    return isinstance(node.targets[0], ast.Name) and isinstance(node.value, ast.Lambda)
