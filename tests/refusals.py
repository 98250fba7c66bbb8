"""What the tests of bad input share: quick command lines, and what a complaint must look like."""

import shlex

QUICK = {"horizon": "100", "runs": "1", "jobs": "1"}  # an accepted line must not run for minutes
QUICK_STOP = {"cap": "100", "runs": "1", "jobs": "1"}


def complaint(name: str, code: int | None, out: str, err: str) -> str:
    assert (code, out) == (2, ""), err
    assert err.startswith(f"{name}: ")
    assert err.endswith("\n") and len(err.splitlines()) == 1
    return err.removeprefix(f"{name}: ")


def arguments(line: str, quick: dict[str, str] = QUICK) -> list[str]:
    given = shlex.split(line)
    keys = {override.partition("=")[0].lstrip("+~") for override in given}
    return given + [f"{key}={value}" for key, value in quick.items() if key not in keys]
