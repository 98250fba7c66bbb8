"""A cluster of Slurm on this machine: one node of two CPUs, without accounting."""

import os
import shutil
import signal
import socket
import subprocess
import time
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

CONF = """
ClusterName=tests
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={ports[0]}
SlurmdPort={ports[1]}
SlurmUser=root
SlurmdUser=root
AuthInfo=socket={home}/munge.socket,cred_expire=3
CommunicationParameters=NoInAddrAny,NoCtldInAddrAny
StateSaveLocation={home}/state
SlurmdSpoolDir={home}/spool
SlurmctldPidFile={home}/slurmctld.pid
SlurmdPidFile={home}/slurmd.pid
SlurmctldLogFile={home}/slurmctld.log
SlurmdLogFile={home}/slurmd.log
ProctrackType=proctrack/pgid
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SchedulerParameters=sched_interval=1,bf_interval=1
KillWait=2
NodeName=one NodeHostname={host} NodeAddr=127.0.0.1 CPUs=2
PartitionName=all Nodes=one Default=YES
"""
SERVERS = ("munged", "slurmctld", "slurmd")  # in the order in which they start
ADMIN = f"{os.environ.get('PATH', os.defpath)}:/usr/sbin:/sbin"  # when the commands are not hidden


def require_slurm():
    """Skip the tests where no cluster can be started, with the reason."""
    missing = [name for name in (*SERVERS, "sbatch") if not shutil.which(name, path=ADMIN)]
    if missing:
        pytest.skip(f"{missing[0]} is not installed: as root, tests/install_slurm.sh on Debian")
    if os.geteuid():
        pytest.skip("slurmd needs root")


@contextmanager
def slurm_cluster(home: Path):
    """Start a cluster in a folder; gives the environment of its commands."""
    for name in ("state", "spool"):
        (home / name).mkdir()
    (home / "munge.key").write_bytes(os.urandom(64))
    (home / "munge.key").chmod(0o600)
    host = socket.gethostname().partition(".")[0]
    (home / "slurm.conf").write_text(CONF.format(home=home, host=host, ports=_free_ports()))
    environment = {**os.environ, "PATH": ADMIN, "SLURM_CONF": str(home / "slurm.conf")}
    files = {"key-file": "key", "socket": "socket", "pid-file": "pid", "log-file": "log"}
    munge = [f"--{option}={home}/munge.{end}" for option, end in files.items()]
    munge += [f"--seed-file={home}/munge.seed", "--force"]
    try:
        for name, options in zip(SERVERS, (munge, [], ["-N", "one"]), strict=True):
            start = [shutil.which(name, path=ADMIN), *options]
            subprocess.run(start, env=environment, check=True, timeout=30)
        _until(lambda: asked(environment, "sinfo", "-h", "-o%T") == ["idle"], 60, home)
        yield environment
    finally:
        with suppress(subprocess.SubprocessError, AssertionError):
            asked(environment, "scancel", "--user=root")
            _until(lambda: not asked(environment, "squeue", "-h"), 20, home)
        for name in ("slurmd", "slurmctld", "munge"):
            with suppress(OSError, ValueError):
                os.kill(int((home / f"{name}.pid").read_text()), signal.SIGKILL)


def asked(environment, *command):
    """The lines that a command of Slurm prints."""
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=30)
    return done.stdout.splitlines()


def _free_ports():
    with socket.socket() as one, socket.socket() as other:
        for each in (one, other):
            each.bind(("127.0.0.1", 0))
        return [each.getsockname()[1] for each in (one, other)]


def _until(condition, seconds, home):
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            raise AssertionError("\n".join(x.read_text()[-2000:] for x in home.glob("*.log")))
        time.sleep(0.1)
