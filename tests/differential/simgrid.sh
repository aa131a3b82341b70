# shellcheck shell=sh disable=SC2154 # $work is the reader's
# Replays traces with SimGrid, configured like helio's fabrics. tests/differential/run and bench/run read this file; they
# make the folder $work.

# The hockney fabric: 8 us and 12.5 GB/s from any host to any other, without contention (FATPIPE).
platform_hockney() {
    awk -v ranks="$1" 'BEGIN {
        print "<platform version=\"4.1\"><zone id=\"all\" routing=\"Full\">"
        for (i = 0; i < ranks; i++)
            printf "<host id=\"n%d\" speed=\"12Gf\"/>\n", i
        link = "<link id=\"%s\" bandwidth=\"%s\" latency=\"%s\" sharing_policy=\"FATPIPE\"/>\n"
        printf link, "between", "12.5GBps", "8us"
        printf link, "within", "76.8GBps", "0us"
        route = "<route src=\"n%d\" dst=\"n%d\" symmetrical=\"NO\"><link_ctn id=\"%s\"/></route>\n"
        for (i = 0; i < ranks; i++)
            for (j = 0; j < ranks; j++)
                printf route, i, j, i == j ? "within" : "between"
        print "</zone></platform>"
    }'
}

# The packet fabric: for each host a link of 12.5 GB/s up and one down, shared fairly. Two links have a latency of 8 us.
platform_packet() {
    cat <<END
<platform version="4.1">
  <cluster id="all" prefix="n" suffix="" radical="0-$(($1 - 1))" speed="12Gf" bw="12.5GBps" lat="4us"
           sharing_policy="SPLITDUPLEX" loopback_bw="76.8GBps" loopback_lat="0us"/>
</platform>
END
}

# Switches off what SimGrid's network and MPI models add to latency + size / bandwidth, and chooses the collective
# algorithms that are helio's default. In SimGrid sizes *below* a threshold are eager: its 65537 is helio's 65536.
simgrid_options() {
    cat <<END
--cfg=network/model:CM02
--cfg=network/TCP-gamma:0
--cfg=network/crosstraffic:0
--cfg=surf/precision:1e-12
--cfg=smpi/async-small-thresh:65537
--cfg=smpi/send-is-detached-thresh:65537
--cfg=smpi/host-speed:12Gf
--cfg=smpi/test:0
--cfg=smpi/iprobe:0
--cfg=smpi/barrier:ompi_basic_linear
--cfg=smpi/bcast:binomial_tree
--cfg=smpi/reduce:binomial
--cfg=smpi/allreduce:redbcast
--cfg=smpi/alltoall:basic_linear
--cfg=smpi/alltoallv:ompi_basic_linear
--cfg=smpi/allgather:NTSLR
--cfg=smpi/allgatherv:ring
--cfg=smpi/gather:ompi_binomial
--cfg=smpi/scatter:ompi_binomial
--cfg=smpi/reduce_scatter:mpich_pair
--log=root.thres:warning
--log=smpi_replay.thres:info
--log=smpi_replay.fmt:%.12r%n
END
}

# Puts the files of a trace into $work/trace, and lists them in $work/index in the order of ranks. That is not the order
# of names: rank-10.txt comes after rank-9.txt.
unpack() {
    rm -rf "$work/trace"
    mkdir "$work/trace"
    if [ -d "$1" ]; then cp "$1"/rank-*.txt "$work/trace"; else tar --zstd -xf "$1" -C "$work/trace"; fi
    find "$work/trace" -name 'rank-*.txt' | sed 's/.*rank-\([0-9]*\)\.txt$/\1 &/' | sort -n |
        cut -d ' ' -f 2- >"$work/index"
}

# simgrid_prepare FABRIC: writes $work/simgrid, which replays the unpacked trace. Its last line is the makespan, since
# the log settings drop everything else.
simgrid_prepare() {
    ranks=$(wc -l <"$work/index")
    {
        echo '<?xml version="1.0"?>'
        echo '<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">'
        "platform_$1" "$ranks"
    } >"$work/platform.xml"
    awk -v ranks="$ranks" 'BEGIN { for (i = 0; i < ranks; i++) print "n" i }' >"$work/hosts"
    echo "exec smpirun -np $ranks -platform '$work/platform.xml' -hostfile '$work/hosts' -replay '$work/index'" \
        "$(simgrid_options | tr '\n' ' ') 2>&1" >"$work/simgrid"
}

# simgrid_on PLATFORM RANKS: replays the unpacked trace on a platform file, on the hosts of $work/hosts. The last line of
# what it prints is the makespan.
simgrid_on() {
    # shellcheck disable=SC2046 # each option is a word
    smpirun -np "$2" -platform "$1" -hostfile "$work/hosts" -replay "$work/index" $(simgrid_options) 2>&1
}

simgrid_seconds() {
    simgrid_prepare "$1"
    sh "$work/simgrid" | tail -n 1
}
