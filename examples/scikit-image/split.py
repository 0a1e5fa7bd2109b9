"""Splits clumps of a mask along the watershed of its distances, with scikit-image."""

import argparse

import numpy as np
from scipy import ndimage
from skimage import feature, io, segmentation


def split(mask: np.ndarray, min_distance: int, sigma: float) -> np.ndarray:
    """The mask with a line of background where two nuclei touch."""
    inside = mask > 0
    distance = ndimage.gaussian_filter(ndimage.distance_transform_edt(inside), sigma)
    peaks = feature.peak_local_max(distance, min_distance=min_distance, labels=ndimage.label(inside)[0])
    markers = np.zeros(mask.shape, np.int32)
    markers[tuple(peaks.T)] = np.arange(1, len(peaks) + 1)
    labels = segmentation.watershed(-distance, markers, mask=inside, watershed_line=True)
    return np.where(labels > 0, 255, 0).astype(np.uint8)


def main() -> None:
    words = argparse.ArgumentParser(description=__doc__)
    words.add_argument("--min-distance", type=int, required=True)
    words.add_argument("--sigma", type=float, required=True)
    words.add_argument("mask")
    words.add_argument("out")
    given = words.parse_args()
    made = split(io.imread(given.mask), given.min_distance, given.sigma)
    io.imsave(given.out, made, check_contrast=False)


if __name__ == "__main__":
    main()
