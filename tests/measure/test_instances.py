# SPDX-License-Identifier: MIT
"""Instances of a service behind HAProxy: their processors and limits, what they answer, and that nothing of them is left."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import ROOT, program
from measure import instances, services
from measure.environments import group_folders, hierarchy
from measure.environments.lxc import Lxc
from measure.instances import Instances, Share, places
from measure.process import has_program, wait_until
from measure.text import Trouble, read_csv
from test_latency import own_service, scratch_of

served = pytest.mark.skipif(
    not has_program("haproxy") or subprocess.run([*services.space(), "true"], capture_output=True).returncode != 0,
    reason="no haproxy, or no spaces of numbers",
)
limits = pytest.mark.skipif(not hierarchy("cpu"), reason="no control groups")
contained = pytest.mark.skipif(bool(Lxc.missing()), reason="no containers")
KINDS = ["native", pytest.param("lxc", marks=contained)]


def groups_of(name: str) -> list[Path]:
    of = hierarchy("cpu")
    return (
        [path for before in ("", "lxc.payload.") for path in of.at.glob(f"{before}showstopper-{name}-*")] if of else []
    )


def test_processors_of_instances() -> None:
    eight = range(8)
    assert places("pinned", 3, of=eight) == ["0", "1", "2"]
    assert places("pinned", 2, 3, eight) == ["0,1,2", "3,4,5"]
    assert places("spread", 2, of=eight) == ["0", "4"]
    assert places("spread", 3, 2, eight) == ["0,1", "2,3", "4,5"]
    assert places("free", 2, of=[4, 6]) == ["4,6", "4,6"]
    # Of two processors, the third instance has the first one again.
    assert places("pinned", 3, of=[2, 5]) == places("spread", 3, of=[2, 5]) == ["2", "5", "2"]
    with pytest.raises(Trouble, match="an instance of 3 processors: found 2"):
        places("free", 1, 3, [0, 1])


def test_what_instances_work_on_is_beside_the_limit() -> None:
    """So that a limit of none is what saturates them, also where one works on several requests at a time."""
    own = program("experiments/scaling").Scaling("-s mediawiki --figures limit --instances 2 --limits 0,25".split())
    own.settings()
    assert [own.unanswered(cell) for cell in own.limit_cells("free", "even")] == [2 * 8, 2 * (8 + 25)]


@served
@limits
def test_instances_share_what_is_asked(tmp_path: Path, build: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    name = own_service(tmp_path, monkeypatch)
    given = next(iter(os.sched_getaffinity(0)))
    shares = [Share(str(given), 0.25), Share()]
    counted = tmp_path / "haproxy.csv"
    behind = Instances(services.find(name), build, tmp_path / "said", shares, statistics=counted)
    with behind:
        first, second = behind.servers
        inside = int(first.first())
        assert os.sched_getaffinity(inside) == {given}
        assert quota_of(first.group) == "25000"
        assert not group_folders(second.group)
        client = services.Client(
            behind, tmp_path / "requests.csv", tmp_path / "said", 0, 1, "40", "even", 1, ["-n", "8"]
        )
        with client:
            assert client.process and client.process.wait(20) == 0
    assert [(row["svname"], row["stot"], row["hrsp_2xx"]) for row in read_csv(counted)] == [
        ("s1", "4", "4"),
        ("s2", "4", "4"),
    ]
    assert wait_until(lambda: not scratch_of(name) and not groups_of(name), 5)
    assert not Path(behind.scratch).exists()


@served
@limits
@contained
def test_instances_in_containers(tmp_path: Path, build: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    name = own_service(tmp_path, monkeypatch)
    behind = Instances(services.find(name), build, tmp_path / "said", [Share(quota=0.5), Share()], kind="lxc")
    with behind:
        first = behind.servers[0]
        inside = Path("/proc", (hierarchy_of("cpu") / first.group / "cgroup.procs").read_text().split()[0])
        assert quota_of(first.group) == "50000"
        # No network but its own, and no file of this system that it could write.
        assert os.readlink(inside / "ns/net") != os.readlink("/proc/self/ns/net")
        assert " / / ro" in "".join(
            line for line in (inside / "mountinfo").read_text().splitlines(True) if " / / " in line
        )
        client = services.Client(
            behind, tmp_path / "requests.csv", tmp_path / "said", 0, 1, "40", "even", 1, ["-n", "8"]
        )
        with client:
            assert client.process and client.process.wait(20) == 0
    assert wait_until(lambda: not scratch_of(name) and not groups_of(name), 10)


def hierarchy_of(controller: str) -> Path:
    of = hierarchy(controller)
    assert of
    return of.at


def quota_of(name: str) -> str:
    file = "cpu.max" if (hierarchy_of("cpu") / name / "cpu.max").exists() else "cpu.cfs_quota_us"
    return (hierarchy_of("cpu") / name / file).read_text().split()[0]


KILLED = """
import sys, time
from pathlib import Path
sys.path.insert(0, sys.argv[1])
from measure import services
from measure.instances import Instances, Share
behind = Instances(services.find(sys.argv[3]), Path(sys.argv[2]), Path(sys.argv[4]), [Share(quota=0.5)] * 2, kind=sys.argv[5])
print(behind.scratch, flush=True)
with behind:
    print("up", flush=True)
    time.sleep(60)
"""


@served
@limits
@pytest.mark.parametrize("when", ["it comes up", "it is up"])
@pytest.mark.parametrize("kind", KINDS)
def test_what_is_killed_leaves_nothing(
    kind: str, when: str, tmp_path: Path, build: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = own_service(tmp_path, monkeypatch)
    words = [sys.executable, "-B", "-c", KILLED, str(ROOT / "tools"), str(build), name, str(tmp_path / "said"), kind]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        front = Path(process.stdout.readline().strip())
        if when == "it is up":
            assert process.stdout.readline() == "up\n"
            assert front.is_dir()
        assert wait_until(lambda: len(groups_of(name)) == 2, 10, 0.01)
        process.send_signal(signal.SIGKILL)
    assert wait_until(lambda: not scratch_of(name) and not groups_of(name) and not front.exists(), 15)


@limits
def test_a_run_by_quota_leaves_a_group_alone_that_is_not_in_use_yet(
    tmp_path: Path, build: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It removes empty ones that are called as those of runs, which a killed one may have left."""
    service = services.find(own_service(tmp_path, monkeypatch))
    group = hierarchy_of("cpu") / instances.Instance(service, build, tmp_path / "said", Share(quota=0.5), 1).group
    group.mkdir()
    try:
        by_quota = [str(build / "showstopper"), "-q", "-a", "quota", "-T", "50%", "-r", "1s", "sleep", "9"]
        if subprocess.run([*by_quota[:-2], "--dry-run", "true"], capture_output=True).returncode != 0:
            pytest.skip("no workload can be held by quota")
        assert subprocess.run(by_quota).returncode == 0
        assert group.is_dir()
    finally:
        if group.is_dir():
            group.rmdir()


@served
def test_what_is_wrong_with_instances_is_said_at_once(
    tmp_path: Path, build: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = own_service(tmp_path, monkeypatch, start="exec sleep 60", ready="true")
    service = services.find(name)
    with pytest.raises(Trouble, match=f"service {name}: it made no `socket`"):
        instances.check(service, build, [Share()])
    assert not scratch_of(name)
    with pytest.raises(Trouble, match="balance 'random': expected one of roundrobin leastconn"):
        Instances(service, build, tmp_path / "said", [Share()], "random")
    with pytest.raises(Trouble, match="9 instances: expected 1 to 8"):
        Instances(service, build, tmp_path / "said", [Share()] * 9)
    monkeypatch.setattr(instances, "has_program", lambda name: False)
    with pytest.raises(Trouble, match="missing: haproxy; tools/setup experiments installs it"):
        instances.check(service, build, [Share()])
