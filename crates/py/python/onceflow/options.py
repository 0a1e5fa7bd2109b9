# pyright: basic
"""What a function declares of itself with `@of.task`, or a descriptor for it."""

from __future__ import annotations

from typing import Any

from onceflow.signature import SignatureError

__all__ = ["OPTIONS", "checked"]

_SIZE = "a size such as \"600 MiB\", or a number of bytes"
_TIME = "a duration such as \"2 min\", or a number of seconds"
_REPEATS = ("exact", "close", "never")


def _is_text_or_number(value: Any) -> bool:
    return isinstance(value, str) or (_is_number(value) and value >= 0)


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _is_whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _are_words(value: object) -> bool:
    return isinstance(value, (list, tuple)) and all(isinstance(item, str) and item for item in value)


#: Each option with what it may be.
OPTIONS: dict[str, tuple[Any, str]] = {
    "halo": (lambda v: _is_whole(v) or v == "whole", "a number of pixels, or \"whole\""),
    "memory": (_is_text_or_number, _SIZE),
    "time": (_is_text_or_number, _TIME),
    "per_object": (lambda v: isinstance(v, str), "the name of an argument"),
    "per_tile": (lambda v: _is_whole(v) and v >= 16, "the side of a tile in pixels, 16 or more"),
    "repeats": (lambda v: v in _REPEATS, "\"exact\", \"close\" or \"never\""),
    "ends": (_are_words, "a list of words"),
    "files": (_are_words, "a list of names of files"),
    "follow": (_are_words, "a list of names of packages"),
    "device": (lambda v: v == "cpu", "\"cpu\": Python functions on \"gpu\" are not run yet"),
    "setup": (lambda v: v is not None, "a function"),
}


def checked(options: dict[str, Any]) -> dict[str, Any]:
    """Options without those that say nothing.

    Raises
    ------
    SignatureError
        When there is no such option, or it cannot have that value.
    """
    for name, value in options.items():
        if name not in OPTIONS:
            raise SignatureError(f"@of.task has no option `{name}`", ", ".join(OPTIONS), name)
        fits, expected = OPTIONS[name]
        if value is not None and not fits(value):
            raise SignatureError(f"`{name}` of @of.task", expected, repr(value))
    lists = ("ends", "files", "follow")
    said = {name: value for name, value in options.items() if value is not None}
    return {name: list(value) if name in lists else value for name, value in said.items()}
