# One request on standard input, one answer on standard output: figures of the package, and of its peers in the same process.
import json
import statistics
import subprocess
import sys
import tempfile
import time


def names():
    import onceflow

    found = [f"onceflow {onceflow.__version__}"]
    from importlib.metadata import PackageNotFoundError, version

    for name in ("numpy", "SALib", "optuna"):
        try:
            found.append(f"{name} {version(name)}")
        except PackageNotFoundError:
            pass
    return {"name": ", ".join(found)}


def started(statement):
    # Time of the processor, since other programs may run.
    import resource

    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, "-c", statement], check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def beyond_numpy(name):
    started(f"import numpy, {name}")
    pairs = [(started("import numpy"), started(f"import numpy, {name}")) for _ in range(7)]
    return statistics.median(both - alone for alone, both in pairs)


def importing(peers):
    return {"value": beyond_numpy("onceflow"), "peer": beyond_numpy("SALib.sample.sobol") if peers else None}


def analyze(peers):
    import numpy as np
    import onceflow as of

    of.quiet()
    k, n = 30, 4096
    problem = {"num_vars": k, "names": [f"x{i}" for i in range(k)], "bounds": [[0.0, 1.0]] * k}
    X = of.sample(problem, "saltelli", n=n, seed=1, second_order=True)
    weights = np.arange(1, k + 1) / k
    Y = X.values @ weights + X.values[:, 0] * X.values[:, 1]
    ours = least(lambda: of.analyze(problem, X, Y, resamples=100))
    if not peers:
        return {"value": ours, "peer": None}
    from SALib.analyze import sobol

    return {"value": ours, "peer": least(lambda: sobol.analyze(problem, Y, calc_second_order=True, num_resamples=100), 1)}


def least(work, times=3):
    best = float("inf")
    for _ in range(times):
        began = time.perf_counter()
        work()
        best = min(best, time.perf_counter() - began)
    return best


def asking(peers, out=None):
    import onceflow as of

    problem = {"num_vars": 6, "names": list("abcdef"), "bounds": [[0.0, 1.0]] * 6}
    loop = of.Loop(problem, method="saltelli", n=512, seed=1, out=out)
    began, rows = time.perf_counter(), 0
    while asked := loop.ask(1):
        loop.tell(asked[0], y=asked[0]["a"])
        rows += 1
    ours = 1e6 * (time.perf_counter() - began) / rows
    if not peers or out:
        return {"value": ours, "peer": None}
    import optuna

    optuna.logging.set_verbosity(optuna.logging.ERROR)
    study = optuna.create_study(sampler=optuna.samplers.RandomSampler(seed=1))
    began = time.perf_counter()
    for _ in range(300):
        trial = study.ask()
        study.tell(trial, sum(trial.suggest_float(name, 0.0, 1.0) for name in "abcdef"))
    return {"value": ours, "peer": 1e6 * (time.perf_counter() - began) / 300}


def journal(peers):
    with tempfile.TemporaryDirectory() as folder:
        return asking(peers, out=folder)


def main():
    request = json.load(sys.stdin)
    work = {"import": importing, "analyze": analyze, "ask": asking, "journal": journal}
    if request["do"] == "names":
        answer = names()
    else:
        try:
            answer = work[request["do"]](request["peers"])
        except ImportError:
            answer = work[request["do"]](False)
    json.dump(answer, sys.stdout)


main()
