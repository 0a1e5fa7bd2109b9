"""Makes `expected.json` and `shapes.png` beside this file: the features of objects, computed a second time.

Run it with:  pip install numpy scipy scikit-image opencv-python-headless && python make.py

Every column is computed here with NumPy from its definition in docs/reference/features.md, or with another program where that
has the same definition, so that two programs that share no line have to agree:

    scikit-image regionprops          area, extent, convex area, solidity, equivalent diameter, Euler number;
                                      orientation (after its axes are turned)
    scikit-image graycomatrix         pairs of grey levels; graycoprops: contrast, homogeneity, correlation
    SciPy                             skewness, kurtosis, entropy
    OpenCV                            Canny
    the specification, in NumPy       perimeter, axes, eccentricity, circularity, stains, gradient, the ring
"""

import json
import warnings
from pathlib import Path

import cv2
import numpy as np
from scipy import ndimage, stats
from skimage.feature import graycomatrix, graycoprops
from skimage.measure import regionprops

HERE = Path(__file__).parent
GOLDEN = HERE.parent / "golden"
EIGHT = np.ones((3, 3))
H = np.array([0.650, 0.704, 0.286])
E = np.array([0.072, 0.990, 0.105])


def stains(rgb):
    """Light behind each stain alone, 8 bits: least squares in absorbance."""
    absorbance = -np.log10((rgb.astype(float) + 1) / 256)
    vectors = np.stack([H / np.linalg.norm(H), E / np.linalg.norm(E)], axis=1)
    amounts = absorbance.reshape(-1, 3) @ np.linalg.pinv(vectors).T
    light = 256 * 10.0 ** -amounts - 1
    pictures = np.clip(np.floor(light + 0.5), 0, 255).astype(np.uint8)
    return pictures.reshape(*rgb.shape[:2], 2).transpose(2, 0, 1)


def gradient(grey):
    padded = np.pad(grey.astype(float), 1, mode="edge")
    across = (padded[1:-1, 2:] - padded[1:-1, :-2]) / 2
    down = (padded[2:, 1:-1] - padded[:-2, 1:-1]) / 2
    return np.floor(np.hypot(across, down) + 0.5).astype(np.uint8)


def moments(values):
    if values.size == 0:
        return dict.fromkeys(["mean", "max", "min", "std", "entropy", "energy", "skewness", "kurtosis"])
    values = values.astype(float)
    counts = np.unique(values, return_counts=True)[1]
    flat = len(counts) == 1
    return {
        "mean": values.mean(), "max": values.max(), "min": values.min(), "std": values.std(),
        "entropy": stats.entropy(counts, base=2), "energy": ((counts / counts.sum()) ** 2).sum(),
        "skewness": 0.0 if flat else stats.skew(values),
        "kurtosis": 0.0 if flat else stats.kurtosis(values, fisher=False),
    }


def relief(picture, region, window):
    """Gradient and edges; Canny sees the window alone."""
    found = moments(gradient(picture)[region])
    row = {f"gradient_{name}": value for name, value in found.items() if name not in ("max", "min")}
    edges = np.zeros_like(picture)
    edges[window] = cv2.Canny(np.ascontiguousarray(picture[window]), 70, 90, apertureSize=5)
    count = int((edges[region] > 0).sum())
    empty = not region.any()
    row["edge_pixels"] = None if empty else count
    row["edge_mean"] = None if empty else count / int(region.sum())
    return row


def shape(mask):
    """Of a mask with a frame of zeros at least one pixel wide."""
    (found,) = regionprops(mask.astype(np.uint8))
    y, x = np.nonzero(mask)
    area = len(x)
    quads = np.stack([mask[:-1, :-1], mask[:-1, 1:], mask[1:, :-1], mask[1:, 1:]]).astype(int)
    count = quads.sum(axis=0)
    diagonal = (count == 2) & (quads[0] == quads[3])
    corners = ((count == 1) | (count == 3)).sum()
    straight = ((count == 2) & ~diagonal).sum()
    perimeter = corners * np.sqrt(0.5) + straight + diagonal.sum() * np.sqrt(2)
    mxx, myy, mxy = x.var() + 1 / 12, y.var() + 1 / 12, ((x - x.mean()) * (y - y.mean())).mean()
    (low, high), vectors = np.linalg.eigh([[mxx, mxy], [mxy, myy]])
    orientation = np.arctan2(vectors[1, 1], vectors[0, 1]) if high - low > 1e-9 else 0.0
    orientation -= np.pi * np.round(orientation / np.pi)
    orientation = np.pi / 2 if orientation < -np.pi / 2 + 1e-12 else orientation
    if high - low > 1e-9:  # regionprops measures from the rows' axis, the other way round
        turned = np.pi / 2 - found.orientation - orientation
        assert abs(turned - np.pi * np.round(turned / np.pi)) < 1e-9
    return {
        "area": found.area, "perimeter": perimeter,
        "major_axis": 4 * np.sqrt(high), "minor_axis": 4 * np.sqrt(low),
        "eccentricity": np.sqrt(max(0.0, 1 - low / high)) if high - low > 1e-12 else 0.0,
        "extent": found.extent, "circularity": 4 * np.pi * area / perimeter ** 2,
        "convex_area": found.area_convex, "solidity": found.solidity,
        "equivalent_diameter": found.equivalent_diameter_area,
        "orientation": orientation, "euler_number": int(found.euler_number),
    }


def texture(picture, mask):
    """Level 0 stands for outside: its pairs are dropped."""
    levels = np.where(mask, picture // 32 + 1, 0).astype(np.uint8)
    angles = [0, np.pi / 4, np.pi / 2, 3 * np.pi / 4]
    pairs = graycomatrix(levels, [1], angles, levels=9, symmetric=True)[1:, 1:].astype(float)
    pairs = pairs[..., pairs.sum(axis=(0, 1, 2)) > 0]
    names = ["contrast", "energy", "entropy", "homogeneity", "maximum_probability", "cluster_shade",
             "cluster_prominence", "correlation"]
    if pairs.shape[3] == 0:
        return dict.fromkeys(names)
    share = (pairs / pairs.sum(axis=(0, 1)))[:, :, 0]
    i, j = np.mgrid[:8, :8][..., None]
    mean = (share * i).sum(axis=(0, 1))
    cluster = i + j - 2 * mean
    with np.errstate(all="ignore"):
        entropy = -np.where(share > 0, share * np.log2(share), 0).sum(axis=(0, 1))
    values = [
        graycoprops(pairs, "contrast")[0], (share ** 2).sum(axis=(0, 1)), entropy,
        graycoprops(pairs, "homogeneity")[0], share.max(axis=(0, 1)), (share * cluster ** 3).sum(axis=(0, 1)),
        (share * cluster ** 4).sum(axis=(0, 1)), graycoprops(pairs, "correlation")[0],
    ]
    return {name: value.mean() for name, value in zip(names, values)}


def box(mask, margin):
    y, x = np.nonzero(mask)
    start = lambda v: max(v.min() - margin, 0)
    return slice(start(y), y.max() + margin + 1), slice(start(x), x.max() + margin + 1)


def ring_of(mask, labels):
    y, x = np.mgrid[-8:9, -8:9]
    return ndimage.binary_dilation(mask, x * x + y * y <= 64) & (labels == 0)


def prefixed(prefix, row):
    return {f"{prefix}{name}": value for name, value in row.items()}


def features(rgb, labels, label):
    mask = labels == label
    haematoxylin, eosin = stains(rgb)
    pictures = {"red": rgb[..., 0], "green": rgb[..., 1], "blue": rgb[..., 2], "haematoxylin": haematoxylin,
                "eosin": eosin}
    row = shape(np.pad(mask, 2))
    for name, picture in pictures.items():
        row |= prefixed(f"{name}_", moments(picture[mask]))
    row |= prefixed("haematoxylin_", relief(haematoxylin, mask, box(mask, 4)))
    row |= prefixed("texture_", texture(haematoxylin[box(mask, 0)], mask[box(mask, 0)]))
    ring = ring_of(mask, labels)
    for name in ("haematoxylin", "eosin"):
        row |= prefixed(f"cytoplasm_{name}_", moments(pictures[name][ring]))
    return row | prefixed("cytoplasm_eosin_", relief(eosin, ring, box(mask, 12)))


def located(labels, label):
    y, x = np.nonzero(labels == label)
    return {
        "label": int(label), "centroid": [x.mean() + 0.5, y.mean() + 0.5],
        "box": [int(v) for v in (x.min(), y.min(), x.max() + 1, y.max() + 1)],
    }


def plain(value):
    return value if value is None else float(value)


def case(image, labels, source):
    objects = []
    for label in np.unique(labels)[1:]:
        row = features(image, labels, label)
        objects.append(located(labels, label) | {"values": [plain(value) for value in row.values()]})
    return {"image": source, "names": list(row), "objects": objects}


def shapes(height, width):
    """Objects whose shape is known or awkward, some of them touching."""
    labels = np.zeros((height, width), np.uint8)
    y, x = np.mgrid[:height, :width]
    disc = lambda cx, cy, r: (x - cx) ** 2 + (y - cy) ** 2 <= r * r
    labels[10:20, 10:34] = 1                                       # a rectangle
    labels[disc(56, 18, 10)] = 2                                   # a disc
    labels[disc(90, 20, 14) & ~disc(90, 20, 6)] = 3                # a ring
    labels[disc(90, 20, 3)] = 4                                    # inside the ring
    labels[40, 12] = 5                                             # one pixel
    labels[50:60, 12:16], labels[60:70, 16:20] = 6, 6              # two that touch in a corner
    labels[abs(x - 50) + 2 * abs(y - 60) < 20] = 7                 # a diamond
    labels[45:75, 80:84], labels[71:75, 80:110] = 8, 8             # an L
    labels[50:60, 84:94] = 9                                       # touches the L
    labels[0:7, 0:5] = 10                                          # in the corner of the image
    labels[100:128, 120:160] = 11                                  # in the other
    labels[abs((x - 40) - (y - 105)) < 3] = 12                     # a slanted bar across the image
    labels[(abs(x - 40) > 20) & (labels == 12)] = 0
    labels[90, 60:90] = 13                                         # a line of one pixel
    labels[105:112, 80:87] = 14
    labels[107:110:2, 82:85:2] = 0                                 # four holes that touch nothing
    labels[100:112, 100] = 15
    labels[100:112, 101] = 15
    labels[105, 100] = 0                                           # a notch
    labels[5:8, 130:140], labels[12:15, 130:140] = 16, 16          # one label, two parts
    labels[8:12, 130:140] = 17                                     # between them: no ring on two sides
    checks = (x >= 130) & (x < 141) & (y >= 30) & (y < 41)
    labels[checks & ((x % 2 == 0) | (y % 2 == 0))] = 18            # a grid with many holes
    labels[checks & (x > 137) & ((x + y) % 2 == 1)] = 0            # whose holes touch in corners
    return labels


def main():
    warnings.simplefilter("ignore")
    read = lambda path: cv2.cvtColor(cv2.imread(str(path)), cv2.COLOR_BGR2RGB)
    tissue = read(GOLDEN / "dense/normalized.png")
    mask = cv2.imread(str(GOLDEN / "dense/mask-00.png"), cv2.IMREAD_GRAYSCALE)
    drawn = shapes(*tissue.shape[:2])
    cv2.imwrite(str(HERE / "shapes.png"), drawn)
    cases = [
        case(tissue, ndimage.label(mask, EIGHT)[0], "nuclei"),
        case(tissue, drawn, "shapes"),
    ]
    (HERE / "expected.json").write_text(json.dumps(cases, separators=(",", ":")) + "\n")


main()
