"""Tables: columns of NumPy, and Arrow for other readers."""

from __future__ import annotations

import numpy as np
import pytest

import onceflow as of


def table() -> of.Table:
    return of.Table(
        {"row": [0, 1, 2], "dice": [0.5, None, 0.75], "status": ["ok", "failed", "ok"], "kept": [True, False, True]}
    )


def test_columns() -> None:
    found = table()
    assert found.shape == (3, 4) and found["row"].dtype == np.int64
    assert np.isnan(found["dice"][1]) and not found["dice"].flags.writeable
    assert found["status"].tolist() == ["ok", "failed", "ok"] and found["kept"].dtype == bool
    assert found.row(1) == {"row": 1, "dice": None, "status": "failed", "kept": False}
    with pytest.raises(of.StudyError, match="no column `dise`"):
        found["dise"]


def test_lines_are_chosen() -> None:
    found = table().where(table()["status"] == "ok")
    assert found["row"].tolist() == [0, 2] and len(found.where(found["row"] > 5)) == 0


def test_other_readers_take_it_as_it_is() -> None:
    polars = pytest.importorskip("polars")
    frame = table().to_polars()
    assert frame.shape == (3, 4) and frame["dice"].null_count() == 1
    assert polars.DataFrame(table()).equals(frame)
    pandas = pytest.importorskip("pandas")
    assert list(table().to_pandas().columns) == ["row", "dice", "status", "kept"]
    assert isinstance(table().to_pandas(), pandas.DataFrame)


def test_arrow_shares_the_memory() -> None:
    pyarrow = pytest.importorskip("pyarrow")
    source = table()
    first, second = (pyarrow.table(source).column("dice").chunk(0) for _ in range(2))
    assert first.buffers()[1].address == second.buffers()[1].address
    batch = pyarrow.record_batch(source)
    del source
    assert batch.column("row").to_pylist() == [0, 1, 2]


def test_text_is_cut_and_escaped() -> None:
    long = of.Table({"name": ["<b>"] * 12, "x": [1.0] * 12})
    assert "... 2 more rows" in str(long) and "&lt;b&gt;" in long._repr_html_()
    assert repr(long) == "<Table of 12 rows x 2 columns>"
