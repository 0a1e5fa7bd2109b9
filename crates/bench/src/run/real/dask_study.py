"""The study of this benchmark as one would write it with Dask: a delayed call for each task of each row, equal calls merged
by Dask's own keys (pure functions), two threads. `workflow` is the golden set's implementation with OpenCV, SciPy and
scikit-image.

Arguments: an image, a table of rows with a column for each parameter, and whether each step is done by `usual` libraries or
by the `fastest` of them. Prints one JSON object: the Dice coefficient of each row against the first one, seconds, and most
bytes resident.
"""
import csv
import json
import resource
import sys
import time

import cv2
import dask
import numpy as np

import peers
import workflow as plain


def read_rows(path):
    with open(path, newline="") as file:
        return [{name: number(row[name]) for name in plain.DEFAULTS} for row in csv.DictReader(file)]


def number(text):
    value = float(text)
    return int(value) if value.is_integer() else value


def background(rgb, blue, green, red):
    bright = (rgb[..., 2] > blue) & (rgb[..., 1] > green) & (rgb[..., 0] > red)
    return bool(np.float32(bright.sum()) / np.float32(bright.size) >= np.float32(0.9))


def cells(rgb, high, low):
    return plain.red_blood_cells(rgb, {"T1": high, "T2": low})


def darkness(rgb, connectivity, fastest):
    dark = 255 - np.ascontiguousarray(rgb[..., 0])
    opened = plain.opening(dark, plain.DISK19)
    eight = plain.neighbours(connectivity) == 8
    found = peers.reconstruct(opened, dark) if fastest and eight else plain.reconstruct(opened, dark, 8 if eight else 4)
    return dark - found


def fill(mask, connectivity, fastest):
    if fastest:
        return peers.fill_by_flood(mask.astype(np.uint8) * 255, plain.neighbours(connectivity)) > 0
    return plain.fill_holes(mask, plain.neighbours(connectivity))


def candidates(diff, connectivity, least, fastest):
    return fill(diff.astype(np.int64) > least, connectivity, fastest)


def filtered(mask, low, end):
    return plain.area_filter(mask, low, end, 8)


def grown(diff, chosen, rbc, least, fastest):
    mask = plain.select(diff.astype(np.int64) > least, chosen, 8) & ~rbc
    return plain.opening(fill(mask, 4, fastest).astype(np.uint8), plain.CROSS3) > 0


def clumps(mask, low):
    large = plain.area_filter(mask, low, np.inf, 8)
    return cv2.dilate(large.astype(np.uint8), plain.CROSS3) > 0


def split(rgb, big, connectivity, fastest):
    eight = plain.neighbours(connectivity) == 8
    return peers.flood(rgb, big) if fastest and eight else plain.flood(rgb, big, 8 if eight else 4, {})


def finished(mask, low, end, connectivity, fastest):
    return fill(plain.area_filter(mask, low, end, 4), connectivity, fastest)


def dice(mask, reference, ended):
    mask = mask & (not ended)
    both, sum_ = int((mask & reference).sum()), int(mask.sum()) + int(reference.sum())
    return 1.0 if sum_ == 0 else 2.0 * both / sum_


def graph(rgb, rows, fastest):
    """A value for each row; a stage that ends early is left to run on nothing, as Dask knows no such thing."""
    task = lambda function: dask.delayed(function, pure=True)
    reference, values = None, []
    for p in rows:
        ended = task(background)(rgb, p["blue"], p["green"], p["red"])
        rbc = task(cells)(rgb, p["T1"], p["T2"])
        diff = task(darkness)(rgb, p["reconConnectivity"], fastest)
        bw1 = task(candidates)(diff, p["fillHolesConnectivity"], p["G1"], fastest)
        bw1_t = task(filtered)(bw1, p["minSize"], p["maxSize"])
        seg_open = task(grown)(diff, bw1_t, rbc, p["G2"], fastest)
        big = task(clumps)(seg_open, p["minSizePl"])
        apart = task(split)(rgb, big, p["watershedConnectivity"], fastest)
        mask = task(finished)(apart, p["minSizeSeg"], p["maxSizeSeg"], p["fillHolesConnectivity"], fastest)
        reference = mask if reference is None else reference
        values.append(task(dice)(mask, reference, ended))
    return values


def main(image, table, how):
    cv2.setNumThreads(1)
    rgb = cv2.imread(image)[..., ::-1]
    rows = read_rows(table)
    start = time.perf_counter()
    normalized = dask.delayed(plain.normalize, pure=True)(np.ascontiguousarray(rgb))
    values = dask.compute(*graph(normalized, rows, how == "fastest"), scheduler="threads", num_workers=2)
    seconds = time.perf_counter() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    name = f"Dask {dask.__version__}, {'fastest libraries' if how == 'fastest' else 'scikit-image, SciPy, OpenCV'}"
    json.dump({"name": name, "dice": values, "seconds": seconds, "resident": peak}, sys.stdout)


if __name__ == "__main__":
    main(*sys.argv[1:])
