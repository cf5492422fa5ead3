#!/bin/sh
# SPDX-License-Identifier: MIT
# -f throughput: who counts iterations, how, and what becomes of a run where nobody does. How well it holds them is test_sim_throughput's.
# shellcheck source=tests/cli/lib.sh
. "${SHOWSTOPPER_SOURCE}/tests/cli/lib.sh"
unset SHOWSTOPPER_INSTANCE SHOWSTOPPER_COUNTER SHOWSTOPPER_MODULE_PATH
shm=$(find /dev/shm -name 'showstopper*' 2>/dev/null | sort)

# figure NAME: a number of record.json's result.
figure() {
	sed -n "s/^ *\"$1\": \([0-9.e+-]*\),*\$/\1/p" record.json | head -n 1
}
# How fast a machine is that others use, too, is not what this is about: workloads have time to come up, and bounds are wide.
held() {
	run timeout 60 showstopper -l 50% -w 1500m -f throughput -F calibrate=500m -r 500m --export-json record.json "$@"
	expect_status 0
	expect_text err '^showstopper: calibrating: all workloads run free for 500ms$'
	expect_text err '^showstopper: a load of 100 % is [0-9.e+]+ iterations per second$'
	expect_text err '^maximum  *[0-9.e+]+ iterations per second are a load of 100 %$'
	awk -v maximum="$(figure maximum_per_s)" -v held="$(figure load)" 'BEGIN { exit !(maximum > 0 && held > 0.05) }' ||
		fail "$what: maximum $(figure maximum_per_s), load $(figure load)"
}

held -n 2 -o log.csv ssburn -w 50
# Before control the load isn't known, and there is no row.
awk -F, 'NR == 2 && $1 < -0.4 || NR > 1 && $4 == "" { exit 1 }' log.csv || fail "the log has rows without a load: $(head -n 3 log.csv)"

# counts COMMAND...: it raises a counter that it is given as showstopper does.
cat >counted.py <<'END'
import mmap, os, signal, subprocess, sys, time
file = os.memfd_create("showstopper-iterations", 0)
os.ftruncate(file, 4096)
count = memoryview(mmap.mmap(file, 4096)).cast("Q")
os.environ["SHOWSTOPPER_COUNTER"] = f"/proc/self/fd/{file}"
process = subprocess.Popen(sys.argv[1:], pass_fds=[file], start_new_session=True)
until = time.monotonic() + 30
wanted = int(os.environ.pop("WANTED", 3))
while count[0] < wanted and process.poll() is None and time.monotonic() < until:
    time.sleep(0.002)
time.sleep(0.02 if process.poll() is None else 0)
if process.poll() is None:
    os.killpg(process.pid, signal.SIGTERM)
process.wait()
print(count[0])
END
counts() {
	run timeout 60 python3 counted.py "$@"
	expect_status 0
	[ "$(tail -n 1 out)" -ge 3 ] || fail "$what: it counted $(tail -n 1 out) iterations: $(cat err)"
}
counts ssburn -w 100
# As many as it has done.
WANTED=999
export WANTED
counts ssburn -w 20 -n 50
[ "$(cat out)" = 50 ] || fail "ssburn counted $(cat out) of 50 iterations"
counts ssburn -p contended -t 2 -w 200
# Who counts takes the variable away from what it starts: each run counts once.
# shellcheck disable=SC2016 # the workload's shell
counts ssiterate -q -n 4 -- sh -c '[ -z "$SHOWSTOPPER_COUNTER" ] && ssburn -n 10 -w 10'
[ "$(tail -n 1 out)" = 4 ] || fail "ssiterate counted $(tail -n 1 out) of 4 iterations"
# What fails is no work that is done.
# shellcheck disable=SC2016 # the workload's shell
counts ssiterate -q -k -n 8 -- sh -c 'echo >>runs; [ $(($(wc -l <runs) % 2)) = 0 ]'
[ "$(tail -n 1 out)" = 4 ] || fail "ssiterate counted $(tail -n 1 out) of 4 iterations that succeeded"
unset WANTED
counts sh -c 'ssburn -w 100 & ssburn -w 100 & wait'

# The two programs of the manual.
example() {
	awk -v wanted="$1" '/^In / { found = $0 == "In " wanted ":" } /^\.Ed/ { inside = 0 } inside { print } /^\.Bd/ && found { inside = 1; found = 0 }' \
		"$source/src/showstopper-modules.7" | sed 's/\\-/-/g'
}
example C >example.c
cc -Wall -Wextra -Werror -O2 -o example example.c >cc.out 2>&1 || fail "the manual's example in C: $(cat cc.out)"
counts ./example
example Python >example.py
counts python3 example.py
# Without a run they just work.
for command in ./example 'python3 example.py'; do
	# shellcheck disable=SC2086 # words
	run timeout 0.4 $command
	expect_status 124
done

# The drivers in Java count by what they have in common.
if command -v javac >/dev/null; then
	cat >Count.java <<'END'
final class Count {
	public static void main(String[] arguments) throws Exception {
		Records records = new Records(null);
		for (;;) {
			long start = Records.now();
			while (Records.now() - start < 1_000_000L) { }
			records.add(start, Records.now());
		}
	}
}
END
	javac -d classes Count.java "$source/tools/experiments/workloads/Records.java" >javac.out 2>&1 || fail "$(cat javac.out)"
	counts java -XX:+UseSerialGC -cp classes Count
else
	left_out 'there is no javac'
fi

# The count goes on where a workload is started again.
held -n 2 --when-one-ends=respawn ssburn -w 50 -n 400

# Nobody counts.
# shellcheck disable=SC2016 # the workload's shell
run timeout 60 showstopper -l 50% -f throughput -F calibrate=300m -r 5s -n 2 sh -c 'echo $$ >pid.$SHOWSTOPPER_INSTANCE; while :; do :; done'
expect_status 125
expect_text err "^showstopper: can't calibrate: no workload has finished an iteration in 0\.3 s: expected programs that raise the counter"
for file in pid.0 pid.1; do
	[ ! -e "/proc/$(cat "$file")" ] || fail "a workload is left"
done
# … since it was closed on the way, and another file is there now.
: >precious
# shellcheck disable=SC2016 # the workload's shell
run timeout 60 showstopper -l 50% -f throughput -F calibrate=300m -r 5s -n 1 \
	bash -c 'eval "exec ${SHOWSTOPPER_COUNTER##*/}>precious"; echo whole >&"${SHOWSTOPPER_COUNTER##*/}"; exec ssburn -w 100'
expect_status 125
[ "$(cat precious)" = whole ] || fail "a file in the place of the counter was written to: $(od -c precious | head -n 1)"

# What workloads write into their counters, or do with them, changes nothing for the run.
cat >odd.py <<'END'
import mmap, os, random
file = os.open(os.environ["SHOWSTOPPER_COUNTER"], os.O_RDWR)
count = memoryview(mmap.mmap(file, 4096)).cast("Q")
while True:
    count[0] = random.choice((0, 1, 2**63, 2**64 - 1, random.getrandbits(64), count[0] + 1 & 2**64 - 1))
    for size in (0, 1, 1 << 30):
        try:
            os.ftruncate(file, size)
        except OSError:
            pass
END
run timeout 60 showstopper -l 50% -f throughput -F max=100 -r 1s -n 1 python3 odd.py : ssburn -w 100
expect_status 0

# Free workloads get no counter, others one each.
# shellcheck disable=SC2016 # the workload's shell
run timeout 60 showstopper -l 50% -f throughput -F max=100 -r 500m --stdout out.% -n 2 sh -c 'readlink "$SHOWSTOPPER_COUNTER"; stat -Lc %i "$SHOWSTOPPER_COUNTER"; exec ssburn -w 100' \
	: -n 1 --free sh -c 'echo "free${SHOWSTOPPER_COUNTER-}"; exec sleep 5'
expect_status 0
grep -q '^/memfd:showstopper-iterations' out.0 || fail "the counter is $(cat out.0)"
[ "$(cat out.2)" = free ] || fail "a free workload has a counter: $(cat out.2)"
[ "$(tail -n 1 out.0)" != "$(tail -n 1 out.1)" ] || fail "two workloads have the same counter"
# shellcheck disable=SC2016 # the workload's shell
run showstopper -l 50% -r 300m -n 1 --stdout alone sh -c 'echo "none${SHOWSTOPPER_COUNTER-}"; exec sleep 5'
[ "$(cat alone)" = none ] || fail "without -f throughput there is a counter: $(cat alone)"

# What is known before the start.
run showstopper --dry-run -l 40% -f throughput -w 2s ssburn
expect_status 0
expect_text out '^feedback: throughput calibrate=10s,base=333ms,share=40ms$'
expect_text out '^calibration: 10s before control$'
expect_text out '^warm-up: 10s$'
run showstopper --dry-run -l 40% -f throughput -F max=3 ssburn
expect_no_text out '^calibration:'
expect_text out '^warm-up: none$'
run showstopper -l 40% -f throughput -F calibrate=1s,max=3 ssburn
expect_trouble "^showstopper: feedback module 'throughput': both calibrate and max say what a load of 100 % is: expected one of them$"
run showstopper -l 40% -f throughput -F max=0 ssburn
expect_trouble "max"
sleep 30 &
run showstopper -l 40% -f throughput --attach $! ssburn
expect_trouble "^showstopper: feedback module 'throughput' counts the iterations of workloads that are started: expected no --attach"
kill $!

# In a container of its own.
if showstopper --dry-run -l 40% --contain=pidns true >/dev/null 2>&1; then
	held -n 1 --contain=pidns ssburn -w 50
fi
# A service counts requests.
if ssburn --help | grep -q -- --listen; then
	cat >ask.py <<'END'
import socket, time
while True:
    try:
        service = socket.socket(socket.AF_UNIX)
        service.connect("service.sock")
        service.sendall(b"GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
        while service.recv(4096):
            pass
    except OSError:
        time.sleep(0.01)
END
	counts sh -c 'ssburn --listen unix:service.sock --service 1m & python3 ask.py & wait'
else
	left_out 'ssburn has no --listen'
fi
[ "$(find /dev/shm -name 'showstopper*' 2>/dev/null | sort)" = "$shm" ] || fail "something is left in /dev/shm"
finish
