"""Ask and tell: rows for a model of your own, one by one or in batches, kept in a journal that outlives the process."""

from __future__ import annotations

import contextlib
import json
import math
import os
import threading
import time
from collections.abc import Generator, Iterator, Mapping
from pathlib import Path
from typing import Any, Self, cast

import numpy as np

from onceflow import _core
from onceflow.analysis import Analysis, analyze
from onceflow.errors import SampleError, StudyError
from onceflow.problem import ProblemLike, problem_of
from onceflow.sample import Row, Sample
from onceflow.search import Search

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
        known = {key: options[key] for key in ("out", "tuner", "seed", "maximize", "minimize") if key in options}
        if not known.keys() & {"maximize", "minimize"}:
            known["maximize"] = problem.outputs[:1]
        return cast(Any, Search(study, **known))

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
        self._free = iter(())
        self._journal = None if out is None else _Journal(Path(out), self._identity())
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
            from onceflow.sample import sample

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
        with self._lock, self._locked():
            now = time.time()
            asked: list[Row] = []
            for place in self._next(now):
                asked.append(self._sample._row(place))
                if len(asked) == n:
                    break
            for row in asked:
                self._lent[row.number] = now
            if self._journal is not None and asked:
                self._journal.write({"lent": [row.number for row in asked], "at": now})
            return asked

    def _next(self, now: float) -> Iterator[int]:
        """Places of rows that nobody has: fresh ones, then those whose lease is over."""
        known = (self._told, self._failed, self._lent)
        for place in self._free:
            if not any(int(self._sample.number[place]) in part for part in known):
                yield place
        late = [number for number, at in self._lent.items() if now - at > self._lease and not self._is_known(number)]
        places = {int(number): place for place, number in enumerate(self._sample.number)} if late else {}
        for number in late:
            yield places[number]

    def _is_known(self, number: int) -> bool:
        return number in self._told or number in self._failed

    def _refill(self) -> None:
        fresh = np.flatnonzero(self._sample.duplicate_of < 0)
        self._free = iter(fresh.tolist())
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
        number = self._number(row)
        if not outputs:
            raise SampleError.expected(f"row {number} was told without an output", "dice=0.43", "nothing")
        values = {name: float(value) for name, value in outputs.items()}
        with self._lock, self._locked():
            if self._told.get(number, values) != values:
                raise SampleError.expected(f"row {number} is told twice", self._told[number], values)
            self._told[number] = values
            self._failed.pop(number, None)
            if self._journal is not None:
                self._journal.write(
                    {"told": number, "outputs": {k: v if math.isfinite(v) else None for k, v in values.items()}}
                )

    def fail(self, row: Row | int, why: object = "") -> None:
        """Say that a row failed, and why. It is never a number."""
        number = self._number(row)
        with self._lock, self._locked():
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
        return self._sample

    @property
    def failures(self) -> dict[int, str]:
        """Rows that failed, and why."""
        return dict(self._failed)

    @property
    def waiting(self) -> int:
        """Rows that were asked for and are not told."""
        return sum(not self._is_known(number) for number in self._lent)

    def __str__(self) -> str:
        repeated = int((self._sample.duplicate_of >= 0).sum())
        return (
            f"{len(self._told):,} rows told, {len(self._failed):,} failed, {repeated:,} answered by an earlier row; "
            f"{self.waiting:,} asked and not told"
        )

    def __repr__(self) -> str:
        return f"<Loop {self.phase}: {self}>"

    def answer(self, output: str | None = None, **options: Any) -> Analysis:
        """Which parameters matter, by the rows that were told so far.

        Parameters
        ----------
        output : str, optional
            Which output; all without it.
        **options
            Those of :func:`analyze`.

        """
        with self._lock:
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
        return analyze(self._problem, self._sample, answers, output=output or names, **options)

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
        """What a journal belongs to: the design, which begins every larger one."""
        digest = json.dumps([self._sample.names, self._sample.values[: min(len(self._sample), 64)].tolist()])
        return {"onceflow": 1, "phase": self.phase, "rows": digest}

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
                    self._told[number] = {name: math.nan if value is None else value for name, value in outputs.items()}
                    self._failed.pop(number, None)
                case {"failed": number, "why": why}:
                    self._failed[number] = why
                case {"lent": numbers, "at": at}:
                    self._lent.update(dict.fromkeys(numbers, at))
                case {"size": total}:
                    self._grow(total)
                case _:
                    pass


class _Journal:
    """Lines of JSON, appended under a lock that other processes take too."""

    def __init__(self, folder: Path, identity: dict[str, Any]) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._path = folder / "loop.jsonl"
        self._file = self._path.open("a+b")
        self._at = 0
        self._depth = 0
        with self.locked():
            first = self._first_line()
            if first is None:
                self.write(identity)
            elif first != identity:
                found = f"those of phase {first.get('phase')}"
                raise StudyError.expected(
                    f"{self._path} has other rows", "the rows of this loop", found, hint="choose another folder"
                )
            else:
                self._at = len(json.dumps(identity)) + 1

    def _first_line(self) -> dict[str, Any] | None:
        self._file.seek(0)
        line = self._file.readline()
        return json.loads(line) if line.endswith(b"\n") else None

    @contextlib.contextmanager
    def locked(self) -> Generator[None]:
        """Hold the file alone."""
        if self._depth == 0:
            _lock(self._file.fileno())
        self._depth += 1
        try:
            yield
        finally:
            self._depth -= 1
            if self._depth == 0:
                self._file.flush()
                _unlock(self._file.fileno())

    def read(self) -> Iterator[dict[str, Any]]:
        """Lines since the last call; one that was cut by the end of a process is left out."""
        if os.fstat(self._file.fileno()).st_size <= self._at:
            return
        self._file.seek(self._at)
        for line in self._file.read().splitlines(keepends=True):
            self._at += len(line)
            with contextlib.suppress(json.JSONDecodeError):
                yield json.loads(line)

    def write(self, line: dict[str, Any]) -> None:
        """Append a line of this process, which need not be read again."""
        text = json.dumps(line).encode() + b"\n"
        size = os.fstat(self._file.fileno()).st_size
        if size > 0 and size == self._at and self._is_cut(size):
            text = b"\n" + text
        self._file.write(text)
        self._file.flush()
        self._at += len(text)

    def _is_cut(self, size: int) -> bool:
        """Whether the file ends within a line, since a process ended while it wrote."""
        return os.pread(self._file.fileno(), 1, size - 1) != b"\n"


def _lock(file: int) -> None:
    if os.name == "posix":
        import fcntl

        fcntl.flock(file, fcntl.LOCK_EX)


def _unlock(file: int) -> None:
    if os.name == "posix":
        import fcntl

        fcntl.flock(file, fcntl.LOCK_UN)


def _seconds(given: str | float) -> float:
    """A duration such as ``"1 h"``, or seconds."""
    if isinstance(given, int | float):
        return float(given)
    number, _, unit = given.strip().partition(" ")
    try:
        return float(number) * _UNITS[unit or "s"]
    except (KeyError, ValueError) as error:
        raise StudyError.expected("this is no duration", '"1 h", "2 min" or seconds', repr(given)) from error
