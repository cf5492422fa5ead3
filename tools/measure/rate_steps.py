# SPDX-License-Identifier: MIT
"""A rate of requests that rises in steps: its trace, response times and success of each step, and up to which one limits hold."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import showstopper
from measure import making, pictures, services, settings
from measure.batch import Experiment, Part
from measure.helpers import Helper, TreeReader
from measure.latencies import ERRORS, is_disturbed, mean_between
from measure.options import duration, each, like, option, text, whole
from measure.process import allowed_processors
from measure.runs import Run
from measure.saturation import answers_in
from measure.text import formatted, in_seconds, is_positive, kept_csv, lines_of, number, refuse, write

if TYPE_CHECKING:
    import pandas as pd

TRACE, SATURATION = "rates.trace", "saturation.csv"
PATIENCE = 6  # seconds for the last answers
# Times the rate at which a service saturates: the paper's 140 requests per second to about 100.
BEYOND = 1.4
COLUMNS = ["planned per s", "arrived per s", "answered per s", "success (%)", "mean (ms)", "p95 (ms)", "power (W)"]
SURELY = 0.05
LEAST = 20  # requests, of fewer of which ssreport doesn't say how long they took
DIGITS = {"load": 6, "power_w": 3}  # behind the point, of the means of runs
COUNTED, TIMES = ("rate_per_s", "requests", "errors"), ("mean_s", "p95_s")


# ---- Options ------------------------------------------------------------------------------------------------------------------------


def is_threshold(word: str) -> bool:
    found = re.fullmatch(r"(?:mean|p95)=([0-9]+(?:\.[0-9]+)?)(?:x|us|ms|s)", word)
    return found is not None and float(found[1]) > 0


EXPECTED = "mean= or p95= and a time such as 2s, or so many times that of the least rate, such as p95=3x"
thresholds = each(like(is_threshold, f"no threshold: expected {EXPECTED}"))
rate_or_auto = like(lambda value: value == "auto" or is_positive(value), "no rate of requests per second, nor auto")


class Metered(Experiment):
    """What has the power in its logs, where there is a meter."""

    meter = option("--meter COMMAND", text, "",
        "a command of the shell that writes times and watts as CSV, as ssreport --power reads them (the machine's own meter, if it has one)")  # fmt: skip

    def power(self) -> tuple[str, ...]:
        """Options of showstopper."""
        return () if self.meter else ("--log-power",)

    def before(self, run: Run, folder: Path) -> list[Helper]:
        """A meter of one's own, once it has a reading."""
        file = folder / making.METER
        is_ready = lambda: len(lines_of(file)) > 1
        return (
            [Helper("sh", "-c", self.meter, name="meter", stdout=file, session=True, healthy=is_ready)]
            if self.meter
            else []
        )


class Rising(Metered):
    """What asks a service at rates that rise in steps."""

    precise = ""  # several things are measured
    saturating: ClassVar[str] = "the service"
    step_counts: ClassVar[tuple[int, int]]  # quick and full
    holds: ClassVar[tuple[int, int]]
    found: services.Service
    # fmt: off
    service = option("-s/--service NAME", services.service_name, "burn-service", f"one of {','.join(services.names())} ({{of.service}})")
    peak = option("--peak RATE", rate_or_auto, "auto", f"greatest rate of requests per second; auto: {BEYOND} times that at which {{of.saturating}} saturates ({{of.peak}})")
    steps = option("--steps N", whole(2, 1000), 0, "so many rates up to that, of the same distance ({of.step_counts[0]}; full: {of.step_counts[1]})")
    hold = option("--hold TIME", duration(2), 0, "how long each is held, in seconds or as 1M30s ({of.holds[0]}; full: {of.holds[1]})")
    thresholds: list[str] = option("--threshold LIST", thresholds, ["mean=1s", "p95=2s"], "of response times; p95=3x: three times that of the least rate (mean=1s,p95=2s)")
    # fmt: on

    def settings(self) -> None:
        self.steps = self.steps or self.step_counts[self.full]
        self.hold = self.hold or self.holds[self.full]
        self.seconds = self.steps * self.hold + PATIENCE
        self.found = services.find(self.service)
        why = "its client is not ssrequest, which has steps and limits"
        refuse("{more}" not in self.found.keys["client"], f"--service: {self.service}: {why}")

    def too_few(self) -> Iterator[str]:
        from showstopper.latency import FIGURES  # which takes pandas

        yield from super().too_few()
        if self.peak != "auto":
            count = float(self.peak) / self.steps * self.hold
            if count < FIGURES["p95"]:
                yield f"the step of the least rate has {count:.0f} requests, and p95 needs {FIGURES['p95']} (--hold, --peak)"

    def readers(self, folder: Path, *columns: str) -> list[Helper]:
        """Of what this has started, and of the machine."""
        machine = Helper(self.build / "cpuload", *columns, "-o", folder / "machine.csv", "500m")
        return [TreeReader(self.build, folder / "tree.csv"), machine]

    def apart(self) -> bool:
        """Whether the generator of the requests has a processor of its own."""
        return len(allowed_processors()) > 1

    def generator(self) -> list[str]:
        return ["--cpus", str(allowed_processors()[-1])] if self.apart() else []

    def planned(self, output: Path, run: Run, step: int) -> float:
        """The rate of requests in this step of a run."""
        raise NotImplementedError

    def is_rising(self, run: Run) -> bool:
        """Else its rate is the same in two steps, of which the first one, in which the queue grows, doesn't count."""
        return True

    def steps_in(self, run: Run) -> int:
        return self.steps if self.is_rising(run) else 2

    def client(self, of: services.Served, run: Run, folder: Path, arrivals: str, more: Sequence[str]) -> services.Client:  # fmt: skip
        """Its requests begin with control."""
        peak = f"{self.planned(self.output, run, self.steps - 1):.6g}"
        trace = ["-t", "file", "-T", str(self.output / TRACE), "--peak", peak] if self.is_rising(run) else []
        files, seconds = (folder / "requests.csv", folder / "client.txt"), self.steps_in(run) * self.hold
        return services.Client(of, *files, run.warm_up + 0.2, seconds, peak, arrivals, run.repetition, more, trace)

    def write_saturation(self, output: Path, head: str, of: Iterable[Any]) -> None:
        """The rate at which each of these saturates, unless that is known from before."""
        if not (output / SATURATION).exists():
            rows = "".join(f"{one},{self.saturation(output, one)!r}\n" for one in of)
            write(output / SATURATION, f"{head},rate_per_s\n{rows}")

    def saturation(self, output: Path, of: Any) -> float:
        raise NotImplementedError

    def rates(self, output: Path) -> dict[str, float]:
        """At which each saturates, as far as that had to be known."""
        return {of: float(rate) for of, rate in (row.values() for row in kept_csv(output / SATURATION))}

    def steps_of(self, part: Part, runs: Iterable[Run], called: Callable[[Run], dict[str, object]]) -> pd.DataFrame:
        """A row for each step of each run, with what `called` says of that."""
        import pandas as pd

        found = []
        for run in runs:
            rows = steps_in(part.folder(run), self.steps_in(run), self.hold)
            planned = [self.planned(part.output, run, step) for step in rows["step"]]
            rows = rows.assign(label=run.label, again=run.repetition, planned_per_s=planned, **called(run))
            found.append(rows if self.is_rising(run) else rows[1:2])
        return pd.concat(found, ignore_index=True)


def write_trace(file: Path, steps: int, hold: int) -> None:
    """Of the rate, in shares of the greatest."""
    levels = "".join(f"{k * hold}s {100 * (k + 1) / steps:.9g}%\n" for k in range(steps))
    write(file, f"interpolate step\n{levels}{steps * hold}s 100%\n")


def numbers_of_busy(most: int, processors: int) -> list[int]:
    """So many numbers of busy processors, the last of them all."""
    wanted = min(most, processors)
    return [round(processors * (place + 1) / wanted) for place in range(wanted)]


# ---- The steps of runs ----------------------------------------------------------------------------------------------------------------


def steps_in(folder: Path, steps: int, hold: int) -> pd.DataFrame:
    """Of a run, a row for each step, from when requests arrived, as the paper has it; `power_w` is the mean of its log, where that has any."""
    from showstopper.latency import latency

    records, log = folder / "requests.csv", folder / "log.csv"
    table = latency(records, from_="arrival", window_s=hold)
    table = table[table["part"] == "window"][:steps]
    origin, ends = answers_in(records)
    answered = Counter(int(after / hold) for after in ends)
    begins = [origin + hold * step for step in range(len(table))]
    power = [mean_between(log, begin, begin + hold, "power_w") if log.exists() else math.nan for begin in begins]
    numbers = table[[*COUNTED, *TIMES, *(f"{name}_{end}_s" for name in ("mean", "p95") for end in ("low", "high"))]]
    return numbers.astype(float).assign(
        step=range(len(table)),
        answered_per_s=[answered[step] / hold for step in range(len(table))],
        disturbed=[is_disturbed(folder, begin, begin + hold) for begin in begins],
        power_w=power,
    )


def is_full(runs: pd.DataFrame) -> pd.Series[bool]:
    """In which steps enough arrived, whatever became of them."""
    return runs["requests"] >= LEAST


def few_said(runs: pd.DataFrame) -> str:
    """How many of these steps are not full; without any that is there is no report."""
    few = int((~is_full(runs)).sum())
    why = f"fewer than {LEAST} requests arrived; --hold makes steps longer"
    refuse(len(runs) and few == len(runs), f"in each of {few} steps {why}")
    return f"Left out are {few} of {len(runs)} steps, in which {why}." if few else ""


# ---- Points: steps over their repeats -------------------------------------------------------------------------------------------------


def points_of(runs: pd.DataFrame, series: str) -> dict[Any, pd.DataFrame]:
    """Of each series, a row for each step, over its repeats. NAME_half is half of the interval of a mean, where there are several runs, or of response times
    of one run, as ssreport gives it. What too few requests were answered for is NaN."""
    steps = runs.groupby([series, "step"], sort=False)
    points = steps.agg(answers=("requests", "sum"), errors=("errors", "sum"), disturbed=("disturbed", "any"))
    for name in ("planned_per_s", "rate_per_s", "answered_per_s", *TIMES, "power_w"):
        of_runs = showstopper.means(runs.assign(place=steps.ngroup()), name, "place")
        points[name], points[f"{name}_half"] = of_runs["mean"].to_numpy(), of_runs["half"].to_numpy()
    is_alone = steps.size() == 1
    for name in ("mean", "p95"):
        own = (steps[f"{name}_high_s"].first() - steps[f"{name}_low_s"].first()) / 2
        points[f"{name}_s_half"] = points[f"{name}_s_half"].where(~is_alone, own.where(own < math.inf))
    points["success"] = 100 * (1 - points["errors"] / points["answers"])
    sorted_points = points.reset_index().sort_values("step", kind="stable")
    return {name: sorted_points[sorted_points[series] == name] for name in runs[series].unique()}


def cells_of(points: pd.DataFrame) -> list[dict[str, str]]:
    """By the columns of a table."""
    rows = []
    for point in points.to_dict("records"):
        rates = [f"{point[name]:.4g}" for name in ("planned_per_s", "rate_per_s", "answered_per_s")]
        rates[0] += "!" * point["disturbed"]
        times = [with_half(1000 * point[name], 1000 * point[f"{name}_half"], ".4g") or "too few" for name in TIMES]
        power = with_half(point["power_w"], point["power_w_half"], ".2f")
        rows.append(dict(zip(COLUMNS, [*rates, f"{point['success']:.2f}", *times, power])))
    return rows


def with_half(mean: float, half: float, form: str) -> str:
    """A mean, behind which half of its interval stands. Nothing of what isn't known."""
    return formatted(mean, form) + formatted(half, ".2g", " ± ")


def mean_said(values: Sequence[float], form: str) -> str:
    mean, _, high = showstopper.mean_interval(values)
    return with_half(mean, high - mean, form)


def columns_of(points: Iterable[pd.DataFrame]) -> list[str]:
    """Without power where nothing is known of it."""
    return COLUMNS if any(of["power_w"].notna().any() for of in points) else COLUMNS[:-1]


# ---- Thresholds -----------------------------------------------------------------------------------------------------------------------


def holds(limit: str, points: pd.DataFrame) -> pd.Series[bool]:
    """At which of these rates, the least first. A limit doesn't hold where too many requests fail, however quickly, or too few were answered."""
    is_within = points[f"{limit.partition('=')[0]}_s"] <= most_of(limit, points)
    return is_within & (points["success"] >= 100 * (1 - ERRORS))


def most_of(limit: str, points: pd.DataFrame) -> float:
    """In seconds; so many times the value at the least rate."""
    name, _, most = limit.partition("=")
    least = float(points[f"{name}_s"].fillna(math.inf).iloc[0])
    return least * float(most[:-1]) if most.endswith("x") else in_seconds(most)


def kept(limits: Sequence[str], points: pd.DataFrame) -> str:
    """Up to which rate these hold: the greatest step below the first at which one doesn't."""
    said = []
    for limit in limits:
        name, _, most = limit.partition("=")
        most += f" ({1000 * most_of(limit, points):.3g} ms)" if most.endswith("x") else ""
        rates = points["planned_per_s"][holds(limit, points).cummin()]
        where = f"up to {rates.iloc[-1]:.4g} requests per second" if len(rates) else "at no rate"
        said.append(f"{name} is within {most} {'at all rates' if len(rates) == len(points) else where}")
    return "; ".join(said)


def underloaded(limits: Sequence[str], points: pd.DataFrame) -> int:
    """The first step at which one of these doesn't hold, or the one behind the last."""
    steps = (step for limit in limits for step in points["step"][~holds(limit, points)])
    return min(steps, default=points["step"].max() + 1)


# ---- Comparisons ----------------------------------------------------------------------------------------------------------------------


def differ(runs: pd.DataFrame, by: str, ends: tuple[str, str], column: str) -> tuple[str, str]:
    """What the one of two has more than the other in this column, in per cent of the first, and p of Welch's t. A row is a run. Empty where one of them has fewer
    than two."""
    one, two = (runs.loc[runs[by] == end, column].dropna().tolist() for end in ends)
    if len(one) < 2 or len(two) < 2:
        return "", ""
    from pandas import DataFrame

    values = DataFrame({"label": ["one"] * len(one) + ["two"] * len(two), "value": one + two})
    found = showstopper.compare(values, "value").set_index("test").loc["Welch's t"]
    return formatted(found["percent"], "+.1f"), p_said(number(found, "p"))


def change_said(changes: Sequence[float]) -> str:
    """Their mean and half of its interval, with a star where 0 is not in that."""
    _, low, high = showstopper.mean_interval(changes)
    return mean_said(changes, "+.1f") + "*" * bool(low > 0 or high < 0)


def p_said(p: float | None) -> str:
    """With a star where that is sure."""
    if p is None:
        return ""
    return ("below 0.0001" if p < 0.0001 else f"{p:.2g}") + "*" * (p < SURELY)


def side_by_side(points: Mapping[str, pd.DataFrame], runs: pd.DataFrame, by: str, ends: tuple[str, str],
                 shown: Callable[[str], str] = str) -> list[list[str]]:  # fmt: skip
    """A line for each rate, columns for each of those that are compared, called as `shown` says, and what the second of the ends has more than the first."""
    has_power = bool(runs["power_w"].notna().any())
    columns = ["mean (ms)", "p95 (ms)", "success (%)", *(["power (W)"] if has_power else [])]
    judged = {"mean_s": "mean", "power_w": "power"} if has_power else {"mean_s": "mean"}
    head = [f"{shown(name)}: {column}" for name in points for column in columns]
    table = [["rate", *head, *(word for name in judged.values() for word in (f"{name}: change (%)", "p"))]]
    cells = {(name, step): cells for name, of in points.items() for step, cells in zip(of["step"], cells_of(of))}
    for step in sorted(runs["step"].unique()):
        found = [cells.get((name, step), {}) for name in points]
        own = runs[runs["step"] == step]
        differs = [cell for column in judged for cell in differ(own, by, ends, column)]
        rate = f"{own['planned_per_s'].iloc[0]:.4g}{'!' * bool(own['disturbed'].any())}"
        table.append([rate, *(of.get(column, "") for of in found for column in columns), *differs])
    return table


def draw(part: Part, what: str, runs: pd.DataFrame, series: Iterable[str]) -> None:
    """All series in one picture each of mean, 95th percentile and power: a box at each rate, of what its runs came to."""
    names = [f"{name.replace(',', '')}/{rate:.4g}" for name, rate in zip(series, runs["planned_per_s"])]
    for column, axis in (("mean_s", "mean (ms)"), ("p95_s", "p95 (ms)"), ("power_w", "power (W)")):
        factor = 1 if column == "power_w" else 1000
        values = [[name, repr(factor * value)] for name, value in zip(names, runs[column].tolist()) if value == value]
        if not values:
            continue
        name = f"{column.partition('_')[0]}-{what.replace(' ', '-')}"
        file = settings.keep_table(part, f"{name}-runs.csv", [["of", axis], *values])
        caption = f"{what}: {axis} of runs by the rate of requests, in a colour for each series"
        options = ["--by", "of", "--column", axis, "--axis", "planned requests per second", "--size", "16x9"]
        pictures.picture(part, "boxes", name, caption, [file], *options)
