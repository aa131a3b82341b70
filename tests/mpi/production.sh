#!/bin/sh
# tests/mpi/production.sh PART...: the preloaded collectives in programs of production (docs/coll-guarantees.md).
#
#   fork       ranks fork children and start commands between collectives
#   spawn      MPI_Comm_spawn: collectives between and within the groups, of which only one has the library
#   connect    MPI_Comm_connect and MPI_Comm_accept: the same
#   failures   the MPI reports that a rank has failed, or the program revokes its communicator
#   limits     no descriptor, no address space, a small /dev/shm
#   groups     control groups that limit processor time and memory; needs root
#   sessions   sessions of MPI 4
#   footprint  heap, shared memory, mappings and descriptors are those that `helio coll plan --library` predicts
#   device     a rank loads the library of a GPU after its first calls
#   stuck      a run that does not end shows where its ranks are
#   planned    vector calls send as many messages as `helio coll plan` counts
#   tools      a tool that counts calls, preloaded before the library and behind it
set -eu
. "$(dirname "$0")/common.sh"

# Words with which every call goes through leaders.
forced="HELIO_COLL=leaders HELIO_ALLTOALLV=leaders HELIO_VERBOSE=1"

fork() {
    on_host fork 3 @production fork
    # shellcheck disable=SC2086 # the list is words
    on_host fork 4 LD_PRELOAD="$ours" $forced HELIO_RANKS_PER_NODE=2 @production fork
    on_host fork 3 LD_PRELOAD="$ours" @production fork
}

# The processes of two worlds have no shared memory in common, so Open MPI needs tcp.
transports="OMPI_MCA_btl=self,vader,tcp UCX_TLS=self,sm,tcp"

# Open MPI's launcher gives what is spawned its own environment, in which the library is not preloaded.
spawn() {
    # shellcheck disable=SC2086
    on_host spawn 3 $transports @production spawn
    ! grep "this MPI cannot start processes" "$TMP/out" || exit 77
    # shellcheck disable=SC2086
    on_host spawn 3 $transports LD_PRELOAD="$ours" $forced @production spawn
    grep "ranks on" "$TMP/out"
    grep -q "3 ranks on 1 node" "$TMP/out" && ! grep -q "5 ranks on" "$TMP/out" || fail "$(cat "$TMP/out")"
}

connect() {
    # shellcheck disable=SC2086
    on_host connect 3 $transports @production connect
    ! grep "this MPI has no ports" "$TMP/out" || exit 77
    # shellcheck disable=SC2086
    on_host connect 4 $transports LD_PRELOAD="$ours" $forced @production connect
    on_host connect 3 $transports LD_PRELOAD="$ours" @production connect
}

failures() {
    # shellcheck disable=SC2086
    for per_node in 4 2 3; do
        on_host revoked 4 LD_PRELOAD="$ours:$MPI_PROGRAMS/failing_$MPI.so" $forced HELIO_RANKS_PER_NODE=$per_node @production gone revoked
    done
}

limits() {
    for check in descriptors addresses; do
        # shellcheck disable=SC2086
        on_host $check 3 LD_PRELOAD="$ours" $forced @production $check
        grep -q "no shared memory" "$TMP/out" || fail "$check: $(cat "$TMP/out")"
    done
    # The library needs no /dev/shm.
    # shellcheck disable=SC2086
    on_host small 3 UCX_TLS=self,tcp LD_PRELOAD="$ours" $forced @production small
    grep -q "3 ranks on 1 node of at most 3, 1 leader; [0-9]* core" "$TMP/out" || fail "/dev/shm: $(cat "$TMP/out")"
}

# Runs a check of 3 ranks whose control group has one file: NAME with TEXT. The words behind run each rank.
in_group() { # NAME TEXT WORD...
    rm -rf "$TMP/groups" && mkdir "$TMP/groups" && echo "$2" >"$TMP/groups/$1"
    shift 2
    # shellcheck disable=SC2086 # the list is words
    watched "ok barrier" unshare -m sh "$TMP/enter" "$here/launch" 3 -- LD_PRELOAD="$ours" $forced "$@" @collectives ${checks:-} barrier
}

# Folders of the test stand in for the file system of the control groups, for the whole job or for each rank.
groups() {
    unshare -m mount -t tmpfs none /sys/fs/cgroup 2>/dev/null || { echo "skipped: no namespaces of mounts" && exit 77; }
    grep -q '^0::/' /proc/self/cgroup || { echo "skipped: no control groups of version 2" && exit 77; }
    echo "mount --bind '$TMP/groups' /sys/fs/cgroup && exec \"\$@\"" >"$TMP/enter"
    echo "mount -t tmpfs none /sys/fs/cgroup && cp '$TMP/groups'/* /sys/fs/cgroup && exec \"\$@\"" >"$TMP/enter-own"
    in_group cpu.max "max 100000"
    ! grep -q "shared memory" "$TMP/out" || fail "no limit: $(cat "$TMP/out")"
    all=$(sed -n 's/.* leader; \([0-9]*\) core.*/\1/p' "$TMP/out" | head -n 1)
    in_group cpu.max "150000 100000"
    grep -q "1 leader; 1 core$" "$TMP/out" || fail "one core: $(cat "$TMP/out")"
    in_group cpu.max "99900000 100000"
    grep -q "1 leader; $all core" "$TMP/out" || fail "more than there are: $(cat "$TMP/out")"
    in_group cpu.max "70000 100000" unshare -m sh "$TMP/enter-own" # 2.1 cores for the three
    [ "$all" -lt 2 ] || grep -q "1 leader; 2 cores" "$TMP/out" || fail "a group for each rank: $(cat "$TMP/out")"
    checks=large
    in_group memory.max 1048576 # so that calls have 64 KiB
    grep -q "it would take more shared memory than there is" "$TMP/out" || fail "memory: $(cat "$TMP/out")"
}

sessions() {
    "$here/launch" 1 @sessions >"$TMP/out" 2>&1 || { cat "$TMP/out" && exit 77; }
    watched finalized "$here/launch" 3 -- @sessions
    # shellcheck disable=SC2086
    watched finalized "$here/launch" 4 -- LD_PRELOAD="$ours" $forced HELIO_RANKS_PER_NODE=2 @sessions
    [ "$(grep -c "4 ranks on 2 nodes" "$TMP/out")" = 2 ] || fail "$(cat "$TMP/out")"
    watched finalized "$here/launch" 3 -- LD_PRELOAD="$ours" @sessions
    grep -q "^ok session$" "$TMP/out" || fail "$(cat "$TMP/out")"
}

# The memory of the device cannot be touched: only the MPI's stand-in for MPI_Pack and MPI_Unpack can copy it.
device() {
    : >"$TMP/empty.c"
    "${CC:-cc}" -shared -fPIC -Wl,-soname,libcuda.so.1 -o "$TMP/libcuda.so.1" "$TMP/empty.c"
    # shellcheck disable=SC2086 # the list is words
    for words in "$forced HELIO_RANKS_PER_NODE=2" "$forced" HELIO_REDUCE=ordered\ "$forced"; do
        on_host device 4 LD_PRELOAD="$ours:$MPI_PROGRAMS/device_$MPI.so" DEVICE_LIBRARY="$TMP/libcuda.so.1" $words @production device
        grep -q "rank 1 has begun to use a GPU; its data go by MPI_Pack" "$TMP/out" || fail "$(cat "$TMP/out")"
    done
}

# Of `launch`, by which tests start programs, and of `within`, by which they are started themselves.
stuck() {
    status=0
    LAUNCH_LIMIT=2 "$here/launch" 2 sleep 10000 >"$TMP/out" 2>&1 || status=$?
    [ $status != 0 ] && grep -q "launch: no end within 2 s" "$TMP/out" &&
        [ "$(grep -c "^--- process [0-9]*: sleep 10000" "$TMP/out")" = 2 ] || fail "status $status: $(cat "$TMP/out")"
    status=0
    OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 "$here/within" 2 \
        sh -c '"$0" -n 1 sleep 20000; sleep 30000' "$MPIEXEC" >"$TMP/out" 2>&1 || status=$?
    [ $status != 0 ] && grep -q "within: the test has not ended in 2 s" "$TMP/out" &&
        grep -q "^--- process [0-9]*: sleep 20000" "$TMP/out" || fail "status $status: $(cat "$TMP/out")"
    for second in 1 2 3 4 5 6 7 8 9 10; do ! pgrep -f "^sleep [23]0000" >/dev/null || sleep 1; done
    ! pgrep -f "^sleep [23]0000" >/dev/null || fail "a process of the test goes on after $second s"
}

# What the tool has counted at the end: "allreduces barriers bcasts alltoallvs sends".
counted() { sed -n 's/^tool 0: \([0-9]*\) [a-z]*, \([0-9]*\) [a-z]*, \([0-9]*\) [a-z]*, \([0-9]*\) [a-z]*, \([0-9]*\) .*/\1 \2 \3 \4 \5/p' "$TMP/out"; }

tools() {
    tool=$MPI_PROGRAMS/tool_$MPI.so
    on_host tool 4 LD_PRELOAD="$tool" @production tool
    alone=$(counted)
    # Before the library: it sees all calls, and gives them to the MPI; the library gets those that it does not define.
    # shellcheck disable=SC2086
    on_host tool 4 LD_PRELOAD="$tool:$ours" $forced HELIO_RANKS_PER_NODE=2 @production tool
    [ "$(counted)" = "$alone" ] || fail "before: $(counted), alone: $alone"
    grep -q "MPI_Allgather.*: leaders" "$TMP/out" && ! grep -q "MPI_Allreduce.*: leaders" "$TMP/out" ||
        fail "before: $(cat "$TMP/out")"
    # Behind the library: it sees the calls that are left to the MPI, here all of them, and none of the library's own.
    on_host tool 4 LD_PRELOAD="$ours:$tool" HELIO_COLL=mpi HELIO_ALLTOALLV=mpi @production tool
    [ "$(counted)" = "$alone" ] || fail "behind, all left to the MPI: $(counted), alone: $alone"
    # shellcheck disable=SC2086
    on_host tool 4 LD_PRELOAD="$ours:$tool" $forced HELIO_RANKS_PER_NODE=2 @production tool
    # shellcheck disable=SC2046,SC2086
    set -- $(counted) $alone
    [ "$1 $2 $3 $4" = "0 0 0 0" ] && [ "$5" = "${10}" ] || fail "behind, all executed: $(counted), alone: $alone"
    # By `auto`, some calls go one way and some the other. On a busy machine a trial can wait for a long time, so that
    # one collective, or one run, may be left to the MPI.
    for _ in 1 2 3 4 5; do
        on_host tool 4 LD_PRELOAD="$ours:$tool" HELIO_RANKS_PER_NODE=2 @production tool
        # shellcheck disable=SC2046,SC2086
        set -- $(counted) $alone
        left=$(($1 + $2 + $3 + $4)) all=$(($6 + $7 + $8 + $9))
        [ "$left" -gt 0 ] && [ "$left" -le "$all" ] && [ "$5" = "${10}" ] || fail "behind, auto: $(counted), alone: $alone"
        [ "$left" = "$all" ] || return 0
    done
    fail "behind, auto: the library executed no call: $(counted), alone: $alone"
}

# The number NAME of the prediction, and of what the program has counted.
predicted() { sed -n "s/^  \"$1\": \([0-9]*\),\{0,1\}\$/\1/p" "$TMP/plan"; }
held() { sed -n "s/^$1 \([0-9]*\)\$/\1/p" "$TMP/out"; }

# Blocks around the limit of 16 KiB, from empty to twice the mean.
planned() {
    for shape in "8 4,4 4" "5 2,2,1 2"; do
        for call in "alltoallv 64 50 1" "alltoallv 16384 75 2" "gatherv 16384 100 1" "scatterv 64 100 1" "scatterv 16000 75 2"; do
            # shellcheck disable=SC2086 # words
            set -- $shape $call
            "$HELIO" coll plan --op "$4" --ppn "$2" --bytes "$5" --imbalance "$6e-2" --leaders "$7" --json >"$TMP/plan"
            # shellcheck disable=SC2086
            on_host planned "$1" LD_PRELOAD="$ours" $forced HELIO_ALLTOALL_LEADERS="$7" HELIO_RANKS_PER_NODE="$3" \
                @planned "$4" "$5" "$6" "$3"
            numbers=$(sed -n '/"algorithm": "leaders"/,$p' "$TMP/plan" |
                sed -n 's/.*"messages_\(between\|within\)_nodes": \([0-9]*\).*/\1 \2/p' | paste -sd' ')
            [ "$(grep '^between' "$TMP/out")" = "$numbers" ] || fail "$shape, $call: $numbers in the plan, $(cat "$TMP/out")"
        done
    done
}

# 2 nodes of 4 ranks, and 3 nodes of which the last is smaller.
footprint() {
    for shape in "8 4,4 4" "5 2,2,1 2"; do
        for call in "allreduce 64" "allreduce 40000" "allgather 8" "allgather 65536" "alltoall 8" "alltoall 20000"; do
            # shellcheck disable=SC2086 # words
            set -- $shape $call
            "$HELIO" coll plan --library "$MPI" --op "$4" --ppn "$2" --bytes "$5" --json >"$TMP/plan"
            # shellcheck disable=SC2086
            on_host footprint "$1" LD_PRELOAD="$ours" $forced HELIO_RANKS_PER_NODE="$3" @footprint "$4" "$5" "$3"
            [ -n "$(held mappings)" ] && [ -n "$(predicted node_shared_bytes)" ] || fail "no numbers"
            all="$shape, $call: $(cat "$TMP/plan" "$TMP/out")"
            [ "$(held mappings)" = "$(predicted mappings)" ] && [ "$(held descriptors)" = "$(predicted descriptors)" ] &&
                [ "$(held address)" = "$(predicted address_bytes)" ] || fail "mappings, descriptors: $all"
            # An alltoall does not use the part for messages of a node to itself.
            [ "$(held used)" = "$(predicted node_shared_bytes)" ] ||
                { [ "$4" = alltoall ] && [ "$(held used)" -le "$(predicted node_shared_bytes)" ]; } || fail "shared: $all"
            [ "$(held is_counted)" = 1 ] || continue
            [ "$(held rank_heap)" = $(($(predicted communicator_heap_bytes) + $(predicted plan_heap_bytes))) ] &&
                [ "$(held node_heap)" = "$(predicted node_heap_bytes)" ] || fail "heap: $all"
        done
    done
}

for part; do "$part"; done
