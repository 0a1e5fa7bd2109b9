# pyright: basic
"""Workflows written in Python: built-in operations and functions of one's own, one after another."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from onceflow import _core
import onceflow.saved as saved
from onceflow.errors import StudyError, TaskError
from onceflow.here import Ended
from onceflow.regions import DTYPES, fitting
from onceflow.signature import KINDS
from onceflow.task import describe_task, options_of_task

__all__ = ["Parameter", "Region", "Workflow"]

Constant = int | float | str


@dataclass(frozen=True)
class Parameter:
    """A parameter of a workflow, which a study varies.

    Parameters
    ----------
    name : str
        Its name in the study.
    default : int, float or str
        Its value when no study varies it.
    unit, about : str, optional
        For people.
    """

    name: str
    default: Constant
    unit: str | None = None
    about: str | None = None

    def _words(self, kind: str) -> dict[str, Any]:
        said = {"type": kind, "default": self.default, "unit": self.unit, "about": self.about}
        return {name: value for name, value in said.items() if value is not None}


@dataclass(eq=False)
class Region:
    """Something that a task of a workflow takes or makes."""

    name: str
    kind: str

    def __repr__(self) -> str:
        return f"<{self.name}: {self.kind}>"


@dataclass(eq=False)
class _Step:
    """A task: its operation, and what it takes, reads and makes."""

    name: str
    op: str | Callable[..., Any]
    takes: list[Region]
    makes: list[Region]
    reads: dict[str, Any]
    ends: list[str] = field(default_factory=list)


class Workflow:
    """A workflow: tasks that take regions, read parameters and make regions.

    Parameters
    ----------
    name : str
        Its name.
    about : str, optional
        One sentence, for people.

    Examples
    --------
    >>> import onceflow as of
    >>> w = of.Workflow("brighter")
    >>> rc, recon = w.op("nuclei.reconstruct", w.image, reconConnectivity=8)
    >>> _, found = w.op("nuclei.candidates", rc, recon, fillHolesConnectivity=4, G1=of.Parameter("G1", 40))
    >>> w.output(nuclei=found)
    >>> w.parameters()
    {'G1': 40}
    """

    def __init__(self, name: str, *, about: str | None = None) -> None:
        self.name, self.about = name, about
        self.image = Region("image", "rgb8")
        self._steps: list[_Step] = []
        self._outputs: list[Region] = []

    def __repr__(self) -> str:
        tasks = ", ".join(step.name for step in self._steps)
        return f"<Workflow {self.name}: {tasks or 'no task'}>"

    def op(self, operation: str | Callable[..., Any], *regions: Region, **parameters: Constant | Parameter) -> Any:
        """Add a task: a built-in operation by its id, or a function decorated with `of.task`.

        Keywords are constants or parameters. Those of a function that are not named become parameters of the workflow.
        Returns the region that it makes, or a tuple of them.
        """
        known = _function_form(operation) if callable(operation) else _built_in_form(operation)
        takes, reads, makes, ends, title = known
        _check_regions(title, takes, regions)
        for name in parameters:
            if name not in reads:
                raise StudyError.expected(f"{title} reads no `{name}`", ", ".join(reads) or "no parameter", name)
        given = {name: parameters.get(name, default) for name, default in reads.items()}
        missing = [name for name, value in given.items() if value is None]
        if missing:
            raise StudyError.expected(f"{title} reads {', '.join(missing)}", "a value or of.Parameter", "none")
        name = self._free(title.split(".")[-1], {step.name for step in self._steps})
        made = [Region("", kind) for _, kind in makes]
        for region, (wish, _) in zip(made, makes, strict=True):
            region.name = self._free(wish, {each.name for each in (*self._regions(), *made)})
        self._steps.append(_Step(name, operation, list(regions), made, given, ends))
        return made[0] if len(made) == 1 else tuple(made)

    def output(self, **regions: Region) -> None:
        """Name regions that are the result."""
        for name, region in regions.items():
            if not any(region is each for each in self._regions()):
                raise StudyError.expected(f"the output `{name}`", "a region of this workflow", repr(region))
            other = next((each for each in self._regions() if each.name == name and each is not region), None)
            if other is not None:
                other.name = self._free(name, {each.name for each in self._regions()} | {name})
            region.name = name
            self._outputs = [*(each for each in self._outputs if each is not region), region]

    def with_task(self, function: Callable[..., Any]) -> Workflow:
        """The same workflow with another function in the place of the one of its name."""
        other = copy.deepcopy(self)
        steps = [step for step in other._steps if callable(step.op) and step.op.__name__ == function.__name__]
        if not steps:
            known = [step.op.__name__ for step in self._steps if callable(step.op)]
            raise StudyError.expected(f"no task `{function.__name__}`", ", ".join(known) or "a function", "none")
        takes, reads, makes, ends, _ = _function_form(function)
        for step in steps:
            _check_regions(function.__name__, takes, step.takes)
            if [kind for _, kind in makes] != [region.kind for region in step.makes]:
                raise StudyError.expected(f"{function.__name__} makes", [r.kind for r in step.makes], [k for _, k in makes])
            step.op, step.ends = function, ends
            step.reads = {name: step.reads.get(name, default) for name, default in reads.items()}
        return other

    def parameters(self) -> dict[str, Constant]:
        """Its parameters with their defaults."""
        return {name: parameter.default for name, (parameter, _) in self._declared().items()}

    def run(self, image: Any, **parameters: Constant) -> dict[str, Any]:
        """Carry out one instance in this process, functions under the debugger: the outputs by name."""
        known = self.parameters()
        for name in parameters:
            if name not in known:
                raise StudyError.expected(f"there is no parameter `{name}`", ", ".join(known), name)
        values = {**known, **parameters}
        made: dict[int, Any] = {id(self.image): np.asarray(image)}
        for step in self._steps:
            reads = {n: values[v.name] if isinstance(v, Parameter) else v for n, v in step.reads.items()}
            inputs = [made[id(region)] for region in step.takes]
            try:
                results = _call(step, inputs, reads, made[id(self.image)].shape[:2])
            except Ended:
                results = [np.zeros(made[id(self.image)].shape[:2], DTYPES[region.kind]) for region in step.makes]
            made.update({id(region): result for region, result in zip(step.makes, results, strict=True)})
        return {region.name: made[id(region)] for region in self._outputs}

    def descriptor(self) -> str:
        """The descriptor, as JSON; functions are those of `files()`."""
        return self._saved(None)[0]

    def files(self) -> dict[str, bytes]:
        """The descriptor and the files that it names, by their paths beside it."""
        text, files = self._saved(None)
        return {f"{self.name}.json": text.encode(), **files}

    def save(self, path: str | Path, *, force: bool = False) -> Path:
        """Write the descriptor. It names functions of files beside it; others are written beside it as they were digested.

        Files that are there with another content stay, unless `force`.
        """
        path = Path(path)
        text, files = self._saved(path.parent)
        for name, content in {path.name: text.encode(), **files}.items():
            saved.write(path.parent / name, content, force=force)
        return path

    def _regions(self) -> list[Region]:
        return [self.image, *(region for step in self._steps for region in step.makes)]

    def _free(self, wish: str, taken: set[str]) -> str:
        names = (wish if number == 1 else f"{wish}_{number}" for number in range(1, len(taken) + 3))
        return next(name for name in names if name not in taken)

    def _declared(self) -> dict[str, tuple[Parameter, str]]:
        """The parameters of the workflow with their kinds."""
        found: dict[str, tuple[Parameter, str]] = {}
        for step in self._steps:
            kinds = _kinds_read(step.op)
            for name, value in step.reads.items():
                if isinstance(value, Parameter):
                    before = found.setdefault(value.name, (value, kinds[name]))
                    if before != (value, kinds[name]):
                        raise StudyError.expected(f"two parameters `{value.name}`", "one of a name", f"{before[0]}, {value}")
        return found

    def _saved(self, folder: Path | None) -> tuple[str, dict[str, bytes]]:
        if not self._outputs:
            raise StudyError.expected(f"the workflow {self.name} has no output", "w.output(name=region)", "none")
        files: dict[str, bytes] = {}
        ops = [saved.operation(step.op, folder, files) if callable(step.op) else step.op for step in self._steps]
        words = {
            "workflow": self.name,
            "version": 1,
            **({"about": self.about} if self.about else {}),
            "parameters": {name: parameter._words(kind) for name, (parameter, kind) in self._declared().items()},
            "regions": {region.name: region.kind for region in self._regions()},
            "stages": [_stage(step, op) for step, op in zip(self._steps, ops, strict=True)],
            "outputs": [region.name for region in self._outputs],
        }
        return json.dumps(words, indent=2) + "\n", files


def _stage(step: _Step, op: Any) -> dict[str, Any]:
    """Each task is a stage of its own."""
    takes, makes = [each.name for each in step.takes], [each.name for each in step.makes]
    reads = {
        name: value.name if isinstance(value, Parameter) else {"value": value} for name, value in step.reads.items()
    }
    task = {"task": step.name, "op": op, "in": takes, "reads": reads, "out": makes}
    stage: dict[str, Any] = {"stage": step.name, "in": takes, "out": makes, "tasks": [task]}
    if step.ends:
        task["ends"] = step.ends
        stage["ended"] = {name: "empty" for name in makes}
    return stage


_Form = tuple[list[tuple[str, str | None]], dict[str, Any], list[tuple[str, str]], list[str], str]


def _function_form(function: Callable[..., Any]) -> _Form:
    """What a function takes, reads, makes, and ends with."""
    said = describe_task(function)
    if said["makes"] is None or None in said["makes"]:
        known = ", ".join(f"of.{name}" for name in KINDS)
        raise StudyError.expected(f"{function.__name__} does not say what it makes", f"-> one of {known}", said["makes"])
    reads = {name: None if default is None else Parameter(name, default) for name, _, default in said["reads"]}
    names = [function.__name__] if len(said["makes"]) == 1 else [f"{function.__name__}_{i + 1}" for i in range(len(said["makes"]))]
    ends = list(options_of_task(function).get("ends") or [])
    return [tuple(each) for each in said["takes"]], reads, list(zip(names, said["makes"], strict=True)), ends, function.__name__


def _catalogue() -> dict[str, dict[str, Any]]:
    return json.loads(_core.operations())


def _built_in_form(operation: str) -> _Form:
    known = _catalogue()
    if operation not in known:
        raise StudyError.expected(f"there is no operation `{operation}`", ", ".join(known), operation)
    spec = known[operation]
    takes = [tuple(each) for each in spec["takes"]]
    return takes, {name: None for name, _ in spec["reads"]}, [tuple(e) for e in spec["makes"]], spec["statuses"], operation


def _kinds_read(operation: str | Callable[..., Any]) -> dict[str, str]:
    reads = describe_task(operation)["reads"] if callable(operation) else _catalogue()[operation]["reads"]
    return {each[0]: each[1] for each in reads}


def _check_regions(title: str, takes: list[tuple[str, str | None]], regions: Any) -> None:
    if len(takes) != len(regions):
        names = ", ".join(name for name, _ in takes)
        raise StudyError.expected(f"{title} takes {len(takes)} regions", names, f"{len(regions)}")
    for (name, kind), region in zip(takes, regions, strict=True):
        if not isinstance(region, Region):
            raise StudyError.expected(f"the `{name}` of {title}", "a region of the workflow", type(region).__name__)
        if kind is not None and region.kind not in (kind, "any") and kind != "any":
            raise StudyError.expected(f"{title} takes its `{name}`", kind, f"{region.name}, {region.kind}")


def _call(step: _Step, inputs: list[Any], reads: dict[str, Any], shape: tuple[int, ...]) -> list[Any]:
    """One task in this process."""
    if not callable(step.op):
        return _built_in(step, inputs, reads)
    inputs = [array.view() for array in inputs]
    for array in inputs:
        array.flags.writeable = False
    said = describe_task(step.op)
    more: dict[str, Any] = {}
    outputs: list[Any] = []
    if said["setup"]:
        more["setup"] = options_of_task(step.op)["setup"]()
    if said["out"]:
        outputs = [np.zeros(shape, DTYPES[region.kind]) for region in step.makes]
        more["out"] = tuple(outputs) if len(outputs) > 1 else outputs[0]
    result = step.op(*inputs, **reads, **more)
    if said["out"] and result is None:
        return outputs
    results = list(result) if isinstance(result, (tuple, list)) and len(step.makes) > 1 else [result]
    return [_checked(step.name, result, region, shape) for result, region in zip(results, step.makes, strict=True)]


def _built_in(step: _Step, inputs: list[Any], reads: dict[str, Any]) -> list[Any]:
    plain = [each.astype(np.uint8) * np.uint8(255) if each.dtype == np.bool_ else each for each in inputs]
    ended, made = _core.apply(str(step.op), [np.ascontiguousarray(each) for each in plain], json.dumps(reads))
    if ended is not None:
        raise Ended(ended)
    return [each > 0 if region.kind == "mask" else each for each, region in zip(made, step.makes, strict=True)]


def _checked(name: str, result: Any, region: Region, shape: tuple[int, ...]) -> Any:
    if region.kind == "table":
        return result
    array = np.asarray(result)
    wanted = (*shape, 3) if region.kind == "rgb8" else shape
    fits = fitting(array, region.kind) if array.shape == wanted else None
    if fits is None:
        raise TaskError(f"{name} gave {array.dtype} {array.shape}, expected {DTYPES[region.kind]} {wanted}")
    return fits.astype(DTYPES[region.kind])
