#!/bin/sh
# SPDX-License-Identifier: MIT
# A module of a third party: built outside the tree from what is installed alone, found, described and run, also by the commands of the
# manual. And modules that must be refused: with one line that names the module and what is wrong, before any workload is started.
# shellcheck source=tests/cli/lib.sh
. "${SHOWSTOPPER_SOURCE}/tests/cli/lib.sh"
unset SHOWSTOPPER_MODULE_PATH PKG_CONFIG_PATH
umask 022 # root loads nothing that others can write
cc=${CC:-cc}
abi=$(sed -n 's/^#define SST_CONTROL_ABI \([0-9]*\)u$/\1/p' "$source/include/showstopper/module.h")

# ---- Built from what is installed ---------------------------------------------------------------------------------------------

run cmake --install "$build" --prefix "$work/prefix"
expect_status 0
mkdir moved
mv prefix moved/prefix
PKG_CONFIG_LIBDIR=$(dirname "$(find "$work/moved/prefix" -name showstopper.pc)")
export PKG_CONFIG_LIBDIR
flags=$(pkg-config --cflags showstopper) || fail 'pkg-config finds no showstopper'
case $flags in
*"$source"* | *"$build"*) fail "the flags '$flags' lead out of the prefix" ;;
esac
examples=$(pkg-config --variable=examplesdir showstopper)
for kind in trace feedback control space dithering; do
	mkdir -p "outside/$kind" "modules/$kind"
	sed 's/"skeleton"/"mine"/' "$examples/modules/$kind/skeleton.c" >"outside/$kind/mine.c"
	# shellcheck disable=SC2086 # flags are words
	run "$cc" -std=c17 -Wall -Wextra -Werror -fPIC -shared $flags -o "modules/$kind/mine.so" "outside/$kind/mine.c"
	expect_status 0
done
# One that links the parsers.
cat >outside/feedback/parsing.c <<'END'
#include "showstopper/module.h"
#include "showstopper/parsers.h"

struct parsing {
	const char *every;
	int64_t interval_ns;
	int stat;
};

static int read_stat(void *state, const struct sst_env *env, struct sst_reading *now)
{
	static char text[1 << 16];
	const struct parsing *parsing = state;
	struct linux_stat stat;
	int64_t when_ns;
	const ssize_t length = env->host->read(env, parsing->stat, text, sizeof text, &when_ns);
	if (length < 0 || linux_stat_parse(text, (size_t)length, env->cpus, &stat) != 0)
		return -1;
	*now = (struct sst_reading){.when_ns = when_ns, .processors = stat.processors, .counter = {linux_stat_idle(&stat.total)}};
	return 0;
}

static int prepare(void *state, const struct sst_env *env)
{
	struct parsing *parsing = state;
	struct linux_container container;
	char text[UNITS_TEXT_MAX];
	if (units_parse_time(parsing->every, __builtin_strlen(parsing->every), &parsing->interval_ns, NULL) != 0)
		return env->host->refuse(env, "'%s': expected %s", parsing->every, UNITS_TIME_EXPECTED);
	env->host->say(env, "%s, %s", units_print_time(parsing->interval_ns, text), linux_container_find(env, &container) ? "a part" : "all");
	linux_container_free(&container);
	parsing->stat = env->host->open(env, "/proc/stat");
	return parsing->stat < 0 ? -1 : 0;
}

static bool sample(const void *state, const struct sst_reading *before, const struct sst_reading *now, struct sst_sample *sample)
{
	(void)state;
	const double idle = (double)(now->counter[0] - before->counter[0]) / linux_stat_hz();
	sample->capacity = (double)(now->when_ns - before->when_ns) / 1e9 * now->processors;
	sample->work = sample->capacity - idle;
	return sample->capacity > 0;
}

static double estimate(const void *state, double load, const struct sst_sample *sample)
{
	(void)state;
	return sst_filter(load, sample, 0.333);
}

static int64_t interval(const void *state, double processors)
{
	(void)processors;
	return ((const struct parsing *)state)->interval_ns;
}

static const struct sst_option options[] = {
	{.name = "every", .type = SST_TEXT, .offset = offsetof(struct parsing, every), .initial = "80ms", .help = "between samples"},
	{0},
};

SST_EXPORT const struct sst_feedback sst_module = {
	SST_BASE(feedback, SST_FEEDBACK, .name = "parsing", .version = "1", .summary = "links the parsers",
		.state_size = sizeof(struct parsing), .options = options, .prepare = prepare),
	.read = read_stat,
	.sample = sample,
	.estimate = estimate,
	.interval = interval,
};
END
libraries=$(pkg-config --libs showstopper)
# What is counted while it is tested needs the library that counts.
! grep -q __gcov_ "$(find moved/prefix -name libshowstopper-parsers.a)" || libraries="$libraries --coverage"
# shellcheck disable=SC2086
run "$cc" -std=gnu17 -Wall -Wextra -Werror -fPIC -shared $flags -o modules/feedback/parsing.so outside/feedback/parsing.c $libraries
expect_status 0
if command -v c++ >/dev/null; then
	echo '#include "showstopper/module.h"' >header.cc
	# shellcheck disable=SC2086
	run c++ -std=c++17 -Wall -Wextra -Werror -fsyntax-only $flags header.cc
	expect_status 0
else
	missing g++
fi

# ---- Found, described and run by the installed program ------------------------------------------------------------------------

PATH=$work/moved/prefix/bin:$PATH
# The manual's commands, as they stand there, but that they hold the load for a second only.
mkdir manual
awk -f "$source/tests/cli/examples.awk" moved/prefix/share/man/man7/showstopper-modules.7 | sed 's/ -r 10s / -r 1s /' >manual/commands
expect_text manual/commands ' -r 1s .*ssburn$'
run sh -ec 'cd manual; . ./commands'
expect_status 0
expect_text out "^file: $work/manual/control/mine.so\$"
expect_text err '^target load +50\.00 %$'

SHOWSTOPPER_MODULE_PATH=$work/modules
export SHOWSTOPPER_MODULE_PATH
run showstopper --list-modules
expect_status 0
for kind in trace feedback control space dithering; do
	expect_text out "^$kind:mine +[^ ]"
	cp out listed
	run showstopper --help-module "$kind:mine"
	expect_status 0
	expect_text out "^$kind module mine, version "
	expect_text out "^file: $work/modules/$kind/mine.so\$"
	cp listed out
done
expect_text out '^control:rbpid ' # those of the installation are still there

mkdir -p sysroot/proc/pressure
echo 'some avg10=0.00 avg60=0.00 avg300=0.00 total=1000' >sysroot/proc/pressure/cpu
run showstopper --sysroot="$work/sysroot" --dry-run -n 1 -t mine -T time=10s -f mine -c mine -C rate=0.5 -s mine -d mine true
expect_status 0
for kind in trace feedback control space dithering; do expect_text out "^$kind: mine"; done
expect_text out '^control: mine rate=0.5,band=0.01$'
expect_text out '^trace length: 10s$'

# NaN counts as 0, and is said once.
sed 's/out->published = out->duty;/out->published = out->duty = NAN;/; s/"mine"/"nan"/' outside/control/mine.c >outside/control/nan.c
# shellcheck disable=SC2086 # flags are words
run "$cc" -std=c17 -fPIC -shared $flags -o nan.so outside/control/nan.c
run showstopper -r 1500m -n 1 -T 30% -c ./nan.so sleep 10
expect_status 0
[ "$(grep -c "^showstopper: warning: control module './nan.so' has answered NaN, which counts as 0\$" err)" = 1 ] || fail "$what: $(cat err)"
run showstopper -r 1s -n 2 -T 30% -c "$work/modules/control/mine.so" -s mine -d mine -o log.csv ssburn --profile=single
expect_status 0
expect_text log.csv '^time_s,'
[ "$(wc -l <log.csv)" -ge 2 ] || fail "the log of the run has no row"

run showstopper -r 2s -n 2 -T 50% -f parsing -F 100m ssburn --profile=single
expect_status 0
expect_text err '^showstopper: .*100ms, (a part|all)$'
expect_text err '^achieved load +[0-9]'
printf 'cpu%s 10 0 0 90\n' '' 0 1 5 >sysroot/proc/stat
run showstopper --sysroot="$work/sysroot" --dry-run -n 1 -T 50% -f parsing true
expect_status 0
expect_text out '^processors: 3$'
run showstopper --dry-run -T 50% -f parsing -F every=soon true
expect_trouble "^showstopper: feedback module 'parsing': 'soon': expected a time such as "

# ---- Refused ------------------------------------------------------------------------------------------------------------------

fixtures=$build/tests/fixtures
# refused REGEX OPTION…: one line, status 125, and the workload was never started.
refused() {
	expected=$1
	shift
	rm -f started
	run showstopper -T 50% -r 1s -n 2 "$@" touch started
	expect_trouble "$expected"
	[ ! -e started ] || fail "$what: the workload was started"
}

refused "^showstopper: control module 'absent': no control/absent.so in $work/modules:" -c absent
refused "^showstopper: control module '/no/such.so': .*No such file or directory" -c /no/such.so
refused "^showstopper: trace module 'rbpid': no trace/rbpid.so in " -t rbpid
refused "^showstopper: space module .*/good.so is a control module, expected one of kind space\$" -s "$fixtures/good.so"
refused "^showstopper: control module .*/wrong_abi.so has control ABI $((abi + 1)), expected $abi\$" -c "$fixtures/wrong_abi.so"
refused "^showstopper: control module .*/wrong_size.so has a struct of [0-9]+ bytes, expected [0-9]+\$" \
	-c "$fixtures/wrong_size.so"
refused "^showstopper: control module .*/wrong_kind.so is a nameless kind of module, expected" -c "$fixtures/wrong_kind.so"
refused "^showstopper: control module .*/wrong_name.so calls itself 'another', expected" -c "$fixtures/wrong_name.so"
refused "^showstopper: trace module .*/no_hook_trace.so lacks the required hook 'target'\$" -t "$fixtures/no_hook_trace.so"
refused "^showstopper: control module .*/no_hook_control.so lacks the required hook 'step'\$" -c "$fixtures/no_hook_control.so"
refused "^showstopper: dithering module .*/no_hook_dithering.so lacks the required hook 'next'\$" \
	-d "$fixtures/no_hook_dithering.so"
refused "^showstopper: actuator module './mine.so': expected signals, freezer or quota: actuators are built in, and none is loaded from a file\$" -a ./mine.so
refused "^showstopper: control module .*/bad_table.so: option 'gain' has the default '2', out of its bounds\$" -c "$fixtures/bad_table.so"
refused "^showstopper: control module .*/no_symbol.so exports no 'sst_module'" -c "$fixtures/no_symbol.so"
refused "^showstopper: control module .*undefined symbol: a_function_that_nobody_has" -c "$fixtures/unresolved.so"
refused "^showstopper: control module .*/refuses.so': found 1, expected 2\$" -c "$fixtures/refuses.so"
refused "^showstopper: control module .*/refuses.so': refused without a reason\$" -c "$fixtures/refuses.so" -C silent

refused "^showstopper: control module 'mine': -C: unknown option 'speed': expected one of rate, band\$" -c mine -C speed=3
refused "^showstopper: control module 'mine': -C: option 'rate': 'fast' is malformed: expected a number, from 0 to 10\$" \
	-c mine -C rate=fast
refused "^showstopper: control module 'mine': -C: option 'rate': '11' is out of range: expected a number, from 0 to 10\$" \
	-c mine -C 11
refused "^showstopper: control module 'mine': -C: option 'band': '2' is out of range: expected a load" -c mine -C band=2
refused "^showstopper: dithering module 'averageq': -D: option 'quantum': '1u' is out of range: expected a time .* from 1ms to 1h\$" \
	-d averageq -D 1u
refused "^showstopper: feedback module 'realtime': -F: option 'source': 'magic' is malformed: expected idle, " -F source=magic
refused "^showstopper: space module 'even': -S: unknown option 'x': there are no options\$" -s even -S x=1
refused "^showstopper: trace module 'constant': -T: option 'load': '' is malformed" -T load=
refused "^showstopper: trace module 'file': .*absent.trace" -t file -T absent.trace

# Also where nothing would be run.
run showstopper --help-module control:absent
expect_trouble "control module 'absent': no control/absent.so in "
cp "$fixtures/wrong_abi.so" modules/control/wrong_abi.so
run showstopper --list-modules
expect_status 125
expect_lines err 1
expect_text err "^showstopper: control module 'wrong_abi': .* has control ABI $((abi + 1)), expected $abi\$"
expect_text out '^space:mine ' # the others are listed all the same

finish
