"""bandit-results removes what it says, what is ours, and nothing without --yes."""

import hashlib
import json
import os
import time

import pytest
from refusals import message_of

from dpbandits.cli import results, run
from dpbandits.files import LOCK

OLD, NEW = "0123456789abcdef", "01ff456789abcdef"
FOREIGN = ["notes.csv", "own.csv", "own.json", "runs/01/notes.npz", "runs/mine.npz",
           f"runs/ff/dp_se-c2-{OLD}.npz", "figures/notes.pdf"]  # fmt: skip

REMAIN = "The stored runs remain"
TEXT = hashlib.sha256(b"x" * 1000).hexdigest()  # of each file


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A results folder with a table of two settings, their runs, and files of someone else; those
    of one setting are two days old.
    """
    monkeypatch.chdir(tmp_path)
    made = tmp_path / "results"
    settings = {own: {"algo": "dp_se", "horizon": 10} for own in (OLD, NEW)}
    manifest = {"config": {"runs": 20}, "settings": settings, "sha256": TEXT, "sources": ""}
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
        str(x.relative_to(folder)) for x in folder.rglob(LOCK)
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


ANSWERS = ["budget-0123abcd", "audit-ts-0123abcd", "budget-short", "audit", "audit-mine",
           "a-compare", "a-and-1-more-compare"]  # fmt: skip


@pytest.mark.parametrize(
    ("names", "removed"),
    [
        ("budget-0123abcd audit-ts", {"budget-0123abcd", "audit-ts-0123abcd"}),
        ("a-compare", {"a-compare"}),
        ("a-and", {"a-and-1-more-compare"}),
        ("a", {"a-compare"}),
    ],
)
def test_audits_comparisons_and_budgets_are_removed_by_their_names(bandit, folder, names, removed):
    """Those whose names the commands gave, or that compare a table of ours."""
    for name in (*ANSWERS, "own-compare"):
        for file in (f"{name}.md", f"{name}.tex", f"figures/{name}.pdf"):
            (folder / file).write_text("x" * 1000)
    before = files(folder)
    bandit(results, f"rm {names} --yes")
    gone = {f"{x}.md" for x in removed} | {f"{x}.tex" for x in removed}
    gone |= {f"figures/{x}.pdf" for x in removed} | (TABLE if names == "a" else set())
    assert before - files(folder) == gone
    for name in ("budget-short", "own-compare", "audit-mine"):
        assert "nothing matches" in message_of(results.main.__wrapped__, ["rm", name, "--yes"])


def test_the_list_and_a_setting(bandit, folder):
    *printed, others, first, second = bandit(results, "list")
    assert others == "2 tables without their own manifest, which bandit-results never removes:"
    assert (first, second) == ("notes.csv", "own.csv")
    assert [line.split()[:2] for line in printed[2::2]] == [["a", "2"], ["stored", "runs"]]
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
        ("show", "the name of a table or the id of a setting is needed"),
        ("show ffff", "nothing matches 'ffff': choose from "),
        ("show 01", "of an id at least 4 characters are needed"),
        ("rm 01", "nothing matches '01'"),
        ("rm x*", "x*: no name matches"),
        ("prune", "--older AGE is needed"),
        ("prune --older 30", "--older 30: a number with h, d or w"),
        ("rm", "names of tables or ids"),
        ("rm own", "nothing matches 'own'"),  # its manifest is not ours
        ("rm notes", "nothing matches 'notes'"),
        ("rm a table=b", "unknown key 'table'"),
    ],
)
def test_refusals(bandit, folder, line, reason):
    before = files(folder)
    assert reason in message_of(results.main.__wrapped__, line.split())
    assert files(folder) == before


@pytest.mark.parametrize("line", ["rm mine --yes", "rm m* --yes", "prune --older 0h --yes"])
def test_a_table_beside_the_manifest_of_another_is_not_ours(bandit, folder, line):
    """Nor is one that was edited."""
    mine = [folder / name for name in ("mine.csv", "mine.md", "mine.pdf", "mine.json")]
    for file in mine[:3]:
        file.write_text("my own")
    mine[3].write_bytes((folder / "a.json").read_bytes())
    if line.startswith("rm"):
        said = message_of(results.main.__wrapped__, line.split())
        assert "nothing matches" in said or "no name matches" in said
    else:
        bandit(results, line)
        assert not (folder / "a.csv").exists()  # control
    assert all(file.exists() for file in mine)
    assert "mine.csv" in bandit(results, "list")


@pytest.mark.parametrize("line", ["rm a --yes", "prune --older 0h --yes"])
def test_nothing_is_removed_through_a_linked_folder_of_figures(bandit, folder, line):
    (folder / "figures").rename(folder.parent / "elsewhere")
    (folder / "figures").symlink_to(folder.parent / "elsewhere")
    bandit(results, line)
    assert not (folder / "a.csv").exists() and (folder.parent / "elsewhere/a.pdf").exists()


def test_the_list_of_a_table_of_many_settings_reads_each_environment_once(
    bandit, several, tmp_path, monkeypatch
):
    reads = []
    read = results.read_group
    monkeypatch.setattr(results, "read_group", lambda *given: reads.append(given) or read(*given))
    results._usual.cache_clear()
    text = manifest(20, *((i, NAMED | {"eps": i}) for i in range(1, 1000)))
    (tmp_path / "results/few.json").write_text(text)
    bandit(results, "list")
    assert sorted(reads) == [("env", "bernoulli"), ("env", "bernoulli_c2")]


@pytest.mark.parametrize("start", ["m", "ma", "mab", "mab.csv", "results/mab"])
def test_any_beginning_of_only_one_table_is_enough(bandit, folder, start):
    """An id needs four characters; a table needs as many as tell it from the other tables."""
    named = folder / "mab-ucb-T100.csv"
    named.write_bytes((folder / "a.csv").read_bytes())
    named.with_suffix(".json").write_bytes((folder / "a.json").read_bytes())
    assert bandit(results, f"show {start}")[0] == "results/mab-ucb-T100.csv"
    bandit(results, f"rm {start} --yes")
    assert not named.exists() and (folder / "a.csv").exists()


def test_several_tables_begin_alike(folder):
    for name in ("ab", "abc"):
        for end in (".csv", ".json"):
            (folder / f"{name}{end}").write_bytes((folder / f"a{end}").read_bytes())
    (folder / "a.csv").unlink()
    before = files(folder)
    for action in ("rm", "show"):
        assert "a: several names have" in message_of(results.main.__wrapped__, [action, "a"])
    assert files(folder) == before


def test_several_ids_begin_alike(folder):
    (folder / "runs/01" / "ucb-c2-0123ffffffffffff.npz").write_text("")
    assert "several ids" in message_of(results.main.__wrapped__, ["show", "0123"])


def test_a_folder_of_runs_that_is_a_link_is_refused(folder):
    (folder / "runs").rename(folder / "elsewhere")
    (folder / "runs").symlink_to(folder / "elsewhere")
    assert "is a link" in message_of(results.main.__wrapped__, ["prune", "--older", "0h", "--yes"])


def manifest(runs, *settings):
    """The text of the manifest of a table of some settings."""
    found = {str(i): {"algo": "dp_se", "eps": 1.0, **own} for i, own in settings}
    text = hashlib.sha256(b"x").hexdigest()
    return json.dumps({"config": {"runs": runs}, "settings": found, "sha256": text, "sources": ""})


COINS = {"env": "bernoulli", "env_spec": {"law": "bernoulli", "means": [0.9, 0.2]}}
NAMED = {
    "env": "bernoulli_c2",
    "env_spec": {"law": "bernoulli_family", "family": "c2", "arms": 3},
}
FILE = {"path": "r.csv", "sha256": "ab" * 32}
DATA = {"env": "empirical", "eps": None, "env_spec": {"law": "empirical", "file": FILE}}


@pytest.fixture
def several(tmp_path, monkeypatch):
    """The folder of three tables, one of which has more runs of the settings of another."""
    monkeypatch.chdir(tmp_path)
    for folder in ("results", "other"):
        (tmp_path / folder).mkdir()
    texts = {
        "results/few": manifest(20, (1, COINS), (2, NAMED | {"eps": 2.0})),
        "results/many": manifest(1000, (1, COINS), (2, NAMED | {"eps": 2.0})),
        "other/few": manifest(1, (3, DATA)),
        "other/needed": manifest("auto", (3, DATA)),
    }
    for name, text in texts.items():
        (tmp_path / f"{name}.json").write_text(text)
        (tmp_path / f"{name}.csv").write_text("x")


def test_the_list_says_what_tables_hold_and_which_are_superseded(bandit, several, monkeypatch):
    monkeypatch.setenv("COLUMNS", "60")
    held = "dp_se on bernoulli env.means=[0.9,0.2], bernoulli_c2 env.arms=3; eps 1, 2"
    assert bandit(results, "list")[3] == "  superseded by many; dp_se on bernoulli ..."
    monkeypatch.setenv("COLUMNS", "120")
    assert bandit(results, "list")[5] == f"  {held}; 1,000 runs"
    assert (
        bandit(results, "list results=other")[3]
        == "  dp_se on empirical env.file=r.csv (abababab); 1 run"
    )
    assert bandit(results, "list results=other")[5].endswith("(abababab); runs=auto")


def test_a_setting_is_shown_with_what_its_environment_was_given(bandit, several):
    assert bandit(results, "show many")[-2].endswith("on bernoulli, eps 1.0, env.means=[0.9,0.2]")
    assert bandit(results, "show few results=other")[-1].endswith("env.file=r.csv (abababab)")


def test_the_path_of_a_table_tells_the_folder(bandit, several):
    assert bandit(results, "show results/few.csv")[0] == "results/few.csv"
    assert bandit(results, "show other/few.csv")[0] == "other/few.csv"
    assert bandit(results, "rm other/few.csv")[:2] == ["other/few.csv", "other/few.json"]
    for line in ("rm other/few.csv results/few.csv", "show other/few.csv results=results"):
        said = message_of(results.main.__wrapped__, line.split())
        assert said == "other/few.csv: not in the folder results=results"


def test_settings_of_a_table_that_differ_in_what_a_sweep_varies_are_told_apart(bandit):
    keys = "seed=1,2 checkpoints=2,3 shuffle_arms=true,false"
    bandit(run, f"-m algo=dp_se eps=1 horizon=50 runs=1 jobs=1 {keys}")
    lines = [line.split(maxsplit=1)[1] for line in bandit(results, "show sweep")[-8:]]
    assert len({*lines}) == 8 and "seed 1, checkpoints 2, shuffle_arms true" in lines[0]
