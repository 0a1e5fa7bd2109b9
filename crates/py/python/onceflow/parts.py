"""What a study is made of: frozen objects that are written as the keys of its file."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from onceflow.errors import StudyError
from onceflow.kinds import is_list, is_mapping

__all__ = [
    "Fixed",
    "Image",
    "Keep",
    "LogNormal",
    "LogUniform",
    "Metric",
    "Moat",
    "Normal",
    "Phase",
    "Range",
    "Rows",
    "Triangular",
    "Tune",
    "Values",
    "Vbd",
    "Weibull",
    "parameter_of",
    "phase_of",
]

_METHODS = {
    "morris": "moat",
    "saltelli": "vbd",
    "sobol": "vbd",
    "monte-carlo": "mc",
    "random": "mc",
    "latin-hypercube": "lhs",
    "full-factorial": "grid",
}


def _said(part: Any) -> dict[str, Any]:
    """The fields that are not at their defaults, by their names in files; a list for each tuple."""
    said: dict[str, Any] = {}
    for own in dataclasses.fields(part):
        given = getattr(part, own.name)
        if own.default is not dataclasses.MISSING and given == own.default:
            continue
        key = own.metadata.get("key", own.name)
        said[key] = _plain(given)
    return said


def _plain(given: Any) -> Any:
    if is_list(given):
        return [_plain(part) for part in given]
    return given._table() if hasattr(given, "_table") else given


def _frozen(given: Any) -> Any:
    return tuple(_frozen(part) for part in given) if is_list(given) else given


@dataclass(frozen=True)
class _Described:
    """What every parameter may say of itself."""

    _: dataclasses.KW_ONLY
    default: float | int | str | None = None
    type: str | None = None
    group: str | None = None
    unit: str | None = None
    about: str | None = None

    _distribution: ClassVar[str | None] = None

    def __post_init__(self) -> None:
        for own in dataclasses.fields(self):
            object.__setattr__(self, own.name, _frozen(getattr(self, own.name)))

    def _table(self) -> Any:
        said = _said(self)
        if self._distribution is not None:
            said["distribution"] = self._distribution
        return said


def _end(key: str) -> Any:
    return field(metadata={"key": key})


@dataclass(frozen=True)
class Range(_Described):
    """Every number between two ends, or those at a step.

    Examples
    --------
    >>> import onceflow as of
    >>> of.Range(5, 80, step=5, default=40)
    Range(5, 80, default=40, step=5)

    """

    low: float = _end("from")
    high: float = _end("to")
    _: dataclasses.KW_ONLY
    step: float | None = None
    weights: Sequence[float] | None = None

    def __repr__(self) -> str:
        return _shown(self, 2)


@dataclass(frozen=True)
class LogUniform(_Described):
    """Numbers between two ends above 0, of which each factor is equally likely."""

    low: float = _end("from")
    high: float = _end("to")
    _distribution: ClassVar[str] = "loguniform"

    def __repr__(self) -> str:
        return _shown(self, 2)


@dataclass(frozen=True)
class Triangular(_Described):
    """Numbers between two ends, most likely at a peak."""

    low: float = _end("from")
    high: float = _end("to")
    peak: float = 0.0
    _distribution: ClassVar[str] = "triangular"

    def __repr__(self) -> str:
        return _shown(self, 3)


@dataclass(frozen=True)
class Normal(_Described):
    """Normally distributed numbers, cut at the ends where there are ends."""

    mean: float
    sd: float
    _: dataclasses.KW_ONLY
    low: float | None = field(default=None, metadata={"key": "from"})
    high: float | None = field(default=None, metadata={"key": "to"})
    _distribution: ClassVar[str] = "normal"

    def __repr__(self) -> str:
        return _shown(self, 2)


@dataclass(frozen=True)
class LogNormal(Normal):
    """Numbers whose logarithm is normally distributed; mean and sd are those of the logarithm."""

    _distribution: ClassVar[str] = "lognormal"

    def __repr__(self) -> str:
        return _shown(self, 2)


@dataclass(frozen=True)
class Weibull(_Described):
    """Numbers of a Weibull distribution."""

    shape: float
    scale: float
    _: dataclasses.KW_ONLY
    location: float = 0.0
    low: float | None = field(default=None, metadata={"key": "from"})
    high: float | None = field(default=None, metadata={"key": "to"})
    _distribution: ClassVar[str] = "weibull"

    def __repr__(self) -> str:
        return _shown(self, 2)


@dataclass(frozen=True)
class Values(_Described):
    """These numbers in this order, or these words; a list alone means the same."""

    values: Sequence[float | int | str]
    _: dataclasses.KW_ONLY
    weights: Sequence[float] | None = None

    def _table(self) -> Any:
        said = _said(self)
        return said if len(said) > 1 else said["values"]

    def __repr__(self) -> str:
        return _shown(self, 1)


@dataclass(frozen=True)
class Fixed(_Described):
    """One value: the parameter does not vary. A number or word alone means the same."""

    value: float | int | str

    def _table(self) -> Any:
        said = _said(self)
        return said if len(said) > 1 else said["value"]

    def __repr__(self) -> str:
        return _shown(self, 1)


def _shown(part: Any, positional: int) -> str:
    """Fields without their defaults, the first ones without their names."""
    own = {f.name: f for f in dataclasses.fields(part)}
    order = [name for name, f in own.items() if not f.kw_only]
    first = [repr(getattr(part, name)) for name in order[:positional]]
    rest = [name for name in own if name not in order[:positional]]
    said = [f"{name}={getattr(part, name)!r}" for name in rest if getattr(part, name) != own[name].default]
    return f"{type(part).__name__}({', '.join([*first, *said])})"


_DISTRIBUTIONS: dict[str, type[_Described]] = {
    "loguniform": LogUniform,
    "triangular": Triangular,
    "normal": Normal,
    "lognormal": LogNormal,
    "weibull": Weibull,
}


def parameter_of(name: str, given: Any) -> _Described:
    """A parameter in any of its forms: an object, a list of values, one value, or a table of a file."""
    if isinstance(given, _Described):
        return given
    if is_list(given):
        return Values(tuple(given))
    if isinstance(given, bool | float | int | str):
        return Fixed(given)
    if not is_mapping(given):
        forms = "of.Range(5, 80), a list of values, or one value"
        raise StudyError.expected(f"`{name}` is no parameter", forms, type(given).__name__)
    word = given.get("distribution", "uniform")
    fields = {key: part for key, part in given.items() if key != "distribution"}
    kind = _DISTRIBUTIONS.get(word, Values if "values" in given else Fixed if "value" in given else Range)
    return _built(kind, fields, f"parameter `{name}`")


def _built(kind: type[Any], fields: Mapping[str, Any], what: str) -> Any:
    """An object of the keys of a file."""
    names = {own.metadata.get("key", own.name): own.name for own in dataclasses.fields(kind)}
    unknown = [key for key in fields if key not in names]
    if unknown:
        raise StudyError.expected(f"{what} has an unknown key", ", ".join(names), ", ".join(unknown))
    try:
        return kind(**{names[key]: _frozen(part) for key, part in fields.items()})
    except TypeError as error:
        raise StudyError.expected(f"{what} is not complete", ", ".join(names), str(error)) from error


@dataclass(frozen=True)
class Image:
    """An image of a study.

    Parameters
    ----------
    name : str
        Unique in the study.
    file : str
        A path, or ``synth:4096x4096?seed=7``.
    box : tuple of int, optional
        ``(x, y, width, height)`` in pixels of the file: what is studied of it.
    truth : str, optional
        A mask, a label image or outlines.
    um_per_pixel : float, optional
        Its resolution, where the file does not say it.

    """

    name: str
    file: str
    _: dataclasses.KW_ONLY
    box: tuple[int, int, int, int] | None = None
    truth: str | None = None
    truth_box: tuple[int, int, int, int] | None = None
    um_per_pixel: float | None = None
    slide: str | None = None
    patient: str | None = None

    def __post_init__(self) -> None:
        for own in dataclasses.fields(self):
            object.__setattr__(self, own.name, _frozen(getattr(self, own.name)))

    def _table(self) -> dict[str, Any]:
        return _said(self)

    @classmethod
    def _of(cls, table: Mapping[str, Any]) -> Image:
        return _built(cls, table, f"image `{table.get('name', '?')}`")


@dataclass(frozen=True)
class Metric:
    """What is measured of each row.

    Parameters
    ----------
    name : str
        Its name in tables.
    of : str, optional
        The output of the workflow that is measured; none for a model of your own.
    measure : str, optional
        ``dice``, ``jaccard``, ``object_f1``, ``objects``, ``objects_per_mm2`` and so on.
    against : str
        ``truth``, ``default`` or ``nothing``.

    """

    name: str
    _: dataclasses.KW_ONLY
    of: str | None = None
    measure: str | None = None
    against: str = "nothing"

    def _table(self) -> dict[str, Any]:
        return _said(self)

    @classmethod
    def _of(cls, table: Mapping[str, Any]) -> Metric:
        return _built(cls, table, f"metric `{table.get('name', '?')}`")


@dataclass(frozen=True)
class Keep:
    """Which parameters pass from an earlier phase: those whose effect reaches a share of the largest one."""

    phase: str
    _: dataclasses.KW_ONLY
    metric: str | None = None
    share: float | str = 0.10
    at_least: int = 1
    at_most: int | None = None

    def _table(self) -> dict[str, Any]:
        return _said(self)


@dataclass(frozen=True)
class Phase:
    """Rows of one design: the base of :class:`Moat`, :class:`Vbd`, :class:`Rows` and :class:`Tune`."""

    name: str
    _: dataclasses.KW_ONLY
    seed: int | None = None
    keep: Keep | Sequence[str] | None = None
    analysis: Sequence[str] | str | None = None

    _method: ClassVar[str] = ""

    def __post_init__(self) -> None:
        for own in dataclasses.fields(self):
            object.__setattr__(self, own.name, _frozen(getattr(self, own.name)))

    def _table(self) -> dict[str, Any]:
        said = _said(self)
        return {"name": said.pop("name"), "method": said.pop("method", self._method), **said}


@dataclass(frozen=True)
class Moat(Phase):
    """Elementary effects after Morris: which parameters matter at all?"""

    trajectories: int
    _: dataclasses.KW_ONLY
    values: int = 4
    kind: str = "plain"
    candidates: int | None = None
    _method: ClassVar[str] = "moat"


@dataclass(frozen=True)
class Vbd(Phase):
    """Variance-based decomposition: which share of the variance has each parameter?"""

    base: int
    _: dataclasses.KW_ONLY
    second_order: bool = False
    replicates: int = 8
    estimator: str = "controlled"
    _method: ClassVar[str] = "vbd"


@dataclass(frozen=True)
class Rows(Phase):
    """Rows of ``mc``, ``lhs``, ``halton``, ``hammersley``, ``sobol-sequence`` or ``grid``."""

    method: str
    rows: int | None = None
    _: dataclasses.KW_ONLY
    kind: str | None = None
    scrambled: bool = True
    values: int = 4
    fraction: int = 1


@dataclass(frozen=True)
class Tune(Phase):
    """Rows that look for the best values."""

    rows: int = field(default=100, metadata={"key": "evaluations"})
    _: dataclasses.KW_ONLY
    metric: str | Sequence[str] | None = None
    over: str = "mean"
    hold_out: float | Sequence[str] | None = None
    tuner: str = "auto"
    batch: int = 1
    time: str | None = None
    cost: str | None = None
    leave_one_out: bool = False
    yardstick: int | None = None
    _method: ClassVar[str] = "tune"


def phase_of(table: Mapping[str, Any]) -> Phase:
    """A phase from its table in a file."""
    said = str(table.get("method", ""))
    method = _METHODS.get(said, said)
    kinds: dict[str, type[Phase]] = {"moat": Moat, "vbd": Vbd, "tune": Tune}
    kind = kinds.get(method, Rows)
    fields = dict(table)
    if kind is Rows:
        fields["method"] = method
    else:
        fields.pop("method", None)
    what = f"phase `{table.get('name', '?')}`"
    keep = fields.get("keep")
    if is_mapping(keep):
        fields["keep"] = tuple(keep["names"]) if "names" in keep else _built(Keep, keep, f"keep of {what}")
    return _built(kind, fields, what)
