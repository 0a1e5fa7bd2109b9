"""Images, metrics and rules of a study: frozen objects that are written as the keys of its file."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from onceflow.fields import built, frozen, said

__all__ = ["Image", "Keep", "Metric"]


@dataclass(frozen=True)
class Image:
    """An image of a study.

    Parameters
    ----------
    name : str
        Unique in the study.
    file : str
        A path, or ``synth:4096x4096?seed=7``.
    box : tuple of int, optional
        ``(x, y, width, height)`` in pixels of the file: what is studied of it.
    truth : str, optional
        A mask, a label image or outlines.
    um_per_pixel : float, optional
        Its resolution, where the file does not say it.

    """

    name: str
    file: str
    _: dataclasses.KW_ONLY
    box: tuple[int, int, int, int] | None = None
    truth: str | None = None
    truth_box: tuple[int, int, int, int] | None = None
    um_per_pixel: float | None = None
    slide: str | None = None
    patient: str | None = None

    def __post_init__(self) -> None:
        for own in dataclasses.fields(self):
            object.__setattr__(self, own.name, frozen(getattr(self, own.name)))

    def _table(self) -> dict[str, Any]:
        return said(self)

    @classmethod
    def _of(cls, table: Mapping[str, Any]) -> Image:
        return built(cls, table, f"image `{table.get('name', '?')}`")


@dataclass(frozen=True)
class Metric:
    """What is measured of each row.

    Parameters
    ----------
    name : str
        Its name in tables.
    of : str, optional
        The output of the workflow that is measured; none for a model of your own.
    measure : str, optional
        ``dice``, ``jaccard``, ``object_f1``, ``objects``, ``objects_per_mm2`` and so on.
    against : str
        ``truth``, ``default`` or ``nothing``.

    """

    name: str
    _: dataclasses.KW_ONLY
    of: str | None = None
    measure: str | None = None
    against: str = "nothing"

    def _table(self) -> dict[str, Any]:
        return said(self)

    @classmethod
    def _of(cls, table: Mapping[str, Any]) -> Metric:
        return built(cls, table, f"metric `{table.get('name', '?')}`")


@dataclass(frozen=True)
class Keep:
    """Which parameters pass from an earlier phase: those whose effect reaches a share of the largest one."""

    phase: str
    _: dataclasses.KW_ONLY
    metric: str | None = None
    share: float | str = 0.10
    at_least: int = 1
    at_most: int | None = None

    def _table(self) -> dict[str, Any]:
        return said(self)
