"""SALib as a peer: one JSON request on standard input, one JSON answer on standard output."""
import json
import os
import sys
import time
import warnings

# One thread, as the other side has while it is timed; NumPy's libraries read this when they are loaded.
for library in ("OMP", "OPENBLAS", "MKL"):
    os.environ[library + "_NUM_THREADS"] = "1"

import numpy as np
from SALib.analyze import morris as analyze_morris
from SALib.analyze import sobol as analyze_sobol
from SALib.sample import morris as sample_morris
from SALib.sample import sobol as sample_sobol

warnings.filterwarnings("ignore")


def problem(request):
    k = request["k"]
    out = {"num_vars": k, "names": [f"x{i + 1}" for i in range(k)], "bounds": [[0.0, 1.0]] * k}
    if request.get("groups"):
        out["groups"] = request["groups"]
    return out


def names(request):
    from importlib.metadata import version as of

    return {"name": f"SALib {of('SALib')}, NumPy {of('numpy')}"}


def saltelli_sample(request):
    x = sample_sobol.sample(problem(request), request["n"], calc_second_order=request["second_order"], seed=request["seed"])
    return {"x": x.ravel().tolist()}


def saltelli_samples(request):
    return {"x": [saltelli_sample({**request, "seed": seed})["x"] for seed in request["seeds"]]}


def saltelli_analyses(request):
    both = zip(request["seeds"], request["y"])
    return {"found": [saltelli_analyze({**request, "seed": seed, "y": y}) for seed, y in both]}


def saltelli_analyze(request):
    start = time.perf_counter()
    found = analyze_sobol.analyze(
        problem(request),
        np.array(request["y"]),
        calc_second_order=request["second_order"],
        num_resamples=request["resamples"],
        seed=request["seed"],
    )
    seconds = time.perf_counter() - start
    answer = {key: found[key].tolist() for key in ("S1", "ST", "S1_conf", "ST_conf")}
    if request["second_order"]:
        answer["S2"] = np.nan_to_num(found["S2"]).tolist()
    return {"seconds": seconds, **answer}


def saltelli_speed(request):
    """Seconds to analyse a second-order design; what the outputs are does not matter for it."""
    k, n = request["k"], request["n"]
    y = np.random.default_rng(1).normal(size=n * (2 * k + 2))
    return best_of(request, lambda: saltelli_analyze({**request, "second_order": True, "y": y, "seed": 1}))


def morris_sample(request):
    x = sample_morris.sample(problem(request), request["n"], num_levels=4, seed=request["seed"])
    return {"x": x.ravel().tolist()}


def morris_analyze(request):
    x = np.array(request["x"]).reshape(-1, request["k"])
    found = analyze_morris.analyze(problem(request), x, np.array(request["y"]), num_levels=4, seed=1)
    return {key: np.asarray(found[key], dtype=float).tolist() for key in ("mu", "mu_star", "sigma")}


def best_of(request, work):
    """The answer of the fastest of several tries, as many as the other side has."""
    return min((work() for _ in range(request["tries"])), key=lambda answer: answer["seconds"])


def morris_optimised(request):
    def once():
        start = time.perf_counter()
        x = sample_morris.sample(
            problem(request),
            request["candidates"],
            num_levels=4,
            optimal_trajectories=request["n"],
            local_optimization=True,
            seed=request["seed"],
        )
        return {"seconds": time.perf_counter() - start, "x": x.ravel().tolist()}

    return best_of(request, once)


def sequence_speed(request):
    from scipy.stats import qmc

    def once():
        start = time.perf_counter()
        qmc.Sobol(request["k"], scramble=True, seed=1).random(request["n"])
        return {"seconds": time.perf_counter() - start}

    return best_of(request, once)


request = json.load(sys.stdin)
json.dump(globals()[request["do"]](request), sys.stdout)
