"""Values as TOML, one key a line, and changes of a text that leave its comments where they are."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping, Sequence
from typing import Any

from onceflow.kinds import is_list, is_mapping

__all__ = ["document", "edited", "value"]

_BARE = re.compile(r"[A-Za-z0-9_-]+")
_HEAD = re.compile(r"^\s*\[\[?\s*([A-Za-z0-9_-]+)\s*\]\]?")


def value(given: Any) -> str:
    """One value as it stands behind a key."""
    if isinstance(given, bool):
        return "true" if given else "false"
    if isinstance(given, str):
        return json.dumps(given, ensure_ascii=False)
    if isinstance(given, float):
        return _real(given)
    if isinstance(given, int):
        return str(given)
    if is_mapping(given):
        pairs = ", ".join(f"{_key(key)} = {value(part)}" for key, part in given.items())
        return f"{{ {pairs} }}"
    if is_list(given):
        return f"[{', '.join(map(value, given))}]"
    raise TypeError(f"expected a number, a text, a list or a mapping, found {type(given).__name__}")


def _real(number: float) -> str:
    if not math.isfinite(number):
        raise ValueError(f"expected a finite number, found {number}")
    text = repr(number)
    return text[:-2] if text.endswith(".0") and abs(number) < 1e15 else text


def _key(name: str) -> str:
    return name if _BARE.fullmatch(name) else json.dumps(name, ensure_ascii=False)


def _lines(table: Mapping[str, Any]) -> str:
    return "".join(f"{_key(key)} = {value(part)}\n" for key, part in table.items())


def _section(name: str, content: Any) -> str:
    """A table, or one for each entry of a list."""
    if is_mapping(content):
        return f"[{name}]\n{_lines(content)}"
    return "\n".join(f"[[{name}]]\n{_lines(entry)}" for entry in content)


def _is_section(content: Any) -> bool:
    if is_mapping(content):
        return True
    return is_list(content) and bool(content) and all(is_mapping(part) for part in content)


def document(tables: Mapping[str, Any], title: str | None = None) -> str:
    """A whole document: keys first, then its tables."""
    keys = {key: part for key, part in tables.items() if not _is_section(part)}
    sections = [_section(key, part) for key, part in tables.items() if _is_section(part)]
    head = "".join(f"# {line}\n" for line in title.splitlines()) if title else ""
    return "\n".join([head + _lines(keys), *sections])


def edited(text: str, before: Mapping[str, Any], after: Mapping[str, Any]) -> str:
    """The text with what differs between two documents; everything else stays as it is, comments too."""
    changed = [key for key in {**before, **after} if before.get(key) != after.get(key)]
    head, blocks = _blocks(text)
    for key in changed:
        content = after.get(key)
        place = next((place for place, (name, _) in enumerate(blocks) if name == key), len(blocks))
        blocks = [(name, block) for name, block in blocks if name != key]
        head = _without(head, key) if _is_section(content) or content is None else _with(head, key, content)
        if _is_section(content):
            blocks.insert(min(place, len(blocks)), (key, _section(key, content) + "\n"))
    return head + "".join(block for _, block in blocks)


def _blocks(text: str) -> tuple[str, list[tuple[str, str]]]:
    """What stands before the first table, and the tables with the comments above them."""
    lines = text.splitlines(keepends=True)
    starts = [place for place, line in enumerate(lines) if _HEAD.match(line)]
    starts = [_above(lines, place) for place in starts]
    ends = [*starts[1:], len(lines)]
    head = "".join(lines[: starts[0]] if starts else lines)
    return head, [(_name(lines[start:end]), "".join(lines[start:end])) for start, end in zip(starts, ends, strict=True)]


def _above(lines: Sequence[str], place: int) -> int:
    """The first of the comments that stand directly above a line."""
    while place > 0 and lines[place - 1].lstrip().startswith("#"):
        place -= 1
    return place


def _name(lines: Sequence[str]) -> str:
    found = (match for match in map(_HEAD.match, lines) if match)
    return next(found).group(1)


def _line_of(key: str) -> re.Pattern[str]:
    return re.compile(rf"^{re.escape(key)}\s*=.*$", re.MULTILINE)


def _with(head: str, key: str, content: Any) -> str:
    line = f"{_key(key)} = {value(content)}"
    if _line_of(key).search(head) is None:
        return f"{head.rstrip()}\n{line}\n\n"
    return _line_of(key).sub(lambda found: line + _comment(found.group()), head, count=1)


def _without(head: str, key: str) -> str:
    return re.sub(rf"^{re.escape(key)}\s*=.*\n?", "", head, flags=re.MULTILINE)


def _comment(line: str) -> str:
    """The comment at the end of a line, with the blanks before it."""
    quoted = ""
    for place, letter in enumerate(line):
        if quoted:
            quoted = "" if letter == quoted else quoted
        elif letter in "\"'":
            quoted = letter
        elif letter == "#":
            blanks = len(line[:place]) - len(line[:place].rstrip())
            return " " * blanks + line[place:].rstrip()
    return ""
