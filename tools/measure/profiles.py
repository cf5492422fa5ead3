# SPDX-License-Identifier: MIT
"""Profiles of machines: rates of programs, and how two of them compare. A profile is a CSV file of rows name,repetition,per_second, and beside it
FILE.about says what they are of."""

import math
import subprocess
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from measure import figures
from measure.process import attempt, has_program
from measure.text import Row, Trouble, first_line, lines_of, read_csv, write

HEAD = "name,repetition,per_second"
Values = dict[str, str]


def about_of(profile: Path) -> Path:
    return profile.with_name(profile.name + ".about")


def about(profile: Path) -> Values:
    pairs = [line.partition(": ") for line in lines_of(about_of(profile))]
    return {key: value for key, separator, value in reversed(pairs) if separator}


def stress_version() -> str:
    said = attempt(["stress-ng", "--version"]).stdout.split() if has_program("stress-ng") else []
    return said[2].rstrip(",") if len(said) > 2 else ""


def look_at(profile: Path, force: bool, shown: str = "") -> None:
    name = shown or str(profile)
    if not profile.is_file():
        raise Trouble(f"{name}: no file that can be read")
    if first_line(profile) != HEAD:
        raise Trouble(f"{name} is no profile: expected the first line {HEAD}")
    if not about_of(profile).exists() and not force:
        raise Trouble(f"{name}.about is missing, which says what {name} is of; copy it too, or use --force")


def look_at_pair(base: Path, target: Path, force: bool) -> None:
    """Rates of two versions of stress-ng are of different work."""
    look_at(base, force)
    look_at(target, force)
    one, other = about(base), about(target)
    if one.get("kind") != other.get("kind"):
        raise Trouble(f"{base} has rates of {one.get('kind', '')}, {target} of {other.get('kind', '')}")
    versions = one.get("stress_ng", ""), other.get("stress_ng", "")
    if versions[0] != versions[1] and not force:
        said = f"{versions[0] or 'of an unknown version'}, {target} by {versions[1] or 'an unknown one'}"
        raise Trouble(f"{base} is by stress-ng {said}, whose work differs; --force compares all the same")


def look_at_base(profile: Path, kind: str, force: bool) -> None:
    """The same, before anything is measured here."""
    look_at(profile, force)
    of = about(profile)
    if of.get("kind") != kind and not force:
        raise Trouble(f"--against: {profile} has rates of {of.get('kind', '')}, expected {kind}")
    here = stress_version()
    if of.get("stress_ng", "") != here and not force:
        said = f"{of.get('stress_ng', '')}, here is {here or 'none'}"
        raise Trouble(f"{profile} is by stress-ng {said}, whose work differs; --force compares all the same")


def said(profile: Path, shown: str = "") -> str:
    """What it is of, in a line."""
    of, name = about(profile), shown or str(profile)
    if not of:
        return name
    held = "" if of.get("hand") == "none" else f", held at {of.get('bandwidth_percent', '')} % by {of.get('hand', '')}"
    return f"{name} ({of.get('model', '')}, {of.get('environment', '')}, stress-ng {of.get('stress_ng', '')}{held}, {of.get('date', '')})"


def names_in(profile: Path) -> list[str]:
    return list(dict.fromkeys(row["name"] for row in read_csv(profile)))


def mend(profile: Path) -> None:
    """A row that was cut off, and what is there twice."""
    seen: set[tuple[str, str]] = set()
    kept: list[str] = []
    for line in lines_of(profile)[1:]:
        fields = line.split(",")
        if len(fields) == 3 and is_rate(fields[2]) and (fields[0], fields[1]) not in seen:
            seen.add((fields[0], fields[1]))
            kept.append(line)
    write(profile, "".join(f"{line}\n" for line in [HEAD, *kept]))


def is_rate(text: str) -> bool:
    try:
        return float(text) > 0 and math.isfinite(float(text))
    except ValueError:
        return False


# ---- Ratios -----------------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Ratio:
    """How many times as fast the target is. Errors are standard errors as a share of the rate, 0 where there is one repetition alone."""

    name: str
    base: float
    target: float
    ratio: float
    weight: str
    base_error: float
    target_error: float

    def line(self) -> str:
        return f"{self.name},{self.base:.9g},{self.target:.9g},{self.ratio:.6f},{self.weight},{self.base_error:.6f},{self.target_error:.6f}"


RATIO_HEAD = "name,base,target,ratio,weight,base_error,target_error"


def weights_in(file: Path | None) -> Values:
    """Of the mean: lines of a name and a number."""
    if file is None:
        return {}
    if not file.is_file():
        raise Trouble(f"--weights: {file}: no file that can be read")
    words = [line.split() for line in lines_of(file) if line.strip() and not line.lstrip().startswith("#")]
    for of in words:
        if len(of) != 2 or not of[1].replace(".", "", 1).isdigit() or of[1].endswith("."):
            raise Trouble(f"--weights: {file}: expected lines of a name and its weight, such as queens 2")
    return {of[0]: of[1] for of in words}


def judged(of: figures.Summary) -> tuple[float, float]:
    """The median, and its standard error as a share of it: the median of three and more is a little less certain than their mean."""
    error = (of.error or 0.0) * (1.25 if of.count > 2 else 1.0) / of.median
    return of.median, error


def ratios(build: Path, base: Path, target: Path, weights: Values, paired: bool = False) -> list[Ratio]:
    """For each name that both have, in the base's order. Where they are paired, each repetition was measured just beside the same one of the base: the
    ratio is the median of theirs."""
    rows = {place: read_csv(file) for place, file in (("base", base), ("target", target))}
    values = [((place, row["name"]), float(row["per_second"])) for place in rows for row in rows[place]]
    beside = {(row["name"], row["repetition"]): float(row["per_second"]) for row in rows["base"]}
    for row in rows["target"] if paired else []:
        if (row["name"], row["repetition"]) in beside:
            values.append((("pair", row["name"]), float(row["per_second"]) / beside[row["name"], row["repetition"]]))
    of = figures.summaries(build, values)
    made: list[Ratio] = []
    for name in names_in(base):
        if ("target", name) not in of or (paired and ("pair", name) not in of):
            continue
        (low, base_error), (high, target_error) = judged(of["base", name]), judged(of["target", name])
        ratio = high / low
        if paired:
            (ratio, target_error), base_error = judged(of["pair", name]), 0.0
        made.append(Ratio(name, low, high, ratio, weights.get(name, "1"), base_error, target_error))
    return made


def write_ratios(file: Path, of: Sequence[Ratio]) -> None:
    write(file, "".join(f"{line}\n" for line in [RATIO_HEAD, *(ratio.line() for ratio in of)]))


def read_ratios(file: Path) -> list[Ratio]:
    return [ratio_of(row) for row in read_csv(file)]


def ratio_of(row: Row) -> Ratio:
    base, target, ratio, base_error, target_error = (
        float(row[name]) for name in ("base", "target", "ratio", "base_error", "target_error")
    )
    return Ratio(row["name"], base, target, ratio, row["weight"], base_error, target_error)


def as_written(of: Iterable[Ratio]) -> list[Ratio]:
    """With the digits that files have."""
    return [
        Ratio(
            one.name,
            one.base,
            one.target,
            float(f"{one.ratio:.6f}"),
            one.weight,
            float(f"{one.base_error:.6f}"),
            float(f"{one.target_error:.6f}"),
        )
        for one in of
    ]


def summary(build: Path, of: Sequence[Ratio], what: str = "") -> Values:
    """What ratios come to. noise and base_noise are the standard errors of the weighted mean from the target's and from the base's repetitions; within is
    how many ratios are between 0.9 and 1.1."""
    of = as_written(of)
    weights = sum(float(one.weight) for one in of)
    found = figures.summarize(build, [one.ratio for one in of])
    if not found or weights <= 0:
        raise Trouble(f"{what}: there is nothing to compare")

    def noise(errors: Iterable[float]) -> str:
        return f"{math.sqrt(sum((float(one.weight) * one.ratio * error) ** 2 for one, error in zip(of, errors))) / weights:.6f}"

    return {
        "count": str(found.count),
        "least": f"{found.least:.4f}",
        "greatest": f"{found.most:.4f}",
        "median": f"{found.median:.4f}",
        "mean": f"{sum(float(one.weight) * one.ratio for one in of) / weights:.6f}",
        "noise": noise(one.target_error for one in of),
        "base_noise": noise(one.base_error for one in of),
        "within": str(sum(0.9 <= one.ratio <= 1.1 for one in of)),
    }


def alone(base: Path, target: Path) -> Iterator[str]:
    """Names that one of two profiles has alone."""
    one, other = names_in(base), names_in(target)
    for where, names in (
        ("base", [name for name in one if name not in other]),
        ("target", [name for name in other if name not in one]),
    ):
        if names:
            yield f"only in the {where}: {' '.join(names)}"


def summary_lines(of: Values, weighted: str) -> Iterator[str]:
    least, greatest, mean = float(of["least"]), float(of["greatest"]), float(of["mean"])
    noise = math.hypot(float(of["noise"]), float(of["base_noise"]))
    yield f"names                 {of['count']}"
    yield f"range                 [{least:.2f}, {greatest:.2f}], length {greatest - least:.2f}; greatest / least {greatest / least:.2f}"
    yield f"median                {float(of['median']):.3f}"
    sure = f" ± {2 * noise:.3f} with 95 %" if noise > 0 else ""
    yield f"mean                  {mean:.3f}{sure} ({f'weights: {weighted}' if weighted else 'all weigh the same'})"
    yield f"within 10 % of 1      {100 * int(of['within']) / int(of['count']):.0f} % ({of['within']} of {of['count']})"


# ---- Histograms -------------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Bin:
    low: str
    high: str
    first: int
    second: int


def bins_of(first: Sequence[Ratio], second: Sequence[Ratio] = ()) -> list[Bin]:
    """0.1 wide as in the paper, or where one ratio is above 8, ten to each power of ten. A bin holds its upper end and not its lower one."""
    both = [(place, float(f"{one.ratio:.6f}")) for place, of in enumerate((first, second)) for one in of]
    wide = any(ratio > 8 for _, ratio in both)

    def place_of(ratio: float) -> int:
        at = math.log10(ratio) * 10 if wide else ratio * 10
        return int(at) - 1 if at >= 0 and at - int(at) < 1e-6 else math.ceil(at) - 1 if at < 0 else int(at)

    def edge(number: int) -> str:
        return f"{10 ** (number / 10) if wide else number / 10:.3g}"

    found = [(place, place_of(ratio)) for place, ratio in both]
    numbers = [number for _, number in found]
    return (
        [
            Bin(edge(n), edge(n + 1), found.count((0, n)), found.count((1, n)))
            for n in range(min(numbers), max(numbers) + 1)
        ]
        if numbers
        else []
    )


def write_bins(file: Path, bins: Sequence[Bin]) -> None:
    write(file, "low,high,first,second\n" + "".join(f"{of.low},{of.high},{of.first},{of.second}\n" for of in bins))


def histogram_lines(bins: Sequence[Bin]) -> Iterator[str]:
    """One row a bin; of two profiles one beside the other."""
    most = max(max(of.first, of.second) for of in bins)
    scale = 40 / most if most > 40 else 1.0

    def bar(count: int) -> str:
        return "#" * math.ceil(count * scale) + (f" {count}" if count else "")

    both = any(of.second for of in bins)
    for of in bins:
        bars = f"{bar(of.first):<44} {bar(of.second)}" if both else bar(of.first)
        yield f"{of.low:>8} to {of.high:<8} {bars}".rstrip(" ")


def draw_histogram(
    bins: Sequence[Bin], file: Path, title: str, first: str, second: str = "", lines: Sequence[tuple[float, str]] = ()
) -> None:
    """One set in green, the second beside it in purple, as in the paper; lines are ends of ranges with their colours."""
    if not has_program("gnuplot"):
        raise Trouble("gnuplot is missing (tools/setup experiments)")
    if not bins:
        raise Trouble(f"{file} has nothing to draw")
    with tempfile.TemporaryDirectory() as folder:
        script = Path(folder) / "script"
        script.write_text("".join(f"{line}\n" for line in picture(bins, title, first, second, lines)))
        result = subprocess.run(["gnuplot", str(script)], capture_output=True, stdin=subprocess.DEVNULL)
    if result.returncode != 0:
        raise Trouble(f"gnuplot failed: {' '.join(result.stderr.decode().splitlines()[:3])}")
    write(file, result.stdout.decode())


def picture(
    bins: Sequence[Bin], title: str, first: str, second: str, lines: Sequence[tuple[float, str]]
) -> Iterator[str]:
    edges = [of.low for of in bins] + [bins[-1].high]
    most = max(max(of.first, of.second) for of in bins)

    def place(ratio: float) -> float:
        """Where it is on the axis of bins; just outside if there is none for it."""
        for number, (low, high) in enumerate(zip(edges, edges[1:])):
            if float(low) <= ratio <= float(high):
                return number + (ratio - float(low)) / (float(high) - float(low))
        return -0.3 if ratio < float(edges[0]) else len(bins) + 0.3

    def columns(name: str, shift: float, width: str, colour: str) -> str:
        return f'$bins using ($1+{shift:g}):{width} with boxes lc rgb "{colour}" title "{name}"'

    yield 'set terminal svg size 760,340 font "sans-serif,12" background "white"'
    yield f'set title "{title}" noenhanced'
    yield "set key top right noenhanced"
    yield 'set xlabel "times as fast as the base"'
    yield 'set ylabel "how many"'
    yield "set style fill solid 0.6 noborder"
    yield 'set grid y lc rgb "#dddddd"'
    # Room for the names above the bars, and no tenths of a method.
    yield f"set yrange [0:{1.3 * most:g}]"
    yield f"set ytics {most // 8 + 1}"
    tics = ", ".join(f'"{edges[number]}" {number}' for number in range(0, len(edges), len(bins) // 14 + 1))
    yield f"set xrange [-0.5:{len(bins) + 0.5:g}]"
    yield f"set xtics ({tics})"
    for ratio, colour in lines:
        at = f"{place(ratio):g}"
        yield f'set arrow from first {at}, graph 0 to first {at}, graph 1 nohead lw 1.5 dt 2 lc rgb "{colour}"'
    yield "$bins << END"
    yield from (f"{number} {of.first} {of.second}" for number, of in enumerate(bins))
    yield "END"
    if second:
        yield f"plot {columns(first, 0.28, '2:(0.4)', '#2a8f3c')}, {columns(second, 0.72, '3:(0.4)', '#7b3fa0')}"
    else:
        yield f"plot {columns(first, 0.5, '2:(0.8)', '#2a8f3c')}"


# ---- The search -------------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Found:
    """A bandwidth in per cent at which the mean ratio is 1, with its uncertainty (95 %, the base's noise in it)."""

    bandwidth: float
    uncertainty: float


def next_step(measured: Sequence[tuple[float, float, float, float]], enough: float) -> Found | float:
    """The next bandwidth to measure, or what was found, of what was measured in order: bandwidth, mean ratio, its noise, the base's; the first without a
    limit. The mean grows with the bandwidth.

    Stops when the mean can't be told from 1, that is, is within twice its noise or within what is enough, or when what is left between too little and too
    much is below that, as bandwidth. A guess is the one by proportion, bandwidth / mean; each third, and one that would lie outside of what is left, is its
    geometric middle: while nothing but the whole is known to be too much, half of that would be far off."""
    low = low_mean = high = high_mean = at = mean = 0.0
    for count, (at, mean, noise, base_noise) in enumerate(measured, 1):
        near = max(2 * noise, enough)

        def found(bandwidth: float, left: float) -> Found:
            sure = 2 * math.hypot(noise, base_noise) / mean * bandwidth
            return Found(min(100.0, bandwidth), max(abs(left) / 2, sure))

        if count == 1 and mean < 1 - near:
            raise Slower(mean)
        if 1 - near <= mean <= 1 + near:
            return found(at / mean, at / mean - at)
        if mean > 1:
            high, high_mean = at, mean
        else:
            low, low_mean = at, mean
        if (count > 1 and low and high - low <= near / mean * at) or count > 16:
            return found(low + (1 - low_mean) * (high - low) / (high_mean - low_mean), high - low)
    guess = at / mean
    if len(measured) % 3 == 0 or guess <= low or guess >= high:
        guess = math.sqrt(low * high) if low else high / 2
    if guess < 0.5:
        raise TooSlow("0.5")
    return float(f"{guess:.2f}")


class Slower(Exception):
    """Than the base, even without a limit."""


class TooSlow(Exception):
    """It would have to be held at less than this."""
