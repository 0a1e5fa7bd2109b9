"""Zarr in both directions: zarr-python, tensorstore and ome-zarr-py read what `image convert` wrote, and it reads what they
wrote, with every codec that we know. Every pixel of every scale must be equal.

Takes the program and an empty folder."""

import pathlib
import subprocess
import sys

import numpy
import tensorstore
import tifffile
import zarr
from numcodecs import Blosc, Zlib, Zstd
from ome_zarr.format import FormatV04, FormatV05
from ome_zarr.io import parse_url
from ome_zarr.reader import Reader
from ome_zarr.writer import write_image
from zarr.codecs import BloscCodec, BytesCodec, Crc32cCodec, GzipCodec, ZstdCodec

program, folder = sys.argv[1], pathlib.Path(sys.argv[2])


def convert(source, target, *options):
    subprocess.run([program, "image", "convert", str(source), str(folder / target), *options], check=True, capture_output=True)
    return folder / target


def halved(image):
    """The mean of those of 2 x 2 pixels that there are; halves go up."""
    rows, columns = image.shape[:2]
    wide = image.astype(numpy.int64)
    sums = numpy.add.reduceat(numpy.add.reduceat(wide, range(0, rows, 2), 0), range(0, columns, 2), 1)
    down = numpy.diff(numpy.append(numpy.arange(0, rows, 2), rows))
    across = numpy.diff(numpy.append(numpy.arange(0, columns, 2), columns))
    count = (down[:, None] * across[None, :]).reshape(sums.shape[:2] + (1,) * (sums.ndim - 2))
    return ((2 * sums + count) // (2 * count)).astype(image.dtype)


def through_tensorstore(path):
    kvstore = {"driver": "file", "path": str(path)}
    return tensorstore.open({"driver": "zarr3", "kvstore": kvstore}).result().read().result()


slide = "synth:3001x2503?seed=7"
whole = tifffile.imread(convert(slide, "whole.tif", "--compression", "none"))

for name, options in [("zstd.ome.zarr", []), ("none.ome.zarr", ["--compression", "none"])]:
    path = convert(slide, name, *options)
    group = zarr.open_group(path, mode="r")
    ome = group.attrs["ome"]
    [image] = ome["multiscales"]
    assert ome["version"] == "0.5" and [axis["name"] for axis in image["axes"]] == ["c", "y", "x"]
    assert [axis.get("unit") for axis in image["axes"]] == [None, "micrometer", "micrometer"]
    [node] = [node for node in Reader(parse_url(path, mode="r"))() if node.data]
    assert len(node.data) == len(image["datasets"]) > 1
    expected = whole
    for scale, dataset in enumerate(image["datasets"]):
        steps = dataset["coordinateTransformations"][0]["scale"]
        assert steps == [1.0, 0.25 * 2**scale, 0.25 * 2**scale], steps
        planes = numpy.moveaxis(expected, -1, 0)
        assert numpy.array_equal(group[dataset["path"]][...], planes), ("zarr-python", name, scale)
        assert numpy.array_equal(through_tensorstore(path / dataset["path"]), planes), ("tensorstore", name, scale)
        assert numpy.array_equal(numpy.asarray(node.data[scale]), planes), ("ome-zarr", name, scale)
        expected = halved(expected)
    print(f"{name}: {len(image['datasets'])} scales, equal in zarr-python {zarr.__version__}, tensorstore and ome-zarr-py")

planes = numpy.ascontiguousarray(numpy.moveaxis(whole, -1, 0))
grey = whole[..., 0].astype(numpy.uint16) * 257
theirs = folder / "theirs"
expected = {}


def theirs_as(name, image, pixels, **options):
    expected[name] = image
    array = zarr.create_array(theirs / name, shape=pixels.shape, dtype=pixels.dtype, **options)
    array[...] = pixels


for version, form in [("0.4", FormatV04()), ("0.5", FormatV05())]:
    expected[f"{version}.ome.zarr"] = whole
    write_image(planes, str(theirs / f"{version}.ome.zarr"), axes="cyx", fmt=form)
tiles, shards = {"chunks": (300, 200, 3)}, {"chunks": (256, 128, 3), "shards": (1024, 1024, 3)}
theirs_as("usual.zarr", whole, whole, **tiles)
theirs_as("sharded.zarr", whole, whole, **shards)
theirs_as("checked.zarr", whole, whole, **shards, compressors=[ZstdCodec(level=3), Crc32cCodec()])
theirs_as("gzip.zarr", whole, whole, **tiles, compressors=[GzipCodec(level=5)])
theirs_as("plain.zarr", whole, whole, **tiles, compressors=None)
for compression in ["lz4", "lz4hc", "zlib", "zstd"]:
    for shuffle in ["noshuffle", "shuffle", "bitshuffle"]:
        codec = BloscCodec(cname=compression, shuffle=shuffle, typesize=2)
        theirs_as(f"blosc-{compression}-{shuffle}.zarr", grey, grey, chunks=(517, 301), compressors=[codec])
theirs_as("blosc-usual.zarr", whole, whole, **tiles, compressors=[BloscCodec()])
theirs_as("big.zarr", grey, grey, chunks=(700, 500), serializer=BytesCodec(endian="big"))
for order in "CF":
    for name, compressor in [("blosc", Blosc("lz4", 5, Blosc.SHUFFLE)), ("zstd", Zstd(3)), ("zlib", Zlib(1))]:
        theirs_as(f"v2-{name}-{order}.zarr", grey, grey, zarr_format=2, chunks=(700, 500), compressors=compressor, order=order)
kvstore = {"driver": "file", "path": str(theirs / "tensorstore.zarr")}
store = tensorstore.open({"driver": "zarr3", "kvstore": kvstore, "metadata": {"data_type": "uint16", "shape": grey.shape}}, create=True)
store.result().write(grey).result()
expected["tensorstore.zarr"] = grey

for name, image in expected.items():
    read = tifffile.imread(convert(theirs / name, f"{name}.tif", "--compression", "none"))
    assert read.dtype == image.dtype and numpy.array_equal(read, image), name
print(f"ours: {len(expected)} images of others, equal")
