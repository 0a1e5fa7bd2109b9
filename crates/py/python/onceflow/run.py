"""Runs: begun, watched, opened again, and what they found."""

from __future__ import annotations

import importlib
import json
import os
import threading
import time
import warnings
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from onceflow import _core
from onceflow.analysis import Analysis
from onceflow.errors import Error, FailedRows, StudyError, TaskError
from onceflow.figure import Overlay, first_screen
from onceflow.images import refuse_large
from onceflow.kinds import is_list, is_mapping
from onceflow.placed import Placed
from onceflow.plot import Plot
from onceflow.quiet import shown
from onceflow.study import Study, StudyLike, study_of
from onceflow.table import Table
from onceflow.verbs import convert, settings_words, verb, why

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from onceflow.verbs import Why

__all__ = ["Run", "open", "run", "start"]

Box = tuple[int, int, int, int]


class Run:
    """A run of a study, and the folder that holds what it found.

    ``print`` shows the answer; a notebook shows the first screen of the report.

    Attributes
    ----------
    folder : Path
        The same folder as that of ``onceflow run``.

    """

    def __init__(
        self,
        folder: Path,
        study: Study | None = None,
        running: _core.Running | None = None,
        words: Sequence[tuple[str, str]] = (),
        placed: Placed | None = None,
    ) -> None:
        self.folder = folder
        self._study = study
        self._running = running
        self._words = words
        self._placed = placed
        self._ending: str | None = None
        self._error: Error | None = None
        self._warned = False
        self._lock = threading.Lock()
        self._tables: dict[str, tuple[tuple[int, int], Table]] = {}

    def __repr__(self) -> str:
        return f"<Run {self.folder}: {self.state}>"

    def __str__(self) -> str:
        path = self.folder / "answer.txt"
        return path.read_text(encoding="utf-8") if path.exists() else f"{self.folder}: {self.state}"

    def _repr_html_(self) -> str:
        path = self.folder / "report.html"
        return first_screen(path.read_text(encoding="utf-8")) if path.exists() else f"<pre>{self!r}</pre>"

    @property
    def state(self) -> str:
        """``running``, ``complete``, ``stopped`` or ``failed``."""
        if self._running is not None:
            if not self._running.wait(0.0):
                return "running"
            ending = self._ended(self._running)
            if ending in ("stopped", "failed"):
                return ending
        return "complete" if (self.folder / "run.json").exists() else "stopped"

    # While it runs.

    def wait(self, timeout: float | None = None) -> Run:
        """Wait for its end, and show its progress.

        Ctrl-C lets running tasks end, and no other begin; a second one does not wait for them.

        Parameters
        ----------
        timeout : float, optional
            Seconds after which it is not waited for any longer.

        """
        running = self._running
        if running is None:
            return self
        if self._ending is not None:
            return self._end(running, interrupted=False)
        until = None if timeout is None else time.monotonic() + timeout
        with shown() as progress:
            interrupted = False
            while True:
                try:
                    if running.wait(0.1):
                        break
                    for note in running.notes():
                        progress.say(note)
                    line = running.line()
                    if line is not None:
                        progress.show(line)
                except KeyboardInterrupt:
                    if interrupted:
                        raise
                    interrupted = True
                    running.stop()
                    progress.say("stopping: tasks that run come to their end")
                if until is not None and time.monotonic() >= until:
                    return self
            for note in running.notes():
                progress.say(note)
        return self._end(running, interrupted)

    def _ended(self, running: _core.Running) -> str:
        """How it ended, as compiled code says it once."""
        with self._lock:
            if self._ending is None:
                try:
                    self._ending, why = running.ending()
                except Error as error:
                    self._ending, self._error, why = "failed", error, None
                    if self._placed is not None:
                        self._placed.take_back()
                if self._ending == "failed" and self._error is None:
                    what = "too many rows failed, so the run was stopped"
                    self._error = TaskError.expected(what, "rows that end", why or "failures")
            return self._ending

    def _end(self, running: _core.Running, interrupted: bool) -> Run:
        self._ended(running)
        if interrupted:
            rows = self.folder / "rows.csv"
            raise KeyboardInterrupt(f"stopped: the rows that were done are in {rows}; the same call goes on with them")
        if self._error is not None:
            raise self._error
        failed = self.failed
        if failed and not self._warned:
            self._warned = True
            text = f"{failed:,} rows failed; run.failures lists them, and intervals are wider for it"
            warnings.warn(text, FailedRows, stacklevel=4)
        return self

    def stop(self) -> None:
        """Let running tasks end, and no other begin; the same call of ``run`` goes on later."""
        if self._running is not None:
            self._running.stop()

    def answer(self) -> str:
        """The answer so far, as text."""
        return str(self)

    # What it found.

    @property
    def study(self) -> Study:
        """The study that was run."""
        if self._study is None:
            text = self._file("study.toml").read_text(encoding="utf-8")
            self._study = Study._parsed(text, self._origin())
        return self._study

    def _origin(self) -> Path:
        """Where the study stood: its images are relative to that folder."""
        known = self.folder / "provenance.json"
        return (
            Path(json.loads(known.read_text(encoding="utf-8"))["study"])
            if known.exists()
            else self.folder / "study.toml"
        )

    @property
    def rows(self) -> Table:
        """One line for each row: its phase, role, status, values and metrics over all images."""
        return self._table("rows.csv")

    @property
    def metrics(self) -> Table:
        """One line for each row and image."""
        return self._table("metrics.csv")

    def indices(self, metric: str | None = None, *, phase: str | None = None, image: str | None = None) -> Analysis:
        """Which parameters matter for a metric.

        Parameters
        ----------
        metric : str, optional
            Its name; all metrics without it.
        phase : str, optional
            Which phase; the last one that was analysed without it.
        image : str, optional
            On one image only.

        """
        phases = [part for part in self._json("indices.json")["phases"] if part["analyses"]]
        if phase is not None:
            phases = [part for part in phases if part["name"] == phase]
        if not phases:
            raise StudyError.expected("there are no indices", "a phase that is complete", phase or "none")
        analyses: Sequence[Mapping[str, Any]] = phases[-1]["analyses"]
        if image is not None:
            of_image = [part["analyses"] for part in phases[-1]["images"] if part["name"] == image]
            if not of_image:
                known = ", ".join(part["name"] for part in phases[-1]["images"]) or "none: there is one image"
                raise StudyError.expected(f"there are no indices of image `{image}`", known, image)
            analyses = of_image[0]
        found = Analysis._of(analyses[0])
        return found if metric is None else found[metric]

    def plot(self, metric: str | None = None, *, phase: str | None = None, kind: str | None = None) -> Plot:
        """The figure of the report: indices with their intervals."""
        return self.indices(metric, phase=phase).plot(kind=kind)

    @property
    def best(self) -> dict[str, Any]:
        """The best row: its number, parameters and metrics."""
        return self._json("best.json")

    @property
    def front(self) -> Table:
        """Rows of which none is better in every metric, where a search improved several."""
        tuning = self._json("tuning.json")
        return Table.of_lines(
            [{"row": line["row"], **line["metrics"]} if "metrics" in line else line for line in tuning.get("front", [])]
        )

    @property
    def account(self) -> dict[str, Any]:
        """What was asked, reused and computed: the object that ``onceflow run --json`` prints."""
        return self._json("run.json")

    @property
    def failed(self) -> int:
        """Rows that failed, on an image at least."""
        return int(self.account["failed"]) if (self.folder / "run.json").exists() else 0

    @property
    def failures(self) -> Table:
        """The rows that failed, with what they said."""
        table = self.metrics
        return table.where(table["status"].astype(str) == "failed")

    def why(self, row: int, **options: Any) -> Why:
        """Explain a row: which tasks it shares with which rows."""
        return why(self.study, row, run=str(self.folder), **options)

    def log(self, row: int, *, task: str | None = None, image: str | None = None, part: int | None = None) -> str:
        """What the programs of a row printed."""
        return verb("report", str(self.folder), "--log", row=row, task=task, image=image, part=part)[0]

    # Its pixels.

    @cached_property
    def _opened(self) -> _core.Opened:
        words = self._words or [word for word in settings_words({}) if word[0] == "store"]
        return _core.Opened(self.study._named(), list(words))

    @property
    def images(self) -> list[str]:
        """Names of the images."""
        return [name for name, *_ in self._opened.images]

    def values(self, row: int) -> dict[str, Any]:
        """The parameters of a row."""
        places = np.flatnonzero(self.rows["row"] == row)
        if not places.size:
            raise StudyError.expected(f"there is no row {row}", "a number of run.rows['row']", row)
        line = self.rows.row(int(places[0]))
        return {name: line[name] for name in self.study.parameters if name in line}

    def region(
        self, name: str, *, row: int | None = None, image: str | None = None, box: Box | None = None
    ) -> NDArray[Any]:
        """A region of a row as an array; it is made again where it was not kept.

        Parameters
        ----------
        name : str
            An output of the workflow such as ``nuclei``, or ``image`` or ``truth``.
        row : int, optional
            The row; not needed for ``image`` and ``truth``.
        image : str, optional
            The image; the first one without it.
        box : tuple of int, optional
            ``(x, y, width, height)`` in pixels of the study; what is studied of the image without it.

        Returns
        -------
        ndarray
            ``[y, x]`` or ``[y, x, rgb]``, read-only: masks are bool, labels uint32.

        """
        opened, image = self._opened, image or self.images[0]
        studied = opened.studied(image)
        at = box or studied
        if box is None:
            refuse_large(f"{name} of {image}", at[2] * at[3] * (3 if name == "image" else 4))
        if (name in ("image", "truth") and row is None) or name == "image":
            found = opened.pixels(image, at, name == "truth")
            if found is None:
                raise StudyError.expected(f"{image} has no truth there", "an image with truth", "none")
            return found
        if row is None:
            raise StudyError.expected(f"`{name}` depends on a row", "row=", "none")
        made = opened.region(list(self.values(row).items()), image, at, name)
        kinds = dict(opened.regions)
        if kinds.get(name) == "mask":
            mask: NDArray[np.bool_] = made != 0
            mask.setflags(write=False)
            return mask
        return made

    def show(
        self,
        row: int,
        *,
        image: str | None = None,
        box: Box | None = None,
        region: str | None = None,
    ) -> Overlay:
        """Draw what a row found on an image: found and true, only true, only found; a scale bar, row and metric below.

        Parameters
        ----------
        row : int
            Its number.
        image : str, optional
            The image; the first one without it.
        box : tuple of int, optional
            ``(x, y, width, height)``.
        region : str, optional
            Which output; that of the first metric without it.

        """
        image = image or self.images[0]
        region = region or self._measured()
        pixels = self.region("image", image=image, box=box)
        found = self.region(region, row=row, image=image, box=box)
        truth = self._opened.pixels(image, box or self._opened.studied(image), True)
        drawn = _core.draw_overlay(pixels, _drawable(found), truth)
        um = next((um for name, _, _, um in self._opened.images if name == image), None)
        return Overlay(drawn, self._caption(row, image), um)

    def napari(self, row: int, *, image: str | None = None, box: Box | None = None, viewer: Any = None) -> Any:
        """Show image, truth and found as layers of a viewer of napari, in micrometres.

        Parameters
        ----------
        row : int
            Its number.
        image : str, optional
            The image; the first one without it.
        box : tuple of int, optional
            ``(x, y, width, height)``.
        viewer : napari.Viewer, optional
            A viewer that is open; a new one without it.

        """
        if viewer is None:
            viewer = importlib.import_module("napari").Viewer()
        image = image or self.images[0]
        um = next((um for name, _, _, um in self._opened.images if name == image), None)
        corner = box or self._opened.studied(image)
        scale = (um or 1.0, um or 1.0)
        place = {"scale": scale, "translate": (corner[1] * scale[0], corner[0] * scale[1])}
        viewer.add_image(self.region("image", image=image, box=box), name=image, **place)
        truth = self._opened.pixels(image, corner, True)
        if truth is not None:
            viewer.add_labels(truth.astype(np.int64), name="truth", **place)
        region = self._measured()
        found = self.region(region, row=row, image=image, box=box)
        viewer.add_labels(found.astype(np.int64), name=f"{region} of row {row}", **place)
        return viewer

    def zarr(self, image: str | None = None, *, out: str | os.PathLike[str] | None = None, **options: Any) -> Path:
        """Write an image as a pyramid of OME-Zarr, for zarr, napari and QuPath: it need not fit in memory.

        Parameters
        ----------
        image : str, optional
            The image; the first one without it.
        out : path, optional
            Where it is written; into the folder of the run without it, where it is written once.
        **options
            Those of :func:`convert`, such as ``compression``.

        """
        name = image or self.images[0]
        named = [part for part in self.study.images if not isinstance(part, str) and part.name == name]
        if not named:
            raise StudyError.expected(f"no image `{name}` with a file", "an image that the study lists", name)
        target = Path(out) if out is not None else self.folder / "zarr" / f"{name}.zarr"
        if out is None and target.exists():
            return target
        source = named[0].file if named[0].file.startswith("synth:") else self.study.folder / named[0].file
        target.parent.mkdir(parents=True, exist_ok=True)
        convert(source, target, box=named[0].box, **options)
        return target

    def _measured(self) -> str:
        regions = [metric.of for metric in self.study.metrics if metric.of is not None]
        if not regions:
            raise StudyError.expected("the study measures no region", "a metric with of=", "none")
        return regions[0]

    def _caption(self, row: int, image: str) -> str:
        place = int(np.flatnonzero(self.rows["row"] == row)[0])
        line = self.rows.row(place)
        metrics = [
            f"{metric.name} {line[metric.name]:.3g}"
            for metric in self.study.metrics
            if line.get(metric.name) is not None
        ]
        return f"row {row} on {image}: {', '.join(metrics[:1]) or line['status']}"

    # Its files.

    def _file(self, name: str) -> Path:
        path = self.folder / name
        if not path.exists():
            found = "a folder without it" if self.folder.is_dir() else "no such folder"
            hint = "of.run(study, folder) makes it, or goes on with a run that was stopped"
            raise StudyError.expected(f"{self.folder} has no {name}", "the folder of a run", found, hint=hint)
        return path

    def _json(self, name: str) -> dict[str, Any]:
        return json.loads(self._file(name).read_text(encoding="utf-8"))

    def _table(self, name: str) -> Table:
        """A table of the folder, read again when the file changed: while it runs it grows."""
        path = self._file(name)
        state = path.stat()
        version = (state.st_mtime_ns, state.st_size)
        known = self._tables.get(name)
        if known is None or known[0] != version:
            texts = [name for name, parameter in self.study.parameters.items() if _has_words(parameter._table())]
            known = (version, Table(_core.Table.of_csv(path.read_text(encoding="utf-8"), texts)))
            self._tables[name] = known
        return known[1]


def _has_words(table: Any) -> bool:
    """Whether the values of a parameter are words, even where they look like numbers."""
    values = table.get("values", []) if is_mapping(table) else table
    values = values if is_list(values) else [values]
    return any(isinstance(value, str) for value in values)


def _drawable(found: NDArray[Any]) -> NDArray[Any]:
    """A mask as bytes, anything else as it is."""
    return found.astype(np.uint8) * np.uint8(255) if found.dtype == bool else found


def start(study: StudyLike, out: str | os.PathLike[str], *, force: bool = False, **options: Any) -> Run:
    """Begin a run, and return at once: ``run.wait()``, ``run.stop()``, ``run.answer()``.

    Parameters are those of :func:`run`.
    """
    given = study_of(study)
    folder = Path(out)
    command = (
        f"onceflow.run({str(study)!r}, {str(out)!r})"
        if not isinstance(study, Study)
        else f"onceflow.run(study, {str(out)!r})"
    )
    if not isinstance(given.workflow, str | None):
        # Its functions are those of the caller.
        options = {"allow_commands": True, **options}
    words = settings_words(options)
    placed = None if isinstance(given.workflow, str | None) else Placed(folder, given.workflow.files())
    given = given if placed is None else given._into(placed.folder)
    running = _core.Running(given._named(), str(folder), words, force, command)
    return Run(folder, given, running, words, placed)


def run(study: StudyLike, out: str | os.PathLike[str], *, force: bool = False, **options: Any) -> Run:
    """Run a study into a folder: the same folder, bytes and resume as ``onceflow run``.

    Parameters
    ----------
    study : Study or path
        What is run.
    out : path
        The folder. A run that was stopped goes on; one that is complete is not computed again.
    force : bool
        Whether results of another study in the folder are replaced.
    **options
        Settings under their names: ``memory="2 GiB"``, ``workers=4``, ``reuse``, ``store``, ``allow_commands=True`` and so on.

    Returns
    -------
    Run

    Examples
    --------
    >>> import onceflow as of
    >>> study = of.Study("small", {"G1": of.Range(20, 80, step=20), "minSize": [4, 11]}, workflow="nuclei",
    ...     images=[of.Image("tile", "synth:96x96?seed=3", truth="synth:96x96?seed=3")],
    ...     metrics=[of.Metric("dice", of="nuclei", measure="dice", against="truth")],
    ...     phases=[of.Moat("screen", 4)])
    >>> run = of.run(study, "runs/small", store="none")
    >>> len(run.rows)
    13

    """
    return start(study, out, force=force, **options).wait()


def open(folder: str | os.PathLike[str], **options: Any) -> Run:
    """Open the folder of a run.

    Parameters
    ----------
    folder : path
        What ``onceflow run -o`` or :func:`run` wrote.
    **options
        Settings for regions that are made again: ``memory``, ``store``, and ``allow_commands=True`` where tasks are functions
        or programs of your own.

    """
    found = Run(Path(folder), words=settings_words(options) if options else ())
    found._file("study.toml")
    return found
