# tests/mpi/common.sh: what the scripts share that run MPI programs with the preloaded library and without. A script sources
# it as its first step; it sets `here`, the folder of the script, `ours`, the library for $MPI, and `TMP`, which is removed.
here=$(dirname "$0")
ours=$HELIO_LIBRARIES/libhelio_coll_$MPI.so
TMP=$(mktemp -d)
trap 'rm -rf "$TMP"' EXIT
fail() { echo "${0##*/}: $*" >&2; exit 1; }

with() { ranks=$1 && shift && "$here/launch" "$ranks" LD_PRELOAD="$ours" "$@"; }

# Runs a program on nodes that share only a network, if such nodes can be made; else the test is skipped. The printed lines
# count and not the status: programs of MPICH end without MPI_Finalize here (checks.h), which its launcher may report.
run() { # NODES RANKS LAST-CHECK WORD...
    nodes=$1 ranks=$2 last=$3 status=0 leave=
    shift 3
    [ "$MPI" = openmpi ] || leave=LEAVE_WITHOUT_FINALIZE=1
    timeout 1000 "$here/../../tools/cluster" "$MPI" "$nodes" "$ranks" LD_PRELOAD="$ours" $leave "$@" >"$TMP/out" 2>&1 ||
        status=$?
    if [ $status = 77 ]; then
        cat "$TMP/out"
        echo "nodes were made with HELIO_RANKS_PER_NODE alone"
        exit 77
    fi
    grep -q "^ok $last$" "$TMP/out" || fail "$nodes nodes, $ranks ranks: $(cat "$TMP/out")"
}

# ------------------------------------------------------------ runs that are watched

# The processes with RUN_IS=$1 in their environment: the ranks of a run.
ranks_of_run() { grep -lzs "^RUN_IS=$1\$" /proc/[0-9]*/environ | cut -d / -f 3; }

# Prints where each rank is: by gdb or eu-stack, if there is one, else what the kernel tells.
stacks() {
    for process in $(ranks_of_run "$1"); do
        echo "--- process $process: $(tr '\0' ' ' <"/proc/$process/cmdline" 2>/dev/null)"
        if command -v gdb >/dev/null; then
            timeout 60 gdb -p "$process" -batch -ex 'thread apply all bt' 2>/dev/null | grep -E '^(Thread|#)' || :
        elif command -v eu-stack >/dev/null; then
            timeout 60 eu-stack -p "$process" 2>/dev/null || :
        else
            cat "/proc/$process/stack" "/proc/$process/status" 2>/dev/null || :
        fi
    done
}

# Ends the ranks, then the launcher.
end_run() { # MARK LAUNCHER
    for process in $(ranks_of_run "$1"); do kill -9 "$process" 2>/dev/null || :; done
    kill -TERM "$2" 2>/dev/null || :
}

# Runs a command and waits until it ends, or until it has said LINE and not ended in a minute, or for LIMIT seconds (600).
# It passes if LINE is in its output, $TMP/out. A run over the limit shows where its ranks are. `launch` and `cluster` get
# RUN_IS, by which the ranks are found. MPICH's ranks yield (yield.c); MPICH 4.0 sometimes never returns from MPI_Finalize, so its
# programs do not call it.
watched() { # LINE COMMAND WORD... -- WORD...: the second words are for the program
    line=$1 mark=helio-run-$$-${runs:=0} waited=0 after=0 status=0 limit=${LIMIT:-600}
    runs=$((runs + 1))
    shift
    command=
    while [ "$1" != -- ]; do command="$command $1" && shift; done
    shift
    if [ "$MPI" = mpich ]; then
        preloaded=$MPI_PROGRAMS/yield.so
        for word; do
            shift
            case $word in LD_PRELOAD=*) preloaded=${word#LD_PRELOAD=}:$preloaded ;; *) set -- "$@" "$word" ;; esac
        done
        set -- LEAVE_WITHOUT_FINALIZE=1 LD_PRELOAD="$preloaded" "$@"
    fi
    # shellcheck disable=SC2086 # the command is several words
    $command RUN_IS="$mark" "$@" >"$TMP/out" 2>&1 &
    launcher=$!
    while kill -0 $launcher 2>/dev/null && [ $waited -lt $((5 * limit)) ] && [ $after -lt 300 ]; do
        sleep 0.2
        waited=$((waited + 1))
        ! grep -q "^$line\$" "$TMP/out" || after=$((after + 1))
    done
    if kill -0 $launcher 2>/dev/null; then
        [ $after -ge 300 ] || stacks "$mark" >"$TMP/stacks"
        end_run "$mark" $launcher
    fi
    wait $launcher || status=$?
    [ $status != 77 ] || { cat "$TMP/out" && exit 77; }
    if [ $waited -ge $((5 * limit)) ]; then
        fail "no end within $limit s: $command $*: $(grep -v yaksa "$TMP/out" | tail -20) $(cat "$TMP/stacks" 2>/dev/null)"
    fi
    grep -q "^$line\$" "$TMP/out" && { [ "$MPI" = mpich ] || [ $status = 0 ] || [ $after -ge 300 ]; } ||
        fail "$command $*: status $status: $(grep -v yaksa "$TMP/out" | tail -40)"
}

# Runs a program on this host, as `launch` does, and on a cluster, as `cluster` does. Its last check must be LAST.
on_host() { # LAST RANKS WORD...
    last=$1 ranks=$2
    shift 2
    watched "ok $last" "$here/launch" "$ranks" -- "$@"
}
on_cluster() { # LAST NODES RANKS WORD...
    last=$1 nodes=$2 ranks=$3
    shift 3
    watched "ok $last" "$here/../../tools/cluster" "$MPI" "$nodes" "$ranks" -- "$@"
}
