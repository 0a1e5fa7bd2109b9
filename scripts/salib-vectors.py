#!/usr/bin/env python3
"""Writes crates/sensitivity/tests/analysis/data/salib.json: samples, outputs and indices by SALib 1.6.0.

Our indices must equal them to 1e-12 (tests/analysis/salib.rs). Run again only to add cases: pip install SALib==1.6.0.
"""

import json
import pathlib

import numpy as np
from SALib.analyze import morris as morris_analysis
from SALib.analyze import sobol as sobol_analysis
from SALib.sample import morris as morris_sample
from SALib.sample import sobol as sobol_sample


def g_like(x):
    """A function with interactions whose output has a mean far from zero."""
    a = np.arange(x.shape[1])
    return 25.0 + np.prod((np.abs(x - 1.5) + a) / (1.0 + a), axis=1) + 0.3 * x[:, 0] * x[:, -1] - x[:, 1]


def problem(bounds, groups=None):
    names = [f"x{i + 1}" for i in range(len(bounds))]
    return {"num_vars": len(bounds), "names": names, "bounds": bounds, "groups": groups}


def vbd(name, p, base, second_order):
    x = sobol_sample.sample(p, base, calc_second_order=second_order, seed=7)
    y = g_like(x)
    found = sobol_analysis.analyze(p, y, calc_second_order=second_order, seed=1)
    pairs = found["S2"][np.triu_indices(len(found["S1"]), 1)] if second_order else np.array([])
    indices = {"s1": found["S1"].tolist(), "st": found["ST"].tolist(), "s2": pairs.tolist()}
    return case(name, p, x, y, second_order=second_order, **indices)


def morris(name, p, trajectories):
    # SALib writes groups into the problem it is given.
    x = morris_sample.sample(dict(p), trajectories, num_levels=4, seed=7)
    y = g_like(x)
    found = morris_analysis.analyze(dict(p), x, y, num_levels=4, seed=1)
    number = lambda values: [None if np.isnan(v) else float(v) for v in np.asarray(values, dtype=float)]
    return case(name, p, x, y, **{key: number(found[key]) for key in ("mu", "mu_star", "sigma")})


def case(name, p, x, y, **indices):
    return {"name": name, "bounds": p["bounds"], "groups": p["groups"], "x": x.tolist(), "y": y.tolist(), **indices}


def main():
    ranges = [[0.0, 3.0], [-1.0, 1.0], [2.0, 2.5], [0.0, 10.0]]
    groups = ["a", "b", "a", "b"]
    cases = [
        vbd("vbd, first order", problem(ranges), 16, False),
        vbd("vbd, second order", problem(ranges), 16, True),
        vbd("vbd, groups", problem(ranges, groups), 16, False),
        vbd("vbd, groups, second order", problem(ranges, groups), 16, True),
        morris("morris", problem(ranges), 6),
        morris("morris, groups", problem(ranges, groups), 6),
    ]
    path = pathlib.Path(__file__).parent.parent / "crates/sensitivity/tests/analysis/data/salib.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = ",\n".join(json.dumps(c, separators=(",", ":")) for c in cases)
    path.write_text(f"[\n{lines}\n]\n")


if __name__ == "__main__":
    main()
