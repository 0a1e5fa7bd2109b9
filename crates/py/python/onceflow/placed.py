"""Files of a workflow that is an object, in the folder of a run: whole, and put back where the run is refused."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Mapping
from pathlib import Path

from onceflow import _core
from onceflow.errors import StudyError

__all__ = ["Placed"]

_WRITTEN_FIRST = ("study.toml", "workflow.json", "commands.json", "journal.jsonl")
"""What the engine writes once it has accepted a folder."""


class Placed:
    """The files, written into ``.workflow`` of a folder; those of a run that goes on there are not touched.

    Attributes
    ----------
    folder : Path
        Where they are.

    """

    def __init__(self, run: Path, files: Mapping[str, bytes]) -> None:
        self.folder = run / ".workflow"
        self._run = run
        self._is_new = not run.exists()
        found = {self.folder / name: _content(self.folder / name) for name in files}
        wanted = {self.folder / name: content for name, content in files.items()}
        self._before = {path: content for path, content in found.items() if content != wanted[path]}
        if self._before and _core.is_running(str(run)):
            hint = "wait for its end, or choose another folder"
            raise StudyError.expected(f"another run is writing to {run}", "a folder of its own", "that run", hint=hint)
        self._accepted = self._stamps()
        for path in self._before:
            _write(path, wanted[path])

    def take_back(self) -> None:
        """Put back what stood there, unless the engine accepted the folder before it failed."""
        if self._stamps() != self._accepted:
            return
        for path, content in self._before.items():
            if content is None:
                path.unlink(missing_ok=True)
            else:
                _write(path, content)
        folders = {parent for path in self._before for parent in path.parents if parent.is_relative_to(self.folder)}
        for folder in [*sorted(folders, reverse=True), *([self._run] if self._is_new else [])]:
            with contextlib.suppress(OSError):  # One that is not empty stays.
                folder.rmdir()

    def _stamps(self) -> list[tuple[int, int] | None]:
        return [_stamp(self._run / name) for name in _WRITTEN_FIRST]


def _stamp(path: Path) -> tuple[int, int] | None:
    try:
        state = path.stat()
    except OSError:
        return None
    return state.st_mtime_ns, state.st_size


def _content(path: Path) -> bytes | None:
    return path.read_bytes() if path.is_file() else None


def _write(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    temporary.write_bytes(content)
    temporary.replace(path)
