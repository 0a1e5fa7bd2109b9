"""The best values of a workflow."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from onceflow.errors import StudyError
from onceflow.parts import Keep, Metric, Moat, Phase, Tune
from onceflow.run import Run, run
from onceflow.study import StudyLike, study_of

__all__ = ["tune"]


def tune(
    study: StudyLike,
    metric: str | None = None,
    *,
    out: str | os.PathLike[str],
    rows: int | None = None,
    evaluations: int | None = None,
    maximize: Sequence[str] | None = None,
    seed: int | None = None,
    force: bool = False,
    tuner: str = "auto",
    batch: int = 1,
    hold_out: float | Sequence[str] | None = None,
    yardstick: int | None = None,
    leave_one_out: bool = False,
    time: str | None = None,
    cost: str | None = None,
    **options: Any,
) -> Run:
    """Look for the best values: what the study screened is screened first, and what it kept is tuned.

    Parameters
    ----------
    study : Study or path
        A study with a workflow.
    metric : str, optional
        What is improved; the first that counts objects or compares with the truth without it.
    out : path
        The folder of the run.
    evaluations, rows : int, optional
        Rows to run, that of the defaults included; two names for one thing.
    maximize : list of str, optional
        Several metrics in place of one: ``run.front`` are the rows of which none is better in all of them.
    seed : int, optional
        Seed of the search.
    tuner, batch, hold_out, yardstick, leave_one_out, time, cost
        Keys of a phase that tunes, see the reference of study files.
    force : bool
        Whether results of another study in the folder are replaced.
    **options
        Settings, as :func:`run` takes them.

    Returns
    -------
    Run
        With ``best`` and ``front``; ``print`` says what was found.

    """
    if rows is not None and evaluations is not None:
        raise StudyError.expected("rows and evaluations are two names for one thing", "one of them", "both")
    given = study_of(study)
    wanted = list(maximize) if maximize is not None else metric
    known = {part.name for part in given.metrics}
    for name in wanted if isinstance(wanted, list) else [wanted] if wanted else []:
        if name not in known:
            raise StudyError.expected(f"the study has no metric `{name}`", ", ".join(sorted(known)) or "metrics", name)
    screen = next((phase for phase in given.phases if isinstance(phase, Moat)), None)
    phase = Tune(
        "tune",
        rows if rows is not None else evaluations if evaluations is not None else 100,
        metric=wanted,
        seed=seed,
        keep=None if screen is None else _keep(given.phases, screen, wanted),
        tuner=tuner,
        batch=batch,
        hold_out=hold_out,
        yardstick=yardstick,
        leave_one_out=leave_one_out,
        time=time,
        cost=cost,
    )
    phases = [phase] if screen is None else [screen, phase]
    return run(given.replace(phases=phases, metrics=_metrics(given.metrics)), out, force=force, **options)


def _keep(phases: Sequence[Phase], screen: Moat, wanted: str | list[str] | None) -> Keep:
    """The rule by which a later phase keeps what the screen found, or its documented default."""
    said = next((p.keep for p in phases if isinstance(p.keep, Keep) and p.keep.phase == screen.name), None)
    return said or Keep(screen.name, metric=wanted if isinstance(wanted, str) else None)


def _metrics(metrics: Sequence[Metric]) -> Sequence[Metric]:
    """With one that counts objects, where there is a truth to count them against."""
    if any(metric.measure in ("object_f1", "panoptic_quality") or metric.name == "object_f1" for metric in metrics):
        return metrics
    against = next((metric for metric in metrics if metric.against == "truth" and metric.of is not None), None)
    if against is None:
        return metrics
    return [*metrics, Metric("object_f1", of=against.of, measure="object_f1", against="truth")]
