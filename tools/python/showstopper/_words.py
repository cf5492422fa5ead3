# SPDX-License-Identifier: MIT
"""What command lines name: files, and how histories are recorded."""
from __future__ import annotations

from typing import NamedTuple

__all__ = ["FORMATS", "STAMPS", "UNITS", "File"]

# Of ssimport, whose readers are in history.py.
FORMATS = tuple("cpuload log sadf mpstat sar prometheus collectd alibaba azure google bitbrains csv".split())
UNITS = ("found", "fraction", "percent")
STAMPS = ("found", "start", "end")


class File(NamedTuple):
    """A file, and the run that it belongs to.

    Files of one group, from 1, are a run; several groups may have one label. In group 0 files of one label are a run, and each log without
    a label is one.
    """

    path: str
    label: str | None = None
    group: int = 0
