"""Which parameters of an image workflow matter, and what are the best values?

============================  ==================================================================
statistics                    `sample`, `analyze`, `Loop`, `Search` (ask and tell)
studies                       `Study`, `run`, `start`, `open`, `plan`, `why`, `tune`, `diff`
what a study is made of       `Range`, `Values`, `Normal`, `Image`, `Metric`, `Moat`, `Vbd`, ...
the kernels alone             `segment`, `features`, `compare`
images                        `image`, `convert`, `synth`
reuse                         `products`, `memo`
own workflows and tasks       `task`, `Workflow`, `Parameter`, `Mask`, `Labels`, ..., `here`, `file`
============================  ==================================================================
"""

from __future__ import annotations

from onceflow._core import __version__
from onceflow.analysis import Analysis, analyze
from onceflow.demo import demo
from onceflow.diff import Diff, diff
from onceflow.errors import (
    Bug,
    CommandsNotAllowed,
    Diagnostic,
    Error,
    FailedRows,
    KeyRefused,
    MemoryTooSmall,
    Missing,
    SampleError,
    StudyError,
    TaskError,
)
from onceflow.figure import Overlay
from onceflow.here import Ended, Here, file, here
from onceflow.images import Picture, compare, features, image, segment, synth
from onceflow.loop import Loop
from onceflow.memo import Block, memo
from onceflow.parameters import Fixed, LogNormal, LogUniform, Normal, Range, Triangular, Values, Weibull
from onceflow.parts import Image, Keep, Metric
from onceflow.phases import Moat, Phase, Rows, Tune, Vbd
from onceflow.plot import Plot
from onceflow.quiet import quiet
from onceflow.regions import F32, F64, I32, U8, U16, Labels, Mask, Rgb, TableRegion
from onceflow.run import Run, open, run, start
from onceflow.sample import Row, Sample, sample
from onceflow.search import Search
from onceflow.study import Checked, Study
from onceflow.table import Table
from onceflow.task import task
from onceflow.tune import tune
from onceflow.values import constant
from onceflow.verbs import Plan, Products, Why, convert, plan, products, why
from onceflow.workflow import Parameter, Region, Workflow

__all__ = [
    "Analysis",
    "Block",
    "Bug",
    "Checked",
    "CommandsNotAllowed",
    "Diagnostic",
    "Diff",
    "Ended",
    "Error",
    "F32",
    "F64",
    "FailedRows",
    "Fixed",
    "Here",
    "I32",
    "Image",
    "Keep",
    "KeyRefused",
    "Labels",
    "LogNormal",
    "LogUniform",
    "Loop",
    "Mask",
    "MemoryTooSmall",
    "Metric",
    "Missing",
    "Moat",
    "Normal",
    "Overlay",
    "Parameter",
    "Phase",
    "Picture",
    "Plan",
    "Plot",
    "Products",
    "Range",
    "Region",
    "Rgb",
    "Row",
    "Rows",
    "Run",
    "Sample",
    "SampleError",
    "Search",
    "Study",
    "StudyError",
    "Table",
    "TableRegion",
    "TaskError",
    "Triangular",
    "Tune",
    "U16",
    "U8",
    "Values",
    "Vbd",
    "Weibull",
    "Why",
    "Workflow",
    "__version__",
    "analyze",
    "compare",
    "constant",
    "convert",
    "demo",
    "diff",
    "features",
    "file",
    "here",
    "image",
    "memo",
    "open",
    "plan",
    "products",
    "quiet",
    "run",
    "sample",
    "segment",
    "start",
    "synth",
    "task",
    "tune",
    "why",
]
