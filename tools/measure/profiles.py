# SPDX-License-Identifier: MIT
"""Profiles of machines: rates of programs, and how two of them compare. A profile is a CSV file of rows name,repetition,per_second, and beside it
FILE.about says what they are of."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import asdict, astuple, dataclass, fields
from pathlib import Path

import showstopper
from measure.process import attempt, has_program
from measure.text import Trouble, first_line, lines_of, read_csv, refuse, write

HEAD = "name,repetition,per_second"
Values = dict[str, str]


def about_of(profile: Path) -> Path:
    return profile.with_name(profile.name + ".about")


def about(profile: Path) -> Values:
    return values_in(about_of(profile), ": ")


def values_in(file: Path, separator: str) -> Values:
    """Of names that are there twice the first."""
    pairs = [line.partition(separator) for line in lines_of(file)]
    return {key: value for key, found, value in reversed(pairs) if found}


def lines_with(separator: str, of: Values) -> str:
    return "".join(f"{key}{separator}{value}\n" for key, value in of.items())


def stress_version() -> str:
    said = attempt(["stress-ng", "--version"]).stdout.split() if has_program("stress-ng") else []
    return said[2].rstrip(",") if len(said) > 2 else ""


def look_at(profile: Path, force: bool) -> None:
    refuse(not profile.is_file(), f"{profile}: no file that can be read")
    refuse(first_line(profile) != HEAD, f"{profile} is no profile: expected the first line {HEAD}")
    lacking = not about_of(profile).exists() and not force
    refuse(lacking, f"{profile}.about is missing, which says what {profile} is of; copy it too, or use --force")


def look_at_pair(base: Path, target: Path, force: bool) -> None:
    look_at(base, force)
    look_at(target, force)
    one, other = (about(profile).get("kind", "") for profile in (base, target))
    refuse(one != other, f"{base} has rates of {one}, {target} of {other}")
    look_at_version(base, f"{target} by", about(target).get("stress_ng", ""), force)


def look_at_base(profile: Path, kind: str, force: bool) -> None:
    """The same, before anything is measured here."""
    look_at(profile, force)
    found = about(profile).get("kind", "")
    refuse(found != kind and not force, f"--against: {profile} has rates of {found}, expected {kind}")
    look_at_version(profile, "here is", stress_version(), force)


def look_at_version(profile: Path, where: str, other: str, force: bool) -> None:
    """Rates of two versions of stress-ng are of different work."""
    own = about(profile).get("stress_ng", "")
    said = f"{own or 'of an unknown version'}, {where} {other or 'an unknown one'}"
    why = f"{profile} is by stress-ng {said}, whose work differs; --force compares all the same"
    refuse(own != other and not force, why)


def said(profile: Path) -> str:
    """What it is of, in a line."""
    of = about(profile)
    if not of:
        return str(profile)
    held = "" if of.get("hand") == "none" else f"held at {of.get('bandwidth_percent', '')} % by {of.get('hand', '')}"
    words = [*(of.get(key, "") for key in ("model", "environment")), f"stress-ng {of.get('stress_ng', '')}"]
    return f"{profile} ({', '.join([*words, *([held] if held else []), of.get('date', '')])})"


def names_in(profile: Path) -> list[str]:
    return list(dict.fromkeys(row["name"] for row in read_csv(profile)))


def mend(profile: Path) -> None:
    """A row that was cut off, and what is there twice."""
    kept: dict[tuple[str, ...], str] = {}
    for line in lines_of(profile)[1:]:
        fields = line.split(",")
        if len(fields) == 3 and is_rate(fields[2]):
            kept.setdefault(tuple(fields[:2]), line)
    write(profile, "".join(f"{line}\n" for line in [HEAD, *kept.values()]))


def is_rate(text: str) -> bool:
    try:
        return float(text) > 0 and math.isfinite(float(text))
    except ValueError:
        return False


# ---- Ratios -----------------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Ratio:
    """How many times as fast the target is, with the digits that files have. Errors are standard errors as a share of the rate, 0 of a single repetition."""

    name: str
    base: float
    target: float
    ratio: float
    weight: float
    base_error: float
    target_error: float

    def line(self) -> str:
        return "{},{:.9g},{:.9g},{:.6f},{:g},{:.6f},{:.6f}".format(*astuple(self))


def weights_in(file: str) -> dict[str, float]:
    """Of the mean: lines of a name and a number."""
    refuse(file and not Path(file).is_file(), f"--weights: {file}: no file that can be read")
    lines = lines_of(Path(file)) if file else []
    words = [line.split() for line in lines if line.strip() and not line.lstrip().startswith("#")]
    for of in words:
        if len(of) != 2 or not of[1].replace(".", "", 1).isdigit() or of[1].endswith("."):
            raise Trouble(f"--weights: {file}: expected lines of a name and its weight, such as queens 2")
    return {of[0]: float(of[1]) for of in words}


def ratios(base: Path, target: Path, weights: dict[str, float], paired: bool = False) -> list[Ratio]:
    """For each name that both have, in the base's order. Where they are paired, each repetition was measured just beside the same one of the base: the
    ratio is the median of theirs."""
    import pandas as pd

    rates = {place: pd.read_csv(file, dtype=str) for place, file in (("base", base), ("target", target))}
    for place, of in rates.items():
        rates[place] = of.astype({"per_second": float}).drop_duplicates(["name", "repetition"], keep="last")
    if paired:
        both = rates["target"].merge(rates["base"], on=["name", "repetition"], suffixes=("", "_base"))
        rates["pair"] = both.assign(per_second=both["per_second"] / both["per_second_base"])
    values = pd.concat([of.assign(label=f"{place}|" + of["name"]) for place, of in rates.items()])
    found = showstopper.means(values, "per_second").set_index("label")
    # The median of three and more is a little less certain than their mean.
    factor = found["count"].gt(2).map({True: 1.25, False: 1.0})
    error = (found["error"].fillna(0) * factor / found["median"]).round(6)
    made: list[Ratio] = []
    for name in names_in(base):
        keys = [f"{place}|{name}" for place in rates]
        if found.index.isin(keys).sum() == len(keys):
            low, high, *pair = found.loc[keys, "median"]
            ratio, weight = round((pair or [high / low])[0], 6), round(weights.get(name, 1.0), 6)
            made.append(Ratio(name, low, high, ratio, weight, 0.0 if paired else error[keys[0]], error[keys[-1]]))
    return made


def through(held: Sequence[Ratio], free: Sequence[Ratio]) -> list[Ratio]:
    """How many times as fast as the base is what was held, by how many times as fast as the machine without a limit it is, which was measured beside it,
    and that one than the base."""
    by_name = {one.name: one for one in free}
    made: list[Ratio] = []
    for one in held:
        if whole := by_name.get(one.name):
            ratio, error = round(one.ratio * whole.ratio, 6), round(math.hypot(whole.base_error, whole.target_error), 6)
            made.append(Ratio(one.name, whole.base, one.target, ratio, whole.weight, error, one.target_error))
    return made


def write_ratios(file: Path, of: Sequence[Ratio]) -> None:
    head = "name,base,target,ratio,weight,base_error,target_error"
    write(file, "".join(f"{line}\n" for line in [head, *(ratio.line() for ratio in of)]))


def read_ratios(file: Path) -> list[Ratio]:
    return [Ratio(name, *map(float, numbers)) for name, *numbers in (row.values() for row in read_csv(file))]


@dataclass(frozen=True)
class Comparison:
    """What ratios come to, with the digits that files have. `noise` and `base_noise` are the standard errors of the weighted mean from the target's and
    from the base's repetitions; `within` is how many ratios are between 0.9 and 1.1."""

    count: float
    least: float
    greatest: float
    median: float
    mean: float
    noise: float
    base_noise: float
    within: float

    def values(self, prefix: str) -> Values:
        digits = (0, 4, 4, 4, 6, 6, 6, 0)
        return {f"{prefix}{key}": f"{value:.{places}f}" for (key, value), places in zip(asdict(self).items(), digits)}

    @classmethod
    def of_values(cls, values: Values, prefix: str = "") -> "Comparison":
        return cls(**{field.name: float(values[prefix + field.name]) for field in fields(cls)})

    @property
    def length(self) -> float:
        return self.greatest - self.least

    @property
    def parted(self) -> float:
        return self.greatest / self.least

    @property
    def range(self) -> str:
        return f"[{self.least:.2f}, {self.greatest:.2f}]"

    @property
    def within_percent(self) -> str:
        return f"{100 * self.within / self.count:.0f} %"

    def lines(self, weighted: str) -> Iterator[str]:
        both = math.hypot(self.noise, self.base_noise)
        sure = f" ± {2 * both:.3f} with 95 %" if both > 0 else ""
        weights = f"weights: {weighted}" if weighted else "all weigh the same"
        yield f"names                 {self.count:.0f}"
        yield f"range                 {self.range}, length {self.length:.2f}; greatest / least {self.parted:.2f}"
        yield f"median                {self.median:.3f}"
        yield f"mean                  {self.mean:.3f}{sure} ({weights})"
        yield f"within 10 % of 1      {self.within_percent} ({self.within:.0f} of {self.count:.0f})"


def compared(of: Sequence[Ratio]) -> Comparison:
    import pandas as pd

    table = pd.DataFrame(of)
    weights = sum(one.weight for one in of)
    refuse(weights <= 0, "there is nothing to compare")
    ratio, shares = table["ratio"], table["weight"] * table["ratio"] / weights
    noises = [float(((shares * table[name]) ** 2).sum() ** 0.5) for name in ("target_error", "base_error")]
    figures = (len(of), ratio.min(), ratio.max(), ratio.median(), shares.sum(), *noises, ratio.between(0.9, 1.1).sum())
    return Comparison.of_values(Comparison(*figures).values(""))


def alone(base: Path, target: Path) -> Iterator[str]:
    """Names that one of two profiles has alone."""
    names = {"base": names_in(base), "target": names_in(target)}
    for where, other in (("base", "target"), ("target", "base")):
        if only := [name for name in names[where] if name not in names[other]]:
            yield f"only in the {where}: {' '.join(only)}"


# ---- Histograms -------------------------------------------------------------------------------------------------------------------


def histogram(sets: dict[str, Sequence[Ratio]], *files: Path) -> Iterator[str]:
    """Lines with a row a bin, of one set of ratios or of two beside each other; the files are pictures, or CSV. Bins are 0.1 wide as in the paper, or where
    one ratio is above 8, ten to each power of ten. A bin holds its upper end and not its lower one."""
    import pandas as pd
    from showstopper import plot
    from showstopper.cli.tables import to_csv
    from showstopper.histogram import bins_of, histogram, histogram_schema

    wide = any(one.ratio > 8 for of in sets.values() for one in of)
    values = [(label, math.log10(one.ratio) if wide else one.ratio) for label, of in sets.items() for one in of]
    table = histogram(pd.DataFrame(values, columns=["label", "value"]), "value", width=0.1)
    for file in files:
        if file.suffix == ".csv":
            write(file, to_csv(table, histogram_schema(bins_of(table))))
        else:
            axis = "log10 of how many times as fast" if wide else "times as fast as the base"
            picture = plot.histogram(table, axis=axis, size_cm=(16, 8))
            plot.save(picture, file, version=showstopper.__version__, command="tools/experiments/variability")
    bins = dict(list(table.groupby(["low", "high"])["count"]))
    scale = min(1.0, 40 / max(max(counts) for counts in bins.values()))
    for edges, counts in bins.items():
        low, high = (f"{10 ** float(edge) if wide else float(edge):.3g}" for edge in edges)
        bars = ["#" * math.ceil(count * scale) + (f" {count}" if count else "") for count in counts]
        yield f"{low:>8} to {high:<8} {' '.join(f'{bar:<44}' for bar in bars)}".rstrip()


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
    much is below that, as bandwidth. A guess is where the power law through both ends of what is left is 1; while nothing is known to be too little, the one
    by proportion, bandwidth / mean. Each third is the geometric middle, once both ends were held:
    until then one of them is the whole, and the middle far off."""
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
    guess = high / high_mean
    if low:
        guess = low * (high / low) ** (math.log(1 / low_mean) / math.log(high_mean / low_mean))
        if len(measured) % 3 == 0 and high < measured[0][0]:
            guess = math.sqrt(low * high)
    if guess < 0.5:
        raise TooSlow("0.5")
    return float(f"{guess:.2f}")


class Slower(Exception):
    """Than the base, even without a limit."""


class TooSlow(Exception):
    """It would have to be held at less than this."""
