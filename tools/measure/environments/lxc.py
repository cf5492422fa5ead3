# SPDX-License-Identifier: MIT
"""Containers of LXC, without an image: they see the host's files, which they can't write."""

import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from measure.environments import Environment, Hierarchy, Process, Side, group_folders, hierarchy, remove_group
from measure.process import has_program, start
from measure.text import Trouble, lines_of

# Of all containers. A /tmp of its own, in which the folders that it is to see are put back.
ALL = """\
lxc.rootfs.path = dir:/
lxc.rootfs.options = ro
lxc.mount.auto = proc:rw sys:ro cgroup:ro:force
lxc.mount.entry = tmpfs tmp tmpfs rw,nosuid,nodev,mode=1777 0 0
lxc.mount.entry = tmpfs dev/shm tmpfs rw,nosuid,nodev,mode=1777,create=dir 0 0
lxc.net.0.type = empty
lxc.tty.max = 0
lxc.pty.max = 16
lxc.console.path = none
lxc.apparmor.profile = unconfined
"""
INSIDE = Path(__file__).with_name("inside.py")


def setting(found: Hierarchy, file: str, text: str) -> str:
    return f"lxc.cgroup{'' if found.version == 1 else '2'}.{file} = {text}"


def mount(folder: str, option: str) -> str:
    # Blanks in names are written as in /etc/fstab.
    name = folder.lstrip("/").replace("\\", "\\134").replace(" ", "\\040").replace("\t", "\\011")
    return f"lxc.mount.entry = /{name} {name} none rbind,{option},create=dir 0 0"


class Lxc(Environment):
    name, patience = "lxc", 3

    @classmethod
    def missing(cls) -> list[str]:
        lacking = [] if has_program("lxc-execute") else ["the package lxc (tools/setup experiments installs it)"]
        lacking += [] if os.geteuid() == 0 else ["the rights of root"]
        return lacking + ([] if hierarchy("cpuacct") or hierarchy("cpu") else ["control groups that can be made"])

    def processors(self, side: Side) -> Iterator[str]:
        if side.processors == "all":
            return
        if found := hierarchy("cpuset"):
            yield setting(found, "cpuset.cpus", side.processors)
        else:
            why = "as control groups of processors can't be had here"
            self.note(f"Containers were bound to their processors by affinity, {why}.")

    def quota(self, side: Side) -> Iterator[str]:
        if side.quota == "-":
            return
        found = hierarchy("cpu")
        if not found:
            raise Trouble(
                "containers that have no processors of their own need control groups with quotas, which can't be had here"
            )
        yield from (setting(found, *file) for file in found.quota(side.quota_us).items())
        self.note(f"Each container could use {side.quota} processors at a time, by a quota.")

    def make(self, side: Side) -> None:
        seen = [mount(folder, "ro") for folder in lines_of(self.run / "visible")]
        own = [mount(str(side.folder), "rw"), f"lxc.uts.name = {side.name}", *self.processors(side), *self.quota(side)]
        (side.folder / "lxc.conf").write_text(ALL + "".join(f"{line}\n" for line in [*seen, *own]))

    def start(self, side: Side) -> Process:
        # LXC kills what is in a container when its monitor dies, which is this process.
        words: list[str | Path] = ["taskset", "-c", side.processors] if side.processors != "all" else []
        words += ["lxc-execute", "-n", side.called, "-P", side.folder, "-f", side.folder / "lxc.conf"]
        words += ["-o", side.folder / "lxc.log", "-l", "WARN", "--", "/usr/bin/python3", "-B", INSIDE, side.folder]
        with (side.folder / "messages.txt").open("wb") as messages:
            return start(words, stdout=messages, stderr=messages, bind="KILL")

    def ready(self, side: Side, process: Process) -> None:
        # Where the kernel shares out real time, too, showstopper gets some, unless others have it all. It starts later.
        found = hierarchy("cpu")
        file = found.at / f"lxc.payload.{side.called}/cpu.rt_runtime_us" if found else None
        if not file or not file.exists():
            return
        try:
            file.write_text("150000")
        except OSError:
            why = "as other control groups have all real time"
            self.note(f"In some containers showstopper had no real-time priority, {why}.")

    def remove(self, side: Side) -> None:
        remove_group(f"lxc.payload.{side.called}")
        remove_group(f"lxc.monitor.{side.called}")
        # Where LXC puts itself to remove the others.
        for group in group_folders("lxc.pivot"):
            with suppress(OSError):
                group.rmdir()
