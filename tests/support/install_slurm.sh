#!/bin/sh
# Install the Debian packages that tests/cli/clusters/test_slurm.py needs; without them it is skipped.
PATH=$PATH:/usr/sbin:/sbin
missing=
for command in slurmctld munged slurmdbd mariadbd my_print_defaults; do
    command -v $command >/dev/null || missing=$command
done
[ -z "$missing" ] && exit
if [ "$(id -u)" -ne 0 ] || ! command -v apt-get >/dev/null; then
    echo "$missing of Slurm is not installed, which needs root and apt-get: its tests will be skipped"
    exit
fi
# RUNLEVEL=1: no service is started
export DEBIAN_FRONTEND=noninteractive RUNLEVEL=1
packages="slurm-wlm munge slurmdbd mariadb-server-core mariadb-client-core"
{ apt-get -qq update && timeout 600 apt-get -qq install --no-install-recommends $packages; } \
    >/dev/null 2>&1 || echo "Slurm could not be installed: its tests will be skipped"
