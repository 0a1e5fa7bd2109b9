# pyright: basic
"""Constants as JSON and back: what a function reads besides its arguments, in its key and in its worker."""

from __future__ import annotations

import ast
import base64
import json
import sys
from dataclasses import dataclass
from typing import Any

__all__ = ["Encoded", "NotConstant", "constant", "decode", "encode", "read"]

# The most bytes of an array that is part of a key.
MOST_ARRAY = 1 << 20


class NotConstant(Exception):
    """A value that may change, or that has no text."""


@dataclass(frozen=True)
class Encoded:
    """A constant that is known as its words only."""

    words: str


def constant(words: str) -> object:
    """A constant that a saved file holds as text."""
    return decode(json.loads(words))


def encode(value: object) -> Any:
    """A constant as JSON: equal for equal values, on every machine.

    Raises
    ------
    NotConstant
        For everything that may change.
    """
    if value is None or isinstance(value, (bool, str)):
        return value
    if isinstance(value, Encoded):
        return json.loads(value.words)
    if type(value) is int:
        return ["int", hex(value)]
    if type(value) is float:
        return ["float", value.hex()]
    if type(value) is complex:
        return ["complex", value.real.hex(), value.imag.hex()]
    if type(value) is bytes:
        return ["bytes", base64.b64encode(value).decode()]
    if type(value) is tuple:
        return ["tuple", *map(encode, value)]
    if type(value) is frozenset:
        return ["frozenset", *sorted(map(encode, value), key=repr)]
    return _encode_array(value)


def _encode_array(value: object) -> Any:
    # Values of NumPy exist only where it is loaded.
    numpy = sys.modules.get("numpy")
    if numpy is not None and isinstance(value, (numpy.ndarray, numpy.generic)):
        if value.dtype.hasobject or type(value) is not numpy.ndarray and isinstance(value, numpy.ndarray):
            raise NotConstant(f"an array of {value.dtype}")
        if value.nbytes > MOST_ARRAY:
            raise NotConstant(f"an array of {value.nbytes:,} bytes, more than {MOST_ARRAY:,}")
        plain = numpy.ascontiguousarray(value, value.dtype.newbyteorder("<"))
        kind = "array" if isinstance(value, numpy.ndarray) else "number"
        words = [kind, plain.dtype.str, list(value.shape), base64.b64encode(plain.tobytes()).decode()]
        return words if plain.dtype.names is None else _refuse_fields()
    raise NotConstant(_article(type(value).__name__))


def _refuse_fields() -> Any:
    raise NotConstant("an array with fields")


def _article(name: str) -> str:
    return f"{'an' if name[:1].lower() in 'aeiou' else 'a'} {name}"


def decode(words: Any) -> object:
    """The constant again."""
    if not isinstance(words, list):
        return words
    kind, *rest = words
    if kind in ("array", "number"):
        import numpy

        dtype, shape, data = rest
        array = numpy.frombuffer(base64.b64decode(data), dtype).reshape(shape)
        return array if kind == "array" else array[()]
    return _DECODERS[kind](rest)


_DECODERS = {
    "int": lambda rest: int(rest[0], 16),
    "float": lambda rest: float.fromhex(rest[0]),
    "complex": lambda rest: complex(float.fromhex(rest[0]), float.fromhex(rest[1])),
    "bytes": lambda rest: base64.b64decode(rest[0]),
    "tuple": lambda rest: tuple(map(decode, rest)),
    "frozenset": lambda rest: frozenset(map(decode, rest)),
}

_SIGNS = {ast.USub: lambda a: -a, ast.UAdd: lambda a: +a, ast.Invert: lambda a: ~a}
_SUMS = {
    ast.Add: lambda a, b: a + b,
    ast.Sub: lambda a, b: a - b,
    ast.Mult: lambda a, b: a * b,
    ast.Div: lambda a, b: a / b,
    ast.FloorDiv: lambda a, b: a // b,
    ast.Mod: lambda a, b: a % b,
}
_WORDS = {ast.List: "a list", ast.Dict: "a dict", ast.Set: "a set", ast.ListComp: "a list", ast.DictComp: "a dict",
          ast.SetComp: "a set", ast.Lambda: "a function", ast.Call: "what a call gives"}  # fmt: skip
# Larger ones are no constants that people write.
_MOST = 1 << 256


def read(node: ast.expr, named: Any) -> object:
    """The value of a constant expression, without running anything: literals, tuples, arithmetic, and other constants.

    `named` gives the value of a name, or raises `NotConstant`.
    """
    if isinstance(node, ast.Constant) and node.value is not ...:
        return node.value
    if isinstance(node, ast.Tuple):
        return tuple(read(item, named) for item in node.elts)
    if isinstance(node, ast.Name):
        return named(node.id)
    if isinstance(node, ast.UnaryOp) and type(node.op) in _SIGNS:
        return _computed(_SIGNS[type(node.op)], read(node.operand, named))
    if isinstance(node, ast.BinOp) and type(node.op) in _SUMS:
        return _computed(_SUMS[type(node.op)], read(node.left, named), read(node.right, named))
    raise NotConstant(_WORDS.get(type(node), "an expression that is not a constant"))


def _computed(how: Any, *operands: object) -> object:
    if not all(isinstance(o, (int, float, complex)) and abs(o) < _MOST for o in operands):
        raise NotConstant("an expression that is not a constant")
    try:
        return how(*operands)
    except ArithmeticError as error:
        raise NotConstant(f"an expression that fails: {error}") from None
