# SPDX-License-Identifier: MIT
"""Guests of QEMU with a kernel of Debian, which see the host's files. With tests/vm they have in common how kernels are had, and whether KVM works."""

import os
import platform
import re
import shutil
from pathlib import Path

from measure.environments import Environment, Process, Side
from measure.machine import ROOT
from measure.process import has_program, output_of, processors_in, start
from measure.text import first_line, lines_of, refuse

HERE = Path(__file__).parent
# Prints the kernel, the words of the accelerator, the options of the kernel, and whether it is KVM.
MAKE = r"""
trouble() { printf '%s\n' "$*" >&2; exit 125; }
left_out() { trouble "$@"; }
missing() { trouble "$@"; }
for part in package kernel machine initramfs; do . "$root/tests/vm/lib/$part.sh"; done
mkdir -p "$cache" || exit 1
kernel_fetch linux-image-amd64 >&2
package_keep "modules-$kernel_name" ./lib/modules '' "$kernel_name" >&2
tree=$to.d
modules=$(find "$cache/modules-$kernel_name/lib/modules" -mindepth 1 -maxdepth 1 -type d)
into=$tree/lib/modules/${modules##*/}
mkdir -p "$tree/bin" "$tree/dev" "$into" || exit 1
busybox=$(command -v busybox)
cp -L "$busybox" "$tree/bin/busybox" && cp "$guest" "$tree/init" && chmod 755 "$tree/init" || exit 1
"$busybox" --list | grep -vx busybox | while IFS= read -r applet; do ln -s busybox "$tree/bin/$applet"; done
find "$modules" \( -name '9p*.ko*' -o -name 'netfs.ko*' -o -name 'fscache.ko*' -o -name 'virtio*.ko*' \) -exec cp {} "$into/" \;
cp "$modules"/modules.* "$into/"
"$busybox" depmod -b "$tree" "${modules##*/}" || exit 1
initramfs_pack "$tree" "$to"
machine_choose_accelerator auto "$kernel_image" "$to" >&2
printf '%s\n' "$kernel_image" "$(machine_accelerator)" "$(machine_kernel_options)" "$accelerator"
"""


class Qemu(Environment):
    name, patience = "qemu", 2

    @classmethod
    def missing(cls) -> list[str]:
        lacking = [] if platform.machine() == "x86_64" else [f"guests for {platform.machine()}"]
        for program, package in (("qemu-system-x86_64", "qemu-system-x86"), ("busybox", "busybox-static")):
            lacking += [] if has_program(program) else [f"the package {package} (tools/setup vm installs it)"]
        return lacking + ([] if has_program("apt-get") else ["apt-get, which would download a kernel"])

    def make(self, side: Side) -> None:
        variables = {
            "root": str(ROOT),
            "cache": os.environ.get("SHOWSTOPPER_VM_CACHE") or str(ROOT / ".cache/vm"),
            "to": str(side.folder / "initramfs"),
            "guest": str(HERE / "guest"),
        }
        trouble = f"no environment of the kind qemu can be made for {side.name}"
        said = output_of(["sh", "-c", MAKE], trouble, os.environ | variables)
        (side.folder / "machine").write_text(said)
        shutil.copy(self.run / "visible", side.folder / "visible")
        (side.folder / "where").write_text(f"{side.folder}\n")
        (side.folder / "lib").write_text(f"{HERE}\n")
        self.lead = max(self.lead, 3)
        if said.splitlines()[3] != "kvm":
            meaning = "figures of these guests mean nothing beyond that they ran"
            self.note(f"Emulated: KVM does not work here, so that {meaning}.")
            # To look at a clock and start a program takes them seconds on a busy host.
            self.lead = 15
        if side.processors != "all":
            self.note("The virtual processors of a guest were bound to one of the host's each.")
        elif side.quota != "-":
            self.note(f"Each guest had {self.virtual(side)} virtual processors, bound to none of the host's.")

    @staticmethod
    def virtual(side: Side) -> int:
        """A quota is so many of them."""
        return side.count if side.quota == "-" else max(1, int(float(side.quota)))

    def start(self, side: Side) -> Process:
        kernel, accelerator, kernel_options, _ = lines_of(side.folder / "machine")[:4]
        shared = str(side.folder).replace(",", ",,")
        count = self.virtual(side)
        words = "qemu-system-x86_64 -nodefaults -no-reboot -display none".split()
        words += f"-name {side.called},debug-threads=on {accelerator} -smp {count} -m {1024 + 512 * count}".split()
        words += ["-kernel", kernel, "-initrd", str(side.folder / "initramfs")]
        words += ["-append", kernel_options, "-serial", f"file:{side.folder / 'console'}"]
        for tag, of in (("host", "path=/,readonly=on"), ("shared", f"path={shared}")):
            words += ["-fsdev", f"local,id={tag},{of},security_model=none,multidevs=remap"]
            words += ["-device", f"virtio-9p-pci,fsdev={tag},mount_tag={tag}"]
        to = ["taskset", "-c", side.processors] if side.processors != "all" else []
        with (side.folder / "messages.txt").open("wb") as messages:
            return start([*to, *words], stdout=messages, stderr=messages, bind="KILL")

    def ready(self, side: Side, process: Process) -> None:
        # The threads that are its processors are bound to one each.
        if side.processors == "all":
            return
        tasks = Path(f"/proc/{process.pid}/task").glob("*/comm")
        threads = {first_line(file): file.parent.name for file in tasks}
        for number, processor in enumerate(processors_in(side.processors)):
            of = [thread for name, thread in threads.items() if re.match(f"CPU {number}/", name)]
            refuse(not of, f"{side.name}: the guest has no processor {number}")
            output_of(["taskset", "-pc", str(processor), of[0]])

    def went_well(self, side: Side, process: Process) -> bool:
        if process.wait() == 0 and lines_of(side.folder / "status")[:1] == ["0"]:
            return True
        said = [line.replace("\r", "") for line in lines_of(side.folder / "console")[-3:]]
        with (side.folder / "messages.txt").open("a") as messages:
            messages.write("".join(f"{line}\n" for line in said))
        return False

    def remove(self, side: Side) -> None:
        (side.folder / "initramfs").unlink(missing_ok=True)
