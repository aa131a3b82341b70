# Light paths: the connections of a hypercube on a torus, scheduled in as few time slots as there can be, with the proven
# bound; the schedule is then read back and checked link by link.
#     sh examples/schedule.sh
set -eu
helio schedule --topology torus:8x8 --moves 20000 -o slots.csv hypercube
head -3 slots.csv
helio schedule --topology torus:8x8 --verify slots.csv hypercube
