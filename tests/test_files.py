"""Locks end with their processes, and folders that cannot be written are refused."""

import subprocess
import sys
import time
from pathlib import Path

import pytest

from dpbandits.errors import BadInput
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


@pytest.mark.parametrize("folder", ["/proc/results", "/dev/null/results"])
def test_a_folder_that_cannot_be_written_is_refused(folder):
    with pytest.raises(BadInput, match=f"^results={folder}: a writable folder is needed"):
        check_writable(Path(folder))
