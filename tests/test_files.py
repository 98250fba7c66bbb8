"""Files are written atomically and never through links; locks end with their processes."""

import subprocess
import sys
import time
from pathlib import Path

import pytest
from filelock import FileLock
from refusals import message_of

from dpbandits.errors import CannotWrite
from dpbandits.files import check_writable, write_atomically


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
