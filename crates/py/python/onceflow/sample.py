"""Rows to run, each with its role in its design."""

from __future__ import annotations

import json
import warnings
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from onceflow import _core
from onceflow.errors import SampleError
from onceflow.problem import ProblemLike, problem_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

__all__ = ["Row", "Sample", "sample"]

_ALIASES = {"moat": "morris", "vbd": "saltelli", "random": "mc"}
_KINDS = {"lhs": "plain", "morris": "plain"}


class Row(dict[str, Any]):
    """The values of one row by the names of its parameters, with its number as ``number``."""

    number: int

    def __init__(self, number: int, values: dict[str, Any]) -> None:
        super().__init__(values)
        self.number = number

    def __repr__(self) -> str:
        return f"Row({self.number}, {dict(self)!r})"


class Sample:
    """Rows with their roles: what :func:`sample` makes.

    Attributes
    ----------
    values : ndarray of float64, shape (rows, parameters)
        Read-only. A parameter of words has the places of its words.
    number, role, base, duplicate_of : ndarray
        Of each row: its number, its role in the design (``"A"``, ``"AB:x1"``, ``"step:x2"``, ``"point"``), the number of its base row or
        trajectory, and the first row with the same values (-1 for rows that repeat none).
    new : list of Row
        The rows that an extension added; all rows of a sample that was not extended.

    """

    def __init__(self, core: _core.Sample, problem: _core.Problem, known: int = 0) -> None:
        self._core = core
        self._problem = problem
        self._known = known

    def __len__(self) -> int:
        return len(self._core)

    def __repr__(self) -> str:
        return f"<Sample {self._core}>"

    def __iter__(self) -> Iterator[Row]:
        return (self._row(place) for place in range(len(self)))

    def __getitem__(self, place: int) -> Row:
        return self._row(range(len(self))[place])

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        return np.array(self.values, dtype=dtype, copy=copy)

    @property
    def names(self) -> list[str]:
        """Names of the parameters, in the order of the columns."""
        return self._core.names

    @cached_property
    def values(self) -> NDArray[np.float64]:
        """All values, a row for each row."""
        return self._core.values()

    @cached_property
    def number(self) -> NDArray[np.int64]:
        """Numbers of the rows, by which results are matched."""
        return self._core.ids()

    @cached_property
    def base(self) -> NDArray[np.int64]:
        """Number of the base row, trajectory or star of each row."""
        return self._core.bases()

    @cached_property
    def duplicate_of(self) -> NDArray[np.int64]:
        """The first row with the same values, -1 where there is none."""
        return self._core.duplicates_of()

    @cached_property
    def role(self) -> NDArray[np.str_]:
        """The role of each row."""
        words, places = self._core.roles()
        return np.array(words)[places]

    @property
    def new(self) -> list[Row]:
        """The rows that an extension added and that repeat no earlier one."""
        fresh = range(self._known, len(self))
        return [self._row(place) for place in fresh if self.duplicate_of[place] < 0]

    def extend(self, n: int) -> Sample:
        """Make a larger sample that begins with this one, bit for bit.

        Parameters
        ----------
        n : int
            The size of the larger one, as :func:`sample` takes it.

        """
        return Sample(self._core.extend(n), self._problem, known=len(self))

    def to_pandas(self) -> Any:
        """The rows as a data frame of pandas, with words where a parameter has words."""
        import pandas as pd

        columns: dict[str, Any] = {"row": self.number, "role": self.role, "base": self.base}
        for place, name in enumerate(self.names):
            columns[name] = self._column(place)
        return pd.DataFrame(columns)

    def to_csv(self) -> str:
        """The sample as a table that ``onceflow analyze -X`` reads."""
        return self._core.text(False)

    def _column(self, place: int) -> NDArray[Any]:
        words = self._problem.words[place]
        numbers = self.values[:, place]
        if words is not None:
            return np.array(words, dtype=object)[numbers.astype(np.int64)]
        return numbers.astype(np.int64) if self._problem.integers[place] else numbers

    @cached_property
    def _lists(self) -> list[list[Any]]:
        """Columns with the numbers and words of Python."""
        return [self._column(place).tolist() for place in range(len(self.names))]

    @cached_property
    def _names(self) -> list[str]:
        return self.names

    def _row(self, place: int) -> Row:
        values = {name: column[place] for name, column in zip(self._names, self._lists, strict=True)}
        return Row(int(self.number[place]), values)


def sample(
    problem: ProblemLike,
    method: str = "saltelli",
    n: int | None = None,
    *,
    seed: int = 0,
    second_order: bool = False,
    replicates: int = 8,
    kind: str | None = None,
    candidates: int | None = None,
    levels: int = 4,
    fraction: int = 1,
    scramble: bool = True,
) -> Sample:
    """Make the rows of a design.

    Parameters
    ----------
    problem : dict, path or Study
        A problem of SALib as it is, the path of a study or problem, or a study.
    method : str
        ``saltelli`` (``vbd``), ``morris`` (``moat``), ``lhs``, ``sobol``, ``halton``, ``hammersley``, ``mc`` or ``grid``.
    n : int
        Base rows (``saltelli``), trajectories (``morris``) or rows. A grid has none.
    seed : int
        The same seed gives the same rows, on every machine.
    second_order : bool
        Whether ``saltelli`` has the rows for second-order indices.
    replicates : int
        Independent sets of ``saltelli``, whose spread gives the intervals.
    kind : str, optional
        ``plain``, ``optimised`` or ``radial`` of ``morris``; ``plain``, ``centred``, ``maximin`` or ``nested`` of ``lhs``.
    candidates : int, optional
        Random trajectories that ``optimised`` chooses from.
    levels : int
        Values that ``morris`` and ``grid`` take of a continuous parameter.
    fraction : int
        A grid keeps one row in this many.
    scramble : bool
        Whether the sequences ``sobol``, ``halton`` and ``hammersley`` are scrambled by the seed.

    Returns
    -------
    Sample

    Examples
    --------
    >>> import onceflow as of
    >>> problem = {"num_vars": 2, "names": ["a", "b"], "bounds": [[0, 1], [2, 4]]}
    >>> X = of.sample(problem, "saltelli", n=64, seed=1)
    >>> X.values.shape
    (256, 2)
    >>> X.role[:4].tolist()
    ['A', 'AB:a', 'AB:b', 'B']

    """
    read = problem_of(problem)
    word = _ALIASES.get(method, method)
    if word != "grid" and n is None:
        raise SampleError.expected("no sample size", "n", "none", hint="n=64")
    design: dict[str, Any] = {"method": word, "seed": str(seed)}
    match word:
        case "saltelli":
            design |= {"base": n, "second_order": second_order, "replicates": replicates}
        case "morris":
            design |= {"trajectories": n, "values": levels, "kind": kind or "plain"}
            if kind == "optimised":
                design["candidates"] = candidates or max(min(25 * (n or 0), 1000), n or 0)
        case "lhs":
            design |= {"rows": n, "kind": kind or "plain"}
        case "grid":
            design |= {"values": levels, "fraction": fraction}
        case "sobol" | "halton" | "hammersley":
            design |= {"rows": n, "scrambled": scramble}
        case _:
            design |= {"rows": n}
    made = _core.Sample.make(read, json.dumps(design))
    for warning in made.warnings:
        warnings.warn(warning, stacklevel=2)
    return Sample(made, read)
