"""Verbs of the command line as functions: the same options, and values in place of printed text."""

from __future__ import annotations

import json
import os
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from onceflow import _core
from onceflow.kinds import is_list, is_path
from onceflow.study import Study, StudyLike

__all__ = ["Plan", "Products", "Why", "convert", "plan", "products", "settings_words", "verb", "verb_json", "why"]

Path_ = str | os.PathLike[str]

_SESSION: dict[str, str] = {}
"""Settings of this process, which keywords of a call replace."""


def option_words(options: Mapping[str, Any]) -> list[str]:
    """Keywords as options of the command line."""
    words: list[str] = []
    for key, given in options.items():
        name = f"--{key.replace('_', '-')}"
        if given is True:
            words.append(name)
        elif is_list(given):
            words += [word for part in given for word in (name, str(part))]
        elif given is not None and given is not False:
            words += [name, str(given)]
    return words


def settings_words(options: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Keywords as settings of a run, each with its text; what is ``None`` is not said."""
    given = {**_SESSION, **{key: part for key, part in options.items() if part is not None}}
    return [(key, _word(part)) for key, part in given.items()]


def _word(given: Any) -> str:
    if isinstance(given, bool):
        return "true" if given else "false"
    return os.fspath(given) if is_path(given) else str(given)


def verb(*words: str, **options: Any) -> tuple[str, str]:
    """Carry out a verb: what it prints as its result, and what it says to people."""
    _, output, said = _core.verb([*words, *option_words(options)])
    return output, said


def verb_json(*words: str, **options: Any) -> dict[str, Any]:
    """The same with ``--json``."""
    output, _ = verb(*words, "--json", **options)
    return json.loads(output)


@contextmanager
def file_of(study: StudyLike) -> Generator[str]:
    """The file of a study, or the folder of a run, for a verb."""
    if isinstance(study, Study):
        with study._file() as file:
            yield str(file)
    else:
        yield os.fspath(getattr(study, "folder", study))


class _Said:
    """Text and JSON of a verb."""

    def __init__(self, text: str, json_object: dict[str, Any]) -> None:
        self._text = text
        self._json = json_object

    def __str__(self) -> str:
        return self._text

    def _repr_html_(self) -> str:
        import html

        return f"<pre>{html.escape(self._text)}</pre>"

    def __getitem__(self, key: str) -> Any:
        return self._json[key]

    def to_json(self) -> dict[str, Any]:
        """The object that ``--json`` prints."""
        return json.loads(json.dumps(self._json))


class Plan(_Said):
    """What a run would compute: ``print`` shows the table of levels."""

    def __repr__(self) -> str:
        return f"<Plan of {self.instances:,} instances, {self.tasks['planned']:,} of {self.tasks['asked']:,} tasks>"

    @property
    def tasks(self) -> dict[str, int]:
        """Tasks that are ``asked`` for, and those ``planned``."""
        return self._json["tasks"]

    @property
    def instances(self) -> int:
        """Rows on all parts."""
        return self._json["instances"]


class Why(_Said):
    """Which rows share a task, and how it differs from the nearest other one."""

    def __repr__(self) -> str:
        return f"<Why, {len(self._text.splitlines())} lines>"


def plan(study: StudyLike, **options: Any) -> Plan:
    """Say what a run would compute, and what it reuses. Nothing is computed.

    Parameters
    ----------
    study : Study, path or Run
        What is planned.
    **options
        Those of ``onceflow plan``: ``reuse``, ``merge``, ``workers``, ``memory`` and so on.

    """
    with file_of(study) as file:
        text, _ = verb("plan", file, **options)
        found = verb_json("plan", file, **options)
    return Plan(text, found)


def why(study: StudyLike, row: int | None = None, **options: Any) -> Why:
    """Explain a row or a bucket: which tasks it shares with which rows.

    Parameters
    ----------
    study : Study, path or Run
        What is asked about.
    row : int, optional
        The number of a row.
    **options
        Those of ``onceflow why``: ``task``, ``bucket``, ``stage``, ``phase``, ``run``.

    """
    with file_of(study) as file:
        text, _ = verb("why", file, row=row, **options)
        found = verb_json("why", file, row=row, **options)
    return Why(text, found)


def convert(source: Path_, target: Path_, **options: Any) -> dict[str, Any]:
    """Write an image as another file, by the ending of its name: ``.zarr``, ``.tif``, ``.png``.

    Parameters
    ----------
    source, target : path
        The image, or ``synth:4096x4096?seed=7``, and the file to write.
    **options
        Those of ``onceflow image convert``: ``box``, ``scale``, ``um_per_pixel``, ``compression``, ``force`` and so on.

    Returns
    -------
    dict
        What was written.

    Examples
    --------
    >>> import onceflow as of
    >>> written = of.convert("synth:300x200?seed=1", "tissue.tif")
    >>> written["width"], written["height"]
    (300, 200)

    """
    if isinstance(options.get("box"), tuple | list):
        options["box"] = ",".join(map(str, options["box"]))
    return verb_json("image", "convert", os.fspath(source), os.fspath(target), **options)


class Products:
    """Results of earlier runs by key, in the store of this user or in a folder."""

    def __init__(self, folder: Path_ | None = None) -> None:
        self._options = {"store": folder}

    def stats(self) -> dict[str, Any]:
        """How many results there are, what they take, and what they saved."""
        return verb_json("products", "stats", **self._options)

    def list(self) -> Sequence[dict[str, Any]]:
        """All results."""
        found = verb_json("products", "ls", **self._options)
        lists = [part for part in found.values() if is_list(part)]
        return lists[0] if lists else []

    def verify(self) -> dict[str, Any]:
        """Read every result, and say which are damaged."""
        return verb_json("products", "verify", **self._options)

    def __str__(self) -> str:
        return verb("products", "stats", **self._options)[0]

    def __repr__(self) -> str:
        return f"<Products in {self._options['store'] or 'the folder of this user'}>"


def products(size: str | int | None = None, *, store: Path_ | None = None) -> Products:
    """The store of results, from which later runs take what they would compute again.

    Parameters
    ----------
    size : str or int, optional
        What it may take at most, for the runs of this process: ``"2 GiB"``.
    store : path, optional
        Its folder, for the runs of this process; that of the user without it. ``"none"`` switches it off.

    """
    if size is not None:
        _SESSION["store_size"] = str(size)
    if store is not None:
        _SESSION["store"] = os.fspath(store)
    return Products(None if store is None else Path(store))
