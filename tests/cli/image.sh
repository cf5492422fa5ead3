#!/bin/sh
# SPDX-License-Identifier: MIT
# tools/image: its options, the OCI image of a root file system, and this build in a container of LXC as its lxc.conf has it. What it makes of Debian's
# packages takes minutes and a network: run it by hand.
# shellcheck source=tests/cli/lib.sh
. "${SHOWSTOPPER_SOURCE}/tests/cli/lib.sh"
image=$source/tools/image

run "$image" --help
expect_status 0
expect_text out '^usage: tools/image '
for words in --nonsense --from '--from nowhere' --package '--package nowhere' '-f /dev/null -p /dev/null' extra; do
	# shellcheck disable=SC2086 # a list
	run "$image" -o refused $words
	expect_trouble '^tools/image: '
done
echo no tar >text
run "$image" -o refused --from text
expect_trouble '^tools/image: --from: text: expected a tar that is not compressed$'
if [ "$(id -u)" -eq 0 ] && command -v setpriv >/dev/null; then
	run setpriv --reuid=65534 --regid=65534 --clear-groups sh -c "$(cat "$image")" /image -o refused
	expect_trouble 'must be run as root'
fi
[ ! -e refused ] || fail 'what is refused makes a folder'

# ---- A root file system: the installed build, a shell, and the libraries that they need ------------------------------------------

mkdir -p root/bin root/tmp root/proc root/sys root/dev/shm
DESTDIR=$work/root cmake --install "$build" >install.log 2>&1 || fail "cmake --install: $(tail -n 1 install.log)"
program=$(find root -name showstopper -type f -path '*/bin/*' | sed 's,^root,,')
bin=${program%/showstopper}
[ -n "$bin" ] || { fail 'nothing was installed'; finish; }
cp /bin/sh /bin/sleep root/bin/
find "root$bin" root/bin root/usr -type f \( -perm -100 -o -name '*.so' \) -exec ldd {} + 2>/dev/null |
	awk '/^\t/ { for (i = 1; i <= NF; i++) if ($i ~ "^/") print $i }' | sort -u | while read -r library; do
	mkdir -p "root${library%/*}" && cp -L "$library" "root$library"
done
tar --sort=name -C root -cf root.tar .

# ---- The image -----------------------------------------------------------------------------------------------------------------

run "$image" --from root.tar -o made
expect_status 0
expect_text out "^$work/made/showstopper.oci.tar\$"
run "$image" --from root.tar -o again
cmp -s made/showstopper.oci.tar again/showstopper.oci.tar || fail 'the same root file system makes another image'
if command -v skopeo >/dev/null; then
	run skopeo inspect --config oci-archive:made/showstopper.oci.tar
	expect_status 0
	jq -e --arg sum "sha256:$(sha256sum <root.tar | cut -d ' ' -f 1)" '.rootfs.diff_ids == [$sum] and .os == "linux" and
		.config.Entrypoint == ["/usr/bin/showstopper"]' out >jq.out || fail "$what: $(jq -c . out)"
	run skopeo --insecure-policy copy oci-archive:made/showstopper.oci.tar dir:copied
	expect_status 0
	# One whose layer is another one is noticed.
	mkdir damaged
	tar -C damaged -xf made/showstopper.oci.tar
	for blob in damaged/blobs/sha256/*; do
		[ "$(wc -c <"$blob")" -lt 100000 ] || printf x | dd of="$blob" bs=1 seek=50000 conv=notrunc 2>/dev/null
	done
	run skopeo --insecure-policy copy oci:damaged dir:refused
	[ "$status" -ne 0 ] || fail 'an image with a damaged layer is taken'
else
	missing skopeo 'what others make of the image'
fi
if command -v umoci >/dev/null; then
	mkdir layout
	tar -C layout -xf made/showstopper.oci.tar
	name=$(jq -r '.manifests[0].annotations["org.opencontainers.image.ref.name"]' layout/index.json)
	run umoci unpack --rootless --image "layout:$name" bundle
	expect_status 0
	cmp -s "root$program" "bundle/rootfs$program" || fail "$what: the program is not in it"
	jq -e '.process.args == ["/usr/bin/showstopper", "--check-machine"]' bundle/config.json >jq.out || fail "$what: $(jq -c .process.args bundle/config.json)"
else
	missing umoci 'the unpacked image'
fi

# ---- In a container ------------------------------------------------------------------------------------------------------------

mkdir lxc
# Of the file systems that may be written, /dev/shm alone.
sed '/ tmp tmpfs /d' made/lxc.conf >lxc.conf
# contained CAPABILITIES WORDS…: they are the first process of a container.
contained() {
	what="in a container with $1: $2"
	timeout 30 lxc-start -F -n "showstopper-image-$$" -P "$work/lxc" -f lxc.conf -s "lxc.rootfs.path=dir:$work/root" -s lxc.rootfs.options=ro \
		-s lxc.cap.keep= -s "lxc.cap.keep=$1" -s "lxc.init.cmd=$2" >out 2>err </dev/null
	status=$?
}
if ! command -v lxc-start >/dev/null; then
	missing lxc 'containers'
elif [ "$(id -u)" -ne 0 ]; then
	left_out 'containers: this is not root'
elif contained none "/bin/sleep 0.1" && [ "$status" -eq 0 ]; then
	contained none "$program -q -v -l 50% -r 1s -n 1 -o /dev/stdout $bin/ssburn"
	expect_lines out 3
	expect_text err 'priority above the workloads: none: not permitted$'
	contained sys_nice "$program -q -v -l 50% -r 1s -n 1 -o /dev/stdout $bin/ssburn"
	expect_lines out 3
	expect_text err 'priority above the workloads: (nice|SCHED_FIFO) '
	contained none "$program -q -l 50% -r 600m -n 1 --export-json /dev/stdout $bin/ssburn"
	jq -e '.exit_status == 0 and .result.load > 0 and .result.others.mean != null' out >jq.out || fail "$what: $(jq -c .result out)"
	for option in --attach --watch; do
		contained none "$program -q -l 50% -r 600m -n 1 $option $$ $bin/ssburn"
		expect_text err "^showstopper: $option: process $$ does not exist\$"
	done
	contained none "$program -q -l 50% -r 600m -n 1 -a freezer $bin/ssburn"
	expect_text err "^showstopper: actuator module 'freezer': no control group can be made "
	contained none "$program -q -l 50% -r 600m -n 1 --contain=pidns $bin/ssburn"
	expect_text err '^showstopper: --contain=pidns: '
	contained none "$program --check-machine"
	expect_text out '^measured: '
else
	left_out "containers can't be made here: $(tail -n 1 err)"
fi
for group in /sys/fs/cgroup/*/lxc.pivot /sys/fs/cgroup/lxc.pivot; do
	rmdir "$group" 2>/dev/null
done
finish
