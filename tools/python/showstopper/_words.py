# SPDX-License-Identifier: MIT
"""Files as a command line names them."""
from __future__ import annotations

from typing import NamedTuple

__all__ = ["File"]


class File(NamedTuple):
    """A file, and the run that it belongs to.

    Files of one group, from 1, are a run; several groups may have one label. In group 0 files of one label are a run, and each log without
    a label is one.
    """

    path: str
    label: str | None = None
    group: int = 0
