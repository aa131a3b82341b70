# tests/mpi/stacks.sh: where the ranks of a run are, and how to end it. To be sourced.

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
