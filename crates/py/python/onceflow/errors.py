"""Errors, by what can be done about them: each text says what was expected, what was found, where, and what to do."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

__all__ = [
    "Bug",
    "CommandsNotAllowed",
    "Diagnostic",
    "Error",
    "FailedRows",
    "KeyRefused",
    "MemoryTooSmall",
    "Missing",
    "SampleError",
    "StudyError",
    "TaskError",
]


@dataclass(frozen=True)
class Diagnostic:
    """One message about a file or a value."""

    severity: str
    message: str
    expected: str | None = None
    found: str | None = None
    why: str | None = None
    hint: str | None = None
    file: str | None = None
    line: int | None = None
    column: int | None = None

    @property
    def place(self) -> str | None:
        """``file:line:column``, where the message has one."""
        if self.file is None:
            return None
        return self.file if self.line is None else f"{self.file}:{self.line}:{self.column}"

    @property
    def to_do(self) -> str | None:
        """What to do next."""
        return self.hint

    def __str__(self) -> str:
        lines = [
            ("where", self.place),
            ("expected", self.expected),
            ("found", self.found),
            ("because", self.why),
            ("to do", self.hint),
        ]
        said = [f"  {word:<9}  {text}" for word, text in lines if text is not None]
        return "\n".join([self.message, *said])


class Error(Exception):
    """The root of all errors of this package.

    Attributes
    ----------
    diagnostics : tuple of Diagnostic
        The messages, with their places.

    """

    diagnostics: tuple[Diagnostic, ...] = ()

    @classmethod
    def of(cls, *diagnostics: Diagnostic) -> Self:
        """Make an error of messages."""
        error = cls("\n".join(map(str, diagnostics)))
        error.diagnostics = diagnostics
        return error

    @classmethod
    def expected(cls, message: str, expected: object, found: object, hint: str | None = None) -> Self:
        """Make an error of what was expected, what was found, and what to do."""
        return cls.of(Diagnostic("error", message, str(expected), str(found), hint=hint))


class StudyError(Error, ValueError):
    """A study, a file or a value is wrong."""


class SampleError(Error, ValueError):
    """Rows cannot be made, or results do not fit them."""


class KeyRefused(Error, TypeError):
    """A function uses something that cannot be part of its key."""


class TaskError(Error):
    """A task failed.

    Attributes
    ----------
    row, image, task : int, str, str or None
        Which one, where it is known.
    log : Path or None
        What it printed, where that was kept.

    """

    row: int | None = None
    image: str | None = None
    task: str | None = None
    log: Path | None = None


class MemoryTooSmall(Error, MemoryError):
    """The bound of memory is too small for one task.

    Attributes
    ----------
    least : int or None
        The least bound that works, in bytes.

    """

    least: int | None = None


class CommandsNotAllowed(Error, PermissionError):
    """A study runs programs, and nothing allows it."""


class Missing(Error, OSError):
    """The machine lacks something: a program, a permission, a disk with space."""


class Bug(Error):
    """An error of this package, which should be reported."""


class FailedRows(UserWarning):
    """Some rows failed: they are no numbers, and the answer says how many there are."""


_CLASSES = {
    "study": StudyError,
    "sample": SampleError,
    "key": KeyRefused,
    "task": TaskError,
    "memory": MemoryTooSmall,
    "commands": CommandsNotAllowed,
    "missing": Missing,
    "bug": Bug,
}


def made(kind: str, messages: str, least: int | None = None) -> Error:
    """Make the error that compiled code asks for: its kind, and its messages as JSON."""
    found: list[dict[str, Any]] = json.loads(messages)
    if any(message.get("expected") == "--allow-commands" for message in found):
        kind = "commands"
        hint = "read them and their files, then pass allow_commands=True"
        found = [{**message, "expected": "allow_commands=True", "hint": hint} for message in found]
    error = _CLASSES[kind].of(*(Diagnostic(**message) for message in found))
    if isinstance(error, MemoryTooSmall):
        error.least = least
    return error
