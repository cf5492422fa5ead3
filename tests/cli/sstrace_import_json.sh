#!/bin/sh
# SPDX-License-Identifier: MIT
# sstrace makes traces of JSON by sysstat and Prometheus, and of collectd's files: parts of a machine, counters, and what is wrong within.
# shellcheck source=tests/cli/lib.sh
. "${SHOWSTOPPER_SOURCE}/tests/cli/lib.sh"

# expect_trace LINE…: the trace that came out, in seconds and with six digits.
expect_trace() {
	expect_status 0
	printf '%s\n' "$@" >wanted
	awk '/^interpolate/ { print; next } { printf "%.9g %.6g\n", $1 / 1e9, $2 }' out >found
	cmp -s wanted found || { fail "$what: expected <, found >"; diff wanted found; sed 's/^/  err: /' err; }
}

# expect_loads: the file of that name and the trace have the same loads, to a rounding.
expect_loads() {
	expect_status 0
	awk '!/^i/ { printf "%.6g\n", $2 }' out | uniq >found
	uniq "$1" >wanted
	[ -s wanted ] || fail "$what: nothing was recorded"
	# The last load stands twice, when the trace ends.
	cmp -s wanted found || fail "$what: $(tr '\n' ' ' <wanted) became $(tr '\n' ' ' <found)"
}

# ---- sadf -j ---------------------------------------------------------------------------------------------------------------------------

# stamp TIME INTERVAL IDLE IOWAIT IDLE-OF-0
stamp() {
	printf '%s{"timestamp": {"date": "2026-03-01", "time": "%s", "utc": 1, "interval": %s},\n' "$comma" "$1" "$2"
	printf '"cpu-load": [\n{"cpu": "all", "user": 1.00, "iowait": %s, "idle": %s},\n{"cpu": "0", "user": 1.00, "iowait": 0.00, "idle": %s}\n]}\n' \
		"$4" "$3" "$5"
	comma=,
}
head_of() {
	printf '{"sysstat": {\n"hosts": [\n{"nodename": "db1", "number-of-cpus": 2, "file-date": "2026-03-01", "timezone": "UTC",\n"statistics": [\n'
	comma=
}
tail_of='],"restarts": [{"boot": {"date": "2026-03-01", "time": "00:25:00", "utc": 1}}]}]}}'
{
	head_of
	stamp 00:10:01 600 90.00 3.00 50.00
	stamp 00:20:01 600 70.00 5.00 50.00
	stamp 00:30:01 600 '"seventy"' 5.00 50.00
	stamp 00:50:01 600 20.00 0.00 50.00
	printf '%s\n' "$tail_of"
} >sa.json
run sstrace -t sa.json
expect_trace 'interpolate step' '0 0.07' '600 0.25' '2400 0.8' '3000 0.8'
expect_text err '^sstrace: sa.json: sadf, 3 samples; 1 line left out, the first is line 17, byte 63: found no idle time, .*; 1 gap of 20min,'
# As sysstat 12.7 writes it.
cp out by-number
sed 's/"utc": 1/"tz": "UTC"/' sa.json | sstrace -t >by-name 2>err
cmp -s by-number by-name || fail "with the zone's name it is another trace"
expect_no_text err 'without a zone'
sed 's/"utc": 1/"tz": "CET"/' sa.json | sstrace -t >by-name 2>err
expect_text err 'without a zone'
run sstrace -t --cpu 0 sa.json
expect_trace 'interpolate step' '0 0.5' '3000 0.5'
run sstrace --strict -t sa.json
expect_trouble '^sstrace: sa.json:17:63: found no idle time, or no number, expected percentages$'
sed 's/"seventy"/70/; s/"00:30:01"/"half past"/' sa.json >when.json
run sstrace -t when.json
expect_text err "found '2026-03-01' and 'half past', expected a date and a time"
# All in one line, through a pipe, and one recording after another.
what='a pipe'
tr -d '\n' <sa.json | sstrace -t >one.line 2>err
run sstrace -t sa.json
cmp -s out one.line || fail 'in one line it is another trace'
cat sa.json sa.json | sstrace --machines >out 2>err
expect_text out '^db1,6,40min,0\.373333,0\.8$'
# Cut and broken.
head -c 700 sa.json >cut.json
run sstrace -t cut.json
expect_trouble '^sstrace: cut.json: line [0-9]+, byte [0-9]+: found the end of the file within JSON: it is cut off$'
sed 's/^,{/{/' sa.json >broken.json
run sstrace -t broken.json
expect_trouble '^sstrace: broken.json: line 10, byte [0-9]+: found broken JSON \(parse error: after array element'
awk 'BEGIN { printf "{\"sysstat\": "; for (i = 0; i < 100; i++) printf "[" }' >deep.json
run sstrace -t deep.json
expect_trouble 'deep.json: line 1, byte [0-9]+: found more levels than 32$'
printf '{"sysstat": {"hosts": [{"file-date": "2026-03-01", "statistics": []}]}}' >none.json
run sstrace -t none.json
expect_trouble 'none.json: found no "cpu-load", expected it \(sadf -j FILE -- -u\)$'
run sstrace -t --unit percent sa.json
expect_trouble 'found --unit, expected none of that: sadf has its own unit$'
sadc=$(find /usr/lib/sysstat /usr/libexec/sysstat -name sadc 2>/dev/null)
if command -v sadf >/dev/null && [ "$sadc" ]; then
	"$sadc" 1 3 sa >/dev/null
	sadf -d sa -- -u | awk -F';' '!/^#/ { printf "%.6g\n", 1 - ($NF + $(NF - 2)) / 100 }' >loads
	sadf -j sa -- -u -P ALL >sadf.json
	run sstrace --strict -t sadf.json
	expect_loads loads
else
	missing sysstat 'what sadf writes'
fi

# ---- mpstat ----------------------------------------------------------------------------------------------------------------------------

cat >mpstat.json <<'END'
{"sysstat": {"hosts": [{"nodename": "db1", "number-of-cpus": 2, "date": "03/01/26", "statistics": [
{"timestamp": "23:59:58", "cpu-load": [{"cpu": "all", "usr": 30.00, "iowait": 10.00, "idle": 60.00}, {"cpu": "1", "usr": 0.00, "idle": 0.00}]},
{"timestamp": "24:59:59", "cpu-load": [{"cpu": "all", "usr": 30.00, "iowait": 10.00, "idle": 60.00}, {"cpu": "1", "usr": 50.00, "idle": 50.00}]},
{"timestamp": "00:00:00", "cpu-load": [{"cpu": "all", "usr": 50.00, "iowait": 0.00, "idle": 50.00}, {"cpu": "1", "usr": 50.00, "idle": 50.00}]},
{"timestamp": "12:00:01 AM", "cpu-load": [{"cpu": "all", "usr": 75.00, "iowait": 0.00, "idle": 25.00}, {"cpu": "1", "usr": 50.00, "idle": 50.00}]},
{"timestamp": "00:00:02", "cpu-load": [{"cpu": "all", "usr": 100.00, "iowait": 0.00, "idle": 0.00}, {"cpu": "1", "usr": 90.00, "idle": 10.00}]}
]}]}}
END
run sstrace -t mpstat.json
expect_trace 'interpolate step' '0 0.3' '2 0.5' '3 0.75' '4 1' '5 1'
expect_text err "mpstat, 4 samples; 1 line left out, the first is line 3, byte 99: found '03/01/26' and '24:59:59', expected a date and a time; 1 gap"
run sstrace -t --cpu 1 mpstat.json
expect_text err '1 sample without a load left out'
# Means of several machines: samples are as long as they are apart, shorter or longer than the step.
mpstat_of() { # NODE DISTANCE LOADS…: from midnight on
	node=$1 apart=$2
	shift 2
	echo "$*" | awk -v node="$node" -v apart="$apart" '{
		printf "{\"sysstat\": {\"hosts\": [{\"nodename\": \"%s\", \"date\": \"2026-03-01\", \"statistics\": [", node
		for (i = 1; i <= NF; i++) {
			at = i * apart
			printf "%s\n{\"timestamp\": \"%02d:%02d:%02d\", \"cpu-load\": [{\"cpu\": \"all\", \"usr\": %g, \"idle\": %g}]}", (i > 1 ? "," : ""), at / 3600, at / 60 % 60, at % 60, 100 * $i, 100 - 100 * $i
		}
		print "]}]}}" }'
}
mpstat_of a 1 "$(awk 'BEGIN { for (i = 0; i < 240; i++) print i % 120 < 60 }' | tr '\n' ' ')" >a.json
sed 's/"a"/"b"/' a.json >b.json
run sstrace -t --mean-of all a.json b.json
expect_trace 'interpolate step' '0 1' '60 0' '120 1' '180 0' '240 0'
mpstat_of c 600 1 0 1 0 >c.json
sed 's/"c"/"d"/' c.json >d.json
run sstrace -t --mean-of all c.json d.json
expect_trace 'interpolate step' '0 1' '600 0' '1200 1' '1800 0' '2400 0'
expect_no_text err gap
if command -v mpstat >/dev/null; then
	mpstat -o JSON -P ALL 1 2 >own.json
	awk -F'[:,}]' '/"all"/ { for (i = 1; i < NF; i++) { if ($i ~ /iowait/) wait = $(i + 1); if ($i ~ /idle/) idle = $(i + 1) } printf "%.6g\n", 1 - (idle + wait) / 100 }' own.json >loads
	run sstrace --strict -t own.json
	expect_loads loads
else
	missing sysstat 'what mpstat writes'
fi

# ---- Prometheus ------------------------------------------------------------------------------------------------------------------------

# Two processors, of which the first is counted anew, one value is none, and the state user isn't used.
cat >prom.json <<'END'
{"status":"success","data":{"resultType":"matrix","result":[
{"metric":{"__name__":"node_cpu_seconds_total","cpu":"0","instance":"db1:9100","mode":"idle"},"values":[[1000.5,"100"],[1015.5,"107.5"],[1030.5,"115"],[1045.5,"2"],[1060.5,"17"]]},
{"metric":{"__name__":"node_cpu_seconds_total","cpu":"0","instance":"db1:9100","mode":"iowait"},"values":[[1000.5,"10"],[1015.5,"13"],[1030.5,"13"],[1045.5,"0"],[1060.5,"0"]]},
{"metric":{"__name__":"node_cpu_seconds_total","cpu":"0","instance":"db1:9100","mode":"user"},"values":[[1000.5,"100"],[1015.5,"107.5"]]},
{"metric":{"__name__":"node_cpu_seconds_total","cpu":"1","instance":"db1:9100","mode":"idle"},"values":[[1000.5,"100"],[1015.5,"115"],[1030.5,"x"],[1045.5,"2"],[1060.5,"2"]]}
]}}
END
run sstrace -t prom.json
# 0.3 and 0; then 0.5 of the first alone; a gap; 0 and 1.
expect_trace 'interpolate step' '0 0.15' '15 0.5' '60 0.5'
expect_text err "prometheus, 8 samples; 1 line left out, the first is line 5, byte [0-9]+: found 'x', expected a number; 3 resets of counters, gaps; 1 gap of 15s"
run sstrace --strict -t prom.json
expect_trouble "^sstrace: prom.json:5:[0-9]+: found 'x', expected a number$"
run sstrace -t --cpu 0 prom.json
expect_trace 'interpolate step' '0 0.3' '15 0.5' '45 0' '60 0'
head -c 300 prom.json >cut.json
run sstrace -t cut.json
expect_trouble 'line 3, byte [0-9]+: found the end of the file within JSON: it is cut off$'
run sstrace -t --column rack prom.json
expect_trouble "found a series without the label 'rack', expected it \(--column\)$"
run sstrace -t --time when prom.json
expect_trouble 'found --time, expected none of that: prometheus has its own times$'
# Loads of machines by a label, one of them with a gap, as promtool writes them.
cat >ratio.json <<'END'
[{"metric":{"rack":"a"},"values":[[0,"0.25"],[60,"0.5"],[120,"NaN"],[180,"0.75"]]},
{"metric":{"rack":"b"},"values":[[0,"0.75"],[60,"0.5"]]}]
END
run sstrace --machines ratio.json
expect_status 0
printf 'machine,samples,span,mean,maximum\nrack=a,3,3min,0.5,\nrack=b,2,1min,0.625,\n' >wanted
cmp -s out wanted || { fail 'the list of machines'; diff wanted out; }
run sstrace -t ratio.json
expect_trouble "found the machines 'rack=a' and 'rack=b'"
run sstrace -t --column rack --machine a ratio.json
expect_trace 'interpolate step' '0 0.25' '60 0.5' '180 0.75' '240 0.75'
expect_text err '1 sample without a load left out; 1 gap of 1min'
run sstrace -t --column rack --mean-of a,b --step 1min ratio.json
expect_trace 'interpolate step' '0 0.5' '180 0.75' '240 0.75'
sed 's/"0\.\([0-9]*\)"/"\1"/g; s/"5"/"50"/g' ratio.json >percent.json
run sstrace -t --unit percent --machine rack=b percent.json
expect_trace 'interpolate step' '0 0.75' '60 0.5' '120 0.5'
printf '{"status":"error","errorType":"bad_data","error":"invalid parameter"}' >error.json
run sstrace -t error.json
expect_trouble "found the error 'invalid parameter' instead of an answer$"
printf '{"status":"success","data":{"resultType":"vector","result":[{"metric":{},"value":[1,"2"]}]}}' >vector.json
run sstrace -t vector.json
expect_trouble "found a result of type 'vector', expected matrix, of a range query$"

# ---- collectd --------------------------------------------------------------------------------------------------------------------------

mkdir -p db1/cpu-0 db1/cpu-1 db1/cpu
# Jiffies over midnight; a line in the middle is wrong, and one is cut at the end.
printf 'epoch,value\n0.5,100\n10.5,600\n20.5,many\n30.5,2600\n' >db1/cpu-0/cpu-idle-2026-03-01
printf 'epoch,value\n40.5,2600\n50' >db1/cpu-0/cpu-idle-2026-03-02
printf 'epoch,value\n0.5,0\n10.5,100\n20.5,100\n30.5,100\n40.5,100\n' >db1/cpu-0/cpu-wait-2026-03-01
printf 'epoch,value\n0.5,0\n10.5,100\n' >db1/cpu-0/cpu-user-2026-03-01
run sstrace -t db1/cpu-0/cpu-*
expect_trace 'interpolate step' '0 0.4' '10 0' '30 1' '40 1'
expect_text err "collectd, 7 samples; 2 lines left out, the first is line 4: found 'many', expected a number"
# Percentages, and jiffies in a second: of two processors, and of all together.
printf 'epoch,value\n10,50.000000\n20,25.000000\n' >db1/cpu/percent-idle-2026-03-01
printf 'epoch,value\n10,10.000000\n20,0.000000\n' >db1/cpu/percent-wait-2026-03-01
run sstrace -t db1/cpu/percent-*
expect_trace 'interpolate step' '0 0.4' '10 0.75' '20 0.75'
printf 'epoch,value\n10,nan\n20,50.000000\n30,100.000000\n' >db1/cpu-0/cpu-idle-2026-04-01
printf 'epoch,value\n10.1,nan\n20.1,0.000000\n30.1,100.000000\n' >db1/cpu-1/cpu-idle-2026-04-01
run sstrace -t db1/cpu-*/cpu-idle-2026-04-01
expect_trace 'interpolate step' '0 0.75' '10 0' '20 0'
run sstrace -t --cpu 1 db1/cpu-*/cpu-idle-2026-04-01
expect_trace 'interpolate step' '0 1' '10 0' '20 0'
run sstrace -t --cpu 1 db1/cpu/percent-*
expect_trouble 'found the mean of all processors, expected files in cpu-1 \(--cpu\)$'
cp db1/cpu/percent-idle-2026-03-01 load.txt
run sstrace -t load.txt
expect_trouble '^sstrace: load.txt: found a file of another name, expected HOST/cpu-N/percent-STATE-DATE'
if [ -x /usr/sbin/collectd ]; then
	cat >collectd.conf <<END
Hostname "web1"
FQDNLookup false
Interval 0.5
BaseDir "$PWD"
PIDFile "$PWD/pid"
LoadPlugin cpu
LoadPlugin csv
<Plugin cpu>
	ValuesPercentage true
	ReportByCpu false
</Plugin>
<Plugin csv>
	DataDir "$PWD/csv"
</Plugin>
END
	timeout 2 /usr/sbin/collectd -f -C collectd.conf >said 2>&1
	sed -n '/^[0-9]/s/.*,//p' csv/web1/cpu/percent-idle-* | awk '{ printf "%.6g\n", 1 - $1 / 100 }' >loads
	run sstrace -t csv/web1/cpu/percent-idle-*
	expect_loads loads
	run sstrace --machines csv/web1/cpu/percent-*
	expect_text out '^web1,'
else
	missing collectd-core 'what collectd writes'
fi

finish
