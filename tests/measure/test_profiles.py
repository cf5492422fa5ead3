# SPDX-License-Identifier: MIT
"""Two machines: ratios of rates, histograms, the search for a bandwidth."""

from pathlib import Path

import pytest
from measure import profiles
from measure.profiles import Found, Ratio

Measured = list[tuple[float, float, float, float]]


@pytest.mark.parametrize(
    "measured, expected",
    [
        ([(100, 0.999, 0.01, 0)], Found(100.0, 2.0)),
        ([(100, 2, 0.01, 0)], 50.0),
        ([(100, 2, 0.01, 0), (50, 1.1, 0.01, 0)], 45.45),
        ([(100, 4, 0.01, 0), (25, 0.5, 0.01, 0)], 39.69),
        ([(100, 2, 0.01, 0), (50, 0.8, 0.01, 0), (62.5, 1.1, 0.01, 0)], 55.9),
        # By proportion it would be 110.
        ([(100, 2, 0.01, 0), (55, 0.5, 0.01, 0)], 74.16),
        # While only the whole is too much, or nothing too little, the middle would be far off (25.34; 3.2).
        ([(100, 18.892, 0.0915, 0.2), (6.29, 0.979, 0.0068, 0.01), (6.42, 0.976, 0.0077, 0.01)], 6.57),
        ([(100, 18.892, 0.0915, 0.2), (6.6, 1.03, 0.0068, 0.01), (6.41, 1.02, 0.0077, 0.01)], 6.28),
        # Within the noise of 1; and too narrow for the noise, though both ends are beyond it.
        ([(100, 2, 0.01, 0), (50, 1.01, 0.01, 0.01)], Found(49.5, 1.39)),
        ([(100, 2, 0.01, 0), (49.8, 0.95, 0.012, 0), (52.1, 1.05, 0.0245, 0)], Found(50.95, 2.38)),
    ],
)
def test_search(measured: Measured, expected: Found | float) -> None:
    step = profiles.next_step(measured, 0)
    if isinstance(step, Found):
        step = Found(float(f"{step.bandwidth:.2f}"), float(f"{step.uncertainty:.2f}"))
    assert step == expected


@pytest.mark.parametrize("power, most", [(0.7, 5), (1, 1), (1.3, 2), (2.5, 2)])
def test_search_of_a_power_law_is_short(power: float, most: int) -> None:
    measured = [(100.0, 18.9, 0.1, 0.0)]
    while not isinstance(step := profiles.next_step(measured, 0.01), Found):
        measured.append((step, 18.9 * (step / 100) ** power, 0.007, 0.0))
    assert abs(18.9 * (step.bandwidth / 100) ** power - 1) < 0.02
    assert len(measured) - 1 <= most


def test_search_in_vain() -> None:
    with pytest.raises(profiles.Slower):
        profiles.next_step([(100, 0.9, 0.01, 0)], 0)
    with pytest.raises(profiles.TooSlow):
        profiles.next_step([(100, 400, 1, 0)], 0)


def profile(file: Path, *rows: str) -> Path:
    file.write_text("".join(f"{row}\n" for row in ["name,repetition,per_second", *rows]))
    return file


def test_ratios_of_pairs_do_not_see_what_both_have(tmp_path: Path, build: Path) -> None:
    # Rates that double with each repetition.
    alone = profile(tmp_path / "alone", "queens,1,100", "queens,2,200", "queens,3,400")
    beside = profile(tmp_path / "beside", "queens,3,205", "queens,1,50", "queens,2,98")
    paired = profiles.ratios(alone, beside, {}, paired=True)[0]
    assert paired.line().startswith("queens,200,98,0.500000,1,0.000000,0.01")
    free = profiles.ratios(alone, beside, {"queens": 2.0})[0]
    assert free.line().startswith("queens,200,98,0.490000,2,0.5")
    # Where no repetition is in both there is no ratio.
    assert profiles.ratios(alone, profile(tmp_path / "other", "queens,4,205"), {}, paired=True) == []


def test_ratios_through_what_was_measured_beside() -> None:
    held = [Ratio("queens", 80, 20, 0.25, 1, 0, 0.01), Ratio("float", 10, 1, 0.1, 1, 0, 0.02)]
    # Without a limit the machine was 100 before, four times the base.
    free = [
        Ratio("float", 5, 10, 2.0, 3, 0.03, 0.04),
        Ratio("queens", 25, 100, 4.0, 1, 0, 0.1),
        Ratio("x", 1, 1, 1, 1, 0, 0),
    ]
    assert profiles.through(held, free) == [
        Ratio("queens", 25, 20, 1.0, 1, 0.1, 0.01),
        Ratio("float", 5, 1, 0.2, 3, 0.05, 0.02),
    ]


def test_bins_hold_their_upper_end(build: Path, tmp_path: Path) -> None:
    def found(*ratios: float) -> list[str]:
        of = [Ratio("x", 1, 1, ratio, 1, 0, 0) for ratio in ratios]
        return [line.strip() for line in profiles.histogram({"some": of}, tmp_path / "made.svg")]

    assert found(0.95, 1.0, 1.1, 1.3) == [
        "0.9 to 1        ## 2",
        "1 to 1.1      # 1",
        "1.1 to 1.2",
        "1.2 to 1.3      # 1",
    ]
    assert "<svg " in (tmp_path / "made.svg").read_text()
    # Wide ones where one is above 8.
    assert found(9.0) == ["7.94 to 10       # 1"]


def test_a_row_that_was_cut_off_is_mended(tmp_path: Path) -> None:
    file = profile(tmp_path / "file", "a,1,5", "a,1,6", "b,1", "c,1,x", "d,2,7")
    profiles.mend(file)
    assert file.read_text() == "name,repetition,per_second\na,1,5\nd,2,7\n"
