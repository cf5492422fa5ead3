# SPDX-License-Identifier: MIT
"""What figures show of their frames: lines, markers, bands, axes, entries of legends; and what is written."""
import datetime
import math
import sys

import matplotlib
import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure
from showstopper import InputError, plot
from showstopper.plot import style
from test_plot_layout import cells, control_log, counts, latencies, log, steps, values

NAN = math.nan
DAY = datetime.datetime(2026, 12, 30, 18)


def lines(ax, label):
    return [line for line in ax.lines if line.get_label() == label]


def markers(ax, fill):
    found = [line for line in ax.lines if line.get_linestyle() == "None" and line.get_fillstyle() == fill]
    return sorted(tuple(pair) for line in found for pair in line.get_xydata().round(6).tolist())


def legend(figure):
    return [text.get_text() for text in figure.legends[0].get_texts()] if figure.legends else []


def tick_texts(axis):
    low, high = sorted(axis.get_view_interval())
    texts = zip(axis.get_major_formatter().format_ticks(axis.get_majorticklocs()), axis.get_majorticklocs())
    return [text for text, at in texts if low * (1 - 1e-9) <= at <= high * (1 + 1e-9)]


def test_timeline():
    figure = plot.timeline(log(others=0.1, free=0.2), log(rate=2)[::60].assign(end_s=[60, 120]), window_s=0.5)
    load, throughput, power = figure.axes
    assert lines(load, "load")[0].get_xydata()[:2].tolist() == [[0, 23], [1, 23]]
    assert lines(throughput, "throughput")[0].get_xydata()[:4:3].tolist() == [[0, 2], [60, 3]]
    assert lines(power, "power")[0].get_ydata()[0] == pytest.approx(70)
    assert [area.get_paths()[0].get_extents().ymax for area in load.collections] == pytest.approx([10, 30])
    assert markers(load, "none") == [(60, 83)]
    names = [load.get_xlabel(), *(ax.get_ylabel() for ax in figure.axes)]
    assert names == ["time (s), means of 500 ms", "CPU load (%)", "iterations/s", "power (W)"]
    missed = "> 2 pp off target: others"
    assert legend(figure) == ["load", "target", "others", "free workloads", "throughput", "power", missed]


def test_steps_in_a_timeline():
    means = pd.DataFrame({"start_s": [0.0, 40.0], "end_s": [40.0, 80.0], "load": [0.21, 0.85], "missed": [None, "x"]})
    ax, power = plot.timeline(log(), None, means.assign(power_w=[60.0, 90.0])).axes
    assert (markers(ax, "full"), markers(ax, "none")) == ([(20, 21)], [(60, 85)])
    assert [segment[:, 1].tolist() for segment in power.collections[0].get_segments()] == [[60, 60], [90, 90]]


def test_a_trace_is_drawn_as_it_is_and_a_line_is_broken_at_gaps():
    frame = log("t")[["start_s", "end_s", "target", "label"]].assign(load=NAN)
    trace = pd.DataFrame({"time_s": [0.0, 10.0, 10.0, 20.0], "target": [0.2, 0.4, 0.7, 0.7]})
    (line,) = plot.timeline(frame, traces={"t": trace}).axes[0].lines
    assert line.get_xydata().tolist() == [[0, 20], [10, 40], [10, 70], [20, 70]]
    x, y = style.steps_line(log().drop(index=[1]), "start_s")
    assert x[:4].tolist() == [0, 1, 1, 2] and np.isnan(y[2]) and not np.isnan(y[3:]).any()


@pytest.mark.parametrize(
    "options, expected",
    [
        ({"recorded": datetime.time(0), "speed": 720}, "00:00 06:00 12:00 18:00 00:00"),
        ({"recorded": datetime.time(9, 7), "speed": 30}, "09:15 09:30 09:45 10:00"),
        ({"recorded": datetime.time(23, 59, 50), "speed": 0.25}, "23:59:50 00:00:00 00:00:10 00:00:20"),
        ({"recorded": DAY, "speed": 1440}, "31_Dec 12:00 1_Jan 12:00"),
        ({"recorded": DAY, "speed": 3600}, "31_Dec 1_Jan 2_Jan 3_Jan 4_Jan"),
        ({"recorded": datetime.time(9), "speed": 2880}, "day_2 day_3 day_4 day_5"),
    ],
)
def test_recorded_time_of_day(options, expected):
    ax = plot.timeline(log(), **options).axes[0]
    assert " ".join(text.replace(" ", "_") for text in tick_texts(ax.xaxis)) == expected


@pytest.mark.parametrize(
    "speed, offset, name, limits",
    [(720, 0, "time in the trace", (0, 86400)), (2, 60, "time in the trace", (60, 300)), (1, 0, "time (s)", (0, 120))],
)
def test_a_log_knows_its_recorded_time(speed, offset, name, limits):
    # The first row is of a warm-up, and the trace begins again after 100 s.
    trace = (offset + speed * log()["end_s"]).where(log()["end_s"] > 1)
    ax = plot.timeline(log(trace_s=trace.where(log()["end_s"] < 100, trace - speed * 100))).axes[0]
    assert (ax.get_xlabel(), ax.get_xlim()) == (name, pytest.approx(limits))


@pytest.mark.parametrize(
    "span, more, name, ticks",
    [
        (86400, {}, "time (h)", "0 6 12 18 24"),
        (
            200000,
            {"time_unix_s": 1772323200 + np.array([0, 100000, 200000])},
            "date (UTC)",
            "1_Mar 12:00 2_Mar 12:00 3_Mar",
        ),
        (200000, {}, "time (h)", "0 12 24 36 48"),
    ],
)
def test_long_runs_have_round_ticks(span, more, name, ticks):
    time = [0, span / 2, span]
    frame = pd.DataFrame({"start_s": [-1, *time[:2]], "end_s": time, "target": 0.5, "load": 0.5} | more)
    ax = plot.timeline(frame).axes[0]
    assert ax.get_xlabel() == name
    assert " ".join(text.replace(" ", "_") for text in tick_texts(ax.xaxis)) == ticks


def test_a_recorded_time_of_day_goes_as_fast_as_the_trace():
    ax = plot.timeline(log(trace_s=720 * log()["end_s"]), recorded=datetime.time(10)).axes[0]
    assert (ax.get_xlabel(), ax.get_xlim()) == ("recorded time", pytest.approx((36000, 36000 + 86400)))


def test_a_curve_joins_means_of_steps_that_met_their_target():
    rows = [("a", 0.2, 0.19, 10), ("a", 0.2, 0.21, 12), ("a", 0.8, 0.8, 20), ("a", 0.8, 0.7, 9), ("b", 0.5, NAN, 1)]
    frame = pd.DataFrame(rows, columns=["label", "target", "load", "throughput"])
    ax = plot.curve(frame.assign(missed=[None, None, None, "below", None])).axes[0]
    mean = next(line for line in ax.lines if line.get_linestyle() == "-")
    assert mean.get_xydata() == pytest.approx(np.array([[20, 11], [80, 20]]))
    assert ax.collections[0].get_segments()[0][:, 1] == pytest.approx([11 - math.sqrt(2), 11 + math.sqrt(2)])
    assert markers(ax, "none") == [(70, 9)] and (70, 9) not in markers(ax, "full")
    assert plot.curve(steps("a").assign(load=1.2), is_scattered=True).axes[0].get_xlim() == (0, 120)


@pytest.mark.parametrize(
    "draw, name, missed",
    [
        (lambda: plot.throughput(steps("a"), per_step=True), "throughput (iterations/s)", 73),
        (lambda: plot.overall(steps("a", 1e-3)), "throughput (iterations/h)", 2.628),
        (lambda: plot.overall(steps("a"), is_relative=True), "relative throughput (%)", 50),
        (lambda: plot.efficiency(steps("a")), "efficiency (iterations/Wh)", 3e5),
    ],
)
def test_steps_over_time(draw, name, missed):
    ax = draw().axes[0]
    assert (ax.get_ylabel(), ax.get_ylim()[0]) == (name, 0) and markers(ax, "none") == [(565, pytest.approx(missed))]


def test_interference_has_a_line_for_each_half_without_missed_steps():
    ax = plot.interference(steps("fop")).axes[0]
    assert [len(line.get_xdata()) for line in ax.lines] == [5, 2, 4, 1, 2] and markers(ax, "none") == [(90, 73)]
    assert ax.lines[-1].get_xdata() == pytest.approx([10, 70])


def test_latency_against_load():
    figure = plot.latency(latencies(), limit={"p99": 0.05})
    ax = figure.axes[0]
    assert lines(ax, "p99")[0].get_xydata()[0] == pytest.approx([20, 60])
    assert lines(ax, "p99 ≤ 50 ms")[0].get_ydata() == [50, 50] and "p99 ≤ 50 ms" in legend(figure)
    assert {x for x, _ in markers(ax, "none")} >= {80} and tick_texts(ax.yaxis) == "10 20 50 100 200 500".split()
    order = sorted((lines(ax, name)[0] for name in ("p50", "p90", "p99", "p99.9")), key=lambda line: line.get_zorder())
    widths = [line.get_linewidth() for line in order]  # no line hides another
    assert order[-1].get_label() == "p99" and widths == sorted(widths, reverse=True) and len(set(widths)) == 4


@pytest.mark.parametrize(
    "frame, message",
    [
        (control_log(), "found no column 'end_s', expected the frame that help(showstopper.plot.timeline) names"),
        ([], "found list, expected the frame that help(showstopper.plot.timeline) names"),
    ],
)
def test_another_frame_is_refused(frame, message):
    with pytest.raises(InputError) as error:
        plot.timeline(frame)
    assert str(error.value) == message


def test_a_limit_that_no_row_has_a_figure_for_is_drawn():
    figure = plot.latency(latencies().assign(p99_s=NAN), limit={"p99": 0.05})
    assert lines(figure.axes[0], "p99 ≤ 50 ms")[0].get_ydata() == [50, 50]


def test_latency_over_time_and_tail():
    upper, lower = plot.latency_timeline(latencies(), control_log(), latencies()).axes
    assert lines(upper, "maximum")[0].get_xydata()[0] == pytest.approx([20, 300]) and markers(lower, "none")
    tail = plot.latency_tail(latencies()[:2], [np.arange(1, 1001) / 1000] * 2).axes[0]
    assert tail.lines[0].get_xydata()[0] == pytest.approx([1000, 0.1]) and tail.get_ylim() == pytest.approx((0.1, 100))


@pytest.mark.parametrize(
    "low_high, numbers",
    [((3, 40), "2 5 10 20 50"), ((41, 48), "20 50"), ((0.003, 900), "0.01 0.1 1 10 100 1000"), ((NAN, 0), "1 2 5 10")],
)
def test_logarithmic_ticks_are_1_2_5(low_high, numbers):
    ax = Figure().add_subplot()
    style.log_axis(ax.yaxis, low_high)
    assert tick_texts(ax.yaxis) == numbers.split()


@pytest.mark.parametrize(
    "labels, options, expected",
    [
        (["20", "60%"], {"loads": {"20": 0.21, "60%": 0.6}}, [21, 60]),
        (["a/20", "b/20"], {"loads": {"a/20": 0.2, "b/20": 0.2}}, [19, 21]),
        (["a/20", "b/20", "a/60"], {"axis": "bandwidth"}, [13, 53, 27]),
        (["x", "60"], {"loads": {"x": 0.2, "60": 0.6}}, [0, 1]),
    ],
)
def test_where_boxes_stand(labels, options, expected):
    ax = plot.boxes(values(*labels), "v", **options).axes[0]
    assert [np.mean(patch.get_path().get_extents().intervalx) for patch in ax.patches] == pytest.approx(expected)


def test_areas_of_histograms_and_shades_of_a_heat_map():
    areas = [patch for patch in plot.histogram(counts("a", "b")).axes[0].patches if patch.get_fill()]
    assert [area.get_data().values[0] for area in areas] == [0, 1] and areas[1].get_alpha() < 1
    ax = plot.heatmap(cells(3, "p"), outliers=["workload2"]).axes[0]
    assert ax.collections[0].get_clim() == pytest.approx((0, 4 / 7)) and ax.texts[0].get_text() == "0.000 p"
    assert [text.get_color() for text in ax.texts[:9:8]] == ["black", "white"]


def test_a_fleet_without_the_load_of_a_machine():
    rows = [(0, "a", 0, 0.4, 0.5), (1, "b", 0, 0.8, 0.9), (0, "a", 10, 0.6, 0.5), (1, "b", 10, NAN, 0.9)]
    bins = pd.DataFrame(rows, columns=["node", "label", "start_s", "load", "target"]).eval("end_s = start_s + 10")
    figure = plot.fleet(bins)
    assert lines(figure.axes[1], "load")[0].get_ydata()[[0, -1]] == pytest.approx([60, 30])
    assert lines(figure.axes[1], "target")[0].get_ydata()[[0, -1]] == pytest.approx([70, 25])
    assert tick_texts(figure.axes[0].yaxis) == ["a", "b"] and legend(figure)[-1] == "not known"


@pytest.mark.parametrize("ending, begin", [(".png", b"\x89PNG"), (".SVG", b"<?xml"), (".pdf", b"%PDF")])
def test_a_file_is_always_the_same_and_the_users_style_is_left_alone(tmp_path, ending, begin):
    before = dict(matplotlib.rcParams)
    for name in ("a", "b"):
        plot.save(plot.timeline(log()), tmp_path / (name + ending), version="1.2 (abc--d)")
    data = (tmp_path / ("a" + ending)).read_bytes()
    assert data.startswith(begin) and data == (tmp_path / ("b" + ending)).read_bytes()
    assert dict(matplotlib.rcParams) == before and plot.timeline(log())._repr_png_().startswith(b"\x89PNG")
    pyplot = sys.modules.get("matplotlib.pyplot")
    assert pyplot is None or not pyplot.get_fignums()
