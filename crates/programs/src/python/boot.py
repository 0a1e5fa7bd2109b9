"""Makes known the modules that a line of JSON on standard input holds, and runs one of them."""

import sys

if sys.version_info < (3, 11):
    sys.exit("expected Python 3.11 or later, found " + sys.version.split()[0])
# No file of the folder stands for a module.
sys.path[:] = [place for place in sys.path if place]

import importlib.abc
import importlib.util
import json
import os


class Given(importlib.abc.MetaPathFinder, importlib.abc.InspectLoader):
    """The modules of the line."""

    def find_spec(self, name, path=None, target=None):
        return importlib.util.spec_from_loader(name, self, is_package=self.is_package(name)) if name in GIVEN else None

    def get_source(self, name):
        return GIVEN[name]

    def is_package(self, name):
        return name == "onceflow"


# Tasks, and programs that they start, read nothing: standard input is for the run alone.
questions = os.fdopen(os.dup(0), "rb")
with open(os.devnull, "rb") as nothing:
    os.dup2(nothing.fileno(), 0)
line = json.loads(questions.readline())
GIVEN = line["modules"]
sys.meta_path.insert(0, Given())
importlib.import_module(line["main"]).main(questions)
