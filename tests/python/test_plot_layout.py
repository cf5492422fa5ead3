# SPDX-License-Identifier: MIT
"""No figure has texts that overlap, or that reach over its edge: at a column's width, and in another size."""
import datetime
import itertools
import math

import numpy as np
import pandas as pd
import pytest
from matplotlib.text import Text
from showstopper import plot
from showstopper._errors import InputError
from showstopper.plot import style

LONG = "a name that is longer than a column of a paper is wide, and so has to be cut somewhere near its end"
PERCENTILES = (("p50", 1), ("p90", 2), ("p95", 3), ("p99", 5), ("p99_9", 9))


def log(label="", rate=1.0, rows=120, **more):
    start = np.arange(rows) * 1.0
    frame = pd.DataFrame({"start_s": start, "end_s": start + 1, "target": np.repeat([0.2, 0.8, 0.5], rows // 3)})
    frame["load"], frame["missed"] = frame["target"] + 0.03, np.where(frame["target"] == 0.8, "others", None)
    frame["throughput"], frame["power_w"] = rate * (1 + start / rows), 50 + 100 * frame["target"]
    return frame.assign(label=label, file=f"{label}.csv", **more)


def steps(label, rate=100.0):
    target, start = np.array([0.9, 0.7, 0.5, 0.3, 0.1, 0.1, 0.3, 0.5, 0.7, 0.9]), np.arange(10) * 60.0
    frame = pd.DataFrame({"start_s": start, "end_s": start + 50, "target": target, "load": target})
    frame["throughput"], frame["missed"] = rate * (1 - 0.3 * target), [*[None] * 9, "saturated"]
    return frame.assign(label=label, file=label, iterations_per_wh=3000 * rate, relative=0.5)


def latencies():
    load, end = np.array([0.5, 0.2, 0.4, 0.6, 0.8]), np.arange(5) * 40.0
    table = pd.DataFrame({"part": ["all", *["step"] * 4], "start_s": end - 40, "end_s": end, "target": load})
    for name, share in PERCENTILES:
        names = [f"{name}_s", f"{name}_low_s", f"{name}_high_s"]
        table[names] = np.outer(1 + load, np.array([0.01, 0.009, 0.012]) * share)
    more = {"rate_per_s": 50 + end, "p99_9_high_s": math.inf, "max_s": 0.3}
    return table.assign(load=load, missed=[*[None] * 4, "below"], **more)


def control_log():
    return log(others=0.1).rename(columns={"end_s": "time_s"})


def bins(machines, name="node"):
    one = pd.DataFrame({"start_s": np.arange(50) * 10.0, "target": 0.5, "load": 0.5}).eval("end_s = start_s + 10")
    return pd.concat([one.assign(node=i, label=f"{name}{i}") for i in range(machines)], ignore_index=True)


def values(*labels):
    return pd.concat([pd.DataFrame({"label": label, "v": np.arange(40.0) + i}) for i, label in enumerate(labels)])


def cells(count, mark):
    names = itertools.product([f"workload{i}" for i in range(count)], repeat=2)
    return pd.DataFrame(names, columns=["row", "column"]).assign(value=np.arange(count**2) / 7, mark=mark)


def counts(*labels):
    bins = pd.DataFrame({"low": np.arange(9), "high": np.arange(1, 10), "count": np.arange(9)})
    return pd.concat([bins.assign(label=label, count=bins["count"] + i) for i, label in enumerate(labels)])


def both(frame, *names):
    return pd.concat([frame(name) for name in names])


PANELS = [f"machine {i}" for i in range(12)]
FULL = pd.concat([log(name, 12345.0, others=0.05, free=0.1, watch_nginx=0.02) for name in PANELS])
ALL = (log(others=0.1, free=0.1, watch_db=0.1), log(rate=1e4), log()[::40])
DAY = datetime.datetime(2026, 12, 30, 17, 20)
LOADS = {"a/20": 0.2, "b/20": 0.21, "a/60": 0.6}
FIGURES = {
    "timeline with all": lambda **o: plot.timeline(*ALL, window_s=0.5, **o),
    "panels": lambda **o: plot.timeline(FULL, FULL),
    "panels in columns": lambda **o: plot.timeline(FULL, FULL, columns=3, size_cm=(25.5, 12)),
    "a day": lambda **o: plot.timeline(log(trace_s=720 * log()["end_s"]), **o),
    "two days": lambda **o: plot.timeline(log(), recorded=DAY, speed=1440, **o),
    "a month": lambda **o: plot.timeline(log(), recorded=DAY, speed=22000, **o),
    "curve": lambda **o: plot.curve(both(steps, *(f"configuration {i}" for i in range(9))), **o),
    "curve of a long name": lambda **o: plot.curve(both(steps, LONG, "日本 $x^2$"), **o),
    "interference": lambda **o: plot.interference(both(steps, "fop", "h2"), **o),
    "boxes by load": lambda **o: plot.boxes(values(*LOADS), "v", loads=LOADS, **o),
    "boxes by name": lambda **o: plot.boxes(values(LONG + "1", LONG + "2", "c"), "v", is_duration=True, **o),
    "histograms": lambda **o: plot.histogram(counts(LONG, "b"), axis=LONG, **o),
    "heat map": lambda **o: plot.heatmap(cells(4, "0.9..1.1"), corner="foreground", **o),
    "fleet of long names": lambda **o: plot.fleet(bins(3, LONG), **o),
    "large fleet": lambda **o: plot.fleet(bins(60), **o),
    "latency": lambda **o: plot.latency(latencies(), limit={"p99": 0.05, "p95": 0.02}, **o),
    "latency over time": lambda **o: plot.latency_timeline(latencies(), control_log(), latencies(), **o),
    "tail": lambda **o: plot.latency_tail(latencies(), [np.geomspace(1e-5, 10, 3000)] * 5, **o),
}


def shown_texts(figure):
    """Visible texts with their boxes, in pixels, without ticks outside of their axes."""
    with style.style():
        figure.draw_without_rendering()
    hidden = set()
    for axis in (axis for ax in figure.axes for axis in (ax.xaxis, ax.yaxis)):
        ends = axis.get_transform().transform(sorted(axis.get_view_interval()))
        for tick in [*axis.get_major_ticks(), *axis.get_minor_ticks()]:
            at = axis.get_transform().transform(tick.get_loc())
            if not axis.axes.axison or not ends[0] - 1e-6 <= at <= ends[1] + 1e-6:
                hidden |= {tick.label1, tick.label2}
    texts = [text for text in figure.findobj(Text) if text.get_visible() and text not in hidden]
    boxes = [(text.get_text(), text.get_window_extent()) for text in texts if text.get_text().strip()]
    return [(text, box) for text, box in boxes if box.width > 0]


@pytest.mark.parametrize("size_cm", [None, (8.5, 6)], ids=["column", "size"])
@pytest.mark.parametrize("name", FIGURES)
def test_no_texts_overlap(name, size_cm):
    figure = FIGURES[name](**({"size_cm": size_cm} if size_cm else {}))
    width, height = figure.bbox.size
    if "panels" not in name:
        assert width / figure.dpi * 2.54 == pytest.approx(8.5, abs=2.5 if name == "heat map" else 0.001)
    texts = shown_texts(figure)
    for text, box in texts:
        assert box.x0 > -1 and box.y0 > -1 and box.x1 < width + 1 and box.y1 < height + 1, text
    for (one, a), (other, b) in itertools.combinations(texts, 2):
        wide, high = min(a.x1, b.x1) - max(a.x0, b.x0), min(a.y1, b.y1) - max(a.y0, b.y0)
        assert wide < 2 or high < 2, f"{one!r} and {other!r}"


@pytest.mark.parametrize(
    "draw, expected",
    [
        (lambda: plot.timeline(pd.concat([log(str(i)) for i in range(13)])), "found 13 logs, expected 1 to 12"),
        (lambda: plot.timeline(log(), size_cm=(2, 8)), "found a picture of 2x8 cm, expected a larger one"),
        (lambda: plot.timeline(log(), size_cm=(8.5, 1.5)), "expected a larger one"),
        (lambda: plot.histogram(counts("a", "b", "c")), "3 histograms"),
        (lambda: plot.save(plot.timeline(log()), "a.gif"), "a.gif: found .*, expected one that ends with .png, .svg"),
    ],
)
def test_what_does_not_fit_is_refused(draw, expected):
    with pytest.raises(InputError, match=expected):
        draw()
