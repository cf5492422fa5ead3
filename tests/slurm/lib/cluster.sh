# shellcheck shell=sh
# SPDX-License-Identifier: MIT
# A cluster of Slurm on one machine, in namespaces that are its own. Sourced by lib/inside, after tests/cli/lib.sh.
#   cluster_start, cluster_stop     the daemons, with all files in $work/cluster
#   controller_stop, controller_start
#   node_start NODE, node_kill NODE  n1 or n2; a node that is killed loses all its processes at once, as if its power were gone
#   node_is NODE STATE              what sinfo calls it
#   processes_of NODE               those that are alive, one a line, with their numbers
#   expect_idle                     that no job is left, and on no node a process but its slurmd
#   processor_of NODE
# Which processor a process is bound to says which node it is on: slurmd is bound to that of the node, and all its jobs inherit it.

cluster=$work/cluster

# The first two that may be used.
processor_of() {
	sed -n 's/^Cpus_allowed_list:[[:space:]]*//p' /proc/$$/status | tr , '\n' |
		awk -F - -v wanted="${1#n}" '{ for (p = $1; p <= $NF; p++) if (++count == wanted) print p }'
}

cluster_start() {
	mkdir -p "$cluster/state" "$cluster/n1" "$cluster/n2"
	chmod 755 "$work" "$cluster"
	# Names are looked up only where an address beside that of the loop is there.
	ip link set lo up && ip addr add 10.255.255.1/32 dev lo || skip 'the network of a namespace can not be set up'
	host=$(uname -n | cut -d . -f 1)
	cat >"$cluster/slurm.conf" <<END
ClusterName=test
SlurmctldHost=$host(127.0.0.1)
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=$cluster/munge.socket,cred_expire=15
CredType=cred/munge
StateSaveLocation=$cluster/state
SlurmdSpoolDir=$cluster/%n
SlurmctldPidFile=$cluster/slurmctld.pid
SlurmdPidFile=$cluster/%n.pid
SlurmctldLogFile=$cluster/slurmctld.log
SlurmdLogFile=$cluster/%n.log
SlurmdTimeout=5
MailProg=/bin/true
SwitchType=switch/none
MpiDefault=none
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerParameters=sched_interval=1,bf_interval=1,batch_sched_delay=0,requeue_delay=0
ReturnToService=2
KillWait=10
BatchStartTimeout=5
NodeName=n1 NodeHostname=$host NodeAddr=127.0.0.1 Port=17001 CPUs=1
NodeName=n2 NodeHostname=$host NodeAddr=127.0.0.1 Port=17002 CPUs=1
PartitionName=all Nodes=n1,n2 Default=YES MaxTime=INFINITE State=UP
END
	export SLURM_CONF="$cluster/slurm.conf"
	head -c 1024 /dev/urandom >"$cluster/munge.key" && chmod 400 "$cluster/munge.key"
	# In the foreground of this script, so that its number is known.
	munged --foreground --force --key-file="$cluster/munge.key" --socket="$cluster/munge.socket" --pid-file="$cluster/munge.pid" \
		--log-file="$cluster/munge.log" --seed-file="$cluster/munge.seed" 2>"$cluster/munge.err" &
	munged=$!
	what='start of the cluster'
	wait_until [ -S "$cluster/munge.socket" ]
	controller_start
	node_start n1
	node_start n2
	wait_until node_is n1 idle && wait_until node_is n2 idle || {
		cluster_logs
		finish
	}
}

controller_start() {
	slurmctld -D -i >"$cluster/slurmctld.err" 2>&1 &
	slurmctld=$!
}
controller_stop() {
	kill -TERM "$slurmctld"
	wait "$slurmctld" 2>/dev/null
	slurmctld=
}

node_start() {
	taskset -c "$(processor_of "$1")" slurmd -D -N "$1" >"$cluster/$1.err" 2>&1 &
	eval "slurmd_$1=$!"
}
node_kill() {
	numbers=$(processes_of "$1" | cut -d ' ' -f 1)
	# Twice, as what is killed may have been about to start something.
	for _ in 1 2; do
		# shellcheck disable=SC2086 # numbers
		kill -KILL $numbers 2>/dev/null
		numbers=$(processes_of "$1" | cut -d ' ' -f 1)
	done
	eval "slurmd_$1="
}

node_is() {
	[ "$(timeout 5 sinfo --noheader --nodes="$1" --format=%t)" = "$2" ]
}

processes_of() {
	wanted=$(processor_of "$1")
	for folder in /proc/[0-9]*; do
		awk -v number="${folder#/proc/}" -v wanted="$wanted" '
			$1 == "Name:" { name = $2 } $1 == "State:" { state = $2 } $1 == "Cpus_allowed_list:" { list = $2 }
			END { if (list == wanted && state != "Z" && state != "X") print number, name }' "$folder/status" 2>/dev/null
	done
}

is_idle() {
	[ -z "$(timeout 5 squeue --noheader 2>&1)" ] && [ -z "$(processes_of n1 | grep -v ' slurmd$')" ] && [ -z "$(processes_of n2 | grep -v ' slurmd$')" ]
}
expect_idle() {
	wait_until is_idle || {
		timeout 5 squeue
		processes_of n1
		processes_of n2
	}
}

cluster_logs() {
	tail -n 15 "$cluster"/*.log 2>/dev/null
}

cluster_stop() {
	timeout 5 scancel --user=root 2>/dev/null
	for number in ${slurmd_n1-} ${slurmd_n2-} ${slurmctld-} ${munged-}; do kill -TERM "$number" 2>/dev/null; done
	# What a slurmd has left, by its processor.
	for node in n1 n2; do
		numbers=$(processes_of $node | cut -d ' ' -f 1)
		# shellcheck disable=SC2086 # numbers
		[ -z "$numbers" ] || kill -KILL $numbers 2>/dev/null
	done
	for number in ${slurmctld-} ${munged-}; do wait "$number" 2>/dev/null; done
}
