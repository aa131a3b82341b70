#!/bin/sh
# Is a forecast of helio trace extrapolate what the program does? A program of tests/mpi/daily is captured under $MPI on
# few ranks. The trace that is forecast for more ranks is compared with a capture on so many: each rank must make the same
# calls with the same partners, tags, bytes and communicators. Computation is measured, and so printed but not compared.
#
#   tests/mpi/daily.sh PROGRAM RANKS FEW...             from FEW ranks to RANKS
#   tests/mpi/daily.sh PROGRAM refused REASON FEW...    the error contains REASON
#
# With KEEP=FOLDER the traces stay there.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
work=${KEEP:-$(mktemp -d)}
[ -n "${KEEP:-}" ] || trap 'rm -rf "$work"' EXIT
export XDG_CACHE_HOME="$work/cache"
program=$1 ranks=$2
shift 2

fail() {
    echo "daily: $program: $*" >&2
    exit 1
}

capture() { # RANKS
    "$HELIO" capture -o "$work/$program.$1" --mpi "$MPI" -- "$here/launch" "$1" "@daily_$program" >"$work/out" 2>&1 ||
        fail "$(cat "$work/out")"
}

# Writes the calls of all ranks of a trace with sizes in bytes and the members of each communicator.
calls() { # TRACE
    rm -rf "$work/calls"
    "$HELIO" trace filter "$work/$1" --ranks "0-$((ranks - 1))" --no-compute -o "$work/calls" >"$work/out" 2>&1 ||
        fail "$(cat "$work/out")"
    for rank in $(seq "$ranks"); do
        awk '$2 == "comm_split" { members[$3] = $4; next }
             { for (i = 3; i <= NF; i++) if ($i in members) $i = "#" members[$i]; print }' "$work/calls/rank-$rank.txt"
    done
}

# Prints how far the forecast of the computation of a rank is off.
computed() { # CAPTURED FORECAST
    for rank in $(seq "$ranks"); do
        for trace; do
            awk -v sum=0 '$2 == "compute" { sum += $3 } END { printf "%.0f ", sum }' "$work/$trace/rank-$rank.txt"
        done
        echo $((rank - 1))
    done | awk -v worst=0 '
        { error = $2 / $1 - 1; found += $1; forecast += $2; beyond += error > 0.05 || error < -0.05 }
        NR == 1 || error * error > worst * worst { worst = error; of = $3 }
        END { printf "computation: %+.1f %% in all; of a rank at most %+.1f %% (rank %d), %d of %d beyond 5 %%\n",
                  100 * (forecast / found - 1), 100 * worst, of, beyond, NR }'
}

[ -x "$MPI_PROGRAMS/daily_${program}_$MPI" ] || { echo "skipped: no Fortran compiler of $MPI" && exit 77; }
refused=
if [ "$ranks" = refused ]; then
    refused=$1 ranks=36
    shift
fi
for few; do
    capture "$few"
    set -- "$@" "$work/$program.$few"
    shift
done
if [ -n "$refused" ]; then
    ! "$HELIO" trace extrapolate "$@" --ranks "$ranks" >"$work/out" 2>&1 || fail "it is not refused: $(cat "$work/out")"
    grep -q -F -e "$refused" "$work/out" || fail "$(cat "$work/out")"
    exit
fi
"$HELIO" trace extrapolate "$@" --ranks "$ranks" -o "$work/forecast" >"$work/model" 2>&1 || fail "$(cat "$work/model")"
capture "$ranks"
"$HELIO" trace validate "$work/forecast" >"$work/out" 2>&1 || fail "$(cat "$work/out")"
calls forecast >"$work/foretold"
calls "$program.$ranks" >"$work/found"
[ "$(wc -l <"$work/found")" -gt $((4 * ranks)) ] || fail "few calls: $(cat "$work/found")"
diff "$work/found" "$work/foretold" >"$work/difference" || fail "found and forecast differ: $(head -n 20 "$work/difference")"
computed "$program.$ranks" forecast
