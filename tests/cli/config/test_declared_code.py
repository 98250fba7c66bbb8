"""A configuration cannot make the program import or call anything but a declared algorithm."""

import re
import sys
from pathlib import Path

import pytest
from commands import captured
from refusals import QUICK_STOP, arguments, complaint
from sweeps import write
from tiers import every

from dpbandits.cli import bounds, plot, run, stop
from dpbandits.settings.hydra_names import instead_of

SENTINEL = "import pathlib; pathlib.Path('sentinel').touch()\n"
EVIL = "os.system"
TARGET = f"{{_target_: {EVIL}, command: touch sentinel}}"
ONLY = "Hydra's own settings cannot be changed"

# command lines that ask for code other than a declared algorithm's
CODE = [
    ("algo=os", "'os'", "ts"),
    ("algo=evil", "evil.py needs a function evil(game, rng, ...) or a class"),  # not imported
    ("algo=../elsewhere/evil", "'../elsewhere/evil'", "adap_klucb"),
    ("algo=/etc/passwd", "'/etc/passwd'", "adap_klucb"),
    ("algo=os.system", "'os.system'", "adap_klucb"),
    ("algo=../rule/nas", "'../rule/nas'", "adap_klucb"),
    ("sweep.algo=[../elsewhere/evil]", "'../elsewhere/evil'", "adap_klucb"),
    ("'algo=${oc.env:HOME}'", "${oc.env:HOME}", "adap_klucb"),
    ("env=../elsewhere/evil", "env=../elsewhere/evil: a name", "env.file="),
    ("env=contaminated env.inlier=../x", "env=../x: a name is needed"),
    ("experiment=../../evil", "'../../evil'", "azize2022_fig4"),
    ("experiment=elsewhere", "'../elsewhere/evil'", "adap_klucb"),
    ("algo._target_=os.system", "'algo._target_'", "algo.alpha"),
    ("+env._target_=os.system", "env._target_: law bernoulli_family has no such parameter"),
    ("+_target_=os.system", "unknown key '_target_'"),
    (f"'env={TARGET}'", "env", "os.system", "bernoulli"),
    (f"env=contaminated 'env.outlier={TARGET}'", "env.outlier.law=null"),
    (f"'sweep={{algo:[{TARGET}]}}'", "algo", "os.system", "adap_klucb"),
    ("sweep._target_=[os.system]", "sweep._target_", "no algorithm"),
    *(
        (f"{way}{key}", f"{key.split('=')[0]}", ONLY)
        for way in ("", "-m ", "--cfg job ")
        for key in (
            f"+hydra.callbacks.x._target_={EVIL}",
            f"+hydra.callbacks.x.y._target_={EVIL}",
            f"hydra.sweeper._target_={EVIL}",
            f"hydra.job_logging.root={EVIL}",
            "hydra.searchpath=[pkg://evil]",
            "hydra/job_logging=default",
            "hydra.run.dir=elsewhere",
            "hydra.sweep.dir=elsewhere",
            "hydra.job.chdir=true",
            "+env@hydra.callbacks.x=bernoulli",
        )
    ),
    (f"'hydra.launcher={TARGET}'", "hydra.launcher", ONLY),
    ("'hydra={a:1}'", "hydra={a:1}", ONLY),
    ("~hydra.run", "~hydra.run", ONLY),
    ("-m hydra.sweeper.params.eps=1,-1", "hydra.sweeper.params.eps", ONLY),
    (f"-m 'algo=glob(*)' +hydra.callbacks.x._target_={EVIL}", "hydra.callbacks", ONLY),
    (f"hydra.launcher._target_={EVIL}", "hydra.launcher._target_=os.system", ONLY),
    (f"-m +hydra.launcher.x._target_={EVIL}", "hydra.launcher.x._target_", ONLY),
    ("hydra/launcher=evil", "hydra/launcher=evil", ONLY),
    ("-m hydra/launcher=submitit_slurm eps=1,2", "hydra/launcher=submitit_slurm", ONLY),
    ("hydra/sweeper=basic", ONLY),
    ("hydra/callbacks=evil", ONLY),
    ("experiment=callback", ONLY),
    ("experiment=logging", ONLY),
    ("experiment=search", "hydra.searchpath", "--config-dir DIR"),
    ("env=packaged", "env.law=null"),
    ("-m env=packaged,bernoulli", "env.law=null"),
    ("experiment=lines", "results=x touch sentinel", "path of a folder"),
    ("--config-path elsewhere", "--config-path"),
    ("--config-name evil", "algo: no file is chosen"),
]  # fmt: skip
GLOBAL = "# @package _global_\n"
MINE = {
    "algo/evil.py": SENTINEL,
    "algo/unchosen.py": SENTINEL,
    "algo/unchosen.yaml": "{}\n",
    "elsewhere/evil.py": SENTINEL + "def evil(game, rng): ...\n",
    "elsewhere/evil.yaml": "{}\n",
    "evil.py": SENTINEL,
    "evil.yaml": "{}\n",
    "hydra_plugins/evil.py": SENTINEL,
    "../hydra_plugins/evil.py": SENTINEL,
    "../installed/evil/__init__.py": SENTINEL,
    "hydra/launcher/evil.yaml": f"_target_: {EVIL}\ncommand: touch sentinel\n",
    "hydra/callbacks/evil.yaml": f"x: {TARGET}\n",
    "env/packaged.yaml": f"# @package hydra.callbacks.x\n_target_: {EVIL}\ncommand: ls\n",
    "experiment/elsewhere.yaml": GLOBAL + "defaults: [override /algo: ../elsewhere/evil]\n",
    "experiment/callback.yaml": f"hydra: {{callbacks: {{x: {TARGET}}}}}\n",
    "experiment/logging.yaml": f"hydra: {{job_logging: {{x: {TARGET}}}}}\n",
    "experiment/launcher.yaml": "# @package _global_\ndefaults: [override /hydra/launcher: evil]\n",
    "experiment/lines.yaml": "# @package _global_\n" + r'results: "x\ntouch sentinel\n"',
    "experiment/search.yaml": "# @package _global_\nhydra: {searchpath: ['pkg://evil']}\n",
}


@pytest.fixture
def evil(here, monkeypatch):
    """A user's folder with files that leave a sentinel if they are imported or called."""
    monkeypatch.syspath_prepend(here / "installed")
    write(here / "mine", MINE)


@pytest.mark.parametrize(("line", "parts"), every(3, [(x[0], x[1:]) for x in CODE]))
def test_nothing_but_a_declared_algorithm_is_called(evil, refused, line, parts):
    message = refused(run, ["--config-dir", "mine", *arguments(line)])
    assert not Path("sentinel").exists()
    key = re.search(r"hydra[\w./]*", line)
    said = instead_of(key[0]) if ONLY in parts and key else ONLY  # the key of ours, or that
    assert all((said if part == ONLY else part) in message for part in parts), message


def test_a_stopping_rule_is_declared_too(evil, refused):
    for line in ("rule=os", "rule=../elsewhere/evil", "rule=../algo/evil", "rule=sparse_vector"):
        message = refused(stop, ["--config-dir", "mine", *arguments(line, QUICK_STOP)])
        assert "choose from adap_tt" in message and not Path("sentinel").exists()


def test_a_python_file_of_one_of_our_names_is_refused(refused):
    file = Path("mine/algo/ucb.py")
    file.parent.mkdir(parents=True)
    file.write_text(SENTINEL)
    message = refused(run, ["--config-dir", "mine", *arguments("algo=ucb")])
    assert "ucb.py:" in message and "rename yours" in message and not Path("sentinel").exists()


def test_only_what_is_chosen_is_imported(evil, ended):
    """Control: the sentinel is left by an algorithm that is declared and chosen."""
    for name, left in (("ucb", False), ("unchosen", True)):
        ended(bounds, "--config-dir", "mine", f"algo={name}")
        assert Path("sentinel").exists() == left


@pytest.mark.slow
def test_the_command_itself_calls_nothing(evil):
    before = sorted(Path.cwd().rglob("*"))
    program = Path(sys.executable).with_name("bandit-run")
    done = captured(program, "--config-dir", "mine", "-m", "hydra/launcher=evil", "eps=1,2")
    message = complaint("bandit-run", done.returncode, done.stdout, done.stderr)
    assert "hydra/launcher=evil: a key of Hydra is not used; jobs=N" in message
    assert sorted(Path.cwd().rglob("*")) == before


TABLE = "algo,env,eps,horizon,seed,run,t,regret\nucb,bernoulli_c2,inf,100,0,0,100,5\n"


@pytest.fixture
def drawn(ended):
    """A function that leaves a table, with a script beside it, and draws it by a name."""

    def draw(name: str):
        file = Path("results") / f"{name}.csv"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(TABLE)
        file.with_suffix(".py").write_text(SENTINEL)
        found = ended(plot, f"experiment={name}")
        assert not Path("sentinel").exists()
        return found

    return draw


@pytest.mark.parametrize("name", ["{here}/evil", "../evil", "../results/evil", "folder/evil"])
def test_a_path_is_no_experiment_though_its_table_is_there(drawn, name):
    name = name.format(here=Path.cwd())
    message = complaint("bandit-plot", *drawn(name))
    assert f"{name!r}" in message and "azize2022_fig2" in message
    assert not list(Path.cwd().rglob("*.pdf"))


@pytest.mark.long
def test_only_an_experiment_of_ours_has_a_script(drawn):
    """Control: tables of a user's own experiments are drawn, whatever scripts have their names."""
    for name in ("mine", "all", "times", "azize2022_fig2"):
        code, out, _ = drawn(name)
        assert code == 0 and f"results/figures/{name}.pdf" in out
