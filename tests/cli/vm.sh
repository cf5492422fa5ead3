#!/bin/sh
# SPDX-License-Identifier: MIT
# tests/vm/run: what it refuses, that cases and machines are complete, and one machine that boots where it can.
# shellcheck source=tests/cli/lib.sh
. "${SHOWSTOPPER_SOURCE}/tests/cli/lib.sh"
unset SHOWSTOPPER_INSTANCE SHOWSTOPPER_MODULE_PATH PUBLISH_ROOT
vm=$source/tests/vm
limit=280

run "$vm/run" --help
expect_status 0
expect_lines err 0
run "$vm/run" --nonsense
expect_trouble "^tests/vm/run: unexpected argument '--nonsense'"
run "$vm/run" nowhere
expect_trouble "^tests/vm/run: there is no case 'nowhere'"
run "$vm/run" -B nowhere half
expect_trouble "^tests/vm/run: --build: there is no folder 'nowhere'\$"
run "$vm/run" -m nowhere+nohz=off half
expect_trouble "^tests/vm/run: there is no machine 'nowhere'"
run "$vm/run" -a xen
expect_trouble "^tests/vm/run: --accelerator: 'xen' is none of auto, kvm, tcg"
run "$vm/run" --slow 0
expect_trouble "^tests/vm/run: --slow: '0' is no number from 1 to 99"

# Where no build is named it makes one of its own, of these sources and with tests, and no other stands in for it.
mkdir bin
for program in cmake apt-get sudo; do
	printf '#!/bin/sh\necho "%s $*" >>"%s"\nexit 1\n' "$program" "$PWD/called" >"bin/$program"
	chmod +x "bin/$program"
done
PATH=$PWD/bin:$PATH run "$vm/run" half
expect_status 125
if grep -qsE '^(apt-get|sudo)' called; then
	expect_text err '^tools/setup: '
else
	expect_text err '^tests/vm/run: the build failed$'
	expect_text called "^cmake -S .* -B .*/build/vm .*-DBUILD_TESTING=ON"
fi

# Each case is planned on the machines that it names, and each machine has a description.
run "$vm/run" --dry-run
expect_status 0
for file in "$vm"/cases/*.sh; do
	name=${file##*/}
	grep -q '^# about: ..*' "$file" || fail "$name doesn't say what it is about"
	if grep -qx '# run: by name' "$file"; then
		expect_no_text out " ${name%.sh}\$"
	else
		expect_text out "^linux-image-cloud-amd64 +[a-z]+[^ ]* +${name%.sh}\$"
	fi
	grep -qx finish "$file" || fail "$name doesn't end with finish"
done
for file in "$vm"/machines/*; do
	for pattern in '^about: ..*' '^qemu: .*-smp '; do
		grep -q "$pattern" "$file" || fail "$file has no line '$pattern'"
	done
	acpi=$(sed -n 's/^acpi: *//p' "$file")
	[ -z "$acpi" ] || [ -s "$vm/acpi/$acpi.asl" ] || fail "$file names a table that isn't there"
done
(
	# shellcheck source=tests/vm/lib/modules.sh
	. "$vm/lib/modules.sh"
	modules_kernel linux-image-cloud-amd64/trixie
	modules_kernel linux-image-rt-amd64
) >kernels
printf 'linux-image-amd64/trixie\nlinux-image-rt-amd64\n' | cmp -s - kernels || fail "kernels with modules are $(cat kernels)"
run "$vm/run" --dry-run --kernel one,two/suite --machine eight+nohz=off half
expect_lines out 2
expect_text out '^two/suite +eight\+nohz=off +half$'
run "$vm/run" --dry-run exact
expect_lines out 1
expect_text out '^linux-image-cloud-amd64 +plain +exact$'
run "$vm/run" --again --dry-run
expect_trouble '^tests/vm/run: --again: what is left to run is known only when the kernels are there'

# ---- What can't be had ----------------------------------------------------------------------------------------------------------

# Each case without its kernel is left out by itself, and run again by --again.
SHOWSTOPPER_VM_RESULTS=$work/results SHOWSTOPPER_VM_CACHE=$work/cache
export SHOWSTOPPER_VM_RESULTS SHOWSTOPPER_VM_CACHE
for again in '' --again; do
	# shellcheck disable=SC2086 # one word or none
	PATH=$PWD/bin:$PATH SHOWSTOPPER_TEST_PACKAGES=no run "$vm/run" -B "$build" -k linux-image-none $again half frequency
	if grep -q 'is missing (tools/setup vm installs it)' err; then
		missing qemu-system-x86 'machines without kernels'
		break
	fi
	if grep -q 'left out: no machines for' err; then
		left_out "$(cat err)"
		break
	fi
	expect_status 77
	expect_text out "^linux-image-none +plain +half +[0-9]+ s  left out: linux-image-none: the package can't be downloaded: "
	expect_text out "^linux-image-none +clocked +frequency +[0-9]+ s  left out: linux-image-none: the package can't be downloaded: "
	expect_text out '^2 run: 0 ok, 2 left out, 0 failed, 0 busy$'
done
unset SHOWSTOPPER_VM_RESULTS SHOWSTOPPER_VM_CACHE

# Modules come from /lib, from /usr/lib, and from a package of their own; a package without any is said to be the trouble.
cat >with-modules <<END
cache=$work/cache suite='' kernel_name=\$1
for part in package kernel modules initramfs; do
	. "$vm/lib/\$part.sh"
done
lacks() { echo "lacks \$*"; return 1; }
trouble() { echo "trouble \$*"; exit 1; }
kernel_needs() { echo "\$3 of \$1" >>asked; echo "\$1"; }
package_apt() { cp "$work/\$4.deb" .; }
initramfs_pack() { (cd "\$1" && find . -name '*.ko' >"\$2"); }
modules_add /dev/null "$work/modules-\$1" acpi-cpufreq
END
modules_from() { # PACKAGE FOLDER
	mkdir -p "made/$1/DEBIAN" "made/$1/$2" cache
	printf 'Package: %s\nVersion: 1\nArchitecture: all\nMaintainer: none <none@localhost>\nDescription: none\n' "$1" >"made/$1/DEBIAN/control"
	echo none >"made/$1/$2/acpi-cpufreq.ko"
	dpkg-deb --build "made/$1" "$1.deb" >/dev/null || return
	sh with-modules "$1"
}
if ! command -v dpkg-deb >/dev/null || ! command -v busybox >/dev/null; then
	missing busybox-static 'modules of a kernel'
else
	for folder in lib usr/lib; do
		name=in-$(printf '%s' "$folder" | tr -d /)
		modules_from "$name" "$folder/modules/6.0.0-test/kernel" >out 2>&1
		expect_text "modules-$name" '^\./lib/modules/6\.0\.0-test/acpi-cpufreq\.ko$'
		expect_text asked "^linux-modules of $name\$"
	done
	modules_from in-none boot >out 2>&1
	expect_text out "^lacks in-none: the package can't be unpacked: tar: .*modules"
fi

# ---- The table ----------------------------------------------------------------------------------------------------------------

root=$source
published_revision=9f8e7d6
accelerator=tcg
folder=$work/left
table=$work/rows
mkdir "$folder"
: >"$table"
# shellcheck source=tests/vm/lib/table.sh
. "$vm/lib/table.sh"
expect_settled() { # YES-OR-NO
	if table_settled "$folder"; then [ "$1" = yes ]; else [ "$1" = no ]; fi || fail "settled is not $1 after: $(cat "$folder/verdict")"
}
expect_settled no 2>/dev/null
table_add 6.1 plain half ok 40
expect_settled yes
table_add 6.1 plain v1 'left out: no v1' 50
expect_settled yes
table_add 6.1 plain asleep 'busy: it waited for the host 84 % of its time' 60
expect_settled no
table_add 6.1 single half 'FAILED: no end within 90 s' 70
expect_settled no
table_has FAILED || fail 'no FAILED in the table'
! table_has okay || fail 'okay in the table'
table_totals >out
expect_text out '^4 run: 1 ok, 1 left out, 1 failed, 1 busy$'
# A case that was in no machine, as it lacked a package, leaves the row that is published as it is.
mkdir -p publishing/tests/vm
printf '<!-- vm: begin -->\n| 6.1 | plain | half | ok | 1 | tcg | 0000000 |\n| 6.1 | plain | v1 | ok | 2 | tcg | 0000000 |\n<!-- vm: end -->\n' \
	>publishing/tests/vm/README.md
printf '#!/bin/sh\ngrep "^| 6" >"%s"\n' "$work/published.rows" >bin/publish
chmod +x bin/publish
PUBLISH_ROOT=$work/publishing publisher=$work/bin/publish called='' table=$work/lacking
table_add 6.1 plain v1 ok 80
accelerator=-
table_add 6.1 plain half "left out: the package can't be downloaded" 3
table_publish
unset PUBLISH_ROOT
accelerator=tcg table=$work/rows
expect_text published.rows '^\| 6\.1 \| plain \| half \| ok \| 1 \| tcg \| 0000000 \|$'
expect_text published.rows '^\| 6\.1 \| plain \| v1 \| ok \| 80 \| tcg \| 9f8e7d6 \|$'
# Later rows stand in the places of those of the same kernel, or an older one of its series, machine and case; all others stay, but for a case or
# a machine of it that is no more.
table_add 6.12.117+deb13-cloud-amd64 plain v1 ok 80
table_add 6.1.0-57-cloud-amd64 plain half ok 90
cat >document.md <<'END'
| kernel | machine | case | verdict | s | by | revision |
| --- | --- | --- | --- | ---: | --- | --- |
| 6.12 | plain | half | ok | 1 | tcg | 0000000 |
| 6.1 | plain | asleep | ok | 2 | kvm | 0000000 |
| 6.1 | plain | half | FAILED | 3 | tcg | 0000000 |
| 6.1 | eight+maxcpus=5 | isolated | ok | 4 | tcg | 0000000 |
| 6.1 | eight | half | ok | 5 | tcg | 0000000 |
| 6.1 | plain | no-more | ok | 6 | tcg | 0000000 |
| 6.1.0-56-amd64 | plain | half | ok | 7 | tcg | 0000000 |
| 6.1.0-56-cloud-amd64 | plain | half | ok | 8 | tcg | 0000000 |
| 6.12.95+deb12-cloud-amd64 | plain | v1 | ok | 9 | tcg | 0000000 |
| 6.12.107+deb13-cloud-amd64 | plain | v1 | ok | 10 | tcg | 0000000 |
| 6.12.107+deb13-cloud-amd64 | plain | half | ok | 11 | tcg | 0000000 |
END
table_merge "$vm/cases" "$table" <document.md >merged
cat >expected <<'END'
| 6.1 | plain | asleep | busy: it waited for the host 84 % of its time | 60 | tcg | 9f8e7d6 |
| 6.1 | plain | half | ok | 40 | tcg | 9f8e7d6 |
| 6.1 | single | half | FAILED: no end within 90 s | 70 | tcg | 9f8e7d6 |
| 6.1 | eight+maxcpus=5 | isolated | ok | 4 | tcg | 0000000 |
| 6.1 | plain | v1 | left out: no v1 | 50 | tcg | 9f8e7d6 |
| 6.1.0-56-amd64 | plain | half | ok | 7 | tcg | 0000000 |
| 6.1.0-57-cloud-amd64 | plain | half | ok | 90 | tcg | 9f8e7d6 |
| 6.12 | plain | half | ok | 1 | tcg | 0000000 |
| 6.12.95+deb12-cloud-amd64 | plain | v1 | ok | 9 | tcg | 0000000 |
| 6.12.107+deb13-cloud-amd64 | plain | half | ok | 11 | tcg | 0000000 |
| 6.12.117+deb13-cloud-amd64 | plain | v1 | ok | 80 | tcg | 9f8e7d6 |
END
diff expected merged || fail 'another table than expected'

# ---- A machine ----------------------------------------------------------------------------------------------------------------

# One that boots, holds half load and comes back with its log.
SHOWSTOPPER_VM_RESULTS=$work/results
export SHOWSTOPPER_VM_RESULTS
# With slow clocks, as other tests want the processors, too; slower still where the host left it none all the same.
for slow in 4 12; do
	run "$vm/run" -B "$build" --slow "$slow" half
	grep -q '  busy: ' out || break
done
[ "$status" -ne 77 ] || skip "$(cat err out)"
expect_status 0
expect_text out '^linux-image-.* +plain +half +[0-9]+ s  ok$'
[ "$(cat results/*/plain/half/files/log.csv | wc -l)" -ge 16 ] || fail "$what: no log came back"
expect_text out '^1 run: 1 ok, 0 left out, 0 failed, 0 busy$'
[ "$status" -eq 0 ] || { cat out; finish; }
run "$vm/run" -B "$build" --again half
expect_status 0
expect_lines out 1
expect_text out '^0 run: '

finish
