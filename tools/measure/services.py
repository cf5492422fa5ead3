# SPDX-License-Identifier: MIT
"""The catalogue of services: files NAME.service, what they say, and how one is started, asked and ended. A service, and each client of one, has a space of
process numbers of its own, which the kernel empties with its first process; so nothing is left of them, whatever becomes of this program."""

import os
import re
import shutil
import subprocess
import tempfile
import time
import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Protocol

from measure import workloads
from measure.environments import mounted
from measure.helpers import Helper
from measure.machine import EXPERIMENTS, ROOT
from measure.options import like
from measure.process import attempt, start, wait_until
from measure.text import Trouble, first_line, in_seconds, lines_of, listed, quoted, quoted_words, refuse
from measure.workloads import TIME, Faulty, has_package, read_keys

OURS = EXPERIMENTS / "services"
KEYS = "summary start ready client rate limit work workers needs prepare".split()
PATIENCE = 60  # seconds until a service is ready
UNIT = "(ns|us|ms|s)"
# Runs are called by it.
service_name = like(re.compile("[^/_]+").fullmatch, "no name without / and _")
LIMIT = rf"(mean|p50|p90|p95|p99|p99\.9|max)={TIME}{UNIT}"
RULES = {
    "rate": (r"[1-9][0-9]*(\.[0-9]+)?", "requests per second, such as 60"),
    "limit": (LIMIT, "one limit of response times, such as p99=50ms"),
    "work": (rf"{TIME}{UNIT}", "the processor time of a request, such as 5ms, of a service that serves one at a time"),
    "workers": (r"[1-9][0-9]{0,3}", "how many requests it works on at a time, from 1 to 9999"),
    "needs": workloads.RULES["needs"],
}
# The first process of the space is killed and waited for, which takes all others with it; only then is the scratch folder removed. Folder and groups are
# made only when a signal removes them.
AROUND = """\
over() {
	# A signal may have come before it had a name.
	inside=${inside:-$!}
	if [ -n "$inside" ]; then
		first=$(cat "/proc/$inside/task/$inside/children" 2>/dev/null)
		# LXC may wait for ever for a container that is killed while it is made.
		[ -n "$first" ] && [ -z "$container" ] || first="$first $inside"
		kill -KILL $first 2>/dev/null
		wait "$inside"
	fi
	[ -z "$scratch" ] || rm -rf "$scratch"
	# What was forked at the last moment is killed with its parent, which is not waited for.
	for group in $groups; do
		for look in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
			[ -d "$group" ] || break
			rmdir "$group" 2>/dev/null || sleep 0.1
		done
	done
	[ -z "$container" ] || remove_container
}
# The groups of LXC, innermost first, as soon as nothing is in them.
remove_container() {
	for look in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
		find /sys/fs/cgroup -depth -type d \\( -path "*/lxc.payload.$container*" -o -path "*/lxc.monitor.$container*" \\) -exec rmdir {} + 2>/dev/null
		[ -n "$(find /sys/fs/cgroup -type d -name "lxc.*.$container" -print -quit)" ] || return
		sleep 0.1
	done
}
scratch=$1 groups=$2 container=$3 inside=
shift 3
trap 'over; exit 143' TERM INT HUP
[ -z "$scratch" ] || mkdir -m 700 "$scratch" || exit
[ -z "$groups" ] || mkdir $groups || {
	rm -rf "$scratch"
	exit 1
}
sh -c 'for group in $0; do echo $$ >"$group/cgroup.procs" || exit; done; exec "$@"' "$groups" "$@" &
inside=$!
wait "$inside"
status=$?
over
exit $status
"""


def space() -> list[str]:
    """The words before a command that is to have a space of process numbers of its own; without root it takes a space of users, too."""
    user = [] if os.geteuid() == 0 else ["--user", "--map-current-user"]
    return [
        *"setpriv --pdeathsig KILL unshare".split(),
        *user,
        *"--pid --ipc --fork --kill-child=KILL --mount-proc".split(),
    ]


def in_container(name: str, config: str, scratch: str) -> list[str]:
    """The words before a command that is to be in a container, whose processes end with that of LXC here."""
    write = 'printf %s "$1" >"$2/lxc.conf" || exit; cd / && shift 2 && exec "$@"'
    files = ["-P", scratch, "-f", f"{scratch}/lxc.conf", "-o", f"{scratch}/lxc.log", "-l", "WARN"]
    inside = ["setpriv", "--pdeathsig", "KILL", "lxc-execute", "-n", name, *files, "--"]
    return ["sh", "-c", write, name, config, scratch, *inside]


class Contained(Helper):
    """A command of the shell in a space of its own, which ends with this process: also when that is killed, and with its group."""

    def __init__(self, line: str, said: Path, name: str, scratch: str = "", groups: str = "", before: tuple[str, ...] = (), container: str = "",
                 config: str = "") -> None:  # fmt: skip
        """In a container of that name with that configuration of LXC, or in a space of process numbers."""
        words = ["setsid", "sh", "-c", AROUND, name, scratch, groups, container]
        inside = in_container(container, config, scratch) if container else space()
        super().__init__(*words, *inside, *before, "sh", "-c", line, name=name)
        self.said, self.scratch = said, scratch

    def start(self) -> Helper:
        with self.said.open("ab") as to:
            self.process = start(self.words, stdout=to, stderr=to)
        return self

    def is_ready(self, service: "Service", build: Path, patience: float) -> bool:
        """Whether the health check of a service, whose socket is in its scratch folder, succeeds in time."""
        check = ["sh", "-c", f"cd {self.scratch} && {service.line('ready', build, self.scratch)}"]
        return wait_until(lambda: not self.is_alive() or attempt(check).returncode == 0, patience) and self.is_alive()

    def said_last(self) -> str:
        return next(reversed([line for line in lines_of(self.said) if line.strip()]), "it said nothing")


def children(of: int | str) -> list[str]:
    return first_line(Path(f"/proc/{of}/task/{of}/children")).split()


@dataclass(frozen=True)
class Service:
    name: str
    file: Path
    keys: dict[str, str]

    def missing(self) -> list[str]:
        return [package for package in self.keys["needs"].split() if not has_package(package)]

    @cached_property
    def work_s(self) -> float:
        """Processor time of a request; 0 where that isn't known."""
        return in_seconds(self.keys["work"])

    @property
    def workers(self) -> int:
        """How many requests it works on at a time."""
        return int(self.keys["workers"] or 1)

    @property
    def cache(self) -> Path:
        """What `prepare` makes: each start copies that."""
        return Path(os.environ.get("SHOWSTOPPER_SERVICES_CACHE") or ROOT / ".cache/services") / self.name

    def line(self, key: str, build: Path, scratch: str, **more: object) -> str:
        line = self.keys[key]
        words = {"build": build, "scratch": scratch, "here": self.file.parent, "cache": self.cache, **more}
        for word, value in words.items():
            line = line.replace(f"{{{word}}}", quoted(str(value)))
        return line


def groups_called(name: str) -> str:
    """The control groups of that name that an actuator needs, where they can be made; empty where they can't."""
    kinds = [(at, options.split(",")) for kind, at, options in mounted() if kind == "cgroup"]
    first = [at for at, options in kinds if set(options) & {"cpu", "cpuacct", "freezer"}]
    of = first or [at for kind, at, _ in mounted() if kind == "cgroup2"]
    return " ".join(f"{at}/{name}" for at in of) if of and all(os.access(at, os.W_OK) for at in of) else ""


class Served(Protocol):
    """What a client asks: a service, or several of it behind one socket."""

    service: Service
    build: Path
    scratch: str
    name: str


def scratch_of(name: str) -> str:
    """A folder that isn't there yet: what is begun in it makes and removes it."""
    return f"/tmp/showstopper-{name}-{uuid.uuid4().hex[:8]}"


class Started(Contained):
    """A service that runs, in a scratch folder of its own, and if asked for in the control groups that `groups` makes of that folder's name. It is ready when
    its health check says so."""

    def __init__(self, service: Service, build: Path, said: Path, processors: str = "", groups: Callable[[str], str] | None = None, seed: int = 1,
                 container: Callable[[str], str] | None = None) -> None:  # fmt: skip
        """`container` makes the configuration of LXC of the scratch folder."""
        self.service, self.build = service, build
        self.scratch = scratch_of(service.name)
        place = ("taskset", "-c", processors) if processors else ()
        line = service.line("start", build, self.scratch, seed=seed)
        called = Path(self.scratch).name
        self.group = f"lxc.payload.{called}" if container else called
        made = groups(self.group) if groups and not container else ""
        config = container(self.scratch) if container else ""
        super().__init__(f"cd {self.scratch} || exit; {line}", said, service.name, self.scratch, made, place, called if container else "", config)  # fmt: skip

    def start(self) -> Helper:
        self.begin()
        self.come_up()
        return self

    def begin(self) -> None:
        """Without waiting for it, so that several come up at a time."""
        super().start()

    def come_up(self) -> None:
        try:
            if not self.is_ready(self.service, self.build, PATIENCE):
                why = f"didn't come up within {PATIENCE} s" if self.is_alive() else "ended before it was ready"
                raise Trouble(
                    f"service {self.name} {why}: {self.said_last()}; its start and ready are in {self.service.file}"
                )
        except BaseException:
            self.end()
            raise

    def first(self) -> str:
        """The number, out here, of the first process of its space."""
        assert self.process
        inside = children(self.process.pid)
        return next((number for of in inside for number in children(of)), "")

    def end(self) -> None:
        super().end()
        shutil.rmtree(self.scratch, ignore_errors=True)


class Client(Contained):
    """Sends requests to a service that runs, and has the time to wait for the last answers."""

    def __init__(self, of: Served, records: Path, said: Path, delay: float, seconds: float, rate: str, arrivals: str, seed: int,
                 more: Sequence[str] = (), trace: Sequence[str] = ()) -> None:  # fmt: skip
        """`more`: options of ssrequest, for clients that are that; `trace`: those that stand in place of --rate."""
        takes = "{more}" in of.service.keys["client"] and (not trace or "--rate {rate}" in of.service.keys["client"])
        refuse((more or trace) and not takes, f"service {of.name}: its client takes no {quoted_words([*more, *trace])}")
        line = of.service.line("client", of.build, of.scratch, records=records, seconds=int(seconds), rate=rate, arrivals=arrivals, seed=seed).replace("{more}", quoted_words(more))  # fmt: skip
        if trace:
            line = line.replace(f"--rate {quoted(rate)}", quoted_words(trace))
        super().__init__(f"sleep {delay:g}; cd {of.scratch} && {line}", said, f"client of {of.name}")
        self.until = time.monotonic() + delay + seconds + 15

    def fault(self) -> str:
        """It ends by itself, when the last answers have come."""
        if self.process is None:
            return f"{self.name} was not begun"
        wait_until(lambda: not self.is_alive(), max(0.0, self.until - time.monotonic()))
        status = self.process.poll()
        if status is None:
            return f"{self.name} didn't end: {self.said_last()}"
        return f"{self.name} ended with status {status}: {self.said_last()}" if status else ""

    def end(self) -> None:
        if self.process is not None:
            wait_until(lambda: not self.is_alive(), max(0.0, self.until - time.monotonic()))
        super().end()


def folders() -> list[Path]:
    return [Path(place) for place in os.environ.get("SHOWSTOPPER_SERVICES", "").split(":") if place] + [OURS]


def names() -> list[str]:
    return list(dict.fromkeys(path.stem for place in folders() for path in sorted(place.glob("*.service"))))


def find(name: str) -> Service:
    for place in folders():
        if (path := place / f"{name}.service").is_file():
            found = read_keys(str(path), KEYS, RULES, KEYS[:6])
            for key, word in (("client", "records"), ("client", "rate"), ("client", "seconds")):
                if key in found.at and f"{{{word}}}" not in found.values[key]:
                    found.faults.append(f"{path}:{found.at[key]}: {key}: expected {{{word}}} in it")
            if found.faults:
                raise Faulty("\n".join(found.faults))
            return Service(name, path.resolve(), dict.fromkeys(KEYS, "") | found.values)
    raise Trouble(f"there is no service '{name}' ({' '.join(names())})")


def check_client(build: Path) -> None:
    """The generator of requests is there."""
    refuse(not (build / "ssrequest").exists(), f"{build}/ssrequest isn't there: tools/setup demo, build anew")


def check(service: Service, build: Path) -> None:
    """Starts it once and asks it for a second: what is wrong is said before the first run."""
    prepare(service, build)
    try_once(lambda said: Started(service, build, said))


def try_once(made: Callable[[Path], Any]) -> None:
    """Starts what is made, which is Served and says what it has to say into that file, and asks it for a second."""
    with tempfile.TemporaryDirectory() as folder:
        with made(Path(folder) / "said") as served:
            ask_once(served, Path(folder))


def prepare(service: Service, build: Path) -> None:
    """What each start needs is there, or one message says what isn't."""
    refuse(subprocess.run([*space(), "true"], capture_output=True).returncode,
           "a service needs a space of process numbers of its own: run this as root, or permit user namespaces")  # fmt: skip
    if lacking := service.missing():
        raise Trouble(f"service {service.name}: missing: {listed(lacking)}; tools/setup experiments installs it")
    if not service.keys["prepare"]:
        return
    if not service.cache.exists():
        print(f"making in {service.cache} what service {service.name} needs, once")
    with tempfile.TemporaryDirectory() as folder:
        scratch, said = scratch_of(service.name), Path(folder) / "said"
        line = f"cd {scratch} || exit; {service.line('prepare', build, scratch)}"
        making = Contained(line, said, service.name, scratch)
        with making:
            assert making.process
            status = making.process.wait()
        refuse(
            status, f"service {service.name} can't be prepared: {making.said_last()}; its prepare is in {service.file}"
        )


def ask_once(of: Served, folder: Path) -> None:
    """Its client asks for a second, and writes into the folder."""
    said, records = folder / "said", folder / "requests.csv"
    client = Client(of, records, said, 0, 1, of.service.keys["rate"], "poisson", 1)
    with client:
        assert client.process
        client.process.wait(30)
    if len(lines_of(records)) < 2:
        raise Trouble(f"service {of.name}: its client recorded no request: {client.said_last()}")
    from showstopper.latency import latency

    row = latency(records).iloc[0]
    why = "all requests of its client failed, by what this recorded"
    refuse(row["errors"] == row["requests"], f"service {of.name}: {why}")
