#!/bin/sh
# SPDX-License-Identifier: MIT
# tools/experiments/workload and its catalogue; where there is a JDK, also the Java programs.
# shellcheck disable=SC2016 # scripts and texts with dollar signs
# shellcheck source=tests/cli/lib.sh
. "${SHOWSTOPPER_SOURCE}/tests/cli/lib.sh"
workload=$source/tools/experiments/workload
unset SHOWSTOPPER_WORKLOADS SHOWSTOPPER_INSTANCE DACAPO_JAR CLASSPATH

# A header, then whole records of the instance, none twice.
expect_records() { # FILE INSTANCE
	[ "$(head -n 1 "$1")" = instance,iteration,start_s,end_s,status,time_unix_s ] || fail "$what: header of $1"
	[ -z "$(tail -c 1 "$1")" ] || fail "$what: the last line of $1 is not whole"
	awk -F, -v instance="$2" -v now="$(date +%s)" '
		NR == 1 { next }
		!/^[0-9]+,[0-9]+,[0-9]+\.[0-9]+,[0-9]+\.[0-9]+,0,[0-9]+\.[0-9]+$/ { exit 1 }
		length($3) - index($3, ".") != 9 || $1 != instance || seen[$2]++ || $4 < $3 || $6 < now - 3600 || $6 > now + 1 { exit 1 }' "$1" || {
		fail "$what: records of $1"
		head -20 "$1"
	}
}

# Usage.
run "$workload" --help
expect_status 0
expect_text out '^usage: tools/experiments/workload list'
run "$workload" show --help
expect_status 0
run "$workload"
expect_trouble 'expected list, show,'
run "$workload" start
expect_trouble "found 'start', expected list, show,"
run "$workload" show
expect_trouble 'show: expected NAME'
run "$workload" command xz lucene
expect_trouble 'command: expected one NAME'
run "$workload" list --build x
expect_trouble "list: unexpected option '--build'"
run "$workload" command xz --build
expect_trouble '^tools/experiments/workload: --build: expected one argument'
run "$workload" build-java
expect_trouble 'needs --java DIR'
run "$workload" show nothing
expect_trouble "there is no workload 'nothing' \\(burn-contended .* xz\\)"

# The catalogue: nothing wrong with it, each class is there, the README tells of each.
run "$workload" check
expect_status 0
expect_lines out 0
run "$workload" list
expect_status 0
expect_lines err 0
expect_text out '^burn-single +single-threaded +available$'
expect_text out '^burn-parallel +highly parallel +available$'
expect_text out '^h2 +moderately parallel '
expect_text out '^dacapo-fop +single-threaded +missing: .*\$DACAPO_JAR$'
run "$workload" list --names
cp out names
[ "$(sort -u names | wc -l)" -ge 16 ] || fail "only $(wc -l <names) workloads"
while read -r name; do
	case $name in
	dacapo-*) pattern="\`${name#dacapo-}\`" ;;
	*) pattern="^| \`$name\` |" ;;
	esac
	grep -q "$pattern" "$source/tools/experiments/README.md" || fail "tools/experiments/README.md lacks $name"
done <names
for package in $(sed -n 's/^needs = //p' "$source"/tools/experiments/workloads/*.workload | tr ' ' '\n' | sort -u); do
	case $package in default-jre-headless | coreutils) continue ;; esac
	"$source/tools/setup" --list | grep -q "^experiments  $package\$" || fail "tools/setup experiments lacks $package"
done
run env DACAPO_JAR=/nowhere/dacapo.jar "$workload" missing dacapo-h2
expect_text out '^\$DACAPO_JAR: /nowhere/dacapo.jar$'

# show
run "$workload" show burn-contended
expect_status 0
expect_text out '^class = moderately parallel$'
expect_text out '^command = exec \{build\}/ssburn .*\{records\}$'
expect_text out '^instances = P$'
run "$workload" show burn-contended records
expect_status 0
[ "$(cat out)" = own ] || fail "$what: $(cat out)"
run "$workload" show burn-contended needs
expect_status 0
[ -z "$(cat out)" ] || fail "$what: $(cat out)"
run "$workload" show burn-contended speed
expect_trouble "there is no key 'speed'"

# command: what is needed, what is replaced, what is quoted.
run "$workload" command burn-single --records r.csv
expect_trouble 'burn-single needs --build DIR'
run "$workload" command burn-single --build "$build"
expect_trouble 'burn-single needs --records FILE'
run "$workload" command fop --records r.csv
expect_trouble 'fop needs --java DIR'
run "$workload" command burn-single --build /b --records 'it.%.csv'
[ "$(cat out)" = "exec /b/ssburn -o $work/it.%.csv" ] || fail "$what: $(cat out)"
run "$workload" command --build "/b's" --records '/a b/$x\1&' burn-single
[ "$(cat out)" = "exec '/b'\\''s'/ssburn -o '/a b/\$x\\1&'" ] || fail "$what: $(cat out)"
run "$workload" command xz --wrap --build /b --records /r.csv
expect_text out '^exec /b/ssiterate -o /r\.csv -- sh -c .seq '
run "$workload" command xz
expect_text out '^seq '
printf 'summary = s\nclass = single-threaded\ncommand = date +%%s {build} 5%% @ {records} %%\nrecords = own\n' >percent.workload
run "$workload" command percent.workload --build /5% --records '/it.%.csv' --placeholder %
[ "$(cat out)" = 'date +%%s /5%% 5%% @ /it.%.csv %%' ] || fail "$what: $(cat out)"
run "$workload" command percent.workload --build /5% --records '/it.@.csv' --placeholder @
[ "$(cat out)" = 'date +%s /5% 5% @@ /it.@.csv %' ] || fail "$what: $(cat out)"
printf 'summary = s\nclass = single-threaded\ncommand = date +%%s\nrecords = ssiterate\n' >percent.workload
run "$workload" command percent.workload --wrap --build /5% --records '/it.%.csv' --placeholder %
[ "$(cat out)" = "exec /5%%/ssiterate -o /it.%.csv -- sh -c 'date +%%s'" ] || fail "$what: $(cat out)"
run "$workload" command percent.workload --placeholder ab
expect_trouble "--placeholder: invalid choice: 'ab' \(choose from "

# A user's file: beside the catalogue, before it, and instead of it.
mkdir mine other
cat >mine/tool.workload <<'TEXT'
# Blanks around, an equals sign and a hash in the value.
   summary=my tool = mine # not yours  
class = highly parallel

command = printf 'instance,iteration,start_s,end_s\n%s,0,1.000000000,2.000000000\n' "${SHOWSTOPPER_INSTANCE-0}" >{records}
records = own
TEXT
cp mine/tool.workload other/xz.workload
run "$workload" list mine/tool.workload
expect_status 0
expect_text out '^tool +highly parallel +available$'
expect_text out '^xz +single-threaded'
SHOWSTOPPER_WORKLOADS=$work/mine:$work/other
export SHOWSTOPPER_WORKLOADS
run "$workload" list
expect_text out '^tool +highly parallel +available$'
expect_text out '^xz +highly parallel'
expect_lines out $(($(wc -l <names) + 1))
run "$workload" show tool
expect_text out '^summary = my tool = mine # not yours$'
expect_text out '^warmup = 0s$'
run "$workload" command tool --records 'r 7.csv'
cp out script
run env SHOWSTOPPER_INSTANCE=7 sh script
expect_status 0
[ "$(tail -n 1 'r 7.csv')" = 7,0,1.000000000,2.000000000 ] || fail "$what: $(cat 'r 7.csv')"
run "$workload" check
expect_status 0
unset SHOWSTOPPER_WORKLOADS
run "$workload" show tool
expect_trouble "there is no workload 'tool'"
run "$workload" show mine/tool.workload class
[ "$(cat out)" = 'highly parallel' ] || fail "$what: $(cat out)"

# What is wrong is said with file and line.
good='summary = s
class = single-threaded
command = true
records = ssiterate'
bad() { # REGEX LINES
	printf '%s\n' "$2" >bad.workload
	run "$workload" check bad.workload
	expect_trouble "^tools/experiments/workload: bad\\.workload$1"
	run "$workload" show bad.workload
	expect_trouble "^tools/experiments/workload: bad\\.workload$1"
}
printf '%s\n' "$good" >bad.workload
run "$workload" check bad.workload
expect_status 0
bad ':5: unknown key "speed", expected one of summary ' "$good
speed = 3"
bad ':5: found "fast", expected key = value' "$good
fast"
bad ':6: warmup is there already, in line 5$' "$good
warmup = 1s
warmup = 2s"
bad ':5: warmup: found "soon", expected a time' "$good
warmup = soon"
bad ':5: warmup: found "1M30", expected a time' "$good
warmup = 1M30"
bad ':5: instances: found "0", expected P or a whole number' "$good
instances = 0"
bad ':5: instances: found "2.5", expected P or a whole number' "$good
instances = 2.5"
bad ':5: instances: found "100001", expected P or a whole number' "$good
instances = 100001"
bad ':5: needs: found "a, b", expected names' "$good
needs = a, b"
bad ':5: needs_file: found "x.jar", expected absolute' "$good
needs_file = x.jar"
bad ':5: needs_variable: found "\$X", expected names' "$good
needs_variable = \$X"
bad ':5: driver: found "A.java", expected the name of a Java class' "$good
driver = A.java"
bad ': driver: expected the file Absent.java beside it' "$good
driver = Absent"
bad ':5: needs: expected a value' "$good
needs ="
bad ':2: class: found "parallel", expected single-threaded' 'summary = s
class = parallel
command = true
records = ssiterate'
bad ':1: command: expected \{records\} in it' 'command = true
summary = s
class = single-threaded
records = own'
bad ':1: command: found \{records\}' 'command = x {records}
summary = s
class = single-threaded
records = ssiterate'
bad ':4: records: found "mine", expected own or ssiterate' 'summary = s
class = single-threaded
command = true
records = mine'
bad ': expected the key class' 'summary = s
command = true
records = ssiterate'
run "$workload" check mine/tool.workload nowhere.workload
expect_trouble 'nowhere.workload: no file that can be read'
printf '%s\nwarmup = 1M30s\ninstances = 12\n' "$good" >bad.workload
run "$workload" check bad.workload
expect_status 0
printf 'class = x\nspeed = 3\n' >bad.workload
run "$workload" list bad.workload
expect_status 125
expect_text err '^tools/experiments/workload: bad.workload:2: '
expect_text out '^xz '

# Commands at work, each on its own: those without Java, and DaCapo's lines from somebody else. Killed, they leave whole records.
try() { # NAME
	what="workload $1"
	rm -f "r.$1.3.csv"
	"$workload" command "$1" --wrap --build "$build" --java classes --records "r.$1.%.csv" |
		sed 's/%/3/g; s/^exec java /&-XX:TieredStopAtLevel=1 /' >"script.$1" # without much compiling at work
	SHOWSTOPPER_INSTANCE=3
	export SHOWSTOPPER_INSTANCE
	start_background sh "script.$1"
	unset SHOWSTOPPER_INSTANCE
	worked=no
	wait_until has_iterations "r.$1.3.csv" && worked=yes
	kill -KILL "$background"
	wait_background
	[ "$worked" = no ] || expect_records "r.$1.3.csv" 3
	expect_lines err 0
}
# shellcheck disable=SC2317 # wait_until calls it
has_iterations() { # FILE
	[ -e "$1" ] && [ "$(wc -l <"$1")" -gt 1 ]
}
for profile in single contended parallel phased sleepy; do try burn-$profile; done
if command -v xz >/dev/null; then try xz; else missing xz-utils; fi
mkdir bin
printf '#!/bin/sh\necho "$*" >java.words\nfor i in 1 2 3; do\n' >bin/java
printf 'echo "===== DaCapo 9.12 fop starting ====="\nsleep 0.1\necho "===== DaCapo 9.12 fop PASSED in 9 msec ====="\n' >>bin/java
printf 'done\nexec sleep 60\n' >>bin/java
chmod +x bin/java
: >"da capo.jar"
DACAPO_JAR="$work/da capo.jar"
export DACAPO_JAR
PATH=$work/bin:$PATH
run "$workload" missing dacapo-fop
expect_lines out 0
try dacapo-fop
expect_text java.words "^-jar $work/da capo\.jar -n 99999 --scratch-directory=$work/r\.dacapo-fop\.3\.csv\.scratch fop\$"
PATH=${PATH#"$work/bin:"}

# build-java and the Java programs.
mkdir broken
printf '%s\ndriver = Broken\n' "$good" >broken/broken.workload
echo 'class Broken { int' >broken/Broken.java
if ! command -v javac >/dev/null; then
	missing default-jdk-headless 'the Java programs'
	run "$workload" build-java --java classes
	expect_status 0
	expect_text out '^left out: fop, missing: default-jdk-headless'
	run "$workload" build-java --java classes fop
	expect_trouble 'fop: missing: default-jdk-headless'
	finish
fi
run "$workload" build-java --java classes broken/broken.workload
expect_status 125
expect_text err ': javac failed on .*broken/Broken\.java$'
[ -z "$(ls -A classes 2>/dev/null)" ] || fail "$what: left $(ls -A classes)"
run "$workload" build-java --java classes
expect_status 0
expect_lines err 0
cp out left_out
for name in fop lucene h2 sunflow xalan; do
	if [ -n "$("$workload" missing $name)" ]; then
		missing "$("$workload" missing $name | paste -s -d ' ' -)" "$name"
		expect_text left_out "^left out: $name, missing: "
		continue
	fi
	driver=$("$workload" show $name driver)
	[ -s "classes/$driver.class" ] || fail "build-java made no $driver.class"
	try $name
done
# A class that is newer than all sources is left alone, an older one is made again.
if [ -z "$("$workload" missing h2)" ]; then
	echo old >classes/H2Transactions.class
	run "$workload" build-java --java classes h2
	expect_status 0
	[ "$(cat classes/H2Transactions.class)" = old ] || fail "$what: compiled what is newer than its source"
	touch -d '2001-01-01' classes/H2Transactions.class
	run "$workload" build-java --java classes h2
	expect_status 0
	[ "$(head -c 3 classes/H2Transactions.class)" != old ] || fail "$what: left a class that is older than its source"
	for folder in classes/new.*; do [ ! -e "$folder" ] || fail "$what: left $folder"; done
	run env SHOWSTOPPER_INSTANCE=x java -cp classes H2Transactions 4
	expect_trouble "^SHOWSTOPPER_INSTANCE: found 'x', expected a whole number"
	run java -cp classes H2Transactions 0
	expect_trouble "^H2Transactions: CLIENTS: found '0', expected a whole number from 1"
fi

finish
