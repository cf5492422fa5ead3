# SPDX-License-Identifier: MIT
"""Whether values that were measured are what a claim says: by those that were repeated, or by their signs where none was, and how sure that is."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import expm1, log1p

from measure import figures
from measure.evidence import Evidence, Values

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
    def bounds(self) -> tuple[float, float]:
        """As values are."""
        both = zip(self.within.split(":"), (-INF, INF))
        low, high = (log1p(float(end)) if end and self.logs else float(end or none) for end, none in both)
        return low, high

    def in_unit(self, value: float) -> float:
        return value if self.unit == "pp" else 100 * (expm1(value) if self.logs else value)


@dataclass
class Verdict:
    word: str
    why: str
    needed: float = PILOT


def p_said(p: float) -> str:
    return "<0.0001" if p < 0.0001 else f"{p:.2g}"


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


def by_repeats(claim: Claim, values: Values) -> Verdict:
    found = ((name, value) for name, of in values.items() for value in of)
    rows = list(figures.summaries(found, within=claim.bounds, shares=claim.shares).values())
    wanted, ps = "inside" if claim.is_inside else "outside", [row.p_holm for row in rows if row.p_holm is not None]
    said = [0 if row.p_holm is None or row.p_holm >= SURE else 1 if row.place == wanted else -1 for row in rows]
    curves = judged_together(claim, values)
    of_all = [of_curve(claim, [said[place] for place in curve]) for curve in curves]
    good, bad, count = of_all.count(1), of_all.count(-1), len(of_all)
    if len(rows) == 1:
        low, mean, high = (claim.in_unit(of or 0) for of in (rows[0].low, rows[0].mean, rows[0].high))
        each = claim.each.replace("repeats", "runs")
        why = f"{mean:.1f} {claim.unit} ({low:.1f} to {high:.1f}) of {rows[0].count} {each}"
    else:
        why = f"so in {good} of {count}, not so in {bad}, {count - good - bad} can't be told"
    why += f"; p {p_said(min(ps))}{f' to {p_said(max(ps))}' if len(ps) > 1 else ''}" if ps else "; no scatter"
    # A curve that is to be inside has to be decided with all of its values.
    at_each = [[rows[place].needed or INF for place in curve if said[place] == 0] for curve in curves]
    needed = sorted((max if claim.is_inside else min)(at) for at, is_so in zip(at_each, of_all) if is_so == 0)
    missing = len(needed) if claim.every else count // 2 + 1 - good
    return Verdict(word_of(claim, good, bad, count), why, needed[min(missing, len(needed)) - 1] if needed else PILOT)


def by_signs(claim: Claim, values: Values) -> Verdict:
    """Of runs that have no repeats: whether more of all lie on the one side than chance would have it."""
    low, high = claim.bounds
    inside = [min(sum(of) / len(of) - low, high - sum(of) / len(of)) for of in values.values()]
    of_curves = [min(inside[place] for place in curve) for curve in judged_together(claim, values)]
    good = [depth if claim.is_inside else -depth for depth in of_curves]
    so, count = sum(depth > 0 for depth in good), len(good)
    if count < 2:
        return Verdict("undecided", "one run")
    from scipy.stats import binomtest

    unequal = sum(depth != 0 for depth in good)
    p = float(binomtest(so, unequal).pvalue) if unequal else 1.0
    why = f"so in {so} of {count} that were run once; sign test: p {p_said(p)}"
    sure = p < SURE
    more = so * 2 > count
    word = "contradicted" if sure and not more else "shown" if sure and not claim.every else "undecided"
    return Verdict(word, why)


def judge(claim: Claim, values: Values) -> Verdict:
    """Where some were repeated, what was run once has no say: it has no scatter."""
    if not values:
        return Verdict("undecided", "no runs")
    repeated = values if claim.shares else {name: of for name, of in values.items() if len(of) > 1}
    if not repeated:
        return by_signs(claim, values)
    verdict = by_repeats(claim, repeated)
    once = len(values) - len(repeated)
    return replace(verdict, why=f"{verdict.why}; {once} that were run once don't count") if once else verdict
