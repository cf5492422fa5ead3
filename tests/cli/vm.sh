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
run "$vm/run" -m nowhere+nohz=off half
expect_trouble "^tests/vm/run: there is no machine 'nowhere'"
run "$vm/run" -a xen
expect_trouble "^tests/vm/run: --accelerator: 'xen' is none of auto, kvm, tcg"
run "$vm/run" --slow 0
expect_trouble "^tests/vm/run: --slow: '0' is no number from 1 to 99"

# Each case is planned on the machines that it names, and each machine has a description.
run "$vm/run" --dry-run
expect_status 0
for file in "$vm"/cases/*.sh; do
	name=${file##*/}
	grep -q '^# about: ..*' "$file" || fail "$name doesn't say what it is about"
	expect_text out "^linux-image-cloud-amd64 +[a-z]+[^ ]* +${name%.sh}\$"
	grep -qx finish "$file" || fail "$name doesn't end with finish"
done
for file in "$vm"/machines/*; do
	for pattern in '^about: ..*' '^qemu: .*-smp '; do
		grep -q "$pattern" "$file" || fail "$file has no line '$pattern'"
	done
done
run "$vm/run" --dry-run --kernel one,two/suite --machine eight+nohz=off half
expect_lines out 2
expect_text out '^two/suite +eight\+nohz=off +half$'

# One that boots, holds half load and comes back with its log.
SHOWSTOPPER_VM_RESULTS=$work/results
export SHOWSTOPPER_VM_RESULTS
run "$vm/run" -B "$build" half
[ "$status" -ne 77 ] || skip "$(cat err out)"
expect_status 0
expect_text out '^linux-image-.* +plain +half +[0-9]+ s  ok$'
[ "$(cat results/*/plain/half/files/log.csv | wc -l)" -ge 16 ] || fail "$what: no log came back"
[ "$status" -eq 0 ] || cat out

finish
