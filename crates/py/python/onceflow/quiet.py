"""Whether progress is shown, and how: a line that is rewritten in a terminal or a notebook."""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Generator

__all__ = ["Progress", "quiet"]

_STATE = {"quiet": False}


def quiet(silent: bool = True) -> None:
    """Show no progress from now on; ``quiet(False)`` shows it again.

    Examples
    --------
    >>> import onceflow as of
    >>> of.quiet()

    """
    _STATE["quiet"] = silent


def in_notebook() -> bool:
    """Whether this is the kernel of a notebook."""
    shell = sys.modules.get("IPython")
    instance = shell.get_ipython() if shell is not None else None
    return instance is not None and type(instance).__name__ == "ZMQInteractiveShell"


class Progress:
    """One line on standard error; a terminal and a notebook rewrite it, a file gets lines now and then."""

    def __init__(self) -> None:
        self._rewrites = in_notebook() or (sys.stderr is not None and sys.stderr.isatty())
        self._shown = ""
        self._next = time.monotonic() + 1.0
        self._pause = 2.0

    def show(self, line: str) -> None:
        """Show how far the work is."""
        if _STATE["quiet"] or sys.stderr is None or line == self._shown:
            return
        now = time.monotonic()
        if self._rewrites:
            self._write(f"\r{line.ljust(len(self._shown))}")
            self._shown = line
        elif now >= self._next:
            self._write(f"{line}\n")
            self._next, self._pause = now + self._pause, min(2 * self._pause, 600.0)

    def say(self, line: str) -> None:
        """Write a line that stays."""
        if _STATE["quiet"] or sys.stderr is None:
            return
        self.clear()
        self._write(f"{line}\n")

    def clear(self) -> None:
        """Remove the line."""
        if self._shown:
            self._write(f"\r{' ' * len(self._shown)}\r")
            self._shown = ""

    def _write(self, text: str) -> None:
        # A closed standard error does not stop the work.
        with contextlib.suppress(OSError, ValueError):
            sys.stderr.write(text)
            sys.stderr.flush()


@contextlib.contextmanager
def shown() -> Generator[Progress]:
    """Progress that is cleared at the end."""
    progress = Progress()
    try:
        yield progress
    finally:
        progress.clear()
