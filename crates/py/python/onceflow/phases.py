"""Phases of a study: which rows are asked for."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from onceflow.fields import built, frozen, said
from onceflow.kinds import is_mapping
from onceflow.parts import Keep

__all__ = ["Moat", "Phase", "Rows", "Tune", "Vbd", "phase_of"]

_METHODS = {
    "morris": "moat",
    "saltelli": "vbd",
    "sobol": "vbd",
    "monte-carlo": "mc",
    "random": "mc",
    "latin-hypercube": "lhs",
    "full-factorial": "grid",
}


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
            object.__setattr__(self, own.name, frozen(getattr(self, own.name)))

    def _table(self) -> dict[str, Any]:
        found = said(self)
        return {"name": found.pop("name"), "method": found.pop("method", self._method), **found}


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
        fields["keep"] = tuple(keep["names"]) if "names" in keep else built(Keep, keep, f"keep of {what}")
    return built(kind, fields, what)
