"""Splits clumps of a mask as split.py does, but each on its own: only those that no earlier row had are given to it."""

import numpy as np
from onceflow_serve import serve
from scipy import ndimage
from skimage import feature, io, measure, segmentation


def split_one(clump: np.ndarray, min_distance: int, sigma: float) -> np.ndarray:
    """One clump, alone in its box, with a line of background where two nuclei touch."""
    inside = np.pad(clump, 1)
    distance = ndimage.gaussian_filter(ndimage.distance_transform_edt(inside), sigma)
    peaks = feature.peak_local_max(distance, min_distance=min_distance, labels=inside.astype(int), exclude_border=False)
    markers = np.zeros(inside.shape, np.int32)
    markers[tuple(peaks.T)] = np.arange(1, len(peaks) + 1)
    labels = segmentation.watershed(-distance, markers, mask=inside, watershed_line=True)
    return labels[1:-1, 1:-1] > 0


def split_objects(mask: np.ndarray, min_distance: int, sigma: float) -> np.ndarray:
    """All clumps of a mask: those that touch at a corner are one, as Onceflow tells them apart."""
    made = np.zeros(mask.shape, np.uint8)
    for clump in measure.regionprops(measure.label(mask > 0, connectivity=2)):
        made[clump.slice][split_one(clump.image, min_distance, sigma)] = 255
    return made


def task(inputs, outputs, parameters):
    made = split_objects(io.imread(inputs["candidates"]), parameters["minDistance"], parameters["sigma"])
    io.imsave(outputs["nuclei"], made, check_contrast=False)


if __name__ == "__main__":
    serve(task)
