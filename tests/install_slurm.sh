#!/bin/sh
# Install the Debian packages that tests/cli/test_slurm.py needs; without them it is skipped.
PATH=$PATH:/usr/sbin:/sbin
command -v slurmctld >/dev/null && command -v munged >/dev/null && exit
if [ "$(id -u)" -ne 0 ] || ! command -v apt-get >/dev/null; then
    echo "Slurm is not installed, which needs root and apt-get: its tests will be skipped"
    exit
fi
# RUNLEVEL=1: no service is started
export DEBIAN_FRONTEND=noninteractive RUNLEVEL=1
packages="slurm-wlm munge"
{ apt-get -qq update && timeout 600 apt-get -qq install --no-install-recommends $packages; } \
    >/dev/null 2>&1 || echo "Slurm could not be installed: its tests will be skipped"
