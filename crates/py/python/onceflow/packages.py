# pyright: basic
"""Installed packages: what is in a key of them is their name and version, or the digest of their files."""

from __future__ import annotations

import functools
import hashlib
import importlib.util
import json
import sys
from pathlib import Path
from typing import Any

__all__ = ["NotInstalled", "is_standard", "said"]


class NotInstalled(Exception):
    """No package of that name is installed."""


def is_standard(module: str) -> bool:
    """Whether a module belongs to Python itself, or to this package: neither is named with a version."""
    top = module.split(".")[0]
    return top in sys.stdlib_module_names or top == "onceflow"


def said(module: str, follow: tuple[str, ...] = ()) -> str:
    """What a key says of the package of a module: `numpy 2.2.6`, or the digest of its files.

    Raises
    ------
    NotInstalled
        When there is none.
    """
    top = module.split(".")[0]
    return _said(top, top in follow)


@functools.cache
def _said(top: str, follow: bool) -> str:
    if is_standard(top):
        return top
    found = _distribution(top)
    if follow or found is None or _is_editable(found):
        return f"{top} {_digest(top)}"
    return f"{found.metadata['Name'].lower().replace('_', '-')} {found.version}"


def _distribution(top: str) -> Any:
    # It takes a while to load.
    from importlib import metadata

    for name in (top, _OTHER_NAMES.get(top, top)):
        try:
            return metadata.distribution(name)
        except metadata.PackageNotFoundError:
            pass
    # This looks at all packages, and takes a while.
    names = metadata.packages_distributions().get(top)
    return metadata.distribution(names[0]) if names else None


_OTHER_NAMES = {"skimage": "scikit-image", "sklearn": "scikit-learn", "PIL": "pillow", "cv2": "opencv-python"}


def _is_editable(found: Any) -> bool:
    try:
        said = json.loads(found.read_text("direct_url.json") or "{}")
    except ValueError:
        return False
    return bool(said.get("dir_info", {}).get("editable"))


def _digest(top: str) -> str:
    """A digest of the files of a package; nothing of it is run."""
    try:
        # The name of a whole package: looking for it runs nothing of it.
        spec = importlib.util.find_spec(top)
    except (ImportError, ValueError):
        spec = None
    if spec is None or spec.origin is None:
        raise NotInstalled(top)
    origin = Path(spec.origin)
    whole = hashlib.sha256()
    folder = origin.parent if spec.submodule_search_locations else None
    files = sorted(folder.rglob("*")) if folder else [origin]
    for file in files:
        if file.suffix not in (".pyc", ".pyo") and file.is_file():
            name = file.relative_to(origin.parent).as_posix()
            whole.update(f"{name}\0{hashlib.sha256(file.read_bytes()).hexdigest()}\n".encode())
    return whole.hexdigest()[:32]
