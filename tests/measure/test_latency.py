# SPDX-License-Identifier: MIT
"""Services, and what of a batch of tools/experiments/latency is left when it is killed; between which loads a limit is crossed."""

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from conftest import ROOT
from measure import latencies, services
from measure.latencies import Step
from measure.process import wait_until
from measure.text import Trouble
from measure.workloads import Faulty

STEP = Step(30, 30, 1000, 0, 0.02, 0.015, 0.025, 0.01, 0.01, 0.05, False)


def step(load: float, low: float, high: float, **more: float) -> Step:
    return replace(STEP, target=load, load=load, value=(low + high) / 2, low=low, high=high, **more)


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
    for folder in ("measure", "experiments"):
        shutil.copytree(ROOT / "tools" / folder, tmp_path / "tools" / folder)
    batch, words = tmp_path / "batch", f"-F -B {build} -s {name} --schemes machine -l 0,40 -t 60".split()
    script = [sys.executable, "-B", str(tmp_path / "tools/experiments/latency"), *words, "-o", str(batch)]
    process = subprocess.Popen(script, env=os.environ | {mark: "1"}, stdout=subprocess.DEVNULL, start_new_session=True)
    try:
        assert wait_until(lambda: any((batch / "runs").glob("*.part/log.csv")), 30)
        assert wait_until(lambda: bool(marked(mark)) and bool(scratch_of(name)), 10)
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
    name = own_service(tmp_path, monkeypatch, rate="many", client="true")
    with pytest.raises(Faulty) as fault:
        services.find(name)
    said = str(fault.value)
    assert 'rate: found "many", expected requests per second' in said
    assert "client: expected {records} in it" in said
    with pytest.raises(Trouble, match="there is no service 'x'"):
        services.find("x")


def test_between_which_loads_a_limit_is_crossed() -> None:
    def said(*steps: Step) -> str:
        return latencies.crossing(steps, 0.05).said("p99=50ms", "of the machine")

    kept, unclear, left = step(30, 0.02, 0.04), step(50, 0.04, 0.06), step(70, 0.06, 0.09)
    assert said(left, kept, unclear) == "leaves p99=50ms at a load of 50 % ± 20 % of the machine"
    assert "keeps p99=50ms up to a load of 30 % of the machine, and isn't seen" in said(kept, unclear)
    assert "is beyond p99=50ms at a load of 70 %" in said(unclear, left)
    assert "can't be said" in said(unclear)
    # Failed requests have no response time.
    assert "at a load of 40 % ± 10 %" in said(kept, step(50, 0.02, 0.04, errors=11), left)
    assert "at a load of 60 % ± 10 %" in said(step(50, 0.02, 0.04, errors=10), left)


def test_repeats_of_a_step(build: Path) -> None:
    pooled: Callable[..., list[Step]] = latencies.pooled
    found = pooled(build, [step(30, 0.01, 0.03), step(60, 0.01, 0.03), replace(STEP, value=0.04, disturbed=True)])
    assert [one.target for one in found] == [30, 60]
    # By hand: 0.02 and 0.04 have the mean 0.03, and half of the interval is 12.706 times 0.01.
    assert found[0].value == pytest.approx(0.03) and found[0].high == pytest.approx(0.03 + 0.12706, abs=1e-5)
    assert found[0].low == 0 and found[0].disturbed and found[0].requests == 2000 and not found[1].disturbed
