#!/bin/sh
# Runs a program as N ranks on this machine: mpirun.sh N PROGRAM [ARGUMENT...]. OpenMPI asks for most of this: to be run
# by root, and on more ranks than cores. Ranks talk over the loopback device only.
ranks=$1
shift
command -v mpirun >/dev/null || { echo 'skipped: no mpirun' && exit 0; }
# What MPI itself does not free is not ours to tell.
export LSAN_OPTIONS="suppressions=$(dirname "$0")/mpi.supp:print_suppressions=0"
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_btl_vader_single_copy_mechanism=none OMPI_MCA_btl_tcp_if_include=lo OMPI_MCA_oob_tcp_if_include=lo
exec mpirun --oversubscribe --bind-to none -n "$ranks" "$@"
