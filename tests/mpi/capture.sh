#!/bin/sh
# Tests of helio capture under $MPI: its traces are valid and say what the program did.
#
#   tests/mpi/capture.sh calls | uncommon | lost | complete | fortran | killed | interrupted |
#                        partial | freed | threads | late | shared |
#                        buffered | types | limit | other | blank | rate | smpi |
#                        collect | cluster | slurm | containers | other-file | packed | bursts | polls | mpi4 | interval | times | where | where-fortran | where-often | where-threads
set -eu
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export XDG_CACHE_HOME="$work/cache"

fail() {
    echo "capture: $*" >&2
    exit 1
}

options= # of helio capture

# capture FOLDER RANKS @NAME [ARGUMENT...]: captures a program. The status is helio's, its output is in $work/out.
capture() {
    folder=$1
    shift
    # shellcheck disable=SC2086 # no option, or one
    "$HELIO" capture -o "$work/$folder" --mpi "$MPI" $options -- "$here/launch" "$@" >"$work/out" 2>&1
}

# has FOLDER RANK LINE...: the rank's trace has these lines in this order; there may be others between them.
has() {
    lines=$work/$1/rank-$(($2 + 1)).txt
    shift 2
    at=1
    for line; do
        found=$(tail -n "+$at" "$lines" | grep -n -x -F -e "$line" | head -n 1 | cut -d: -f1)
        [ -n "$found" ] || fail "$lines has no '$line' behind line $at: $(cat "$lines")"
        at=$((at + found))
    done
}

valid() {
    "$HELIO" trace validate "$work/$1" >"$work/valid" 2>&1 || fail "$(cat "$work/valid")"
    ! grep -q warning "$work/valid" || fail "$(cat "$work/valid")"
    "$HELIO" run --as-published --trace "$work/$1" --fabric packet >"$work/table" 2>&1 || fail "$(cat "$work/table")"
}

# Each line of a trace that has a call site: "ACTION SITE", each once.
sites() {
    awk '$2 == "comm_size" && $3 == "#site" { text = $0; sub(/^.*#site [0-9]+ /, "", text); sub(/ +$/, "", text); name[$4] = text }
         match($0, / #@[0-9]+$/) { site = name[substr($0, RSTART + 3)]; print $2, site }' "$@" | sort -u
}

# at ACTION PATTERN: the site of an action is the only line of where.c with that text.
at() {
    line=$(grep -n "$2" "$here/where.c" | cut -d: -f1)
    echo "$1 where.c:$line"
}

# True: helio looks up lines of the source.
has_lines() { ! "$HELIO" capture --where 2>&1 | grep -q 'built without libdw'; }

skip_without() {
    [ -x "$MPI_PROGRAMS/$1_$MPI" ] || { echo "skipped: no Fortran compiler of $MPI" && exit 77; }
}

case $1 in
blank)
    # The dynamic loader separates the names of libraries at blanks.
    mkdir -p "$work/a b/bin" "$work/a b/lib"
    cp "$HELIO" "$work/a b/bin/helio"
    cp "$HELIO_LIBRARIES/libhelio_capture_$MPI.so" "$work/a b/lib"
    HELIO="$work/a b/bin/helio"
    capture trace 4 @calls || fail "$(cat "$work/out")"
    valid trace
    ;;
rate)
    # Set by hand: what is no rate is named, and the usual one is taken.
    mkdir "$work/trace"
    HELIO_CAPTURE_DIR="$work/trace" HELIO_CAPTURE_RATE=-1 "$here/launch" 2 \
        "LD_PRELOAD=$HELIO_LIBRARIES/libhelio_capture_$MPI.so" @ring 2 >"$work/out" 2>&1 || fail "$(cat "$work/out")"
    grep -q 'HELIO_CAPTURE_RATE=-1 is not a number of operations per second; 1.2e+10 is taken' "$work/out" ||
        fail "$(cat "$work/out")"
    valid trace
    ;;
calls)
    capture trace 4 @calls || fail "$(cat "$work/out")"
    grep -q '4 ranks' "$work/out" || fail "$(cat "$work/out")"
    valid trace
    has trace 0 '0 init' '0 comm_split #c 0-3' '0 send 1 1 10 0' '0 send 1 2 11 1 #s' '0 recv -333 3 100 0 #any' '0 recv 1 -444 100 0' \
        '0 sendRecv 5 1 6 3 0 0 #tags 4 4' '0 sendRecv 7 1 7 3 0 0 #tags 5 5' '0 send 1 4 5 0' '0 recv 3 4 6 0' \
        '0 irecv 3 6 20 0' '0 isend 1 6 20 0' '0 waitall 2' '0 isend 1 7 21 0 #s' '0 wait 3 0 7' \
        '0 isend 1 9 30 0' '0 irecv 3 9 30 0' '0 waitall 2' '0 isend 1 9 30 0' \
        '0 sendRecv 320 1 320 3 6 6 #tags 10 10' '0 bcast 36 1 6' '0 reduce 41 0 1 0' '0 allreduce 42 0 0' \
        '0 scan 43 0 0' '0 exscan 44 0 0' '0 alltoall 5 5 0 0' '0 alltoall 6 6 0 0' \
        '0 alltoallv 64 1 2 3 4 64 1 2 3 4 0 0' '0 allgather 7 7 0 0' '0 allgatherv 1 1 2 3 4 0 0' \
        '0 gather 8 8 0 0 0' '0 gatherv 1 0 0 0 0 1 0 0' '0 scatter 9 9 0 0 0' '0 scatterv 0 0 0 0 1 1 0 0' \
        '0 reducescatter 1 2 3 4 0 0' '0 reducescatter 3 3 3 3 0 0' '0 allreduce 45 0 0 #i' \
        '0 comm_size #wait allreduce' '0 barrier #i' '0 comm_size #wait barrier' '0 comm_split #c2.1 2,0' \
        '0 bcast 40 1 0 #c2.1' '0 alltoallv 23 2 3 23 2 3 0 0 #c2.1' '0 comm_split #c0.1 0-3' \
        '0 sendRecv 1 1 1 3 0 0 #tags 4 4 #c0.1' '0 recv 2 11 2 0 #c2.1' '0 finalize'
    sum=$(awk '$2 == "compute" { sum += $3 } END { printf "%d", sum / 1e6 }' "$work/trace/rank-1.txt")
    [ "$sum" -gt 0 ] || fail "no computation was measured"
    ;;
polls)
    # 35,000 polls find nothing. The trace has a line for a millisecond of computation, and not for each poll.
    capture trace 1 @polls || fail "$(cat "$work/out")"
    valid trace
    sed -i 's/ #c-.*//' "$work/trace/rank-1.txt" # the communicator of the rank alone
    for tag in 0 1 2 3; do has trace 0 "0 irecv 0 $tag 1 1" "0 isend 0 $tag 1 1" "0 wait 0 0 $tag"; done
    has trace 0 '0 wait 0 0 4' '0 recv 0 5 1 1' '0 irecv 0 6 4 6' '0 wait 0 0 6'
    computed=$(sed -n 's/^computed //p' "$work/out")
    # At 12 operations a nanosecond. What the program does between its own two looks at the clock comes to it.
    awk -v computed="$computed" '$2 == "compute" { lines++; sum += $3 / 12 }
         END { if (lines > 500 + sum / 1e6 || sum < 0.99 * computed) { print lines, "lines,", sum, "of", computed; exit 1 } }' \
        "$work/trace/rank-1.txt" || fail "the computation between polls"
    # Of polls that follow one another closely most are not timed. What is computed between them is what the same work
    # takes without polls, and no more than with them: about twice as much as alone in both kinds of blocks. A tracer that
    # loses it has once as much. Processors that others share with us let the two kinds differ.
    # shellcheck disable=SC2046 # two numbers
    set -- $(sed -n 's/^tight //p' "$work/out")
    awk -v alone="$1" -v polled="$2" '$2 == "barrier" { part++ } $2 == "compute" && part == 1 { sum += $3 / 12 }
         END { if (sum < 1.3 * alone || sum > 1.05 * (alone + polled)) { print sum, "of", alone, "and", polled; exit 1 } print "poll:", sum / alone, polled / alone }' \
        "$work/trace/rank-1.txt" || fail "the computation between polls that are not timed"
    [ "$(grep -c ' barrier' "$work/trace/rank-1.txt")" -eq 2 ] || fail "the trace has what the MPI called inside a poll"
    # What was computed before a poll that found something stands before its line.
    awk '$2 == "compute" { before = NR } $2 == "wait" && $5 == 0 { exit before != NR - 1 }' "$work/trace/rank-1.txt" ||
        fail "no computation before the wait: $(grep -n -B 3 ' wait 0 0 0' "$work/trace/rank-1.txt")"
    ;;
uncommon)
    capture trace 4 @uncommon || fail "$(cat "$work/out")"
    valid trace
    [ "$(grep -c 'comm_size *$' "$work/trace/rank-1.txt")" -eq 4 ] || fail "four receives were cancelled"
    ! grep -q -e '[1-3] 1[0-2] 0' "$work/trace/rank-1.txt" || fail "a cancelled receive is in the trace"
    has trace 0 '0 init' '0 barrier' '0 irecv 3 4 13 0' '0 send 1 4 13 0' '0 wait 3 0 4' '0 irecv 3 5 14 0' \
        '0 send 1 5 14 0' '0 wait 3 0 5' '0 isend 1 7 3 0' '0 isend 1 7 4 0' '0 irecv 3 7 24 6' '0 recv 3 7 4 0' \
        '0 wait 3 0 7' '0 waitall 2' '0 isend 1 8 5 0' '0 irecv 3 8 40 6' '0 waitall 2' '0 comm_split #c0.1 0-3' \
        '0 comm_split #c0.1n 0-3' '0 irecv 2 1 2 0 #c0.1n' '0 irecv 2 0 2 0 #c0.1n' '0 irecv 1 2 2 0 #c0.1n' \
        '0 isend 2 0 2 0 #c0.1n' '0 isend 2 1 2 0 #c0.1n' '0 isend 1 3 2 0 #c0.1n' '0 wait 2 0 1 #c0.1n' \
        '0 wait 0 1 3 #c0.1n' '0 isend 1 3 3 0 #c0.1n' '0 wait 2 0 1 #c0.1n' '0 irecv 3 0 4 0 #c0.2n' \
        '0 isend 1 0 1 0 #c0.2n' '0 wait 3 0 0 #c0.2n' '0 wait 0 1 0 #c0.2n' '0 comm_split #c+1 0-3' \
        '0 sendRecv 1 1 1 3 0 0 #tags 9 9 #c+1' '0 comm_split #c0.4 0,2,1,3' \
        '0 sendRecv 2 1 2 1 0 0 #tags 11 11 #c0.4' '0 barrier #c0.4' '0 comm_split #c0.4r1 1,0,2' '0 reduce 5 0 0 0 #c0.4r1' \
        '0 allreduce 6 0 0 #c0.4' '0 comm_split #c0.4r0 0-1,3' '0 gatherv 0 0 7 7 0 0 0 #c0.4r0' \
        '0 scatterv 0 8 9 0 0 0 0 #i #c0.4r0' '0 comm_size #wait scatterv #c0.4r0' \
        '0 alltoallv 4 0 0 2 2 4 0 0 2 2 0 0 #c0.4' '0 alltoallv 2 0 0 1 1 6 0 0 2 4 0 0 #c0.4' \
        '0 comm_split #c0.4g0 0,2' '0 reduce 6 0 0 0 #c0.4r0' '0 reduce 6 0 0 0 #c0.4r1' '0 scatterv 3 3 3 0 0 0 #c0.4g0' \
        '0 reduce 17 0 0 0 #i #c0.4r0' '0 reduce 17 0 0 0 #i #c0.4r1' '0 scatterv 8 9 8 0 0 0 #i #c0.4g0' \
        '0 comm_size #wait reduce #c0.4r0' '0 comm_size #wait reduce #c0.4r1' '0 comm_size #wait scatterv #c0.4g0' '0 finalize'
    has trace 3 '3 barrier #c0.4' '3 comm_split #c0.4r2 2,1,3' '3 bcast 4 0 0 #c0.4r2' '3 allreduce 6 0 0 #c0.4' \
        '3 gatherv 7 0 0 0 0 0 0 #c0.4r0' '3 scatterv 0 0 0 9 0 0 0 #i #c0.4r0' \
        '3 bcast 1 0 0 #c0.4r2' '3 alltoallv 8 4 4 0 0 4 1 3 0 0 0 0 #c0.4' '3 comm_split #c0.4g1 1,3' \
        '3 reduce 6 0 0 0 #c0.4r0' '3 scatterv 0 0 3 0 0 0 #c0.4g1' '3 reduce 17 0 0 0 #i #c0.4r0' \
        '3 scatterv 0 0 8 0 0 0 #i #c0.4g1' '3 comm_size #wait reduce #c0.4r0' '3 comm_size #wait scatterv #c0.4g1' '3 finalize'
    # Rank 2 is the first of no group: the sum of the other group goes to rank 0.
    [ "$(grep -c '^2 reduce .*#c0.4r1' "$work/trace/rank-3.txt")" -eq 3 ] || fail "$(cat "$work/trace/rank-3.txt")"
    ! grep -q ' bcast ' "$work/trace/rank-1.txt" || fail "rank 0 takes no part in a broadcast of its group's other rank"
    ;;
lost)
    capture trace 4 @uncommon "$work/file" || fail "$(cat "$work/out")"
    grep -q 'the trace lacks them: MPI_File_close (4), MPI_File_open (4), MPI_File_write_at_all (4)$' \
        "$work/out" || fail "$(cat "$work/out")"
    has trace 3 '3 comm_size #lost MPI_File_open' '3 finalize'
    "$HELIO" run --as-published --trace "$work/trace" --fabric packet >"$work/table" 2>&1 || fail "$(cat "$work/table")"
    grep -q 'warning: a call that was not captured: .* (the first of 12)' "$work/table" || fail "$(cat "$work/table")"
    ;;
complete)
    # Each function that the MPI exports is wrapped or listed as silent.
    library=$HELIO_LIBRARIES/libhelio_capture_$MPI.so
    mpi=$(ldd "$MPI_PROGRAMS/ring_$MPI" | awk '$1 ~ /^libmpi(ch)?[.]so/ { print $3 }')
    names() { nm -D --defined-only "$1" | awk '$3 ~ /^MPI_([A-Z][a-z]|T_)/ && $2 ~ /[TW]/ { print substr($3, 5) }' | sort -u; }
    names "$library" >"$work/ours"
    names "$mpi" >"$work/theirs"
    [ "$(wc -l <"$work/theirs")" -gt 300 ] || fail "$mpi exports $(wc -l <"$work/theirs") functions of MPI only"
    awk '$1 == "silent" { for (i = 2; i <= NF; i++) print "^" $i "$" }' "$here/../../live/capture/calls.txt" >"$work/silent"
    comm -13 "$work/ours" "$work/theirs" | grep -v -E -e '^(Aint_add|Aint_diff|Wtime|Wtick)$' -f "$work/silent" \
        >"$work/forgotten" || true
    [ ! -s "$work/forgotten" ] || fail "neither recorded, lost nor silent: $(tr '\n' ' ' <"$work/forgotten")"
    ;;
fortran)
    skip_without calls_f
    capture trace 2 @calls_f || fail "$(cat "$work/out")"
    valid trace
    ! grep -q ' 4 11 0' "$work/trace/rank-1.txt" || fail "a cancelled receive is in the trace"
    has trace 0 '0 init' '0 comm_split #c+1 0-1' '0 sendRecv 12 1 12 1 40 40 #tags 5 5 #c+1' '0 gather 13 13 1 1 1' \
        '0 irecv 1 1 10 0' '0 isend 1 1 10 0' '0 waitall 2' '0 sendRecv 3 1 3 1 1 1 #tags 2 2' \
        '0 allreduce 4 0 0' '0 bcast 5 0 43' '0 alltoall 32 32 6 6' '0 comm_split #c0.1 0' '0 barrier #c0.1' \
        '0 irecv 1 3 6 0' '0 send 1 3 6 0' '0 wait 1 0 3' '0 allreduce 7 0 0 #i' '0 comm_size #wait allreduce' \
        '0 reduce 8 0 1 38' '0 finalize'
    [ "$(grep -c sendRecv "$work/trace/rank-1.txt")" -eq 2 ] || fail "calls are written twice"
    ;;
killed)
    ! capture trace 4 @calls 2 || fail "the program was killed, and the status is 0"
    grep -q 'of 4 ranks, .* end before MPI_Finalize' "$work/out" || fail "$(cat "$work/out")"
    has trace 2 '2 init' '2 sendRecv 320 3 320 1 6 6 #tags 10 10' '2 barrier' '2 finalize'
    "$HELIO" trace info "$work/trace" >"$work/info" 2>&1 || fail "$(cat "$work/info")"
    ;;
interrupted)
    # Ctrl-C reaches all processes in the foreground; the SIGTERM of a batch system may reach helio alone.
    for signal in INT TERM; do
        env --default-signal=INT setsid "$HELIO" capture -o "$work/$signal" --mpi "$MPI" -- "$here/launch" 2 \
            @corners endless >"$work/out" 2>&1 &
        helio=$! group=
        for rank in 1 2; do
            until grep -q -a -s barrier "$work/$signal/rank-$rank.txt"; do
                kill -0 $helio || fail "$(cat "$work/out")"
                sleep 0.1
            done
        done
        [ $signal != INT ] || group=-
        kill -s $signal -- $group$helio
        status=0
        wait $helio || status=$?
        [ $status -eq 1 ] || fail "status $status: $(cat "$work/out")"
        grep -q '2 of 2 ranks, .* end before MPI_Finalize' "$work/out" || fail "$(cat "$work/out")"
        "$HELIO" trace info "$work/$signal" >"$work/info" 2>&1 || fail "$(cat "$work/info")"
        has $signal 1 '1 init' '1 barrier' '1 finalize'
    done
    ;;
partial)
    # A rank that cannot write, ranks that end without MPI_Finalize, two programs in one folder: each trace is reported as
    # incomplete.
    for rank in 1 2; do
        # shellcheck disable=SC2016
        ! capture without-$rank 3 sh -c '[ "${PMI_RANK:-$OMPI_COMM_WORLD_RANK}" != "$0" ] || export HELIO_CAPTURE_DIR=/proc/nowhere
            exec "$@"' $rank @ring 3 || fail "rank $rank could not write, and the status is 0: $(cat "$work/out")"
        grep -q "1 of 3 ranks, rank $rank first, left no trace here" "$work/out" || fail "$(cat "$work/out")"
        ! "$HELIO" trace validate "$work/without-$rank" >"$work/valid" 2>&1 || fail "$(cat "$work/valid")"
    done
    ! capture unfinished 2 @corners unfinished || fail "ranks ended without MPI_Finalize, and the status is 0: $(cat "$work/out")"
    grep -q '2 of 2 ranks, rank 0 first, end before MPI_Finalize' "$work/out" || fail "$(cat "$work/out")"
    for ranks in 1 2; do
        # shellcheck disable=SC2016
        ! "$HELIO" capture -o "$work/two-$ranks" --mpi "$MPI" -- sh -c '"$0" 1 @ring 1 && "$0" $1 @ring $1' "$here/launch" \
            $ranks >"$work/out" 2>&1 || fail "two programs ran, and the status is 0: $(cat "$work/out")"
        grep -q 'more than one MPI program' "$work/out" || fail "$(cat "$work/out")"
        [ -z "$(find "$work/two-$ranks" -name '*taken')" ] || fail "a file '*.taken' is left in the folder"
    done
    ;;
freed)
    capture trace 2 @corners freed || fail "$(cat "$work/out")"
    valid trace
    has trace 0 '0 isend 1 1 4194304 6' '0 irecv 1 2 1 1' '0 wait 1 0 2' '0 send 1 3 1 1' '0 finalize'
    ;;
threads)
    # The environment may raise the thread level above that of MPI_Init_thread.
    export OMPI_MPI_THREAD_LEVEL=3 MPIR_CVAR_DEFAULT_THREAD_LEVEL=MPI_THREAD_MULTIPLE
    capture trace 2 @corners threads || fail "$(cat "$work/out")"
    ! grep -q 'may not call' "$work/out" || { cat "$work/out" && exit 77; }
    valid trace
    for line in comm_split=83 sendRecv=1600; do
        found=$(grep -c "^1 ${line%=*} " "$work/trace/rank-2.txt")
        [ "$found" -eq "${line#*=}" ] || fail "$found lines are ${line%=*}, not ${line#*=}"
    done
    ;;
late)
    capture trace 2 "$MPI_PROGRAMS/late" @corners_module freed || fail "$(cat "$work/out")"
    valid trace
    has trace 0 '0 isend 1 1 4194304 6' '0 irecv 1 2 1 1' '0 wait 1 0 2' '0 send 1 3 1 1' '0 finalize'
    ;;
shared)
    capture trace 2 @corners shared || fail "$(cat "$work/out")"
    ! grep -q 'not refused' "$work/out" || fail "$(cat "$work/out")"
    valid trace
    has trace 0 '0 isend 1 3 1 1' '0 wait 0 1 1' '0 wait 0 1 2' '0 wait 0 1 3' '0 finalize'
    ;;
buffered)
    # At 12 Gflop/s the limit is ten milliseconds. The program computes less, but waits longer.
    capture trace 2 @corners buffered || fail "$(cat "$work/out")"
    valid trace
    has trace 0 '0 send 1 1 4194304 6 #b' '0 barrier'
    awk '$2 == "compute" && $3 > 1.2e8 { exit 1 }' "$work/trace/rank-1.txt" || fail "$(cat "$work/trace/rank-1.txt")"
    ;;
types)
    capture trace 1 @corners types || fail "$(cat "$work/out")"
    awk '$2 == "sendRecv" { print $3, $7 }' "$work/trace/rank-1.txt" | tr '\n' ,  >"$work/types"
    [ "$(cat "$work/types")" = '12 6,12 6,1 30,6 6,1 34,1 14,1 16,4 6,1 57,8 6,' ] || fail "$(cat "$work/types")"
    ;;
limit)
    # Files may not be long enough for the trace: the trace ends early, but the program goes on.
    # shellcheck disable=SC2016
    ! capture trace 1 sh -c 'ulimit -f 12288 && exec "$@"' - @corners many || fail "the trace is incomplete, and the status is 0"
    grep -q 'all is done' "$work/out" || fail "$(cat "$work/out")"
    grep -q 'File too large; the trace ends here' "$work/out" || fail "$(cat "$work/out")"
    grep -q '1 of 1 ranks, rank 0 first, end before MPI_Finalize' "$work/out" || fail "$(cat "$work/out")"
    "$HELIO" trace info "$work/trace" >"$work/info" 2>&1 || fail "$(cat "$work/info")"
    ;;
other)
    # The library for the other MPI, preloaded by hand, refuses to run. A program without MPI leaves no trace and no folder.
    case $MPI in openmpi) other=mpich ;; *) other=openmpi ;; esac
    library=$HELIO_LIBRARIES/libhelio_capture_$other.so
    [ -e "$library" ] || { echo "skipped: only one MPI is here" && exit 77; }
    ! HELIO_CAPTURE_DIR="$work" "$here/launch" 1 "LD_PRELOAD=$library" @ring 1 >"$work/out" 2>&1 ||
        fail "the tracer of $other runs with $MPI"
    grep -q 'was built for' "$work/out" || fail "$(cat "$work/out")"
    ! "$HELIO" capture -o "$work/none" --mpi "$MPI" -- true >"$work/out" 2>&1 || fail "a trace of nothing"
    grep -q 'there is no trace here: no process called MPI_Init of' "$work/out" || fail "$(cat "$work/out")"
    [ ! -e "$work/none" ] || fail "an empty folder is left"
    ;;
collect)
    # Each rank has a folder of its own, which is not there before, as on machines without a common folder.
    options=--where
    # shellcheck disable=SC2016
    ! capture here 3 sh -c '[ "${PMI_RANK:-$OMPI_COMM_WORLD_RANK}" = 0 ] ||
        export HELIO_CAPTURE_DIR="$HELIO_CAPTURE_DIR-${PMI_RANK:-$OMPI_COMM_WORLD_RANK}"; exec "$@"' - @ring 3 ||
        fail "two ranks are elsewhere, and the status is 0"
    grep -q '2 of 3 ranks, rank 1 first, left no trace here' "$work/out" || fail "$(cat "$work/out")"
    "$HELIO" capture -o "$work/whole" --collect "$work/here" --collect "$work/here-1" --collect "$work/here-2" \
        >"$work/out" 2>&1 || fail "$(cat "$work/out")"
    valid whole
    if has_lines; then ! grep '#site [0-9]* +0x[0-9a-f]* in /' "$work"/whole/*.txt || fail "sites without names"; fi
    ! "$HELIO" capture -o "$work/two" --collect "$work/here" --collect "$work/here-1" >"$work/out" 2>&1 ||
        fail "a rank is missing, and the status is 0"
    grep -q '1 of 3 ranks, rank 2 first, left no trace here' "$work/out" || fail "$(cat "$work/out")"
    status=0
    "$HELIO" capture -o "$work/twice" --collect "$work/here-1" --collect "$work/whole" >"$work/out" 2>&1 || status=$?
    [ $status -eq 2 ] && grep -q 'whole/rank-2.txt: rank 1 is in another folder, too' "$work/out" || fail "$(cat "$work/out")"
    [ ! -e "$work/twice" ] || fail "a folder is left"
    ;;
mpi4)
    # What MPI 4 has added. "$here/launch" of an older MPI reports status 77 in its own way.
    "$here/launch" 1 @mpi4 >"$work/out" 2>&1 || true
    ! grep 'skipped: this MPI is older' "$work/out" || exit 77
    capture trace 4 @mpi4 || fail "$(cat "$work/out")"
    valid trace
    has trace 0 '0 comm_split #cp1 0-3' '0 allreduce 5 0 1 #i #cp1' '0 comm_size #wait allreduce #cp1' \
        '0 allreduce 5 0 1 #i #cp1' '0 comm_size #wait allreduce #cp1' '0 gatherv 1 1 2 3 4 0 1 1 #i #cp2' \
        '0 barrier #i #cp3' '0 comm_size #wait gatherv #cp2' '0 comm_size #wait barrier #cp3' \
        '0 send 1 1 6 1' '0 irecv 3 2 7 1' '0 isend 1 2 7 1' '0 waitall 2' '0 sendRecv 8 1 9 3 1 1 #tags 3 3' \
        '0 bcast 10 1 1' '0 alltoallv 10 1 2 3 4 4 1 1 1 1 1 1' '0 allreduce 11 0 1 #i' '0 comm_size #wait allreduce' \
        '0 reducescatter 1 2 3 4 0 1 #i #cp4' '0 comm_size #wait reducescatter #cp4' '0 irecv 3 4 13 1' '0 isend 1 4 12 1' \
        '0 wait 3 0 4' '0 wait 0 1 4' '0 irecv 3 5 14 1' '0 isend 1 5 14 1' '0 barrier #i' '0 wait 3 0 5' \
        '0 wait 0 1 5' '0 comm_size #wait barrier' '0 isend 1 6 15 1' '0 wait 0 1 6' '0 bcast 16 0 1 #i #cp5' \
        '0 barrier #i #cp6' '0 comm_size #wait bcast #cp5' '0 comm_size #wait barrier #cp6' \
        '0 irecv 2 1 5 1 #c0.1p1n' '0 irecv 2 0 5 1 #c0.1p1n' '0 irecv 1 2 4 1 #c0.1p1n' '0 isend 2 0 5 1 #c0.1p1n' \
        '0 isend 2 1 5 1 #c0.1p1n' '0 isend 1 3 4 1 #c0.1p1n' '0 irecv 2 1 3 1 #c0.1p2n' '0 isend 1 3 3 1 #c0.1p2n' \
        '0 wait 2 0 1 #c0.1p1n' '0 wait 0 1 3 #c0.1p1n' '0 wait 2 0 1 #c0.1p2n' '0 irecv 2 1 5 1 #c0.1p1n' \
        '0 reduce 17 0 0 1 #i #c0.3r0p1' '0 reduce 17 0 0 1 #i #c0.3r1p1' '0 scatterv 8 9 8 0 1 1 #i #c0.3g0p1' \
        '0 reduce 4 0 0 1 #i #c0.3r0p2' '0 comm_size #wait scatterv #c0.3g0p1' '0 comm_size #wait reduce #c0.3r0p2' \
        '0 scatterv 8 9 8 0 1 1 #i #c0.3g0p1' '0 comm_size #wait scatterv #c0.3g0p2' '0 finalize'
    has trace 1 '1 barrier #i #cp6' '1 bcast 16 0 1 #i #cp5' '1 barrier #i #cp6' '1 bcast 16 0 1 #i #cp5' \
        '1 irecv 3 1 3 1 #c0.1p2n' '1 irecv 3 1 5 1 #c0.1p1n' '1 scatterv 2 2 2 0 1 1 #i #c0.3g1p2' \
        '1 scatterv 9 8 9 0 1 1 #i #c0.3g1p1' '1 finalize'
    [ "$(grep -c -e allreduce -e gatherv -e reducescatter "$work/trace/rank-3.txt")" -eq 10 ] ||
        fail "calls are written twice: $(cat "$work/trace/rank-3.txt")"
    capture partitioned 4 @mpi4 partitioned || fail "$(cat "$work/out")"
    grep -q 'the trace lacks them: MPI_Parrived (4), MPI_Pready (8), MPI_Precv_init (4), MPI_Psend_init (4)$' "$work/out" ||
        fail "$(cat "$work/out")"
    ;;
interval)
    # Parts of a run that MPI_Pcontrol switches on, on all ranks at the same place, and elsewhere.
    broadcasts() { awk '$2 == "bcast" { printf "%s ", $3 - 10 }' "$work/$1/rank-$2.txt"; }
    capture control 4 @interval control 40 || fail "$(cat "$work/out")"
    valid control
    [ "$(broadcasts control 1)" = '10 11 12 13 14 15 16 17 18 19 ' ] || fail "$(cat "$work/control/rank-1.txt")"
    ! grep -q -e '#behind' "$work/control/rank-1.txt" || fail "$(cat "$work/control/rank-1.txt")"
    has control 0 '0 init' '0 comm_split #c0.1 0,2' '0 irecv 3 3 1000 1' '0 waitall 2' '0 bcast 20 0 1 #c0.1' \
        '0 allreduce 1 0 1' '0 bcast 29 0 1 #c0.1' '0 allreduce 1 0 1' '0 finalize'
    # Rank r begins and ends r iterations later: what all have is left.
    capture uneven 4 @interval uneven 40 || fail "$(cat "$work/out")"
    valid uneven
    for rank in 1 2 3 4; do
        [ "$(broadcasts uneven $rank)" = '13 14 15 16 17 18 19 ' ] || fail "$(cat "$work/uneven/rank-$rank.txt")"
    done
    options=--where
    capture twice 4 @interval twice 40 || fail "$(cat "$work/out")"
    options=
    valid twice
    [ "$(broadcasts twice 3)" = '5 6 7 8 9 20 21 22 23 24 ' ] || fail "$(cat "$work/twice/rank-3.txt")"
    # A message is under way all the time; one rank alone; no rank.
    ! capture crossing 4 @interval crossing 40 || fail "a message crosses the interval, and the status is 0"
    grep -q 'behind each collective a message, a request or another collective is under way' "$work/out" || fail "$(cat "$work/out")"
    ! capture alone 4 @interval alone 40 || fail "one rank has recorded, and the status is 0"
    grep -q 'rank 1 has recorded 0 parts of the run, and rank 0 1' "$work/out" || fail "$(cat "$work/out")"
    options='--from 10000s'
    ! capture never 2 @ring 2 || fail "no rank has recorded, and the status is 0"
    grep -q 'no rank made a call in the part of the run that is recorded, from 10000s: the run took [0-9.]* s' "$work/out" || fail "$(cat "$work/out")"
    ;;
times)
    # The program takes 0.2 s at least. How long its calls take does not matter.
    count() { grep -c ' allreduce ' "$work/$1/rank-1.txt" || true; }
    options='--from 20ms'
    capture from 4 @interval times 200 || fail "$(cat "$work/out")"
    valid from
    [ "$(count from)" -ge 1 ] && [ "$(count from)" -le 200 ] || fail "$(count from) iterations from 20 ms on"
    options='--to 50ms'
    if capture to 4 @interval times 200; then
        valid to
        [ "$(count to)" -le 50 ] || fail "$(count to) iterations within 50 ms"
    else
        grep -q 'has no two places' "$work/out" || fail "$(cat "$work/out")"
    fi
    ;;
where)
    capture trace 2 @where || fail "$(cat "$work/out")"
    ! grep -q -e '#@' -e '#site' "$work/trace/rank-1.txt" || fail "call sites, and nobody has asked"
    options=--where
    capture sites 2 @where || fail "$(cat "$work/out")"
    valid sites
    if ! has_lines; then
        sites "$work"/sites/*.txt | grep -q 'isend +0x[0-9a-f]* in where_' || fail "$(cat "$work/sites/rank-1.txt")"
        echo "skipped: built without libdw" && exit 77
    fi
    { at irecv MPI_Irecv && at isend MPI_Isend && at waitall MPI_Waitall && at allreduce MPI_Allreduce &&
        at send MPI_Send && at recv MPI_Recv && at comm_split MPI_Comm_dup && at finalize MPI_Finalize; } | sort >"$work/expected"
    sites "$work"/sites/*.txt | diff "$work/expected" - || fail "these are not the call sites"
    "$HELIO" run --trace "$work/sites" --fabric packet --insight >"$work/table" 2>&1 || fail "$(cat "$work/table")"
    grep -q "ranks wait longest at $(at '' MPI_Waitall | cut -c2-): " "$work/table" || fail "$(cat "$work/table")"
    # A program that dies leaves the sites of what it has called.
    ! capture killed 2 @where dies || fail "the program has died, and the status is 0"
    sites "$work"/killed/*.txt | grep -q -x "$(at allreduce MPI_Allreduce)" || fail "$(cat "$work/killed/rank-1.txt")"
    # Without debug information the symbols are left; without symbols the addresses.
    for without in debug all; do
        cp "$MPI_PROGRAMS/where_$MPI" "$work/stripped"
        strip --strip-$without "$work/stripped"
        capture strip-$without 2 "$work/stripped" || fail "$(cat "$work/out")"
        sites "$work"/strip-$without/*.txt >"$work/found"
        case $without in debug) name=agree+0x ;; all) name=+0x ;; esac
        grep -q -x "allreduce $name[0-9a-f]* in stripped" "$work/found" || fail "$(cat "$work/found")"
    done
    ;;
where-fortran)
    # Lines of three Fortran interfaces, whose calls pass through functions of the MPI.
    skip_without calls_f
    options=--where
    capture trace 2 @calls_f || fail "$(cat "$work/out")"
    valid trace
    ! grep -v -e compute -e comm_s -e ' init' "$work/trace/rank-1.txt" | grep -v -q -e '#@' ||
        fail "a call without a site: $(cat "$work/trace/rank-1.txt")"
    has_lines || { echo "skipped: built without libdw" && exit 77; }
    sites "$work"/trace/*.txt >"$work/found"
    [ "$(wc -l <"$work/found")" -gt 15 ] || fail "few sites: $(cat "$work/found")"
    while read -r action site; do
        file=$here/${site%:*} line=${site#*:}
        case $action in
        irecv) call=recv ;; isend) call=send ;; send*) call=send ;;
        waitall | wait) call=wait ;; comm_split) call=comm ;; comm_size) call=wait ;;
        *) call=$action ;;
        esac
        # gfortran gives a few calls the line in which their subroutine or program begins.
        sed -n "${line}p" "$file" | tr -d _ | grep -q -i -E "call mpi(i?$call|start|test|wait)|^(subroutine|program)" ||
            fail "$action is not at $site: $(sed -n "${line}p" "$file")"
    done <"$work/found"
    ;;
where-often)
    # Calls from the same line take a short way to their site: each line has as many calls as it makes.
    skip_without where_f
    options=--where
    capture trace 2 @where_f || fail "$(cat "$work/out")"
    valid trace
    for rank in 1 2; do
        awk '$2 == "comm_size" && $3 == "#site" { name[$4] = $5 }
             $2 != "finalize" && match($0, / #@[0-9]+$/) { count[$2 " " name[substr($0, RSTART + 3)]]++ }
             END { for (site in count) print count[site], site }' "$work/trace/rank-$rank.txt" | sort >"$work/found"
        if has_lines; then
            for line in 1:428:allreduce 2:572:allreduce 3:333:bcast 4:667:bcast; do
                calls=${line#*:}
                echo "${calls%:*} ${line##*:} where_f.f90:$(grep -n "! line ${line%%:*}" "$here/where_f.f90" | cut -d: -f1)"
            done | sort | diff - "$work/found" || fail "these are not the calls of the lines"
        else
            [ "$(wc -l <"$work/found")" -eq 4 ] || fail "$(cat "$work/found")"
        fi
    done
    ;;
where-threads)
    export OMPI_MPI_THREAD_LEVEL=3 MPIR_CVAR_DEFAULT_THREAD_LEVEL=MPI_THREAD_MULTIPLE
    options=--where
    capture trace 2 @corners threads || fail "$(cat "$work/out")"
    ! grep -q 'may not call' "$work/out" || { cat "$work/out" && exit 77; }
    valid trace
    [ "$(grep -c '^1 sendRecv .* #@[0-9]*$' "$work/trace/rank-2.txt")" -eq 1600 ] || fail "$(cat "$work/trace/rank-2.txt")"
    ;;
cluster)
    # Two nodes whose /dev/shm, and so the folder of the trace, is their own: each rank takes its file out of there when
    # it has ended, and the trace of both nodes is that of four ranks on one.
    # MPICH 4.0.2 is left out: without helio, too, its MPI_Finalize does not always end between these nodes.
    [ "$MPI" = openmpi ] || { echo "skipped: between network namespaces MPICH's MPI_Finalize does not always end" && exit 77; }
    capture here 4 @exchange || fail "$(cat "$work/out")"
    status=0
    # shellcheck disable=SC2016
    "$here/../../tools/cluster" "$MPI" 2 2 "LD_PRELOAD=$HELIO_LIBRARIES/libhelio_capture_$MPI.so" HELIO_CAPTURE_DIR=/dev/shm/trace \
        sh -c '"$0" && mkdir -p "$1/$(hostname)" &&
            cp "/dev/shm/trace/rank-$((${OMPI_COMM_WORLD_RANK:-$PMI_RANK} + 1)).txt" "$1/$(hostname)"' \
        "$MPI_PROGRAMS/exchange_$MPI" "$work/nodes" >"$work/out" 2>&1 || status=$?
    [ $status -ne 77 ] || { cat "$work/out" && exit 77; }
    [ $status -eq 0 ] || fail "$(cat "$work/out")"
    [ ! -e "$work/nodes/n0/rank-3.txt" ] && [ -e "$work/nodes/n1/rank-3.txt" ] || fail "$(ls -R "$work/nodes")"
    "$HELIO" capture -o "$work/all" --collect "$work/nodes/n0" --collect "$work/nodes/n1" >"$work/out" 2>&1 ||
        fail "$(cat "$work/out")"
    valid all
    for k in 1 2 3 4; do
        grep -v ' compute ' "$work/here/rank-$k.txt" >"$work/expected"
        grep -v ' compute ' "$work/all/rank-$k.txt" | diff "$work/expected" - || fail "rank $k has other lines"
    done
    ;;
slurm)
    # Under a Slurm of two nodes, whose /dev/shm is their own. MPICH has one node, since its MPI_Finalize does not always end
    # between two, with or without helio.
    capture plain 4 @exchange || fail "$(cat "$work/out")"
    nodes=2 status=0
    [ "$MPI" = openmpi ] || nodes=1
    "$here/../../tools/cluster" slurm $nodes $((4 / nodes)) WORK="$work" NODES=$nodes "$here/capture.sh" in-slurm \
        >"$work/out" 2>&1 || status=$?
    [ $status -ne 77 ] || { cat "$work/out" && exit 77; }
    [ $status -eq 0 ] || fail "$(cat "$work/out")"
    for way in srun salloc sbatch own; do
        valid $way
        for k in 1 2 3 4; do
            grep -v ' compute ' "$work/plain/rank-$k.txt" >"$work/expected"
            grep -v ' compute ' "$work/$way/rank-$k.txt" | diff "$work/expected" - || fail "$way: rank $k has other lines"
        done
    done
    ;;
in-slurm)
    # On a node of Slurm, within the test above, whose folder is $WORK.
    rm -rf "$work"
    trap - EXIT
    work=$WORK program=$MPI_PROGRAMS/exchange_$MPI
    export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
    export OMPI_MCA_pml=ob1 OMPI_MCA_btl=self,vader,tcp OMPI_MCA_btl_tcp_if_include=eth0 OMPI_MCA_mpi_yield_when_idle=1
    export OMPI_MCA_btl_vader_single_copy_mechanism=none UCX_TLS=self,sm UCX_WARN_UNUSED_ENV_VARS=n
    export ASAN_OPTIONS="detect_leaks=0${ASAN_OPTIONS:+:$ASAN_OPTIONS}"
    case $MPI in openmpi) pmi=pmix launcher=$MPIEXEC ;; mpich) pmi=pmi2 launcher="$MPIEXEC -n 4" ;; esac
    srun --mpi=$pmi -n 1 true || { echo "skipped: this Slurm has no --mpi=$pmi" && exit 77; }
    "$HELIO" capture -o "$work/srun" --mpi "$MPI" -- srun --mpi=$pmi -n 4 "$program"
    # shellcheck disable=SC2086 # the launcher may have options
    salloc -n 4 "$HELIO" capture -o "$work/salloc" --mpi "$MPI" -- $launcher "$program"
    printf '#!/bin/sh\nexec "%s" capture -o "%s" --mpi %s -- srun --export=ALL --mpi=%s -n 4 "%s"\n' \
        "$HELIO" "$work/sbatch" "$MPI" $pmi "$program" >"$work/job"
    sbatch --wait --export=NONE -n 4 -o "$work/job.out" "$work/job" || fail "$(cat "$work/job.out")"
    # A folder that each node has for itself.
    status=0
    "$HELIO" capture -o /dev/shm/own --mpi "$MPI" -- srun --mpi=$pmi -n 4 "$program" 2>"$work/said" || status=$?
    [ $status -eq $((NODES - 1)) ] || fail "status $status: $(cat "$work/said")"
    [ "$NODES" -eq 1 ] || grep -q 'own: 2 of 4 ranks, rank 2 first, left no trace here; --collect' "$work/said" ||
        fail "$(cat "$work/said")"
    # shellcheck disable=SC2016
    srun -N "$NODES" --ntasks-per-node=1 sh -c 'cp -r /dev/shm/own "$0/$(hostname)"' "$work"
    set -- --collect "$work/n0"
    [ "$NODES" -eq 1 ] || set -- "$@" --collect "$work/n1"
    "$HELIO" capture -o "$work/own" "$@"
    # The other way round each rank would make a trace of its own.
    ! timeout 60 srun --mpi=$pmi -n 4 "$HELIO" capture -o "$work/inside" --mpi "$MPI" -- "$program" 2>"$work/said" ||
        fail "a rank captures a program of several"
    [ "$(grep -c 'this is one of 4 ranks; helio capture runs the launcher' "$work/said")" -eq 4 ] && [ ! -e "$work/inside" ] ||
        fail "$(cat "$work/said")"
    ;;
containers)
    # Each rank in a container of its own, which a launcher outside starts: no rank sees the files of another.
    built=$(cd "${HELIO%/*}/.." && pwd)
    "$here/box" "$built" -- true >"$work/out" 2>&1 || { cat "$work/out" && exit 77; }
    # boxed TRACE SEEN... -- COMMAND: captures a command whose words are started in containers that see these folders.
    # Ranks can reach each other through the network only. Those of MPICH 4.0.2 share IPC, since without helio, too, its
    # MPI_Finalize does not always end where ranks reach each other by UCX's TCP.
    boxed() {
        trace=$1
        shift
        capture "$trace" 4 OMPI_MCA_btl=self,tcp PMIX_MCA_gds=hash \
            BOX_SHARES="$([ "$MPI" = openmpi ] || echo ipc)" "$here/box" "$@"
    }
    same() { # FOLDER: but for computation the lines are those without containers
        valid "$1"
        for k in 1 2 3 4; do
            grep -v ' compute ' "$work/plain/rank-$k.txt" >"$work/expected"
            grep -v ' compute ' "$work/$1/rank-$k.txt" | diff "$work/expected" - || fail "rank $k has other lines"
        done
    }
    capture plain 4 @exchange || fail "$(cat "$work/out")"
    # The containers see the folder of the trace.
    options='--compress --where'
    boxed seen "$work/seen" "$built" -- @exchange || fail "$(cat "$work/out")"
    "$HELIO" trace info "$work/seen" >"$work/info" 2>&1 || fail "$(cat "$work/info")"
    options=
    boxed shown "$work/shown" "$built" -- @exchange || fail "$(cat "$work/out")"
    same shown
    # They do not: each rank makes the folder in its own /tmp, and its file is gone with the container, unless it is taken out.
    ! boxed gone "$built" -- @exchange || fail "the trace is gone, and the status is 0"
    [ "$(grep -c "rank [0-3]: made the folder $work/gone on box.*--collect" "$work/out")" -eq 4 ] || fail "$(cat "$work/out")"
    grep -q 'there is no trace here: ' "$work/out" || fail "$(cat "$work/out")"
    mkdir "$work/taken"
    # shellcheck disable=SC2016
    ! boxed there "$built" "$work/taken" -- sh -c '"$0" && [ "$(cd "$1" && echo *)" = "rank-$((${OMPI_COMM_WORLD_RANK:-$PMI_RANK} + 1)).txt" ] &&
        cp -r "$1" "$2/$(hostname)"' @exchange "$work/there" "$work/taken" || fail "the files are elsewhere, and the status is 0"
    set -- "$work"/taken/*
    [ $# -eq 4 ] || fail "$(ls "$work/taken"; cat "$work/out")"
    "$HELIO" capture -o "$work/whole" --collect "$1" --collect "$2" --collect "$3" --collect "$4" >"$work/out" 2>&1 ||
        fail "$(cat "$work/out")"
    same whole
    # They do not see the capture library, or may not write the folder.
    mkdir -p "$work/inst/bin" "$work/inst/lib"
    cp "$HELIO" "$work/inst/bin/helio"
    cp "$HELIO_LIBRARIES/libhelio_capture_$MPI.so" "$work/inst/lib"
    usual=$HELIO HELIO=$work/inst/bin/helio
    ! boxed blind "$work/blind" "$built" -- @exchange || fail "the library is not there, and the status is 0"
    HELIO=$usual
    grep -q "$work/inst/lib/libhelio_capture_$MPI.so' from LD_PRELOAD cannot be preloaded" "$work/out" || fail "$(cat "$work/out")"
    grep -q 'there is no trace here: .*a container needs the folders of helio and of the trace' "$work/out" || fail "$(cat "$work/out")"
    ! boxed only "$work/only:ro" "$built" -- @exchange || fail "the folder cannot be written, and the status is 0"
    grep -q "rank 3: cannot write $work/only/rank-4.txt: Read-only file system" "$work/out" || fail "$(cat "$work/out")"
    ;;
other-file)
    # The program has been compiled again, or is another one in the container: the lines of this one would be wrong.
    has_lines || { echo "skipped: built without libdw" && exit 77; }
    for way in other gone; do
        cp "$MPI_PROGRAMS/where_$MPI" "$work/program"
        # shellcheck disable=SC2016
        "$HELIO" capture -o "$work/$way" --mpi "$MPI" --where -- sh -c \
            '"$0" 2 "$1" && rm "$1" && { [ "$2" = gone ] || cp "$3" "$1"; }' \
            "$here/launch" "$work/program" $way "$MPI_PROGRAMS/exchange_$MPI" >"$work/out" 2>&1 || fail "$(cat "$work/out")"
        case $way in other) reason='has another build ID' ;; gone) reason='cannot be read here' ;; esac
        [ "$(grep -c "the call sites in $work/program stay offsets: .*$reason" "$work/out")" -eq 1 ] || fail "$(cat "$work/out")"
        sites "$work/$way"/*.txt >"$work/found"
        [ "$(grep -c -x 'allreduce +0x[0-9a-f]* in program' "$work/found")" -eq 1 ] || fail "$(cat "$work/found")"
        ! grep -q 'where.c\|exchange.c' "$work/found" || fail "$(cat "$work/found")"
    done
    ;;
packed)
    # Compressed while the program runs: the same lines but those that do nothing; receives that were cancelled are out.
    lines() { sed 's/ *$//' "$work/$1/rank-$2.txt" | grep -v -e ' compute ' -e ' comm_size$'; }
    capture plain 4 @uncommon || fail "$(cat "$work/out")"
    options=--compress
    capture trace 4 @uncommon || fail "$(cat "$work/out")"
    [ "$(cd "$work/trace" && echo *)" = "rank-1.txt.zst rank-2.txt.zst rank-3.txt.zst rank-4.txt.zst" ] || fail "$(ls "$work/trace")"
    "$HELIO" trace convert "$work/trace" --to ti -o "$work/text" >"$work/out" 2>&1 || fail "$(cat "$work/out")"
    for k in 1 2 3 4; do
        lines plain $k >"$work/expected"
        lines text $k | diff "$work/expected" - || fail "rank $k has other lines"
    done
    # Call sites are looked up, and a part of a run is cut.
    options='--compress --where'
    capture sites 2 @where || fail "$(cat "$work/out")"
    "$HELIO" trace info "$work/sites" >"$work/info" 2>&1 || fail "$(cat "$work/info")"
    ! has_lines || grep -q 'where.c:' "$work/info" || fail "$(cat "$work/info")"
    # A rank that is killed has all calls that it has made: in frames, of which small ones are many, and in the tail.
    mkdir "$work/left"
    HELIO_CAPTURE_DIR="$work/left" "$here/launch" 1 "LD_PRELOAD=$HELIO_LIBRARIES/libhelio_capture_$MPI.so" \
        HELIO_CAPTURE_COMPRESS=65536 @corners dies >"$work/out" 2>&1 && fail "the program has died, and the status is 0"
    [ -f "$work/left/rank-1.txt.tail" ] || fail "$(ls "$work/left")"
    ! "$HELIO" trace info "$work/left" >"$work/out" 2>&1 || fail "a trace that is cut short is read"
    ! "$HELIO" capture -o "$work/killed" --collect "$work/left" >"$work/out" 2>&1 || fail "$(cat "$work/out")"
    grep -q '1 of 1 ranks, rank 0 first, end before MPI_Finalize' "$work/out" || fail "$(cat "$work/out")"
    "$HELIO" trace convert "$work/killed" --to ti -o "$work/all" >"$work/out" 2>&1 || fail "$(cat "$work/out")"
    [ "$(grep -c '^0 sendRecv ' "$work/all/rank-1.txt")" -eq 20000 ] || fail "$(tail -n 3 "$work/all/rank-1.txt")"
    ;;
bursts)
    # Two ranks on one processor wait for it; their processor time does not say so.
    command -v taskset >/dev/null || { echo "skipped: no taskset (Debian: util-linux)" && exit 77; }
    cpu=$(taskset -cp $$ | sed 's/.*: //; s/[-,].*//')
    options=--bursts
    capture trace 2 taskset -c "$cpu" @corners burns || fail "$(cat "$work/out")"
    valid trace
    "$HELIO" trace info "$work/trace" --json >"$work/info" || fail "no summary"
    # The first are those of all bursts.
    awk '/"lasted_s"/ && !lasted { lasted = $2 } /"processor_s"/ && !used { used = $2 }
         END { exit !(used + 0 > 1.5 && lasted + 0 > 1.3 * used) }' "$work/info" || fail "$(cat "$work/info")"
    # What cannot be counted is said once; the clock of the kernel stands in for the counter.
    if grep -q 'instructions are not counted: ' "$work/out"; then
        [ "$(grep -c 'not counted' "$work/out")" -eq 1 ] || fail "$(cat "$work/out")"
        ! grep -q '"instructions"' "$work/info" || fail "$(cat "$work/info")"
    else
        grep -q '"instructions"' "$work/info" || fail "$(cat "$work/info")"
    fi
    mkdir "$work/clock"
    HELIO_CAPTURE_DIR="$work/clock" HELIO_CAPTURE_BURSTS=task-clock "$here/launch" 1 \
        "LD_PRELOAD=$HELIO_LIBRARIES/libhelio_capture_$MPI.so" @corners burns >"$work/out" 2>&1 || fail "$(cat "$work/out")"
    ! grep -q 'not counted' "$work/out" || { echo "skipped in part: $(cat "$work/out")" && exit 0; }
    # Of 1e9 ns of processor time the counter has as many.
    "$HELIO" trace info "$work/clock" --json >"$work/info" || fail "no summary"
    awk '/"instructions"/ && !n { n = $2 + 0 } /"processor_s"/ && !used { used = $2 * 1e9 }
         END { exit !(n > 0.8 * used && n < 1.2 * used) }' "$work/info" || fail "$(cat "$work/info")"
    ;;
smpi)
    # SimGrid traces the same program. Without computation, communicators and annotations, the lines are equal.
    command -v smpirun >/dev/null || { echo "skipped: no smpirun (Debian: libsimgrid-dev)" && exit 77; }
    export work
    . "$here/../differential/simgrid.sh"
    platform_hockney 4 >"$work/body"
    { echo '<?xml version="1.0"?><!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">' && cat "$work/body"; } \
        >"$work/platform.xml"
    printf 'n0\nn1\nn2\nn3\n' >"$work/hosts"
    smpicc -O1 "$here/exchange.c" -o "$work/exchange" >"$work/out" 2>&1 || fail "$(cat "$work/out")"
    (cd "$work" && smpirun -np 4 -platform platform.xml -hostfile hosts -trace-ti -trace-file smpi \
        --cfg=smpi/host-speed:12Gf ./exchange) >"$work/out" 2>&1 || fail "$(cat "$work/out")"
    capture trace 4 @exchange || fail "$(cat "$work/out")"
    for k in 1 2 3 4; do
        for file in "$work"/smpi_files/*_rank-$k.txt "$work/trace/rank-$k.txt"; do
            grep -v -e ' compute ' -e ' comm_split ' "$file" | sed 's/ #.*//; s/ *$//'
        done >"$work/both"
        lines=$(($(wc -l <"$work/both") / 2))
        [ "$lines" -gt 100 ] || fail "$lines lines of rank $k are few"
        head -n $lines "$work/both" >"$work/theirs"
        tail -n $lines "$work/both" | diff "$work/theirs" - >"$work/difference" || fail "$(cat "$work/difference")"
    done
    ;;
*)
    fail "no test '$1'"
    ;;
esac
