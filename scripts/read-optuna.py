"""Searches as Optuna reads them, and trials of Optuna as `onceflow tune --trials` reads them.

read-optuna.py ONCEFLOW FOLDER: FOLDER has a run of `onceflow tune`, and gets files of its own."""
import json
import os
import subprocess
import sys

import optuna
from optuna.storages import JournalStorage
from optuna.storages.journal import JournalFileBackend

optuna.logging.set_verbosity(optuna.logging.ERROR)
onceflow, folder = os.path.abspath(sys.argv[1]), sys.argv[2]


def storage(name):
    return JournalStorage(JournalFileBackend(os.path.join(folder, name)))


# All rows are trials; the best is the same.
tuning = json.load(open(os.path.join(folder, "run", "tuning.json")))
(summary,) = optuna.get_all_study_summaries(storage("run/optuna.log"))
study = optuna.load_study(study_name=summary.study_name, storage=storage("run/optuna.log"))
assert len(study.trials) == tuning["evaluations"], (len(study.trials), tuning["evaluations"])
objective = tuning["objectives"][0]
# A row with fewer changes may be chosen though another one is better by a hair.
assert study.best_value >= tuning["best"]["metrics"][objective] - 1e-12, study.best_value
chosen = [t for t in study.trials if t.user_attrs["row"] == str(tuning["best"]["row"])]
assert len(chosen) == 1, tuning["best"]
for name, value in chosen[0].params.items():
    assert value == tuning["best"]["parameters"][name], (name, value)

# Trials of Optuna, told to a search.
problem = {"num_vars": 2, "names": ["a", "b"], "bounds": [[0, 1], [0, 1]]}
json.dump(problem, open(os.path.join(folder, "problem.json"), "w"))
theirs = optuna.create_study(storage=storage("theirs.log"), study_name="theirs", direction="maximize")
theirs.optimize(lambda t: 1 - (t.suggest_float("a", 0, 1) - 0.3) ** 2 - t.suggest_float("b", 0, 1), n_trials=20)
command = [onceflow, "tune", "problem.json", "-o", "own", "--trials", "theirs.log", "--maximize", "score"]
subprocess.run(command + ["--ask", "3"], cwd=folder, check=True, capture_output=True)
best = json.load(open(os.path.join(folder, "own", "best.json")))
assert abs(best["metrics"]["score"] - theirs.best_value) < 1e-12, (best, theirs.best_value)
assert all(abs(best["parameters"][name] - value) < 1e-12 for name, value in theirs.best_params.items()), best
print(f"Optuna {optuna.__version__}: {len(study.trials)} rows as trials, {len(theirs.trials)} trials as rows")
