"""Fields of frozen objects and the keys of files that they stand for."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

from onceflow.errors import StudyError
from onceflow.kinds import is_list

__all__ = ["built", "frozen", "said", "shown"]


def said(part: Any) -> dict[str, Any]:
    """The fields that are not at their defaults, by their names in files; a list for each tuple."""
    found: dict[str, Any] = {}
    for own in dataclasses.fields(part):
        given = getattr(part, own.name)
        if own.default is not dataclasses.MISSING and given == own.default:
            continue
        key = own.metadata.get("key", own.name)
        found[key] = _plain(given)
    return found


def _plain(given: Any) -> Any:
    if is_list(given):
        return [_plain(part) for part in given]
    return given._table() if hasattr(given, "_table") else given


def frozen(given: Any) -> Any:
    """Lists as tuples, to any depth."""
    return tuple(frozen(part) for part in given) if is_list(given) else given


def shown(part: Any, positional: int) -> str:
    """Fields without their defaults, the first ones without their names."""
    own = {f.name: f for f in dataclasses.fields(part)}
    order = [name for name, f in own.items() if not f.kw_only]
    first = [repr(getattr(part, name)) for name in order[:positional]]
    rest = [name for name in own if name not in order[:positional]]
    said = [f"{name}={getattr(part, name)!r}" for name in rest if getattr(part, name) != own[name].default]
    return f"{type(part).__name__}({', '.join([*first, *said])})"


def built(kind: type[Any], fields: Mapping[str, Any], what: str) -> Any:
    """An object of the keys of a file."""
    names = {own.metadata.get("key", own.name): own.name for own in dataclasses.fields(kind)}
    unknown = [key for key in fields if key not in names]
    if unknown:
        raise StudyError.expected(f"{what} has an unknown key", ", ".join(names), ", ".join(unknown))
    try:
        return kind(**{names[key]: frozen(part) for key, part in fields.items()})
    except TypeError as error:
        raise StudyError.expected(f"{what} is not complete", ", ".join(names), str(error)) from error
