# SPDX-License-Identifier: MIT
"""A rate of requests that rises in steps: its trace, response times and success of each step, and up to which one limits hold."""

import math
import re
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, TypeVar

import showstopper
from measure import pictures, services, settings
from measure.batch import Experiment, Part
from measure.helpers import Helper, TreeReader
from measure.latencies import ERRORS, is_disturbed, mean_between
from measure.options import duration, each, like, option, text, whole
from measure.runs import Run
from measure.saturation import answers_in
from measure.text import Row, formatted, in_seconds, is_positive, known, number, refuse, write

TRACE, SATURATION = "rates.trace", "saturation.csv"
PATIENCE = 6  # seconds for the last answers
# Times the rate at which a service saturates: the paper's 140 requests per second to about 100.
BEYOND = 1.4
COLUMNS = ["planned per s", "arrived per s", "answered per s", "success (%)", "mean (ms)", "p95 (ms)", "power (W)"]
SURELY = 0.05
LEAST = 20  # requests, of fewer of which ssreport doesn't say how long they took
COUNTED, TIMES = "planned_per_s rate_per_s answered_per_s requests errors".split(), ("mean_s", "p95_s")

Key = TypeVar("Key", bound=Hashable)


# ---- Options ------------------------------------------------------------------------------------------------------------------------


def is_threshold(word: str) -> bool:
    found = re.fullmatch(r"(?:mean|p95)=([0-9]+(?:\.[0-9]+)?)(?:x|us|ms|s)", word)
    return found is not None and float(found[1]) > 0


EXPECTED = "mean= or p95= and a time such as 2s, or so many times that of the least rate, such as p95=3x"
thresholds = each(like(is_threshold, f"no threshold: expected {EXPECTED}"))
rate_or_auto = like(lambda value: value == "auto" or is_positive(value), "no rate of requests per second, nor auto")


class Metered(Experiment):
    """What has the power in its logs, where there is a meter."""

    power_command = option("--power-command COMMAND", text, "",
        "what prints the watts of the moment, as showstopper --power-command has it (the machine's own meter, if it has one)")  # fmt: skip

    def meter(self) -> tuple[str, ...]:
        """Options of showstopper."""
        return ("--power-command", self.power_command) if self.power_command else ("--log-power",)


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

    def check_client(self) -> None:
        """Its generator of requests is there."""
        missing = not (self.build / "ssrequest").exists()
        refuse(missing, f"{self.build}/ssrequest isn't there: tools/setup demo, build anew")

    def readers(self, folder: Path, *columns: str) -> list[Helper]:
        """Of what this has started, and of the machine."""
        machine = Helper(self.build / "cpuload", *columns, "-o", folder / "machine.csv", "500m")
        return [TreeReader(self.build, folder / "tree.csv"), machine]

    def client(self, of: services.Served, run: Run, folder: Path, rate: float, seconds: int, arrivals: str, more: Sequence[str],
               is_rising: bool) -> services.Client:  # fmt: skip
        """Its requests begin with control. `rate`: their greatest one, or that of all of them."""
        peak = f"{rate:.6g}"
        trace = ["-t", "file", "-T", str(self.output / TRACE), "--peak", peak] if is_rising else []
        files = folder / "requests.csv", folder / "client.txt"
        return services.Client(of, *files, run.warm_up + 0.2, seconds, peak, arrivals, run.repetition, more, trace)


def numbers_of_busy(most: int, processors: int) -> list[int]:
    """So many numbers of busy processors, the last of them all."""
    wanted = min(most, processors)
    return [round(processors * (place + 1) / wanted) for place in range(wanted)]


# ---- Requests -----------------------------------------------------------------------------------------------------------------------


def write_trace(file: Path, steps: int, hold: int) -> None:
    """Of the rate, in shares of the greatest."""
    levels = "".join(f"{k * hold}s {100 * (k + 1) / steps:.9g}%\n" for k in range(steps))
    write(file, f"interpolate step\n{levels}{steps * hold}s 100%\n")


def steps_in(folder: Path, steps: int, hold: int) -> list[Row]:
    """Of a run, of each step, from when requests arrived, as the paper has it; `power_w` is the mean of its log, where that has any."""
    from showstopper.latency import latency

    records, log = folder / "requests.csv", folder / "log.csv"
    table = latency(records, from_="arrival", window_s=hold)
    numbers = table[table["part"] == "window"][:steps].select_dtypes("number").astype(float)
    rows: list[Row] = numbers.applymap(lambda value: formatted(value, ".17g")).to_dict("records")
    origin, ends = answers_in(records)
    answered = Counter(int(after / hold) for after in ends)
    for place, row in enumerate(rows):
        begin = origin + hold * place
        row["answered_per_s"] = repr(answered[place] / hold)
        row["disturbed"] = "1" if is_disturbed(folder, begin, begin + hold) else ""
        watts = mean_between(log, begin, begin + hold, "power_w") if log.exists() else None
        row["power_w"] = "" if watts is None else repr(watts)
    return rows


def has_times(row: Row) -> bool:
    """Enough requests were answered well."""
    return bool(row["mean_s"] and row["p95_s"])


def is_full(row: Row) -> bool:
    """Enough arrived, whatever became of them."""
    return known(row, "requests") >= LEAST


def few_said(rows: Sequence[Row]) -> str:
    """How many of these steps are not full; without any that is there is no report."""
    few = sum(not is_full(row) for row in rows)
    why = f"fewer than {LEAST} requests arrived; --hold makes steps longer"
    refuse(bool(rows) and few == len(rows), f"in each of {few} steps {why}")
    return f"Left out are {few} of {len(rows)} steps, in which {why}." if few else ""


# ---- Figures ------------------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Point:
    """Of one step, over its repeats: times in seconds, with half of their intervals, where there are several runs or requests enough; None where too few were
    answered well. `rate` is what was planned, `arrived` what there was room for."""

    rate: float
    arrived: float
    answered: float
    success: float
    mean: float | None
    p95: float | None
    mean_half: float | None
    p95_half: float | None
    power: float | None
    power_half: float | None
    disturbed: bool

    def cells(self) -> Row:
        """By the columns of a table."""
        rates = [f"{self.rate:.4g}" + ("!" if self.disturbed else ""), f"{self.arrived:.4g}", f"{self.answered:.4g}"]
        times = [ms(self.mean, self.mean_half), ms(self.p95, self.p95_half)]
        watts = "" if self.power is None else f"{self.power:.2f}" + plus_minus(self.power_half)
        return dict(zip(COLUMNS, [*rates, f"{self.success:.2f}", *times, watts]))


def columns_of(points: Iterable[Point]) -> list[str]:
    """Without power where nothing is known of it."""
    return COLUMNS if any(point.power is not None for point in points) else COLUMNS[:-1]


def plus_minus(half: float | None) -> str:
    return "" if half is None else f" ± {half:.2g}"


def ms(value: float | None, half: float | None) -> str:
    return "too few" if value is None else f"{1000 * value:.4g}" + plus_minus(None if half is None else 1000 * half)


def points_of(of: Mapping[Key, Sequence[Row]]) -> dict[Key, Point]:
    """Of the rows of each step, one for each repeat, which say `planned_per_s` as well."""
    return {key: point_of(rows) for key, rows in of.items()}


def point_of(rows: Sequence[Row]) -> Point:
    found = {name: mean_of([number(row, name) for row in rows]) for name in (*COUNTED, *TIMES, "power_w")}
    planned, arrived, answered, requests, errors = (found[name][0] or 0.0 for name in COUNTED)
    (mean, mean_half), (p95, p95_half), (power, power_half) = (found[name] for name in (*TIMES, "power_w"))
    if len(rows) == 1:
        mean_half, p95_half = half_of(rows[0], "mean"), half_of(rows[0], "p95")
    success, is_disturbed = 100 * (1 - errors / requests), any(row["disturbed"] for row in rows)
    return Point(planned, arrived, answered, success, mean, p95, mean_half, p95_half, power, power_half, is_disturbed)


def mean_of(values: Sequence[float | None]) -> tuple[float | None, float | None]:
    """And half of its interval; None where that is not known."""
    mean, _, high = showstopper.mean_interval(values)
    return None if math.isnan(mean) else mean, None if math.isnan(high) else high - mean


def half_of(row: Row, name: str) -> float | None:
    """Of one run, by the interval that ssreport gives it."""
    low, high = (number(row, f"{name}_{end}_s") for end in ("low", "high"))
    return None if low is None or high is None else (high - low) / 2


def holds(limit: str, of: Sequence[Point]) -> list[bool]:
    """At which of these rates, the least first. A limit doesn't hold where too many requests fail, however quickly."""
    return [value <= most_of(limit, of) and math.isfinite(value) and point.success >= 100 * (1 - ERRORS)
            for value, point in zip(values_of(limit, of), of)]  # fmt: skip


def values_of(limit: str, of: Sequence[Point]) -> list[float]:
    """What too few were answered for is beyond any limit."""
    found = (point.mean if limit.startswith("mean") else point.p95 for point in of)
    return [math.inf if value is None else value for value in found]


def most_of(limit: str, of: Sequence[Point]) -> float:
    """In seconds; so many times the value at the least rate."""
    said = limit.partition("=")[2]
    return values_of(limit, of)[0] * float(said[:-1]) if said.endswith("x") else in_seconds(said)


def kept(limits: Sequence[str], of: Sequence[Point]) -> str:
    """Up to which rate these hold: the greatest step below the first at which one doesn't."""
    said = []
    for limit in limits:
        name, _, time_said = limit.partition("=")
        time_said += f" ({1000 * most_of(limit, of):.3g} ms)" if time_said.endswith("x") else ""
        well = holds(limit, of)
        first = well.index(False) if False in well else len(of)
        where = f"up to {of[first - 1].rate:.4g} requests per second" if first else "at no rate"
        said.append(f"{name} is within {time_said} {'at all rates' if first == len(of) else where}")
    return "; ".join(said)


def underloaded(limits: Sequence[str], of: Mapping[int, Point]) -> int:
    """The place of the first rate at which one of these doesn't hold, or the one behind the last."""
    well = (all(one) for one in zip(*(holds(limit, list(of.values())) for limit in limits)))
    return next((place for place, is_well in zip(of, well) if not is_well), max(of) + 1)


def differ(rows: Sequence[Row], by: str, ends: tuple[str, str], column: str) -> tuple[str, str]:
    """What the one of two has more than the other in this column, in per cent of the first, and p of Welch's t. A row is a run. Empty where one of them has fewer
    than two."""
    one, two = ([known(row, column) for row in rows if row[column] and row[by] == end] for end in ends)
    if len(one) < 2 or len(two) < 2:
        return "", ""
    from pandas import DataFrame

    values = DataFrame({"label": ["one"] * len(one) + ["two"] * len(two), "value": one + two})
    found = showstopper.compare(values, "value").set_index("test").loc["Welch's t"]
    return formatted(found["percent"], "+.1f"), p_said(number(found, "p"))


def pair_changes(rows: Sequence[Row], by: str, ends: tuple[str, str], column: str) -> list[tuple[str, float]]:
    """What the second has more than the first, in per cent of that, of each two runs of one repetition, behind which repetition it is."""
    sides = [{row["label"].rsplit("_", 1)[1]: number(row, column) for row in rows if row[by] == end} for end in ends]
    both = [(again, one or 0.0, sides[1].get(again) or 0.0) for again, one in sides[0].items()]
    return [(again, 100 * (two / one - 1)) for again, one, two in both if one > 0 and two > 0]


def change_said(changes: Sequence[float]) -> str:
    """Their mean and half of its interval, with a star where 0 is not in that."""
    mean, half = mean_of(changes)
    return formatted(mean, "+.1f") + plus_minus(half) + "*" * (half is not None and abs(mean or 0.0) > half)


def p_said(p: float | None) -> str:
    """With a star where that is sure."""
    if p is None:
        return ""
    return ("below 0.0001" if p < 0.0001 else f"{p:.2g}") + "*" * (p < SURELY)


def side_by_side(points: Mapping[str, Mapping[int, Point]], rows: Sequence[Row], by: str, ends: tuple[str, str],
                 shown: Callable[[str], str] = str) -> list[list[str]]:  # fmt: skip
    """A line for each rate, columns for each of those that are compared, called as `shown` says, and what the second of the ends has more than the first. `rows`
    have a run and its step each, with `place` and `by`."""
    has_power = any(row["power_w"] for row in rows)
    columns = ["mean (ms)", "p95 (ms)", "success (%)", *(["power (W)"] if has_power else [])]
    judged = {"mean_s": "mean", "power_w": "power"} if has_power else {"mean_s": "mean"}
    head = [f"{shown(name)}: {column}" for name in points for column in columns]
    table = [["rate", *head, *(word for name in judged.values() for word in (f"{name}: change (%)", "p"))]]
    for place in sorted({place for steps in points.values() for place in steps}):
        found = [steps.get(place) for steps in points.values()]
        cells = [point.cells()[name] if point else "" for point in found for name in columns]
        own = [row for row in rows if row["place"] == str(place)]
        differs = [cell for column in judged for cell in differ(own, by, ends, column)]
        rate = next(point.rate for point in found if point)
        mark = "!" * any(point and point.disturbed for point in found)
        table.append([f"{rate:.4g}{mark}", *cells, *differs])
    return table


def by_name(rows: Iterable[Row], by: str) -> dict[str, dict[int, Point]]:
    """Of rows as those, the points of each name by their places."""
    of: dict[tuple[str, str], list[Row]] = {}
    for row in rows:
        of.setdefault((row[by], row["place"]), []).append(row)
    found: dict[str, dict[int, Point]] = {}
    for (name, place), point in points_of(of).items():
        found.setdefault(name, {})[int(place)] = point
    return {name: dict(sorted(points.items())) for name, points in found.items()}


def draw(part: Part, what: str, rows: Iterable[tuple[str, Row]]) -> None:
    """All series in one picture each of mean, 95th percentile and power: a box at each rate, of what its runs came to."""
    found = list(rows)
    for column, axis in (("mean_s", "mean (ms)"), ("p95_s", "p95 (ms)"), ("power_w", "power (W)")):
        factor = 1 if column == "power_w" else 1000
        values = [[f"{series.replace(',', '')}/{known(row, 'planned_per_s'):.4g}", repr(factor * known(row, column))]
                  for series, row in found if row[column]]  # fmt: skip
        if not values:
            continue
        name = f"{column.partition('_')[0]}-{what.replace(' ', '-')}"
        file = settings.keep_table(part, f"{name}-runs.csv", [["of", axis], *values])
        caption = f"{what}: {axis} of runs by the rate of requests, in a colour for each series"
        options = ["--by", "of", "--column", axis, "--axis", "planned requests per second", "--size", "16x9"]
        pictures.picture(part, "boxes", name, caption, [file], *options)
