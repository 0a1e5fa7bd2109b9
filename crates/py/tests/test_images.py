"""Images, the kernels alone, and conversions."""

from __future__ import annotations

import numpy as np
import pytest

import onceflow as of


def test_images_are_read_in_boxes_scales_and_resolutions() -> None:
    of.convert("synth:600x400?seed=2", "a.tif", um_per_pixel=None)
    picture = of.image("a.tif")
    assert (picture.width, picture.height, picture.channels) == (600, 400, 3)
    whole = picture.read()
    assert np.array_equal(picture.read((10, 20, 30, 40)), whole[20:60, 10:40])
    assert not whole.flags.writeable
    half = picture.read(scale=1)
    assert half.shape == (200, 300, 3)
    with pytest.raises(of.StudyError, match="a scale from 0 to 1"):
        picture.read((0, 0, 1, 1), scale=9)
    with pytest.raises(of.StudyError):
        picture.read((590, 0, 20, 1))
    with pytest.raises(of.StudyError, match="nothing of that name"):
        of.image("absent.tif")


def test_large_arrays_need_a_box() -> None:
    picture = of.image("synth:30000x30000?seed=1")
    with pytest.raises(of.StudyError, match="too large for one array"):
        picture.read()
    assert picture.read((29_000, 29_000, 100, 50)).shape == (50, 100, 3)


def test_the_kernels_agree_with_a_study(study: of.Study) -> None:
    rgb, truth = of.synth(128, 96, seed=3)
    run = of.run(study, "runs/kernels")
    values = run.values(3)
    labels = of.segment(rgb, **values)
    assert labels.dtype == np.uint32 and not labels.flags.writeable
    assert np.array_equal(labels > 0, run.region("nuclei", row=3))
    assert of.compare(labels, truth)["dice"] == pytest.approx(run.rows["dice"][3], abs=1e-12)


def test_features() -> None:
    rgb, truth = of.synth(200, 160, seed=5)
    table = of.features(rgb, truth)
    assert len(table) == truth.max()
    areas = np.bincount(truth.ravel())[1:]
    assert np.allclose(np.sort(table["area"]), np.sort(areas))
    from_mask = of.features(rgb, truth > 0)
    assert 0 < len(from_mask) <= len(table)
    assert len(of.features(rgb, G1=60)) == of.segment(rgb, G1=60).max()


def test_wrong_pixels_are_refused() -> None:
    with pytest.raises(of.StudyError, match="no colour image"):
        of.segment(np.zeros((4, 4), np.uint8))
    with pytest.raises(of.StudyError, match="no labels"):
        of.compare(np.zeros((4, 4)), np.zeros((4, 4), bool))
    with pytest.raises(of.StudyError):
        of.compare(np.zeros((4, 4), bool), np.zeros((4, 5), bool))
    with pytest.raises(of.StudyError, match="G7"):
        of.segment(np.zeros((4, 4, 3), np.uint8), G7=1)


def test_arrays_of_any_order_are_taken() -> None:
    rgb, truth = of.synth(64, 48, seed=1)
    fortran, reverse = np.asfortranarray(rgb), rgb[::-1, ::-1]
    assert np.array_equal(of.segment(fortran), of.segment(rgb))
    assert np.array_equal(of.segment(reverse), of.segment(reverse.copy()))
    big = truth.astype(">i4")
    assert of.compare(big, truth)["dice"] == 1.0


def test_paths_may_have_any_letters() -> None:
    of.convert("synth:40x30?seed=1", "Gewebe größer 組織.png")
    assert of.image("Gewebe größer 組織.png").width == 40
