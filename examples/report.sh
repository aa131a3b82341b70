# A report and a timeline of one run: a page with charts for any browser, a line per message, and what each rank does, for
# the viewer Perfetto.
#     sh examples/report.sh
set -eu
helio run --workload npb:cg:class=S,ranks=16 --fabric packet,fmu,ideal --set host.system=thunderx2 \
    --set packet.latency=200ns --html report.html --messages messages.csv --timeline run.pftrace 2>/dev/null
head -3 messages.csv
ls report.html run.pftrace
