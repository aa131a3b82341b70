#!/bin/sh
# tests/mpi/alltoall.sh PART...: tests of the preloaded alltoall. Most run on this machine alone; HELIO_RANKS_PER_NODE makes
# nodes of consecutive ranks.
#
#   checks       all checks of alltoall.c: on two nodes, on one node, on nodes of different size
#   without      the same checks without the library; the MPI must pass them too
#   algorithms   each algorithm by name
#   fortran      calls from Fortran through mpif.h, mpi and mpi_f08
#   vectors      MPI_Alltoallv and MPI_Alltoallw (vectors.c), compared with the MPI's, and their trials
#   large        counts beyond int, in the forms of MPI 4 (large.c)
#   nonblocking  non-blocking alltoalls among blocking ones (nonblocking.c)
#   held         20,000 calls leave memory, descriptors and mappings unchanged
#   million      so do a million calls
#   many         when the MPI has no more communicators, or few
#   starved      when one rank has no memory for one allocation, or files may not be long
#   killed       when a rank is killed inside a call, the run leaves nothing behind
#   other        preloaded into a program of the other MPI, the library says so and does nothing
#   apart        ranks of one host in separate PID namespaces; needs root
#   cluster      on a cluster of network namespaces (tools/cluster); needs root
#   delay        on such a cluster with a slow network (CLUSTER_DELAY)
#   bench        helio coll bench and tune
#   tables       the same of calls with unequal blocks
#   limit        helio coll bench ends when the MPI is slow, or waits for ever (stall.c)
#   devices      a program that has loaded the library of a GPU
#   settings     environment variables, and the messages for wrong ones
set -eu
. "$(dirname "$0")/common.sh"

checks() {
    with 4 HELIO_ALLTOALL=leaders HELIO_RANKS_PER_NODE=2 @alltoall \
        sizes plans rows types places comms progress wildcards errors threads progress leaks
    with 3 HELIO_ALLTOALL=leaders @alltoall sizes rows progress
    with 2 @alltoall places errors
    with 5 HELIO_ALLTOALL=v3 HELIO_RANKS_PER_NODE=3 @alltoall sizes rows types progress
}

without() {
    "$here/launch" 4 @alltoall sizes plans types places comms progress wildcards errors
}

algorithms() {
    for name in bruck pairwise scatter transpose khorassani traff chochia v1 v2 linear ring mpi auto; do
        with 4 HELIO_ALLTOALL=$name HELIO_RANKS_PER_NODE=3 @alltoall sizes types progress >/dev/null || fail "$name"
    done
    with 6 HELIO_ALLTOALL=leaders HELIO_ALLTOALL_LEADERS=2 HELIO_RANKS_PER_NODE=3 @alltoall sizes rows >/dev/null ||
        fail "two leaders"
    # One leader per socket. The first node has sockets of three and two ranks; the second one has one socket, so one leader.
    with 8 HELIO_ALLTOALL=leaders HELIO_ALLTOALL_LEADERS=socket HELIO_RANKS_PER_SOCKET=3 HELIO_RANKS_PER_NODE=5 \
        HELIO_ALLTOALLV=leaders HELIO_VERBOSE=1 CALLS=500 @alltoall sizes rows types calls >"$TMP/out" 2>&1 ||
        fail "leaders of sockets: $(cat "$TMP/out")"
    grep -q "8 ranks on 2 nodes of at most 5, 2 leaders" "$TMP/out" || fail "$(cat "$TMP/out")"
    with 8 HELIO_ALLTOALLV=leaders HELIO_ALLTOALL_LEADERS=socket HELIO_RANKS_PER_SOCKET=2 HELIO_RANKS_PER_NODE=4 \
        @vectors random >/dev/null || fail "vectors by leaders of sockets"
    # More sizes in turn than the library keeps plans for: trials still end, and no plan is compiled twice.
    with 2 HELIO_VERBOSE=1 @alltoall plans >"$TMP/out" 2>&1 || fail "$(cat "$TMP/out")"
    grep -q "MPI_Alltoall of 16 to 31 B: .* for [0-9]* calls" "$TMP/out" || fail "$(cat "$TMP/out")"
    [ "$(grep -c " B: leaders (or the MPI's own, both are tried)" "$TMP/out")" -le 128 ] || fail "$(cat "$TMP/out")"
    # What trials have found holds for later communicators of the same shape.
    with 2 HELIO_VERBOSE=1 @alltoall known >"$TMP/out" 2>&1 || fail "$(cat "$TMP/out")"
    [ "$(grep -c "MPI_Alltoall of 8 B: leaders (or the MPI's own, .* is faster on such a communicator)" "$TMP/out")" = 1 ] ||
        fail "$(cat "$TMP/out")"
    # A communicator with few calls is not set up.
    with 2 HELIO_VERBOSE=1 @alltoall comms >"$TMP/out" 2>&1 || fail "$(cat "$TMP/out")"
    ! grep -q "ranks on" "$TMP/out" || fail "$(cat "$TMP/out")"
    # Both ways are tried, and a message names the one that is taken; where the model is sure, a message says so.
    with 4 HELIO_RANKS_PER_NODE=2 HELIO_VERBOSE=1 @alltoall calls sizes large >"$TMP/out" 2>&1 || fail "$(cat "$TMP/out")"
    grep -q "MPI_Alltoall of 8 to 15 B: .* us by way of nodes, .* us by the MPI: .* for [0-9]* calls" "$TMP/out" &&
        grep -q "8 B: leaders (or the MPI's own, both are tried)" "$TMP/out" &&
        grep -q "1048576 B: the MPI's own (the model says it is surely faster)" "$TMP/out" || fail "$(cat "$TMP/out")"
}

fortran() {
    with 4 HELIO_ALLTOALL=v2 HELIO_ALLTOALLV=leaders HELIO_VERBOSE=1 HELIO_RANKS_PER_NODE=2 @alltoall_f >"$TMP/out" 2>&1 || {
        status=$?
        cat "$TMP/out"
        exit $status
    }
    # The messages show that the calls came through the library, with one block size for integers and one for doubles.
    grep -q '4 B: v2' "$TMP/out" && grep -q '8 B: v2' "$TMP/out" && grep -q 'failures 0' "$TMP/out" &&
        grep -q 'MPI_Alltoallv: blocks of up to' "$TMP/out" ||
        fail "$(cat "$TMP/out")"
}

vectors() {
    with 4 HELIO_ALLTOALLV=leaders HELIO_RANKS_PER_NODE=2 @vectors random comms rows progress errors threads leaks
    with 5 HELIO_ALLTOALLV=leaders HELIO_RANKS_PER_NODE=3 @vectors random
    with 6 HELIO_ALLTOALLV=leaders HELIO_ALLTOALL_LEADERS=2 HELIO_RANKS_PER_NODE=3 @vectors random rows
    with 3 HELIO_ALLTOALLV=leaders @vectors random rows
    for leaders in 1 2; do
        with 4 HELIO_COLL=leaders HELIO_ALLTOALL_LEADERS=$leaders HELIO_RANKS_PER_NODE=2 @vectors ahead
        with 6 HELIO_COLL=leaders HELIO_ALLTOALL_LEADERS=$leaders HELIO_RANKS_PER_NODE=3 @vectors ahead
    done
    "$here/launch" 4 @vectors random errors
    with 2 HELIO_ALLTOALLV=leaders @vectors gaps lengths
    "$here/launch" 2 @vectors gaps lengths # with more ranks, Open MPI returns MPI_ERR_OTHER in the check of lengths
    # Both ways are tried and give the same results; either may win.
    with 4 HELIO_VERBOSE=1 HELIO_RANKS_PER_NODE=2 @vectors rows >"$TMP/out" 2>&1 || fail "$(cat "$TMP/out")"
    grep -q "MPI_Alltoallv: .* us by way of nodes, .* us by the MPI: .* for [0-9]* calls" "$TMP/out" ||
        fail "$(cat "$TMP/out")"
    with 4 HELIO_VERBOSE=1 HELIO_ALLTOALLV=mpi HELIO_RANKS_PER_NODE=2 @vectors rows >"$TMP/out" 2>&1
    grep -q "MPI_Alltoallv: the MPI's own (mpi)" "$TMP/out" && ! grep "MPI_Alltoallv: .* us " "$TMP/out" ||
        fail "HELIO_ALLTOALLV=mpi: $(cat "$TMP/out")"
}

# The message on standard error shows that the library executes the calls.
large() {
    on_host large 2 @large large
    ! grep "no counts of 64 bits" "$TMP/out" || exit 77
    on_host large 3 LD_PRELOAD="$ours" HELIO_COLL=leaders HELIO_ALLTOALLV=leaders HELIO_VERBOSE=1 @large large
    for name in MPI_Alltoallv MPI_Alltoallw MPI_Gatherv MPI_Scatterv; do
        grep -q "$name: blocks of up to [0-9]* B by way of nodes" "$TMP/out" || fail "$name: $(cat "$TMP/out")"
    done
}

nonblocking() {
    with 4 HELIO_ALLTOALL=leaders HELIO_ALLTOALLV=leaders HELIO_RANKS_PER_NODE=2 @nonblocking ways progress
    with 3 HELIO_ALLTOALL=leaders HELIO_ALLTOALLV=leaders @nonblocking ways progress
    "$here/launch" 3 @nonblocking ways progress
}

held() {
    with 4 HELIO_ALLTOALL=leaders HELIO_ALLTOALLV=leaders HELIO_RANKS_PER_NODE=2 @alltoall calls
}

million() {
    export LAUNCH_LIMIT=3500
    with 4 CALLS=1000000 HELIO_ALLTOALL=leaders HELIO_ALLTOALLV=leaders HELIO_RANKS_PER_NODE=2 @alltoall calls
}

many() {
    with 2 HELIO_ALLTOALL=leaders @alltoall many
    with 2 HELIO_ALLTOALL=mpi @alltoall many
    "$here/launch" 2 @alltoall many
}

starved() {
    with 2 HELIO_ALLTOALL=leaders HELIO_ALLTOALLV=leaders @starved memory >"$TMP/out" 2>&1 || fail "$(cat "$TMP/out")"
    grep -q -e '^[1-9][0-9]* allocations, [1-9][0-9]* errors$' -e '^nothing fails: sanitizers$' "$TMP/out" ||
        fail "$(cat "$TMP/out")"
    with 2 HELIO_ALLTOALL=bruck HELIO_RANKS_PER_NODE=1 @starved memory
    "$here/launch" 2 @starved memory
    on_host others 3 @starved others
    for word in HELIO_COLL=leaders HELIO_COLL=auto; do
        on_host others 3 LD_PRELOAD="$ours" $word HELIO_RANKS_PER_NODE=2 @starved others
        grep -q -e '^[1-9][0-9]* allocations, [0-9]* errors$' -e '^nothing fails: sanitizers$' "$TMP/out" ||
            fail "$word: $(cat "$TMP/out")"
    done
    # Files of at most 64 MiB: ranks cannot share memory, and no rank is ended by a signal.
    (ulimit -f 65536 && with 2 HELIO_VERBOSE=1 @alltoall sizes) >"$TMP/out" 2>&1 || fail "ulimit -f: $(cat "$TMP/out")"
    grep -q "1 leader; no shared memory" "$TMP/out" || fail "ulimit -f: $(cat "$TMP/out")"
}

# Each rank is in a PID namespace of its own, in which all have the same process number, and has the program's file open
# under every descriptor.
apart() {
    unshare -p -f --mount-proc true 2>/dev/null || { echo "skipped: no namespaces of processes" && exit 77; }
    printf 'The program'\''s own.\n' >"$TMP/file"
    cp "$TMP/file" "$TMP/was"
    leave=
    [ "$MPI" = openmpi ] || leave=LEAVE_WITHOUT_FINALIZE=1 # over TCP its MPI_Finalize may not end (checks.h)
    with 2 OMPI_MCA_btl=self,tcp UCX_TLS=self,tcp HELIO_VERBOSE=1 OWN_FILE="$TMP/file" $leave \
        unshare -p -f --mount-proc @alltoall files sizes >"$TMP/out" 2>&1 || [ -n "$leave" ] || fail "$(cat "$TMP/out")"
    grep -q '^ok sizes$' "$TMP/out" || fail "$(cat "$TMP/out")"
    cmp "$TMP/file" "$TMP/was" || fail "the program's file was overwritten"
    grep -q "1 leader; no shared memory" "$TMP/out" || fail "$(cat "$TMP/out")"
}

# Runs with a /dev/shm of its own, if that is possible, so that files there afterwards are the run's. Shared memory without a
# name goes with the last process of the run; RUN_IS in their environment identifies the processes.
killed() {
    run=helio-killed-$$ own=
    ! unshare -m mount -t tmpfs none /dev/shm 2>/dev/null || own="unshare -m"
    $own sh -c '[ -z "$1" ] || mount -t tmpfs none /dev/shm
        status=0
        timeout 1000 "$2" 4 RUN_IS="$3" LD_PRELOAD="$4" HELIO_ALLTOALL=leaders HELIO_RANKS_PER_NODE=2 @alltoall killed ||
            status=$?
        echo "status $status"
        [ -z "$1" ] || ls -A /dev/shm >"$5"' - "$own" "$here/launch" $run "$ours" "$TMP/left" >"$TMP/out" 2>&1
    grep -q '^calling$' "$TMP/out" && ! grep -q '^status \(0\|124\)$' "$TMP/out" || fail "$(cat "$TMP/out")"
    tries=0
    while grep -lzs "^RUN_IS=$run" /proc/[0-9]*/environ >"$TMP/processes"; do
        tries=$((tries + 1))
        [ $tries -lt 6000 ] || fail "processes are left: $(cat "$TMP/processes")"
        sleep 0.1
    done
    [ -z "$own" ] || [ ! -s "$TMP/left" ] || fail "left in /dev/shm: $(cat "$TMP/left")"
}

other() {
    case $MPI in
    openmpi) theirs=$HELIO_LIBRARIES/libhelio_coll_mpich.so ;;
    *) theirs=$HELIO_LIBRARIES/libhelio_coll_openmpi.so ;;
    esac
    [ -e "$theirs" ] || { echo "skipped: the other MPI is not here" && exit 77; }
    "$here/launch" 2 LD_PRELOAD="$theirs" HELIO_ALLTOALL=v2 @alltoall sizes types errors >"$TMP/out" 2>&1 ||
        fail "$(cat "$TMP/out")"
    [ "$(grep -c "helio coll: this is the library for" "$TMP/out")" = 2 ] || fail "$(cat "$TMP/out")"
}

settings() {
    with 4 HELIO_ALLTOALL=v9 @alltoall sizes >"$TMP/out" 2>&1
    [ "$(grep -c "HELIO_ALLTOALL=v9: it must be auto, mpi, linear, .* or scatter; the MPI's own is used" "$TMP/out")" = 1 ] ||
        fail "$(cat "$TMP/out")"
    # It is said once, and not for each communicator.
    with 2 HELIO_COLL=v99 @collectives comms steps >"$TMP/out" 2>&1
    said=$(grep -c "HELIO_COLL=v99: it must be auto, mpi, leaders or another algorithm" "$TMP/out" || :)
    [ "$said" -ge 1 ] && [ "$said" -le 2 ] || fail "said $said times: $(head "$TMP/out")"
    with 4 HELIO_ALLTOALLV=v3 @alltoall sizes >"$TMP/out" 2>&1
    grep -q "HELIO_ALLTOALLV=v3: it must be auto, mpi or leaders; the MPI's own is used" "$TMP/out" || fail "$(cat "$TMP/out")"
    with 4 HELIO_RANKS_PER_NODE=two @alltoall sizes >"$TMP/out" 2>&1
    grep -q "HELIO_RANKS_PER_NODE=two is not a number; the MPI's own is used" "$TMP/out" || fail "$(cat "$TMP/out")"
    with 4 HELIO_ALLTOALL_TABLE=/ @alltoall sizes >"$TMP/out" 2>&1
    grep -q "HELIO_ALLTOALL_TABLE: cannot read /: Is a directory; the MPI's own is used" "$TMP/out" ||
        fail "$(cat "$TMP/out")"
    # The ranks have different environments: that of rank 0 decides. (The library is not preloaded into the shell.)
    "$here/launch" 4 HELIO_VERBOSE=1 HELIO_RANKS_PER_NODE=2 sh -c \
        '[ "${OMPI_COMM_WORLD_RANK:-${PMI_RANK:-0}}" = 0 ] && name=v3 || name=v1
         exec env HELIO_ALLTOALL=$name LD_PRELOAD="$0" "$@"' "$ours" @alltoall sizes >"$TMP/out" 2>&1 ||
        fail "$(cat "$TMP/out")"
    grep -q "64 B: v3 (HELIO_ALLTOALL=v3)" "$TMP/out" || fail "$(cat "$TMP/out")"
    with 2 HELIO_VERBOSE=1 HELIO_COLL=leaders @alltoall sizes >"$TMP/out" 2>&1
    grep -q "64 B: leaders (HELIO_COLL=leaders)" "$TMP/out" || fail "$(cat "$TMP/out")"
    cores
}

# If one rank has loaded CUDA's driver, or what looks like it, the MPI executes all calls.
devices() {
    : >"$TMP/empty.c"
    "${CC:-cc}" -shared -fPIC -Wl,-soname,libcuda.so.1 -o "$TMP/libcuda.so.1" "$TMP/empty.c"
    "$here/launch" 3 HELIO_COLL=leaders HELIO_VERBOSE=1 sh -c \
        '[ "${OMPI_COMM_WORLD_RANK:-${PMI_RANK:-0}}" = 1 ] && export LD_PRELOAD="$0:$1" || export LD_PRELOAD="$0"
         shift
         exec "$@"' "$ours" "$TMP/libcuda.so.1" @alltoall sizes rows >"$TMP/out" 2>&1 || fail "$(cat "$TMP/out")"
    grep -q "a rank uses a GPU; the MPI's own is used" "$TMP/out" && ! grep -q "leaders (" "$TMP/out" || fail "$(cat "$TMP/out")"
}

# The number of cores that the ranks may use together: one core for both, or one for each.
cores() {
    all=$(taskset -cp $$ | sed 's/.*: //')
    first=${all%%[,-]*} last=${all##*[,-]}
    with 2 HELIO_ALLTOALL=leaders HELIO_VERBOSE=1 taskset -c "$first" @alltoall sizes >"$TMP/out" 2>&1 ||
        fail "$(cat "$TMP/out")"
    grep -q "1 leader; 1 core$" "$TMP/out" || fail "$(cat "$TMP/out")"
    [ "$first" != "$last" ] || return 0
    "$here/launch" 2 HELIO_ALLTOALL=leaders HELIO_VERBOSE=1 sh -c \
        '[ "${OMPI_COMM_WORLD_RANK:-${PMI_RANK:-0}}" = 0 ] && core=$1 || core=$2
         shift 2
         exec env LD_PRELOAD="$0" taskset -c "$core" "$@"' "$ours" "$first" "$last" @alltoall sizes >"$TMP/out" 2>&1 ||
        fail "$(cat "$TMP/out")"
    grep -q "1 leader; 2 cores$" "$TMP/out" || fail "$(cat "$TMP/out")"
}

cluster() {
    program=$MPI_PROGRAMS/alltoall_$MPI
    run 2 2 wildcards HELIO_VERBOSE=1 "$program" sizes rows types progress wildcards
    grep -q "4 ranks on 2 nodes of at most 2, 1 leader; " "$TMP/out" || fail "$(cat "$TMP/out")"
    run 3 2,1,3 progress HELIO_ALLTOALL=v3 "$program" sizes rows progress
    run 3 3 progress HELIO_ALLTOALL=leaders "$program" sizes rows progress
    program=$MPI_PROGRAMS/vectors_$MPI
    run 2 2 progress HELIO_ALLTOALLV=leaders "$program" random rows progress
    run 3 2,1,3 rows HELIO_ALLTOALLV=leaders "$program" random rows
}

delay() {
    export CLUSTER_SWITCH="${HELIO%/*}/helio-cluster-switch"
    export CLUSTER_DELAY=5ms
    run 2 1 roundtrip ROUND_TRIP_US=10000 "$MPI_PROGRAMS/alltoall_$MPI" roundtrip
    export CLUSTER_DELAY=50us
    run 2 2 progress HELIO_ALLTOALL=leaders "$MPI_PROGRAMS/alltoall_$MPI" sizes rows progress
    run 2 1,2 random HELIO_ALLTOALLV=leaders "$MPI_PROGRAMS/vectors_$MPI" random
    status=0
    CLUSTER_DELAY=soon "$here/../../tools/cluster" "$MPI" 2 1 true >"$TMP/out" 2>&1 || status=$?
    [ $status = 2 ] && grep -q "such as 50us or 2ms, is expected, not 'soon'" "$TMP/out" || fail "$status: $(cat "$TMP/out")"
    unset CLUSTER_DELAY
    for size in "0 2" "2 0" "two 2" "2 2,x" "3 2,1"; do
        status=0
        # shellcheck disable=SC2086
        "$here/../../tools/cluster" "$MPI" $size true >"$TMP/out" 2>&1 || status=$?
        [ $status = 2 ] && grep -q "^cluster: [NR]" "$TMP/out" || fail "$size: $status: $(cat "$TMP/out")"
    done
    control=/proc/sys/net/ipv4/tcp_congestion_control
    CLUSTER_TCP=reno "$here/../../tools/cluster" "$MPI" 2 1 cat $control >"$TMP/out" 2>&1
    [ "$(grep -c '^reno$' "$TMP/out")" = 2 ] || fail "CLUSTER_TCP=reno: $(cat "$TMP/out")"
    status=0
    CLUSTER_TCP=soon "$here/../../tools/cluster" "$MPI" 2 1 true >"$TMP/out" 2>&1 || status=$?
    [ $status = 2 ] && grep -q "CLUSTER_TCP=soon is no congestion control" "$TMP/out" || fail "$status: $(cat "$TMP/out")"
}

# --yield is for MPICH, which has no option to yield. It works because UCX calls the epoll_wait of the bench program.
yields() {
    status=0
    "$HELIO" coll bench --mpi "$MPI" --yield --bytes 8 --samples 1 --algorithms mpi,v2 -- \
        "$MPIEXEC" $launcher -n 4 >out 2>said || status=$?
    case $MPI in
    openmpi) [ $status = 2 ] && grep -q "Open MPI yields with --mca mpi_yield_when_idle 1" said || fail "$status: $(cat said)" ;;
    *)
        [ $status = 0 ] || fail "$status: $(cat said)"
        nm -D "$(dirname "$HELIO")/helio-coll-bench-$MPI" | grep -q ' T epoll_wait' || fail "epoll_wait is not exported"
        ;;
    esac
}

# The launcher of the bench, for ranks of this machine on two nodes.
bench_settings() {
    case $MPI in
    openmpi) launcher="--oversubscribe --allow-run-as-root" ;;
    *) launcher= ;;
    esac
    export OMPI_MCA_mpi_yield_when_idle=1 OMPI_MCA_btl=self,vader HELIO_RANKS_PER_NODE=2 UCX_TLS=self,sm
}

never_ends() { # NUMBER-OF-BARRIER MESSAGE
    status=0
    STALL_FROM=$1 "$HELIO" coll bench --op barrier --mpi "$MPI" --limit 2s --bytes 4 --algorithms mpi -- \
        "$MPIEXEC" $launcher -n 2 >out 2>said || status=$?
    [ $status = 1 ] && ! [ -s out ] && grep -q "$2" said || fail "$status: $(cat said)"
}

# A barrier of a second: 3 untimed, 4 to find the number of calls, and 4 of a sample take longer than 8 s.
limit() {
    cd "$TMP"
    bench_settings
    export LD_PRELOAD="$MPI_PROGRAMS/stall_$MPI.so"
    STALL_MS=1000 "$HELIO" coll bench --op barrier --mpi "$MPI" --samples 5 --limit 8s --bytes 1 --algorithms mpi -- \
        "$MPIEXEC" $launcher -n 2 >out 2>said || fail "$(cat said)"
    grep -q "^1 B  *mpi " out || fail "$(cat out)"
    grep -q "warning: barrier of 1 B has 1 of 5 samples: mpi has taken 8s (--limit)" said || fail "$(cat said)"
    never_ends 10 "a sample of barrier of 4 B by mpi has not ended within 2s"
    never_ends 1 "the first call of barrier by mpi, in which the library reads its settings, has not ended within 2s"
    unset LD_PRELOAD
}

bench_refuses() { # MESSAGE ALGORITHMS LAUNCHER...
    message=$1 algorithms=$2 status=0
    shift 2
    "$HELIO" coll bench --mpi "$MPI" --bytes 8 --algorithms "$algorithms" -- "$@" >out 2>said || status=$?
    [ $status = 2 ] && ! [ -s out ] && grep -q "error: $message" said || fail "$status: $(cat said)"
}

# What the bench cannot measure is refused, and what the library leaves to the MPI is named.
bench_honest() {
    bench_refuses "--algorithms: the MPI has no alltoall of its own that is named mpi:none; mpi:" mpi,mpi:none \
        "$MPIEXEC" $launcher -n 2
    bench_refuses "--mpi is $MPI, but the launcher is of another MPI: it has started 2 programs" mpi \
        env SLURM_STEP_NUM_TASKS=2
    # Without files there is no shared memory.
    (ulimit -f 200000 && "$HELIO" coll bench --mpi "$MPI" --bytes 64 --samples 1 --algorithms mpi,leaders --json -- \
        "$MPIEXEC" $launcher -n 2 >out 2>said) || fail "$(cat said)"
    grep -q "warning: alltoall of 64 B: the library leaves the calls of leaders to the MPI" said || fail "$(cat said)"
    [ "$(grep -c '"left_to_mpi": true' out)" = 1 ] || fail "$(cat out)"
}

# tune_writes LINE [OPTION...]: the table of a measurement on 4 ranks has this line.
tune_writes() {
    expected=$1
    shift
    "$HELIO" coll tune --mpi "$MPI" --bytes 8,64 --samples 1 "$@" -o table -- \
        "$MPIEXEC" $launcher -n 4 >out 2>said || fail "$* $(cat said)"
    grep -q "^$expected\$" table || fail "$* $(cat table)"
}

# Tables of calls with unequal blocks: tune writes their lines, and the library follows them, for each function its own.
tables() {
    cd "$TMP"
    bench_settings
    # The longest of blocks of 64 B in the mean has 13 B more, or 4 doubles more where they are added up.
    tune_writes "allgatherv [12] [24] 77 [a-z]*" --op allgatherv
    tune_writes "reduce_scatterv [12] [24] 96 [a-z]*" --op reduce_scatterv
    for op in alltoallv alltoallw gatherv scatterv; do
        tune_writes "$op [12] [24] 0 [a-z]*\|# no line for $op: .*" --op $op
        if grep -q '^# no' table; then grep -q "warning: the table has no line for $op: " said || fail "$(cat said)"; fi
    done
    tune_writes "gatherv [12] [24] 0 mpi" --op gatherv -a mpi
    cd - >/dev/null
    # Of two lines for all sizes it takes the first.
    printf '%s\n' "alltoallv 2 2 0 leaders" "alltoallw 2 2 0 mpi" "gatherv 2 2 0 mpi" "scatterv 2 2 0 leaders" \
        "allgatherv 2 2 4 ring" "reduce_scatterv 2 2 4 pairwise" "alltoallv 2 2 0 mpi" >"$TMP/table"
    with 4 HELIO_VERBOSE=1 HELIO_COLL_TABLE="$TMP/table" HELIO_RANKS_PER_NODE=2 @collectives layouts >"$TMP/out" 2>&1 ||
        fail "$(cat "$TMP/out")"
    for checks in "vectors random" "reductions sizes"; do
        # shellcheck disable=SC2086
        with 4 HELIO_VERBOSE=1 HELIO_COLL_TABLE="$TMP/table" HELIO_RANKS_PER_NODE=2 @$checks >>"$TMP/out" 2>&1 ||
            fail "$(cat "$TMP/out")"
    done
    for said in "Alltoallv: blocks of up to .*" "Alltoallw: the MPI's own" "Gatherv: the MPI's own" \
        "Scatterv: blocks of up to .*" "Allgatherv of .* B: ring" "Reduce_scatter with unequal blocks of .* B: pairwise"; do
        grep -q "MPI_$said (measured, HELIO_COLL_TABLE)" "$TMP/out" ||
            fail "no $said: $(grep '^helio' "$TMP/out" | sort -u | head -n 40)"
    done
}

# The bench measures, and the library follows the table that tune writes.
bench() {
    cd "$TMP"
    bench_settings
    bench_honest
    "$HELIO" coll bench --mpi "$MPI" --bytes 8 --samples 3 --algorithms mpi,mpi:pairwise,v2 --json -- \
        "$MPIEXEC" $launcher -n 4 >out 2>said || fail "$(cat said)"
    grep -q '"algorithm": "mpi:pairwise"' out && grep -q '"samples_ns"' out || fail "$(cat out)"
    # What other work has used is known, and said where it is much: tests run beside each other.
    grep -q '"reason": "other work used .* % of the processors. time, ' out || fail "$(cat out)"
    grep -q '"passed": true' out || grep -q 'warning: guard busy: other work used' said || fail "$(cat said)"
    for op in allreduce allgather bcast reduce reduce_scatter gather scatter barrier \
        alltoallv alltoallw allgatherv gatherv scatterv reduce_scatterv; do # with checks of their data
        "$HELIO" coll bench --op $op --mpi "$MPI" --bytes 4,64 --samples 1 --algorithms mpi,auto -- \
            "$MPIEXEC" $launcher -n 3 >out 2>said || fail "$op: $(cat said)"
        grep -q "^64 B  *auto " out || fail "$op: $(cat out)"
    done
    # The control is the MPI's default: the library executes none of its calls, and no table names it.
    "$HELIO" coll tune --mpi "$MPI" --bytes 8 --samples 1 --algorithms mpi,control -o table -- \
        "$MPIEXEC" $launcher -n 4 >out 2>said || fail "$(cat said)"
    grep -q "^alltoall [12] [24] 8 mpi$" table || fail "$(cat table)"
    grep -q "^8 B  *control " out && ! grep -q "warning: .*control" said || fail "$(cat out said)"
    yields
    "$HELIO" coll tune --mpi "$MPI" --bytes 8,64 --samples 1 --algorithms mpi,v2 -o table -- \
        "$MPIEXEC" $launcher -n 4 >out 2>said || fail "$(cat said)"
    grep -q "^alltoall [12] [24] 64 " table || fail "$(cat table)"
    echo "2 2 64 v3" >table
    cd - >/dev/null
    with 4 HELIO_VERBOSE=1 HELIO_ALLTOALL_TABLE="$TMP/table" @alltoall sizes >"$TMP/out" 2>&1
    grep -q "64 B: v3 (measured, HELIO_ALLTOALL_TABLE)" "$TMP/out" || fail "$(cat "$TMP/out")"
    echo "2 2 many v3" >"$TMP/table"
    with 4 HELIO_ALLTOALL_TABLE="$TMP/table" @alltoall sizes >"$TMP/out" 2>&1
    grep -q "table:1:5: error: a collective, nodes, ranks of the largest node, bytes and an algorithm are expected" "$TMP/out" ||
        fail "$(cat "$TMP/out")"
}

for part; do "$part"; done
