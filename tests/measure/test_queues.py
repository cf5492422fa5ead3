# SPDX-License-Identifier: MIT
"""The formulas of tools/bench/queues, by hand, by their closed forms, and by requests that are served one after the other."""

import random
from itertools import accumulate
from pathlib import Path

import pytest
from conftest import program

queues = program("bench/queues")
BY_NAME = {queue.name: queue for queue in queues.QUEUES}


@pytest.mark.parametrize("load", [0, 0.001, 0.3, 0.6, 0.99])
def test_closed_forms(load: float) -> None:
    assert BY_NAME["M/D/1"].response(5, load) == pytest.approx(5 * (1 + load / (2 * (1 - load))))
    assert BY_NAME["M/M/1"].response(5, load) == pytest.approx(5 / (1 - load))
    assert BY_NAME["M/M/2"].response(5, load) == pytest.approx(5 / (1 - load**2))


def test_by_hand() -> None:
    # Of a table of Erlang's C: 5 servers that are offered 4 wait for in 0.5541 of all cases.
    assert queues.waits(5, 0.8) == pytest.approx(0.5541, abs=5e-5)
    assert queues.waits(1, 0.3) == pytest.approx(0.3)
    assert BY_NAME["M/D/1"].response(10, 0.6) == pytest.approx(17.5)
    assert BY_NAME["M/M/1"].response(10, 0.6) == pytest.approx(25)
    assert BY_NAME["M/M/2"].response(10, 0.6) == pytest.approx(15.625)


@pytest.mark.parametrize("name", list(BY_NAME))
@pytest.mark.parametrize("load", [0.3, 0.6])
def test_by_requests(name: str, load: float) -> None:
    queue, draw, count = BY_NAME[name], random.Random(34), 200000
    arrivals = accumulate(draw.expovariate(queue.servers * load) for _ in range(count))
    services = (draw.expovariate(1) if queue.variation else 1.0 for _ in range(count))
    assert sum(queues.perfect(arrivals, services, queue.servers)) / count == pytest.approx(
        queue.response(1, load), rel=0.02
    )


def test_perfect_queue() -> None:
    arrivals, services = [0, 1, 2, 10], [3, 3, 1, 2]
    assert list(queues.perfect(arrivals, services, 1)) == [3, 5, 5, 2]
    assert list(queues.perfect(arrivals, services, 2)) == [3, 3, 2, 2]


def test_block_means() -> None:
    assert queues.block_means([1.0, 2.0]) == [1, 2]
    means = queues.block_means([float(value) for value in range(95)])
    assert len(means) == 31 and means[:2] == [1, 4]
    assert not queues.block_means([])


def test_what_the_service_says() -> None:
    said = (
        "ssburn: listening at unix:queue\n"
        "ssburn: 283 requests in 5.001 s: in the mean 10.668 ms of processor time, which took 12.1 ms, after 0.1 ms in the queue\n"
        "ssburn: threads 2, utilised 37.13 %; in the queue at most 7; turned away at the end 0\n"
    )
    found = queues.SERVED.search(said)
    assert found and found.groupdict() == {"requests": "283", "service": "10.668", "took": "12.1", "utilised": "37.13"}


@pytest.mark.parametrize("pauses, counts", [([0, 9], 0), ([0.7, 0, 9], 0), ([0.7, 0.3, 0.2, 9], 0.2)])
def test_a_machine_that_stands_still(
    pauses: list[float], counts: float, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    left = iter(pauses)
    served = {"requests": "2", "service": "10", "took": "10", "utilised": "30"}
    found: list[float] = []

    def run(*_: object) -> object:
        found.append(next(left))
        return queues.Measured(served, [(11, 10), (12, 10)], 0.01, found[-1])

    benchmark = queues.Queues(["--queues", "M/D/1", "--utilisation", "30"])
    benchmark.build = Path()
    monkeypatch.setattr(benchmark, "run", run)
    benchmark.measure()
    assert found[-1] == counts
    said = capsys.readouterr().out
    assert ("M/D/1 at 30 % (0.70 s)" in said) == (len(found) > 1)
