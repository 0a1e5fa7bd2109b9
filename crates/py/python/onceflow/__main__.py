"""The command ``onceflow``: ``python -m onceflow``."""

from __future__ import annotations

import shutil
import signal
import sys
from pathlib import Path

from onceflow import _core


def _program() -> str:
    """The file that starts the command in a process of its own, beside this interpreter or on the path."""
    beside = Path(sys.executable).with_name("onceflow.exe" if sys.platform == "win32" else "onceflow")
    return str(beside) if beside.exists() else shutil.which("onceflow") or sys.argv[0]


def main() -> int:
    """Carry out the command of this process, and give its exit code."""
    # Python's handlers run between two of its instructions: here there are none.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    return _core.command(sys.argv[1:], _program())


if __name__ == "__main__":
    sys.exit(main())
