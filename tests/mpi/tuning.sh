#!/bin/sh
# tests/mpi/tuning.sh [nodes=N|blocks=N] RANKS... -- [ordered|nonblocking] BYTES[,BYTES...][,limits] [COLLECTIVE...]: do
# the tables of mpi.tuning send what $MPI sends? Each rank is a node of its own, or, for MPICH, ranks are dealt round N nodes,
# or a block of them to each of N nodes, as the MPI is told.
# For each number of ranks, tests/mpi/tuning.c counts the messages and bytes of each pair of ranks inside each collective and
# compares them with ours. Prints, per collective, how many points agree, and every point that differs; fails if one does.
# `ordered` and `nonblocking`, for which there are no tables, show how many points still agree.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

nodes=MPIR_CVAR_NOLOCAL=1
case $1 in
nodes=* | blocks=*)
    if [ "$MPI" != mpich ]; then
        echo "skipped: the choices of $MPI do not depend on nodes"
        exit 77
    fi
    nodes=MPIR_CVAR_NUM_CLIQUES=${1#*=}
    [ "$1" = "${1#blocks}" ] || nodes="$nodes MPIR_CVAR_CLIQUES_BY_BLOCK=1"
    shift
    ;;
esac
ranks=""
while [ $# -gt 0 ] && [ "$1" != -- ]; do
    ranks="$ranks $1"
    shift
done
shift
# Open MPI: messages are recorded.
settings="$nodes OMPI_MCA_pml_monitoring_enable=1 OMPI_MCA_pml=ob1,monitoring"
for count in $ranks; do
    status=0
    "$here/launch" "$count" $settings @tuning "$@" >"$work/$count" 2>"$work/errors" || status=$?
    if [ "$status" -ne 0 ]; then
        cat "$work/$count" "$work/errors"
        grep -q '^skipped:' "$work/$count" && exit 77
        exit 1
    fi
    cat "$work/$count" >>"$work/points"
done
if [ -n "${TUNING_POINTS:-}" ]; then
    cp "$work/points" "$TUNING_POINTS"
fi
awk -F, '
    { points[$1]++; all++ }
    $6 == "same" { same[$1]++; agree++ }
    $6 != "same" { print }
    END {
        for (kind in points)
            printf "%-22s %d of %d points agree\n", kind, same[kind], points[kind] | "sort"
        close("sort")
        printf "%-22s %d of %d points agree\n", "all", agree, all
        exit agree != all || all == 0
    }' "$work/points"
