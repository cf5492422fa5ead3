# SPDX-License-Identifier: MIT
"""Figures of matplotlib from the tables of the other modules.

Each function takes frames with the columns of those tables, and returns a `matplotlib.figure.Figure`, without pyplot.
`size_cm` is width and height in cm; by default figures are 8.5 cm wide, as a column of a paper.
"""
from .boxes import boxes
from .curve import curve, efficiency, interference, overall, throughput
from .fleet import fleet
from .heatmap import heatmap
from .histogram import histogram
from .latency import latency, latency_tail, latency_timeline, stretch_s
from .style import save
from .timeline import timeline

__all__ = [
    "boxes",
    "curve",
    "efficiency",
    "fleet",
    "heatmap",
    "histogram",
    "interference",
    "latency",
    "latency_tail",
    "latency_timeline",
    "overall",
    "save",
    "stretch_s",
    "throughput",
    "timeline",
]
