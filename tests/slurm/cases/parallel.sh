# shellcheck shell=sh
# SPDX-License-Identifier: MIT
# about: the same list by GNU parallel, on two machines that ssh reaches; here they are processors
command -v parallel >/dev/null || skip_missing parallel
mkdir bin
cat >bin/ssh <<'END'
#!/bin/sh
# ssh LOGIN -- WORD...: the login is the name of the node.
node=$1
shift 2
export SLURMD_NODENAME="$node"
exec taskset -c "$(eval echo "\$processor_$node")" sh -c "$*"
END
chmod +x bin/ssh
processor_n1=$(processor_of n1) processor_n2=$(processor_of n2)
export processor_n1 processor_n2 PARALLEL_SSH="$work/bin/ssh"
accuracy --parallel n1,n2
expect_status 0
expect_whole 4
[ "$(cat study/runs/*/node | sort -u | paste -s -d ' ')" = 'n1 n2' ] || fail "$what: not on both"
