# SPDX-License-Identifier: MIT
"""The rate at which a service saturates."""

import time
from collections.abc import Sequence
from pathlib import Path

from measure import services
from measure.text import Trouble, lines_of

# Seconds in which a service becomes warm (that of a wiki: its first pages are written), and those of which the answers count:
# so many that a rate said to be beyond saturation is, whatever chance does.
WARMING, PROBE = 10, 30
MANY = "5000"  # requests per second, of which as many are sent as there is room for


def rate_of(served: services.Served, name: Path, count: int, words: Sequence[str]) -> float:
    """Answers per second of a service that runs and always has some requests to work on, where it works on `count` at a time. `name` is that of its records and of what is
    said, without an ending; `words` are further ones of ssrequest."""
    records, said = name.with_suffix(".csv"), name.with_suffix(".txt")
    # Some wait for each place that becomes free, and none so long that it is given up when it was worked on.
    more = ["--limit", str(count + max(count, 4)), "--beyond", "drop", *words]
    with services.Client(served, records, said, 0, WARMING + PROBE, MANY, "even", 1, more) as client:
        while client.is_alive():
            time.sleep(0.1)
    rate = probed_rate(records)
    if not rate:
        raise Trouble(f"service {served.name}: none of the requests was answered when it was sent as many as it could take; {said} says more")  # fmt: skip
    return rate


def probed_rate(records: Path) -> float:
    """Good answers per second, without the first, of a service that isn't warm, and those to what was under way at the end."""
    return sum(WARMING <= after < WARMING + PROBE for after in answers_in(records)[1]) / PROBE


def answers_in(records: Path) -> tuple[float, list[float]]:
    """When the first request arrived, and how long after that each good answer was complete."""
    from showstopper.requests import read_requests

    if not lines_of(records)[1:]:
        return 0.0, []
    requests = read_requests(records)
    origin = float(requests["arrival_s"].min())
    return origin, (requests["end_s"] - origin)[requests["outcome"] == "good"].tolist()
