"""bandit-results removes what it says, what is ours, and nothing without --yes."""

import json
import os
import time

import pytest
from refusals import message_of

from dpbandits.cli import results

OLD, NEW = "0123456789abcdef", "01ff456789abcdef"
FOREIGN = ["notes.csv", "own.csv", "own.json", "runs/01/notes.npz", "runs/mine.npz",
           f"runs/ff/dp_se-c2-{OLD}.npz", "figures/notes.pdf"]  # fmt: skip

REMAIN = "Their runs remain"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A results folder with a table of two settings, their runs, and files of someone else; those
    of one setting are two days old.
    """
    monkeypatch.chdir(tmp_path)
    made = tmp_path / "results"
    settings = {own: {"algo": "dp_se", "horizon": 10} for own in (OLD, NEW)}
    manifest = {"config": {}, "settings": settings, "sha256": "", "sources": ""}
    ours = ["a.csv", "a.md", "a.tex", "figures/a.pdf",
            *(f"runs/01/dp_se-c2-{own}.npz" for own in (OLD, NEW))]  # fmt: skip
    for name in [*ours, *FOREIGN]:
        (made / name).parent.mkdir(parents=True, exist_ok=True)
        (made / name).write_text("x" * 1000)
    (made / "a.json").write_text(json.dumps(manifest))
    (made / "own.json").write_text("{}")
    (made / "runs/01" / f"dp_se-c2-{'0' * 16}.npz").symlink_to(made / "notes.csv")
    past = time.time() - 2 * 86_400
    os.utime(made / f"runs/01/dp_se-c2-{OLD}.npz", (past, past))
    return made


def files(folder):
    return {str(x.relative_to(folder)) for x in folder.rglob("*") if x.is_file()} - {
        str(x.relative_to(folder)) for x in folder.rglob(".lock")
    }


RUNS_OF = {own: f"runs/01/dp_se-c2-{own}.npz" for own in (OLD, NEW)}
TABLE = {"a.csv", "a.json", "a.md", "a.tex", "figures/a.pdf"}


@pytest.mark.parametrize(
    ("line", "removed"),
    [
        ("prune --older 1d", {RUNS_OF[OLD]}),
        ("prune --older 3d", set()),
        ("prune --older 0h", {*RUNS_OF.values(), *TABLE}),
        ("prune --older 0h --keep-tables", {*RUNS_OF.values()}),
        ("rm a", TABLE),
        ("rm [ab]*", TABLE),
        ("rm results/a.csv 01ff", {*TABLE, RUNS_OF[NEW]}),
        (f"rm {OLD}", {RUNS_OF[OLD]}),
    ],
)
def test_what_is_removed(bandit, folder, line, removed):
    before = files(folder)
    *named, last = bandit(results, line)
    assert files(folder) == before and last.endswith("nothing was removed: --yes removes them")
    assert {name.removeprefix("results/") for name in named} == removed
    *_, last = said = bandit(results, f"{line} --yes")
    remain = line.startswith("rm ") and removed >= TABLE
    assert last.startswith(REMAIN) == remain and said[-1 - remain].endswith("removed")
    assert before - files(folder) == removed


def test_the_list_and_a_setting(bandit, folder):
    *printed, others, first, second = bandit(results, "list")
    assert others == "2 tables without a manifest, which bandit-results never removes:"
    assert (first, second) == ("notes.csv", "own.csv")
    assert [line.split()[:2] for line in printed[2:]] == [["a", "2"], ["stored", "runs"]]
    assert printed[-1].split()[-1] == "0.0"  # the newest
    printed = bandit(results, "show a")
    assert printed[0] == "results/a.csv" and "dp_se on" in "\n".join(printed)
    printed = bandit(results, "show 0123")
    assert json.loads("\n".join(printed[: printed.index("}") + 1]))["algo"] == "dp_se"
    assert printed[-3:] == [f"setting {OLD}", "  in results/a.csv", f"  results/{RUNS_OF[OLD]}"]


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("", "list, show, prune or rm"),
        ("lst", "did you mean list?"),
        ("list a", "takes no names"),
        ("list --yes", "--yes: list takes no such option"),
        ("list results=nope", "results=nope: no such folder"),
        ("show", "the name of a table is needed"),
        ("show ffff", "unknown table or id 'ffff'"),
        ("show 01", "unknown table or id '01'"),  # too short
        ("prune", "--older AGE is needed"),
        ("prune --older 30", "--older 30: a number with h, d or w"),
        ("rm", "names of tables or ids"),
        ("rm own", "unknown table or id 'own'"),  # its manifest is not ours
        ("rm notes", "unknown table or id 'notes'"),
        ("rm a table=b", "unknown key 'table'"),
    ],
)
def test_refusals(bandit, folder, line, reason):
    before = files(folder)
    assert reason in message_of(results.main.__wrapped__, line.split())
    assert files(folder) == before


def test_several_ids_begin_alike(folder):
    (folder / "runs/01" / "ucb-c2-0123ffffffffffff.npz").write_text("")
    assert "several ids" in message_of(results.main.__wrapped__, ["show", "0123"])


def test_a_folder_of_runs_that_is_a_link_is_refused(folder):
    (folder / "runs").rename(folder / "elsewhere")
    (folder / "runs").symlink_to(folder / "elsewhere")
    assert "is a link" in message_of(results.main.__wrapped__, ["prune", "--older", "0h", "--yes"])
