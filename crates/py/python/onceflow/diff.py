"""What differs between two runs: tasks, rows, effects, verdicts."""

from __future__ import annotations

import json
import math
import os
from typing import Any

from onceflow.errors import SampleError, StudyError
from onceflow.kinds import is_mapping
from onceflow.run import Run, open
from onceflow.table import Table

__all__ = ["Diff", "diff"]

_OWN = ("row", "phase", "role", "base", "replicate", "status", "duplicate_of")
_INDICES = ("st", "mu_star", "s1", "delta", "median", "pearson")


class Diff:
    """What differs between two runs: ``print`` says it.

    Attributes
    ----------
    tasks : dict
        Tasks asked, computed and taken from earlier results, of both runs.
    study : list of str
        What the two studies ask differently.
    rows : Table
        Rows of equal values whose metrics differ, each metric of both runs.
    only_first, only_second : int
        Rows whose values only one of the runs has.
    effects : Table
        Indices whose value differs, with both intervals and whether they overlap.
    verdicts : Table
        Parameters whose verdict differs.

    """

    def __init__(self, first: Run, second: Run) -> None:
        self.first, self.second = first, second
        self.tasks = {name: _tasks(run) for name, run in (("first", first), ("second", second))}
        self.study = _study(first, second) + _workflow(first, second)
        self.rows, self.equal, self.only_first, self.only_second = _rows(first, second)
        lines = _effects(first, second)
        self.effects = Table.of_lines([line for line in lines if not _equal(line["first"], line["second"])])
        self.verdicts = Table.of_lines([line for line in lines if line["verdict_first"] != line["verdict_second"]])

    @property
    def same(self) -> bool:
        """Whether all rows and effects that both runs have are equal."""
        differ = len(self.rows) + len(self.effects) + len(self.verdicts)
        return not differ and not self.only_first and not self.only_second

    def __repr__(self) -> str:
        return f"<Diff of {self.first.folder} and {self.second.folder}: {'same' if self.same else 'different'}>"

    def __str__(self) -> str:
        lines = [f"{self.first.folder} -> {self.second.folder}", *(f"study     {line}" for line in self.study)]
        for name in ("first", "second"):
            counts = self.tasks[name]
            lines.append(
                f"tasks     {name}: {counts['asked']:,} asked, {counts['computed']:,} computed, {counts['products']:,} from products"
            )
        lines.append(
            f"rows      {self.equal:,} equal, {len(self.rows):,} with other metrics, {self.only_first:,} only in the first, {self.only_second:,} only in the second"
        )
        for place in range(len(self.verdicts)):
            line = self.verdicts.row(place)
            lines.append(
                f"verdict   {line['parameter']} for {line['metric']}: {line['verdict_first']} -> {line['verdict_second']}"
            )
        apart = sum(not self.effects.row(place)["overlap"] for place in range(len(self.effects)))
        lines.append(f"effects   {len(self.effects):,} differ, {apart:,} of them beyond their intervals")
        return "\n".join(lines)


def diff(first: Run | str | os.PathLike[str], second: Run | str | os.PathLike[str]) -> Diff:
    """Say what differs between two runs.

    Parameters
    ----------
    first, second : Run or path
        Two runs that are complete.

    """
    runs = [part if isinstance(part, Run) else open(part) for part in (first, second)]
    return Diff(*runs)


def _tasks(run: Run) -> dict[str, int]:
    found = run.account["tasks"]
    return {"asked": found["asked"], "computed": found["computed"], "products": found["by"].get("products", 0)}


def _study(first: Run, second: Run) -> list[str]:
    before, after = first.study._tables(), second.study._tables()
    lines: list[str] = []
    for key in {**before, **after}:
        old, new = before.get(key), after.get(key)
        if old == new:
            continue
        if is_mapping(old) and is_mapping(new):
            names = [name for name in {**old, **new} if old.get(name) != new.get(name)]
            lines += [f"{key}.{name}: {old.get(name)} -> {new.get(name)}" for name in names]
        elif isinstance(old, list | dict) or isinstance(new, list | dict):
            lines.append(f"{key} differs")
        else:
            lines.append(f"{key}: {old} -> {new}")
    return lines


def _workflow(first: Run, second: Run) -> list[str]:
    """The tasks whose declarations differ: operation, values that are fixed, what they take and make."""
    before, after = (_declared(run) for run in (first, second))
    lines: list[str] = []
    for name in {**before, **after}:
        old, new = before.get(name), after.get(name)
        if old != new:
            what = "is new" if old is None else "is no longer there" if new is None else "has changed"
            lines.append(f"task {name} {what}")
    return lines


def _declared(run: Run) -> dict[str, Any]:
    path = run.folder / "workflow.json"
    if not path.exists():
        return {}
    stages = json.loads(path.read_text(encoding="utf-8")).get("stages", [])
    return {task["task"]: task for stage in stages for task in stage.get("tasks", [])}


def _by_values(run: Run, names: list[str]) -> dict[tuple[Any, ...], int]:
    columns = [run.rows[name].tolist() for name in names]
    found: dict[tuple[Any, ...], int] = {}
    for place, values in enumerate(zip(*columns, strict=True)):
        found.setdefault(values, place)
    return found


def _rows(first: Run, second: Run) -> tuple[Table, int, int, int]:
    metrics = [metric.name for metric in first.study.metrics if metric.name in second.rows]
    names = [name for name in first.rows.columns if name not in (*_OWN, *metrics) and name in second.rows]
    if not names:
        raise StudyError.expected("these runs have nothing in common", "parameters of the same names", "none")
    places = [_by_values(run, names) for run in (first, second)]
    shared = [values for values in places[0] if values in places[1]]
    different: list[dict[str, Any]] = []
    for values in shared:
        old, new = first.rows.row(places[0][values]), second.rows.row(places[1][values])
        if any(old[metric] != new[metric] for metric in metrics):
            pairs = {
                f"{metric}_{word}": line[metric]
                for metric in metrics
                for word, line in (("first", old), ("second", new))
            }
            different.append({"row_first": old["row"], "row_second": new["row"], **pairs})
    alone = [len(part) - len(shared) for part in places]
    return Table.of_lines(different), len(shared) - len(different), alone[0], alone[1]


def _indices(run: Run, metric: str) -> Table | None:
    """The indices of a metric; none where the run has none, as one that only tunes."""
    try:
        return run.indices(metric).table
    except (StudyError, SampleError):
        return None


def _effects(first: Run, second: Run) -> list[dict[str, Any]]:
    """Each parameter that both runs have an index for."""
    known = {metric.name for metric in second.study.metrics}
    lines: list[dict[str, Any]] = []
    for metric in (metric.name for metric in first.study.metrics if metric.name in known):
        before, after = (_indices(run, metric) for run in (first, second))
        if before is None or after is None:
            continue
        key = next((name for name in _INDICES if name in before and name in after), None)
        if key is None:
            continue
        later = {line["parameter"]: line for line in map(after.row, range(len(after)))}
        for old in map(before.row, range(len(before))):
            if old["parameter"] in later:
                lines.append(_effect(metric, key, old, later[old["parameter"]]))
    return lines


def _effect(metric: str, key: str, old: dict[str, Any], new: dict[str, Any]) -> dict[str, Any]:
    ends = [_real(line.get(f"{key}_{end}")) for line in (old, new) for end in ("low", "high")]
    overlap = not any(map(math.isnan, ends)) and ends[0] <= ends[3] and ends[2] <= ends[1]
    return {
        "metric": metric,
        "parameter": old["parameter"],
        "index": key,
        "first": _real(old[key]),
        "second": _real(new[key]),
        "overlap": overlap,
        "verdict_first": old.get("verdict") or "",
        "verdict_second": new.get("verdict") or "",
    }


def _real(value: Any) -> float:
    return math.nan if value is None else float(value)


def _equal(first: float, second: float) -> bool:
    return first == second or (math.isnan(first) and math.isnan(second))
