"""A cluster of Slurm on this machine: one node of two CPUs, with or without accounting."""

import os
import shutil
import signal
import socket
import subprocess
import time
from contextlib import ExitStack, contextmanager, suppress
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
SchedulerParameters=sched_interval=1,bf_interval=1
KillWait=2
NodeName=one NodeHostname={host} NodeAddr=127.0.0.1 CPUs=2
PartitionName=all Nodes=one Default=YES
"""
NO_ACCOUNTS = "AccountingStorageType=accounting_storage/none\n"
ACCOUNTS = """
AccountingStorageType=accounting_storage/slurmdbd
AccountingStorageHost=127.0.0.1
AccountingStoragePort={ports[2]}
AccountingStoragePass={home}/munge.socket
"""
DATABASE = """
AuthInfo=socket={home}/munge.socket
DbdHost={host}
DbdAddr=127.0.0.1
DbdPort={ports[2]}
SlurmUser=root
LogFile={home}/slurmdbd.log
PidFile={home}/slurmdbd.pid
StorageType=accounting_storage/mysql
StorageHost=127.0.0.1
StoragePort={ports[3]}
StorageUser=root
"""
SERVERS = ("munged", "slurmctld", "slurmd")  # in the order in which they start
ACCOUNTANTS = ("mariadbd", "my_print_defaults", "slurmdbd")  # before the second of them
ADMIN = f"{os.environ.get('PATH', os.defpath)}:/usr/sbin:/sbin"  # when the commands are not hidden


def require_slurm(accounts):
    """Skip the tests, with the reason, if no such cluster can be started here."""
    needed = (*SERVERS, "sbatch", *(ACCOUNTANTS if accounts else ()))
    missing = [name for name in needed if not shutil.which(name, path=ADMIN)]
    if missing:
        install = "as root, tests/support/install_slurm.sh on Debian"
        pytest.skip(f"{missing[0]} is not installed: {install}")
    if os.geteuid():
        pytest.skip("slurmd needs root")


@contextmanager
def slurm_cluster(home: Path, accounts: bool):
    """Start a cluster in a folder, and yield the environment for its commands."""
    for name in ("state", "spool"):
        (home / name).mkdir()
    (home / "munge.key").write_bytes(os.urandom(64))
    (home / "munge.key").chmod(0o600)
    host = socket.gethostname().partition(".")[0]
    given = {"home": home, "host": host, "ports": _free_ports(4)}
    conf = CONF + (ACCOUNTS if accounts else NO_ACCOUNTS)
    (home / "slurm.conf").write_text(conf.format(**given))
    environment = {**os.environ, "PATH": ADMIN, "SLURM_CONF": str(home / "slurm.conf")}
    files = {"key-file": "key", "socket": "socket", "pid-file": "pid", "log-file": "log"}
    munge = [f"--{option}={home}/munge.{end}" for option, end in files.items()]
    munge += [f"--seed-file={home}/munge.seed", "--force"]

    def start(name, *options):
        server = [shutil.which(name, path=ADMIN), *options]
        subprocess.run(server, env=environment, check=True, timeout=30)

    with ExitStack() as database:
        try:
            start("munged", *munge)
            if accounts:
                database.enter_context(_database(home, given["ports"][3]))
                (home / "slurmdbd.conf").write_text(DATABASE.format(**given))
                (home / "slurmdbd.conf").chmod(0o600)
                start("slurmdbd")
                add = ("sacctmgr", "-i", "add", "cluster", "tests")
                _until(lambda: "Adding Cluster(s)" in "".join(asked(environment, *add)), 60, home)
            start("slurmctld")
            start("slurmd", "-N", "one")
            _until(lambda: asked(environment, "sinfo", "-h", "-o%T") == ["idle"], 60, home)
            yield environment
        finally:
            with suppress(subprocess.SubprocessError, AssertionError):
                asked(environment, "scancel", "--user=root")
                _until(lambda: not asked(environment, "squeue", "-h"), 20, home)
            for name in ("slurmd", "slurmctld", "slurmdbd", "munge"):
                with suppress(OSError, ValueError):
                    os.kill(int((home / f"{name}.pid").read_text()), signal.SIGKILL)


@contextmanager
def _database(home, port):
    """Start an empty database of MariaDB, whose administrator needs no password."""
    where = ["--no-defaults", "--user=root", f"--datadir={home}/database"]
    make = ["mariadb-install-db", *where, "--auth-root-authentication-method=normal"]
    environment = {**os.environ, "PATH": ADMIN}
    subprocess.run(make, env=environment, check=True, capture_output=True, timeout=120)
    serve = [f"--port={port}", "--bind-address=127.0.0.1", f"--socket={home}/database.socket"]
    serve += [f"--log-error={home}/database.log"]
    command = [shutil.which("mariadbd", path=ADMIN), *where, *serve]
    server = subprocess.Popen(command, stderr=subprocess.DEVNULL)
    try:
        _until((home / "database.socket").exists, 60, home)
        yield
    finally:
        server.kill()
        server.wait()


def asked(environment, *command):
    """Return the lines that a command of Slurm prints."""
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=30)
    return done.stdout.splitlines()


def _free_ports(count):
    with ExitStack() as sockets:
        found = [sockets.enter_context(socket.socket()) for _ in range(count)]
        for each in found:
            each.bind(("127.0.0.1", 0))
        return [each.getsockname()[1] for each in found]


def _until(condition, seconds, home):
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            raise AssertionError("\n".join(x.read_text()[-2000:] for x in home.glob("*.log")))
        time.sleep(0.1)
