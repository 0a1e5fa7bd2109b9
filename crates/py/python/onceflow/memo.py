"""Blocks of a program whose results are kept: computed once, taken again when their attributes are known."""

from __future__ import annotations

import atexit
import json
import os
import struct
import sys
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, cast

import numpy as np

from onceflow import _core
from onceflow.errors import KeyRefused
from onceflow.kinds import is_array, is_list, is_mapping, is_path

__all__ = ["Block", "memo"]

_STORES: dict[tuple[str | None, str, str], _core.MemoStore] = {}
_MAGIC = b"onceflow array 1\n"


class Block:
    """A block: ``block["name"] = value`` keeps a product, ``block["name"]`` is it, computed or kept.

    A product is the same in both cases: arrays are read-only, a tuple is a list.

    Attributes
    ----------
    known : bool
        Whether its products are kept, so that nothing need be computed.

    """

    def __init__(self, core: _core.MemoBlock) -> None:
        self._core = core
        self._products: dict[str, Any] = {}
        self.known = False

    def __enter__(self) -> Block:
        self.known = self._core.known()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is not None:
            self._core.abandon()
            return
        # A known block stays open: its products may be read after the `with`.
        if not self.known:
            self._core.end()

    def __setitem__(self, name: str, value: Any) -> None:
        data = encoded(name, value)
        # What is kept, not what was given: the block goes on with the same when it is known.
        self._products[name] = decoded(data)
        if not self.known:
            self._core.give(name, data)

    def __getitem__(self, name: str) -> Any:
        if name not in self._products:
            found = self._core.product(name)
            if found is None:
                raise KeyError(f"expected a product that the block was given, found `{name}`")
            self._products[name] = decoded(bytes(found))
        return self._products[name]


def memo(
    name: str,
    /,
    *,
    version: str | int = 1,
    files: Sequence[str | os.PathLike[str]] = (),
    store: str | os.PathLike[str] | None = None,
    program: str | None = None,
    **attributes: Any,
) -> Block:
    """Begin a block whose products are kept by its attributes.

    Parameters
    ----------
    name : str
        What the block computes.
    version : str or int
        Raise it when the code of the block changes: code is no part of the key.
    files : list of path
        Files that it reads; their content is part of the key.
    store : path, optional
        The folder of results; that of this user without it.
    program : str, optional
        Blocks of other programs are others; the name of the script without it.
    **attributes
        Everything else that decides the result: numbers, texts, bytes, arrays, and lists or mappings of them.

    Returns
    -------
    Block
        A context manager.

    Examples
    --------
    >>> import numpy as np, onceflow as of
    >>> image = np.arange(12.0).reshape(3, 4)
    >>> def smoothed(sigma):
    ...     with of.memo("smooth", image=image, sigma=sigma, store="kept", program="example") as block:
    ...         if not block.known:
    ...             block["result"] = image / sigma
    ...         return block.known, block["result"]
    >>> smoothed(2.0)[0], smoothed(2.0)[0]
    (False, True)
    >>> smoothed(2.0)[1].sum()
    np.float64(33.0)

    """
    given = [(key, encoded(key, value)) for key, value in attributes.items()]
    opened = _store(store, program or Path(sys.argv[0] or "python").name, str(version))
    return Block(opened.begin(name, given, [os.fspath(file) for file in files]))


def _store(folder: str | os.PathLike[str] | None, program: str, version: str) -> _core.MemoStore:
    place = None if folder is None else str(Path(folder).absolute())
    key = (place, program, version)
    if key not in _STORES:
        _STORES[key] = _core.MemoStore(place, program, version)
        if len(_STORES) == 1:
            atexit.register(flush)
    return _STORES[key]


def flush() -> None:
    """Wait until everything that ended is kept."""
    for store in _STORES.values():
        store.flush()


def encoded(name: str, value: Any) -> bytes:
    """A value as bytes that are equal on every machine: arrays with their type and shape, everything else as JSON."""
    if isinstance(value, bytes | bytearray):
        return b"b" + bytes(value)
    if is_array(value):
        array = np.ascontiguousarray(value)
        if array.dtype.hasobject or array.dtype.names is not None:
            raise _refused(name, f"an array of {array.dtype}")
        little = array.astype(array.dtype.newbyteorder("<"), copy=False)
        head = json.dumps([little.dtype.str, list(np.shape(value))]).encode()
        return b"a" + _MAGIC + struct.pack("<I", len(head)) + head + little.tobytes()
    return b"j" + json.dumps(_plain(name, value), sort_keys=True, allow_nan=True).encode()


def decoded(data: bytes) -> Any:
    """The value of bytes."""
    match data[:1]:
        case b"b":
            return data[1:]
        case b"a":
            start = 1 + len(_MAGIC) + 4
            (length,) = struct.unpack("<I", data[start - 4 : start])
            kind, shape = json.loads(data[start : start + length])
            return np.frombuffer(data, dtype=kind, offset=start + length).reshape(shape)
        case _:
            return json.loads(data[1:])


def _plain(name: str, value: Any) -> Any:
    """Numbers, texts, and lists and mappings of them; arrays inside as their bytes."""
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if is_mapping(value):
        other = [key for key in value if not isinstance(cast(object, key), str)]
        if other:
            raise _refused(name, f"a mapping with the key {other[0]!r}, which is no text")
        return {key: _plain(name, part) for key, part in value.items()}
    if is_list(value):
        return [_plain(name, part) for part in value]
    if is_path(value):
        return os.fspath(value)
    if isinstance(value, np.bool_ | np.integer | np.floating):
        return cast(Any, value).item()
    raise _refused(name, type(value).__name__)


def _refused(name: str, found: str) -> KeyRefused:
    expected = "numbers, texts, bytes, arrays of numbers, or lists and mappings of them"
    hint = "give what decides the result: its numbers, or the files it was read from by files="
    return KeyRefused.expected(f"`{name}` cannot be kept and cannot identify", expected, found, hint=hint)
