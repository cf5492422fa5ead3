# SPDX-License-Identifier: MIT
"""What batches of experiments have to say on the findings of the papers: values of single runs, of each thing that is to be judged by itself."""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import product
from math import log
from pathlib import Path

from measure import figures, machine, settings
from measure.text import Row, known, lines_of, number

WIDE = "highly parallel"

Values = dict[str, list[float]]  # of each thing that is judged by itself, those of its runs
Runs = dict[int, Row]  # by repetition
Cell = tuple[Path, str, str, str]  # a batch, and what a label has before the repetition


@dataclass
class File:
    """What one file of a batch has. Batches are not mixed: what one measured is compared with its own only."""

    kind: str
    path: Path
    batch: Path
    processors: int
    rows: list[Row]

    @property
    def shown(self) -> str:
        return f"`{str(self.path).removeprefix(f'{machine.ROOT}/')}`"

    @property
    def words(self) -> str:
        """The commands of its runs, or the one that was published."""
        return "\n".join(lines_of(self.batch / "runs.tsv") or lines_of(self.batch / "about.md"))


def log_ratios(above: Runs, below: Runs, column: str) -> dict[int, float]:
    """By repetition, of runs of the same one, which stand beside each other in time."""
    both = {
        again: (number(above[again], column) or 0.0, number(below[again], column) or 0.0)
        for again in above
        if again in below
    }
    return {again: log(one / other) for again, (one, other) in both.items() if one > 0 and other > 0}


def least_of(ratios: Iterable[dict[int, float]]) -> list[float]:
    """Of each repetition that all of these have."""
    first, *others = ratios
    return [min(of[again] for of in (first, *others)) for again in first if all(again in of for of in others)]


def label_of(cell: Cell) -> str:
    return f"{' '.join(cell[1:])} of {cell[0]}"


@dataclass
class Evidence:
    """Files of batches."""

    files: list[File]
    classes: dict[str, str]

    def of(self, kinds: str) -> list[File]:
        return [file for file in self.files if file.kind in kinds.split()]

    # ---- Runs ---------------------------------------------------------------------------------------------------------------------

    def runs(self, kind: str, replays: bool = False) -> dict[Cell, Runs]:
        """By batch, workload, target and setting, or by batch, foreground, background and scheme."""
        found: dict[Cell, Runs] = {}
        replayed = {file.batch for file in self.files if "replay_s" in file.rows[0]}
        for file in self.of(kind):
            is_old = settings.is_old(file.batch / "runs.tsv")
            for row in file.rows if (file.batch in replayed) == replays else []:
                one, two, name, again = row["label"].split("_")
                all_met = row.get("bursts") and row["bursts"] == row.get("samples")
                if not all_met and row.get("samples") != "0":
                    cell = (file.batch, one, two, settings.of_old(name) if is_old else name)
                    found.setdefault(cell, {})[int(again)] = row
        return found

    def steps(self, kind: str, column: str, is_wanted: Callable[[float], bool]) -> dict[Cell, Runs]:
        """Of runs in steps, the mean of a column over some, as that column."""
        values: list[tuple[tuple[Path, str], float | None]] = []
        for file in self.of(kind):
            for row in file.rows:
                name = Path(row["file"]).parent.name if "step" in row else row["label"]
                if is_wanted(known(row, "target")) and name.count("_") == 3:
                    values.append(((file.batch, name), number(row, column)))
        found: dict[Cell, Runs] = {}
        for (batch, name), of in figures.summaries(values).items():
            one, two, scheme, again = name.split("_")
            found.setdefault((batch, one, two, scheme), {})[int(again)] = {column: repr(of.mean)}
        return found

    def against(self, cells: dict[Cell, Runs], better: str, worse: str, column: str) -> Values:
        """The logarithm of the one's as a multiple of the other's, of two settings or schemes."""
        return {name: list(of.values()) for name, of in self.repeats_against(cells, better, worse, column).items()}

    def repeats_against(self, cells: dict[Cell, Runs], better: str, worse: str, column: str) -> dict[str, dict[int, float]]:  # fmt: skip
        """The same by repetition."""
        return {
            label_of(cell): ratios
            for cell, runs in cells.items()
            if cell[3] == better and (ratios := log_ratios(runs, cells.get((*cell[:3], worse), {}), column))
        }

    def is_wide(self, cell: Cell) -> bool:
        return self.classes.get(cell[1]) == WIDE


# ---- Constant and variable loads --------------------------------------------------------------------------------------------------


def errors_of(setting: str, is_wide: bool) -> Callable[[Evidence], Values]:
    def values(of: Evidence) -> Values:
        cells = of.runs("accuracy-runs")
        return {
            label_of(cell): [known(row, "mean_error_pp") for row in runs.values()]
            for cell, runs in cells.items()
            if cell[3] == setting and of.is_wide(cell) == is_wide
        }

    return values


def steadier(better: str, worse: str, is_wide: bool | None = None) -> Callable[[Evidence], Values]:
    """By how much more the mean squared error of the one is, as a logarithm."""

    def values(of: Evidence) -> Values:
        cells = of.runs("accuracy-runs")
        of_class = {cell: runs for cell, runs in cells.items() if is_wide in (None, of.is_wide(cell))}
        return of.against(of_class, worse, better, "mse_pp2")

    return values


def below_baselines(setting: str) -> Callable[[Evidence], Values]:
    """N-bench is no baseline where whole instances can't make the load."""

    def values(of: Evidence) -> Values:
        processors = {file.batch: file.processors for file in of.files}
        cells = of.runs("accuracy-runs")
        errors = mean_errors(of, cells)
        whole = {
            cell: runs
            for cell, runs in cells.items()
            if not processors[cell[0]]
            or settings.is_baseline(cell[3], float(cell[2]), processors[cell[0]], errors.get(cell, 0.0))
        }
        return of.against(whole, "CDC+", setting, "mse_pp2") | of.against(whole, "N-bench", setting, "mse_pp2")

    return values


def near_targets(is_real: bool) -> Callable[[Evidence], Values]:
    """Which experiments were near their targets, each with the mean of its repeats; those of batches of which it is known that they were in no virtual
    machine, or all."""

    def values(of: Evidence) -> Values:
        near: list[float] = []
        for replays in (False, True):
            cells = of.runs("accuracy-runs", replays)
            errors = mean_errors(of, cells)
            for cell, runs in cells.items():
                about = "".join(lines_of(cell[0] / "about.md"))
                is_wanted = not is_real or (about and "a virtual machine" not in about)
                if cell[3] not in settings.BASELINES and cell in errors and is_wanted:
                    target = next(iter(runs.values()))["target"]
                    near.append(float(settings.is_near({"target": target, "mean_error_pp": repr(errors[cell])})))
        return {"experiments": near}

    return values


def mean_errors(of: Evidence, cells: dict[Cell, Runs]) -> dict[Cell, float]:
    """Of the repeats of each, in percentage points."""
    values = ((cell, number(row, "mean_error_pp")) for cell, runs in cells.items() for row in runs.values())
    return {cell: of.mean for cell, of in figures.summaries(values).items()}


def of_replays(kind: str, column: str, wanted: str = "") -> Callable[[Evidence], Values]:
    """Of each faster replay, as the logarithm of what the slowest one has."""

    def values(of: Evidence) -> Values:
        cells, found = of.runs(kind, replays=True), Values()
        for cell, runs in cells.items():
            slowest = max(
                (one for one in cells if one[::3] == cell[::3] and one[1] == cell[1]), key=lambda one: float(one[2])
            )
            if cell != slowest and re.search(wanted, f"{cell[1]} {cell[3]}"):
                found[label_of(cell)] = list(log_ratios(runs, cells[slowest], column).values())
        return found

    return values


# ---- Throughput -------------------------------------------------------------------------------------------------------------------


def off_the_line(is_wide: bool) -> Callable[[Evidence], Values]:
    """How far a throughput is from what is proportional to the load, as a part of that at the highest load."""

    def values(of: Evidence) -> Values:
        cells, found = of.runs("throughput-runs"), Values()
        curves = dict.fromkeys((cell[0], cell[1], cell[3]) for cell in cells if cell[3] != "baseline")
        for batch, workload, setting in curves:
            own = {
                float(cell[2]): runs
                for cell, runs in cells.items()
                if (cell[0], cell[1], cell[3]) == (batch, workload, setting)
            }
            top = own[max(own)]
            if of.is_wide((batch, workload, "", "")) != is_wide or len(own) < 3:
                continue
            for target in sorted(own)[:-1]:
                both = [(row, top[again]) for again, row in own[target].items() if again in top]
                found[f"{workload} {setting} of {batch} at {target:g}"] = [
                    known(row, "throughput") / known(most, "throughput") - known(row, "load") / known(most, "load")
                    for row, most in both
                    if known(most, "throughput") > 0
                ]
        return found

    return values


def nearer_to_baseline(of: Evidence) -> Values:
    """How much further even work is from the baseline than uneven work; of each repetition the mean over the targets at which both are known."""
    cells, lines = of.runs("throughput-runs"), dict[tuple[Path, str], list[tuple[float, float]]]()
    for cell, runs in cells.items():
        if cell[3] == "baseline":
            points = [(known(row, "load"), known(row, "throughput")) for row in runs.values()]
            lines.setdefault(cell[:2], []).append(tuple(sum(of) / len(of) for of in zip(*points)))  # type: ignore[arg-type]
    off: dict[Cell, dict[int, float]] = {}
    for cell, runs in cells.items():
        for again, row in runs.items():
            expected = figures.on_line(lines.get(cell[:2], []), known(row, "load"))
            if expected:
                off.setdefault(cell, {})[again] = abs(known(row, "throughput") / expected - 1)
    values: list[tuple[tuple[str, int], float]] = []
    for (batch, workload, target, setting), own in off.items():
        even = off.get((batch, workload, target, setting.replace("uneven", "even")), {}) if "uneven" in setting else {}
        key = f"{workload} {setting} of {batch}"
        values += [((key, again), even[again] - value) for again, value in own.items() if again in even]
    found: Values = {}
    for (key, _), mean in figures.summaries(values).items():
        found.setdefault(key, []).append(mean.mean)
    return found


# ---- Pairs ------------------------------------------------------------------------------------------------------------------------


def rate_at(row: Row, load: float) -> float:
    """The throughput of a foreground at a load of the background, by the lines through both halves of the staircase."""
    ends = [known(row, f"intercept_{half}") + load * known(row, f"slope_{half}") for half in (1, 2)]
    return sum(ends) / 2


def with_rates(of: Evidence, load: float = 0.5) -> dict[Cell, Runs]:
    cells = of.runs("interference-runs")
    return {
        cell: {again: {"rate": repr(rate_at(row, load))} for again, row in runs.items() if row["intercept_1"]}
        for cell, runs in cells.items()
    }


def ahead_of_rest(scheme: str, behind: str = "") -> Callable[[Evidence], Values]:
    """By how much a foreground is faster with this scheme than with the best of the others, but for one that it comes behind."""

    def values(of: Evidence) -> Values:
        cells, found = with_rates(of), Values()
        for cell, runs in cells.items():
            others = {one[3]: rates for one, rates in cells.items() if one[:3] == cell[:3] and one[3] != scheme}
            if cell[3] != scheme or (behind and behind not in others) or not set(others) - {behind}:
                continue
            ahead = [log_ratios(runs, rates, "rate") for name, rates in others.items() if name != behind]
            ahead += [log_ratios(others[behind], runs, "rate")] if behind else []
            found[label_of(cell)] = least_of(ahead)
        return found

    return values


def interference_with(scheme: str) -> Callable[[Evidence], Values]:
    def values(of: Evidence) -> Values:
        cells = of.runs("interference-runs")
        return {
            label_of(cell): [known(row, "interference") for row in runs.values() if row["interference"]]
            for cell, runs in cells.items()
            if cell[3] == scheme and not (scheme == "per-thread" and "avrora" in cell[1])
        }

    return values


def unpinned_then_pinned(of: Evidence) -> Values:
    """Neutral beside per-chip at a low load of the background, and the other way round at a high one."""
    low = of.against(with_rates(of, 0.25), "neutral", "per-chip", "rate")
    high = of.against(with_rates(of, 0.95), "per-chip", "neutral", "rate")
    return low | {f"{name}, high": ratios for name, ratios in high.items()}


def halves_of_fop(of: Evidence) -> Values:
    """By how much the mean throughput of the second half of the staircase is more than that of the first."""
    found: Values = {}
    for cell, runs in of.runs("interference-runs").items():
        for row in runs.values() if re.search("(^|-)fop$", cell[1]) else []:
            if row["intercept_1"]:
                one, two = (known(row, f"intercept_{half}") + known(row, f"slope_{half}") / 2 for half in (1, 2))
                found.setdefault("fop", []).append(two / one - 1)
    return found


def quantum_of(file: File) -> str:
    """Of averageq, in all runs of a batch; what was said last counts."""
    found: set[str] = set()
    for line in file.words.splitlines():
        said: list[str] = re.findall(r"-D (?:quantum=)?([0-9]+m)", line)
        said = said or (["107m"] if re.search(r'--base "?(PI|geom)-', line) else [])
        found |= set(said[-1:])
    return found.pop() if len(found) == 1 else ""


def same_with_another_quantum(of: Evidence) -> Values:
    """How much the interference of a pair differs between two batches."""
    quantum = {file.batch: quantum_of(file) for file in of.of("interference-runs")}
    cells, found = of.runs("interference-runs"), Values()
    for (cell, runs), (other, others) in product(cells.items(), cells.items()):
        if cell[1:] == other[1:] and (quantum[cell[0]], quantum[other[0]]) == ("53m", "107m"):
            both = [(runs[again]["interference"], others[again]["interference"]) for again in runs if again in others]
            found[label_of(cell)] = [float(one) - float(two) for one, two in both if one and two]
    return found


def events_by_load(event: str, rises: bool) -> Callable[[Evidence], Values]:
    """Events a second at a high load of the background as a multiple of those at a low one, or the other way round; of one run of each pair."""

    def values(of: Evidence) -> Values:
        found: Values = {}
        for file in of.of("events"):
            name = next((name for name in file.rows[0] if event in name), "")
            halves = [
                [known(row, name) for row in file.rows if row[name] and (known(row, "target %") > 50) == is_high]
                if name
                else []
                for is_high in (True, False)
            ]
            if "_per-thread_" in file.path.name and all(halves) and all(map(sum, halves)):
                high, low = (sum(half) / len(half) for half in halves)
                found[file.path.stem] = [log(low / high) if rises else log(high / low)]
        return found

    return values


def penalty_in_the_middle(of: Evidence) -> Values:
    """How much more throughput per-thread costs the background around half of its load than far from there."""
    middle, ends = (
        of.repeats_against(of.steps("background-runs", "throughput", is_there), "per-core", "per-thread", "throughput")
        for is_there in (lambda target: 0.35 <= target <= 0.65, lambda target: not 0.2 <= target <= 0.8)
    )
    both = {name: (middle[name], ends[name]) for name in middle if name in ends}
    return {name: [one[again] - two[again] for again in one if again in two] for name, (one, two) in both.items()}


def below(target: float) -> bool:
    return target < 0.5


def above(target: float) -> bool:
    return target > 0.5


def whole_machine(kind: str, column: str, low: tuple[str, str], high: tuple[str, str]) -> Callable[[Evidence], Values]:
    """Which of two schemes does more while the load of the background is below a half, and which while it is above."""

    def values(of: Evidence) -> Values:
        found = of.against(of.steps(kind, column, below), *low, column)
        more = of.against(of.steps(kind, column, above), *high, column)
        return found | {f"{name}, above": ratios for name, ratios in more.items()}

    return values


def dynamic_beside_static(of: Evidence) -> Values:
    cells, found = of.steps("overall", "throughput", lambda _: True), Values()
    for cell, runs in cells.items():
        static = [rates for one, rates in cells.items() if one[:3] == cell[:3] and one[3] != "dynamic"]
        if cell[3] == "dynamic" and static:
            found[label_of(cell)] = least_of(log_ratios(runs, rates, "throughput") for rates in static)
    return found


def guests(of: Evidence) -> Values:
    found: Values = {}
    for file in of.of("ratio"):
        for row in file.rows:
            found.setdefault(f"{row['pair']}, {row['scheme']} of {file.batch}", []).append(known(row, "median") - 1)
    return found


# ---- Two machines -----------------------------------------------------------------------------------------------------------------


def narrower(of: Evidence) -> Values:
    """How much nearer to the median of all a method is with a limit than without, as a part of that median (as Brown and Forsythe compare spreads)."""
    found: Values = {}
    programs = {file.batch for file in of.of("validation")}
    for file in of.of("free-ratios"):
        limited = next((other for other in of.of("quota-ratios") if other.batch == file.batch), None)
        far = [spreads(one.rows) for one in (file, limited) if one]
        if len(far) == 2 and file.batch not in programs:
            found[str(file.batch)] = [far[0][name] - far[1][name] for name in far[0] if name in far[1]]
    return found


def spreads(rows: list[Row]) -> dict[str, float]:
    ratios = {row["name"]: known(row, "ratio") for row in rows}
    middle = figures.summarize(ratios.values())
    return {name: abs(ratio - middle.median) for name, ratio in ratios.items()} if middle else {}


def programs_in_range(of: Evidence) -> Values:
    rows = [(file.batch, row) for file in of.of("validation") for row in file.rows if row["how"] != "free"]
    found: Values = {}
    for batch, row in rows:
        found.setdefault(f"{row['how']} of {batch}", []).append(float(row["within"] == "yes"))
    return found
