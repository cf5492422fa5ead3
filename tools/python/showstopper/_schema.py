# SPDX-License-Identifier: MIT
"""The columns of all tables: what they are called, mean and look like."""
from __future__ import annotations

import re
from typing import Any, Literal, NamedTuple

import pandas as pd

__all__ = ["Column", "Schema", "SCHEMAS", "checked", "described"]

Kind = Literal["float", "int", "text", "bool"]


class Column(NamedTuple):
    """A column of a table.

    `decimals` are those in CSV and JSON (None: all digits); `title`, `title_decimals` and `scale`, by which numbers are multiplied, are those
    in text and Markdown, where a column without a title doesn't appear. `lack` stands there in place of a missing value. Numbers below
    `least` appear there as "<least". A figure with `samples` is of as many samples as the column of the first name says, less those of the
    second; where these are fewer than 20, their number stands there in place of the figure.
    """

    name: str
    kind: Kind
    unit: str
    meaning: str
    decimals: int | None = None
    title: str | None = None
    title_decimals: int = 0
    scale: float = 1
    lack: str | None = None
    least: float = 0
    samples: tuple[str, str | None] | None = None


class Schema(NamedTuple):
    """The columns of a table, in their order."""

    name: str
    columns: tuple[Column, ...]

    @property
    def names(self) -> list[str]:
        return [column.name for column in self.columns]

    def __getitem__(self, key: str) -> Column:  # type: ignore[override]
        return next(column for column in self.columns if column.name == key)


# A line is of one or more columns: names | kind, or unit and decimals (*: all digits) | meaning | titles, .decimals | more. Or it is the names
# of columns in the section [shared].
_TEXT = """
[shared]
label | text | of the run | label
file | text | the log | file
step | int | the place of the step, from 1 | step
start_s | s 3 | since control began; without a log, since the first iteration began | start s .1
end_s | s 3 | likewise | end s .1
target | share | mean target; none where the workloads were free for a time | target % .2
load | share | mean load | load % .2
others | share | mean load of what is neither a workload nor watched | others % .2
missed | text | why the load is more than 2 pp from its target: others, free, saturated, above or below | missed
iterations | 6 | iterations, by the fraction that lies in the time | iterations .2
throughput | 1/s 6 | iterations per second | iterations/s .3
power_w | W 3 | mean power | power W .2
relative | share | to the mean of the reference, where 1 is the same | relative % .2
mean_error_pp | pp 4 | mean of load minus target | mean error pp .2
mse_pp2 | pp² 4 | mean squared error | MSE pp² .2
near | share | samples within 5 pp of the target | within 5 pp % .1 | samples=samples
bursts | int | samples that are not calm | in bursts | lack=unavailable
p | * | p-value | p .4 | least=0.0001
p_holm | * | the same, corrected for several tests (Holm) | p (Holm) .4 | least=0.0001
[accuracy]
label file
level | share | of the target; none for all samples | level % .1
samples | int | that count | samples
time_s | s 3 | length of the samples | time s .1
target | share | mean target | target % .2
load
mean_error_pp | pp 4 | mean of load minus target | mean error pp .2 | samples=samples
mse_pp2 | pp² 4 | mean squared error | MSE pp² .2 | samples=samples
near bursts
calm_mean_error_pp | pp 4 | mean of load minus target, of the calm samples | calm: mean error pp .2 | samples=samples-bursts
calm_mse_pp2 | pp² 4 | mean squared error, of the calm samples | calm: MSE pp² .2 | samples=samples-bursts
calm_near | share | samples within 5 pp of the target, of the calm samples | calm: within 5 pp % .1 | samples=samples-bursts
[repeats]
label
figure | text | mean_error_pp, mse_pp2, near_percent, runs_near_80_percent or runs_near_90_percent | figure
runs | int | of the label | runs
samples | int | of all runs | samples
mean | as in the name of the figure 4 | over the runs | mean .2 | samples=samples
low | likewise 4 | where the 95 % confidence interval begins | from .2 | samples=samples
high | likewise 4 | where it ends | to .2 | samples=samples
bursts
calm_runs | int | runs with calm samples | calm: runs
calm_mean | as in the name of the figure 4 | over the runs, of the calm samples | calm: mean .2 | samples=samples-bursts
calm_low | likewise 4 | where the 95 % confidence interval begins, of the calm samples | calm: from .2 | samples=samples-bursts
calm_high | likewise 4 | where it ends, of the calm samples | calm: to .2 | samples=samples-bursts
[windows]
label file start_s end_s target load iterations throughput power_w others missed
[events]
label
file | text | the log that the event is of | file
start_s end_s target load throughput
event | text | its name | event
per_s | 1/s 3 | events per second | per second .1
per_iteration | 6 | events per iteration | per iteration .1
[interference]
label file
steps | int | that count, of both halves | steps
interference | % 4 | of its throughput that the foreground would lose | interference .1
interference_1 | % 4 | of the first half | first half .1
interference_2 | % 4 | of the second half | second half .1
angle_deg | ° 4 | between the lines of both halves | angle ° .2
symmetric | text | yes or no | symmetric
p | 9 | the largest of the p-values | largest p .4
significant | text | yes or no | significant
others
slope_1 | 1/s 9 | iterations per second more at a load of 1 than at 0, of half 1
intercept_1 | 1/s 9 | iterations per second at a load of 0, of half 1
slope_p_1 | 9 | p-value of the slope, of half 1
intercept_p_1 | 9 | p-value of the intercept, of half 1
r2_1 | 6 | share of the variance that the line explains, of half 1
slope_2 | 1/s 9 | iterations per second more at a load of 1 than at 0, of half 2
intercept_2 | 1/s 9 | iterations per second at a load of 0, of half 2
slope_p_2 | 9 | p-value of the slope, of half 2
intercept_p_2 | 9 | p-value of the intercept, of half 2
r2_2 | 6 | share of the variance that the line explains, of half 2
[overall]
label file step start_s end_s target load iterations throughput relative others missed
[efficiency]
label file step start_s end_s target load iterations power_w
energy_j | J 3 | power times length | energy J .1
iterations_per_wh | 1/Wh 6 | iterations per watt-hour | iterations/Wh .2
relative others missed
[ratio]
label
file | text | the log
reference | text | the log of the second run
steps | int | that count | steps
least median most | 6 | of the steps' ratios of throughput | least, median, most .3
[heatmap]
row column | text | its name | row, column
value | 6 | of the cell | value .3
mark | text | what stands behind the number | mark
[fleet]
label file
late_ms | ms 3 | how much later than the first its control began | began late ms .1
end_s | s 3 | where its log ends, since the first began | end s .1
samples | int | of the machine | samples
target load mean_error_pp mse_pp2
[log]
start_s | s 6 | where the row begins, since control began
time_s | s 6 | where it ends
monotonic_s | s 6 | where it ends, on CLOCK_MONOTONIC
target | share | mean target; none where the workloads were free
load | share | mean load
duty | share | mean duty cycle of the workloads
others
free | share | mean load of free workloads
power_w
time_unix_s | s 6 | where it ends, since 1970
trace_s | s 6 | where it ends in the trace that was recorded
is_gap | bool | the file doesn't have this row
is_warmup | bool | it is of the warm-up
[history]
start_s | s 9 | where the interval begins, since the history does
end_s | s 9 | where it ends
load | share | mean load
is_gap | bool | nothing is known of it, and the load before holds
time_unix_s | s 6 | where it ends, since 1970
[iterations]
instance iteration | 0 | their numbers, from 0
start_s end_s | s 9 | on CLOCK_MONOTONIC
status | 0 | 0 where it succeeded
time_unix_s | s 6 | its end, since 1970
is_gap | bool | iterations of this time are missing
[meter]
time_unix_s | s 6 | since 1970
power_w
[requests]
client | text | a category: the program that wrote the records | client
planned_s | s 9 | when it was due, by the clock of the file: CLOCK_MONOTONIC, or since 1970
arrival_s | s 9 | when it came, later where too many were unanswered
sent_s | s 9 | when it was sent
end_s | s 9 | when it was answered or given up
response_s | s 9 | from when it was due, or without a schedule from when it was sent
outcome | text | a category: good, wrong, unexpected, timeout, failed, refused or dropped | outcome
status | 0 | of the answer
bytes | 0 | of the answer
time_unix_s | s 6 | its end, since 1970
[latency]
part | text | all, step or window | part
start_s | s 3 | since control began; without a log, since the first request | start s .1
end_s
cut_start_s | s 3 | of the step, left out before start_s | cut before s .1
cut_end_s | s 3 | of the step, left out behind end_s | cut behind s .1
target load others missed
rate_per_s | 1/s 6 | requests per second | requests/s .2
throughput_per_s | 1/s 6 | requests per second that were answered well | good/s .2
requests | int | that began in this time | requests
samples | int | response times: of requests that were answered, well or not, or given up
errors | int | requests that were not answered well, with the next two | errors
timeouts | int | requests that were given up | timeouts
drops | int | requests that were never sent | drops
keeps_limit | text | yes or no | keeps limit
"""
for _name, _what, _least in (
    ("mean", "mean response time", 20),
    ("p50", "median response time", 20),
    ("p90", "p90 of response times", 20),
    ("p95", "p95 of response times", 20),
    ("p99", "p99 of response times", 100),
    ("p99.9", "p99.9 of response times", 1000),
    ("max", "longest response time", 20),
):
    _figure = _name.replace(".", "_")
    _TEXT += f"{_figure}_s | s 9 | {_what} | {_name} ms .3 | scale=1000, lack=under {_least}\n"
    if _name != "max":
        _TEXT += f"{_figure}_low_s | s 9 | where its 95 % interval begins | .3 | scale=1000\n"
        _TEXT += (
            f"{_figure}_high_s | s 9 | where its 95 % interval ends, infinite where it has no end | .3 | scale=1000\n"
        )
_TEXT += """
[means]
label
count | int | how many there are | values
mean half median least most sum error | * | of the values | mean, ±, median, least, most, sum, error .4
low high | * | ends of the 95 % confidence interval | 95 % from, to .4
place | text | inside or outside of the bounds | place
p p_holm
needed | int | how many values it takes to tell | needed
[compare]
test | text | its name | test
a b | text | the groups | a, b
count_a count_b | int | how many values they have | n(a), n(b)
estimate low high | * | of the mean, or the difference of b and a | estimate, 95 % from, to .4
percent | % * | the estimate relative to a | % of a .2
statistic | * | t, F, χ², W, or how many differences are above 0 | statistic .3
df | * | degrees of freedom | df .1
df_2 | * | the second ones of F | df 2 .1
p p_holm
[model]
label
model | text | linear or quadratic | model
count | int | points | points
constant constant_error x x_error x2 x2_error | * | coefficient or its error | constant, ±, x, ±, x², ± .4
r2 adjusted_r2 residual_sd | * | how well the model fits | R², adjusted, residual sd .4
p
weight | share, 0 to 1 * | how likely it is the better one | better, % .2 | scale=100
"""


def _columns(line: str) -> list[Column]:
    names, spec, meaning, title, more = ([part.strip() for part in line.split("|")] + [""] * 2)[:5]
    unit, _, decimals = ("share, 0 to 1 6" if spec == "share" else spec).rpartition(" ")
    kind, digits = (spec, "0" if spec == "int" else "*") if spec in ("text", "int", "bool") else ("float", decimals)
    titles = re.match(r"(.*?) ?(?:\.(\d))?$", title) or [""] * 3
    column = Column("", kind, unit, meaning, None if digits == "*" else int(digits))  # type: ignore[arg-type]
    column = column._replace(title_decimals=int(titles[2] or 0), scale=100 if spec == "share" else 1)
    for key, value in (part.split("=") for part in more.split(", ") if part):
        of, _, less = value.partition("-")
        given: Any = (of, less or None) if key == "samples" else value if key == "lack" else float(value)
        column = column._replace(**{key: given})
    words = names.split()
    shown = titles[1].split(", ") if len(words) > 1 and titles[1] else [titles[1] or None] * len(words)
    return [column._replace(name=name, title=title) for name, title in zip(words, shown)]


def _read(text: str) -> dict[str, Schema]:
    tables: dict[str, list[Column]] = {}
    for line in filter(None, text.splitlines()):
        if line.startswith("["):
            columns = tables.setdefault(line[1:-1], [])
        elif "|" in line:
            columns += _columns(line)
        else:
            columns += [column for name in line.split() for column in tables["shared"] if column.name == name]
    return {name: Schema(name, tuple(columns)) for name, columns in tables.items() if name != "shared"}


SCHEMAS = _read(_TEXT)
for _name in ("timeline", "throughput", "curve"):
    SCHEMAS[_name] = SCHEMAS["windows"]._replace(name=_name)

_DTYPES = {"float": "float64", "int": "Int64", "text": "object", "bool": "bool"}


def checked(frame: pd.DataFrame, schema: Schema) -> pd.DataFrame:
    """The columns of the schema in its order, with its dtypes: float64, Int64, object (str, or None where there is none) and bool.

    Raises:
        KeyError: a column is missing.
    """
    ordered = frame[schema.names].astype({column.name: _DTYPES[column.kind] for column in schema.columns})
    texts = [column.name for column in schema.columns if column.kind == "text"]
    return ordered.assign(**{name: ordered[name].where(ordered[name].notna(), None) for name in texts})


def verified(frame: pd.DataFrame, schema: Schema) -> pd.DataFrame:
    """A frame that was read, which has those columns that its file has, and may have others; each has the dtype of the schema.

    Raises:
        TypeError: a column has another one.
    """
    for column in schema.columns:
        if column.name in frame and frame[column.name].dtype != _DTYPES[column.kind]:
            raise TypeError(f"found {column.name} of {frame[column.name].dtype}, expected {_DTYPES[column.kind]}")
    return frame


def described(schema: Schema) -> str:
    """A line per column, for docstrings and the manual."""
    return "\n".join(
        f"{column.name}{f' ({column.unit})' if column.unit else ''}: {column.meaning}" for column in schema.columns
    )
