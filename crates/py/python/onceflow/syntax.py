# pyright: basic
"""Source as text that only says what it does: the same on every version of Python, without comments and places.

`ast.dump` differs between versions, so the text is written here. The other functions say which names a piece of source uses.
"""

from __future__ import annotations

import ast
import builtins
import symtable

__all__ = ["BUILTINS", "attributes_of", "bound_names", "changed_globals", "text", "used_names", "without_docstrings"]

# Fields that say nothing about what source does, or that some versions lack.
_SILENT = {"ctx", "type_comment", "type_ignores", "kind"}
_DOCUMENTED = (ast.Module, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
BUILTINS = {name for name in dir(builtins) if not name.startswith("__")} | {"__debug__", "__build_class__"}


def text(node: ast.AST) -> str:
    """A syntax tree as text."""
    return "".join(_words(without_docstrings(node)))


def without_docstrings(node: ast.AST) -> ast.AST:
    """The tree without its docstrings; it is changed in place."""
    for inner in ast.walk(node):
        if isinstance(inner, _DOCUMENTED) and inner.body and _is_text(inner.body[0]):
            inner.body = inner.body[1:] or [ast.copy_location(ast.Pass(), inner.body[0])]
    return node


def _is_text(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)


def _words(value: object):
    if isinstance(value, ast.JoinedStr):
        yield from ("JoinedStr(", *_words(_joined(value.values)), ")")
    elif isinstance(value, ast.Constant):
        yield constant(value.value)
    elif isinstance(value, ast.AST):
        yield type(value).__name__ + "("
        for name, field in ast.iter_fields(value):
            # Newer versions add fields: those that are empty say nothing.
            if name not in _SILENT and field is not None and field != []:
                yield name + "="
                yield from _words(field)
                yield ","
        yield ")"
    elif isinstance(value, list):
        yield "["
        for item in value:
            yield from _words(item)
            yield ","
        yield "]"
    else:
        yield constant(value)


def _joined(parts: list[ast.expr]) -> list[ast.expr]:
    """The parts of an f-string; versions cut its plain text in different ways."""
    merged: list[ast.expr] = []
    for part in parts:
        last = merged[-1] if merged else None
        if isinstance(part, ast.Constant) and isinstance(last, ast.Constant):
            merged[-1] = ast.Constant(str(last.value) + str(part.value))
        elif not (isinstance(part, ast.Constant) and part.value == ""):
            merged.append(part)
    return merged


def constant(value: object) -> str:
    """A constant as text; `repr` of text depends on the version's table of characters."""
    if isinstance(value, str):
        return "str:" + ascii(value)
    if isinstance(value, int) and not isinstance(value, bool):
        # Decimal digits of long numbers are limited.
        return f"int:{value:#x}"
    if isinstance(value, (float, complex)):
        return f"{type(value).__name__}:{value!r}"
    return f"{type(value).__name__}:{value!r}"


def _scopes(table: symtable.SymbolTable):
    yield table
    for child in table.get_children():
        yield from _scopes(child)


def _tables(node: ast.stmt) -> list[symtable.SymbolTable]:
    return list(_scopes(symtable.symtable(ast.unparse(node), "<task>", "exec")))


def used_names(node: ast.stmt) -> list[str]:
    """Names that a statement takes from around it, or that are built in: also in lambdas, classes and inner functions."""
    top, *inner = _tables(node)
    bound = {symbol.get_name() for symbol in top.get_symbols() if symbol.is_assigned() or symbol.is_imported()}
    used = {symbol.get_name() for symbol in top.get_symbols() if symbol.is_referenced()}
    for table in inner:
        used |= {symbol.get_name() for symbol in table.get_symbols() if symbol.is_global() and symbol.is_referenced()}
    # A function may call itself: its own name is no other thing.
    return sorted(used - bound)


def changed_globals(node: ast.stmt) -> list[str]:
    """Names outside itself that a statement's functions change."""
    found: set[str] = set()
    for table in _tables(node)[1:]:
        if table.get_type() in ("function", "class"):
            found |= {s.get_name() for s in table.get_symbols() if s.is_declared_global() and s.is_assigned()}
    return sorted(found)


def attributes_of(node: ast.AST, name: str) -> tuple[set[str], bool]:
    """The first attributes that are asked of a name, and whether it is used in any other way."""
    attributes: set[str] = set()
    owners: set[int] = set()
    for inner in ast.walk(node):
        if isinstance(inner, ast.Attribute) and isinstance(inner.value, ast.Name) and inner.value.id == name:
            attributes.add(inner.attr)
            owners.add(id(inner.value))
    bare = any(isinstance(i, ast.Name) and i.id == name and id(i) not in owners for i in ast.walk(node))
    return attributes, bare


def bound_names(node: ast.stmt) -> list[str]:
    """Names that a statement at the top of a file binds."""
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        return [node.name]
    if isinstance(node, (ast.Import, ast.ImportFrom)):
        return [alias.asname or alias.name.split(".")[0] for alias in node.names]
    top = _tables(node)[0]
    return [symbol.get_name() for symbol in top.get_symbols() if symbol.is_assigned() or symbol.is_imported()]
