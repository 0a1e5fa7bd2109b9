"""A file of lines that several processes append to, and that outlives them."""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import Any, cast

from onceflow.errors import StudyError

__all__ = ["Journal"]

_HEAD = b'{"onceflow"'


class Journal:
    """Lines of JSON, appended under a lock that other processes take too.

    Without ``fcntl`` (on Windows) there is no lock: there one process at a time may use a folder. Lines are given to the
    system at once and are not forced onto the disk, so that a power cut may lose the last ones.
    """

    def __init__(self, folder: Path, identity: dict[str, Any]) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._path = folder / "loop.jsonl"
        self._open()
        self._at = 0
        with self.locked():
            first = self._first_line()
            if first is None:
                self._file.truncate(0)  # The process that began it ended before anything was told.
                self.write(identity)
            elif first != identity:
                found = f"those of phase {first.get('phase')}, {first.get('size')} rows"
                expected = f"the rows of this loop, {identity['size']} of phase {identity['phase']}"
                hint = "choose another folder; rows are added by loop.extend, not by another size"
                raise StudyError.expected(f"{self._path} has other rows", expected, found, hint=hint)

    def _open(self) -> None:
        """Open the file; what a process inherits by a fork has the lock and the place of its parent."""
        self._file = self._path.open("a+b")
        self._process = os.getpid()
        self._depth = 0

    def _first_line(self) -> dict[str, Any] | None:
        self._file.seek(0)
        line = self._file.readline()
        if not line.endswith(b"\n") and _HEAD.startswith(line[: len(_HEAD)]):
            return None
        try:
            first = json.loads(line)
        except ValueError:
            first = None
        if not isinstance(first, dict) or "onceflow" not in first:
            what = f"{self._path} is no journal"
            raise StudyError.expected(
                what, "a first line with the phase", repr(line[:40]), hint="choose another folder"
            )
        self._at = len(line)
        return cast(dict[str, Any], first)

    @contextlib.contextmanager
    def locked(self) -> Generator[None]:
        """Hold the file alone."""
        if self._process != os.getpid():
            self._open()
        if self._depth == 0:
            _lock(self._file.fileno())
        self._depth += 1
        try:
            yield
        finally:
            self._depth -= 1
            if self._depth == 0:
                self._file.flush()
                _unlock(self._file.fileno())

    def read(self) -> Iterator[dict[str, Any]]:
        """Lines since the last call; one that was cut by the end of a process is left out."""
        if os.fstat(self._file.fileno()).st_size <= self._at:
            return
        self._file.seek(self._at)
        for line in self._file.read().splitlines(keepends=True):
            self._at += len(line)
            with contextlib.suppress(json.JSONDecodeError):
                yield json.loads(line)

    def write(self, line: dict[str, Any]) -> None:
        """Append a line of this process, which need not be read again."""
        text = json.dumps(line).encode() + b"\n"
        size = os.fstat(self._file.fileno()).st_size
        if size > 0 and size == self._at and self._is_cut(size):
            text = b"\n" + text
        self._file.write(text)
        self._file.flush()
        self._at += len(text)

    def _is_cut(self, size: int) -> bool:
        """Whether the file ends within a line, since a process ended while it wrote."""
        self._file.seek(size - 1)
        return self._file.read(1) != b"\n"


def _lock(file: int) -> None:
    if os.name == "posix":
        import fcntl

        fcntl.flock(file, fcntl.LOCK_EX)


def _unlock(file: int) -> None:
    if os.name == "posix":
        import fcntl

        fcntl.flock(file, fcntl.LOCK_UN)
