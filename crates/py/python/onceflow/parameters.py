"""Parameters of a study: ranges, distributions, values."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from onceflow.errors import StudyError
from onceflow.fields import built, frozen, said, shown
from onceflow.kinds import is_list, is_mapping

__all__ = [
    "Fixed",
    "LogNormal",
    "LogUniform",
    "Normal",
    "Range",
    "Triangular",
    "Values",
    "Weibull",
    "parameter_of",
]


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
            object.__setattr__(self, own.name, frozen(getattr(self, own.name)))

    def _table(self) -> Any:
        found = said(self)
        if self._distribution is not None:
            found["distribution"] = self._distribution
        return found


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
        return shown(self, 2)


@dataclass(frozen=True)
class LogUniform(_Described):
    """Numbers between two ends above 0, of which each factor is equally likely."""

    low: float = _end("from")
    high: float = _end("to")
    _distribution: ClassVar[str] = "loguniform"

    def __repr__(self) -> str:
        return shown(self, 2)


@dataclass(frozen=True)
class Triangular(_Described):
    """Numbers between two ends, most likely at a peak."""

    low: float = _end("from")
    high: float = _end("to")
    peak: float = 0.0
    _distribution: ClassVar[str] = "triangular"

    def __repr__(self) -> str:
        return shown(self, 3)


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
        return shown(self, 2)


@dataclass(frozen=True)
class LogNormal(Normal):
    """Numbers whose logarithm is normally distributed; mean and sd are those of the logarithm."""

    _distribution: ClassVar[str] = "lognormal"

    def __repr__(self) -> str:
        return shown(self, 2)


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
        return shown(self, 2)


@dataclass(frozen=True)
class Values(_Described):
    """These numbers in this order, or these words; a list alone means the same."""

    values: Sequence[float | int | str]
    _: dataclasses.KW_ONLY
    weights: Sequence[float] | None = None

    def _table(self) -> Any:
        found = said(self)
        return found if len(found) > 1 else found["values"]

    def __repr__(self) -> str:
        return shown(self, 1)


@dataclass(frozen=True)
class Fixed(_Described):
    """One value: the parameter does not vary. A number or word alone means the same."""

    value: float | int | str

    def _table(self) -> Any:
        found = said(self)
        return found if len(found) > 1 else found["value"]

    def __repr__(self) -> str:
        return shown(self, 1)


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
    return built(kind, fields, f"parameter `{name}`")
