"""Registration in five levels as a Python program: each level is a block that is computed once.

    python levels.py FOLDER PRM PRM PRM PRM PRM

A level takes what the level before has given, so its numbers identify it: equal beginnings are found, and also levels that turn
out to give the same numbers.
"""

import sys

import numpy as np

import onceflow as of


def level(field: np.ndarray, prm: float, folder: str) -> tuple[np.ndarray, bool]:
    """One level: what it gives, and whether it was known."""
    with of.memo("level", field=field, prm=prm, store=folder, program="levels.py") as block:
        if not block.known:
            block["field"] = field * prm + np.arange(1, field.size + 1)
    return block["field"], block.known


def main() -> None:
    folder, *prms = sys.argv[1:]
    field, computed = np.array([1.0, 2.0, 3.0]), 0
    for prm in prms:
        field, known = level(field, float(prm), folder)
        computed += not known
    print(f"{computed} of {len(prms)} levels computed, {field.tolist()}")


if __name__ == "__main__":
    main()
