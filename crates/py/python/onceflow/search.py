"""A loop that looks for the best values: rows follow from what earlier rows gave."""

from __future__ import annotations

import math
import os
import tempfile
from collections.abc import Mapping, Sequence
from typing import Any

from onceflow import _core
from onceflow.errors import SampleError
from onceflow.problem import ProblemLike, problem_of
from onceflow.sample import Row

__all__ = ["Search"]


class Search:
    """Rows of a search, asked for and told; with `out` a kernel that dies goes on where it was.

    Parameters
    ----------
    problem : path, Study or dict
        What varies.
    maximize, minimize : str or list of str
        What is improved: names of outputs.
    out : path, optional
        The folder of the search, which one process at a time uses.
    tuner : str, optional
        ``auto``, ``gp``, ``tpe``, ``cma-es``, ``coordinate``, ``ga``, ``nsga-ii``, ``nelder-mead``, ``pro`` or ``random``.
    seed : int, optional
        Seed of everything random.

    Examples
    --------
    >>> import onceflow as of
    >>> problem = {"num_vars": 2, "names": ["a", "b"], "bounds": [[-1, 1], [-1, 1]]}
    >>> search = of.Search(problem, minimize="loss", seed=1)
    >>> for _ in range(40):
    ...     for row in search.ask():
    ...         search.tell(row, loss=(row["a"] - 0.25) ** 2 + row["b"] ** 2)
    >>> search.best["outputs"]["loss"] < 0.05
    True

    """

    def __init__(
        self,
        problem: ProblemLike,
        *,
        maximize: str | Sequence[str] = (),
        minimize: str | Sequence[str] = (),
        out: str | os.PathLike[str] | None = None,
        tuner: str | None = None,
        seed: int | None = None,
        _fixed: Mapping[str, Any] | None = None,
    ) -> None:
        self._fixed = dict(_fixed or {})
        self._temporary = tempfile.TemporaryDirectory(prefix="onceflow-") if out is None else None
        folder = self._temporary.name if self._temporary is not None else os.fspath(out or "")
        objectives = [(name, True) for name in _names(maximize)] + [(name, False) for name in _names(minimize)]
        self._core = _core.Search(problem_of(problem), folder, tuner, seed, objectives)

    def ask(self, n: int = 1) -> list[Row]:
        """Rows to run: those that were asked for and are not told, and new ones, at most `n` in all.

        A method that must know some rows before it chooses others gives fewer. Threads that ask at once get the same rows:
        one of them asks, and hands them out.
        """
        if n < 0:
            raise SampleError.expected("so many rows cannot be asked for", "0 or more", n)
        waiting = [self._row(number, values) for number, values, _ in self._core.waiting(n) if number is not None]
        if len(waiting) == n:
            return waiting
        fresh = self._core.ask(n - len(waiting))
        return [*waiting, *(self._row(number, values) for number, values, _ in fresh if number is not None)]

    def tell(self, row: Row | int, /, **outputs: float) -> None:
        """Say what a row gave: ``search.tell(row, dice=0.43)``. A number that is not finite is a failed row."""
        names = [name for name, _ in self._core.objectives]
        missing = [name for name in names if name not in outputs]
        if missing:
            raise SampleError.expected(
                "a row was told without what is improved", ", ".join(names), ", ".join(outputs) or "nothing"
            )
        values = [float(outputs[name]) for name in names]
        self._core.tell(_number(row), values if all(map(math.isfinite, values)) else None)

    def fail(self, row: Row | int, why: object = "") -> None:
        """Say that a row failed. It is never a number."""
        del why  # The search keeps numbers only.
        self._core.tell(_number(row), None)

    @property
    def best(self) -> dict[str, Any]:
        """The row with the best value: its number, parameters and outputs."""
        found = self._core.best()
        if found is None:
            raise SampleError.expected("no row was told", "rows told by search.tell", "none")
        number, values, told = found
        names = [name for name, _ in self._core.objectives]
        return {
            "row": number,
            "parameters": {**self._fixed, **dict(values)},
            "outputs": dict(zip(names, told or [], strict=True)),
        }

    def _row(self, number: int, values: Sequence[tuple[str, Any]]) -> Row:
        """A row, with what the search does not vary."""
        return Row(number, {**self._fixed, **dict(values)})

    def __str__(self) -> str:
        rows = self._core.rows()
        told = [outcome for _, _, outcome in rows if outcome]
        failed = sum(outcome is False for _, _, outcome in rows)
        best = ""
        if told:
            found = self.best
            pairs = [f"{name} {value:.4g}" for name, value in found["outputs"].items()]
            best = f"; best {', '.join(pairs)} in row {found['row']}"
        return f"{len(told):,} rows told, {failed:,} failed{best}"

    def __repr__(self) -> str:
        return f"<Search: {self}>"


def _names(given: str | Sequence[str]) -> list[str]:
    return [given] if isinstance(given, str) else list(given)


def _number(row: Row | int) -> int:
    return row.number if isinstance(row, Row) else int(row)
