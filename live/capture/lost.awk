# Prints a line LOST(name, (parameters), (arguments)) for each function that an MPI declares and calls.txt does not name.
#
#   awk -f lost.awk calls.txt mpi.i        mpi.i: mpi.h after the preprocessor

FNR == NR {
    if ($1 == "recorded" || $1 == "silent")
        for (i = 2; i <= NF; i++)
            known[++patterns] = "^" $i "$"
    next
}
{ text = text " " $0 }

function is_known(name, i) {
    for (i = 1; i <= patterns; i++)
        if (name ~ known[i])
            return 1
    return 0
}

# The text begins with a parenthesis. Returns what it encloses.
function inside(text, i, depth, c) {
    for (i = 1; i <= length(text); i++) {
        c = substr(text, i, 1)
        depth += c == "("
        depth -= c == ")"
        if (!depth)
            return substr(text, 2, i - 2)
    }
    return text
}

# "const int counts[]" -> "counts"
function name_of(parameter) {
    gsub(/\[[^]]*\]/, "", parameter)
    sub(/ +$/, "", parameter)
    match(parameter, /[A-Za-z_0-9]+$/)
    return substr(parameter, RSTART)
}

function print_lost(name, parameters, count, i, each, names) {
    count = split(parameters, each, ",")
    for (i = 1; i <= count; i++)
        names = names (i > 1 ? ", " : "") (each[i] ~ /^ *void *$/ ? "" : name_of(each[i]))
    printf "LOST(%s, (%s), (%s))\n", name, parameters, names
}

END {
    count = split(text, statements, ";")
    for (s = 1; s <= count; s++) {
        if (!match(statements[s], /(^|[ )])int +MPI_[A-Z][A-Za-z_0-9]* *\(/) || statements[s] ~ /typedef/)
            continue
        found = substr(statements[s], RSTART, RLENGTH)
        rest = substr(statements[s], RSTART + RLENGTH - 1)
        sub(/.*MPI_/, "", found)
        sub(/ *\($/, "", found)
        if (!is_known(found))
            print_lost(found, inside(rest))
    }
}
