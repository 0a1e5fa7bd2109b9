"""Ask and tell: rows for a model of your own, one by one or in batches, kept in a journal that outlives the process."""

from __future__ import annotations

import contextlib
import hashlib
import itertools
import json
import math
import os
import threading
import time
import warnings
from collections.abc import Generator, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Self, cast

import numpy as np

from onceflow import _core
from onceflow.analysis import Analysis, analyze
from onceflow.errors import SampleError, StudyError
from onceflow.journal import Journal
from onceflow.kinds import is_path
from onceflow.phases import Tune
from onceflow.problem import ProblemLike, problem_of
from onceflow.sample import Row, Sample, sample
from onceflow.search import Search
from onceflow.study import Study, study_of

__all__ = ["Loop"]

_UNITS = {"s": 1.0, "min": 60.0, "h": 3600.0, "d": 86400.0}
_SIZES = {"trajectories", "base", "rows", "n"}


class Loop:
    """Rows of one phase, asked for and told; with `out` a kernel that dies goes on where it was.

    Parameters
    ----------
    study : path, Study or dict
        A study, or a problem of SALib with `method` and `n`.
    phase : str, optional
        Which phase of the study; its first one without it. One that tunes gives a :class:`Search`.
    out : path, optional
        The folder of the journal. Several processes may use it at once.
    lease : str or float
        A row that was asked for and not told is handed out again after this time.
    method, n, seed
        The design, where the study has no phases: see :func:`sample`.

    Examples
    --------
    >>> import onceflow as of
    >>> problem = {"num_vars": 2, "names": ["a", "b"], "bounds": [[0, 1], [0, 1]]}
    >>> loop = of.Loop(problem, method="morris", n=10, seed=1)
    >>> for row in loop.ask():
    ...     loop.tell(row, y=3 * row["a"] + row["b"])
    >>> loop.answer("y").influential
    ['a', 'b']

    """

    def __new__(cls, study: ProblemLike, phase: str | None = None, **options: Any) -> Self:
        """A loop, or a :class:`Search` where the phase tunes."""
        if phase is None:
            return super().__new__(cls)
        problem = problem_of(study)
        if dict(problem.phases).get(phase) != "tune":
            return super().__new__(cls)
        return cast(Any, _search(study, problem, phase, options))

    def __init__(
        self,
        study: ProblemLike,
        phase: str | None = None,
        *,
        out: str | os.PathLike[str] | None = None,
        lease: str | float = "1 h",
        method: str | None = None,
        n: int | None = None,
        seed: int = 0,
        _after: str | None = None,
        **design: Any,
    ) -> None:
        self._study = study
        self._problem = problem_of(study)
        self._lease = _seconds(lease)
        self._lock = threading.RLock()
        self.phase, core = self._first(phase, method, n, seed, design, _after)
        self._sample = Sample(core, self._problem)
        self._told: dict[int, dict[str, float]] = {}
        self._failed: dict[int, str] = {}
        self._lent: dict[int, float] = {}
        self._again: set[int] = set()
        self._free = []
        self._journal = None if out is None else Journal(Path(out), self._identity())
        self._out = None if out is None else Path(out)
        if self._journal is not None:
            with self._journal.locked():
                self._catch_up()
        self._refill()

    def _first(
        self, phase: str | None, method: str | None, n: int | None, seed: int, design: dict[str, Any], after: str | None
    ) -> tuple[str, _core.Sample]:
        phases = dict(self._problem.phases)
        if method is not None or not phases:
            return phase or method or "saltelli", sample(
                self._problem, method or "saltelli", n, seed=seed, **design
            )._core
        name = phase or next(iter(phases))
        if phases.get(name) == "tune":
            raise StudyError.expected(f"phase `{name}` tunes", "a phase with rows", "tune", hint=f'phase="{name}"')
        varied, made = self._problem.phase(name, after)
        return name, _core.Sample.make(varied, made).widened(self._problem)

    # Asking.

    def ask(self, n: int | None = None) -> list[Row]:
        """Rows to run: all that are left, or at most `n`. None is handed out twice, and none that repeats an earlier one.

        May be called from any thread, and from other processes on the same `out`.
        """
        if n is not None and n < 0:
            raise SampleError.expected("so many rows cannot be asked for", "0 or more, or None for all", n)
        with self._lock, self._locked():
            now = time.time()
            asked = [self._sample._row(place) for place in itertools.islice(self._next(now), n)]
            self._lend([row.number for row in asked], now)
            if self._journal is not None and asked:
                self._journal.write({"lent": [row.number for row in asked], "at": now})
            return asked

    def _lend(self, numbers: Iterable[int], now: float) -> None:
        for number in numbers:
            if number in self._lent:
                self._again.add(number)
            self._lent[number] = now

    def _next(self, now: float) -> Iterator[int]:
        """Places of rows that nobody has: fresh ones, then those whose lease is over."""
        known = (self._told, self._failed, self._lent)
        while self._free:
            if not any(int(self._sample.number[self._free[-1]]) in part for part in known):
                yield self._free[-1]
            self._free.pop()
        late = [number for number, at in self._lent.items() if now - at > self._lease and not self._is_known(number)]
        places = {int(number): place for place, number in enumerate(self._sample.number)} if late else {}
        for number in late:
            yield places[number]

    def _is_known(self, number: int) -> bool:
        return number in self._told or number in self._failed

    def _refill(self) -> None:
        fresh = np.flatnonzero(self._sample.duplicate_of < 0)
        self._free: list[int] = fresh[::-1].tolist()
        self._known_numbers = set(self._sample.number.tolist())

    # Telling.

    def tell(self, row: Row | int, /, **outputs: float) -> None:
        """Say what a row gave: ``loop.tell(row, dice=0.43)``. A number that is not finite is a failed output.

        Parameters
        ----------
        row : Row or int
            The row, or its number.
        **outputs : float
            Each output under its name.

        """
        values = {name: _finite(float(value)) for name, value in outputs.items()}
        with self._lock, self._locked():
            number = self._number(row)
            if not outputs:
                raise SampleError.expected(f"row {number} was told without an output", "dice=0.43", "nothing")
            if number in self._told:
                self._told_again(number, values)
                return
            self._told[number] = values
            self._failed.pop(number, None)
            if self._journal is not None:
                self._journal.write(
                    {"told": number, "outputs": {k: v if math.isfinite(v) else None for k, v in values.items()}}
                )

    def _told_again(self, number: int, values: dict[str, float]) -> None:
        """Keep the first answer: an equal one is no other, and a row whose lease was over may have several."""
        known = self._told[number]
        if known.keys() == values.keys() and all(_same(known[name], values[name]) for name in known):
            return
        if number not in self._again:
            raise SampleError.expected(f"row {number} is told twice", known, values)
        text = f"row {number} was handed out again when its lease was over, and is told twice; the first answer stays"
        warnings.warn(text, stacklevel=3)

    def fail(self, row: Row | int, why: object = "") -> None:
        """Say that a row failed, and why. It is never a number."""
        with self._lock, self._locked():
            number = self._number(row)
            if number in self._told and number in self._again:
                return
            if number in self._told:
                raise SampleError.expected(f"row {number} was told", "a row that is not told", "one that is")
            self._failed[number] = str(why)
            if self._journal is not None:
                self._journal.write({"failed": number, "why": str(why)})

    def _number(self, row: Row | int) -> int:
        number = row.number if isinstance(row, Row) else int(row)
        if number not in self._known_numbers:
            raise SampleError.expected("this row is not in the sample", "a row that was asked for", number)
        return number

    # What came of it.

    @property
    def rows(self) -> Sample:
        """All rows of the phase."""
        with self._lock, self._locked():
            return self._sample

    @property
    def failures(self) -> dict[int, str]:
        """Rows that failed, and why."""
        with self._lock, self._locked():
            return dict(self._failed)

    @property
    def waiting(self) -> int:
        """Rows that were asked for and are not told."""
        with self._lock, self._locked():
            return sum(not self._is_known(number) for number in self._lent)

    def __str__(self) -> str:
        with self._lock, self._locked():
            repeated = int((self._sample.duplicate_of >= 0).sum())
            return (
                f"{len(self._told):,} rows told, {len(self._failed):,} failed, {repeated:,} answered by an earlier row; "
                f"{self.waiting:,} asked and not told"
            )

    def __repr__(self) -> str:
        return f"<Loop {self.phase}: {self}>"

    def answer(self, output: str | None = None, **options: Any) -> Analysis:
        """Which parameters matter, by the rows that were told so far, in other processes too.

        Parameters
        ----------
        output : str, optional
            Which output; all without it.
        **options
            Those of :func:`analyze`.

        """
        with self._lock, self._locked():
            sample = self._sample
            names = list(dict.fromkeys(name for outputs in self._told.values() for name in outputs))
            if not names:
                raise SampleError.expected("no row was told", "rows told by loop.tell", "none")
            numbers = [*self._told, *self._failed]
            nothing: Mapping[str, float] = {}
            columns = {
                name: np.array([self._told.get(number, nothing).get(name, math.nan) for number in numbers])
                for name in names
            }
        answers = {"row": np.array(numbers, dtype=np.uint64), **columns}
        return analyze(self._problem, sample, answers, output=output or names, **options)

    def extend(self, **size: int) -> None:
        """Add rows: ``loop.extend(trajectories=40)`` makes 40 of them in all; ``ask`` then gives only the new ones.

        Parameters
        ----------
        **size : int
            ``trajectories``, ``base``, ``rows`` or ``n``: the size in all.

        """
        if len(size) != 1 or not set(size) <= _SIZES:
            raise SampleError.expected("a loop has one size", "one of " + ", ".join(sorted(_SIZES)), ", ".join(size))
        total = next(iter(size.values()))
        with self._lock, self._locked():
            self._grow(total)
            if self._journal is not None:
                self._journal.write({"size": total})

    def _grow(self, total: int) -> None:
        self._sample = self._sample.extend(total)
        self._refill()

    def next(self) -> Loop:
        """The loop of the phase that follows, with the parameters that it keeps."""
        names = [name for name, _ in self._problem.phases]
        place = names.index(self.phase) + 1 if self.phase in names else len(names)
        if place >= len(names):
            raise StudyError.expected(
                f"no phase follows `{self.phase}`", "a study with a later phase", ", ".join(names) or "none"
            )
        after = json.dumps(self.answer().to_json())
        out = None if self._out is None else self._out / names[place]
        return Loop(self._study, names[place], out=out, lease=self._lease, _after=after)

    # The journal.

    def _identity(self) -> dict[str, Any]:
        """What a journal belongs to: the design that the loop begins with, which :meth:`extend` makes larger."""
        digest = hashlib.sha256(json.dumps(self._sample.names).encode())
        digest.update(np.ascontiguousarray(self._sample.values, dtype="<f8").tobytes())
        size = len(self._sample)
        return {"onceflow": 1, "phase": self.phase, "size": size, "rows": digest.hexdigest()}

    @contextlib.contextmanager
    def _locked(self) -> Generator[None]:
        if self._journal is None:
            yield
            return
        with self._journal.locked():
            self._catch_up()
            yield

    def _catch_up(self) -> None:
        """Take what other processes wrote, and this one before it ended."""
        assert self._journal is not None
        for line in self._journal.read():
            match line:
                case {"told": number, "outputs": outputs}:
                    told = {name: math.nan if value is None else value for name, value in outputs.items()}
                    self._told.setdefault(number, told)
                    self._failed.pop(number, None)
                case {"failed": number, "why": why}:
                    self._failed[number] = why
                case {"lent": numbers, "at": at}:
                    self._lend(numbers, at)
                case {"size": total}:
                    self._grow(total)
                case _:
                    pass


def _search(study: ProblemLike, problem: _core.Problem, phase: str, options: Mapping[str, Any]) -> Search:
    """The search of a phase that tunes: its parameters, metric, tuner and seed, where the caller says no others."""
    said = study_of(study).phases if is_path(study) or isinstance(study, Study) else ()
    own = next((part for part in said if isinstance(part, Tune) and part.name == phase), Tune(phase))
    known = {key: options[key] for key in ("out", "tuner", "seed", "maximize", "minimize") if key in options}
    if not known.keys() & {"maximize", "minimize"}:
        known["maximize"] = own.metric or problem.outputs[:1]
    varied, _ = problem.phase(phase, options.get("_after"))
    fixed: dict[str, Any] = {}
    if len(varied.names) < len(problem.names):
        row = Sample(sample(varied, "mc", 1)._core.widened(problem), problem)._row(0)
        fixed = {name: value for name, value in row.items() if name not in varied.names}
    defaults: dict[str, Any] = {"tuner": own.tuner, "seed": own.seed}
    return Search(varied, **(defaults | known), _fixed=fixed)


def _finite(value: float) -> float:
    """The value, or NaN for one that is not finite: the journal has no other."""
    return value if math.isfinite(value) else math.nan


def _same(first: float, second: float) -> bool:
    return first == second or (math.isnan(first) and math.isnan(second))


def _seconds(given: str | float) -> float:
    """A duration such as ``"1 h"``, or seconds."""
    if isinstance(given, int | float):
        return float(given)
    number, _, unit = given.strip().partition(" ")
    try:
        return float(number) * _UNITS[unit or "s"]
    except (KeyError, ValueError) as error:
        raise StudyError.expected("this is no duration", '"1 h", "2 min" or seconds', repr(given)) from error
