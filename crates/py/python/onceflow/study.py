"""A study as an object, equal to its file."""

from __future__ import annotations

import contextlib
import dataclasses
import json
import os
import tempfile
import tomllib
from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from onceflow import _core, toml
from onceflow.errors import Diagnostic, StudyError
from onceflow.kinds import is_path
from onceflow.parameters import parameter_of
from onceflow.parts import Image, Metric
from onceflow.phases import Phase, phase_of

__all__ = ["Checked", "Study", "StudyLike", "study_of"]

StudyLike = Any
"""A :class:`Study`, or the path of its file."""


class Checked:
    """What ``onceflow check`` says of a study: ``print`` shows it all."""

    def __init__(self, text: str, messages: Sequence[Mapping[str, Any]]) -> None:
        self._text = text
        self.diagnostics = tuple(Diagnostic(**message) for message in messages)

    @property
    def errors(self) -> list[Diagnostic]:
        """What makes it unusable."""
        return [message for message in self.diagnostics if message.severity == "error"]

    @property
    def warnings(self) -> list[Diagnostic]:
        """What was probably not meant."""
        return [message for message in self.diagnostics if message.severity == "warning"]

    @property
    def ok(self) -> bool:
        """Whether it can be run."""
        return not self.errors

    def __str__(self) -> str:
        return self._text

    def __repr__(self) -> str:
        return f"<Checked, {len(self.errors)} errors, {len(self.warnings)} warnings>"


@dataclass(frozen=True, eq=False)
class Study:
    """A question about a workflow, or about a model of your own.

    Parameters
    ----------
    name : str
        Its name.
    parameters : mapping
        What varies: ``of.Range(5, 80, step=5)``, a list of values, ``of.Normal(0, 0.1)``, or one value that is fixed.
    workflow : str or Workflow, optional
        ``"nuclei"``, the path of a descriptor, or a :class:`Workflow`; none for a model of your own.
    images : list of Image, or str
        What it is run on: images, or a sheet or pattern of files.
    metrics, phases : list
        What is measured, and which rows are asked for.
    seed : int
        Seed of everything random.
    question : str, optional
        The question in words, for people.
    constraints : list of str
        Conditions for every row.
    parts, run : mapping
        The tables of that name in the file.

    Examples
    --------
    >>> import onceflow as of
    >>> study = of.Study("mine", {"a": of.Range(0, 1), "b": of.Range(0, 2)}, phases=[of.Moat("screen", 20)])
    >>> study.replace(seed=7) == study
    False

    """

    name: str
    parameters: Mapping[str, Any]
    _: dataclasses.KW_ONLY
    workflow: Any = None
    images: Sequence[Image] | str | Sequence[str] = ()
    metrics: Sequence[Metric] = ()
    phases: Sequence[Phase] = ()
    seed: int = 0
    question: str | None = None
    influential: float | str = 0.05
    constraints: Sequence[str] = ()
    parts: Mapping[str, Any] = field(default_factory=dict[str, Any])
    run: Mapping[str, Any] = field(default_factory=dict[str, Any])
    _text: str | None = field(default=None, repr=False)
    _path: Path | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        parameters = {name: parameter_of(name, given) for name, given in self.parameters.items()}
        object.__setattr__(self, "parameters", parameters)
        for name in ("metrics", "phases", "constraints"):
            object.__setattr__(self, name, tuple(getattr(self, name)))
        if not isinstance(self.images, str):
            object.__setattr__(self, "images", tuple(self.images))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Study) or self._tables() != other._tables():
            return False
        both = [study.workflow for study in (self, other)]
        files = [workflow.files() for workflow in both if not isinstance(workflow, str | None)]
        return len(files) < 2 or files[0] == files[1]

    def __hash__(self) -> int:
        return hash(json.dumps(self._tables(), sort_keys=True))

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> Study:
        """Read the file of a study; its comments stay where they are when it is saved again."""
        file = Path(path)
        try:
            text = file.read_text(encoding="utf-8")
        except FileNotFoundError as error:
            raise StudyError.expected(f"cannot read {file}", "the file of a study", "no such file") from error
        return cls._parsed(text, file)

    @classmethod
    def _parsed(cls, text: str, path: Path | None) -> Study:
        try:
            tables = tomllib.loads(text)
        except tomllib.TOMLDecodeError as error:
            raise StudyError.expected(f"cannot read {path or 'the study'}", "TOML", str(error)) from error
        known = {"name", "workflow", "seed", "influential", "constraints", "parameters"}
        fields: dict[str, Any] = {key: part for key, part in tables.items() if key in known}
        fields |= {key: tables[key] for key in ("parts", "run") if key in tables}
        unknown = set(tables) - known - {"parts", "run", "image", "images", "metric", "phase"}
        if unknown or "name" not in tables or "parameters" not in tables:
            # The engine says where, and what is near.
            _core.Problem.of_text(text, str(path or "study.toml"))
        if "image" in tables:
            fields["images"] = tuple(Image._of(table) for table in tables["image"])
        elif "images" in tables:
            fields["images"] = tables["images"]
        fields["metrics"] = tuple(Metric._of(table) for table in tables.get("metric", []))
        fields["phases"] = tuple(phase_of(table) for table in tables.get("phase", []))
        return cls(**fields, question=_question(text), _text=text, _path=path)

    def replace(self, **changes: Any) -> Study:
        """Another study with these changes."""
        made = dataclasses.replace(self, **changes)
        if self._text is None:
            return made
        text = toml.edited(self._text, self._tables(), made._tables())
        return dataclasses.replace(made, _text=text)

    def to_toml(self) -> str:
        """The text of its file."""
        return self._text if self._text is not None else toml.document(self._tables(), self.question)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write its file; a file that is there is replaced.

        Paths of images and of the workflow stay as they are: they are relative to the file.
        """
        file = Path(path)
        if not isinstance(self.workflow, str | None):
            self.workflow.save(file.parent / self._workflow_name())
        temporary = file.with_name(f".{file.name}.{os.getpid()}")
        temporary.write_text(self.to_toml(), encoding="utf-8")
        temporary.replace(file)

    def check(self, *, images: bool = True) -> Checked:
        """Say everything there is to say about it, without running anything.

        Parameters
        ----------
        images : bool
            Whether its images are opened.

        """
        with self._file() as file:
            words = ["check", str(file), *([] if images else ["--without-images"])]
            _, text, _ = _core.verb(words)
            _, found, _ = _core.verb([*words, "--json"])
            # A study that is an object has a file for this moment only.
            folder = "" if file == self._path else f"{file.parent}{os.sep}"
        messages = json.loads(found.replace(json.dumps(folder)[1:-1], ""))["diagnostics"]
        return Checked(text.replace(folder, ""), messages)

    def plan(self, **options: Any) -> Any:
        """What a run would compute: see :func:`onceflow.plan`."""
        from onceflow.verbs import plan

        return plan(self, **options)

    @property
    def folder(self) -> Path:
        """The folder that its paths are relative to."""
        return self._path.parent if self._path is not None else Path()

    def _tables(self) -> dict[str, Any]:
        """The content of its file; equal studies have equal tables."""
        tables: dict[str, Any] = {"name": self.name}
        if self.workflow is not None:
            tables["workflow"] = self._workflow_name()
        tables["seed"] = self.seed
        if self.influential != 0.05:
            tables["influential"] = self.influential
        if self.constraints:
            tables["constraints"] = list(self.constraints)
        if isinstance(self.images, str):
            tables["images"] = self.images
        elif self.images and all(isinstance(image, str) for image in self.images):
            tables["images"] = list(self.images)
        elif self.images:
            tables["image"] = [image._table() for image in self.images if isinstance(image, Image)]
        if self.parts:
            tables["parts"] = dict(self.parts)
        tables["parameters"] = {name: parameter._table() for name, parameter in self.parameters.items()}
        if self.metrics:
            tables["metric"] = [metric._table() for metric in self.metrics]
        if self.phases:
            tables["phase"] = [phase._table() for phase in self.phases]
        if self.run:
            tables["run"] = dict(self.run)
        return tables

    def _workflow_name(self) -> str:
        return self.workflow if isinstance(self.workflow, str) else f"{self.workflow.name}.json"

    def _into(self, place: Path) -> Study:
        """The same as it is run: a workflow that is an object has its files in a folder of the run."""
        if isinstance(self.workflow, str | None):
            return self
        place = place if self.folder == Path() else place.absolute()
        return dataclasses.replace(self, workflow=str(place / self._workflow_name()), _text=None)

    def _write_workflow(self, folder: Path) -> None:
        """The files of a workflow that is an object, in a folder of ours."""
        if isinstance(self.workflow, str | None):
            return
        for name, content in self.workflow.files().items():
            target = folder / name
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content)

    def _named(self) -> Any:
        """The study as compiled code takes it: its file, or its text and folder."""
        if self._path is not None and self._is_as_read():
            return str(self._path)
        return (self.to_toml(), str(self.folder))

    def _is_as_read(self) -> bool:
        if self._path is None or self._text is None:
            return False
        try:
            return self._path.read_text(encoding="utf-8") == self._text
        except OSError:
            return False

    @contextlib.contextmanager
    def _file(self) -> Generator[Path]:
        """Its file; one that has none gets one for a moment, from which its images are found too."""
        if self._path is not None and self._is_as_read():
            yield self._path
            return
        with tempfile.TemporaryDirectory(prefix="onceflow-") as folder:
            file = Path(folder) / "study.toml"
            file.write_text(self._absolute().to_toml(), encoding="utf-8")
            self._write_workflow(Path(folder))
            yield file

    def _absolute(self) -> Study:
        """The same with paths that hold from everywhere."""

        def found(path: str) -> str:
            return path if path.startswith("synth:") else str((self.folder / path).absolute())

        images: Any = self.images
        if isinstance(images, str):
            images = found(images)
        else:
            images = tuple(
                found(image)
                if isinstance(image, str)
                else dataclasses.replace(image, file=found(image.file), truth=image.truth and found(image.truth))
                for image in images
            )
        workflow = self.workflow
        if isinstance(workflow, str) and (self.folder / workflow).is_file():
            workflow = found(workflow)
        return dataclasses.replace(self, images=images, workflow=workflow, _text=None, _path=None)

    def _problem(self) -> _core.Problem:
        with self._file() as file:
            return _core.Problem.of_file(str(file))


def _question(text: str) -> str | None:
    """The comment at the beginning of a file."""
    lines: list[str] = []
    for line in text.splitlines():
        if not line.startswith("#"):
            break
        lines.append(line.removeprefix("#").strip())
    return "\n".join(lines) or None


def study_of(given: StudyLike) -> Study:
    """A study, read where it is a path."""
    if isinstance(given, Study):
        return given
    if is_path(given):
        return Study.read(given)
    raise StudyError.expected("this is no study", "a Study or the path of its file", type(given).__name__)
