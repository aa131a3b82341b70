#!/bin/sh
# helio calibrate under $MPI.
#
#   tests/mpi/calibrate.sh here       on this machine, also --check. Times are not judged, so a busy machine changes nothing
#   tests/mpi/calibrate.sh choices    the algorithms of collectives: those of the MPI as it is, and one that it is told to take
#   tests/mpi/calibrate.sh cluster    on two network namespaces whose network has a planted delay and rate, which are found
#                                     within 3 %; skipped where a guard says that other work kept them from it. Needs root
set -eu

tests=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() {
    cat "$work/said" "$work/printed" 2>/dev/null || :
    echo "calibrate: $*"
    exit 1
}

value() { sed -n "s/^$1: //p" "$work/machine.yaml"; }

# Measures two ranks on this machine. False: other work kept them from finding a threshold or a rate.
measure() {
    status=0
    "$HELIO" calibrate --mpi "$MPI" --rounds 5 --largest 64KiB --force -o "$work/machine.yaml" -- "$tests/launch" 2 \
        >"$work/printed" 2>"$work/said" || status=$?
    [ $status = 0 ] && grep -q '^mpi.eager_threshold: [1-9]' "$work/machine.yaml" && return
    [ $status = 0 ] || grep -q 'no rate was found' "$work/said" || fail "a forced calibration fails"
    grep -q 'guard \(busy\|undisturbed\): FAILED' "$work/printed" || fail "no threshold or no rate was found"
    false
}

# The file is a machine, of this MPI.
here() {
    measure || measure || measure || { echo "a busy machine: no threshold or no rate was found" && return; }
    "$HELIO" machine check "$work/machine.yaml" >"$work/checked" || fail "what it writes is no machine"
    [ "$(value mpi.tuning)" = "$MPI" ] || fail "the machine is not of $MPI"
    grep -q '^  within.piece-1: ' "$work/machine.yaml" || fail "no piece was found"
    grep -q '^  mpi.tuning: ".*its messages were counted with 2 ranks: all calls' "$work/machine.yaml" ||
        grep -q '^  mpi.tuning: ".*its messages were not counted' "$work/machine.yaml" || fail "no choices are in the file"
    for quantity in send receive gap stream; do
        grep -q "^  within.$quantity" "$work/machine.yaml" || fail "$quantity was not measured"
    done
    # Forced or not, the file and the table say whether a guard has failed.
    if grep -q FAILED "$work/printed"; then
        grep -q '^doc: "NOT SOUND' "$work/machine.yaml" || fail "a guard has failed, and the file does not say so"
        grep -q 'is not sound: guard' "$work/said" || fail "a guard has failed, and no message says so"
    fi
    "$HELIO" run --workload alltoall:ranks=4,bytes=8KiB --machine "$work/machine.yaml" --fabric packet >/dev/null ||
        fail "nothing runs on it"
}

# A program is run, captured and replayed. Whatever the guards say, --force compares; without it a failed guard is status 1.
check() {
    export XDG_CACHE_HOME="$work/cache" TMPDIR="$work"
    program=$MPI_PROGRAMS/ring_$MPI
    "$HELIO" calibrate --check --machine infiniband-ndr --fabric hockney --mpi "$MPI" --runs 2 --force --json -- \
        "$tests/launch" 3 "$program" 3 >"$work/printed" 2>"$work/said" || fail "a forced comparison fails"
    for key in measured_s captured_s forecast_s error_percent; do
        grep -q "^  \"$key\": {" "$work/printed" || fail "there is no $key"
    done
    grep -q '"ranks": 3,' "$work/printed" && grep -q '"ranks_per_node": 3,' "$work/printed" || fail "ranks are not placed"
    [ "$(grep -c '"forecast_s": [0-9]' "$work/printed")" = 2 ] || fail "there are not two runs"
    # The ring sends and computes, and nothing else takes time.
    [ "$(sed -n 's/^ *"in": "\(.*\)",$/\1/p' "$work/printed" | tr '\n' ' ')" = "computation p2p " ] || fail "kinds of calls"
    status=0
    "$HELIO" calibrate --check --machine infiniband-ndr --mpi "$MPI" --runs 1 -- "$tests/launch" 3 "$program" 3 \
        >"$work/printed" 2>"$work/said" || status=$?
    # The ring takes some milliseconds, so that the guard of the length fails at least.
    [ $status = 1 ] && grep -q 'cannot be judged: guard length' "$work/said" || fail "status $status without --force"
    if grep -q '^  error ' "$work/printed"; then fail "it judges although a guard has failed"; fi
    # A message takes a second on this machine, and not here.
    "$HELIO" calibrate --from "$tests/../golden/calibrate/made.probe" -o "$work/made.yaml" >"$work/printed" 2>"$work/said"
    sed -e 's/^intranode.latency: .*/intranode.latency: 1 s/' -e '/^intranode.times:/d' "$work/made.yaml" >"$work/slow.yaml"
    "$HELIO" calibrate --check --machine "$work/slow.yaml" --mpi "$MPI" --runs 1 --force -- "$tests/launch" 3 "$program" 3 \
        >"$work/printed" 2>"$work/said" || fail "a forced comparison fails"
    grep -q '^  guard machine: FAILED: a message of no bytes took .* us, and 1e+06 us on the machine' "$work/printed" ||
        fail "another machine is not noticed"
    if ls "$work" | grep -q helio-check; then fail "traces are left over"; fi
    if "$HELIO" calibrate --check --machine infiniband-ndr --mpi "$MPI" --runs 1 -- false >"$work/printed" 2>"$work/said"; then
        fail "a program that fails is not noticed"
    fi
}

# count [VARIABLE=VALUE...]: counts the messages of 5 ranks, whose MPI has these settings, and makes a machine file of them,
# with times from elsewhere.
count() {
    sed "s/^mpi .*/mpi $MPI/" "$tests/../golden/calibrate/made.probe" >"$work/both.probe"
    # Ranks leave MPICH without MPI_Finalize. Where one is faster, its launcher kills the others, says so after the last line,
    # and fails.
    "$tests/launch" 5 "$@" "${HELIO%/*}/helio-choices-$MPI" 65536 >"$work/all" 2>"$work/said" || :
    sed '/^end$/q' "$work/all" >"$work/choices"
    [ "$(tail -n 1 "$work/choices")" = end ] || fail "nothing is counted"
    if grep '^uncounted' "$work/choices"; then exit 77; fi
    cat "$work/choices" >>"$work/both.probe"
    "$HELIO" calibrate --from "$work/both.probe" -o "$work/machine.yaml" >"$work/printed" 2>"$work/said" || fail "no machine"
}

# The MPI as it is, whose version is that of the table, chooses as the table says. An algorithm that it is told to take is
# found, is a parameter, and is what a simulation on the machine sends; other collectives stay as they are.
choices() {
    count
    grep -q "^library .*${version:?}" "$work/choices" ||
        { echo "skipped: the table is that of another version of this MPI" && exit 77; }
    [ "$(value mpi.tuning)" = "$MPI" ] || fail "the machine is not of $MPI"
    grep -q '^  mpi.tuning: ".*counted with 5, 4 and 2 ranks: all calls' "$work/machine.yaml" || fail "another choice"
    [ -z "$(value "mpi.$kind")" ] || fail "a choice of the table is a parameter"
    count "$@"
    [ "$(value "mpi.$kind")" = "$found" ] || fail "mpi.$kind is '$(value "mpi.$kind")', not $found"
    [ -z "$(value mpi.alltoall)" ] || fail "another collective is changed too"
    ring=$(messages "collective:op=$kind,ranks=5,bytes=8KiB,algorithm=ring")
    [ "$ring" -gt 0 ] && [ "$(messages "collective:op=$kind,ranks=5,bytes=8KiB" --machine "$work/machine.yaml")" = "$ring" ] ||
        fail "a run on the machine does not send as many messages as a ring"
}

messages() { # WORKLOAD [OPTION...]
    "$HELIO" run --json -f hockney -w "$@" | sed -n '/"messages": {/,/}/s/.*"count": \([0-9]*\).*/\1/p'
}

# seconds PHASE KEY: the median of measured_s or forecast_s of a phase
seconds() {
    sed -n "/\"phase\": $1,/,/error_percent/p" "$work/printed" | sed -n "/\"$2\"/,/value/s/.*\"value\": \([0-9.e-]*\),/\1/p"
}

# The phases of a program that works 60 ms in 7 and 10 ms in -2: neither time is shorter, nor is the forecast.
phases() {
    "$HELIO" calibrate --check --machine infiniband-ndr --fabric hockney --mpi "$MPI" --runs 2 --force --json -- \
        "$tests/launch" 2 "$MPI_PROGRAMS/phases_$MPI" >"$work/printed" 2>"$work/said" || fail "a forced comparison fails"
    [ "$(sed -n 's/^ *"phase": \(.*\),$/\1/p' "$work/printed" | tr '\n' ' ')" = "-2 1 7 " ] || fail "other phases"
    for key in measured_s forecast_s; do
        awk -v long="$(seconds 7 $key)" -v short="$(seconds -2 $key)" 'BEGIN { exit !(long >= 0.0599 && short >= 0.00999) }' ||
            fail "$key: phase 7 takes $(seconds 7 $key) s, phase -2 $(seconds -2 $key) s"
    done
    "$HELIO" calibrate --check --machine infiniband-ndr --fabric hockney --mpi "$MPI" --runs 1 --force -- \
        "$tests/launch" 2 "$MPI_PROGRAMS/phases_$MPI" >"$work/printed" 2>"$work/said" || fail "a forced comparison fails"
    [ "$(sed -n '/^  phase /,/^$/p' "$work/printed" | wc -l)" = 5 ] || fail "no table of phases"
}

# A program that is no probe of this MPI.
wrong() {
    if "$HELIO" calibrate --mpi "$MPI" -o "$work/other.yaml" -- true >"$work/printed" 2>"$work/said"; then
        fail "a launcher that launches nothing is not noticed"
    fi
    [ ! -e "$work/other.yaml" ] || fail "a file is written without a measurement"
}

# cluster DELAY[,RATE] LARGEST: measures on two nodes of one rank. Ranks of MPICH yield (yield.c), since the switch needs a
# processor too.
cluster() {
    status=0 yields=
    if [ "$MPI" = mpich ]; then yields=LD_PRELOAD=$MPI_PROGRAMS/yield.so; fi
    # shellcheck disable=SC2086 # `yields` may be empty
    CLUSTER_SWITCH=${HELIO%/*}/helio-cluster-switch CLUSTER_DELAY=$1 "$HELIO" calibrate --mpi "$MPI" --rounds 7 \
        --largest "$2" --force --json -o "$work/machine.yaml" -- "$tests/../../tools/cluster" "$MPI" 2 1 $yields \
        >"$work/printed" 2>"$work/said" || status=$?
    if grep -q '^skipped:' "$work/said"; then grep '^skipped:' "$work/said" && exit 77; fi
    [ $status = 0 ] || grep -q 'no rate was found' "$work/said" || fail "a forced calibration fails"
}

# number KEY: "value" of the key between the nodes
number() {
    sed -n '/^  "between"/,$p' "$work/printed" | sed -n "/^    \"$1\": {/,/}/s/^ *\"value\": \([0-9.e+-]*\),*\$/\1/p" | head -n 1
}

is_near() {
    awk -v found="${1:-0}" -v planted="$2" -v what="$3" 'BEGIN {
        off = 100 * (found - planted) / planted
        printf "%s: planted %g, found %g, %+.1f %%\n", what, planted, found, off
        exit !(off < 3 && off > -3)
    }'
}

# The software of both ends is in each latency, so the difference of two delays is what was planted. A frame of 1514 bytes
# carries 1448 bytes of a message over TCP. The rate is one at which the MPI gets from TCP what the network has: Open MPI
# gets less of 20 Mb/s, MPICH of 8 (docs/measurements/forecast.md).
planted() {
    rate=8
    if [ "$MPI" = mpich ]; then rate=20; fi
    cluster 5ms 64KiB
    short=$(number latency_ns)
    cluster 25ms 64KiB
    is_near "$(awk "BEGIN { print $(number latency_ns) - $short }")" 20e6 "the difference of two delays, ns" &&
        cluster "1ms,$rate" 64KiB &&
        is_near "$(number bytes_per_s)" "$(awk "BEGIN { print $rate * 1e6 / 8 * 1448 / 1514 }")" "the rate, B/s"
}

case $1 in
cluster)
    for attempt in 1 2 3; do
        if planted; then exit 0; fi
    done
    if grep -q 'guard \(busy\|undisturbed\)' "$work/said"; then
        echo "skipped: in $attempt measurements other work kept the processors from the nodes" && exit 77
    fi
    fail "what was planted is not found within 3 %"
    ;;
here) here && wrong && check && phases ;;
choices)
    case $MPI in
    openmpi)
        version="v4.1.4" kind=allreduce found="recursive-doubling<=16B,ring"
        choices OMPI_MCA_coll_tuned_use_dynamic_rules=1 OMPI_MCA_coll_tuned_allreduce_algorithm=4
        ;;
    mpich)
        version="4.0.2" kind=allgather found=ring
        choices MPIR_CVAR_ALLGATHER_INTRA_ALGORITHM=ring
        ;;
    esac
    ;;
*) echo "calibrate.sh: there is no part '$1'" && exit 2 ;;
esac
