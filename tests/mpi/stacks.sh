# tests/mpi/stacks.sh: whether processes end in time, where they are, and how to end them. To be sourced.

# Waits for a process, for so many seconds. Its parent may not have waited for it, but read the pipe first that ends when
# this process does too: so one that is dead has ended, and this looks often.
ends_within() { # PROCESS SECONDS
    left=$((10 * $2))
    while [ $left -gt 0 ] && read -r state 2>/dev/null <"/proc/$1/stat"; do
        case $state in *") Z "*) return 0 ;; esac
        sleep 0.1
        left=$((left - 1))
    done
    [ $left -gt 0 ]
}

# The processes that have the variable in their environment.
with_variable() { # NAME=VALUE
    grep -lzs "^$1\$" /proc/[0-9]*/environ | cut -d / -f 3
}

# The ranks of a run: RUN_IS=MARK.
ranks_of_run() { with_variable "RUN_IS=$1"; } # MARK

# Prints where each process is: by gdb or eu-stack, if there is one, else what the kernel tells.
stacks() { # PROCESS...
    for process; do
        [ -r "/proc/$process/cmdline" ] || continue # it has ended meanwhile
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

kill_all() { # SIGNAL PROCESS...
    signal=$1
    shift
    for process; do kill -s "$signal" "$process" 2>/dev/null || :; done
}

# Ends the ranks, then the launcher.
end_run() { # MARK LAUNCHER
    # shellcheck disable=SC2046 # the list is words
    kill_all KILL $(ranks_of_run "$1")
    kill_all TERM "$2"
}
