"""Registers a pair of volumes with a peer, on one thread: one request on the standard input, one answer on the output.

elastix runs its three default stages; SimpleITK the multi-resolution B-spline of its own examples. The displacement field
of a tool goes into a file: little-endian f32, three numbers for each voxel, mm of the world.
"""
import importlib.metadata
import json
import sys
import time


def names():
    found = []
    for package in ("itk-elastix", "SimpleITK"):
        try:
            found.append(f"{package} {importlib.metadata.version(package)}")
        except importlib.metadata.PackageNotFoundError:
            pass
    if not found:
        raise SystemExit("neither itk-elastix nor SimpleITK is installed")
    return {"name": ", ".join(found)}


def elastix(fixed_path, moving_path):
    import itk
    import numpy as np

    itk.MultiThreaderBase.SetGlobalDefaultNumberOfThreads(1)
    fixed, moving = itk.imread(fixed_path, itk.F), itk.imread(moving_path, itk.F)
    start = time.process_time()
    _, found = itk.elastix_registration_method(fixed, moving, log_to_console=False, number_of_threads=1)
    seconds = time.process_time() - start
    return np.asarray(itk.array_view_from_image(itk.transformix_deformation_field(moving, found))), seconds


def simpleitk(fixed_path, moving_path):
    import SimpleITK as sitk

    sitk.ProcessObject.SetGlobalDefaultNumberOfThreads(1)
    fixed, moving = sitk.ReadImage(fixed_path, sitk.sitkFloat32), sitk.ReadImage(moving_path, sitk.sitkFloat32)
    start = time.process_time()
    transform = sitk.BSplineTransformInitializer(fixed, [2] * 3)
    method = sitk.ImageRegistrationMethod()
    method.SetMetricAsMattesMutualInformation(50)
    method.SetMetricSamplingStrategy(method.NONE)
    method.SetInterpolator(sitk.sitkLinear)
    method.SetOptimizerAsGradientDescentLineSearch(5.0, 100, convergenceMinimumValue=1e-4, convergenceWindowSize=5)
    method.SetInitialTransformAsBSpline(transform, inPlace=True, scaleFactors=[1, 2, 5])
    method.SetShrinkFactorsPerLevel([4, 2, 1])
    method.SetSmoothingSigmasPerLevel([4, 2, 1])
    found = method.Execute(fixed, moving)
    seconds = time.process_time() - start
    field = sitk.TransformToDisplacementField(
        found, sitk.sitkVectorFloat64, fixed.GetSize(), fixed.GetOrigin(), fixed.GetSpacing(), fixed.GetDirection()
    )
    return sitk.GetArrayFromImage(field), seconds


def main():
    request = json.load(sys.stdin)
    if request["do"] == "names":
        return names()
    tool = {"elastix": elastix, "SimpleITK": simpleitk}[request["tool"]]
    field, seconds = tool(request["fixed"], request["moving"])
    field.astype("<f4").tofile(request["field"])
    return {"seconds": seconds}


print(json.dumps(main()))
