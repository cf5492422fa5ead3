# SPDX-License-Identifier: MIT
"""Several instances of a service behind HAProxy, each with processors, a quota or memory of its own. All listen on unix sockets in scratch folders. Each
instance, and HAProxy, has a space of process numbers of its own, as any service has, and ends with this program, whatever becomes of that."""

import socket
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from measure import services
from measure.environments import hierarchy, kind_of, limit
from measure.environments.lxc import ALL, mount
from measure.helpers import Helper
from measure.process import allowed_processors, has_program
from measure.services import Contained, Service, Started
from measure.text import Row, Trouble, listed, quoted, refuse, rows_of, table_text, write

MOST = 8
PLACES = "free pinned spread"
BALANCES = "roundrobin leastconn"
CONFIGURATION = """\
global
	nbthread 1
	stats socket {at}/stats level admin
defaults
	mode {mode}
	timeout connect 30s
	timeout client 60s
	timeout server 60s
	timeout queue 60s
listen {name}
	bind unix@{at}/socket
	balance {balance}
{servers}"""


@dataclass(frozen=True)
class Share:
    """What an instance may use of the machine: a list of processors, or all that this program may; so many processors at a time, or 0."""

    processors: str = ""
    quota: float = 0


def places(how: str, count: int, each: int = 1, of: Sequence[int] | None = None) -> list[str]:
    """Processors of so many instances with so many processors each, out of those that this program may use: free (all of them), pinned (the first ones, one
    instance after the other), spread (as far apart as they come). Where there are too few it begins anew."""
    given = list(of or allowed_processors())
    refuse(each > len(given), f"an instance of {each} processors: found {len(given)}")
    if how == "free":
        return [",".join(map(str, given))] * count
    step = max(each, len(given) // count) if how == "spread" else each
    return [",".join(str(given[(k * step + j) % len(given)]) for j in range(each)) for k in range(count)]


class Instance(Started):
    """Its limits hold from when it is ready: those of a processor's quarter would make its beginning long. In `lxc` it is a container with all of its servers, which
    sees the files of this system, has no network, and can write in its scratch folder alone, where its socket is."""

    def __init__(self, service: Service, build: Path, said: Path, share: Share, seed: int, kind: str = "native") -> None:  # fmt: skip
        self.share, self.groups = share, hierarchy("cpu") if share.quota else None
        why = "instances with a limit need control groups (cpu): run this as root, where they can be made"
        refuse(share.quota and not self.groups, why)
        seen = [build.resolve(), service.file.parent, service.cache]

        def container(scratch: str) -> str:
            hidden = [
                str(folder) for folder in seen if str(folder).startswith(("/tmp/", "/dev/shm/")) and folder.exists()
            ]
            mounts = [mount(scratch, "rw"), *(mount(folder, "ro") for folder in hidden)]
            return ALL + "".join(f"{line}\n" for line in [*mounts, f"lxc.uts.name = {service.name}"])

        super().__init__(service, build, said, share.processors, lambda name: f"{self.groups.at}/{name}" if self.groups else "", seed,
                         container if kind == "lxc" else None)  # fmt: skip

    def come_up(self) -> None:
        super().come_up()
        if not self.groups:
            return
        try:
            limit(self.groups, self.group, int(100000 * self.share.quota))
        except OSError as error:
            self.end()
            file = Path(error.filename).name
            raise Trouble(f"service {self.name}: can't set {file} of its control group: {error.strerror}") from error


class Front(Contained):
    """HAProxy. In its scratch folder are `socket`, and `stats`, which says what it did."""

    def __init__(self, servers: Sequence[Started], balance: str, said: Path, processors: str) -> None:
        of = servers[0]
        self.scratch = services.scratch_of("haproxy")
        lines = "".join(f"\tserver s{k} unix@{one.scratch}/socket\n" for k, one in enumerate(servers, 1))
        # By requests where these are HTTP's, else by connections.
        mode = "http" if "--unix-socket" in of.service.keys["client"] else "tcp"  # ssrequest's
        text = CONFIGURATION.format(at=self.scratch, mode=mode, name=of.name, balance=balance, servers=lines)
        line = (
            f"cd {self.scratch} || exit; printf %s {quoted(text)} >configuration; exec haproxy -q -db -f configuration"
        )
        place = ("taskset", "-c", processors) if processors else ()
        super().__init__(line, said, "haproxy", self.scratch, before=place)

    def ask(self, command: str) -> str:
        with socket.socket(socket.AF_UNIX) as asked:
            asked.settimeout(5)
            asked.connect(f"{self.scratch}/stats")
            asked.sendall(f"{command}\n".encode())
            return b"".join(iter(lambda: asked.recv(65536), b"")).decode()

    def statistics(self) -> list[Row]:
        """A row for each instance, as HAProxy names its columns: stot (sessions, of HTTP requests), rtime (ms), econ, eresp …"""
        rows = rows_of(self.ask("show stat").removeprefix("# "))
        return [row for row in rows if row["svname"] not in ("FRONTEND", "BACKEND")]


class Instances(Helper):
    """An instance for each share, with a seed of its own, and HAProxy in front on the processors `front` (or all). A client asks it as it asks one service. What
    instances say is in `said`; when all ends, what HAProxy counted for each is in `statistics`, where that is given."""

    def __init__(self, service: Service, build: Path, said: Path, shares: Sequence[Share], balance: str = "roundrobin",
                 front: str = "", seed: int = 1, statistics: Path | None = None, kind: str = "native") -> None:  # fmt: skip
        refuse(not 1 <= len(shares) <= MOST, f"{len(shares)} instances: expected 1 to {MOST}")
        refuse(balance not in BALANCES.split(), f"balance '{balance}': expected one of {BALANCES}")
        self.service, self.build, self.said, self.kept = service, build, said, statistics
        self.name = service.name
        self.servers = [Instance(service, build, said, share, MOST * seed + k, kind) for k, share in enumerate(shares)]
        self.front = Front(self.servers, balance, said, front)
        self.scratch = self.front.scratch

    def start(self) -> Helper:
        try:
            for server in self.servers:
                server.begin()
            for server in self.servers:
                server.come_up()
                has = Path(server.scratch, "socket").is_socket()
                refuse(not has, f"service {self.name}: it made no `socket` in its scratch folder, by which HAProxy could ask it")  # fmt: skip
            self.front.start()
            if not self.front.is_ready(self.service, self.build, 10):
                raise Trouble(f"HAProxy in front of {self.name} didn't come up: {self.front.said_last()}")
            self.front.ask("clear counters all")
        except BaseException:
            self.end()
            raise
        return self

    def is_alive(self) -> bool:
        return self.front.is_alive() and all(server.is_alive() for server in self.servers)

    def fault(self) -> str:
        return next(filter(None, (of.fault() for of in (*self.servers, self.front))), "")

    def end(self) -> None:
        try:
            if self.kept and self.front.is_alive():
                rows = self.front.statistics()
                write(self.kept, table_text([list(rows[0]), *(list(row.values()) for row in rows)]))
        except OSError as error:
            with self.said.open("a") as to:
                to.write(f"haproxy: no statistics: {error.strerror}\n")
        finally:
            self.front.end()
            for server in self.servers:
                server.end()


def check(service: Service, build: Path, shares: Sequence[Share], kind: str = "native") -> None:
    """Starts them once and asks for a second: what is wrong is said before the first run."""
    services.prepare(service, build)
    refuse(not has_program("haproxy"), "instances: missing: haproxy; tools/setup experiments installs it")
    lacking = kind_of(kind).missing()
    refuse(lacking, f"instances in {kind}: missing: {listed(lacking)}")
    services.try_once(lambda said: Instances(service, build, said, shares, kind=kind))
