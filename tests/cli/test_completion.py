"""Tab completion: what can follow a line, and the scripts in the shells themselves."""

import os
import pty
import re
import select
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest
from commands import captured
from helpers import NAMES
from refusals import complaint

from dpbandits.audit.targets.releases import MECHANISMS
from dpbandits.cli.completion import COMMANDS, SHELLS, completions, script
from dpbandits.cli.start import start
from dpbandits.contracts.question import QUESTIONS
from dpbandits.settings.groups import default_keys, names_in

OF_TABLES = "columns", "best", "pivot", "digits", "labels"


@pytest.fixture
def shell_path(tmp_path):
    """A folder with commands of our names, which run this package."""
    folder = tmp_path / "bin"
    folder.mkdir()
    for name in COMMANDS:
        code = f"from dpbandits.cli.start import start; start({name!r})"
        file = folder / f"bandit-{name}"
        file.write_text(f'#!/bin/sh\nexec {sys.executable} -c "{code}" "$@"\n')
        file.chmod(0o755)
    return folder


def test_tables_of_the_results_folder_are_offered(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for file in ("results/one.csv", "results/one.summary.csv", "other/two.csv"):
        Path(file).parent.mkdir(exist_ok=True)
        Path(file).touch()
    assert completions("plot", "bandit-plot results/o") == ["results/one.csv"]
    assert completions("compare", "bandit-compare results=other oth") == ["other/two.csv"]
    assert completions("results", "bandit-results rm on") == ["one"]
    assert completions("results", "bandit-results results=other show tw") == ["two"]


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("bandit-run al", ["algo=", "algo."]),
        ("bandit-run algo=adap", ["algo=adap_klucb", "algo=adap_ucb"]),
        ("bandit-run -m algo=ucb,adap_u", ["algo=ucb,adap_ucb"]),
        ("bandit-run -m algo=ucb,uc", []),
        ("bandit-run algo=dp_ucb algo.t", ["algo.tree_budget=", "algo.tree="]),
        ("bandit-run algo=dp_ucb algo.gamma=", []),
        ("bandit-run algo.../x=", []),
        ("bandit-run env=wu_raw env.al", ["env.alpha="]),
        ("bandit-plot a.csv only=dp_se,dp_ucb_b", ["only=dp_se,dp_ucb_bound"]),
        ("bandit-plot a.csv highlight=adap_tt_", ["highlight=adap_tt_star"]),
        ("bandit-compare baseline=adap_k", ["baseline=adap_klucb"]),
        ("bandit-results r", ["rm", "results="]),
        ("bandit-run experiment=azize2023_z", ["experiment=azize2023_zcdp"]),
        ("bandit-run population=cl", ["population=clipped_normal"]),
        ("bandit-run backend=p", ["backend=processes"]),
        ("bandit-run hydra", []),
        ("bandit-run eps=", []),
        ("bandit-run --mu", ["--multirun"]),
        ("bandit-stop rule=dp_n", ["rule=dp_nas", "rule=dp_nas_exp"]),
        ("bandit-stop algo", []),
        ("bandit-plot kind=", ["kind=tail", "kind=wins"]),
        ("bandit-plot b", ["bounds=", "band="]),
        ("bandit-bounds all=t", ["all=true"]),
        ("bandit-claims HH", ["HH1", "HH2"]),
        ("bandit-claims AL", ["AL1", "AL2"]),  # whose decorators have several lines
        ("bandit-compare baseline=i", ["baseline=inf"]),
        ("bandit-audit mechanism=hon", ["mechanism=honaker_tree"]),
        ("bandit-run 'sweep={al", []),
        ("bandit-run ../=x", []),
        ("bandit-run --config-dir res", []),
    ],
)
def test_what_can_follow_a_line(line, found):
    """Mutations that it catches: a list that completes its whole value, names chosen twice."""
    assert completions(line.split(" ")[0].removeprefix("bandit-"), line) == found


@pytest.mark.parametrize("command", ["help", *COMMANDS])
@pytest.mark.parametrize("line", ["bandit-run", "", " ", "=", "a=", "algo.", "-", "-cd", "x ="])
def test_any_line_can_be_completed(command, line):
    assert isinstance(completions(command, line), list)


def test_everything_that_can_be_chosen_is_offered():
    for question in QUESTIONS:
        name = question.command.removeprefix("bandit-")
        keys = {key.rstrip("=.") for key in completions(name, f"{question.command} ")}
        assert keys == {*default_keys(question.keys_file), *OF_TABLES} - {"figure"}
        for group in (*question.groups, "experiment"):
            offered = completions(name, f"{question.command} {group}=")
            assert offered == [f"{group}={x}" for x in names_in(group)]
    assert set(NAMES) <= {x.removeprefix("algo=") for x in completions("run", "bandit-run algo=")}
    offered = completions("audit", "bandit-audit mechanism=")
    assert sorted(offered) == sorted(f"mechanism={name}" for name in MECHANISMS)


def test_a_users_files_are_offered(tmp_path):
    (tmp_path / "algo").mkdir()
    (tmp_path / "algo" / "greedy.yaml").write_text("m: 10\n")
    for option in (f"--config-dir {tmp_path}", f"--config-dir={tmp_path}"):
        start = f"bandit-run {option} algo=gre"
        assert completions("run", start) == ["algo=greedy"]
        assert completions("run", f"{start}edy algo.") == ["algo.m="]
    assert completions("run", "bandit-run algo=gre") == []


# what is typed before a tab, and what it becomes
TABS = [
    ("bandit-run algo=adap_k", "bandit-run algo=adap_klucb "),
    ("bandit-run algo=adap", "bandit-run algo=adap_"),
    ("bandit-run -m algo=ucb,adap_u", "bandit-run -m algo=ucb,adap_ucb "),
    ("bandit-audit mech", "bandit-audit mechanism="),
    ("bandit-run experi", "bandit-run experiment="),
    ("bandit-plot the", "bandit-plot theirs.csv "),
    ("bandit-run --config-dir mi", "bandit-run --config-dir mine/"),
    ("bandit-run results=mi", "bandit-run results=mine/"),
    ("bandit-run eps=", "bandit-run eps="),
]


@pytest.mark.parametrize(
    ("line", "found", "before"),
    [*((*tab, "") for tab in TABS), (*TABS[0], "; COMP_WORDBREAKS=' '")],  # = ends no word
)
def test_a_tab_in_bash(tmp_path, shell_path, line, found, before):
    """Keys are pressed in an interactive bash. Mutations: an empty line where no word of ours fits,
    which bash takes for a word, so that it does not complete names of files; a space after a key;
    the whole word is offered where bash replaces only what follows = (algo=algo=...).
    """
    (tmp_path / "script").write_text(script("bash"))
    (tmp_path / "theirs.csv").touch()
    (tmp_path / "mine").mkdir()
    environment = {"PATH": f"{shell_path}:/usr/bin:/bin", "HOME": str(tmp_path), "TERM": "dumb"}
    environment |= {"PYTHONPATH": ":".join(sys.path), "PS1": "$ "}
    ours, theirs = pty.openpty()
    ends = {"stdin": theirs, "stdout": theirs, "stderr": theirs}
    words = ["setsid", "--ctty", "bash", "--norc", "-i"]
    bash = subprocess.Popen(words, cwd=tmp_path, env=environment, **ends)
    try:
        read_until(ours, "$ ")
        os.write(ours, f"source ./script{before}\n".encode())
        read_until(ours, "$ ")
        os.write(ours, f"{line}\tEND".encode())
        assert read_until(ours, "END") == f"{found}END"
    finally:
        bash.kill()
        bash.wait()
        os.close(ours)
        os.close(theirs)


def read_until(terminal, end):
    """What a terminal shows until some text, without bells."""
    seen = ""
    while not seen.endswith(end):
        assert select.select([terminal], [], [], 30)[0], seen
        seen += os.read(terminal, 1).decode().replace("\a", "")
    return seen


def in_shell(words, path, variables=()):
    environment = {"PATH": f"{path}:/usr/bin:/bin", "HOME": str(path), "TERM": "dumb"}
    environment |= {name: str(value) for name, value in dict(variables).items()}
    environment["PYTHONPATH"] = ":".join(sys.path)
    done = captured(*words, env=environment, timeout=60)
    assert done.returncode == 0 and done.stderr == "", done.stderr
    return done


@pytest.mark.parametrize("shell", SHELLS)
def test_a_shell_can_read_its_script(tmp_path, shell):
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed")
    (tmp_path / "script").write_text(script(shell))
    in_shell([shell, "-n", str(tmp_path / "script")], "/bin")
    (tmp_path / "script").write_text(script(shell) + "\nif (\n")  # the control
    assert captured(shell, "-n", tmp_path / "script").returncode != 0


@pytest.mark.skipif(shutil.which("fish") is None, reason="fish is not installed")
def test_the_script_in_fish(tmp_path, shell_path):
    (tmp_path / "script").write_text(script("fish"))
    asked = f"source {tmp_path}/script; complete -C 'bandit-run -m algo=ucb,adap_u'"
    done = in_shell(["fish", "--no-config", "-c", asked], shell_path)
    assert done.stdout.split() == ["algo=ucb,adap_ucb"]


ZSH = """
zmodload zsh/zpty
zpty session "zsh -f -i"
zpty -w session 'autoload -Uz compinit; compinit -u -D; source $SCRIPT; PS1=; print ready'
zpty -r session seen '*ready*ready*'
zpty -w -n session $'bandit-run algo=adap_k\t'
zpty -r session seen '*adap_klucb*'
print -r -- "$seen"
"""


@pytest.mark.skipif(shutil.which("zsh") is None, reason="zsh is not installed")
def test_the_script_in_zsh(tmp_path, shell_path):
    (tmp_path / "script").write_text(script("zsh"))
    done = in_shell(["zsh", "-f", "-c", ZSH], shell_path, {"SCRIPT": tmp_path / "script"})
    assert "algo=adap_klucb" in re.sub(r"\x1b\[[0-9;?]*\w|\x08", "", done.stdout)


@pytest.mark.slow
def test_a_tab_takes_no_second_and_imports_nothing_slow():
    line = "bandit-run algo=ad"
    code = "import sys; from dpbandits.cli.start import start; sys.argv = ['x', *sys.argv[1:]]\n"
    code += "try:\n start('run')\nfinally:\n"
    code += " slow = {'numpy', 'numba', 'pandas', 'hydra', 'omegaconf'} & {*sys.modules}\n"
    code += " print(*slow, file=sys.stderr)"
    best = 60.0
    for _ in range(3):
        begun = time.perf_counter()
        done = captured(sys.executable, "-c", code, "--complete", line)
        best = min(best, time.perf_counter() - begun)
    assert done.stdout.split() and done.stderr.strip() == ""
    assert best < 1.0


@pytest.mark.parametrize(
    ("words", "needed"),
    [
        (["--completion"], "the name of one shell is needed"),
        (["--completion", "tcsh"], "bash, zsh or fish is"),
    ],
)
def test_shells_without_a_script_are_refused(words, needed, capsys, monkeypatch):
    monkeypatch.setattr(sys, "argv", ["bandit-run", *words])
    with pytest.raises(SystemExit) as ended:
        start("run")
    message = complaint("bandit-run", ended.value.code, *capsys.readouterr())
    assert message.startswith("--completion") and needed in message


def test_a_script_that_is_read_in_part_ends_without_a_word():
    command = [Path(sys.executable).parent / "bandit-run", "--completion", "bash"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        process.stdout.close()
        assert (process.stderr.read(), process.wait()) == (b"", 141)
