#!/bin/sh
# tests/mpi/collectives.sh PART...: tests of the blocking collectives that the library replaces. HELIO_RANKS_PER_NODE makes
# nodes of consecutive ranks on this machine.
#
#   plain        all checks without the library; the MPI must pass them too
#   default      all checks with the library as it is
#   leaders      all checks, every call by the algorithm `leaders`; the messages show that the library executed it
#   nodes        random calls by `leaders` on 1 to 8 ranks in nodes of 1, 2 or 3 ranks
#   shapes       the same, each number of ranks in nodes of 1, 2 and 3
#   fortran      calls from Fortran through mpif.h, mpi and mpi_f08
#   cluster      on a cluster of network namespaces (tools/cluster); needs root
#   steps        trials see what a call leaves to the rest of the program (steps.c, owing.c)
#   predicted    which way calls begin with, by measured costs
#   million      a million calls leave memory, descriptors and mappings unchanged
#   random       many random calls, for SEEDS seeds from SEED on
set -eu
. "$(dirname "$0")/common.sh"

movers="movers bytes large bottom comms steps inter rows streams barrier"
among="progress late wildcards nonblocking persistent threads errors handles refused lengths leaks"
reductions="operations users sizes large bits handles specials"
kinds="Barrier Bcast Gather Scatter Allgather Reduce Allreduce Reduce_scatter"

# Words with which every call goes through leaders that MPI allows.
forced="HELIO_COLL=leaders HELIO_ALLTOALLV=leaders HELIO_VERBOSE=1"

all_checks() { # RANKS WORD...: the words are for each program
    all_ranks=$1
    shift
    # shellcheck disable=SC2086 # the lists are words
    on_host barrier "$all_ranks" "$@" @collectives $movers
    # shellcheck disable=SC2086
    on_host leaks "$all_ranks" "$@" @collectives_among $among
    # shellcheck disable=SC2086
    on_host specials "$all_ranks" "$@" @reductions $reductions
}

plain() {
    all_checks 4
    on_host leaks 1 @collectives_among $among
    on_host barrier 3 @collectives $movers
    on_host mixed 1 @mixed 1 2 100
    on_host mixed 3 @mixed 2 1 100
    on_host mixed 6 @mixed 4 1 30
}

default() {
    all_checks 4 LD_PRELOAD="$ours" HELIO_RANKS_PER_NODE=2
    on_host mixed 2 LD_PRELOAD="$ours" @mixed 11 2 150
    on_host mixed 4 LD_PRELOAD="$ours" @mixed 12 2 150
    # Files of at most 64 MiB: ranks cannot share memory, and the MPI executes what needs it.
    # shellcheck disable=SC2086
    (ulimit -f 65536 && on_host mixed 3 LD_PRELOAD="$ours" $forced @mixed 13 1 100)
    grep -q "MPI_Barrier: the MPI's own (not leaders, there is no shared memory)" "$TMP/out" || fail "$(cat "$TMP/out")"
}

# The library says once on rank 0 who executes calls of which only the root knows all counts.
executed_by_nodes() {
    for kind in Gatherv Scatterv; do
        grep -q "^helio coll: MPI_$kind: blocks of up to [0-9]* B by way of nodes" "$TMP/out" ||
            fail "the library did not execute MPI_$kind: $(grep '^helio' "$TMP/out" | sort | uniq -c | tail -30)"
    done
}

# It says once for each size who executes others.
executed() {
    for kind in "$@"; do
        grep -q "^helio coll: MPI_$kind\( of [0-9]* B\)\{0,1\}: leaders (" "$TMP/out" ||
            fail "the library did not execute MPI_$kind: $(grep '^helio' "$TMP/out" | sort | uniq -c | tail -30)"
    done
}

leaders() {
    # shellcheck disable=SC2086
    on_host barrier 4 LD_PRELOAD="$ours" $forced HELIO_RANKS_PER_NODE=2 @collectives layouts $movers
    # shellcheck disable=SC2086
    executed $kinds Alltoall Allgatherv "Reduce_scatter with unequal blocks"
    executed_by_nodes
    # MPICH's barrier, as a schedule, has messages of a byte that is nowhere in memory.
    on_host barrier 4 LD_PRELOAD="$ours" HELIO_BARRIER=mpich HELIO_VERBOSE=1 HELIO_RANKS_PER_NODE=2 @collectives barrier
    grep -q "MPI_Barrier: mpich (HELIO_BARRIER=mpich)" "$TMP/out" || fail "$(cat "$TMP/out")"
    # shellcheck disable=SC2086
    on_host leaks 4 LD_PRELOAD="$ours" $forced HELIO_RANKS_PER_NODE=2 @collectives_among $among
    # shellcheck disable=SC2086
    on_host specials 4 LD_PRELOAD="$ours" $forced HELIO_RANKS_PER_NODE=2 @reductions again $reductions
    # shellcheck disable=SC2086
    on_host barrier 3 LD_PRELOAD="$ours" $forced @collectives $movers
    # shellcheck disable=SC2086
    on_host specials 5 LD_PRELOAD="$ours" $forced HELIO_RANKS_PER_NODE=3 @reductions again $reductions
}

by_nodes_of() { # RANKS-PER-NODE RANKS...
    per_node=$1
    shift
    for ranks; do
        # shellcheck disable=SC2086
        on_host mixed "$ranks" LD_PRELOAD="$ours" $forced HELIO_RANKS_PER_NODE="$per_node" @mixed $((10 * ranks + per_node)) 1 60
    done
}

nodes() {
    by_nodes_of 1 1 3
    by_nodes_of 2 2 4 5
    by_nodes_of 3 4 6 7 8
    executed Bcast Allreduce Barrier
    executed_by_nodes
}

shapes() {
    for per_node in 1 2 3; do
        by_nodes_of $per_node 1 2 3 4 5 6 7 8
    done
}

fortran() {
    watched "failures 0" "$here/launch" 4 -- @collectives_f
    # shellcheck disable=SC2086
    watched "failures 0" "$here/launch" 4 -- LD_PRELOAD="$ours" $forced HELIO_RANKS_PER_NODE=2 @collectives_f
    # Each kind has been executed; integers and doubles have the same sizes in several ways of calling.
    # shellcheck disable=SC2086
    executed $kinds Allgatherv
    grep -q "MPI_Allreduce of 456 B: leaders" "$TMP/out" || fail "MPI_REAL8: $(cat "$TMP/out")"
    executed_by_nodes
    watched "failures 0" "$here/launch" 3 -- LD_PRELOAD="$ours" @collectives_f
}

cluster() {
    program=$MPI_PROGRAMS/collectives_$MPI
    # shellcheck disable=SC2086
    on_cluster barrier 2 2 LD_PRELOAD="$ours" $forced "$program" movers bytes comms rows streams barrier
    grep -q "4 ranks on 2 nodes of at most 2" "$TMP/out" || fail "$(cat "$TMP/out")"
    # shellcheck disable=SC2086
    executed $kinds Alltoall
    # shellcheck disable=SC2086
    on_cluster barrier 3 3 LD_PRELOAD="$ours" $forced "$program" rows streams barrier
    program=$MPI_PROGRAMS/mixed_$MPI
    # shellcheck disable=SC2086
    on_cluster mixed 3 2,1,3 LD_PRELOAD="$ours" $forced "$program" 21 1 80
    on_cluster mixed 2 2 LD_PRELOAD="$ours" "$program" 22 1 150
    program=$MPI_PROGRAMS/collectives_among_$MPI
    # shellcheck disable=SC2086
    on_cluster errors 2 2 LD_PRELOAD="$ours" $forced "$program" progress late nonblocking errors
    program=$MPI_PROGRAMS/reductions_$MPI
    # shellcheck disable=SC2086
    on_cluster again 2 2 LD_PRELOAD="$ours" $forced "$program" users bits again
}

# The MPI's gather is the shorter call; the program's steps are shorter by way of nodes. On a busy machine a run may decide
# by its calls.
steps() {
    owing="LD_PRELOAD=$ours:$MPI_PROGRAMS/owing_$MPI.so HELIO_BARRIER=mpi HELIO_VERBOSE=1"
    for _ in 1 2 3 4 5; do
        # shellcheck disable=SC2086
        on_host steps 4 $owing @steps steps
        ! grep -q "MPI_Gather of 4 to 7 B: .*: by way of nodes for [0-9]* calls (from call to call .* which decides)" "$TMP/out" ||
            return 0
    done
    fail "the steps do not decide: $(cat "$TMP/out")"
}

# How many messages of the library match.
said() { grep -c "^helio coll: $1" "$TMP/out" || :; }

# Costs are measured once for communicators of one shape. A prediction that is sure takes the place of trials.
predicted() {
    on_host again 4 LD_PRELOAD="$ours" HELIO_VERBOSE=1 HELIO_RANKS_PER_NODE=2 @steps again
    [ "$(said "measured costs: a round within nodes [0-9.]* to [0-9.]* us, between nodes ")" = 1 ] || fail "$(cat "$TMP/out")"
    for per_node in 2 4 3; do
        on_host once 4 LD_PRELOAD="$ours" HELIO_VERBOSE=1 HELIO_RANKS_PER_NODE=$per_node @steps once
        for kind in Allreduce Allgather Reduce_scatter Barrier; do
            [ "$(said "MPI_$kind\( of 4 B\)\{0,1\}: leaders (or the MPI's own, .*; predicted .* us and .* us)")" = 1 ] ||
                fail "$kind: $(cat "$TMP/out")"
            case $(said "MPI_$kind.* for 128 calls; predicted") in
            1) [ "$(said "MPI_$kind.* us by way of nodes, ")" = 0 ] || fail "a trial of $kind: $(cat "$TMP/out")" ;;
            *) [ "$(said "MPI_$kind.* us by way of nodes, ")" -gt 0 ] || fail "no trial of $kind: $(cat "$TMP/out")" ;;
            esac
        done
    done
    # Neither a table nor a name needs costs.
    for word in HELIO_COLL=leaders HELIO_COLL=mpi; do
        on_host once 4 LD_PRELOAD="$ours" HELIO_VERBOSE=1 HELIO_RANKS_PER_NODE=2 $word @steps once
        [ "$(said "measured costs")" = 0 ] || fail "$word: $(cat "$TMP/out")"
    done
}

million() {
    LIMIT=6000
    # shellcheck disable=SC2086
    on_host leaks 4 CALLS=230000 LD_PRELOAD="$ours" $forced HELIO_RANKS_PER_NODE=2 @collectives_among leaks
}

random() {
    LIMIT=3000
    # shellcheck disable=SC2086
    on_host mixed 4 LD_PRELOAD="$ours" $forced HELIO_RANKS_PER_NODE=2 @mixed "${SEED:-1000}" "${SEEDS:-40}" 200
    # shellcheck disable=SC2086
    on_host mixed 3 LD_PRELOAD="$ours" $forced @mixed "${SEED:-1000}" "${SEEDS:-40}" 200
}

for part; do "$part"; done
