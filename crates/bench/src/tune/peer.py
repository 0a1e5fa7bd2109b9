"""The peers of `onceflow bench tune`: Optuna, pymoo and Nevergrad.

Requests are lines of JSON on standard input. A tuner asks for the losses of a point with a line {"at": [places]} and
reads them in the next line; a point that was asked for before costs nothing and is not counted."""
import json
import sys
import time
import warnings

warnings.filterwarnings("ignore")


def say(what):
    print(json.dumps(what), flush=True)


class Objective:
    """Asks for losses, once for each point, until as many points were asked for as may be."""

    def __init__(self, request):
        self.counts, self.ordered = request["counts"], request["ordered"]
        self.rows, self.known, self.asked, self.away = request["rows"], {}, 0, 0.0
        self.most = 4 * self.rows

    def over(self):
        self.most -= 1
        return len(self.known) >= self.rows or self.most < 0

    def __call__(self, at):
        began = time.process_time()
        at = tuple(int(min(max(round(place), 0), count - 1)) for place, count in zip(at, self.counts))
        if at not in self.known:
            say({"at": at})
            self.known[at] = json.loads(sys.stdin.readline())["losses"]
        self.away += time.process_time() - began
        return self.known[at]


def optuna_study(request, objective):
    import optuna

    optuna.logging.set_verbosity(optuna.logging.ERROR)
    seed, name, objectives = request["seed"], request["tuner"], request["objectives"]
    samplers = {
        "tpe": lambda: optuna.samplers.TPESampler(seed=seed),
        "cma-es": lambda: optuna.samplers.CmaEsSampler(seed=seed, warn_independent_sampling=False),
        "gp": lambda: optuna.samplers.GPSampler(seed=seed, deterministic_objective=True),
    }
    study = optuna.create_study(directions=["minimize"] * objectives, sampler=samplers[name]())
    while not objective.over():
        trial = study.ask()
        at = []
        for axis, (count, ordered) in enumerate(zip(objective.counts, objective.ordered)):
            if ordered:
                at.append(trial.suggest_int(f"p{axis}", 0, count - 1))
            else:
                at.append(trial.suggest_categorical(f"p{axis}", list(range(count))))
        study.tell(trial, objective(at))


def pymoo_run(request, objective):
    import numpy
    from pymoo.algorithms.moo.nsga2 import NSGA2
    from pymoo.algorithms.soo.nonconvex.ga import GA
    from pymoo.core.problem import Problem
    from pymoo.operators.crossover.sbx import SBX
    from pymoo.operators.mutation.pm import PM
    from pymoo.operators.repair.rounding import RoundingRepair
    from pymoo.operators.sampling.rnd import IntegerRandomSampling

    objectives, last = request["objectives"], numpy.array(objective.counts) - 1
    problem = Problem(n_var=len(last), n_obj=objectives, xl=numpy.zeros(len(last)), xu=last, vtype=int)
    kind = NSGA2 if objectives > 1 else GA
    algorithm = kind(
        pop_size=20,
        sampling=IntegerRandomSampling(),
        crossover=SBX(prob=0.9, eta=3, vtype=float, repair=RoundingRepair()),
        mutation=PM(prob=1.0, prob_var=2 / len(last), eta=3, vtype=float, repair=RoundingRepair()),
        eliminate_duplicates=True,
    )
    algorithm.setup(problem, seed=request["seed"], verbose=False)
    while not objective.over():
        population = algorithm.ask()
        if population is None or len(population) == 0:
            break
        losses = []
        for at in population.get("X"):
            if objective.over():
                return
            losses.append(objective(at))
        population.set("F", numpy.array(losses, dtype=float).reshape(len(losses), objectives))
        population.set("G", numpy.zeros((len(losses), 0)))
        population.set("H", numpy.zeros((len(losses), 0)))
        for one in population:
            one.evaluated.update({"F", "G", "H"})
        algorithm.tell(infills=population)


def nevergrad_run(request, objective):
    import nevergrad
    import numpy

    def axis(count, ordered):
        if not ordered:
            return nevergrad.p.Choice(list(range(count)))
        return nevergrad.p.Scalar(lower=0, upper=max(count - 1, 1)).set_integer_casting()

    numpy.random.seed(request["seed"])
    space = nevergrad.p.Tuple(*(axis(c, o) for c, o in zip(objective.counts, objective.ordered)))
    space.random_state = numpy.random.RandomState(request["seed"])
    optimizer = nevergrad.optimizers.registry["NGOpt"](parametrization=space, budget=request["rows"], num_workers=1)
    while not objective.over():
        asked = optimizer.ask()
        optimizer.tell(asked, objective(asked.value)[0])


def tune(request):
    objective = Objective(request)
    name = request["tuner"]
    began = time.process_time()
    run = {"ga": pymoo_run, "nsga-ii": pymoo_run, "ngopt": nevergrad_run}.get(name, optuna_study)
    run(request, objective)
    say({"over": True, "seconds": time.process_time() - began - objective.away})


def names():
    """Which tuners are installed, and of which versions."""
    from importlib.metadata import PackageNotFoundError, version

    found, needs = [], {"optuna": ["tpe"], "cmaes": ["cma-es"], "torch": ["gp"], "pymoo": ["ga", "nsga-ii"], "nevergrad": ["ngopt"]}
    tuners = []
    for package, offers in needs.items():
        try:
            found.append(f"{package} {version(package)}")
            tuners += offers
        except PackageNotFoundError:
            continue
    if "tpe" not in tuners:
        tuners = [tuner for tuner in tuners if tuner not in ("cma-es", "gp")]
    if not tuners:
        sys.exit("no peer is installed")
    say({"name": ", ".join(found), "tuners": tuners})


for line in iter(sys.stdin.readline, ""):
    request = json.loads(line)
    if request["do"] == "names":
        names()
    else:
        tune(request)
