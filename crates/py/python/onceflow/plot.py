"""Plots as SVG, as the report draws them."""

from __future__ import annotations

import os
from pathlib import Path

from onceflow.table import Table

__all__ = ["Plot"]


class Plot:
    """A plot: shown by a notebook, saved by :meth:`save`.

    Attributes
    ----------
    svg : str
        The drawing.
    data : Table
        The numbers behind it.

    """

    def __init__(self, svg: str, data: Table) -> None:
        self.svg = svg
        self.data = data

    def __repr__(self) -> str:
        return f"<Plot, {len(self.svg):,} characters of SVG>"

    def _repr_svg_(self) -> str:
        return self.svg

    def _repr_html_(self) -> str:
        return self.svg

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the drawing into a file."""
        Path(path).write_text(self.svg, encoding="utf-8")
