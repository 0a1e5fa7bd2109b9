"""What can be sampled: a problem of SALib, a file, or a study."""

from __future__ import annotations

import json
import os
from typing import Any

from onceflow import _core
from onceflow.errors import StudyError
from onceflow.kinds import is_array, is_mapping, is_path

__all__ = ["ProblemLike", "problem_of"]

ProblemLike = Any
"""A dictionary of SALib, the path of a study or of a problem, or a ``Study``."""


def problem_of(given: ProblemLike) -> _core.Problem:
    """Read a problem in any of its forms."""
    if isinstance(given, _core.Problem):
        return given
    if is_mapping(given):
        known = ("num_vars", "names", "bounds", "groups", "dists", "outputs")
        fields = {key: given[key] for key in known if given.get(key) is not None}
        return _core.Problem.of_salib(json.dumps(fields, default=_plain))
    if is_path(given):
        return _core.Problem.of_file(os.fspath(given))
    problem = getattr(given, "_problem", None)
    if problem is None:
        expected = "a dictionary of SALib, a path, or a Study"
        raise StudyError.expected("this is no problem", expected, type(given).__name__)
    return problem()


def _plain(value: object) -> object:
    """NumPy's numbers and arrays as those of Python."""
    if is_array(value):
        return value.tolist()
    raise TypeError(f"expected numbers and texts in a problem, found {type(value).__name__}")
