"""Files are written atomically and never through links; locks end with their processes."""

import errno
import fcntl
import os
import socket
import subprocess
import sys
import threading
import time
import tomllib
from contextlib import suppress
from pathlib import Path

import pytest
from filelock import FileLock
from refusals import message_of

import dpbandits as dp
from dpbandits import files
from dpbandits.errors import CannotWrite
from dpbandits.files import LOCK, PACKAGE, check_writable, locked, remove_file, write_atomically


def test_a_lock_ends_with_its_process(tmp_path):
    code = f"""if 1:
        import time; from pathlib import Path; from dpbandits.files import locked
        with locked(Path({str(tmp_path)!r})):
            print("held", flush=True); time.sleep(60)"""
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE) as process:
        process.stdout.readline()
        process.kill()
    start = time.monotonic()
    write_atomically(tmp_path / "file", b"")
    assert time.monotonic() - start < 1


WRITER = """if 1:
    import sys; from pathlib import Path; from dpbandits.files import write_atomically
    for i in range(150):
        write_atomically(Path(sys.argv[1]), (f"{sys.argv[2]}-{i} " * 2000).encode())"""


@pytest.mark.slow
def test_processes_that_write_one_file_leave_a_whole_file_and_no_lock(tmp_path):
    file = tmp_path / "file"
    command = [sys.executable, "-c", WRITER, str(file)]
    writers = [subprocess.Popen([*command, name]) for name in "abc"]
    seen = set()
    while any(writer.poll() is None for writer in writers):
        with suppress(FileNotFoundError):
            words = file.read_text().split()
            assert len(words) == 2000 and len({*words}) == 1
            seen.add(words[0])
    assert [writer.returncode for writer in writers] == [0, 0, 0] and len(seen) > 1
    assert [x.name for x in tmp_path.iterdir()] == ["file"]


def test_an_interruption_as_soon_as_a_lock_is_held_releases_it(tmp_path, monkeypatch):
    """Though the error, which a notebook keeps, refers to it."""
    acquire = FileLock.acquire

    def interrupted(lock, *given, **more):
        acquire(lock, *given, **more)
        raise KeyboardInterrupt

    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt) as kept:
        patch.setattr(FileLock, "acquire", interrupted)
        write_atomically(tmp_path / "file", b"")
    write_atomically(tmp_path / "file", b"")
    assert kept


@pytest.mark.parametrize("folder", ["/proc/results", "/dev/null/results"])
def test_a_folder_that_cannot_be_written_is_refused(folder):
    assert message_of(check_writable, Path(folder)).startswith(
        f"results={folder}: a writable folder is needed"
    )


def test_a_link_in_the_place_of_the_part_of_a_file_is_not_followed(tmp_path):
    victim, part = tmp_path / "victim", tmp_path / ".file.part"
    victim.write_bytes(b"precious")
    part.symlink_to(victim)
    write_atomically(tmp_path / "file", b"new")
    assert (tmp_path / "file").read_bytes() == b"new" and not (tmp_path / "file").is_symlink()
    assert victim.read_bytes() == b"precious"
    assert not part.is_symlink()


def test_a_link_in_the_place_of_a_file_is_replaced(tmp_path):
    victim = tmp_path / "victim"
    victim.write_bytes(b"precious")
    (tmp_path / "file").symlink_to(victim)
    write_atomically(tmp_path / "file", b"new")
    assert (tmp_path / "file").read_bytes() == b"new" and victim.read_bytes() == b"precious"


def test_a_folder_in_the_place_of_the_part_of_a_file_is_reported(tmp_path):
    (tmp_path / "file").write_bytes(b"old")
    (tmp_path / ".file.part").mkdir()
    with pytest.raises(CannotWrite, match=r"cannot write .*/\.file\.part"):
        write_atomically(tmp_path / "file", b"new")
    assert (tmp_path / "file").read_bytes() == b"old"


def socket_at(path):
    with socket.socket(socket.AF_UNIX) as bound:
        bound.bind(str(path))


NO_FILES = {"a pipe": os.mkfifo, "a folder": Path.mkdir, "a socket": socket_at}


@pytest.mark.parametrize("odd", NO_FILES)
def test_only_files_are_replaced_or_removed(tmp_path, odd):
    """As root, os.replace puts a file in the place of /dev/zero."""
    path = tmp_path / "odd"
    NO_FILES[odd](path)
    kind = path.stat().st_mode
    for change in (lambda path: write_atomically(path, b"new"), remove_file):
        with pytest.raises(CannotWrite, match="not a regular file"):
            change(path)
    assert path.stat().st_mode == kind and [*tmp_path.iterdir()] == [path]


@pytest.mark.parametrize("path", ["/dev/zero", "/dev/null", "/dev"])
def test_a_table_is_not_saved_over_a_device(path):
    before = os.lstat(path).st_mode
    message = message_of(dp.save, dp.run(algo="dp_se", horizon=10, runs=2, jobs=1), path)
    assert (
        message == f"path={path}: the path of a file is needed, not of a folder, a pipe or a device"
    )
    assert os.lstat(path).st_mode == before and not Path("/dev/.dpbandits.lock").exists()


LINKS = {"symbolic": Path.symlink_to, "hard": Path.hardlink_to}


@pytest.mark.parametrize("link", LINKS.values(), ids=LINKS)
def test_a_link_in_the_place_of_a_lock_empties_no_file(tmp_path, link):
    """filelock 3.20.0 empties the file of a symbolic link, 4.2.0 that of a hard one."""
    victim, folder = tmp_path / "victim", tmp_path / "folder"
    victim.write_bytes(b"precious")
    folder.mkdir()
    link(folder / LOCK, victim)
    if (folder / LOCK).is_symlink():
        with pytest.raises(CannotWrite), locked(folder):
            pass
    else:
        with locked(folder):
            pass
    assert victim.read_bytes() == b"precious"


def test_the_bound_of_filelock_is_the_first_version_that_is_safe():
    project = tomllib.loads((PACKAGE.parents[1] / "pyproject.toml").read_text())["project"]
    (bound,) = [x for x in project["dependencies"] if x.startswith("filelock")]
    assert bound == "filelock>=4.2.1"


@pytest.mark.parametrize("number", [errno.ENOLCK, errno.EIO, errno.EOPNOTSUPP])
def test_a_file_system_without_locks_is_reported_at_once(tmp_path, monkeypatch, number):
    """filelock 3.20.3 waits for ever."""

    def fails(*_):
        raise OSError(number, "no locks")

    monkeypatch.setattr(fcntl, "flock", fails)
    start = time.monotonic()
    with pytest.raises(CannotWrite, match="no locks"), locked(tmp_path):
        pass
    assert time.monotonic() - start < 1


@pytest.mark.slow
def test_a_wait_for_a_lock_is_reported_and_ends_at_its_deadline(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(files, "WAIT", 0.05)
    with locked(tmp_path):
        assert capsys.readouterr().err == ""  # control: nobody waits
        now = time.monotonic()
        late = locked(tmp_path, lambda: now + 0.3)
        with (
            pytest.raises(CannotWrite, match="another process holds the lock of this folder"),
            late,
        ):
            pass
        assert 0.2 < time.monotonic() - now < 5
        assert capsys.readouterr().err == (
            f"waiting for {tmp_path / LOCK}, which another process has locked ...\n"
        )
        deadline = [float("inf")]
        threading.Timer(0.1, lambda: deadline.insert(0, 0.0)).start()  # it may come meanwhile
        with pytest.raises(CannotWrite), locked(tmp_path, lambda: deadline[0]):
            pass
    with locked(tmp_path, lambda: 0.0):  # one that nobody holds
        pass


def test_those_that_wait_for_a_lock_look_more_and_more_seldom(tmp_path, monkeypatch):
    """Two hundred commands that look every 10 ms take both cores from the one that works."""
    pauses = []

    class Clock:
        monotonic = staticmethod(lambda: sum(pauses))
        sleep = staticmethod(pauses.append)

    with locked(tmp_path):
        monkeypatch.setattr(files, "time", Clock)
        with pytest.raises(CannotWrite), locked(tmp_path, lambda: 60.0):
            pass
    assert pauses == sorted(pauses) and pauses[0] == 0.01 and pauses[-1] == 0.5
    assert len(pauses) < 200
    assert all(pause <= max(0.01, 0.1 * sum(pauses[:k])) for k, pause in enumerate(pauses))


def test_a_file_that_cannot_be_removed_is_reported(tmp_path, monkeypatch):
    def fails(*_, **__):
        raise OSError(errno.EIO, "bad disk")

    (tmp_path / "file").touch()
    with monkeypatch.context() as patch, pytest.raises(CannotWrite, match="bad disk"):
        patch.setattr(Path, "unlink", fails)
        remove_file(tmp_path / "file")
    remove_file(tmp_path / "file")
    remove_file(tmp_path / "file")


def test_a_results_folder_whose_runs_are_a_link_is_refused(tmp_path):
    """The results folder itself may be a link of the user's."""
    (tmp_path / "real").mkdir()
    (tmp_path / "results").symlink_to("real")
    check_writable(tmp_path / "results")
    for inner in ("runs", "figures"):
        (tmp_path / "real" / inner).symlink_to(tmp_path)
        message = message_of(check_writable, tmp_path / "results")
        assert f"{inner} is a link, which could lead out of the results folder" in message
        check_writable(tmp_path / "results", "results/page.html")  # not a results folder
        (tmp_path / "real" / inner).unlink()


def test_a_message_about_the_folder_of_a_file_names_the_file():
    message = message_of(check_writable, Path("/dev/null/x"), "/dev/null/x/page.html")
    assert message.startswith("out=/dev/null/x/page.html: a writable folder is needed (")
