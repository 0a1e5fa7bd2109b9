"""A table: columns as NumPy arrays, and Arrow for every other reader."""

from __future__ import annotations

import html
import math
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from onceflow import _core
from onceflow.errors import StudyError
from onceflow.kinds import is_array, is_list

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Table"]

_SHOWN = 10


class Table:
    """Columns of equal length with their names.

    ``table["dice"]`` is a NumPy array. Pandas, polars, DuckDB, pyarrow and other readers of Arrow take a table as it is, without a copy.

    Examples
    --------
    >>> from onceflow import Table
    >>> table = Table({"row": [0, 1, 2], "dice": [0.5, None, 0.75]})
    >>> table["dice"]
    array([0.5 ,  nan, 0.75])
    >>> len(table), table.columns
    (3, ['row', 'dice'])

    """

    def __init__(self, columns: Mapping[str, Sequence[Any] | NDArray[Any]] | _core.Table) -> None:
        if isinstance(columns, _core.Table):
            self._core = columns
        else:
            lists = [column.tolist() if is_array(column) else list(column) for column in columns.values()]
            self._core = _core.Table.of_columns(list(columns), lists)

    @classmethod
    def of_lines(cls, lines: Sequence[Mapping[str, Any]]) -> Table:
        """Make a table of lines, each a mapping by columns; a value that is not there is missing."""
        names = list(dict.fromkeys(name for line in lines for name in line))
        return cls({name: [_present(line.get(name)) for line in lines] for name in names})

    @property
    def columns(self) -> list[str]:
        """Names of the columns."""
        return self._core.names

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        return len(self), len(self.columns)

    def __len__(self) -> int:
        return len(self._core)

    def __iter__(self) -> Iterator[str]:
        return iter(self.columns)

    def __contains__(self, name: object) -> bool:
        return name in self.columns

    def __getitem__(self, name: str) -> NDArray[Any]:
        if name not in self.columns:
            raise StudyError.expected(f"the table has no column `{name}`", f"one of {', '.join(self.columns)}", name)
        found = self._core.column(self.columns.index(name))
        if is_list(found):
            kind = bool if all(isinstance(value, bool) for value in found) else object
            return np.array(found, dtype=kind)
        return found

    def row(self, place: int) -> dict[str, Any]:
        """One line as a dictionary."""
        at = range(len(self))[place]
        return {name: self._core.cell(at, column) for column, name in enumerate(self.columns)}

    def where(self, chosen: NDArray[np.bool_]) -> Table:
        """The lines for which `chosen` is true.

        Examples
        --------
        >>> from onceflow import Table
        >>> table = Table({"row": [0, 1], "dice": [0.5, 0.75]})
        >>> table.where(table["dice"] > 0.6)["row"]
        array([1])

        """
        return Table(self._core.take(np.flatnonzero(chosen).tolist()))

    def to_dict(self) -> dict[str, list[Any]]:
        """All columns as lists, in which a missing value is ``None``."""
        return {
            name: [self._core.cell(row, place) for row in range(len(self))] for place, name in enumerate(self.columns)
        }

    def to_pandas(self) -> Any:
        """A data frame of pandas."""
        import pandas as pd

        return pd.DataFrame({name: self[name] for name in self.columns})

    def to_polars(self) -> Any:
        """A data frame of polars, in the same memory."""
        import polars as pl

        return pl.DataFrame(self)

    def __arrow_c_schema__(self) -> object:
        return self._core.__arrow_c_schema__()

    def __arrow_c_array__(self, requested_schema: object | None = None) -> tuple[object, object]:
        return self._core.__arrow_c_array__(requested_schema)

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        return self._core.__arrow_c_stream__(requested_schema)

    def __repr__(self) -> str:
        return f"<Table of {len(self):,} rows x {len(self.columns):,} columns>"

    def __str__(self) -> str:
        lines = [self.columns, *self._shown()]
        widths = [max(len(line[place]) for line in lines) for place in range(len(self.columns))]
        kinds = self._core.types
        text = "\n".join(
            "  ".join(
                cell.ljust(width) if kind == "str" else cell.rjust(width)
                for cell, width, kind in zip(line, widths, kinds, strict=True)
            ).rstrip()
            for line in lines
        )
        return text + self._rest("\n")

    def _repr_html_(self) -> str:
        head = "".join(f"<th>{html.escape(name)}</th>" for name in self.columns)
        body = "".join(
            f"<tr>{''.join(f'<td>{html.escape(cell)}</td>' for cell in line)}</tr>" for line in self._shown()
        )
        return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{self._rest('')}"

    def _shown(self) -> list[list[str]]:
        """The first lines as text."""
        return [
            [_cell(self._core.cell(row, place)) for place in range(len(self.columns))]
            for row in range(min(_SHOWN, len(self)))
        ]

    def _rest(self, before: str) -> str:
        left = len(self) - _SHOWN
        return f"{before}... {left:,} more rows" if left > 0 else ""


def _present(value: Any) -> Any:
    return None if isinstance(value, float) and math.isnan(value) else value


def _cell(value: Any) -> str:
    if value is None:
        return ""
    return f"{value:.4g}" if isinstance(value, float) else str(value)
