# SPDX-License-Identifier: MIT
"""Services, and what of a batch of tools/experiments/latency is left when it is killed; between which loads a limit is crossed."""

import math
import os
import shutil
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest
from conftest import ROOT, program
from measure import latencies, making, services
from measure.process import wait_until
from measure.text import Trouble
from measure.workloads import Faulty

STEP = {"target": 30, "load": 30, "requests": 1000, "errors": 0, "value": 0.02, "low": 0.015, "high": 0.025}
STEP |= {"mean": 0.01, "p50": 0.01, "limit": 0.05, "disturbed": False}
NONE = STEP | dict.fromkeys(("value", "low", "high", "mean", "p50"), math.nan)


FAILING = "{build}/ssrequest -q --rate {rate} -n 5 -r {seconds}s -o {records} -- false"


def step(load: float, low: float, high: float, **more: float) -> dict[str, float]:
    return STEP | {"target": load, "load": load, "value": (low + high) / 2, "low": low, "high": high} | more


def own_service(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, **keys: str) -> str:
    """A file of one's own, whose name nobody else has."""
    name = f"mine-{os.getpid()}"
    of = services.find("burn-service").keys | keys
    text = "".join(f"{key} = {value}\n" for key, value in of.items() if value)
    (tmp_path / f"{name}.service").write_text(text)
    monkeypatch.setenv("SHOWSTOPPER_SERVICES", str(tmp_path))
    return name


def scratch_of(name: str) -> list[Path]:
    return list(Path("/tmp").glob(f"showstopper-{name}-*"))


def marked(mark: str) -> list[str]:
    """Processes with that word in their environment."""

    def has(entry: Path) -> bool:
        try:
            return mark.encode() in (entry / "environ").read_bytes()
        except OSError:
            return False

    return [entry.name for entry in Path("/proc").glob("[0-9]*") if int(entry.name) != os.getpid() and has(entry)]


needs_spaces = pytest.mark.skipif(
    subprocess.run([*services.space(), "true"], capture_output=True).returncode != 0, reason="no spaces of numbers"
)


@needs_spaces
def test_a_batch_that_is_killed_leaves_nothing(tmp_path: Path, build: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if not (build / "ssrequest").exists() or "listen" not in subprocess.getoutput(f"{build}/ssburn --help"):
        pytest.skip("built without services")
    # Not a child of the server's: it would outlive that if nothing else ended it.
    name = own_service(tmp_path, monkeypatch, start="setsid sleep 600 & exec {build}/ssburn --listen unix:socket")
    mark = f"LATENCY_TEST_{os.getpid()}"
    # A copy has a lock of its own.
    for folder in ("measure", "experiments", "python"):
        shutil.copytree(ROOT / "tools" / folder, tmp_path / "tools" / folder)
    batch, words = tmp_path / "batch", f"-F -B {build} -s {name} --schemes machine -l 0,40 -t 60".split()
    script = [sys.executable, "-B", str(tmp_path / "tools/experiments/latency"), *words, "-o", str(batch)]
    process = subprocess.Popen(script, env=os.environ | {mark: "1"}, stdout=subprocess.DEVNULL, start_new_session=True)
    try:
        assert wait_until(lambda: any((batch / "runs").glob("*.part/log.csv")), 30)
        assert wait_until(lambda: bool(marked(mark)) and bool(scratch_of(name)), 10)
        assert (batch / "options.tsv").read_text() == "targets\t['0', '40']\n"
        assert any(b"sleep\x00600" in Path(f"/proc/{number}/cmdline").read_bytes() for number in marked(mark))
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait()
    assert wait_until(lambda: not marked(mark) and not scratch_of(name), 15), marked(mark) + [str(scratch_of(name))]


@needs_spaces
@pytest.mark.parametrize(
    "keys, why",
    [
        ({"start": "echo no port is free >&2; exit 1"}, "ended before it was ready: no port is free; its start and ready"),
        ({"start": "sleep 60", "client": FAILING, "ready": "true"}, "all requests of its client failed"),
        ({"start": "sleep 60", "client": "true {records} {rate} {seconds}", "ready": "true"}, "recorded no request"),
    ],
)  # fmt: skip
def test_what_is_wrong_with_a_service_is_said_at_once(
    keys: dict[str, str], why: str, tmp_path: Path, build: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = own_service(tmp_path, monkeypatch, **keys)
    with pytest.raises(Trouble, match=why):
        services.check(services.find(name), build)
    assert scratch_of(name) == []


def test_files_of_services(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert {"burn-service", "nginx", "postgresql", "memcached"} <= set(services.names())
    for name in services.names():
        services.find(name)
    assert services.find("burn-service").workers == 1
    wiki = services.find("mediawiki")
    php = (wiki.file.parent / "mediawiki/php-fpm.conf").read_text()
    assert f"pm.max_children = {wiki.workers}\n" in php
    name = own_service(tmp_path, monkeypatch, rate="many", client="true", workers="0")
    with pytest.raises(Faulty) as fault:
        services.find(name)
    said = str(fault.value)
    assert 'rate: found "many", expected requests per second' in said
    assert "client: expected {records} in it" in said
    assert 'workers: found "0", expected how many requests it works on at a time' in said
    with pytest.raises(Trouble, match="there is no service 'x'"):
        services.find("x")


def test_between_which_loads_a_limit_is_crossed() -> None:
    def said(*steps: dict[str, float]) -> str:
        return latencies.crossing_said(pd.DataFrame(steps), "p99=50ms", "of the machine")

    kept, unclear, left = step(30, 0.02, 0.04), step(50, 0.04, 0.06), step(70, 0.06, 0.09)
    assert said(left, kept, unclear) == "leaves p99=50ms at a load of 50 % ± 20 % of the machine"
    assert "keeps p99=50ms up to a load of 30 % of the machine, and isn't seen" in said(kept, unclear)
    assert "is beyond p99=50ms at a load of 70 %" in said(unclear, left)
    assert "can't be said" in said(unclear)
    # Failed requests have no response time.
    assert "at a load of 40 % ± 10 %" in said(kept, step(50, 0.02, 0.04, errors=11), left)
    assert "at a load of 60 % ± 10 %" in said(step(50, 0.02, 0.04, errors=10), left)


def test_repeats_of_a_step(build: Path) -> None:
    found = pooled(step(30, 0.01, 0.03), step(60, 0.01, 0.03), STEP | {"value": 0.04, "disturbed": True})
    assert [one["target"] for one in found] == [30, 60]
    # By hand: 0.02 and 0.04 have the mean 0.03, and half of the interval is 12.706 times 0.01.
    assert found[0]["value"] == pytest.approx(0.03) and found[0]["high"] == pytest.approx(0.03 + 0.12706, abs=1e-5)
    assert found[0]["low"] == 0 and found[0]["disturbed"] and found[0]["requests"] == 2000 and not found[1]["disturbed"]


def pooled(*steps: dict[str, float]) -> list[dict[str, float]]:
    found: list[dict[str, float]] = latencies.pooled(pd.DataFrame(steps)).to_dict("records")
    return found


def test_a_repeat_of_too_few_requests_has_no_time_that_counts(build: Path) -> None:
    none = NONE | {"requests": 9, "errors": 1}
    [found] = pooled(none, STEP, STEP | {"value": 0.04, "mean": 0.03, "p50": 0.02})
    assert (found["requests"], found["errors"]) == (2009, 1)
    assert found["mean"] == pytest.approx(0.02) and found["p50"] == pytest.approx(0.015)
    assert pooled(none, STEP)[0]["value"] == STEP["value"]


def test_of_one_of_several_there_is_no_interval_over_them(build: Path) -> None:
    [alone] = pooled(NONE, STEP)
    assert alone["value"] == STEP["value"]
    said = latencies.crossing_said(pd.DataFrame([alone]), "p99=50ms", "of it")
    assert said == "can't be said to keep or to leave p99=50ms at any load of it"
    assert "keeps" in latencies.crossing_said(pd.DataFrame(pooled(STEP)), "p99=50ms", "of it")


@needs_spaces
@pytest.mark.parametrize("end, why", [("exit 3", "ended with status 3: broken"), ("true", "")])
def test_a_client_that_fails_is_a_fault(
    end: str, why: str, tmp_path: Path, build: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    keys = {
        "start": "exec sleep 60",
        "ready": "true",
        "client": f"echo broken; : {{records}} {{rate}} {{seconds}}; {end}",
    }
    name = own_service(tmp_path, monkeypatch, **keys)
    started = services.Started(services.find(name), build, tmp_path / "said")
    with started:
        client = services.Client(started, tmp_path / "requests.csv", tmp_path / "client.txt", 0, 1, "5", "even", 1)
        with client:
            assert client.fault() == (why and f"client of {name} {why}")
        assert started.fault() == ""
        assert started.process
        started.process.kill()
        assert wait_until(lambda: bool(started.fault()), 5)
        assert making.look_at([started], tmp_path) == 1
    assert (tmp_path / "messages.txt").read_text() == f"{name} ended before the run did\n"


def test_memcached_that_ends_answers_nothing(tmp_path: Path) -> None:
    """After the answer to set and one to get."""
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(tmp_path / "socket"))
        server.listen()
        client = str(ROOT / "tools/experiments/services/memcached-client")
        words = [
            sys.executable,
            "-B",
            client,
            str(tmp_path / "socket"),
            "20",
            "even",
            "1",
            "1",
            str(tmp_path / "x.csv"),
        ]
        process = subprocess.Popen(words)
        server.settimeout(10)
        connection, _ = server.accept()
        connection.settimeout(10)
        with connection, connection.makefile("rb") as asked:
            assert asked.readline() == b"set key 0 0 4096\r\n" and len(asked.readline()) == 4098
            connection.sendall(b"STORED\r\n")
            assert asked.readline() == b"get key\r\n"
            connection.sendall(b"VALUE key 0 4\r\nxxxx\r\nEND\r\n")
        assert process.wait(20) == 0
    outcomes = [line.split(",")[8] for line in (tmp_path / "x.csv").read_text().splitlines()[1:]]
    assert len(outcomes) >= 18 and outcomes[0] == "good" and set(outcomes[1:]) == {"failed"}


def test_a_search_ends_where_the_theory_has_the_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    latency = program("experiments/latency")
    words = "-s burn-service --find p99=50ms --load-of service --within 2".split()
    own = latency.Latency(words)
    own.output, own.processors = tmp_path, 2
    own.settings()

    def served(_part: object) -> dict[object, pd.DataFrame]:
        """As M/M/1 has it: the time is distributed exponentially, with the mean 5 ms / (1 - load)."""
        cell = next(own.all_cells())
        loads = own.levels_of(cell)
        steps = (step(load, 0, 2 * 0.005 * math.log(100) / (1 - load / 100)) for load in map(float, loads))
        return {cell: pd.DataFrame(steps)}

    monkeypatch.setattr(own, "steps_of", served)
    asked = [own.own_rate(own.cells[run.series], run) for run in own.list_runs("native")]
    assert asked == ["20", "180"]
    while own.search(None):
        names = [run.label for run in own.list_runs("native")]
        (tmp_path / "runs.tsv").write_text("".join(f"{name}\tburn-single\n" for name in names))
    assert len(names) == 8
    bounds = latencies.bounds(next(iter(served(None).values())))
    # 5 ms * ln 100 / (1 - load) = 50 ms
    assert bounds and bounds[0] < 100 * (1 - math.log(100) / 10) < bounds[1] and bounds[1] - bounds[0] <= 2
    # What goes on knows what was searched.
    again = latency.Latency(words)
    again.output, again.processors = tmp_path, 2
    again.settings()
    assert [run.label for run in again.list_runs("native")] == names


@pytest.mark.parametrize(
    "quanta, expected",
    [
        (
            "--quanta 5ms",
            ["-a signals -D quantum=5ms,least=0", "-a freezer -D quantum=5ms,least=0", "-a quota -A period=5ms"],
        ),
        ("", ["-a signals", "-a freezer", "-a quota"]),
    ],
)
def test_duty_cycles_are_as_long_as_asked(quanta: str, expected: list[str], tmp_path: Path) -> None:
    """The quota has periods and no epochs; short epochs would be doubled."""
    words = f"-s burn-service --schemes machine --by signals,freezer,quota --instances 1 {quanta}".split()
    own = program("experiments/latency").Latency(words)
    own.output, own.processors = tmp_path, 2
    own.settings()
    cells = list(own.all_cells())
    assert [" ".join(own.words_of(cell, "-T x")) for cell in cells] == [
        f"-T x {options} --log-interval 100ms" for options in expected
    ]
    assert [cell.quantum for cell in cells] == (["5ms"] * 3 if quanta else ["83ms", "83ms", "20ms"])


@pytest.mark.parametrize(
    "words, why",
    [
        ("--load-of service", "expected --find with them"),
        ("--find p99=50ms --load-of service -s nginx", "nginx: how long a request takes"),
        ("--find p99=50", "'p99=50' is no limit such as p99=50ms"),
        ("--held-by attach", "expected --held with it"),
        ("--quanta 83", "'83' is no time such as 83ms"),
        ("--targets 40,20", "expected loads that rise"),
    ],
)
def test_what_is_refused(words: str, why: str, tmp_path: Path) -> None:
    with pytest.raises(Trouble, match=why):
        own = program("experiments/latency").Latency(words.split())
        own.output, own.processors = tmp_path, 2
        own.settings()
