"""The names of the package that need no compiled code: what a worker of `onceflow run` knows as `onceflow`."""

from __future__ import annotations

from onceflow.errors import Error, KeyRefused, TaskError
from onceflow.here import Ended, Here, file, here
from onceflow.regions import F32, F64, I32, U8, U16, Labels, Mask, Rgb, TableRegion
from onceflow.task import task
from onceflow.values import constant

__all__ = ["F32", "F64", "I32", "U16", "U8", "Ended", "Error", "Here", "KeyRefused", "Labels", "Mask", "Rgb",
           "TableRegion", "TaskError", "constant", "file", "here", "task"]  # fmt: skip
