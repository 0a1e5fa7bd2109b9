"""An answer to look at, for synthetic tissue."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from onceflow.run import Run, open
from onceflow.verbs import verb

__all__ = ["demo"]


def demo(out: str | os.PathLike[str] | None = None, *, size: int = 256) -> Run:
    """Run a study of synthetic tissue: 15 parameters, screened and decomposed.

    Parameters
    ----------
    out : path, optional
        The folder; a new one under the system's temporary folder without it.
    size : int
        Edge of the tissue in pixels: 128, 256 or 512.

    Returns
    -------
    Run
        Its answer is shown by ``print``, its report by a notebook.

    """
    folder = Path(out) if out is not None else Path(tempfile.mkdtemp(prefix="onceflow-")) / "demo"
    verb("demo", "-o", str(folder), size=size)
    return open(folder)
