"""Overrides that Hydra reads in its own way, or not at all, are refused in one line.

What does not depend on how a configuration is composed is tested in ``settings/test_bad_settings``.
"""

import re
import shlex

import pytest
from refusals import message_of, table

from dpbandits.cli.config.compose import multirun_points, read_overrides, read_request
from dpbandits.contracts.question import REGRET, STOPPING
from dpbandits.errors import nearest
from dpbandits.settings.user_files import user_folders

pytestmark = pytest.mark.usefixtures("unchanged")


# KEY=VALUE words, and parts of the message
WORDS = [
    ("eps", "eps"),
    ("adap_klucb", "did you mean algo=adap_klucb?"),
    ("adap_tt", "did you mean rule=adap_tt?"),
    ("bernoulli_c2", "did you mean env=bernoulli_c2?"),
    ("nothing", "nothing: KEY=VALUE is needed"),
    ("eps=[", "eps=["),
    ("=3", "=3:", "KEY=VALUE is needed"),
    ("eps=0.5,1", "eps=0.5,1", "-m"),
    ("eps=[1,2]", "eps=[1,2]:", "-m eps=1,2 runs each, 'sweep={eps:[1,2]}'"),
    ("eps=[[[[[[]]]]]]", "eps=[[[[[[]]]]]]:", "above 0"),
    ("eps=1e400", "eps=1e400: 1e400 is larger than any float"),
    ("eps=-1.5E+400", "eps=-1.5E+400: 1.5E+400 is larger"),
    ("sweep.eps=[1,1e400]", "sweep.eps=[1,1e400]: 1e400 is larger"),
    ("eps='1e400'", "eps=1e400:", "larger than any float"),
    (f"eps={'[' * 400}{']' * 400}", "eps=[[[[", "without end"),
    ("eps=é", "eps=é:", "stands in quotes"),
    ("env=ücb", "env=ücb:", "stands in quotes"),
    ("env..arms=1", "env..arms=1:", "not understood"),
    ("env.arms[0]=1", "env.arms[0]=1:", "not understood"),
    ("'eps=1;2'", "eps=1;2:", "not understood"),
    ("eps==1", "eps==1:"),
    ("eps=a=b", "eps=a=b", "'='"),
    ("eps.x=1", "'eps.x'", "did you mean eps?"),
    ("+eps.x=1", "eps={x:1}:", "above 0"),
    ("runs=null", "runs=null:", "whole number"),
    ("results=null", "results=null:", "folder"),
]
NAMES = [
    ("env=null", "env", "bernoulli"),
    ("env_spec=1", "'env_spec'", "did you mean env"),
    ("algo@foo=ucb", "'foo'", "eps"),
    ("+foo=1", "'foo'", "eps"),
    ("+env=bernoulli", "+env=bernoulli", "Multiple values for env"),
    ("runner=../env/bernoulli", "'../env/bernoulli'", "dask"),
    ("+runner.foo=1", "runner.foo:", "runner=local", "no such parameter"),
    ("runner=dask +runner.foo=1", "runner.foo:", "runner=dask", "no such parameter"),
    ("runner=dusk", "unknown runner 'dusk': did you mean dask?"),
    ("runner.address=tcp://a:1", "unknown key 'runner.address'"),
    ("runner=dask runner.adress=x", "did you mean runner.address?"),
    ("runner=dask backend=threads", "backend=threads: with runner=dask"),
    ("runner=dask runner.address=5", "runner.address=5:", "tcp://"),
    ("runner=slurm", "jobs=-1", "the number of workers"),
    ("runner=slurm jobs=2 runner.time=240", "runner.time=240:", "04:00:00"),
    ("runner=slurm jobs=2 'runner.account=\"x y\"'", "runner.account=x y:", "a word is needed"),
    ("runner=slurm jobs=2 runner.cpus_per_task=0", "runner.cpus_per_task=0:"),
    ("runner=slurm jobs=2 runner.partion=x", "did you mean runner.partition?"),
    ("env=bernoulli env.mean=[0.5,0.6]", "'env.mean'", "did you mean env.means?"),
    ("env=bernoulli +env.mean=1", "env.mean:", "bernoulli", "did you mean means?"),
    ("hydra.run.dir=foo", "hydra.run.dir=foo:", "cannot be changed"),
    *((f"~{key}", f"~{key}:", "cannot be left out") for key in ("env", "seed", "eps")),
]
REFERENCES = [
    ("eps=${foo}", "eps=${foo}", "foo"),
    ("'eps=${oc.env:HOME}'", "eps=${oc.env:HOME}:", "another key"),
    ("'eps=${python_version:}'", "eps=${python_version:}:", "another key"),
    ("'eps=${eps}'", "eps=${eps}", "Recursive"),
    ("'eps=???'", "eps=???", "Missing mandatory value: eps"),
    ("'env=???'", "env", "'???'", "bernoulli"),
    ("'env=${eps}'", "env", "'${eps}'", "bernoulli"),
]
SWEEPS = [
    ("'sweep={1:[2]}'", "sweep.1:", "name of a key"),
    ("'sweep={eps:[0.5]}' eps=2", "eps=2:", "varies eps"),
    *(
        (f"{sweep}=[1] eps=3", "eps=3:", "the sweep varies eps", "write sweep.eps=[3]")
        for sweep in ("sweep.eps", "+sweep.eps", "++sweep.eps")
    ),
    ("eps=3 sweep.eps=[1]", "eps=3:", "the sweep varies eps"),
    ("eps=3,4 sweep.eps=[1]", "eps=3,4:", "the sweep varies eps"),
    ("sweep.eps=1,2", "sweep.eps=1,2:", "a list of values is needed, sweep.eps=[1,2]"),
    ("'sweep.eps=range(1,3)'", "sweep.eps=range(1,3):", "sweep.eps=[...]"),
    ("sweep.env=[sign] env=sign", "env=sign:", "varies env", "write sweep.env=[sign]"),
]

OF_BOTH = [*WORDS, *NAMES, *SWEEPS]
OF_REGRET = [
    ("horizon=null", "horizon=null:", "whole number"),
    ("horizon=[1e4,1e5]", "-m horizon=1e4,1e5 runs each"),
    ("env.means=[.9,.8]", "write env=bernoulli env.means=[.9,.8]"),
    ("env.means=0.9,0.8", "a list stands in brackets: env.means=[0.9,0.8]"),
    ("env=bernoulli env.means=.9,.8", "stands in brackets: env.means=[.9,.8]"),
    ("env.arms=2,3", "add -m to run each"),
    ("experiment=azize2022", "choose from azize2022_fig2, azize2022_fig3"),
    ("epsilon=1", "did you mean eps?"),
    ("T=10", "did you mean horizon?"),
    ("assume=null", "assume=null:", "true or false"),
    ("algo=null", "algo", "adap_klucb"),
    ("algo=[ucb]", "algo", "[ucb]"),
    ("algo=ucb,adap_ucb", "algo=ucb,adap_ucb", "-m"),
    ("algo.alpha=[1]", "algo.alpha=[1]:", "number"),
    ("~algo.alpha", "algo.alpha", "missing"),
    ("~env.arms", "env.arms is missing", "bernoulli_family"),
    ("algo.alfa=2", "'algo.alfa'", "did you mean algo.alpha?"),
    ("+algo.alfa=1", "'algo.alfa'", "did you mean algo.alpha?"),
    ("+algo.alpha.x=1", "algo.alpha={x:1}:", "finite number above 0"),
    ("algo=ucb algo.alpha=1", "'algo.alpha'"),
    ("env=contaminated env.inlier=bernoulli env.inlier.mean=[1]", "'env.inlier.mean'"),
    ("env=contaminated env.inlier=bernoulli_c22", "'bernoulli_c22'", "did you mean bernoulli_c2?"),
    ("env=bernoulli_c2 env.inlier=student_far", "'env.inlier'"),
    ("algo=heldp_ucb_l population=clipped_normal +population.foo=1", "population.foo", "low"),
    ("algo=heldp_ucb_b eps_min=[1]", "eps_min=[1]:", "above 0"),
    ("algo=heldp_ucb_b population=null", "population", "uniform_levels"),
    ("algo=heldp_ucb_b eps=2 +algo.eps_min=1", "algo.eps_min", "eps_min"),
    ("algo=heldp_ucb_b population=levels population.level=[1]", "mean population.levels?"),
    ("algo=heldp_ucb_b eps_min=2 'sweep={eps_min:[1]}'", "eps_min=2:", "varies eps_min"),
    ("population=levels 'sweep={population:[clipped_normal]}'", "varies population"),
    ("'sweep=[{horizon:[10]},{horizon:[20]}]' horizon=5", "horizon=5:", "varies horizon"),
    ("'sweep={alpha:[1]}' algo.alpha=2", "algo.alpha=2:", "varies alpha"),
    ("'sweep={horizon:[10]}' horizon=5", "horizon=5:", "varies horizon", "sweep.horizon=[5]"),
    ("+sweep.algo=ucb,dp_se", "a list of values is needed, sweep.algo=[ucb,dp_se]"),
    ("'sweep.algo=[\"ucb eps=3\"]'", "'ucb eps=3'", "did you mean ucb?"),
    ("'sweep.algo=[{a:1}]'", "algo", "a", "adap_klucb"),
    ("experiment=azize2022_fig4 eps=0.5", "eps=0.5:", "varies eps", "sweep.eps=[0.5]"),
    ("experiment=azize2022_fig4 algo=ucb", "algo=ucb:", "varies algo"),
    ("experiment=azize2022_fig8 algo.alpha=2", "algo.alpha=2:", "varies alpha"),
    ("experiment=azize2022_fig8 sweep.alpha=[0]", "algo.alpha=0:", "above 0"),
    ("experiment=azize2022_fig8 sweep.alfa=[1]", "'sweep.alfa'"),
    ("experiment=tao2022_central sweep.99.eps=[1]", "sweep.99.eps=[1]"),
]
OF_STOPPING = [
    ("rel_error=[.1,.2]", "rel_error=[.1,.2]:", "-m rel_error=.1,.2 runs each"),
    ("algo=ucb", "'algo'"),
    (
        "rule=adap_tt_star rule.variant=printed",
        "adap_tt takes it; adap_tt_star takes no parameters",
    ),
    ("rule.foo=1", "'rule.foo'"),
    ("'sweep={beta:[.1]}' beta=.2", "beta=.2:", "varies beta", "write sweep.beta=[.2]"),
    ("experiment=sajed2019_stopping env.mean=.3", "varies env.mean", "sweep.env.mean=[.3]"),
]


@pytest.mark.parametrize(
    **table((REGRET, [*OF_BOTH, *REFERENCES, *OF_REGRET]), (STOPPING, [*OF_BOTH, *OF_STOPPING]))
)
def test_overrides(question, line, parts):
    message = message_of(read_request, shlex.split(line), (), question)
    assert all(part in message for part in parts), message


MULTIRUNS = [
    ("eps=[", "eps=["),
    ("'eps=range(1,1000000000000)'", "eps=range(", "more than 100000 combinations"),
    ("'eps=interval(0,1)'", "-m", "range(...)"),
    ("'eps=glob(*)'", "eps=glob(*):", "no file of eps"),
    ("'algo=glob(zz*)'", "algo=glob(zz*):", "no file of algo"),
]


@pytest.mark.parametrize(
    ("line", "parts"), [(x[0], x[1:]) for x in MULTIRUNS], ids=[x[0] for x in MULTIRUNS]
)
def test_multiruns(line, parts):
    message = message_of(lambda: list(multirun_points(shlex.split(line))))
    assert all(part in message for part in parts), message


def test_the_points_of_a_multirun():
    """Control: every combination, in the order of the command line."""
    found = list(multirun_points(["algo=ucb,dp_se", "seed=3", "eps=range(1,3)"]))
    assert found == [
        [f"algo={algo}", "seed=3", f"eps={eps}"] for algo in ("ucb", "dp_se") for eps in (1, 2)
    ]
    (override,) = read_overrides(["env.means=[.9,.8]"])
    assert override.value() == [0.9, 0.8]


@pytest.mark.parametrize(
    ("given", "reason"),
    [("missing", "no such folder"), ("", "path of a folder"), ("x" * 5000, "too long")],
    ids=["missing", "empty", "long"],
)
def test_folders_of_a_user(given, reason):
    for key in ("--config-dir", "config_dir"):
        message = message_of(user_folders, given, key)
        assert message.startswith(f"{key}={given[:100]}") and reason in message


def test_a_hint_leads_to_a_line_that_runs():
    hint = re.search(
        r"write (\S+) for one table", message_of(read_request, ["algo=dp_se", "eps=.5,1"], ())
    )[1]
    assert [s.budget for s in read_request(["algo=dp_se", hint], ()).settings] == [0.5, 1]


def test_nearest():
    assert nearest("adap", ["adap_ucb", "adap_klucb", "ucb"]) == "choose from adap_klucb, adap_ucb"
    assert nearest("adap_u", ["adap_ucb", "ucb"]) == "did you mean adap_ucb?"
    assert nearest("", ["a", "b"]) == "choose from a, b"
