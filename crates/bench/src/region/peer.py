"""The peers of `onceflow bench region`: one request as JSON in, one object as JSON out. What is not installed is left out."""
import json
import resource
import shutil
import sys
import time
from importlib.metadata import PackageNotFoundError, version


def names(_):
    import zarr  # noqa: F401  (without it there is no peer)

    found = []
    for name in ["zarr", "tensorstore", "ome-zarr", "openslide-python"]:
        try:
            found.append(f"{name} {version(name)}")
        except PackageNotFoundError:
            pass
    return {"name": ", ".join(found)}


def least(work, rounds):
    best = float("inf")
    for _ in range(rounds):
        start = time.perf_counter()
        work()
        best = min(best, time.perf_counter() - start)
    return best


def read(request):
    """An array read whole, as its users read it."""
    import zarr

    path, rounds = request["path"], request["rounds"]
    answer = {"zarr-python": least(lambda: zarr.open_array(path, mode="r")[...], rounds)}
    try:
        import tensorstore
    except ImportError:
        return answer
    spec = {"driver": "zarr3", "kvstore": {"driver": "file", "path": path}}
    work = lambda: tensorstore.open(spec, read=True).result().read().result()  # noqa: E731
    answer["tensorstore"] = least(work, rounds)
    return answer


def convert(request):
    """A slide to OME-Zarr, tile by tile, as the usual scripts do: read with OpenSlide, pyramid by ome-zarr-py."""
    try:
        import dask.array as da
        import numpy as np
        import ome_zarr.writer
        import openslide
        import zarr
    except ImportError:
        return {}
    try:
        slide = openslide.OpenSlide(request["slide"])
    except openslide.OpenSlideError:
        return {}
    start = time.perf_counter()
    width, height = slide.dimensions
    side = 2048

    def tile(block_info=None):
        (_, _), (top, bottom), (left, right) = block_info[None]["array-location"]
        picture = slide.read_region((left, top), 0, (right - left, bottom - top)).convert("RGB")
        return np.moveaxis(np.asarray(picture), 2, 0)

    sizes = [tuple(min(side, whole - at) for at in range(0, whole, side)) for whole in (height, width)]
    image = da.map_blocks(tile, dtype=np.uint8, chunks=((3,), *sizes))
    shutil.rmtree(request["target"], ignore_errors=True)
    group = zarr.open_group(request["target"], mode="w")
    ome_zarr.writer.write_image(image, group, axes="cyx", storage_options={"chunks": (3, 512, 512)})
    seconds = time.perf_counter() - start
    return {"seconds": seconds, "peak_bytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024}


request = json.load(sys.stdin)
answer = {"names": names, "read": read, "convert": convert}[request["do"]](request)
print(json.dumps(answer))
