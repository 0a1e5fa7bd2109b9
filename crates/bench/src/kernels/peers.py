"""Peers of the kernels: times each on the arrays beside this file, counts how far its result is from ours, and prints one
JSON object. `workflow` is the golden set's own implementation of the nuclei workflow.

Arguments: the clock, `processor` or `wall`; with `names` the peers are named and nothing is measured.
"""
import json
import sys
import time
from importlib.metadata import version
from pathlib import Path

import cv2
import numpy as np
from scipy import ndimage
from skimage.morphology import local_maxima, reconstruction

import workflow as plain

try:
    import SimpleITK as itk
except ImportError:
    itk = None
try:
    import edt
except ImportError:
    edt = None

HERE = Path(__file__).parent
PACKAGES = ["opencv-python-headless", "scikit-image", "scipy", "numpy", "SimpleITK", "edt"]
# A peer is run up to three times, and not again once it has taken this many seconds.
RUNS, ENOUGH = 3, 8.0
EIGHT = np.ones((3, 3), bool)
SHAPES = ["spiral", "comb", "checkerboard", "full"]


def main(clock):
    cv2.setNumThreads(1)
    if itk:
        itk.ProcessObject.SetGlobalDefaultNumberOfThreads(1)
    now = time.process_time if clock == "processor" else time.perf_counter
    found = []
    for operation, peer, prepare, work, differ in measurements():
        if work:
            found.append(measure(now, operation, peer, prepare, work, differ))
    json.dump({"peers": found}, sys.stdout)


def measure(now, operation, peer, prepare, work, differ):
    # A peer that dies without a message has been named.
    print(f"{operation}: {peer}", file=sys.stderr, flush=True)
    arguments = prepare()
    seconds = []
    while len(seconds) < RUNS and sum(seconds) < ENOUGH:
        start = now()
        result = work(*arguments)
        seconds.append(now() - start)
    differences = None if differ is None else int(differ(result, load(f"ours-{operation}")))
    return {"operation": operation, "peer": peer, "milliseconds": min(seconds) * 1e3, "differences": differences}


def load(name):
    return np.load(HERE / f"{name}.npy")


def arrays(*names):
    return lambda: [load(name) for name in names]


def masks(*names):
    return lambda: [load(name) > 0 for name in names]


def images(*names):
    return lambda: [itk.GetImageFromArray(load(name)) for name in names]


def measurements():
    """Operation, peer, what makes its arguments, the timed work, and how its result is compared; no work: not there."""
    parameters = plain.DEFAULTS
    recon = itk and (lambda marker, mask: itk.ReconstructionByDilation(marker, mask, True, False))
    return [
        ("opening", "OpenCV", arrays("darkness"), lambda image: plain.opening(image, plain.DISK19), pixels),
        ("opening by the cross", "OpenCV", arrays("darkness"), lambda image: plain.opening(image, plain.CROSS3), pixels),
        ("threshold", "OpenCV", arrays("darkness"), lambda image: cv2.threshold(image, 80, 255, cv2.THRESH_BINARY)[1], pixels),
        ("reconstruction", "ITK", images("opened", "darkness"), recon, image_pixels),
        ("reconstruction", "scikit-image", arrays("opened", "darkness"), lambda a, b: plain.reconstruct(a, b, 8), pixels),
        ("fill holes", "OpenCV", arrays("candidates"), fill_by_flood, pixels),
        ("fill holes", "SciPy", masks("candidates"), lambda mask: plain.fill_holes(mask, 4), mask_pixels),
        ("label", "OpenCV", arrays("dark"), lambda mask: cv2.connectedComponents(mask, connectivity=8)[1], partition),
        ("label", "OpenCV, with sizes and boxes", arrays("dark"), label_and_measure, partition),
        ("label and filter by area", "OpenCV", arrays("dark"), lambda mask: plain.area_filter(mask, 21, 1000, 8), mask_pixels),
        ("distance", "edt", masks("big"), edt and (lambda mask: edt.edt(mask, parallel=1)), pixels),
        ("distance", "SciPy", masks("big"), lambda mask: ndimage.distance_transform_edt(mask), single),
        ("distance", "OpenCV", arrays("big"), lambda mask: cv2.distanceTransform(mask, cv2.DIST_L2, cv2.DIST_MASK_PRECISE), None),
        ("h-maxima", "ITK", images("far"), itk and (lambda far: itk.ReconstructionByDilation(far - 1.0, far, True, False)), image_pixels),
        ("h-maxima", "scikit-image", arrays("far"), lambda far: reconstruction(far - np.float32(1), far, footprint=EIGHT), single),
        ("regional maxima", "scikit-image", arrays("levelled"), lambda image: local_maxima(image, footprint=EIGHT), mask_pixels),
        ("watershed", "OpenCV", padded, lambda image, markers: cv2.watershed(image, markers.copy())[1:-1, 1:-1], labels),
        ("normalization", "NumPy", arrays("rgb"), plain.normalize, levels),
        ("segmentation", "best of peers", arrays("normalized"), lambda rgb: segment(rgb, parameters), mask_pixels),
        ("segmentation", "plain Python", arrays("normalized"), lambda rgb: plain.segment(rgb, parameters)[1], mask_pixels),
    ] + [measurement for shape in SHAPES for measurement in on_shape(shape)]


def on_shape(shape):
    """Times on a mask that troubles algorithms; that results are equal was seen on tissue."""
    mask = arrays(f"shape-{shape}")
    return [
        (f"fill holes: {shape}", "OpenCV", mask, fill_by_flood, None),
        (f"label: {shape}", "OpenCV", mask, lambda mask: cv2.connectedComponents(mask, connectivity=8)[1], None),
        (f"label: {shape}", "OpenCV, with sizes and boxes", mask, label_and_measure, None),
        (f"label and filter by area: {shape}", "OpenCV", mask, lambda mask: plain.area_filter(mask, 21, 1000, 8), None),
        (f"watershed: {shape}", "OpenCV", lambda: shape_basins(shape), lambda image, markers: cv2.watershed(image, markers.copy()), None),
    ]


def shape_basins(shape):
    """The outside is one basin, the first and the last pixel of the shape are two."""
    mask = load(f"shape-{shape}")
    markers = np.where(mask == 0, np.int32(1), np.int32(0))
    inside = np.flatnonzero(mask)
    markers.flat[inside[[0, -1]]] = (2, 3)
    frame = (1, 1, 1, 1, cv2.BORDER_CONSTANT)
    return [cv2.copyMakeBorder(load("normalized"), *frame), cv2.copyMakeBorder(markers, *frame)]


def label_and_measure(mask):
    return cv2.connectedComponentsWithStats(mask, connectivity=8)[1]


def padded():
    """OpenCV makes the outermost pixels lines: it gets a frame for them."""
    frame = (1, 1, 1, 1, cv2.BORDER_CONSTANT)
    return [cv2.copyMakeBorder(load("basins"), *frame), cv2.copyMakeBorder(load("markers").astype(np.int32), *frame)]


# ---- comparisons: the number of pixels that are not ours -------------------------------------------------------------

def pixels(theirs, ours):
    return (theirs != ours).sum()


def mask_pixels(theirs, ours):
    return (theirs != (ours > 0)).sum()


def image_pixels(theirs, ours):
    return pixels(itk.GetArrayViewFromImage(theirs), ours)


def single(theirs, ours):
    return pixels(theirs.astype(np.float32), ours)


def labels(theirs, ours):
    return pixels(theirs, ours.view(np.int32))


def levels(theirs, ours):
    """NumPy's logarithm may differ in the last bit: one grey level is rounding."""
    return (np.abs(theirs.astype(np.int16) - ours) > 1).sum()


def partition(theirs, ours):
    """Numbers may differ: pairs of labels that meet, beyond one for each label of either."""
    pairs = np.unique(theirs.astype(np.int64) << 32 | ours)
    return 2 * len(pairs) - len(np.unique(pairs >> 32)) - len(np.unique(pairs & 0xFFFFFFFF))


# ---- the best peers put together -------------------------------------------------------------------------------------

def fill_by_flood(mask, connectivity=4):
    framed = cv2.copyMakeBorder(mask, 1, 1, 1, 1, cv2.BORDER_CONSTANT)
    cv2.floodFill(framed, None, (0, 0), 1, flags=connectivity)
    return np.where(framed[1:-1, 1:-1] == 1, np.uint8(0), np.uint8(255))


def reconstruct(marker, mask):
    if not itk:
        return plain.reconstruct(marker, mask, 8)
    found = itk.ReconstructionByDilation(itk.GetImageFromArray(marker), itk.GetImageFromArray(mask), True, False)
    return itk.GetArrayFromImage(found)


def segment(rgb, p):
    """The workflow with defaults, each step by the fastest peer: OpenCV, ITK's reconstruction, edt's distance."""
    bright = cv2.inRange(rgb, (p["red"] + 1, p["green"] + 1, p["blue"] + 1), (255, 255, 255))
    if np.float32(cv2.countNonZero(bright)) / np.float32(bright.size) >= np.float32(0.9):
        return np.zeros(bright.shape, bool)
    rbc = plain.red_blood_cells(rgb, p)
    dark = 255 - np.ascontiguousarray(rgb[..., 0])
    diff = dark - reconstruct(plain.opening(dark, plain.DISK19), dark)
    bw1 = fill_by_flood(cv2.compare(diff, p["G1"], cv2.CMP_GT))
    bw1_t = plain.area_filter(bw1, p["minSize"], p["maxSize"], 8)
    grown = plain.select(diff > p["G2"], bw1_t, 8) & ~rbc
    opened = plain.opening(fill_by_flood(grown.astype(np.uint8) * 255), plain.CROSS3)
    large = plain.area_filter(opened, p["minSizePl"], np.inf, 8).astype(np.uint8)
    big = cv2.dilate(large, plain.CROSS3) > 0
    apart = flood(rgb, big)
    kept = plain.area_filter(apart, p["minSizeSeg"], p["maxSizeSeg"], 4)
    return fill_by_flood(kept.astype(np.uint8) * 255) > 0


def flood(rgb, big):
    if big.all() or not big.any():
        return big
    far = edt.edt(big, parallel=1) if edt else ndimage.distance_transform_edt(big).astype(np.float32)
    largest = np.finfo(np.float32).max
    ceiling = np.where(big, far, np.float32(largest))
    levelled = reconstruct(np.where(big, far - np.float32(1), np.float32(largest)), ceiling)
    peaks = local_maxima(levelled, footprint=EIGHT).astype(np.uint8)
    frame = (1, 1, 1, 1, cv2.BORDER_CONSTANT)
    markers = cv2.copyMakeBorder(cv2.connectedComponents(peaks, connectivity=8)[1], *frame)
    colours = cv2.copyMakeBorder(np.where(big[..., None], rgb, np.uint8(0)), *frame)
    line = cv2.watershed(colours, markers)[1:-1, 1:-1] == -1
    repair(line, big)
    return big & ~line


def repair(line, big):
    """As the plain one, looking only at pixels under a line."""
    width = line.shape[1]
    for y in range(1, line.shape[0]):
        above, here = line[y - 1], line[y]
        for x in np.flatnonzero(above & big[y] & ~here):
            left = x > 0 and here[x - 1] and not above[x - 1]
            right = x + 1 < width and here[x + 1] and not above[x + 1]
            here[x] = left or right


def names():
    here = [package for package in PACKAGES if (itk or package != "SimpleITK") and (edt or package != "edt")]
    return ", ".join(f"{package} {known(package)}" for package in here)


def known(package):
    try:
        return version(package)
    except ImportError:
        return ""


if __name__ == "__main__":
    if sys.argv[1] == "names":
        json.dump({"name": names()}, sys.stdout)
    else:
        main(sys.argv[1])
