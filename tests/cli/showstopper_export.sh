#!/bin/sh
# SPDX-License-Identifier: MIT
# The records of a run: --export-json against its schema, --export-csv against the summary, SIGUSR1 and the live line.
# shellcheck source=tests/cli/lib.sh
. "${SHOWSTOPPER_SOURCE}/tests/cli/lib.sh"

schema=$source/tests/fixtures/export.schema.json

valid() {
	/usr/bin/python3 -m jsonschema -i "$1" "$schema" >schema.out 2>&1 || fail "$what: $1 is not as its schema says: $(head -c 300 schema.out)"
}

# value FILE FILTER EXPECTED. By value, as some versions of jq print 1.0 where others print 1.
value() {
	found=$(jq -c "$2" "$1")
	jq -en --argjson found "$found" --argjson expected "$3" '$found == $expected' >/dev/null 2>&1 || fail "$what: $2 is $found, expected $3"
}

run showstopper -n 2 -T 40% -r 1s -w 100m --export-json record.json --export-csv record.csv --log-interval 250m -o log.csv ssburn -s %
expect_status 0
valid record.json
value record.json '[.configuration.modules[].kind]' '["trace","feedback","control","space","dithering","actuator"]'
value record.json '[.configuration.modules[] | select(.file == null) | .kind]' '["actuator"]'
value record.json '.configuration.groups' '[{"instances":2,"command":["ssburn","-s","%"],"free":false,"cpus":null,"pin":null,"bind":false,"stdout":null,"stderr":null}]'
value record.json '[.workloads[].command]' '[["ssburn","-s","0"],["ssburn","-s","1"]]'
value record.json '[.configuration.warmup_s,.configuration.run_time_s,.configuration.trace_length_s,.configuration.log]' '[0.1,1,null,"log.csv"]'
value record.json '[.result.samples,.exit_status,.ended_by_signal]' '[2,0,null]'
value record.json '[.workloads[].ended_by_itself]' '[false,false]'
value record.json '.configuration.modules[0].options' '"load=0.4"'
value record.json '[.workloads[].cpu_s > 0]' '[true,true]'
expect_lines record.csv 2
columns=$(awk -F, '{ print NF }' record.csv | sort -u)
[ "$columns" = 42 ] || fail "record.csv has rows of $columns columns, expected 42 in both"
# The manual has the same columns.
listed=$(sed -n '/^The columns of the CSV/,/^\.Ed/p' "$source/src/showstopper-record.5" | grep '^[a-z]' | tr -d '\n')
[ "$(head -n 1 record.csv)" = "$listed" ] || fail "record.csv begins with $(head -n 1 record.csv), showstopper-record(5) lists $listed"
# Which Showstopper it was, in both records as --version says.
said=$(showstopper --version | sed 's/^showstopper //; s/ (\(.*\))$/,\1/; /,/!s/$/,/')
[ "$(head -n 1 record.csv | sed 's/.*,\(.*,.*\)/\1/')" = showstopper,revision ] || fail "record.csv has other columns at its end: $(head -n 1 record.csv)"
[ "$(tail -n 1 record.csv | sed 's/.*,\(.*,.*\)/\1/')" = "$said" ] || fail "record.csv is of '$(tail -n 1 record.csv)', --version says $said"
value record.json '.showstopper + "," + (.revision // "")' "\"$said\""
# Both say what the summary says.
csv_load=$(awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "load") at = i } NR == 2 { printf "%.2f", 100 * $at }' record.csv)
json_load=$(jq '.result.load * 10000 | round / 100' record.json | awk '{ printf "%.2f", $1 }')
[ "$csv_load" = "$json_load" ] || fail "load is $csv_load in CSV and $json_load in JSON"
expect_text err "^achieved load  *$csv_load %"

value record.json '[.configuration.log_power,.result.energy_j,.result.power_w]' '[false,null,null]'

# Each column of the CSV is what JSON says of it, in a run whose figures differ from one another: with a warm-up, two halves, power, workloads that are
# respawned, that work on after SIGTERM, and that are free.
printf '0 0\n500m 0\n500m 1\n1s 1\n' >step.trace
cat >late <<'END'
	trap 'i=0; while [ $i -lt 50000 ]; do i=$((i + 1)); done; exit 0' TERM
	while :; do :; done
END
mkdir -p root/sys/class/hwmon/hwmon0
ln -s /proc root/proc
echo zenpower >root/sys/class/hwmon/hwmon0/name
echo 12500000 >root/sys/class/hwmon/hwmon0/power1_input
run showstopper -q -T step.trace -w 500m --when-one-ends respawn --sysroot root --log-power --log-interval 250m -o log.csv --export-json both.json \
	--export-csv both.csv -n 2 sh ./late : -n 1 sleep 0.6 : -n 1 --free ssburn
expect_status 0
jq -rn --rawfile csv both.csv --slurpfile record both.json '
	def times($of): {before: .["\($of)_cpu_s"].before, control: .["\($of)_cpu_s"].control, after: .["\($of)_cpu_s"].after}
		| with_entries({key: "\($of)_cpu_\(.key)_s", value});
	($csv | split("\n")[:2] | map(split(",")) | transpose | map({key: .[0], value: .[1]}) | from_entries) as $row
	| $record[0] as $all
	| (($all.result | {target, load, mean_error_pp, mse_pp2, samples, controlled_s, saturated, starved, energy_j, power_w, alive, may_use_processors,
			log_missing_s, log_missing_at_end_s, maximum_per_s, others_mean: .others.mean, others_max: .others.max, free_mean: .free.mean, free_max: .free.max,
			worst_error_pp: .worst.error_pp, worst_time_s: .worst.time_s, equal_spread: ([.equal_instances[].spread] | max),
			wall_s: .own_cpu_s.wall}
		+ (.lateness_us | {p50, p90, p99} | with_entries(.key |= "lateness_\(.)_us"))
		+ (.own_cpu_s | {guardian, master, executors} | with_entries(.key |= "\(.)_cpu_s"))
		+ times("controlled") + times("free"))
		+ {workloads: ($all.workloads | length), processors: $all.machine.processors, exit_status: $all.exit_status,
			respawns: ([$all.workloads[].respawns] | add), lost: ([$all.workloads[] | select(.lost)] | length),
			showstopper: $all.showstopper, revision: ($all.revision // "")}) as $expected
	| (($row | keys) - ($expected | keys) | .[] | "\(.): in CSV alone"),
		(($expected | keys) - ($row | keys) | .[] | "\(.): not in CSV"),
		($expected | to_entries[]
			| select(.value != (if .key == "revision" then $row.revision else ($row[.key] | if . == "" then null else (tonumber? // .) end) end))
			| "\(.key): \($row[.key]) in CSV, \(.value) in JSON")' >differences 2>&1
[ ! -s differences ] || { fail "$what: other figures in CSV than in JSON:"; cat differences; }

# A workload that fails by itself, an argument that is no UTF-8, and a run that ends before the first sample.
run showstopper -n 1 -T 100% --export-json failed.json sh -c "exit 7 # $(printf '\377')"
expect_status 1
valid failed.json
value failed.json '[.workloads[0].ended_by_itself,.workloads[0].exit_status,.exit_status,.result.load]' '[true,7,1,null]'

run timeout -s INT 1 showstopper -n 1 -T 50% --export-json interrupted.json ssburn
valid interrupted.json
value interrupted.json '[.exit_status,.ended_by_signal]' '[null,2]'

# Refused before anything is started.
run showstopper -n 1 -T 50% -r 1s --export-json "$work/none/record.json" touch started
expect_trouble 'none/record.json: can.t write the record'
[ ! -e started ] || fail 'a workload was started although the record can not be written'

# A disk that is full at the end.
run showstopper -q -n 1 -T 50% -r 500m --export-json /dev/full ssburn
expect_trouble '/dev/full: can.t write the record'

# `-` is standard output, for all that is written; the workloads' too.
run showstopper -q -n 1 -T 50% -r 600m --export-json - ssburn
expect_status 0
valid out
value out '.result.samples' 1
run showstopper -q -n 1 -T 50% -r 600m -o - ssburn
expect_status 0
expect_lines out 2
expect_text out '^time_s,monotonic_s,target,'
run showstopper -q -n 1 -T 50% -r 600m --export-csv - ssburn
expect_status 0
expect_lines out 2
expect_text out '^workloads,processors,target,'

# Two of them in one can't be read.
run showstopper -T 50% -o - --export-csv - touch started
expect_trouble '^showstopper: --log and --export-csv: both would be written to standard output: expected a file of its own for one of them$'
run showstopper -T 50% --export-csv both --export-json both touch started
expect_trouble '^showstopper: --export-json and --export-csv: both would be written to both: expected'
if [ -e started ] || [ -e both ]; then fail 'something was started or written although two outputs are one'; fi
run showstopper -q -n 1 -T 50% --stderr - --stdout said sh -c 'echo standard; echo error >&2'
expect_status 0
expect_lines out 1
expect_text out '^error$'
expect_text said '^standard$'
run showstopper -q -n 1 -T 50% --stdout - echo here
expect_text out '^here$'
[ ! -e ./- ] || fail 'a file is called -'
run sh -c 'showstopper -n 1 -T 50% -r 600m --export-json - ssburn >/dev/full'
expect_status 125
expect_text err '^showstopper: standard output: can.t write the record: No space left on device$'

# SIGUSR1: one line, and the run goes on. Nothing of the live line where stderr is no terminal.
showstopper -n 1 -T 50% -r 4s ssburn >out 2>err </dev/null &
pid=$!
sleep 2
kill -USR1 "$pid"
what='showstopper with SIGUSR1'
wait "$pid"
status=$?
expect_status 0
expect_text err '^showstopper: \[.*0:0[0-3] left target 50.0 % load .*; so far: target 50.00 %, load [0-9.]+ %, mean error'
if grep -q "$(printf '\r')" err; then fail 'a live line is drawn although stderr is no terminal'; fi

run showstopper --progress=always -n 1 -T 50% -r 1200m ssburn
expect_status 0
grep -q "$(printf '\r')" err || fail 'no live line with --progress=always'
run showstopper -q --progress=always -n 1 -T 50% -r 600m ssburn
expect_lines err 0
run showstopper --progress=sometimes -T 50% true
expect_trouble 'sometimes.*expected auto, always or never'

finish
