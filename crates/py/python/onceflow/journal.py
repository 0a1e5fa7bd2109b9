"""A file of lines that several processes append to, and that outlives them."""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import Any

from onceflow.errors import StudyError

__all__ = ["Journal"]


class Journal:
    """Lines of JSON, appended under a lock that other processes take too."""

    def __init__(self, folder: Path, identity: dict[str, Any]) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._path = folder / "loop.jsonl"
        self._file = self._path.open("a+b")
        self._at = 0
        self._depth = 0
        with self.locked():
            first = self._first_line()
            if first is None:
                self.write(identity)
            elif first != identity:
                found = f"those of phase {first.get('phase')}"
                raise StudyError.expected(
                    f"{self._path} has other rows", "the rows of this loop", found, hint="choose another folder"
                )
            else:
                self._at = len(json.dumps(identity)) + 1

    def _first_line(self) -> dict[str, Any] | None:
        self._file.seek(0)
        line = self._file.readline()
        return json.loads(line) if line.endswith(b"\n") else None

    @contextlib.contextmanager
    def locked(self) -> Generator[None]:
        """Hold the file alone."""
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
        return os.pread(self._file.fileno(), 1, size - 1) != b"\n"


def _lock(file: int) -> None:
    if os.name == "posix":
        import fcntl

        fcntl.flock(file, fcntl.LOCK_EX)


def _unlock(file: int) -> None:
    if os.name == "posix":
        import fcntl

        fcntl.flock(file, fcntl.LOCK_UN)
