"""The types of regions that a task takes and makes: arrays of NumPy, [y, x] or [y, x, colour]."""

from __future__ import annotations

from typing import Annotated, TypeAlias

import numpy as np
import numpy.typing as npt

__all__ = ["F32", "F64", "I32", "U16", "U8", "DTYPES", "Labels", "Mask", "Rgb", "TableRegion"]

Mask: TypeAlias = Annotated[npt.NDArray[np.bool_], "mask"]
U8: TypeAlias = Annotated[npt.NDArray[np.uint8], "u8"]
U16: TypeAlias = Annotated[npt.NDArray[np.uint16], "u16"]
Rgb: TypeAlias = Annotated[npt.NDArray[np.uint8], "rgb8"]
F32: TypeAlias = Annotated[npt.NDArray[np.float32], "f32"]
F64: TypeAlias = Annotated[npt.NDArray[np.float64], "f64"]
I32: TypeAlias = Annotated[npt.NDArray[np.int32], "i32"]
Labels: TypeAlias = Annotated[npt.NDArray[np.uint32], "labels"]
#: Columns by name, all of one length.
TableRegion: TypeAlias = dict[str, npt.NDArray[np.generic]]

#: The type of the values of each kind.
DTYPES: dict[str, np.dtype] = {
    "mask": np.dtype(np.bool_),
    "u8": np.dtype(np.uint8),
    "u16": np.dtype("<u2"),
    "rgb8": np.dtype(np.uint8),
    "f32": np.dtype("<f4"),
    "f64": np.dtype("<f8"),
    "i32": np.dtype("<i4"),
    "labels": np.dtype("<u4"),
}


def fitting(array: np.ndarray, kind: str) -> np.ndarray | None:
    """The array in a type from which the kind's own follows without loss; None when something would be lost."""
    wanted = DTYPES[kind]
    if array.dtype == wanted or (kind != "mask" and np.can_cast(array.dtype, wanted, "safe")):
        return array if array.dtype != np.bool_ or kind == "mask" else None
    is_number = array.dtype.kind in "iu" and wanted.kind in "iu" and wanted.itemsize > 1
    if is_number and (array.size == 0 or _within(array, np.iinfo(wanted))):
        return array
    return None


def _within(array: np.ndarray, limits: np.iinfo) -> bool:
    return bool(int(array.min()) >= limits.min and int(array.max()) <= limits.max)
