"""Images as arrays, and the kernels alone: nuclei found, measured and compared."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

import numpy as np

from onceflow import _core
from onceflow.errors import StudyError
from onceflow.table import Table

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

__all__ = ["Picture", "compare", "features", "image", "segment", "synth"]

Box = tuple[int, int, int, int]
LIMIT = 1 << 30
"""Arrays of more bytes are made only where a box asks for them."""


class Picture:
    """An image that is open: what :func:`image` gives.

    Attributes
    ----------
    width, height : int
        In pixels.
    channels : int
        Values of a pixel: 1 or 3.
    um_per_pixel : float or None
        Its resolution, where the file says it.
    scales : list of tuple
        Width, height and downsampling of each scale.

    """

    def __init__(self, core: _core.Image, name: str) -> None:
        self._core = core
        self._name = name
        self.width, self.height = core.size
        self.channels = core.channels
        self.um_per_pixel = core.um_per_pixel
        self.scales = core.scales
        self.format = core.format

    def __repr__(self) -> str:
        resolution = "" if self.um_per_pixel is None else f", {self.um_per_pixel:g} um per pixel"
        return f"<Picture {self._name}: {self.width:,} x {self.height:,} pixels{resolution}>"

    def read(self, box: Box | None = None, *, scale: int = 0, um_per_pixel: float | None = None) -> NDArray[Any]:
        """Read pixels.

        Parameters
        ----------
        box : tuple of int, optional
            ``(x, y, width, height)`` in pixels of the scale or resolution that is read; all of it without a box.
        scale : int
            Which scale of the pyramid.
        um_per_pixel : float, optional
            A resolution, in place of a scale.

        Returns
        -------
        ndarray
            ``[y, x]`` or ``[y, x, channel]``, read-only.

        """
        if um_per_pixel is not None:
            return self._core.read_at(box, um_per_pixel)
        if box is None:
            width, height, _ = self.scales[scale] if 0 <= scale < len(self.scales) else (0, 0, 1.0)
            refuse_large(self._name, width * height * self.channels)
        return self._core.read(box, scale)


def refuse_large(name: str, size: int) -> None:
    """Refuse an array that nothing asked for by a box."""
    if size > LIMIT:
        found = f"{size / LIMIT:.1f} GiB"
        raise StudyError.expected(
            f"{name} is too large for one array", "a box", found, hint="box=(x, y, width, height)"
        )


def image(path: str | os.PathLike[str]) -> Picture:
    """Open an image: PNG, JPEG, TIFF, OME-Zarr, slides of scanners, or ``synth:4096x4096?seed=7``.

    Examples
    --------
    >>> import onceflow as of
    >>> tissue = of.image("synth:200x100?seed=3")
    >>> tissue.read((10, 20, 64, 32)).shape
    (32, 64, 3)

    """
    name = os.fspath(path)
    return Picture(_core.Image(name, False), name)


def synth(width: int, height: int, seed: int = 0) -> tuple[NDArray[np.uint8], NDArray[np.uint32]]:
    """Paint synthetic tissue.

    Returns
    -------
    image : ndarray of uint8, shape (height, width, 3)
    truth : ndarray of uint32, shape (height, width)
        The number of each nucleus, 0 outside.

    Examples
    --------
    >>> import onceflow as of
    >>> rgb, truth = of.synth(120, 80, seed=7)
    >>> rgb.shape, truth.shape
    ((80, 120, 3), (80, 120))

    """
    painted, truth = _core.paint_tissue(width, height, seed)
    labels = truth.astype(np.uint32)
    labels.setflags(write=False)
    return painted, labels


def segment(rgb: ArrayLike, *, normalize: bool = True, **parameters: Any) -> NDArray[np.uint32]:
    """Find nuclei in an image of H&E stained tissue.

    Parameters
    ----------
    rgb : array of uint8, shape (height, width, 3)
        The image.
    normalize : bool
        Whether its colours are normalized first.
    **parameters
        Those of the workflow ``nuclei``: ``G1=40``, ``minSize=8``.

    Returns
    -------
    ndarray of uint32
        The number of each nucleus, 0 outside. All 0 where nothing was found.

    Examples
    --------
    >>> import onceflow as of
    >>> rgb, truth = of.synth(256, 256, seed=3)
    >>> labels = of.segment(rgb, G1=60)
    >>> labels.shape, bool(labels.max() > 0)
    ((256, 256), True)

    """
    _, labels = _core.segment_array(_rgb(rgb), list(parameters.items()), normalize)
    return labels


def features(rgb: ArrayLike, labels: ArrayLike | None = None, *, normalize: bool = True, **parameters: Any) -> Table:
    """Measure nuclei: one line for each.

    Parameters
    ----------
    rgb : array of uint8, shape (height, width, 3)
        The image.
    labels : array, optional
        The nuclei: numbers, or a mask. They are found with `parameters` where it is left out.
    normalize : bool
        Whether colours are normalized first.
    **parameters
        Those of the workflow ``nuclei``, where nuclei are found.

    Returns
    -------
    Table

    Examples
    --------
    >>> import onceflow as of
    >>> rgb, truth = of.synth(256, 256, seed=3)
    >>> table = of.features(rgb, truth)
    >>> len(table) > 10, "area" in table
    (True, True)

    """
    drawn = None if labels is None else _objects(labels)
    text = _core.measure_array(_rgb(rgb), drawn, list(parameters.items()), normalize)
    return Table(_core.Table.of_csv(text))


def compare(found: ArrayLike, truth: ArrayLike, *, um_per_pixel: float | None = None) -> dict[str, float | None]:
    """Compare two masks or images of labels by every measure.

    Parameters
    ----------
    found, truth : array, shape (height, width)
        Masks (bool) or numbers of objects.
    um_per_pixel : float, optional
        For the measures by area.

    Returns
    -------
    dict
        Each measure by its word; ``None`` where it has no value.

    Examples
    --------
    >>> import numpy as np, onceflow as of
    >>> mask = np.zeros((8, 8), bool); mask[2:6, 2:6] = True
    >>> of.compare(mask, mask)["dice"]
    1.0

    """
    return json.loads(_core.compare_arrays(_objects(found), _objects(truth), um_per_pixel))


def _rgb(pixels: ArrayLike) -> NDArray[np.uint8]:
    array = np.ascontiguousarray(pixels)
    if array.dtype != np.uint8 or array.ndim != 3 or array.shape[2] != 3:
        found = f"{array.dtype} {array.shape}"
        raise StudyError.expected("this is no colour image", "uint8 of shape (height, width, 3)", found)
    return array


def _objects(pixels: ArrayLike) -> NDArray[Any]:
    """Masks as bytes, numbers as labels of 32 bits."""
    array = np.ascontiguousarray(pixels)
    if array.ndim != 2:
        raise StudyError.expected("this is no mask and no image of labels", "two dimensions", array.shape)
    if array.dtype == bool:
        return array.astype(np.uint8) * np.uint8(255)
    if not np.issubdtype(array.dtype, np.integer) or (array.size and array.min() < 0):
        raise StudyError.expected("these are no labels", "bool, or whole numbers from 0", array.dtype)
    if array.size and int(array.max()) >= 1 << 32:
        raise StudyError.expected("these are no labels", "numbers below 2^32", array.max())
    return array.astype(np.uint32)
