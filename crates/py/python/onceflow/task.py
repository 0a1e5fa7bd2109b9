"""Own operations: a decorated function stays a function, and says how it is run."""

from __future__ import annotations

import ast
import types
from collections.abc import Callable, Sequence
from typing import Any, Literal, TypeVar, overload

import onceflow.describe as describe
import onceflow.keys as keys
from onceflow.errors import Diagnostic, StudyError
from onceflow.homes import Refused, code_of
from onceflow.options import checked
from onceflow.signature import SignatureError, signature_of

__all__ = ["describe_task", "options_of_task", "task"]

Function = TypeVar("Function", bound=Callable[..., Any])

_NAME = "__onceflow_task__"


@overload
def task(function: Function) -> Function: ...


@overload
def task(
    *,
    halo: int | Literal["whole"] | None = None,
    memory: str | int | None = None,
    time: str | float | None = None,
    per_object: str | None = None,
    per_tile: int | None = None,
    repeats: Literal["exact", "close", "never"] | None = None,
    ends: Sequence[str] | None = None,
    files: Sequence[str] | None = None,
    follow: Sequence[str] | None = None,
    setup: Callable[[], Any] | None = None,
    device: Literal["cpu"] | None = None,
) -> Callable[[Function], Function]: ...


def task(function: Any = None, **options: Any) -> Any:
    """Say that a function is a task of a workflow, and how it is run. The function stays what it is.

    Arguments before the star are regions, with types such as `of.Mask`; keyword-only arguments are parameters, `int`, `float`
    or `str`. Of those, `out` is where the result is written, and `setup` is what `setup` gave.

    Parameters
    ----------
    halo : int or "whole", optional
        Pixels around a part that it must see.
    memory, time : str or number, optional
        The most it takes: "600 MiB", "2 min". What takes more is stopped, and its row failed.
    per_object : str, optional
        The argument whose objects it treats one by one.
    per_tile : int, optional
        The side of tiles in pixels that it treats one by one, each with its halo.
    repeats : {"exact", "close", "never"}, optional
        Whether equal inputs give equal bytes. The first task of a run is run twice and compared.
    ends : list of str, optional
        What it may say with `raise of.Ended(...)` when there is nothing more to do on a part.
    files : list of str, optional
        Files it reads, beside its own file: their digests are in its key.
    follow : list of str, optional
        Installed packages whose files are digested, not only their versions.
    setup : function, optional
        Called once per worker, without arguments; what it gives is the keyword-only argument `setup`.

    Raises
    ------
    KeyRefused
        When the function uses something that cannot be part of its key, such as a dict outside it.
    StudyError
        When an option, an argument or a default is not as it should be.

    Examples
    --------
    >>> import onceflow as of
    >>> @of.task(halo=2)
    ... def brighter(grey: of.U8, *, by: int = 10) -> of.U8:
    ...     return grey.clip(None, 255 - by) + by
    """
    if function is None:

        def decorated(function: Any) -> Any:
            return task(function, **options)

        return decorated
    if not isinstance(function, types.FunctionType):
        found = type(function).__name__
        raise StudyError.expected("of.task decorates functions", "def", found, "decorate a function, not a class or a call")
    setattr(function, _NAME, dict(options))
    _digested(function, early=True)
    return function


def options_of_task(function: Any) -> dict[str, Any]:
    """The options of a decorated function; none of one that is not."""
    return dict(getattr(function, _NAME, {}))


def describe_task(function: Any) -> dict[str, Any]:
    """What a function of this program takes, reads and makes, with its key and its source for a worker."""
    options = options_of_task(function)
    try:
        if options.get("setup") is not None:
            options["setup"] = code_of(options["setup"])
        return describe.described(code_of(function), options)
    except Refused as why:
        raise keys.refusal(function.__name__, function.__name__, why) from None
    except SignatureError as error:
        raise _wrong(function, error) from None


def _digested(function: Any, *, early: bool) -> None:
    """Refuses what cannot be a task, at once."""
    try:
        options = checked(options_of_task(function))
        code = code_of(function)
        if isinstance(code.node, ast.FunctionDef):
            signature_of(code)
        keys.digested(code, tuple(options.get("follow", ())), early=early)
    except Refused as why:
        raise keys.refusal(function.__name__, function.__name__, why) from None
    except SignatureError as error:
        raise _wrong(function, error) from None


def _wrong(function: Any, error: SignatureError) -> StudyError:
    message = f"{function.__name__} cannot be a task: {error}"
    raised = StudyError.of(Diagnostic("error", message, error.expected, error.found))
    assert isinstance(raised, StudyError)
    return raised
