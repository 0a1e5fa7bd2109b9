"""Values as TOML, one key a line, and changes of a text that leave its comments where they are."""

from __future__ import annotations

import itertools
import json
import math
import re
import tomllib
from collections.abc import Mapping, Sequence
from typing import Any

from onceflow.kinds import is_list, is_mapping

__all__ = ["document", "edited", "value"]

_BARE = re.compile(r"[A-Za-z0-9_-]+")
_TOKEN = re.compile(
    r""""{3}(?:\\.|[^\\])*?"{3,5}(?!")|'{3}.*?'{3,5}(?!')|"(?:\\.|[^"\\\n])*"|'[^'\n]*'|#[^\n]*|[^"'#\[\]{}\n]+|.""",
    re.DOTALL,
)
"""A text, a comment, blanks and words, a bracket, or the end of a line."""
_FIRST = re.compile(r"""\s*(?:\[\[?\s*)?([A-Za-z0-9_-]+|"(?:\\.|[^"\\\n])*"|'[^'\n]*')""")


def value(given: Any) -> str:
    """One value as it stands behind a key."""
    if isinstance(given, bool):
        return "true" if given else "false"
    if isinstance(given, str):
        return _text(given)
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


def _text(given: str) -> str:
    # The one sign that JSON leaves as it is and TOML does not.
    return json.dumps(given, ensure_ascii=False).replace("\x7f", "\\u007f")


def _real(number: float) -> str:
    if not math.isfinite(number):
        raise ValueError(f"expected a finite number, found {number}")
    text = repr(number)
    return text[:-2] if text.endswith(".0") and abs(number) < 1e15 else text


def _key(name: str) -> str:
    return name if _BARE.fullmatch(name) else _text(name)


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
    sections = [_section(_key(key), part) for key, part in tables.items() if _is_section(part)]
    head = "".join(f"# {line}\n" for line in title.splitlines()) if title else ""
    return "\n".join([head + _lines(keys), *sections])


def edited(text: str, before: Mapping[str, Any], after: Mapping[str, Any]) -> str:
    """The text with what differs between two documents; everything else stays as it is, comments too.

    Where the text has a form that cannot be changed in part, the whole document is written anew.
    """
    changed = [key for key in {**before, **after} if before.get(key) != after.get(key)]
    head, blocks = _blocks(text)
    for key in changed:
        content = after.get(key)
        place = next((place for place, (name, _) in enumerate(blocks) if name == key), len(blocks))
        blocks = [(name, block) for name, block in blocks if name != key]
        is_key = content is not None and not _is_section(content)
        head = _with(head, f"{_key(key)} = {value(content)}", key) if is_key else _without(head, key)
        if _is_section(content):
            blocks.insert(min(place, len(blocks)), (key, _section(_key(key), content) + "\n"))
    result = "".join(["".join(head), *(block for _, block in blocks)])
    return result if _says(result, text, changed, after) else _title(text) + document(after)


def _says(result: str, text: str, changed: Sequence[str], after: Mapping[str, Any]) -> bool:
    """Whether an edited text has the new content under what changed, and the old one under everything else."""
    try:
        found, old = tomllib.loads(result), tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return False
    wanted = {key: part for key, part in old.items() if key not in changed}
    return found == wanted | {key: _plain(after[key]) for key in changed if key in after}


def _plain(given: Any) -> Any:
    """A value as it is read again."""
    if is_mapping(given):
        return {key: _plain(part) for key, part in given.items()}
    return [_plain(part) for part in given] if is_list(given) else given


def _title(text: str) -> str:
    """The comments at the beginning of a text."""
    return "".join(itertools.takewhile(lambda line: line.startswith("#"), text.splitlines(keepends=True)))


def _statements(text: str) -> list[str]:
    """Lines; a value that spans several lines is one of them."""
    statements, depth = [""], 0
    for token in _TOKEN.findall(text if text.endswith("\n") or not text else f"{text}\n"):
        statements[-1] += token
        depth += {"[": 1, "{": 1, "]": -1, "}": -1}.get(token, 0)
        if token == "\n" and depth <= 0:
            statements.append("")
    return [statement for statement in statements if statement]


def _first_key(statement: str) -> str | None:
    """The first part of the key or of the name of a table that a statement begins with."""
    found = _FIRST.match(statement)
    if found is None:
        return None
    word = found.group(1)
    return next(iter(tomllib.loads(f"{word} = 1")))


def _blocks(text: str) -> tuple[list[str], list[tuple[str, str]]]:
    """The statements before the first table, and the tables with the comments above them."""
    lines = _statements(text)
    starts = [_above(lines, place) for place, line in enumerate(lines) if line.lstrip().startswith("[")]
    ends = [*starts[1:], len(lines)] if starts else []
    blocks = [lines[start:end] for start, end in zip(starts, ends, strict=True)]
    return lines[: starts[0]] if starts else lines, [(_name(block), "".join(block)) for block in blocks]


def _above(lines: Sequence[str], place: int) -> int:
    """The first of the comments that stand directly above a line."""
    while place > 0 and lines[place - 1].lstrip().startswith("#"):
        place -= 1
    return place


def _name(block: Sequence[str]) -> str:
    head = next(line for line in block if line.lstrip().startswith("["))
    return _first_key(head) or ""


def _with(head: list[str], line: str, key: str) -> list[str]:
    """The statements with a key: in its place with its comment, or at the end."""
    own = [place for place, statement in enumerate(head) if _first_key(statement) == key]
    if not own:
        while head and not head[-1].strip():
            head = head[:-1]
        return [*head, f"{line}\n", "\n"]
    here = f"{line}{_comment(head[own[0]])}\n"
    return [*_without(head[: own[0]], key), here, *_without(head[own[0] + 1 :], key)]


def _without(head: list[str], key: str) -> list[str]:
    return [statement for statement in head if _first_key(statement) != key]


def _comment(statement: str) -> str:
    """The comment at the end of a statement, with the blanks before it."""
    *before, last = [token for token in _TOKEN.findall(statement) if token != "\n"]
    if not last.startswith("#"):
        return ""
    text = "".join(before)
    return " " * (len(text) - len(text.rstrip())) + last.rstrip()
