"""Which parameters matter: indices with intervals and verdicts, from rows and their results."""

from __future__ import annotations

import json
import math
import warnings
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from onceflow import _core
from onceflow.errors import FailedRows, SampleError
from onceflow.plot import Plot
from onceflow.problem import ProblemLike, problem_of
from onceflow.sample import Sample
from onceflow.table import Table

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Analysis", "analyze"]

_LAYOUTS = {"vbd": ("saltelli-second-order", "saltelli"), "morris": ("morris",)}
_DECIDES = {"vbd": "st", "morris": "mu_star", "rbd-fast": "s1", "delta": "delta", "pawn": "median"}
_RESERVED = ("row", "status", "role", "base", "replicate", "duplicate_of")


class Analysis:
    """Indices of one or several outputs: what :func:`analyze` gives, and :meth:`Run.indices`.

    ``print`` shows the table of effects, the largest first. Numbers that cannot be estimated are NaN, never 0.
    """

    def __init__(self, core: _core.Analysis) -> None:
        self._core = core
        self._answer: dict[str, Any] = json.loads(core.json())

    @classmethod
    def _of(cls, answer: Mapping[str, Any]) -> Analysis:
        """One that a run kept."""
        return cls(_core.Analysis.of_json(json.dumps(answer)))

    def __str__(self) -> str:
        return self._core.text()

    def __repr__(self) -> str:
        return f"<Analysis {self.method} of {', '.join(self.outputs)}, {self.rows:,} rows>"

    def _repr_html_(self) -> str:
        return self.plot()._repr_html_()

    @property
    def method(self) -> str:
        """``vbd``, ``morris``, ``correlation``, ``rbd-fast``, ``delta`` or ``pawn``."""
        return self._answer["method"]

    @property
    def rows(self) -> int:
        """Rows that took part, failed ones included."""
        return self._answer["rows"]

    @property
    def outputs(self) -> list[str]:
        """Names of the outputs."""
        return [output["name"] for output in self._answer["outputs"]]

    @property
    def estimator(self) -> str:
        """The estimator in words, with its reference."""
        return self._answer["estimator"]

    @property
    def warnings(self) -> list[str]:
        """What the reader must know: failures in a corner, an output that does not vary, too few rows."""
        return [warning for output in self._answer["outputs"] for warning in output["warnings"]]

    @property
    def failed(self) -> int:
        """Rows that failed, of the output that has the most."""
        return max((output["failures"]["failed"] for output in self._answer["outputs"]), default=0)

    @property
    def undecided(self) -> list[str]:
        """Parameters whose interval contains the threshold."""
        return self._with_verdict("undecided")

    @property
    def influential(self) -> list[str]:
        """Parameters whose interval lies above the threshold."""
        return self._with_verdict("influential")

    def _with_verdict(self, verdict: str) -> list[str]:
        found = [p["name"] for o in self._answer["outputs"] for p in o["parameters"] if p.get("verdict") == verdict]
        return list(dict.fromkeys(found))

    def __getitem__(self, output: str) -> Analysis:
        """The analysis of one output."""
        chosen = [found for found in self._answer["outputs"] if found["name"] == output]
        if not chosen:
            raise SampleError.expected(f"there is no output `{output}`", f"one of {', '.join(self.outputs)}", output)
        return Analysis._of({**self._answer, "outputs": chosen})

    @cached_property
    def table(self) -> Table:
        """One line for each output and parameter, the largest effects first."""
        lines = [
            {"output": output["name"], "parameter": parameter["name"], **_figures(parameter)}
            for output in self._answer["outputs"]
            for parameter in sorted(output["parameters"], key=self._by_effect)
        ]
        return Table.of_lines(lines)

    def _by_effect(self, parameter: Mapping[str, Any]) -> float:
        """Sorts by the index that decides; correlations, of which none decides, stay in their order."""
        value = parameter.get(_DECIDES.get(self.method, ""))
        return math.inf if value is None else -float(value)

    def to_pandas(self) -> Any:
        """One data frame of pandas, one line for each parameter; with several outputs, for each output and parameter."""
        frame = self.table.to_pandas()
        if len(self.outputs) == 1:
            return frame.drop(columns="output").set_index("parameter").rename_axis(None)
        return frame.set_index(["output", "parameter"])

    to_df = to_pandas

    def pairs(self) -> Table:
        """Second-order indices, one line for each output and pair."""
        lines = [
            {"output": output["name"], **pair} for output in self._answer["outputs"] for pair in output.get("pairs", [])
        ]
        return Table.of_lines(lines)

    def to_salib(self) -> dict[str, Any]:
        """SALib's dictionary: ``S1``, ``S1_conf`` and so on as arrays; of several outputs, one for each of them.

        A ``_conf`` is half the width of our interval.
        """
        found = json.loads(self._core.salib())
        if len(self.outputs) > 1:
            return {name: _arrays(dictionary) for name, dictionary in found.items()}
        return _arrays(found)

    def to_json(self) -> dict[str, Any]:
        """The object that ``onceflow analyze --json`` prints."""
        return json.loads(json.dumps(self._answer))

    def plot(self, output: str | None = None, *, kind: str | None = None) -> Plot:
        """Draw the indices of an output.

        Parameters
        ----------
        output : str, optional
            Its name; the first one without it.
        kind : str, optional
            ``bars``, ``scatter`` (of ``morris``) or ``heat-map`` (with second order).

        """
        place = 0 if output is None else self.outputs.index(output)
        kinds = self._core.plot_kinds(place)
        svg = self._core.plot(place, kind or kinds[0])
        return Plot(svg, self.table)


def _figures(parameter: dict[str, Any]) -> dict[str, Any]:
    """Numbers first, then the verdict and what was lost."""
    last = ("verdict", "more_rows", "lost")
    numbers = {key: value for key, value in parameter.items() if key not in ("name", *last)}
    figures = {key: math.nan if value is None else value for key, value in numbers.items()}
    return figures | {key: parameter[key] for key in ("verdict", "lost") if key in parameter}


def _arrays(dictionary: dict[str, Any]) -> dict[str, Any]:
    return {key: value if key == "names" else np.array(value, dtype=np.float64) for key, value in dictionary.items()}


def analyze(
    problem: ProblemLike,
    X: Sample | NDArray[Any] | Sequence[Sequence[float]],
    Y: Any,
    *,
    method: str | None = None,
    output: str | Sequence[str] | None = None,
    second_order: bool | None = None,
    estimator: str | None = None,
    confidence: float | None = None,
    resamples: int | None = None,
    seed: int | None = None,
    failures: str | None = None,
    threshold: float | None = None,
) -> Analysis:
    """Say which parameters matter.

    Parameters
    ----------
    problem : dict, path or Study
        The problem that X was made from.
    X : Sample or array, shape (rows, parameters)
        The rows. A matrix of SALib is taken in SALib's order, and needs `method`.
    Y : array, mapping of arrays or data frame
        The results: one for each row of X, or a frame with a column ``row``, in any order and with rows missing. A NaN is a row that failed.
    method : str, optional
        ``vbd``, ``morris``, ``correlation``, ``rbd-fast``, ``delta`` or ``pawn``. The roles of the rows decide about the first two.
    output : str or list of str, optional
        Which columns of Y; all that are neither parameters nor ``row`` without it.
    second_order : bool, optional
        Whether indices of pairs are wanted; yes where X has the rows for it.
    estimator : str, optional
        ``controlled``, ``saltelli``, ``janon`` or ``martinez``.
    confidence : float, optional
        Probability of the intervals, 0.95 without it.
    resamples : int, optional
        Bootstrap resamples, where the bootstrap is used.
    seed : int, optional
        Seed of the bootstrap.
    failures : str, optional
        ``drop`` (leave out what a failed row takes part in), ``bounds`` (widen the intervals besides) or ``stop``.
    threshold : float, optional
        An index whose interval lies above it is influential.

    Returns
    -------
    Analysis

    Examples
    --------
    >>> import numpy as np, onceflow as of
    >>> problem = {"num_vars": 2, "names": ["a", "b"], "bounds": [[0, 1], [0, 1]]}
    >>> X = of.sample(problem, "saltelli", n=256, seed=1)
    >>> answer = of.analyze(problem, X, X.values[:, 0] + 0.1 * X.values[:, 1])
    >>> answer.influential
    ['a']

    """
    read = problem_of(problem)
    columns, numbers = _columns(read, Y, output)
    rows = X._core if isinstance(X, Sample) else _bare(read, X, method, second_order)
    technique = _technique(rows, method)
    pairs = second_order if second_order is not None else technique == "vbd" and _has_pairs(rows)
    asked = {
        "technique": technique,
        "second_order": pairs,
        "estimator": estimator,
        "confidence": confidence,
        "resamples": resamples,
        "seed": seed,
        "failures": failures,
        "threshold": threshold,
    }
    names = _names(read, columns)
    found = _core.Analysis(read, rows, names, list(columns.values()), numbers, asked)
    answer = Analysis(found)
    if answer.failed:
        text = f"{answer.failed:,} of {answer.rows:,} rows failed; what they take part in is left out"
        warnings.warn(text, FailedRows, stacklevel=2)
    return answer


def _technique(rows: _core.Sample, method: str | None) -> str:
    own = rows.technique
    wanted = {"moat": "morris", "saltelli": "vbd", "sobol": "vbd"}.get(method or "", method)
    if wanted is None and own is None:
        expected = "method=, one of correlation, rbd-fast, delta, pawn"
        raise SampleError.expected("rows without roles can be analysed in several ways", expected, "none")
    if wanted in ("vbd", "morris") and own != wanted:
        found = f"rows of {own or rows.method or 'no design'}"
        hint = "leave method= out: it follows from the rows" if own else "of.sample(problem, 'saltelli', n=1024)"
        raise SampleError.expected(f"{wanted} cannot analyse these rows", f"rows of {wanted}", found, hint=hint)
    return wanted or own or ""


def _has_pairs(rows: _core.Sample) -> bool:
    words, _ = rows.roles()
    return any(word.startswith("BA:") for word in words)


def _bare(problem: _core.Problem, X: Any, method: str | None, second_order: bool | None) -> _core.Sample:
    """A matrix, with the roles that SALib's order gives it."""
    values = np.ascontiguousarray(X, dtype=np.float64)
    if values.ndim != 2:
        raise SampleError.expected("X is no matrix", "rows and parameters", f"{values.ndim} dimensions")
    layouts = _LAYOUTS.get({"moat": "morris", "saltelli": "vbd", "sobol": "vbd"}.get(method or "", method or ""))
    if layouts is None:
        return _core.Sample.of_values(problem, values, "points")
    if len(layouts) == 2 and second_order is not None:
        layouts = (layouts[0],) if second_order else (layouts[1],)
    for layout in layouts[:-1]:
        try:
            return _core.Sample.of_values(problem, values, layout)
        except SampleError:
            pass  # Without second order, then: its error is the one to show.
    return _core.Sample.of_values(problem, values, layouts[-1])


def _names(problem: _core.Problem, columns: dict[str, NDArray[np.float64]]) -> list[str]:
    """Columns without names have those of the problem."""
    given = list(columns)
    if all(name.isdigit() for name in given):
        if len(problem.outputs) == len(given):
            return problem.outputs
        return ["y"] if len(given) == 1 else [f"y{place + 1}" for place in range(len(given))]
    return given


def _columns(
    problem: _core.Problem, Y: Any, output: str | Sequence[str] | None
) -> tuple[dict[str, NDArray[np.float64]], NDArray[np.uint64] | None]:
    """Columns of numbers by name, and the numbers of their rows where they are said."""
    if isinstance(Y, Mapping) or hasattr(Y, "columns") or isinstance(Y, Table):
        return _named(problem, Y, output)
    values = np.asarray(Y, dtype=np.float64)
    if values.ndim not in (1, 2):
        raise SampleError.expected("Y has the wrong form", "one or two dimensions", values.ndim)
    columns = [values] if values.ndim == 1 else list(values.T)
    return {str(place): np.ascontiguousarray(column) for place, column in enumerate(columns)}, None


def _named(
    problem: _core.Problem, Y: Any, output: str | Sequence[str] | None
) -> tuple[dict[str, NDArray[np.float64]], NDArray[np.uint64] | None]:
    given = {str(name): name for name in (Y.columns if hasattr(Y, "columns") else Y)}
    known = list(given)
    numbers = np.asarray(Y["row"], dtype=np.uint64) if "row" in known else None
    if output is None:
        inputs = {*problem.names, *_RESERVED}
        wanted = [name for name in known if name not in inputs]
        wanted = [name for name in problem.outputs if name in wanted] or wanted
    else:
        wanted = [output] if isinstance(output, str) else list(output)
    missing = [name for name in wanted if name not in known]
    if missing or not wanted:
        what = f"the columns {', '.join(missing)}" if missing else "a column for each output"
        raise SampleError.expected("Y has no such output", what, ", ".join(known) or "no column")
    columns = {name: np.ascontiguousarray(np.asarray(Y[given[name]]), dtype=np.float64) for name in wanted}
    if "status" in known:
        failed = np.isin(np.asarray(Y["status"]).astype(str), ["failed", "fail", "error"])
        columns = {name: np.where(failed, np.nan, column) for name, column in columns.items()}
    return columns, numbers
