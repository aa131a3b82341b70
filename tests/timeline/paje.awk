# Checks the rules of a Paje file: times increase, the states of a rank nest and end, each message arrives once and not
# before it was sent. Prints for each rank its computing and its blocked time in seconds, then the number of messages.
function fail(what) {
    print FILENAME ":" FNR ": " what >"/dev/stderr"
    failed = 1
    exit 1
}
/^%/ || $1 < 4 { next }
{
    if ($2 < now)
        fail("time runs back")
    now = $2
}
$1 == 4 && $4 == "Rank" { ranks++ }
$1 == 6 || $1 == 10 {
    if (depth[$4]++ > 0)
        fail("one state inside of another")
    state[$4] = $5
    since[$4] = $2
}
$1 == 7 {
    if (depth[$4]-- != 1)
        fail("the end of a state that has not begun")
    if (state[$4] == "compute")
        compute[$4] += $2 - since[$4]
    else
        blocked[$4] += $2 - since[$4]
}
$1 == 8 {
    if ($7 in sent)
        fail("a message is sent twice")
    sent[$7] = $2
    messages++
}
$1 == 9 {
    if (!($7 in sent) || $7 in arrived)
        fail("a message arrives that is not under way")
    arrived[$7] = 1
    arrivals++
}
END {
    if (failed)
        exit 1
    for (rank in depth)
        if (depth[rank])
            fail("state " state[rank] " of " rank " does not end")
    if (arrivals != messages)
        fail(messages - arrivals " messages do not arrive")
    for (rank = 0; rank < ranks; rank++)
        printf "%.12f %.12f\n", compute["r" rank], blocked["r" rank]
    print messages + 0
}
