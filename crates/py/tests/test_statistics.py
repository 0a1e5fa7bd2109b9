"""Statistics alone: samples, analyses, failures, and SALib's forms."""

from __future__ import annotations

import numpy as np
import pytest

import onceflow as of

ISHIGAMI = {"num_vars": 3, "names": ["x1", "x2", "x3"], "bounds": [[-np.pi, np.pi]] * 3}


def ishigami(values: np.ndarray) -> np.ndarray:
    a, b, c = values.T
    return np.sin(a) + 7 * np.sin(b) ** 2 + 0.1 * c**4 * np.sin(a)


def test_indices_of_a_known_function_lie_in_their_intervals() -> None:
    X = of.sample(ISHIGAMI, "saltelli", n=1024, seed=1)
    table = of.analyze(ISHIGAMI, X, ishigami(X.values)).table
    for key, exact in (("s1", [0.3139, 0.4424, 0.0]), ("st", [0.5576, 0.4424, 0.2437])):
        assert np.all(table[f"{key}_low"] - 0.005 <= exact) and np.all(exact <= table[f"{key}_high"] + 0.005)


def test_a_failed_row_is_dropped_counted_and_warned_of() -> None:
    X = of.sample(ISHIGAMI, "saltelli", n=256, seed=1)
    Y = ishigami(X.values)
    whole = of.analyze(ISHIGAMI, X, Y).to_pandas()
    Y[3] = np.nan
    with pytest.warns(of.FailedRows, match="1 of 1,280 rows failed"):
        answer = of.analyze(ISHIGAMI, X, Y)
    frame = answer.to_pandas()
    assert answer.failed == 1 and list(frame["lost"]) == [0, 0, 1]
    assert abs(frame["st"] - whole["st"]).max() < 0.02 and frame["st"].min() > 0.1
    assert "1 failed and 0 missing of 1280 rows" in str(answer)


@pytest.mark.parametrize("method", ["correlation", "rbd-fast", "delta", "pawn"])
def test_every_method_of_plain_rows_survives_failures(method: str) -> None:
    X = of.sample(ISHIGAMI, "mc", n=300, seed=2)
    Y = ishigami(X.values)
    Y[::50] = np.inf
    with pytest.warns(of.FailedRows):
        answer = of.analyze(ISHIGAMI, X, Y, method=method, resamples=50)
    assert answer.method == method and answer.failed == 6
    assert len(answer.table) == 3


def test_the_largest_effect_stands_first() -> None:
    X = of.sample(ISHIGAMI, "saltelli", n=64, seed=1)
    answer = of.analyze(ISHIGAMI, X, X.values[:, 2] + 0.1 * X.values[:, 0])
    assert answer.table["parameter"].tolist() == ["x3", "x1", "x2"]
    assert answer.to_salib()["names"] == ["x1", "x2", "x3"]
    assert answer.to_salib()["ST"].argmax() == 2


def test_the_method_follows_from_the_roles() -> None:
    morris = of.sample(ISHIGAMI, "morris", n=10, seed=1)
    assert of.analyze(ISHIGAMI, morris, ishigami(morris.values)).method == "morris"
    with pytest.raises(of.SampleError, match="vbd cannot analyse these rows"):
        of.analyze(ISHIGAMI, morris, ishigami(morris.values), method="vbd")
    plain = of.sample(ISHIGAMI, "lhs", n=64, seed=1)
    with pytest.raises(of.SampleError, match="several ways"):
        of.analyze(ISHIGAMI, plain, ishigami(plain.values))


def test_a_larger_sample_begins_with_the_smaller() -> None:
    X = of.sample(ISHIGAMI, "saltelli", n=64, seed=3)
    larger = X.extend(n=128)
    assert np.array_equal(larger.values[: len(X)], X.values)
    assert len(larger.new) == len(larger) - len(X)
    assert larger.new[0].number == len(X)


def test_samples_are_read_only_and_have_roles() -> None:
    X = of.sample(ISHIGAMI, "saltelli", n=8, seed=1, second_order=True)
    assert X.values.dtype == np.float64 and not X.values.flags.writeable
    assert X.role[:8].tolist() == ["A", "AB:x1", "AB:x2", "AB:x3", "BA:x1", "BA:x2", "BA:x3", "B"]
    assert set(X[0]) == {"x1", "x2", "x3"} and X[5].number == 5
    assert np.array_equal(np.asarray(X), X.values)


def test_results_are_matched_by_number() -> None:
    X = of.sample(ISHIGAMI, "morris", n=20, seed=1)
    Y = ishigami(X.values)
    expected = of.analyze(ISHIGAMI, X, Y).to_json()
    order = np.random.default_rng(0).permutation(len(X))
    table = of.Table({"row": X.number[order], "y": Y[order]})
    assert of.analyze(ISHIGAMI, X, table).to_json() == expected
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"row": X.number[order], "x1": 0.0, "y": Y[order]})
    assert of.analyze(ISHIGAMI, X, frame).to_json() == expected
    different = of.sample(ISHIGAMI, "saltelli", n=32, seed=1)
    partly = of.analyze(ISHIGAMI, different, {"row": different.number[:-4], "y": ishigami(different.values)[:-4]})
    assert partly.to_json()["outputs"][0]["failures"]["missing"] == 4


def test_wrong_results_are_refused_by_name() -> None:
    X = of.sample(ISHIGAMI, "morris", n=4, seed=1)
    with pytest.raises(of.SampleError, match="16 values"):
        of.analyze(ISHIGAMI, X, np.zeros(15))
    with pytest.raises(of.SampleError, match="not in the sample"):
        of.analyze(ISHIGAMI, X, {"row": [99], "y": [1.0]})
    with pytest.raises(of.SampleError, match="no such output"):
        of.analyze(ISHIGAMI, X, {"y": np.zeros(16)}, output="z")
    with pytest.raises(of.StudyError, match="bounds"):
        of.sample({"num_vars": 1, "names": ["a"]}, "mc", n=4)
    with pytest.raises(of.StudyError, match="this is no problem"):
        of.sample(3, "mc", n=4)
    with pytest.raises(of.SampleError, match="no sample size"):
        of.sample(ISHIGAMI)


def test_integers_and_words_are_sampled_as_they_are() -> None:
    study = of.Study("mine", {"n": of.Range(1, 9, type="integer"), "mode": ["fast", "fine"], "x": of.Normal(0, 1)})
    X = of.sample(study, "mc", n=50, seed=1)
    row = X[0]
    assert isinstance(row["n"], int) and row["mode"] in ("fast", "fine") and isinstance(row["x"], float)


def test_several_outputs_make_one_frame() -> None:
    pytest.importorskip("pandas")
    X = of.sample(ISHIGAMI, "morris", n=10, seed=1)
    answer = of.analyze(ISHIGAMI, X, {"a": ishigami(X.values), "b": X.values[:, 0]})
    assert answer.outputs == ["a", "b"]
    assert list(answer.to_pandas().index.names) == ["output", "parameter"]
    assert answer["b"].influential == ["x1"]
    assert set(answer.to_salib()) == {"a", "b"}


def test_salib_agrees_on_its_own_rows() -> None:
    salib_sample = pytest.importorskip("SALib.sample.sobol")
    salib_analyze = pytest.importorskip("SALib.analyze.sobol")
    X = salib_sample.sample(ISHIGAMI, 128, calc_second_order=True, seed=4)
    Y = ishigami(X)
    theirs = salib_analyze.analyze(ISHIGAMI, Y, calc_second_order=True, seed=4)
    ours = of.analyze(ISHIGAMI, X, Y, method="vbd").to_salib()
    for key in ("S1", "ST"):
        assert np.allclose(ours[key], theirs[key], atol=1e-12), key
    upper = np.triu_indices(3, 1)
    assert np.allclose(ours["S2"][upper], np.asarray(theirs["S2"])[upper], atol=1e-12)


def test_rows_that_were_mixed_up_are_refused() -> None:
    X = np.array(of.sample(ISHIGAMI, "saltelli", n=8, seed=1).values)
    X[[1, 2]] = X[[2, 1]]
    with pytest.raises(of.SampleError, match="mixed-up design"):
        of.analyze(ISHIGAMI, X, ishigami(X), method="vbd", second_order=False)


def test_plots_are_drawings() -> None:
    X = of.sample(ISHIGAMI, "saltelli", n=64, seed=1, second_order=True)
    answer = of.analyze(ISHIGAMI, X, ishigami(X.values))
    assert len(answer.pairs()) == 3
    for kind in (None, "bars", "heat-map"):
        plot = answer.plot(kind=kind)
        assert plot.svg.startswith("<svg") and "x1" in plot.svg
    plot.save("a.svg")
    with pytest.raises(of.SampleError, match="kind has no such value"):
        answer.plot(kind="pie")


def test_columns_of_a_frame_may_have_numbers_as_names() -> None:
    pandas = pytest.importorskip("pandas")
    X = of.sample(ISHIGAMI, "saltelli", n=128, seed=1)
    Y = ishigami(X.values)
    frame = pandas.DataFrame(np.stack([Y, 2 * Y], axis=1))
    answer = of.analyze(ISHIGAMI, X, frame)
    assert answer.outputs == ["y1", "y2"]
    assert answer.to_json() == of.analyze(ISHIGAMI, X, np.stack([Y, 2 * Y], axis=1)).to_json()
