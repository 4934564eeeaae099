# Sourced by tests that run ramus under mpirun, with the program in $ramus and their own folder in $tests: skips them without
# MPI, and makes a folder to work in.
command -v mpirun >/dev/null && [ -f "$(dirname "$ramus")/ramus-mpi.so" ] || { echo 'skipped: no MPI' && exit 0; }
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1
. "$tests/checks.sh"

# start RANKS ARGUMENT...: ramus in the background; its process is $job, the output is in out and err.
start() {
    ranks=$1
    shift
    : >err # before anyone waits for a line in it
    "$tests/../laws/mpirun.sh" "$ranks" "$ramus" "$@" >out 2>err </dev/null &
    job=$!
}

# expect_ranks CODE PATTERN RANKS ARGUMENT...: the exit code, and the pattern, if there is one, in standard error.
expect_ranks() {
    code=$1 pattern=$2
    shift 2
    start "$@"
    wait $job
    got=$?
    checks=$((checks + 1))
    [ "$got" = "$code" ] && { [ -z "$pattern" ] || grep -qE -e "$pattern" err; } ||
        fail "$*: exit $got, expected $code, and '$pattern'"
}

# rank_process N: the process of that rank of $job.
rank_process() {
    for process in $(awk -v job="$job" '$4 == job { print $1 }' /proc/[0-9]*/stat 2>/dev/null); do
        { tr '\0' '\n' <"/proc/$process/environ"; } 2>/dev/null | grep -qx "OMPI_COMM_WORLD_RANK=$1" && echo "$process"
    done
}

# ended_by CODE: $job ends within 30 s, with that exit code (or any but 0, if none is given).
ended_by() {
    tries=0
    while kill -0 $job 2>/dev/null && [ $tries -lt 300 ]; do
        tries=$((tries + 1))
        sleep 0.1
    done
    [ $tries -lt 300 ] || { kill -9 $job && return 1; }
    wait $job
    got=$?
    [ "$got" = "${1:-$got}" ] && [ "$got" != 0 ]
}
