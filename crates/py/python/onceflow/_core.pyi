"""The compiled part of the package."""

from collections.abc import Sequence

__version__: str

def command(words: Sequence[str], program: str) -> int: ...
