"""The same step as split.py, as a process that serves: Python and its libraries are loaded once, not once per task."""

from onceflow_serve import serve
from skimage import io
from split import split


def task(inputs, outputs, parameters):
    made = split(io.imread(inputs["candidates"]), parameters["minDistance"], parameters["sigma"])
    io.imsave(outputs["nuclei"], made, check_contrast=False)


serve(task)
