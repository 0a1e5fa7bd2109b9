"""Pictures for notebooks: what rows found on images, and the first screen of a report."""

from __future__ import annotations

import base64
import html
import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from onceflow import _core

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Overlay", "first_screen"]

_LENGTHS = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000]


class Overlay:
    """A picture with a scale bar and a line below it.

    Attributes
    ----------
    pixels : ndarray of uint8, shape (height, width, 3)
        The picture alone.
    caption : str
        The line below it.

    """

    def __init__(self, pixels: NDArray[Any], caption: str, um_per_pixel: float | None) -> None:
        self.pixels = pixels
        self.caption = caption
        self._um = um_per_pixel

    def __repr__(self) -> str:
        height, width = self.pixels.shape[:2]
        return f"<Overlay {width} x {height}, {self.caption}>"

    @property
    def svg(self) -> str:
        """The picture with its scale bar and caption."""
        height, width = self.pixels.shape[:2]
        data = base64.b64encode(_core.png(self.pixels)).decode()
        parts = [
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height + 24}" font-family="sans-serif" font-size="13">',
            f'<image width="{width}" height="{height}" href="data:image/png;base64,{data}"/>',
            self._bar(width, height),
            f'<text x="0" y="{height + 17}" fill="currentColor">{html.escape(self.caption)}</text></svg>',
        ]
        return "".join(parts)

    def _bar(self, width: int, height: int) -> str:
        """A bar of a round length, at most a third of the width."""
        if self._um is None:
            return ""
        fits = [length for length in _LENGTHS if length / self._um <= width / 3]
        if not fits:
            return ""
        long = fits[-1] / self._um
        left, top = width - long - 10, height - 12
        return (
            f'<rect x="{left:.1f}" y="{top}" width="{long:.1f}" height="4" fill="white" stroke="black" stroke-width="0.5"/>'
            f'<text x="{left + long / 2:.1f}" y="{top - 4}" text-anchor="middle" fill="white" stroke="black" '
            f'stroke-width="2.5" paint-order="stroke">{fits[-1]} µm</text>'
        )

    def _repr_html_(self) -> str:
        return self.svg

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write it into a file: ``.svg`` with its scale bar, ``.png`` the pixels alone."""
        file = Path(path)
        if file.suffix == ".png":
            file.write_bytes(_core.png(self.pixels))
        else:
            file.write_text(self.svg, encoding="utf-8")


def first_screen(page: str) -> str:
    """The answer, the effects and the pictures of a report, in a frame of their own."""
    head = re.search(r"<style>.*?</style>", page, re.DOTALL)
    start, end = page.find("<header>"), page.find('<section id="work">')
    if head is None or start < 0 or end < 0:
        return f"<pre>{html.escape(page[:2000])}</pre>"
    body = f'<meta name="color-scheme" content="light dark"/>{head.group()}{page[start:end]}</main>'
    return f'<iframe srcdoc="{html.escape(body)}" style="width:100%;height:640px;border:0"></iframe>'
