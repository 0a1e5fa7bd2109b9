"""Which parameters of an image workflow matter, and what are the best values?"""

from __future__ import annotations

from onceflow._core import __version__
from onceflow.errors import (
    Bug,
    CommandsNotAllowed,
    Diagnostic,
    Error,
    FailedRows,
    KeyRefused,
    MemoryTooSmall,
    Missing,
    SampleError,
    StudyError,
    TaskError,
)

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
    "__version__",
]
