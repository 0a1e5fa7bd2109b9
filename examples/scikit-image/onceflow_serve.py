"""Serves tasks of Onceflow: copy this file beside your program, declare it under `files`, and call serve(function)."""

import json
import sys
import traceback


def serve(function):
    """Calls function(inputs, outputs, parameters) for each task; inputs and outputs are names of files by region.

    What the function returns, if anything, is the status with which it ends its part. What it prints goes to the log.
    """
    answers, sys.stdout = sys.stdout, sys.stderr
    for line in sys.stdin:
        task = json.loads(line)
        try:
            status = function(task["inputs"], task["outputs"], task["parameters"])
            answer = {"ok": True} if status is None else {"ended": str(status)}
        except Exception as error:  # a failing task is an answer too
            traceback.print_exc()
            answer = {"ok": False, "error": f"{type(error).__name__}: {error}"}
        sys.stderr.flush()
        print(json.dumps(answer), file=answers, flush=True)
