"""Overrides that Hydra reads in its own way, or not at all, are refused in one line.

What does not depend on how a configuration is composed is tested in ``settings/test_bad_settings``.
"""

import math
import shlex

import pytest
from refusals import message_of, table

from dpbandits.cli.words import read_request, value_of
from dpbandits.contracts.question import REGRET, STOPPING
from dpbandits.errors import nearest
from dpbandits.settings.sweep import Values
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
    ("eps=[1,2]", "eps=[1,2]:", "-m eps=1,2 runs each"),
    ("eps=[[[[[[]]]]]]", "eps=[[[[[[]]]]]]:", "above 0"),
    ("eps=1e400", "eps=1e400: 1e400 is larger than any float"),
    ("eps=-1.5E+400", "eps=-1.5E+400: 1.5E+400 is larger"),
    ("sweep.eps=[1,1e400]", "sweep.eps=[1,1e400]: 1e400 is larger"),
    ("eps='1e400'", "eps=1e400:", "larger than any float"),
    (f"eps={'[' * 400}{']' * 400}", "eps=", "above 0"),
    ("eps=é", "eps=é:", "put text in quotes"),
    ("env=ücb", "env=ücb:", "put text in quotes"),
    ("env..arms=1", "env..arms=1:", "not understood"),
    ("env.arms[0]=1", "env.arms[0]=1:", "not understood"),
    ("'eps=1;2'", "eps=1;2:", "not understood"),
    ("eps==1", "eps==1:"),
    ("eps=a=b", "eps=a=b", "'='"),
    ("eps.x=1", "'eps.x'", "did you mean eps?"),
    ("+eps.x=1", "'eps.x'", "did you mean eps?"),
    ("runs=null", "runs=null:", "whole number"),
    ("results=null", "results=null:", "folder"),
]
NAMES = [
    ("env=null", "env", "bernoulli"),
    ("env_spec=1", "'env_spec'", "did you mean env"),
    ("algo@foo=ucb", "algo@foo=ucb: no key has an @"),
    ("env@env.inlier=bernoulli", "no key has an @; write KEY=VALUE"),
    ("+foo=1", "'foo'", "eps"),
    ("runner=../env/bernoulli", "'../env/bernoulli'", "dask"),
    ("+runner.foo=1", "unknown key 'runner.foo'"),
    ("runner=dask +runner.foo=1", "unknown key 'runner.foo'"),
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
    ("env=bernoulli +env.mean=1", "'env.mean'", "did you mean env.means?"),
    ("hydra.run.dir=foo", "hydra.run.dir=foo: Hydra's own settings cannot be changed"),
    *((f"~{key}", f"~{key}:", "cannot be left out") for key in ("env", "seed", "eps")),
]
REFERENCES = [
    ("eps=${foo}", "eps=${foo}", "foo"),
    ("'eps=${oc.env:HOME}'", "eps=${oc.env:HOME}:", "above 0"),
    ("'eps=${python_version:}'", "eps=${python_version:}:", "above 0"),
    ("'eps=${eps}'", "eps=${eps}:", "above 0"),
    ("'eps=???'", "eps=???:", "above 0"),
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
    ("eps=3,4 sweep.eps=[1]", "eps=3,4: one value is needed"),
    ("sweep.eps=1,2", "sweep.eps=1,2:", "a list of values is needed, sweep.eps=[1,2]"),
    ("'sweep.eps=range(1,3)'", "sweep.eps=1,2:", "a list of values is needed, sweep.eps=[1,2]"),
    ("sweep.env=[sign] env=sign", "env=sign:", "varies env", "write sweep.env=[sign]"),
]

OF_BOTH = [*WORDS, *NAMES, *SWEEPS]
OF_REGRET = [
    ("horizon=null", "horizon=null:", "whole number"),
    ("horizon=[1e4,1e5]", "-m horizon=1e4,1e5 runs each"),
    ("env.means=[.9,.8]", "as in env=bernoulli env.means=[0.9,0.8]"),
    ("env.means=0.9,0.8", "put a list in brackets: env.means=[0.9,0.8]"),
    ("env=bernoulli env.means=.9,.8", "in brackets: env.means=[.9,.8]"),
    ("env.arms=2,3", "add -m to run each"),
    ("experiment=azize2022", "choose from azize2022_fig2, azize2022_fig3"),
    ("epsilon=1", "did you mean eps?"),
    ("T=10", "did you mean horizon?"),
    ("assume=null", "assume=null:", "true or false"),
    ("algo=null", "algo", "adap_klucb"),
    ("algo=[ucb]", "algo", "[ucb]"),
    ("algo=ucb,adap_ucb", "algo=ucb,adap_ucb", "-m"),
    ("algo.alpha=[1]", "algo.alpha=[1]:", "number"),
    ("~algo.alpha", "~algo.alpha:", "cannot be left out"),
    ("~env.arms", "~env.arms:", "cannot be left out"),
    ("algo.alfa=2", "'algo.alfa'", "did you mean algo.alpha?"),
    ("+algo.alfa=1", "'algo.alfa'", "did you mean algo.alpha?"),
    ("+algo.alpha.x=1", "'algo.alpha.x'", "did you mean algo.alpha?"),
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
    ("experiment=tao2022_central sweep.99.eps=[1]", "'sweep.99.eps'", "did you mean sweep.eps?"),
]
OF_STOPPING = [
    ("rel_error=[.1,.2]", "rel_error=[.1,.2]:", "-m rel_error=.1,.2 runs each"),
    ("algo=ucb", "'algo'"),
    (
        "rule=adap_tt_star rule.variant=printed",
        "adap_tt takes it, as in rule=adap_tt rule.variant=printed",
        "adap_tt_star takes no parameters",
    ),
    ("rule.foo=1", "'rule.foo'"),
    ("'sweep={beta:[.1]}' beta=.2", "beta=0.2:", "varies beta", "write sweep.beta=[0.2]"),
    ("experiment=sajed2019_stopping env.mean=.3", "varies env.mean", "sweep.env.mean=[0.3]"),
]


@pytest.mark.parametrize(
    **table((REGRET, [*OF_BOTH, *REFERENCES, *OF_REGRET]), (STOPPING, [*OF_BOTH, *OF_STOPPING]))
)
def test_overrides(question, line, parts):
    message = message_of(read_request, shlex.split(line), (), question)
    assert all(part in message for part in parts), message


MULTIRUNS = [
    ("eps=[", "eps=["),
    ("'eps=range(1,1000000000000)'", "eps=range(", "more than 100000 values"),
    ("'eps=interval(0,1)'", "eps=interval(0,1):", "range(...)"),
    ("seed=range(0,0)", "it has no values"),
    ("runs=1,2", "runs=1,2: one value is needed"),
    ("seed=range(0,400) eps=range(1,400)", "159600 settings, more than 100000"),
    ("'eps=glob(*)'", "eps=glob(*):", "no file of eps"),
    ("'algo=glob(zz*)'", "algo=glob(zz*):", "no file of algo"),
]


@pytest.mark.parametrize(
    ("line", "parts"), [(x[0], x[1:]) for x in MULTIRUNS], ids=[x[0] for x in MULTIRUNS]
)
def test_multiruns(line, parts):
    message = message_of(read_request, shlex.split(line), (), REGRET, True)
    assert all(part in message for part in parts), message


@pytest.mark.parametrize(
    ("word", "values"),
    [
        ("algo=ucb,dp_se", ["ucb", "dp_se"]),
        ("algo=glob(adap_*)", ["adap_klucb", "adap_ucb"]),
        ("eps=range(1,4)", [1, 2, 3]),
        ("eps=choice(1,0.5)", [1, 0.5]),
        ("env.means=[.9,.8],[.5,.4,.3]", [[0.9, 0.8], [0.5, 0.4, 0.3]]),
        ("env.means=[.9,.8]", [0.9, 0.8]),
        ("env.inlier='a b','c'", ["a b", "c"]),
        ("eps=3", 3),
    ],
)
def test_a_sweep_of_hydra_is_the_values_of_a_key(word, values):
    key, found = value_of(word)
    assert key == word.partition("=")[0] and found == values
    assert isinstance(found, Values) == (word not in ("env.means=[.9,.8]", "eps=3"))


def test_the_settings_of_a_multirun_are_those_of_a_sweep():
    """Control: every combination."""
    words = ["algo=ucb,dp_se", "seed=3,4", "eps=range(1,3)", "runs=7"]
    found = read_request(words, (), REGRET, True)
    combinations = [
        ("ucb", 3, math.inf), ("ucb", 4, math.inf),
        *(("dp_se", seed, eps) for eps in (1, 2) for seed in (3, 4)),
    ]  # fmt: skip
    assert [(s.algo, s.seed, s.budget) for s in found.settings] == combinations
    assert found.config["sweep"] == {"algo": ["ucb", "dp_se"], "eps": [1, 2], "seed": [3, 4]}
    words = ["sweep={algo:[ucb,dp_se],eps:[1,2],seed:[3,4]}", "runs=7"]
    assert read_request(words, ()).settings == found.settings and found.runs == 7


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
    words = ["algo=dp_se", "eps=.5,1"]
    assert message_of(read_request, words, ()).endswith("add -m to run each")
    assert [s.budget for s in read_request(words, (), multirun=True).settings] == [0.5, 1]


def test_nearest():
    assert nearest("adap", ["adap_ucb", "adap_klucb", "ucb"]) == "choose from adap_klucb, adap_ucb"
    assert nearest("adap_u", ["adap_ucb", "ucb"]) == "did you mean adap_ucb?"
    assert nearest("", ["a", "b"]) == "choose from a, b"
