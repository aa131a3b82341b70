# A what-if: where the nanoseconds of an 8-byte message go on the system of "Breaking Band", and which improvement buys
# most.
#     sh examples/whatif.sh
set -eu
helio breakdown model
helio breakdown whatif --set LLP_post=-50% --set wire=+300ns
helio breakdown whatif --optimise pio
