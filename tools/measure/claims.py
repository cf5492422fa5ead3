# SPDX-License-Identifier: MIT
"""What papers claim, and whether values that were measured show it: by those that were repeated, or by their signs where none was, and how sure that is."""

from dataclasses import dataclass, replace
from math import expm1, inf, isnan, log1p
from typing import Any

import pandas as pd
import showstopper
from measure import settings, tradeoffs
from measure.evidence import MEASURES, Evidence, Key, Values, command, shown
from measure.text import grouped, listed

SURE = 0.05
PILOT = 8  # runs, which tell how many it takes
MANY = 1000  # which nobody makes
WORDS = ("shown", "contradicted", "undecided")


@dataclass
class Outcome:
    word: str  # of WORDS
    why: str
    needed: float = PILOT  # repeats that decide it


@dataclass(frozen=True)
class Claim:
    """A finding as a question: do most of the values that it measures lie within bounds (LOW:HIGH)? Words of `how`:
    every    all of them have to
    outside  do they lie outside of the bounds?
    curves   the values of a curve count as one, which is inside with all of them, and outside with one
    shares   values are 0 or 1, of which the share counts
    logs     values are logarithms of ratios, and the bounds what these have more than 1
    pp       values are percentage points, not parts"""

    within: str
    how: str = ""
    each: str = "repeats"  # what a value is one of
    paper: str = ""
    finding: str = ""
    files: str = ""  # their kinds
    measure: str = ""  # a function of MEASURES, and its words
    needs: str = ""  # which machine
    take: str = ""  # what would measure it, for command()

    def has(self, word: str) -> bool:
        return word in self.how.split()

    def values(self, evidence: Evidence) -> Values:
        name, *words = self.measure.split()
        return {key: of for key, of in MEASURES[name](evidence, *words).items() if of}

    def row(self, evidence: Evidence) -> tuple[str, list[str]]:
        """The word of the outcome, and the cells of a table."""
        values = self.values(evidence) if evidence.of(self.files) else {}
        found, files = self.judge(values), evidence.of(self.files) if values else []
        batches = {key[0] for key in values}
        named = [file for file in files if file.batch in batches] or files
        why = found.why if found.word != "undecided" else f"{found.why}. {self.takes(found.needed, bool(values))}"
        return found.word, [self.paper, self.finding, found.word, why, listed(shown(file.path) for file in named)]

    def takes(self, needed: float, is_measured: bool) -> str:
        """What would decide it: by the variance seen so many repeats, or which machine, and the command to run there."""
        is_few = needed < MANY
        count = max(2, int(needed)) if is_few else MANY
        enough = f"{count} {self.each}" if is_few else f"longer runs, as {MANY} {self.each} are too few,"
        said = f"It takes {enough} on {self.needs}" if is_measured else f"It takes {self.needs}"
        return f"{said}: `{command(self.take, count if is_few and self.each == 'repeats' else PILOT)}`"

    # ---- Judgement ----------------------------------------------------------------------------------------------------------------

    def judge(self, values: Values) -> Outcome:
        """Where some were repeated, what was run once has no say: it has no scatter."""
        if not values:
            return Outcome("undecided", "no runs")
        repeated = values if self.has("shares") else {key: of for key, of in values.items() if len(of) > 1}
        if not repeated:
            return self.by_signs(values)
        found, once = self.by_repeats(repeated), len(values) - len(repeated)
        return replace(found, why=f"{found.why}; {once} that were run once don't count") if once else found

    @property
    def bounds(self) -> tuple[float, float]:
        """As values are."""
        both = zip(self.within.split(":"), (-inf, inf))
        low, high = (log1p(float(end)) if end and self.has("logs") else float(end or none) for end, none in both)
        return low, high

    def in_unit(self, value: float) -> str:
        return f"{value if self.has('pp') else 100 * (expm1(value) if self.has('logs') else value):.1f}"

    def curves(self, values: dict[Key, Any]) -> list[list[Any]]:
        """What counts as one: of a curve the values of keys that differ at the end only."""
        end = -1 if self.has("curves") else None
        return list(grouped((key[:end], value) for key, value in values.items()).values())

    def by_repeats(self, values: Values) -> Outcome:
        found = [(place, value) for place, of in enumerate(values.values()) for value in of]
        of_keys = pd.DataFrame(found, columns=["label", "value"])
        table = showstopper.means(of_keys, "value", within=self.bounds, shares=self.has("shares"))
        rows, ps = dict(zip(values, table.itertuples())), table["p_holm"].dropna()
        # Of each value 1 inside, -1 outside, and 0 where it can't be told; of a curve what is the least of its values.
        sides = {key: 0 if not row.p_holm < SURE else 1 if row.place == "inside" else -1 for key, row in rows.items()}
        curves = [min(of) for of in self.curves(sides)]
        wanted = -1 if self.has("outside") else 1
        good, bad, count = curves.count(wanted), curves.count(-wanted), len(curves)
        if len(rows) == 1:
            [row] = rows.values()
            low, mean, high = (self.in_unit(0 if isnan(end) else end) for end in (row.low, row.mean, row.high))
            unit = "pp" if self.has("pp") else "%"
            why = f"{mean} {unit} ({low} to {high}) of {row.count} {self.each.replace('repeats', 'runs')}"
        else:
            why = f"so in {good} of {count}, not so in {bad}, {count - good - bad} can't be told"
        why += f"; p {p_said(min(ps))}{f' to {p_said(max(ps))}' if len(ps) > 1 else ''}" if len(ps) else "; no scatter"
        # A curve that is to be inside has to be decided with all of its values.
        needs = dict(zip(values, table["needed"].fillna(inf)))
        unclear = self.curves({key: needs[key] if side == 0 else None for key, side in sides.items()})
        most = min if self.has("outside") else max
        needed: list[float] = sorted(most(filter(None, of)) for of, side in zip(unclear, curves) if side == 0)
        missing = len(needed) if self.has("every") else count // 2 + 1 - good
        word = self.word(good, bad, count)
        return Outcome(word, why, needed[min(missing, len(needed)) - 1] if needed and word == "undecided" else PILOT)

    def word(self, good: int, bad: int, count: int) -> str:
        if self.has("every"):
            return "contradicted" if bad else "shown" if good == count else "undecided"
        return "shown" if good * 2 > count else "contradicted" if bad * 2 >= count else "undecided"

    def by_signs(self, values: Values) -> Outcome:
        """Of runs that have no repeats: whether more of all lie on the one side than chance would have it."""
        low, high = self.bounds
        means = {key: sum(of) / len(of) for key, of in values.items()}
        depths = [min(of) for of in self.curves({key: min(mean - low, high - mean) for key, mean in means.items()})]
        if len(depths) < 2:
            return Outcome("undecided", "one run")
        from scipy.stats import binomtest

        so, count = sum(depth < 0 if self.has("outside") else depth > 0 for depth in depths), len(depths)
        unequal = sum(depth != 0 for depth in depths)
        p = float(binomtest(so, unequal).pvalue) if unequal else 1.0
        if p >= SURE or (so * 2 > count and self.has("every")):
            word = "undecided"
        else:
            word = "shown" if so * 2 > count else "contradicted"
        return Outcome(word, f"so in {so} of {count} that were run once; sign test: p {p_said(p)}")


def p_said(p: float) -> str:
    return "<0.0001" if p < 0.0001 else f"{p:.2g}"


def claims() -> list[Claim]:
    return [Claim(**row) for row in settings.papers_table("findings.csv")]
