# SPDX-License-Identifier: MIT
"""Counted events in windows: whose windows they are, and what is divided by what."""
from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from showstopper import InputError, Log, Run, events

NAN = np.nan


def log_of(name: str, begin: float = 100.0, **columns) -> Log:
    """12 rows of a second."""
    end = np.arange(1.0, 13)
    frame = {
        "start_s": end - 1,
        "time_s": end,
        "load": 0.5,
        "monotonic_s": begin + end,
        "is_gap": False,
        "is_warmup": False,
    }
    return Log(name, pd.DataFrame({**frame, **columns}))


TARGET = [0.5] * 6 + [0.2] * 6
CONTROL = log_of("log.csv", target=TARGET, hits_per_s=[1.0] * 6 + [3] * 5 + [NAN])
BESIDE = log_of("cpuload.csv", begin=98.0, misses_per_s=np.arange(12.0))
TWO_PER_S = pd.DataFrame({"start_s": np.arange(100, 109, 0.5), "end_s": np.arange(100.5, 109.5, 0.5), "is_gap": False})


def found_of(*logs: Log, iterations: pd.DataFrame | None = None, **options) -> list[tuple]:
    run = Run("a", True, logs, iterations, 0 if iterations is None else 1)
    table = events([run], **options)
    return list(table[["file", "event", "start_s", "per_s", "per_iteration"]].itertuples(index=False, name=None))


def same(found: list[tuple], expected: list[tuple]) -> bool:
    return all(a[:2] == b[:2] and a[2:] == pytest.approx(b[2:], nan_ok=True) for a, b in zip(found, expected)) and len(
        found
    ) == len(expected)


def test_rates_are_of_rows_that_have_one_and_per_iteration_where_there_are_some() -> None:
    expected = [("log.csv", "hits", 0, 1, 0.5), ("log.csv", "hits", 6, 3, 3)]
    assert same(found_of(CONTROL, iterations=TWO_PER_S), expected)
    assert same(found_of(CONTROL), [(*row[:4], NAN) for row in expected])


def test_a_log_beside_is_asked_for_the_same_moments() -> None:
    # It began 2 s before.
    beside = [("cpuload.csv", "misses", 0, 4.5, NAN), ("cpuload.csv", "misses", 6, 9.5, NAN)]
    assert same(found_of(CONTROL, BESIDE)[2:], beside)
    assert same(found_of(BESIDE, CONTROL)[:2], beside)


@pytest.mark.parametrize(
    "logs, message",
    [
        ([log_of("l.csv", target=TARGET)], "found no column EVENT_per_s, expected logs of showstopper --log-counters"),
        ([log_of("l.csv", watch_a_per_s=1.0)], "found no column EVENT_per_s"),
        ([], "a: found iterations, but no log of the load"),
    ],
)
def test_what_has_no_events_is_refused(logs: list[Log], message: str) -> None:
    with pytest.raises(InputError, match=f"^{message}"):
        found_of(*logs, iterations=TWO_PER_S)
