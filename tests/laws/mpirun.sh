#!/bin/sh
# Runs a program as N ranks on this machine: mpirun.sh N PROGRAM [ARGUMENT...]. OpenMPI asks for most of this: to be run
# by root, and on more ranks than cores. Ranks talk over the loopback device only.
ranks=$1
shift
command -v mpirun >/dev/null || { echo 'skipped: no mpirun' && exit 0; }
# OpenMPI's plug-ins leave memory behind and are gone when leaks are counted, so that no suppression can name them.
# Leaks of ours are found where training runs alone.
export ASAN_OPTIONS="${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0"
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_btl_vader_single_copy_mechanism=none OMPI_MCA_btl_tcp_if_include=lo OMPI_MCA_oob_tcp_if_include=lo
exec mpirun --oversubscribe --bind-to none -n "$ranks" "$@"
