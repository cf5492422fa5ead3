# SPDX-License-Identifier: MIT
"""Whether values that were measured are what a claim says: by those that were repeated, or by their signs where none was, and how sure that is."""

import tempfile
from collections.abc import Callable
from dataclasses import dataclass, replace
from math import expm1, log1p
from pathlib import Path

from measure import figures
from measure.evidence import Evidence, Values
from measure.text import known, number

SURE = 0.05
PILOT = 8  # runs, which tell how many it takes
MANY = 1000  # which nobody makes
INF = float("inf")


@dataclass
class Claim:
    """A finding as a question: do most of these values lie within bounds (LOW:HIGH), or outside of them? `every`: all of them."""

    source: str
    finding: str
    values: Callable[[Evidence], Values]
    within: str
    kinds: str  # files where they are
    take: str  # the command that would measure it, with {n} repeats
    needs: str = "any machine"
    is_inside: bool = True
    every: bool = False
    shares: bool = False
    logs: bool = False  # values are logarithms of ratios, the bounds what these have more than 1
    unit: str = "%"  # of parts; or pp
    each: str = "repeats"  # what a value is one of
    curves: bool = False  # of the values of a curve one outside is enough

    @property
    def bounds(self) -> str:
        """As values are."""
        return ":".join(f"{log1p(float(end))!r}" if end and self.logs else end for end in self.within.split(":"))

    def in_unit(self, value: float) -> float:
        return value if self.unit == "pp" else 100 * (expm1(value) if self.logs else value)


@dataclass
class Verdict:
    word: str
    why: str
    needed: float = PILOT


def p_said(p: float | None) -> str:
    return "unknown" if p is None else "<0.0001" if p < 0.0001 else f"{p:.2g}"


def word_of(claim: Claim, good: int, bad: int, count: int) -> str:
    if claim.every:
        return "contradicted" if bad else "shown" if good == count else "undecided"
    return "shown" if good * 2 > count else "contradicted" if bad * 2 >= count else "undecided"


def judged_together(claim: Claim, values: Values) -> list[list[int]]:
    """The places of those that count as one: all of a curve."""
    found: dict[str, list[int]] = {}
    for place, name in enumerate(values):
        found.setdefault(name.split(" at ")[0] if claim.curves else name, []).append(place)
    return list(found.values())


def of_curve(claim: Claim, said: list[int]) -> int:
    """A curve is inside with all of its values, and outside with one of them."""
    if claim.is_inside:
        return -1 if -1 in said else min(said)
    return 1 if 1 in said else max(said)


def table_of(values: Values) -> str:
    rows = [f"{place},{value!r}\n" for place, of in enumerate(values.values()) for value in of]
    return "label,value\n" + "".join(rows)


def by_repeats(build: Path, claim: Claim, values: Values) -> Verdict:
    shares = ["--shares"] if claim.shares else []
    with tempfile.NamedTemporaryFile("w", suffix=".csv") as file:
        file.write(table_of(values))
        file.flush()
        words = ["means", "--column", "value", "--within", claim.bounds, *shares, file.name]
        rows = figures.report(build, *words)
    wanted, other = ("inside", "outside") if claim.is_inside else ("outside", "inside")
    said = [
        0 if (number(row, "p_holm") or 0 if row["p_holm"] else 1) >= SURE else 1 if row["place"] == wanted else -1
        for row in rows
    ]
    curves = judged_together(claim, values)
    of_all = [of_curve(claim, [said[place] for place in curve]) for curve in curves]
    good, bad, count = of_all.count(1), of_all.count(-1), len(of_all)
    ps = [known(row, "p_holm") for row in rows if row["p_holm"]]
    if len(rows) == 1:
        low, mean, high = (claim.in_unit(number(rows[0], name) or 0) for name in ("low", "mean", "high"))
        each = claim.each.replace("repeats", "runs")
        why = f"{mean:.1f} {claim.unit} ({low:.1f} to {high:.1f}) of {rows[0]['count']} {each}"
    else:
        why = f"so in {good} of {count}, not so in {bad}, {count - good - bad} can't be told"
    why += f"; p {p_said(min(ps))}{f' to {p_said(max(ps))}' if len(ps) > 1 else ''}" if ps else "; no scatter"
    # A curve that is to be inside has to be decided with all of its values.
    at_each = [[number(rows[place], "needed") or INF for place in curve if said[place] == 0] for curve in curves]
    needed = sorted((max if claim.is_inside else min)(at) for at, is_so in zip(at_each, of_all) if is_so == 0)
    missing = len(needed) if claim.every else count // 2 + 1 - good
    return Verdict(word_of(claim, good, bad, count), why, needed[min(missing, len(needed)) - 1] if needed else PILOT)


def by_signs(build: Path, claim: Claim, values: Values) -> Verdict:
    """Of runs that have no repeats: whether more of all lie on the one side than chance would have it."""
    low, high = (float(end) if end else end_of for end, end_of in zip(claim.bounds.split(":"), (-INF, INF)))
    inside = [min(sum(of) / len(of) - low, high - sum(of) / len(of)) for of in values.values()]
    of_curves = [min(inside[place] for place in curve) for curve in judged_together(claim, values)]
    good = [depth if claim.is_inside else -depth for depth in of_curves]
    so, count = sum(depth > 0 for depth in good), len(good)
    if count < 2:
        return Verdict("undecided", "one run")
    with tempfile.TemporaryDirectory() as folder:
        both = [Path(folder) / name for name in ("none.csv", "good.csv")]
        for file, of in zip(both, ([0.0] * count, good)):
            file.write_text("value\n" + "".join(f"{value!r}\n" for value in of))
        rows = figures.report(build, "compare", "--paired", *both)
    p = next((number(row, "p") for row in rows if row["test"] == "sign"), None)
    why = f"so in {so} of {count} that were run once; sign test: p {p_said(p)}"
    sure = p is not None and p < SURE
    more = so * 2 > count
    word = "contradicted" if sure and not more else "shown" if sure and not claim.every else "undecided"
    return Verdict(word, why)


def judge(build: Path, claim: Claim, values: Values) -> Verdict:
    """Where some were repeated, what was run once has no say: it has no scatter."""
    if not values:
        return Verdict("undecided", "no runs")
    repeated = values if claim.shares else {name: of for name, of in values.items() if len(of) > 1}
    if not repeated:
        return by_signs(build, claim, values)
    verdict = by_repeats(build, claim, repeated)
    once = len(values) - len(repeated)
    return replace(verdict, why=f"{verdict.why}; {once} that were run once don't count") if once else verdict
