"""Steps of a workflow as Python functions: each can be called, tested and debugged like any other."""

import numpy as np
import onceflow as of

NEIGHBOURS = ((-1, 0), (1, 0), (0, -1), (0, 1))


def moved(mask, dy, dx):
    """The mask one pixel further; what comes from outside is background."""
    inside = np.zeros_like(mask)
    height, width = mask.shape
    inside[max(dy, 0) : height + min(dy, 0), max(dx, 0) : width + min(dx, 0)] = mask[
        max(-dy, 0) : height + min(-dy, 0), max(-dx, 0) : width + min(-dx, 0)
    ]
    return inside


@of.task(halo=16, memory="600 MiB", time="2 min")
def smooth(candidates: of.Mask, *, steps: int = 2, mode: str = "open") -> of.Mask:
    """Opens or closes a mask: first so many steps one way, then as many back."""
    shrinks = [mode == "open"] * steps + [mode == "close"] * steps
    found = candidates
    for shrink in shrinks:
        around = [moved(found, dy, dx) for dy, dx in NEIGHBOURS]
        found = found & np.logical_and.reduce(around) if shrink else found | np.logical_or.reduce(around)
    return found
