"""What a value of any type is."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeGuard

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["is_array", "is_list", "is_mapping", "is_path"]


def is_mapping(given: object) -> TypeGuard[Mapping[str, Any]]:
    """Whether it has values by keys."""
    return isinstance(given, Mapping)


def is_list(given: object) -> TypeGuard[Sequence[Any]]:
    """Whether it is a list or a tuple."""
    return isinstance(given, list | tuple)


def is_array(given: object) -> TypeGuard[NDArray[Any]]:
    """Whether it is an array of NumPy, or one of its numbers."""
    return isinstance(given, np.ndarray | np.generic)


def is_path(given: object) -> TypeGuard[str | os.PathLike[str]]:
    """Whether it names a file."""
    return isinstance(given, str | os.PathLike)
