# SPDX-License-Identifier: MIT
"""Tables and figures of load, accuracy, throughput and latency, from what was recorded in experiments with Showstopper.

Functions take and return pandas frames; the columns of tables are those in the manual ssreport(1), section Tables. Units are in their names,
loads and shares are fractions from 0 to 1, and NaN is "not known".
"""
from __future__ import annotations

import importlib
import inspect
import sys
from types import ModuleType
from typing import Any

__version__ = "0.1.0"

# What is in which module. They are imported when something of them is used: `import showstopper` takes no time.
_MODULES = {
    "_errors": "InputError InputWarning",
    "_schema": "SCHEMAS Column Schema checked described",
    "logs": "read_log read_cpuload read_iterations steps mean_over iterations_in",
    "requests": "read_requests",
    "meter": "read_meter mean_power",
    "history": "read_history list_machines",
    "traces": "read_trace trace_windows",
    "runs": "File Log Run join runs_of",
    "accuracy": "accuracy repeats",
    "windows": "timeline throughput curve events windows_of missed",
    "latency": "latency times_of_rows verdict Verdict",
    "colocation": "colocated interference overall efficiency ratio matrix",
    "fleet": "fleet fleet_bins",
    "statistics": "means compare mean_interval share_interval holm",
    "models": "model",
    "boxes": "boxes iteration_boxes iteration_times",
    "histogram": "histogram",
    "heatmap": "heatmap",
}
_EXPORTS = {name: module for module, names in _MODULES.items() for name in names.split()}

__all__ = ["__version__", "plot", *_EXPORTS]


def __getattr__(name: str) -> Any:
    if name == "plot":
        return importlib.import_module(f"{__name__}.plot")
    if name not in _EXPORTS:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(importlib.import_module(f"{__name__}.{_EXPORTS[name]}"), name)
    if inspect.isfunction(value):
        from ._schema import SCHEMAS, described

        table = name.removeprefix("read_").replace("cpuload", "log")
        if table in SCHEMAS:
            value.__doc__ = f"{inspect.cleandoc(value.__doc__ or '')}\n\nColumns:\n{described(SCHEMAS[table])}"
    globals()[name] = value
    return value


class _Package(ModuleType):
    """Some functions have the name of the module they are in; `showstopper.accuracy` is the function, also when the module is imported."""

    def __setattr__(self, name: str, value: Any) -> None:
        if not (isinstance(value, ModuleType) and name in _EXPORTS):
            super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Package


def __dir__() -> list[str]:
    return sorted(__all__)
