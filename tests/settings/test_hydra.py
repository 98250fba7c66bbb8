"""Files and words as Hydra's documentation shows them are composed as Hydra composes them."""

import json
from pathlib import Path

import numpy as np
import pytest
from omegaconf import OmegaConf
from refusals import message_of
from sweeps import write

import dpbandits as dp
from dpbandits.cli.words import read_requests
from dpbandits.contracts.question import REGRET
from dpbandits.results.tables import settings_table
from dpbandits.settings.compose import request_from
from dpbandits.settings.groups import names_in

GLOBAL = "# @package _global_\n"
MINE = {
    "env/mine.yaml": "defaults: [bernoulli_c2, _self_]\narms: 7\n",
    "env/gapped.yaml": "law: one_better\ngap: ${eps}\narms: 5\n",
    "env/outer.yaml": "defaults: ['/env@inlier': student_far, _self_]\n"
    "law: contaminated\nalpha: 0.1\noutlier: 0.0\nrelative: false\nstage: rewards\n",
    "experiment/twice.yaml": "# @package _global_\ndefaults: [/algo: dp_se]\n",
    "env/drawn.yaml": "defaults: [uniform_means, _self_]\ninstance: ${seed}\n",
    "algo/narms.py": "from dpbandits.authoring import kernel, pull, rounds_left\n\n\n"
    "@kernel\ndef narms(game, rng, m):\n    while rounds_left(game) > 0:\n        pull(game, 0)\n",
    "algo/narms.yaml": "m: ${env.arms}\n",
    "env/needed.yaml": "law: one_better\ngap: ???\narms: 5\n",
    "env/outside.yaml": "law: one_better\ngap: ${oc.decode:${oc.env:GAP}}\n"
    "arms: ${oc.decode:${oc.env:ARMS}}\n",
    "env/resolved.yaml": "law: one_better\ngap: ${tenth:3}\narms: 5\n",
    "env/numbers.yaml": "law: one_better\ngap: 0.1\narms: 010\n",
    "experiment/other.yaml": GLOBAL + "eps: 0.5\nruns: 3\nenv: {arms: 9}\n",
    "experiment/deep.yaml": GLOBAL
    + "defaults: [other, {optional sub: nothing}, _self_, override /algo: dp_se]\nruns: 4\n",
    "experiment/typo.yaml": GLOBAL + "epss: 1\n",
    "experiment/placed.yaml": "defaults: [override /algo: dp_ucb, _self_]\n",
    "experiment/titled.yaml": GLOBAL + "figure: {kind: time, title: 'T = ${horizon}'}\n",
    "all.yaml": "defaults: [config, _self_]\neps: 0.25\nhorizon: 77\n",
}


@pytest.fixture
def folder(here, monkeypatch):
    monkeypatch.setenv("GAP", "0.2")
    monkeypatch.setenv("ARMS", "6")
    write(here / "mine", MINE)
    return (str(here / "mine"),)


def settings(folder, line, file=None):
    *option, words = line.rpartition("-m ")
    return [
        setting
        for request in read_requests(words.split(), folder, REGRET, any(option), file)
        for setting in request.settings
    ]


@pytest.mark.parametrize(
    ("line", "same"),
    [
        ("env=mine", "env=bernoulli_c2 env.arms=7"),
        ("experiment=deep", "algo=dp_se eps=.5 env.arms=9"),
        ("experiment=deep algo=ucb eps=null", "algo=ucb env.arms=9"),
        ("env=gapped eps=.2", "env=one_better env.gap=.2 eps=.2"),
        ("-m env=gapped eps=.1,.2", "env=one_better env.gap=.2 eps=.2"),
        ("env=outside", "env=one_better env.gap=.2 env.arms=6"),
        ("env=needed env.gap=.3", "env=one_better env.gap=.3"),
        ("env=outer algo=prae_c",
         "env=contaminated env.inlier=student_far env.alpha=.1 algo=prae_c"),
        ("env=contaminated env@env.inlier=student_far algo=prae_c",
         "env=contaminated env.inlier=student_far algo=prae_c"),
        ("+eps=.5 ++seed=3", "eps=.5 seed=3"),
        ("eps=.5 ~eps", ""),
        ("experiment=azize2022_fig8 ~sweep", ""),
        ("env=numbers", "env=one_better env.gap=.1 env.arms=10"),
    ],
)  # fmt: skip
def test_files_and_words_of_hydra_are_the_keys_that_they_set(folder, line, same):
    found, wanted = settings(folder, line)[-1], settings((), same)[-1]
    assert found.env_spec == wanted.env_spec
    assert (found.algo, found.arguments, found.budget) == (
        wanted.algo,
        wanted.arguments,
        wanted.budget,
    )
    assert found.seed == wanted.seed


def test_references_follow_each_point_of_a_sweep(folder):
    """Mutation that it catches: the first point decides."""
    found = settings(folder, "-m env=gapped algo=dp_se eps=.1,.2,.4")
    assert [(s.budget, s.record["env_spec"]["gap"]) for s in found] == [
        (x, x) for x in (0.1, 0.2, 0.4)
    ]


def test_a_parameter_that_is_given_follows_each_point_of_a_sweep(folder):
    found = settings(folder, "-m algo=adap_ucb algo.alpha=${seed} seed=3,4")
    assert [s.parameters["alpha"] for s in found] == [3, 4]
    found = settings(folder, "-m algo=adap_ucb algo.alpha=2,${env.arms} env=mine env.arms=3,4")
    assert sorted(s.parameters["alpha"] for s in found) == [2, 2, 3, 4]
    assert all(s.columns["alpha"] == s.parameters["alpha"] for s in found)


@pytest.mark.slow
@pytest.mark.parametrize("key", ["horizon", "eps", "runs", "checkpoints", "jobs"])
def test_a_key_of_the_command_that_refers_to_one_that_varies_is_refused(folder, key):
    """Mutation that it catches: all settings get the value at the first point."""
    line = f"algo=adap_ucb {key}=${{seed}} seed"
    message = message_of(settings, folder, f"-m {line}=20,30")
    assert message == f"{key}=${{seed}}: {key} has one value, but refers to a key that varies"
    assert message_of(settings, folder, f"{line}=20 sweep={{seed:[20,30]}}")
    settings(folder, f"{line}=20")
    settings(folder, f"-m {line}=20 eps=1,2" if key != "eps" else f"-m {line}=20 horizon=5,6")


@pytest.mark.parametrize(
    ("line", "values"),
    [
        ("algo=dp_se env=one_better,bernoulli_c2 env.gap=${eps} eps=.1,.2",
         {"gap": [0.1, 0.2, None, None]}),
        ("env=uniform_means seed=3,4 env.instance=${seed},9", {"instance": [3, 9, 4, 9]}),
        ("env=uniform_means sweep={seed:[3,4],env.instance:['${seed}',9]}",
         {"instance": [3, 9, 4, 9]}),
        ("env=drawn,one_better seed=3", {"instance": [3, None], "gap": [None, 0.1]}),
        ("env=contaminated env.inlier=one_better,bernoulli_c2 env.inlier.arms=2,3 assume=true",
         {"inlier.arms": [2, 3, 2, 3], "inlier.gap": [0.1, 0.1, None, None]}),
        ("env=contaminated env.inlier=drawn,one_better seed=3 assume=true",
         {"inlier.instance": [3, None]}),
        ("env=contaminated,one_better env.inlier=drawn seed=3 assume=true",
         {"inlier.instance": [3, None], "gap": [None, 0.1]}),
    ],
)  # fmt: skip
def test_what_varies_is_played_as_it_is_written(folder, line, values):
    """Mutations that they catch: references at the first point or with defaults, and keys of an
    inlier that its file replaces.
    """
    words = f"-m {'' if 'algo=' in line else 'algo=ucb '}{line}"
    specs = [json.loads(s.env_spec) for s in settings(folder, words)]

    def value(spec, path):
        for name in path.split("."):
            spec = spec.get(name, {})
        return spec or None

    for path, wanted in values.items():
        assert sorted(map(str, (value(spec, path) for spec in specs))) == sorted(map(str, wanted))


def test_games_that_differ_in_a_reference_only_do_not_look_alike(folder):
    """Without privacy the budget does not tell them apart."""
    found = settings_table(settings(folder, "-m env=gapped algo=ucb,dp_se eps=.1,.2"))
    assert found["env.gap"].tolist() == [0.1, 0.2, 0.1, 0.2]
    assert found["eps"].tolist() == [np.inf, np.inf, 0.1, 0.2]


def test_columns_hold_the_values_to_which_references_refer(folder):
    line = "-m algo=dp_se env=one_better,bernoulli_c2 env.gap=${eps} eps=.1,.2"
    found = {(s.env, s.budget): s.columns.get("env.gap") for s in settings(folder, line)}
    assert found["one_better", 0.1] == 0.1 and found["one_better", 0.2] == 0.2
    assert found["bernoulli_c2", 0.2] is None


@pytest.mark.slow
def test_a_parameter_may_refer_to_the_environment_that_is_played(folder):
    """Mutation that it catches: the default environment is meant."""
    found = settings(folder, "-m env=uniform_means,one_better algo=narms env.arms=7,8")
    assert {json.loads(s.env_spec)["arms"] for s in found} == {7, 8}
    assert all(s.parameters["m"] == json.loads(s.env_spec)["arms"] for s in found)
    found = settings(folder, "-m env=uniform_means,one_better algo=narms")
    assert sorted(s.parameters["m"] for s in found) == [5, 10]
    line = "-m env=uniform_means,one_better algo=adap_ucb eps=${env.arms}"
    assert "eps has one value, but refers to a key" in message_of(settings, folder, line)
    alpha = dp.algorithm("adap_ucb", alpha="${env.arms}")
    (setting,) = request_of(REGRET, algo=alpha, env=dp.one_better(0.1, 7)).settings
    assert setting.parameters["alpha"] == 7


def request_of(question, **given):
    return request_from(question, given, {})


def test_two_environments_of_one_name_keep_their_own_values():
    """Mutations that they catch: the second takes values and references of the first."""
    law = {"law": "one_better", "gap": "${eps}", "arms": 3}
    found = request_of(REGRET, algo="dp_se", env=[law, "one_better"], eps=[0.1, 0.2]).settings
    specs = {(s.budget, x["arms"]): x["gap"] for s in found for x in [json.loads(s.env_spec)]}
    assert specs == {(0.1, 3): 0.1, (0.2, 3): 0.2, (0.1, 5): 0.1, (0.2, 5): 0.1}
    for env, part in [
        ([law | {"gap": 0.1}, {"law": "one_better", "gap": 0.2}], "env.arms is missing"),
        (["one_better", dp.environment("one_better", gap=0.2, label="L")], "without a label"),
    ]:
        assert part in message_of(request_of, REGRET, algo="dp_se", env=env)


@pytest.mark.parametrize("key", ["env", "population", "runs"])
def test_an_algorithm_takes_no_key_of_the_call(key):
    one = dp.algorithm("adap_ucb", **{key: "one_better"})
    for algo in one, [one, "ucb"]:
        assert f"{key} is a key of the call" in message_of(request_of, REGRET, algo=algo)


def test_a_resolver_of_the_user(folder):
    OmegaConf.register_new_resolver("tenth", lambda x: x / 10, replace=True)
    (setting,) = settings(folder, "env=resolved")
    assert json.loads(setting.env_spec)["gap"] == 0.3


def test_a_missing_file_of_all_keys_is_refused_with_the_nearest(folder):
    message = message_of(settings, folder, "env=mine", "al")
    assert message == "--config-name al: there is no file al.yaml; did you mean all?"


def test_a_printed_configuration_is_no_file_of_all_keys(
    folder,
):
    Path(folder[0], "job.yaml").write_text("defaults: [override /algo: dp_se, _self_]\n")
    assert "experiment=NAME" in message_of(settings, folder, "env=mine", "job")


def test_a_file_of_all_keys(folder):
    (setting,) = settings(folder, "env=mine", "all")
    assert (setting.budget, setting.horizon, setting.env) == (0.25, 77, "mine")


@pytest.mark.parametrize(
    ("line", "parts"),
    [
        ("env=needed", ["env.gap=???: a value is needed; write env.gap=VALUE"]),
        ("experiment=typo", ["unknown key 'epss'", "did you mean eps?"]),
        ("experiment=placed", ["begins with '# @package _global_'", "overrides /algo"]),
        ("experiment=titled", ["figure.title=T = ${horizon}: ", "write the value itself"]),
        ("experiment=twice", ["Multiple values for algo", "overrides /algo, with a slash"]),
        ("eps=${oc.env:NOPE}", ["eps: \"Environment variable 'NOPE' not found\""]),
        ("eps=${horizn}", ["${horizn}: there is no key horizn; did you mean horizon?"]),
        ("env.arm=3", ["unknown key 'env.arm'", "did you mean env.arms?"]),
        ("experiment.eps=3", ["unknown key 'experiment.eps'"]),
        ("+epss=3", ["unknown key 'epss'", "did you mean eps?"]),
        ("~epss", ["~epss: there is no key epss"]),
        ("~horizon=7", ["~horizon=7: ", "leave out the value"]),
        ("~algo", ["~algo: algo cannot be removed; algo=NAME chooses another file"]),
        ("env=minee", ["unknown env 'minee'", "did you mean mine?"]),
        ("hydra/launcher=joblib", ["jobs=N"]),
        ("hydra.launcher.n_jobs=3", ["jobs=N"]),
        ("hydra/sweeper=optuna", ["-m KEY=A,B"]),
        ("hydra.sweep.dir=x", ["results=DIR"]),
        ("hydra.run.dir=x", ["results=DIR"]),
        ("hydra.job.chdir=true", ["results=DIR"]),
        ("hydra.verbose=true", ["bandit-status"]),
        ("hydra.searchpath=[x]", ["--config-dir DIR"]),
        ("-m eps=interval(0,1)", ["eps=range(0,1)"]),
    ],
)
def test_what_has_another_name_or_is_wrong_is_answered_in_one_line(folder, line, parts):
    message = message_of(settings, folder, line)
    assert all(part in message for part in parts), message


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("defaults: [override /hydra/launcher: joblib]", ["hydra/launcher", "jobs=N"]),
        ("defaults: [{override hydra/sweeper: optuna}]", ["hydra/sweeper", "-m KEY=A,B"]),
        ("defaults: [/hydra/launcher/joblib]", ["hydra/launcher", "jobs=N"]),
        ("hydra: {launcher: {n_jobs: 2}}", ["hydra.launcher.n_jobs", "jobs=N"]),
        ("hydra: {sweeper: {params: {eps: 1}}}", ["hydra.sweeper.params", "-m KEY=A,B"]),
        ("hydra: {verbose: true}", ["hydra.verbose", "bandit-status"]),
        ("hydra:", ["Hydra's own settings"]),
    ],
)
def test_keys_of_hydra_in_a_file_are_answered_in_one_line(folder, text, parts):
    write(Path(*folder), {"experiment/own.yaml": f"# @package _global_\n{text}\n"})
    message = message_of(settings, folder, "experiment=own")
    assert all(part in message for part in ["own.yaml", *parts]), message


@pytest.mark.parametrize(
    ("option", "part"),
    [
        ("--shell-completion", "--completion bash"),
        ("-sc", "--completion bash"),
        ("-p", "--cfg job"),
        ("--package=x", "--cfg job"),
        ("--hydra-help", "--help"),
        ("--resolve", "--cfg job"),
        ("--config-path=x", "--config-dir DIR"),
        ("--experimental-rerun=x", "plays the missing runs"),
    ],
)
def test_options_of_hydra_are_answered_in_one_line(refused, option, part):
    from dpbandits.cli import run

    assert part in refused(run, [option])


def again(words, folders=()):
    """The settings of the experiment that ``--cfg job`` prints, and those of the words."""
    (request,) = read_requests(words, folders, multirun=True)
    text = GLOBAL + OmegaConf.to_yaml(OmegaConf.create(request.experiment_file))
    write(Path("printed"), {"experiment/again.yaml": text})
    file = str(Path("printed").resolve())
    (same,) = read_requests(["experiment=again"], (file, *folders))
    return [s.id for s in request.settings], [s.id for s in same.settings]


@pytest.mark.parametrize(
    "line",
    [
        "algo=dp_se eps=.5 env.arms=3 horizon=100",
        "env=contaminated env.inlier=student_far algo=prae_c horizon=100",
        "env=wu_raw algo=prae_r assume=true",
        "env=contaminated sweep={env.inlier:[student_far,bernoulli_c1]} algo=prae_c assume=true",
        "algo=heldp_ucb_b population=clipped_normal eps_min=1 population.mean=3",
        "sweep={algo:[ucb,dp_se],eps:[1,2]} env.label=Coins",
        "env=one_better env.gap=${eps} eps=.1,.2 algo=dp_se",
        "algo=adap_ucb algo.alpha=${seed} seed=3,4 horizon=${runs}",
    ],
)
def test_what_is_printed_composes_back(here, line):
    found, same = again(line.split())
    assert found == same


@pytest.mark.slow
@pytest.mark.parametrize(
    "text",
    [
        "defaults: [override /env: one_better, override /algo: dp_se, _self_]\n"
        "sweep: [{eps: [.1,.2], env.arms: [2,3]}, {eps: [1], algo: [dp_se,adap_ucb]}]\n",
        "env: {arms: 3}\nalgo: {alpha: 4}\n"
        "sweep: {env: [one_better,bernoulli_c3], algo: [adap_klucb,adap_ucb], eps: [1]}\n",
        "defaults: [override /env: contaminated, override /algo: ucb, _self_]\nassume: true\n"
        "sweep: {env.inlier: [one_better, bernoulli_c2], env.inlier.arms: [3, 4]}\n",
    ],
)
def test_an_experiment_of_the_user_is_printed_and_composes_back(here, text):
    """Mutations that they catch: the choice of a group that some grids vary is not printed; values
    for all choices of a group that varies are not printed.
    """
    write(here / "mine", {"experiment/first.yaml": GLOBAL + "horizon: 9\n" + text})
    found, same = again(["experiment=first"], (str(here / "mine"),))
    assert found == same


def test_a_law_in_place_of_a_file_is_printed_and_composes_back(here):
    law = "env.inlier={law:bernoulli,means:[.2,.3]}"
    found, same = again(["env=contaminated", law, "assume=true", "algo=ucb"])
    assert found == same


@pytest.mark.long
@pytest.mark.parametrize("name", names_in("experiment"))
def test_every_experiment_is_printed_and_composes_back(here, name):
    found, same = again([f"experiment={name}"])
    assert found == same
