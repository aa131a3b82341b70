# tests/mpi/common.sh: what the scripts share that run MPI programs with the preloaded library and without. A script sources
# it as its first step; it sets `here`, the folder of the script, `ours`, the library for $MPI, and `TMP`, which is removed.
here=$(dirname "$0")
ours=$HELIO_LIBRARIES/libhelio_coll_$MPI.so
TMP=$(mktemp -d)
trap 'rm -rf "$TMP"' EXIT
fail() { echo "${0##*/}: $*" >&2; exit 1; }

with() { ranks=$1 && shift && "$here/launch" "$ranks" LD_PRELOAD="$ours" "$@"; }

# ------------------------------------------------------------ runs that are watched

. "$here/stacks.sh"

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
    LAUNCH_LIMIT=$((limit + 60)) $command RUN_IS="$mark" "$@" >"$TMP/out" 2>&1 &
    launcher=$!
    while kill -0 $launcher 2>/dev/null && [ $waited -lt $((5 * limit)) ] && [ $after -lt 300 ]; do
        sleep 0.2
        waited=$((waited + 1))
        ! grep -q "^$line\$" "$TMP/out" || after=$((after + 1))
    done
    if kill -0 $launcher 2>/dev/null; then
        # shellcheck disable=SC2046 # the list is words
        [ $after -ge 300 ] || stacks $(ranks_of_run "$mark") >"$TMP/stacks"
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

# The same with the library, on nodes that share only a network, if such nodes can be made; else the test is skipped.
run() { # NODES RANKS LAST WORD...
    nodes=$1 ranks=$2 last=$3
    shift 3
    on_cluster "$last" "$nodes" "$ranks" LD_PRELOAD="$ours" "$@"
}
