#!/bin/sh
# SPDX-License-Identifier: MIT
# tools/experiments/variability, with stand-ins for stress-ng and showstopper whose rates are known: what it measures and in which order, going on,
# statistics with known answers, the search for a bandwidth, real programs, the block of a document, and what is left after a kill.
# shellcheck disable=SC2016,SC2317 # of the stand-ins; functions that wait_until calls
# shellcheck source=tests/cli/lib.sh
. "${SHOWSTOPPER_SOURCE}/tests/cli/lib.sh"
unset PUBLISH_ROOT SHOWSTOPPER_INSTANCE SHOWSTOPPER_MODULE_PATH SHOWSTOPPER_WORKLOADS
variability=$source/tools/experiments/variability
real_stress=$(command -v stress-ng)

# ---- The stand-ins ------------------------------------------------------------------------------------------------------------

# Rates are those of the file rates, for all else 100, times the bandwidth to a power, and 1 % up and down in turn, for each bandwidth.
mkdir bin programs
cat >bin/stress-ng <<'SCRIPT'
#!/bin/sh
case $1 in
--version)
	echo "stress-ng, version ${STAND_IN_VERSION:-9.9}, a stand-in"
	exit
	;;
--help)
	echo ' --memcpy N  a stressor'
	exit
	;;
--cpu-method)
	echo 'cpu-method must be one of: all queens int64 float slow broken' >&2
	exit 1
	;;
esac
name=${1#--}
while [ $# -gt 0 ]; do
	case $1 in --cpu-method) name=$2 ;; --yaml) yaml=$2 ;; esac
	shift
done
echo "$name" >>"$STAND_IN/calls"
echo "$name ${STAND_IN_BANDWIDTH:-100}" >>"$STAND_IN/called_at"
if [ "$name" = broken ]; then
	echo 'stress-ng: no such luck' >&2
	exit 2
fi
if [ "$name" = slow ]; then
	echo $$ >"$STAND_IN/slow"
	exec sleep 100
fi
awk -v name="$name" -v calls="$(grep -cx "$name ${STAND_IN_BANDWIDTH:-100}" "$STAND_IN/called_at")" -v bandwidth="${STAND_IN_BANDWIDTH:-100}" -v power="${STAND_IN_POWER:-1}" '
	BEGIN { rate = 100 }
	$1 == name { rate = $2 }
	END { printf "metrics:\n    - stressor: cpu\n      bogo-ops-per-second-real-time: %f\n", rate * (bandwidth / 100) ^ power * (calls % 2 ? 1.01 : 0.99) }' \
	"$STAND_IN/${STAND_IN_RATES:-rates}" >"$yaml"
SCRIPT
cat >programs/showstopper <<'END'
#!/bin/sh
case " $* " in
*' --version '*) echo 'showstopper 0 (stand-in)'; exit ;;
*' --check-machine '*) exit ;;
*' --dry-run '*) exit ;;
esac
echo "$*" >>"$STAND_IN/held"
while [ "$1" != -- ]; do
	case $1 in -T) STAND_IN_BANDWIDTH=${2%\%} ;; esac
	shift
done
shift
export STAND_IN_BANDWIDTH
exec "$@"
END
printf '#!/bin/sh\nprintf "time_s,monotonic_s,load\\n0,0,0.001\\n"\n' >programs/cpuload
chmod 755 bin/stress-ng programs/showstopper programs/cpuload
for program in ssburn ssiterate ssreport sssim; do ln -s "$build/$program" programs/; done
STAND_IN=$work
PATH=$work/bin:$PATH
export STAND_IN PATH
printf 'queens 1000\nint64 2000\nfloat 500\n' >rates
printf 'queens 400\nint64 500\nfloat 50\nmemcpy 20\n' >base-rates
: >calls
calls() {
	wc -l <calls
}

# ---- What is refused ----------------------------------------------------------------------------------------------------------

without_clocks() { [ ! -d /sys/devices/system/cpu/cpufreq/policy0 ]; }
without_clocks || left_out 'clocks that can not be had'
refused() { # REGEX ARGUMENT...
	regex=$1
	shift
	run "$variability" "$@"
	expect_trouble "^tools/experiments/variability: $regex"
}
run "$variability" --help
expect_status 0
expect_text out '^usage: tools/experiments/variability profile '
refused "found '', expected profile, compare, calibrate, validate or publish"
refused "profile: unexpected argument '--nothing'" profile --nothing
refused "--methods: stress-ng has no CPU method 'chess' \(queens int64 float slow broken\)" profile -o a.csv -m chess
refused "--bandwidth: '0.1%' is no share of one processor" profile -o a.csv --bandwidth 0.1%
refused '--bandwidth: expected --by with it' profile -o a.csv -b 50%
refused '--by: expected --bandwidth with it' profile -o a.csv -y signals
refused "--by: 'hammer' is none of" profile -o a.csv -b 50% -y hammer
refused '--by: expected one hand' profile -o a.csv -b 50% -y signals,freezer
without_clocks && refused '--by frequency: unavailable: this machine has no cpufreq' profile -o a.csv -b 50% -y frequency -B programs
refused 'profile: expected --output FILE' profile -m queens
refused 'nowhere/a.csv: there is no folder nowhere' profile -o nowhere/a.csv
refused 'compare: expected two profiles' compare a.csv
refused 'a.csv: no file that can be read' compare a.csv b.csv
refused 'calibrate: expected --against FILE' calibrate --by signals -o c
refused 'calibrate: --rounds: expected 2 or more' calibrate --against a.csv --by signals -o c -n 1
refused '--at-most: expected --precision with it' profile -o a.csv --at-most 9
refused '--precision: expected no --rounds' profile -o a.csv --precision 1% -n 2
refused 'calibrate: --precision: it has --known-within' calibrate --against a.csv --by signals -o c --precision 1%
refused 'compare: --precision: expected profile or validate' compare a.csv b.csv --precision 1%
refused 'validate: expected either --record FILE' validate -o v
refused 'publish: expected the --output of one calibration' publish
mkdir nothing
refused 'nothing holds no calibration' publish nothing
[ "$(calls)" -eq 0 ] || fail 'something that was refused has begun to measure'

# ---- A profile ----------------------------------------------------------------------------------------------------------------

run "$variability" profile -m queens,int64 -t 1 -n 2 --dry-run
expect_text out '^2 methods, 2 rounds of 1 s each, without a limit, in native: about 4 s$'
measure="-t 1 -n 2 -B programs"
# shellcheck disable=SC2086 # words
STAND_IN_RATES=base-rates run "$variability" profile -o base.csv -m queens,int64,float $measure
expect_status 0
what='base.csv'
expect_lines base.csv 7
[ "$(cut -d, -f 1,2 base.csv | paste -s -d ' ' -)" = 'name,repetition queens,1 int64,1 float,1 queens,2 int64,2 float,2' ] || fail 'the rounds are not one after the other'
expect_text base.csv '^int64,2,495\.0'
expect_text base.csv.about '^stress_ng: 9\.9$'
expect_text base.csv.about '^hand: none$'
expect_text base.csv.about '^busy_before_percent: 0\.1$'
# shellcheck disable=SC2086 # words
refused 'base.csv is there already; --resume goes on' profile -o base.csv -m queens $measure
refused 'base.csv was measured with other options than time_s: 3; repeat' profile -o base.csv -m queens -t 3 -n 2 -B programs --resume
# One row is missing, and another one was cut off.
grep -v '^int64,1' base.csv | sed '$s/,.*/,2/' >shorter && cp shorter base.csv
before=$(calls)
# shellcheck disable=SC2086 # words
STAND_IN_RATES=base-rates run "$variability" profile -o base.csv -m queens,int64,float $measure --resume
expect_status 0
expect_lines base.csv 7
[ "$(calls)" -eq $((before + 2)) ] || fail "two rates were missing, but $(($(calls) - before)) measured"

# shellcheck disable=SC2086 # words
run "$variability" profile -o part.csv -m broken,queens $measure
expect_status 1
expect_text err '^broken: no rate: stress-ng: no such luck$'
expect_text err 'some rates of part.csv are missing; --resume tries again$'
expect_lines part.csv 3

# Rates are 1 % above and below in turn: the mean of eight has an error of 0.38 %, which by Student's t is within 0.90 %.
run "$variability" profile -o precise.csv -m queens,int64 -t 1 --precision 1% -B programs
expect_status 0
expect_text out 'By the variance of the pilot of 8 repeats it takes 8 \(.*\)\. 8 were made'
expect_lines precise.csv 17
[ "$(sed -n 2,5p precise.csv | cut -d, -f 1,2 | paste -s -d ' ' -)" = 'queens,1 int64,1 int64,2 queens,2' ] || fail 'rounds are not there and back'
run "$variability" profile -o precise.csv -m queens,int64 -t 1 --precision 0.8% --at-most 9 -B programs --resume
expect_status 0
expect_text out 'it takes 10 \(.*\)\. No more than 9 were made, as --at-most says: 1 are missing\.'
expect_lines precise.csv 19

# What can't be measured is not tried in a second stage that needn't be.
before=$(grep -cx broken calls)
run "$variability" profile -o broken.csv -m broken -t 1 --precision 1% -B programs
expect_status 1
expect_lines err 9
[ "$(grep -cx broken calls)" -eq $((before + 8)) ] || fail "broken was tried $(($(grep -cx broken calls) - before)) times"
! grep -q 'takes the most' out || fail "$what: by the variance of nothing"

# ---- Two profiles -------------------------------------------------------------------------------------------------------------

profile_of() { # FILE NAME RATE...
	to=$1
	shift
	echo name,repetition,per_second >"$to"
	while [ $# -gt 0 ]; do
		printf '%s,1,%s\n' "$1" "$2" >>"$to"
		shift 2
	done
	printf 'kind: methods\nstress_ng: 9.9\nhand: none\n' >"$to.about"
}
profile_of one.csv a 100 b 100 c 100 d 100 e 100 x 1
profile_of two.csv a 165 b 710 c 248 d 95 e 110 y 1
run "$variability" compare one.csv two.csv -o both
expect_status 0
expect_text out '^only in the base: x$'
expect_text out '^only in the target: y$'
expect_text out '^names  *5$'
expect_text out '^range  *\[0\.95, 7\.10\], length 6\.15; greatest / least 7\.47$'
expect_text out '^median  *1\.650$'
expect_text out '^mean  *2\.656 '
expect_text out '^within 10 % of 1  *40 % \(2 of 5\)$'
expect_text out '^ *0\.9 to 1  *# 1$'
expect_text out '^ *1 to 1\.1  *# 1$'
expect_text out '^ *1\.2 to 1\.3$'
expect_text both.csv '^b,100,710,7\.100000,1,'
expect_text both.svg '<svg '
echo 'b 0' >weights
run "$variability" compare one.csv two.csv --weights weights
expect_text out '^mean  *1\.545 .*weights: weights'
echo 'b much' >weights
refused '--weights: weights: expected lines of a name and its weight' compare one.csv two.csv -w weights
# The median of three, which a burst doesn't move.
printf 'name,repetition,per_second\na,1,100\na,2,20\na,3,102\n' >two.csv
run "$variability" compare one.csv two.csv
expect_text out '^range  *\[1\.00, 1\.00\]'
sed -i 's/^stress_ng: .*/stress_ng: 8.8/' two.csv.about
refused 'one.csv is by stress-ng 9\.9, two.csv by 8\.8' compare one.csv two.csv
run "$variability" compare one.csv two.csv --force
expect_status 0
rm two.csv.about
refused 'two.csv.about is missing' compare one.csv two.csv

# ---- The search ---------------------------------------------------------------------------------------------------------------

# shellcheck disable=SC2086 # words
run "$variability" profile -o half.csv -m queens,int64,float -b 50% -y signals $measure
expect_status 0
expect_text held '^-q -n 1 --cpus [0-9]+ -a signals -c open -D quantum=20m -T 50% --when-one-ends stop .* -- stress-ng --cpu 1 --cpu-method queens '
expect_text half.csv '^float,2,(247|252)\.5'
# shellcheck disable=SC2086 # words
run "$variability" calibrate --against half.csv --by "signals$(without_clocks && echo ,frequency)" -o known $measure
expect_status 0
expect_text out '^signals: as fast as the base at (49\.[89]|50\.[01])[0-9] % ± [0-9.]+ of one processor; options: -a signals -c open -D quantum=20m -T [0-9.]+%$'
expect_text out '^known: 50 %, off by [+-]0\.[0-3]'
expect_text out '^range before \[2\.00, 2\.00\]'
without_clocks && expect_text out '^frequency: unavailable: this machine has no cpufreq'
# A machine that has become faster since is so at half of its speed, too.
awk '{ $2 *= 1.1; print }' rates >faster
# shellcheck disable=SC2086 # words
STAND_IN_RATES=faster run "$variability" calibrate --against half.csv --by signals -o drifted $measure
expect_status 0
expect_text drifted/signals.result '^bandwidth=(49\.[5-9]|50\.[0-5])'
[ -s drifted/signals-base.csv ] || fail "$what: the base wasn't measured again"
expect_text out '^range before \[2\.00, 2\.00\]'
before=$(calls)
# shellcheck disable=SC2086 # words
STAND_IN_RATES=faster run "$variability" calibrate --against half.csv --by signals -o drifted $measure --resume
[ "$(calls)" -eq "$before" ] || fail 'a calibration that is complete has measured again'
# Less than in proportion, and methods that differ: the mean of 2.5 and 10 is 6.25, and 6.25 * b ^ 1.3 is 1 at 24.43 %.
# shellcheck disable=SC2086 # words
STAND_IN_POWER=1.3 run "$variability" calibrate --against base.csv --by signals,freezer -o far -m queens,float $measure
expect_status 0
expect_text far/signals.result '^bandwidth=(23\.[5-9]|24|25\.[0-4])'
expect_text far/signals.result '^known=$'
expect_text far/signals.result '^before_least=2\.5000$'
expect_text far/signals.result '^before_greatest=(9\.9|10\.)'
expect_text far/signals.result '^after_greatest=1\.(5[4-9]|6[0-6])'
expect_text far/freezer.result '^options=-a freezer '
expect_text out '^range before \[2\.50, (9\.90|10\.00)\], after .*, a [56]\.[0-9]-fold reduction; greatest / least [34]\.[09][0-9] and [34]\.[09][0-9]$'
[ "$(wc -l <far/signals-probes/search)" -ge 3 ] || fail "no search was needed: $(cat far/signals-probes/search)"
[ "$(wc -l <far/freezer-probes/search)" -eq 2 ] || fail "the second hand doesn't begin where the first was held: $(cat far/freezer-probes/search)"
expect_text far/signals.svg '<svg '
before=$(calls)
# shellcheck disable=SC2086 # words
STAND_IN_POWER=1.3 run "$variability" calibrate --against base.csv --by signals,freezer -o far -m queens,float $measure --resume
expect_status 0
[ "$(calls)" -eq "$before" ] || fail 'a calibration that is complete has measured again'
# By itself a hand takes the way that the first took.
cp -R far alike
rm -r alike/freezer*
# shellcheck disable=SC2086 # words
STAND_IN_POWER=1.3 run "$variability" calibrate --against base.csv --by freezer -o alike -m queens,float $measure --resume
expect_status 0
cmp -s alike/freezer-probes/search alike/signals-probes/search || fail "$what: the second hand took another way: $(cat alike/freezer-probes/search)"
# A machine that has become slower since its profile is so while it is held, too.
awk '{ $2 *= 0.75; print }' rates >slower
cp far/free.csv free.csv
cp far/free.csv.about free.csv.about
# shellcheck disable=SC2086 # words
STAND_IN_RATES=slower STAND_IN_POWER=1.3 run "$variability" calibrate --against base.csv --free free.csv --by signals -o later -m queens,float $measure
expect_status 0
expect_text later/signals.result '^bandwidth=(23\.[5-9]|24|25\.[0-4])'
expect_text later/signals.result '^drift=0\.7[456]$'
expect_text out '^signals at [0-9.]+ %: mean ratio [0-9.]+ ± [0-9.]+; what was measured beside was 0\.7[456] times as fast as before$'
[ "$(sed 1d later/signals.csv | wc -l)" -eq "$(sed 1d later/signals-free.csv | wc -l)" ] || fail "$what: not each measurement has one beside it"
run "$variability" publish later
expect_text out '^Measured beside, this machine without a limit was 0\.7[456] \(signals\) times as fast as before'
cp half.csv elsewhere.csv
sed 's/^host: .*/host: another/' half.csv.about >elsewhere.csv.about
# shellcheck disable=SC2086 # words
STAND_IN_RATES=base-rates run "$variability" calibrate --against elsewhere.csv --by signals -o never $measure
expect_trouble '^tools/experiments/variability: this machine is slower than .*elsewhere.csv, also without a limit'

STAND_IN_VERSION=8.8
export STAND_IN_VERSION
refused 'half.csv is by stress-ng 9\.9, here is 8\.8' calibrate --against half.csv --by signals -o never
unset STAND_IN_VERSION
refused '--against: half.csv has rates of methods, expected programs' validate --against half.csv --calibration far -o never

# ---- Real programs ------------------------------------------------------------------------------------------------------------

mkdir catalogue
printf 'summary = ends at once\nclass = single-threaded\ncommand = exec true\nrecords = ssiterate\n' >catalogue/quick.workload
SHOWSTOPPER_WORKLOADS=$work/catalogue
export SHOWSTOPPER_WORKLOADS
# shellcheck disable=SC2086 # words
STAND_IN_RATES=base-rates run "$variability" validate --record programs.csv --programs stress-ng:memcpy,quick --iterations 3 --warm-up 1 $measure
expect_status 0
what=programs.csv
expect_text programs.csv '^workload:quick,2,[0-9.]+$'
expect_text programs.csv.about '^kind: programs$'
refused "--programs: stress-ng has no stressor 'chess'" validate --record p.csv -P stress-ng:chess
refused 'validate: expected --calibration DIR' validate --against programs.csv -o judged
# A speed-up of 5 lies between 2.5 and 10; held, that of the stand-in is 1.2, as it is held in proportion, and the range is 0.4 to 1.6.
run "$variability" validate --against programs.csv --calibration far --programs stress-ng:memcpy -o judged -n 2 -B programs
expect_status 0
expect_text out '^free: 1 of 1 programs lie within \[2\.50, (9\.90|10\.00)\]$'
expect_text out '^signals: 1 of 1 programs lie within \[0\.[34].*'
expect_text judged/validation.csv '^free,stress-ng:memcpy,5\.0000,2\.5000,[0-9.]+,yes$'
expect_text judged/freezer.svg '<svg '
unset SHOWSTOPPER_WORKLOADS

# ---- The document -------------------------------------------------------------------------------------------------------------

run "$variability" publish known alike
expect_status 0
expect_text out '^\| signals \| [0-9.]+ ± [0-9.]+ % \(known: 50 %, off by '
without_clocks && expect_text out '^\| frequency \| unavailable: this machine has no cpufreq'
expect_text out '^After calibration the ratios by signals and by freezer differ by 0\.0 % in the median .*; 0 of 2 differ by more than'
without_clocks && expect_text out '^The open question .*: not answered here, as the frequency can.t be set \(this machine .*\); the hands .* give the same one'
if git -C "$source" rev-parse HEAD >/dev/null 2>&1; then
	mkdir -p draft/tools/experiments
	printf 'Before.\n\n<!-- variability: begin -->\nnot measured yet\n<!-- variability: end -->\n' >draft/tools/experiments/README.md
	run env PUBLISH_ROOT="$work/draft" "$variability" publish --publish --build programs known far
	expect_status 0
	what='the draft'
	expect_text draft/tools/experiments/README.md '^<sub>Revision .*: `tools/experiments/variability publish --publish '
	expect_text draft/tools/experiments/README.md '^\| freezer \| '
	expect_no_text draft/tools/experiments/README.md 'not measured yet'
	publishing() {
		run env PUBLISH_ROOT="$work/draft" "$variability" publish --publish --build programs "$@"
	}
	sed -i 's/^revision: .*/revision: 1234567/' known/free.csv.about
	publishing known far
	expect_trouble '^tools/experiments/variability: --publish: measured by several revisions: .*1234567'
	cp -R known unsaid
	rm unsaid/signals.csv.about
	publishing unsaid
	expect_trouble '^tools/experiments/variability: --publish: unsaid/signals.csv was measured on another machine or kernel'
	find known -name '*.about' -exec sed -i 's/^revision: .*/revision: 1234567/' {} +
	publishing known
	expect_trouble '^tools/experiments/variability: --publish: measured by revision 1234567, this is '
	# Asked for, it is published as what it is.
	find known -name '*.about' -exec sed -i 's/^date: .*/date: 2001-02-03 04:05 UTC/' {} +
	publishing --force known
	expect_status 0
	expect_text draft/tools/experiments/README.md '^<sub>Revision 1234567, 2001-02-03, '
	sed -i 's/^kernel: .*/kernel: Linux 2.4/' known/signals.csv.about
	publishing --force known
	expect_trouble '^tools/experiments/variability: --publish: known/signals.csv was measured on another machine or kernel than this \(kernel: Linux 2\.4\)$'
fi

# ---- A kill -------------------------------------------------------------------------------------------------------------------

# shellcheck disable=SC2086 # words
start_background "$variability" profile -o killed.csv -m queens,slow $measure
wait_until test -s slow
kill -KILL "$background"
wait_background
is_gone() {
	! kill -0 "$(cat slow)" 2>/dev/null
}
wait_until is_gone
what='killed.csv'
expect_text killed.csv '^queens,1,'
refused 'killed.csv was measured with other options than time_s: 2;' profile -o killed.csv -m queens,slow -t 2 -n 2 -B programs --resume
# shellcheck disable=SC2086 # words
run "$variability" profile -o killed.csv -m queens $measure --resume
expect_status 0
expect_text out '^\[1/1\] queens 2: '
expect_text killed.csv.about '^stress_ng: 9\.9$'
[ ! -e killed.csv.run ] || fail 'what a killed profile left is still there'

# ---- The real ones ------------------------------------------------------------------------------------------------------------

rm bin/stress-ng programs/showstopper
if [ -z "$real_stress" ]; then
	missing stress-ng
else
	ln -s "$build/showstopper" programs/
	ln -s "$build/modules" programs/
	run "$variability" profile -o real.csv -m queens -t 1 -n 1 -b 50% -y signals -B programs
	expect_status 0
	expect_text real.csv '^queens,1,[0-9]+'
	lacking=$("$source/tools/experiments/environment" missing lxc | paste -s -d , -)
	if [ -n "$lacking" ]; then
		case $lacking in *'the package lxc'*) missing lxc containers ;; *) left_out "containers: $lacking" ;; esac
	else
		run "$variability" profile --in lxc -o inside.csv -m queens -t 1 -n 1 -B programs
		expect_status 0
		expect_text inside.csv '^queens,1,[0-9]+'
		expect_text inside.csv.about '^environment: lxc$'
		expect_text inside.csv.about '^stress_ng: [0-9.]+$'
		[ ! -e inside.csv.run ] || fail 'the folder of the environment was left'
	fi
fi
finish
