"""Reads what `segment` and `features` wrote into a folder, as other programs do, and compares it among itself."""

import csv
import json
import math
import pathlib
import sys

import numpy
import pyarrow.parquet
import tifffile

folder = pathlib.Path(sys.argv[1])


def doubled_area(ring):
    assert ring[0] == ring[-1] and len(ring) >= 5, "a ring is closed"
    return sum(a[0] * b[1] - b[0] * a[1] for a, b in zip(ring, ring[1:]))


labels = tifffile.imread(folder / "labels.tif")
assert labels.dtype == numpy.uint32 and labels.shape == (2500, 3000), (labels.dtype, labels.shape)
areas = numpy.bincount(labels.ravel())[1:]

features = json.loads((folder / "nuclei.geojson").read_text())["features"]
assert len(features) == len(areas) > 1000
for area, feature in zip(areas, features):
    geometry = feature["geometry"]
    polygons = [geometry["coordinates"]] if geometry["type"] == "Polygon" else geometry["coordinates"]
    assert sum(doubled_area(ring) for polygon in polygons for ring in polygon) == 2 * area
    assert all(0 <= x <= 3000 and 0 <= y <= 2500 for polygon in polygons for ring in polygon for x, y in ring)

table = pyarrow.parquet.read_table(folder / "nuclei.parquet")
with open(folder / "nuclei.csv", newline="") as file:
    rows = list(csv.DictReader(file))
assert table.column_names == list(rows[0]) and table.num_rows == len(rows) == len(areas)
for name in table.column_names:
    for written, field in zip(table[name].to_pylist(), (row[name] for row in rows)):
        if field == "":
            assert written is None, (name, written)
        elif isinstance(written, str):
            assert written == field
        else:
            assert math.isclose(written, float(field), rel_tol=0, abs_tol=0), (name, written, field)
assert table["area"].to_pylist() == areas.tolist()
print(f"files: {len(areas)} nuclei, the same in labels, outlines, CSV and Parquet")
