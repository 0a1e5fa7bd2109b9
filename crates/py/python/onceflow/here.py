"""Where a task is, random numbers of its own, and its files: what a function may ask beside its arguments."""

from __future__ import annotations

import functools
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

__all__ = ["Ended", "Here", "file", "here"]


class Ended(Exception):
    """Raise it with one of the task's `ends` when there is nothing more to do on this part."""


@dataclass(frozen=True)
class Here:
    """Where a task is.

    Attributes
    ----------
    row : int or None
        The first row that asked for it; results are taken over for others, so it is for messages only.
    image : str or None
        The name of the image.
    box : tuple of int or None
        ``(x, y, width, height)`` of the part, with its halo, in the image.
    """

    row: int | None = None
    image: str | None = None
    box: tuple[int, int, int, int] | None = None
    seed: int = field(default=0, repr=False)

    @functools.cached_property
    def rng(self) -> Any:
        """A `numpy.random.Generator`, seeded by the key: equal inputs and parameters get equal numbers."""
        import numpy as np

        return np.random.default_rng(self.seed)


_OUTSIDE = Here()
_here = _OUTSIDE
_files: dict[str, Path] | None = None


def here() -> Here:
    """Where this task is; outside a run a place without a name, with the seed 0."""
    return _here


def file(name: str) -> Path:
    """The path of a file that the task declares with `files=[...]`.

    In a run it is a copy that no other program changes. Outside a run it is the file beside the function.
    """
    if _files is None:
        beside = sys._getframe(1).f_globals.get("__file__")
        return (Path(beside).parent if beside else Path()) / name
    if name not in _files:
        known = ", ".join(_files) or "none"
        raise KeyError(f"{name} is no file of this task: expected one of files=[...], which are {known}")
    return _files[name]


def enter(place: Here) -> None:
    """Says where the next task is."""
    global _here
    _here = place


def give_files(files: dict[str, Path]) -> None:
    """Says which files there are."""
    global _files
    _files = files
