"""What Dask's threads take for tasks that do nothing: chains of twelve, one for each row, two threads.

Asked with one JSON object on standard input, {"tasks": N}; answers with one: {"name": ..., "seconds": ..., "tasks": N}.
"""
import json
import sys
import time

import dask
import dask.threaded


def nothing(x):
    return x


def graph(tasks, chain=12):
    made = {}
    ends = []
    for row in range(tasks // chain):
        made[(row, 0)] = 0
        for step in range(1, chain + 1):
            made[(row, step)] = (nothing, (row, step - 1))
        ends.append((row, chain))
    return made, ends


asked = json.load(sys.stdin)
made, ends = graph(asked["tasks"])
start = time.perf_counter()
dask.threaded.get(made, ends, num_workers=2)
seconds = time.perf_counter() - start
print(json.dumps({"name": f"Dask {dask.__version__}, threads", "seconds": seconds, "tasks": 12 * len(ends)}))
