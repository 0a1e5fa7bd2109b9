"""Makes the golden set beside this file: synthetic tissue and what the nuclei workflow finds in it.

Run it with:  pip install numpy scipy scikit-image opencv-python-headless && python make.py

The workflow is written here a second time, with the operations of OpenCV, SciPy and scikit-image, so that two
programs that share no line have to agree on every bit.
"""

import json
from pathlib import Path

import cv2
import numpy as np
from scipy import ndimage
from skimage.morphology import local_maxima, reconstruction

HERE = Path(__file__).parent
CROSS3 = cv2.getStructuringElement(cv2.MORPH_CROSS, (3, 3))
WIDTHS = [11, 13, 15, 17, *[19] * 11, 17, 15, 13, 11]
DISK19 = np.array([[abs(x - 9) <= w // 2 for x in range(19)] for w in WIDTHS], np.uint8)
DEFAULTS = {
    "blue": 220, "green": 220, "red": 220, "T1": 5.0, "T2": 4.0, "reconConnectivity": 8, "fillHolesConnectivity": 4,
    "G1": 80, "minSize": 11, "maxSize": 1000, "G2": 45, "minSizePl": 30, "watershedConnectivity": 8,
    "minSizeSeg": 21, "maxSizeSeg": 1000,
}


# ---- normalization -------------------------------------------------------------------------------------------------

TO_LMS = np.array([[0.3811, 0.5783, 0.0402], [0.1967, 0.7244, 0.0782], [0.0241, 0.1288, 0.8444]])
TO_RGB = np.array([[4.4687, -3.5887, 0.1196], [-1.2197, 2.3831, -0.1626], [0.0585, -0.2611, 1.2057]])
SCALES = np.array([1 / np.sqrt(3), 1 / np.sqrt(6), 1 / np.sqrt(2)])
MIXES = np.array([[1, 1, 1], [1, 1, -2], [1, -1, 0]], float)
TARGET_MEAN = np.array([-0.632356, -0.0516004, 0.0376543])
TARGET_STD = np.array([0.26235, 0.0514831, 0.0114217])


def normalize(rgb):
    r, g, b = (rgb[..., i].astype(float) for i in range(3))
    tissue = -0.154 * r + 0.035 * g + 0.549 * b - 45.718 < -0.057 * r - 0.817 * g + 1.170 * b - 49.887
    with np.errstate(all="ignore"):
        lab = np.log10(rgb / 255.0 @ TO_LMS.T) @ MIXES.T * SCALES
        used = lab[tissue & np.isfinite(lab).all(axis=-1)]
        moved = (lab - used.mean(axis=0)) * (TARGET_STD / used.std(axis=0)) + TARGET_MEAN
        lms = 10 ** (np.where(tissue[..., None], moved, lab) * SCALES @ MIXES)
    back = np.where(np.isfinite(lms), lms, 0) @ TO_RGB.T
    return np.floor(np.clip(back * 255, 0, 255) + 0.5).astype(np.uint8)


# ---- operations ----------------------------------------------------------------------------------------------------

def neighbours(parameter):
    return 8 if parameter == 8 else 4


def structure(connectivity):
    return ndimage.generate_binary_structure(2, 2 if connectivity == 8 else 1)


def area_filter(mask, low, end, connectivity):
    _, labels, stats, _ = cv2.connectedComponentsWithStats(mask.astype(np.uint8), connectivity=connectivity)
    areas = stats[:, cv2.CC_STAT_AREA]
    keep = (areas >= low) & (areas < end)
    keep[0] = False
    return keep[labels]


def select(mask, seeds, connectivity):
    _, labels = cv2.connectedComponents(mask.astype(np.uint8), connectivity=connectivity)
    chosen = np.unique(labels[seeds & mask])
    return np.isin(labels, chosen[chosen > 0])


def fill_holes(mask, connectivity):
    return ndimage.binary_fill_holes(mask, structure=structure(connectivity))


def opening(image, element):
    return cv2.morphologyEx(image, cv2.MORPH_OPEN, element)


def reconstruct(marker, mask, connectivity):
    return reconstruction(marker, mask, method="dilation", footprint=structure(connectivity)).astype(mask.dtype)


# ---- the workflow --------------------------------------------------------------------------------------------------

def segment(rgb, p):
    """Status, mask, and every step that was reached."""
    steps = {}
    nothing = np.zeros(rgb.shape[:2], bool)
    red, green, blue = (rgb[..., i].astype(np.int64) for i in range(3))
    bright = (blue > p["blue"]) & (green > p["green"]) & (red > p["red"])
    ratio = np.float32(bright.sum()) / np.float32(bright.size)
    if ratio >= np.float32(0.9):
        return ("background" if ratio >= np.float32(0.99) else "background_likely"), nothing, steps
    fill = neighbours(p["fillHolesConnectivity"])
    steps["rbc"] = rbc = red_blood_cells(rgb, p)
    rc = 255 - rgb[..., 0]
    steps["rc_open"] = rc_open = opening(rc, DISK19)
    steps["rc_recon"] = rc_recon = reconstruct(rc_open, rc, neighbours(p["reconConnectivity"]))
    steps["diff"] = diff = rc - rc_recon
    steps["bw1"] = bw1 = fill_holes(diff.astype(np.int64) > p["G1"], fill)
    steps["bw1_t"] = bw1_t = area_filter(bw1, p["minSize"], p["maxSize"], 8)
    if not bw1_t.any():
        return "no_candidates", nothing, steps
    grown = select(diff.astype(np.int64) > p["G2"], bw1_t, 8) & ~rbc
    steps["seg_open"] = seg_open = opening(fill_holes(grown, 4).astype(np.uint8), CROSS3) > 0
    large = area_filter(seg_open, p["minSizePl"], np.inf, 8)
    steps["big"] = big = cv2.dilate(large.astype(np.uint8), CROSS3) > 0
    apart = flood(rgb, big, neighbours(p["watershedConnectivity"]), steps)
    steps["seg_nonoverlap"] = apart
    kept = area_filter(apart, p["minSizeSeg"], p["maxSizeSeg"], 4)
    if not kept.any():
        return "no_candidates", nothing, steps
    return "ok", fill_holes(kept, fill), steps


def red_blood_cells(rgb, p):
    r, g, b = (rgb[..., i].astype(np.float32) for i in range(3))
    eps = np.finfo(np.float32).eps
    over_green, over_blue = r / (g + eps), r / (b + eps)
    sure, perhaps = over_green > np.float32(p["T1"]), over_green > np.float32(p["T2"])
    return select(perhaps, sure, 8) & (over_blue > 1)


def flood(rgb, big, connectivity, steps):
    if big.all() or not big.any():
        return big
    largest = np.finfo(np.float32).max
    distance = ndimage.distance_transform_edt(big).astype(np.float32)
    ceiling = np.where(big, distance, largest).astype(np.float32)
    marker = np.where(big, distance - np.float32(1), largest).astype(np.float32)
    levelled = reconstruct(marker, ceiling, 8)
    peaks = local_maxima(levelled, footprint=structure(connectivity))
    _, markers = cv2.connectedComponents(peaks.astype(np.uint8), connectivity=connectivity)
    steps["markers"] = markers.astype(np.uint16)
    colours = cv2.copyMakeBorder(np.where(big[..., None], rgb, 0).astype(np.uint8), 1, 1, 1, 1, cv2.BORDER_CONSTANT)
    labels = cv2.copyMakeBorder(markers.astype(np.int32), 1, 1, 1, 1, cv2.BORDER_CONSTANT)
    line = cv2.watershed(colours, labels)[1:-1, 1:-1] == -1
    repair(line, big)
    return big & ~line


def repair(line, big):
    height, width = line.shape
    for y in range(1, height):
        for x in range(width):
            if not big[y, x] or line[y, x] or not line[y - 1, x]:
                continue
            left = x > 0 and line[y, x - 1] and not line[y - 1, x - 1]
            right = x + 1 < width and line[y, x + 1] and not line[y - 1, x + 1]
            line[y, x] = left or right


# ---- synthetic images ----------------------------------------------------------------------------------------------

def tissue(seed, nuclei, cells, height=128, width=160):
    """Pink ground with blurred texture, dark nuclei alone and in clumps, some with a pale middle, and red cells."""
    random = np.random.default_rng(seed)
    yy, xx = np.mgrid[:height, :width].astype(float)
    texture = ndimage.gaussian_filter(random.normal(size=(height, width)), 4)
    image = np.array([225.0, 150.0, 195.0]) + texture[..., None] / texture.std() * np.array([5.0, 8.0, 4.0])
    centre = np.array([width / 2, height / 2])
    for number in range(nuclei):
        if number % 3 != 1:
            centre = random.uniform([-2, -2], [width + 2, height + 2])
        else:
            centre = centre + random.uniform(-9, 9, 2)
        long, short, turn = random.uniform(6, 10), random.uniform(4, 7), random.uniform(0, np.pi)
        dark = np.array([75.0, 50.0, 120.0]) + random.uniform(-25, 35)
        inside = ellipse(xx - centre[0], yy - centre[1], long, short, turn)
        blend(image, np.clip((1.15 - inside) * 4, 0, 1), dark)
        if number % 5 == 0:
            blend(image, np.clip((0.45 - inside) * 4, 0, 1), np.array([205.0, 150.0, 195.0]))
    for _ in range(cells):
        centre = random.uniform([0, 0], [width, height])
        inside = ellipse(xx - centre[0], yy - centre[1], 6, 5.5, 0)
        blend(image, np.clip((1.1 - inside) * 4, 0, 1), np.array([205.0, 30.0, 50.0]))
    speckle = ndimage.gaussian_filter(random.normal(size=(height, width)), 1)
    image += np.round(speckle / speckle.std() * 2)[..., None] * 2
    return np.clip(np.round(image), 0, 255).astype(np.uint8)


def ellipse(dx, dy, long, short, turn):
    along, across = dx * np.cos(turn) + dy * np.sin(turn), dy * np.cos(turn) - dx * np.sin(turn)
    return np.hypot(along / long, across / short)


def blend(image, weight, colour):
    image += weight[..., None] * (colour - image)


def glass(share, height=48, width=64):
    """Bright glass with a dark band over the given share of the rows."""
    image = np.full((height, width, 3), 244, np.uint8)
    image[: round(share * height), :] = [120, 70, 140]
    return image


# ---- writing -------------------------------------------------------------------------------------------------------

def write(folder, name, image):
    if image.dtype == bool:
        image = image.astype(np.uint8) * 255
    if image.ndim == 3:
        image = image[..., ::-1]
    cv2.imwrite(str(folder / name), image, [cv2.IMWRITE_PNG_COMPRESSION, 9])


def make(name, normalized, changes, given=None):
    folder = HERE / name
    folder.mkdir(exist_ok=True)
    if given is not None:
        write(folder, "input.png", given)
    write(folder, "normalized.png", normalized)
    cases = [case(folder, number, normalized, DEFAULTS | change) for number, change in enumerate(changes)]
    text = ",\n".join("  " + json.dumps(case) for case in cases)
    (folder / "cases.json").write_text(f"[\n{text}\n]\n")


def case(folder, number, normalized, parameters):
    status, mask, steps = segment(normalized, parameters)
    write(folder, f"mask-{number:02}.png", mask)
    if number == 0:
        for step, image in steps.items():
            write(folder, f"step-{step}.png", image)
    objects = cv2.connectedComponents(mask.astype(np.uint8), connectivity=8)[0] - 1
    print(folder.name, number, status, objects, int(mask.sum()))
    return {
        "mask": f"mask-{number:02}.png", "status": status, "foreground": int(mask.sum()), "objects8": objects,
        "parameters": parameters,
    }


FOURS = {"reconConnectivity": 4, "watershedConnectivity": 4}
COVERED = {"G2": -1, "maxSizeSeg": 1_000_000, "T1": 1000.0, "T2": 1000.0}

if __name__ == "__main__":
    sparse, dense = tissue(1, 26, 5), tissue(2, 70, 2)
    make("sparse", normalize(sparse), [
        {},
        {**FOURS, "fillHolesConnectivity": 8, "G1": 30, "G2": 10, "minSizePl": 5},
        {"T1": 2.5, "T2": 3.5, "G1": 15, "G2": 40, "minSize": 40, "minSizeSeg": 2, "reconConnectivity": 0},
        {"G1": 300},
        {"G1": -1, "maxSize": 1_000_000, "G2": 20},
        COVERED,
        {"minSizePl": 100_000},
        {"blue": -1, "green": -1, "red": -1},
    ], given=sparse)
    make("dense", normalize(dense), [
        {"G1": 40, "G2": 20, "maxSize": 1500, "maxSizeSeg": 1500},
        {**FOURS, "G1": 40, "G2": 20, "fillHolesConnectivity": 8},
        {"G1": 60, "G2": 6, "minSizePl": 80, "maxSizeSeg": 300},
        {"G1": 5, "G2": 2, "watershedConnectivity": 4},
        {"maxSizeSeg": 900, "minSizeSeg": 40, "T1": 7.5, "T2": 2.5},
        {"minSizeSeg": 5000, "maxSizeSeg": 5001},
    ])
    make("glass", glass(0.0), [{}, {"blue": 244}])
    make("mostly-glass", glass(4 / 48), [{}, {"red": 250, "G1": 20, "maxSize": 4000}])
