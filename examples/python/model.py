"""Finds nuclei along one line of pixels and scores them against the truth: stands in for a program of your own.

Usage: python3 model.py X.csv Y.csv
"""

import csv
import sys

LENGTH = 240
NUCLEI = [(0, 9), (22, 36), (50, 58), (60, 74), (95, 99), (120, 141), (160, 170), (173, 186), (205, 222), (231, 240)]
TRUTH = {place for start, end in NUCLEI for place in range(start, end)}


def line():
    """Bright nuclei with soft edges on a background that rises to the right, and noise that is always the same."""
    pixels, state = [], 2026
    for place in range(LENGTH):
        depth = max((min(place - start, end - 1 - place) + 1 for start, end in NUCLEI), default=0)
        state = (1103515245 * state + 12345) % 2**31
        pixels.append(0.15 + 0.15 * place / LENGTH + 0.5 * min(max(depth, 0), 3) / 3 + 0.3 * (state / 2**31 - 0.5))
    return pixels


def smoothed(pixels, radius):
    windows = (pixels[max(place - radius, 0) : place + radius + 1] for place in range(LENGTH))
    return [sum(window) / len(window) for window in windows]


def runs(marks):
    """Start and end of each run of marked places."""
    found, start = [], None
    for place, marked in enumerate([*marks, False]):
        if marked and start is None:
            start = place
        if not marked and start is not None:
            found.append((start, place))
            start = None
    return found


def segment(pixels, smooth, threshold, min_size, fill, border):
    marks = [pixel > threshold for pixel in smoothed(pixels, smooth)]
    for start, end in runs([not mark for mark in marks]):
        if end - start <= fill and start > 0 and end < LENGTH:
            marks[start:end] = [True] * (end - start)
    large = [(start, end) for start, end in runs(marks) if end - start >= min_size]
    if border == "drop":
        large = [(start, end) for start, end in large if start > 0 and end < LENGTH]
    if not large:
        raise ValueError("nothing found")
    return large


def score(nuclei):
    found = {place for start, end in nuclei for place in range(start, end)}
    return 2 * len(found & TRUTH) / (len(found) + len(TRUTH))


def main(x, y):
    pixels = line()
    with open(x, newline="") as asked, open(y, "w", newline="") as told:
        results = csv.writer(told)
        results.writerow(["row", "status", "dice", "objects"])
        for row in csv.DictReader(asked):
            try:
                nuclei = segment(
                    pixels,
                    smooth=int(row["smooth"]),
                    threshold=float(row["threshold"]),
                    min_size=int(row["min_size"]),
                    fill=int(row["fill"]),
                    border=row["border"],
                )
                results.writerow([row["row"], "ok", score(nuclei), len(nuclei)])
            except ValueError:  # A row that fails says so; it never becomes a number.
                results.writerow([row["row"], "failed", "", ""])


main(*sys.argv[1:])
