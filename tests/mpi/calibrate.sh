#!/bin/sh
# helio calibrate under $MPI. Times are not judged, so a busy machine changes nothing: --force writes the file in any case.
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

# Measures two ranks on this machine; the file is a machine, of this MPI, with a threshold.
here() {
    "$HELIO" calibrate --mpi "$MPI" --rounds 5 --largest 64KiB --force -o "$work/machine.yaml" -- "$tests/launch" 2 \
        >"$work/printed" 2>"$work/said" || fail "a forced calibration fails"
    "$HELIO" machine check "$work/machine.yaml" >"$work/checked" || fail "what it writes is no machine"
    [ "$(value mpi.tuning)" = "$MPI" ] || fail "the machine is not of $MPI"
    grep -q '^mpi.eager_threshold: [1-9]' "$work/machine.yaml" || fail "no eager threshold was found"
    grep -q '^  within.piece-1: ' "$work/machine.yaml" || fail "no piece was found"
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

# A program that is no probe of this MPI.
wrong() {
    if "$HELIO" calibrate --mpi "$MPI" -o "$work/other.yaml" -- true >"$work/printed" 2>"$work/said"; then
        fail "a launcher that launches nothing is not noticed"
    fi
    [ ! -e "$work/other.yaml" ] || fail "a file is written without a measurement"
}

case $1 in
here) here && wrong ;;
*) echo "calibrate.sh: there is no part '$1'" && exit 2 ;;
esac
