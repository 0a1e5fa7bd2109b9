"""Opens images that `image convert` wrote from one slide, as other programs do, and compares every pixel of every scale.

Takes a folder with plain.tif, deflate.tif and jpeg.tif of the same image, and labels.tif."""

import io
import pathlib
import sys

import numpy
import tifffile
from PIL import Image

folder = pathlib.Path(sys.argv[1])


def halved(image):
    """The mean of those of 2 x 2 pixels that there are; halves go up."""
    rows, columns = image.shape[:2]
    wide = image.astype(numpy.int64)
    sums = numpy.add.reduceat(numpy.add.reduceat(wide, range(0, rows, 2), 0), range(0, columns, 2), 1)
    down = numpy.diff(numpy.append(numpy.arange(0, rows, 2), rows))
    across = numpy.diff(numpy.append(numpy.arange(0, columns, 2), columns))
    count = (down[:, None] * across[None, :]).reshape(sums.shape[:2] + (1,) * (sums.ndim - 2))
    return ((2 * sums + count) // (2 * count)).astype(image.dtype)


def levels(name):
    with tifffile.TiffFile(folder / name) as file:
        [series] = file.series
        pages = [level.pages[0] for level in series.levels]
        assert all(page.is_tiled for page in pages), name
        assert [page.subfiletype for page in pages] == [0] + [1] * (len(pages) - 1), name
        if name == "labels.tif":
            return [level.asarray() for level in series.levels]
        unit, (above, below) = pages[0].tags["ResolutionUnit"].value, pages[0].tags["XResolution"].value
        assert unit == 3 and abs(1e4 * below / above - 0.25) < 1e-9, (unit, above, below)
        return [level.asarray() for level in series.levels]


def error(one, other):
    """The mean difference of two images."""
    return numpy.abs(one.astype(int) - other.astype(int)).mean()


def most_error(image):
    """What another encoder loses at the same quality, and a little for tiles that reach over the edge. Smaller scales have
    more contrast from pixel to pixel and lose more, here from 2.3 to 4.2 steps of 255: no number would fit them all."""
    file = io.BytesIO()
    Image.fromarray(image).save(file, "JPEG", quality=90, subsampling=0)
    return 1.05 * error(numpy.asarray(Image.open(file)), image)


whole = tifffile.imread(folder / "plain.tif")
expected = [whole]
while max(expected[-1].shape[:2]) > 512:
    expected.append(halved(expected[-1]))

for name in ["plain.tif", "deflate.tif"]:
    found = levels(name)
    assert len(found) == len(expected), (name, len(found))
    for scale, (a, b) in enumerate(zip(found, expected)):
        assert numpy.array_equal(a, b), (name, scale)

for a, b in zip(levels("jpeg.tif"), expected):
    assert a.shape == b.shape and error(a, b) < most_error(b), (error(a, b), most_error(b))

labels = levels("labels.tif")
for scale, found in enumerate(labels):
    assert found.dtype == numpy.uint32 and numpy.array_equal(found, labels[0][:: 2**scale, :: 2**scale]), scale
print(f"tifffile: {len(expected)} scales of {whole.shape}, equal at each; labels never mixed")

try:
    import openslide
except ImportError:
    print("skipped: slides as OpenSlide reads them, since it is not installed")
    raise SystemExit(0)

for name in ["plain.tif", "deflate.tif", "jpeg.tif"]:
    with openslide.OpenSlide(folder / name) as slide:
        sizes = [tuple(reversed(image.shape[:2])) for image in expected]
        assert list(slide.level_dimensions) == sizes, (name, slide.level_dimensions)
        assert slide.properties["openslide.vendor"] == "generic-tiff"
        for level, image in enumerate(expected):
            read = numpy.asarray(slide.read_region((0, 0), level, slide.level_dimensions[level]).convert("RGB"))
            if name == "jpeg.tif":
                assert error(read, image) < most_error(image), (name, level)
            else:
                assert numpy.array_equal(read, image), (name, level)
print(f"OpenSlide {openslide.__library_version__}: {len(expected)} scales, equal at each")
