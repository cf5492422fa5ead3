# SPDX-License-Identifier: MIT
"""The programs of the build that is tested, and the package of the sources."""

import importlib.machinery
import importlib.util
import os
import sys
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(os.environ.get("SHOWSTOPPER_SOURCE") or Path(__file__).parents[2])
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "tools"))


@pytest.fixture
def build() -> Path:
    return Path(os.environ.get("SHOWSTOPPER_BUILD") or ROOT / "build")


@pytest.fixture
def root() -> Path:
    return ROOT


def program(path: str) -> ModuleType:
    """A script of tools/ as a module."""
    loader = importlib.machinery.SourceFileLoader(path.replace("/", "_").replace("-", "_"), str(ROOT / "tools" / path))
    spec = importlib.util.spec_from_loader(loader.name, loader)
    assert spec
    module = importlib.util.module_from_spec(spec)
    sys.modules[loader.name] = module
    loader.exec_module(module)
    return module
