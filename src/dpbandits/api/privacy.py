"""Audit a privacy guarantee, and find the privacy budget that a goal for the regret needs."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from os import PathLike
from typing import TYPE_CHECKING, Any

from ..calls import checks_arguments
from ..errors import MEANT, SURE_SIMILARITY, BadInput, similar, unknown

if TYPE_CHECKING:
    import pandas as pd

    from ..contracts.algorithm import Algorithm
    from .arguments import AlgorithmLike, EnvironmentLike

# Arguments of ``budget``: OF_RULES are for stopping rules only, and OF_SEARCH control the search.
# All other arguments are keys of runs
OF_RULES = ("samples", "quantile", "per_week", "weeks")
OF_SEARCH = ("regret", "ratio", "baseline", "beats", "least", "most", "precision", "runs")


@checks_arguments
def budget(
    algo: AlgorithmLike | Sequence[AlgorithmLike] | None = None,
    env: EnvironmentLike | None = None,
    horizon: float | None = None,
    *,
    rule: AlgorithmLike | Sequence[AlgorithmLike] | None = None,
    regret: float | None = None,
    samples: float | None = None,
    ratio: float | None = None,
    quantile: float | None = None,
    per_week: float | None = None,
    weeks: float | None = None,
    baseline: AlgorithmLike | None = None,
    beats: str | None = None,
    least: float | None = None,
    most: float | None = None,
    precision: float | None = None,
    runs: int | None = None,
    seed: int | None = None,
    shuffle_arms: bool | None = None,
    assume: bool | None = None,
    jobs: int | None = None,
    backend: str | None = None,
    results: str | PathLike[str] | None = None,
    config_dir: str | PathLike[str] | None = None,
    **parameters: Any,
) -> pd.DataFrame:
    """Find the smallest privacy budget at which the mean regret is small enough: at most a number,
    or at most a multiple of the regret of a baseline.

    For stopping rules, find the smallest budget at which the mean stopping time is at most a
    number, or at most a multiple of the time without privacy. With ``eps=[...]``, compute the
    stopping times at these budgets instead.

    At each budget, the search adds runs until the mean regret is above or below the goal with
    confidence. The search bisects the budgets until the interval is as narrow as ``precision``
    requires, or until ``runs`` runs at a budget do not suffice. The interval holds with probability
    95 % (docs/comparing.md).

    >>> import dpbandits as dp
    >>> found = dp.budget("dp_se", "bernoulli_c2", 1e4, ratio=2, precision=2, runs=512)
    >>> bool(found.loc[0, "low"] <= found.loc[0, "budget"] <= found.loc[0, "high"])
    True

    How many more samples does privacy cost an A/B test, which decides whether the mean of an arm is
    0.3 or 0.5?

    >>> given = {"mu0": 0.3, "mu1": 0.5, "eps": [0.5, 1.0, 2.0], "per_week": 1000, "runs": 50}
    >>> found = dp.budget(rule="dp_sprt", env=dp.bernoulli([0.3]), **given)
    >>> bool((found["samples"].diff().dropna() < 0).all())
    True

    Args:
        algo: an algorithm, or several, as in ``run``.
        rule: instead of ``algo`` a stopping rule, or several, as in ``stop``.
        env: one environment.
        horizon: number of rounds, T.
        regret: the largest mean regret at the horizon.
        samples: for rules, the largest mean number of samples.
        ratio: instead of ``regret``, the largest ratio of the mean regret to the mean regret of the
            baseline; instead of ``samples``, the largest ratio of the samples to the samples
            without privacy.
        quantile: for rules, the quantile of the number of samples that replaces the mean.
        per_week: for rules, the number of users per week, so that answers are also in weeks.
        weeks: for the sheet of rules with ``per_week``, the weeks after which runs are cut; 26 by
            default.
        baseline: for ``ratio``, an algorithm without privacy; None to compare each algorithm with
            itself without privacy.
        beats: instead of ``regret`` and ``ratio``, ``constant`` or ``uniform``: find the smallest
            budget whose runs show, with 95 %, that the algorithm makes fewer mistakes about
            labelled users than the best constant action, or than uniform play.
        least: the smallest budget that is tried; .001 by default, and .1 with ``beats``.
        most: the largest budget that is tried; 1000 by default, and 100 with ``beats``.
        precision: the ratio of the ends of the requested interval; 1.25 by default.
        runs: independent runs at one budget, at most; 2048 by default, and 200 for a sheet.
        seed: as in ``run``.
        shuffle_arms: as in ``run``.
        assume: whether to run although assumptions that only regret bounds need do not hold.
        jobs: number of workers.
        backend: ``threads``, ``processes`` or ``auto``.
        results: folder in which finished runs are stored and found.
        config_dir: as in ``run``.
        **parameters: parameters of the algorithm or rule; for rules also ``arm``, ``cap``, the
            keys by which answers are judged, such as ``mu0``, and ``eps=[...]`` for a sheet.

    Returns:
        For rules with ``eps=[...]``, a sheet with a row for each rule and budget. Its first columns
        are the parameters that distinguish rules of one name, and the keys by which answers are
        judged. ``samples`` is the mean number of samples, with its 95 % interval; ``slow`` is the
        90 % quantile, and ``weeks`` the mean in weeks. ``ended`` is the share of runs that ended,
        and ``wrong`` the share of runs with a wrong answer (blank if no answer is judged).
        ``agree`` is the share of runs whose answer equals the answer without privacy on equal
        rewards (blank for estimates). ``without_privacy`` is the mean number of samples without
        privacy, and ``free_ended`` the share of these runs that ended. ``answer`` is a sentence. A
        run that was cut counts with the rounds that it had. If a run was cut, the true mean is at
        least the value of ``samples``, and there is no interval.
        For algorithms, and for rules without ``eps``, a row for each algorithm or rule: ``algo`` or
        ``rule``, and the parameters that distinguish algorithms of one name; ``budget`` with its
        interval from ``low`` to ``high``; ``reached``, whether a budget reaches the goal; ``name``
        (``eps`` or ``rho``), ``env, horizon, goal, baseline``; the ``runs`` and ``seconds`` of the
        search; the ``answer`` as a sentence. Between the ends, ``budget`` is where the means cross
        the goal. With ``beats``, ``budget`` equals ``high``: the runs show that the algorithm beats
        the line at ``high``, and does not beat it at ``low``. If the smallest budget that was tried
        reaches the goal, ``low`` is 0; if no budget reaches the goal, ``budget`` is blank.

    Raises:
        BadInput: a value cannot be run; the message names the value and the allowed values.
        RunsFailed: an algorithm raised an error.
    """
    given = locals()
    for key in ("algo", "rule", "config_dir", "parameters"):
        del given[key]

    from ..contracts.question import GOALS
    from ..settings.choices import all_of, plain_data
    from ..settings.user_files import user_folders

    if algo is not None and rule is not None:
        raise BadInput("algo and rule: give only one of the two")
    if algo is None and rule is None:
        raise BadInput("either algo=NAME or rule=NAME is needed")
    if env is None:
        raise BadInput("env=NAME is needed")
    group, chosen = ("algo", algo) if rule is None else ("rule", rule)
    if group == "rule":
        of_runs = [key for key in parameters if key in {*GOALS, "eps", "arm", "cap"}]
        given |= {key: parameters.pop(key) for key in of_runs}
    keys = {k: x if k in ("env", "baseline") else plain_data(k, x) for k, x in given.items()}
    folders = user_folders(config_dir, "config_dir")
    return answers_of(group, all_of(group, chosen), keys, parameters, folders)


def answers_of(
    group: str,
    names: Sequence[Any],
    keys: Mapping[str, Any],
    parameters: Mapping[str, Any],
    folders: tuple[str, ...],
) -> pd.DataFrame:
    """Return the answer of ``budget`` about algorithms, or about rules if the group is ``rule``.

    Args:
        group: ``algo`` or ``rule``.
        names: the algorithms or rules.
        keys: the other arguments by their names; None for a default.
        parameters: parameters of the algorithms or rules.
        folders: the user's configuration folders.
    """
    from ..decisions.budget import budgets_needed
    from ..decisions.cost import cost_of_rules

    if group == "rule":
        return cost_of_rules(names, keys, parameters, folders)
    for key in OF_RULES:
        if keys.get(key) is not None:
            raise BadInput(f"{key}: this key needs rule=NAME")
    search = {key: keys[key] for key in OF_SEARCH if keys.get(key) is not None}
    # so that the error for a misspelt parameter may also suggest a key of the search
    of_runs = {key: x for key, x in keys.items() if key not in OF_RULES}
    of_runs |= dict.fromkeys(OF_SEARCH)
    return budgets_needed(names, of_runs, parameters, folders, **search)


@checks_arguments
def audit(
    algo: AlgorithmLike | None = None,
    *,
    rule: AlgorithmLike | None = None,
    mechanism: str | None = None,
    policy: Callable[..., Any] | None = None,
    local: bool = False,
    eps: float | Sequence[float] | None = None,
    rho: float | Sequence[float] | None = None,
    horizon: int | Sequence[int] | None = None,
    exact: bool = False,
    arms: int | Sequence[int] | None = None,
    runs: int | None = None,
    confidence: float | None = None,
    seed: int | None = None,
    max_time: float | None = None,
    jobs: int | None = None,
    results: str | PathLike[str] | None = None,
    config_dir: str | PathLike[str] | None = None,
    **parameters: Any,
) -> pd.DataFrame:
    """Audit the guarantee of an algorithm: replay its proof, and bound its privacy loss from below.

    The audit plays the algorithm on sequences of rewards that differ in one reward, and searches
    for an event that distinguishes them. docs/privacy_limits.md says what an audit proves.

    Args:
        algo: an algorithm, as in ``run``. The verdict on a function that declares no ``rewards``
            (see ``algorithm``) and does not truncate rewards is *undecided*.
        rule: a stopping rule instead.
        mechanism: the name of a release instead.
        policy: an external policy instead: a class in plain Python, for rewards in [0, 1]. ``run``
            plays such policies, too. ``policy(arms=K, horizon=T, eps=eps, rng=generator)`` returns
            an object with ``choose() -> int`` and ``receive(arm, reward)``. These methods may have
            other names (docs/own_class.md). Instead of them, the object may have its own loop
            ``play(pull)``, which calls ``pull(arm) -> reward``. The policy may also draw random
            numbers from the functions of ``numpy.random`` and ``random``; if the policy sets their
            seed, the seed takes effect. The audit replays the noise of the policy, and samples its
            actions if the replays show no privacy, or if the policy makes choices with
            probabilities that depend on rewards. The verdict is *consistent* only if every replay
            succeeded, else *VIOLATED* or *undecided*. A class with a ``GUARANTEE``, with
            ``REWARDS``, or with the budget rho is audited as an algorithm, as in its file.
        local: whether a policy promises local privacy: that the response of each user is private.
            Such a policy adds noise to each reward as soon as it receives the reward. If ``local``
            is false, the policy promises that all its actions are private. If a replay fails, the
            audit samples responses and actions.
        eps: the budget, or a list of budgets.
        rho: the budget, or a list of budgets, of a promise of rho-zCDP.
        horizon: rounds of the games, or a list; None for several, as long as they are cheap.
        exact: compute the exact loss of an algorithm's actions instead (docs/exact_loss.md).
        arms: the number of arms of the games, or a list; None for several, 2 for an exact loss.
        runs: the largest number of runs of a test under each of two neighbouring sequences of
            rewards; None for a number that is enough in most cases.
        confidence: the probability that a measured loss does not exceed the true loss.
        seed: the seed of the audit, which determines a finding together with the arguments above.
        max_time: seconds, divided among the budgets, after which the audit stops. A row that is not
            finished then contains the findings so far. Its verdict is *VIOLATED* or *undecided*.
        jobs: number of workers, -1 for one per core.
        results: folder in which findings of samples are stored; None to write nothing.
        config_dir: as in ``run``.
        **parameters: parameters of the algorithm or of the policy; for a rule also the keys by
            which its answers are judged, such as ``rel_error``.

    Returns:
        A row for each budget, and for local privacy a second row for the response of a user:
        ``measured``, the lower confidence bound on the privacy loss, and ``promised``, both in the
        ``unit`` eps, or mu for zCDP and RDP; ``detectable``, the smallest true loss, as a multiple
        of the promised loss, at which the runs would have refuted the promise; the neighbouring
        sequences and the event; how many ``replays`` of the alignment were ``aligned``; the
        horizons and numbers of arms that were ``tried``; and the ``verdict``, one of VIOLATED,
        MISALIGNED, undecided, consistent and proved (docs/privacy.md). With ``exact``, a row for
        each budget and horizon, with ``low`` and ``high``, between which the loss lies.

    Raises:
        BadInput: something cannot be audited, an exact loss is out of reach, or scikit-learn (for
            exact losses python-flint) is not installed.
    """
    given = locals()
    for key in ("algo", "rule", "policy", "local", "config_dir", "parameters"):
        del given[key]

    import pandas as pd

    from ..audit.external.policy import claimed
    from ..audit.findings import findings_of
    from ..audit.requests import requested, seconds_of
    from ..contracts.question import GOALS
    from ..files import check_writable
    from ..policies import parameters_of
    from ..settings.choices import algorithm_of, plain_data
    from ..settings.groups import default_keys
    from ..settings.user_files import user_folders
    from ..validation import folder as folder_of
    from ..validation import yes_no

    a_class = algo if policy is None else policy
    if isinstance(a_class, type) and None in (algo, policy):
        takes_rho = {"rho", "eps"} & parameters_of(a_class).keys() == {"rho"}
        as_algorithm = takes_rho or {"GUARANTEE", "REWARDS"} & vars(a_class).keys()
        algo, policy = (a_class, None) if as_algorithm else (None, a_class)
    goal = {k: v for k, v in parameters.items() if rule is not None and k in GOALS}
    own = {k: v for k, v in parameters.items() if k not in goal}
    values = {k: plain_data(k, v) for k, v in {**given, **goal}.items() if v is not None}
    if yes_no("local", local) and policy is None:
        raise BadInput(
            "local=True: only a policy needs this key; an algorithm declares its promise"
        )
    config = {**default_keys("audit"), "results": None, **values, "algo": algo, "rule": rule}
    group, chosen = ("rule", rule) if rule is not None else ("algo", algo)
    keys = {f"{group}.{name}" for name in own}
    made: Algorithm | None = None
    spec: dict[str, Any] = {}
    if policy is not None:
        others = {"algo": algo, "rule": rule, "config_dir": config_dir}
        _refuse_misspelt(own, parameters_of(policy) if callable(policy) else own)
        keys = {*values, *(k for k, v in others.items() if v is not None)}
        made = claimed(policy, local, own)
    elif chosen is not None:
        made, spec = algorithm_of(chosen, group, own, user_folders(config_dir, "config_dir"))
        _refuse_misspelt(own, made.domains)
        config[group] = made.name
    elif own and mechanism is None:
        raise unknown("argument", next(iter(own)), _arguments())
    elif own:
        raise BadInput(f"mechanism={mechanism}: the mechanism has no parameter {next(iter(own))}")
    stores = results is not None and policy is None  # an audit of policies refuses ``results``
    folder = folder_of("results", results) if stores else None
    if folder is not None:
        check_writable(folder)
    audits = requested(config, keys, made, spec)
    rows = []
    for _, found in findings_of(audits, folder and folder / "audits", seconds_of(config)):
        if isinstance(found, Exception):
            raise found
        rows.append(found)
    return pd.DataFrame(rows).drop(columns="witness", errors="ignore")


def _arguments() -> set[str]:
    """Return the names of the arguments of ``audit``."""
    from inspect import signature

    return {*signature(audit).parameters} - {"parameters"}


def _refuse_misspelt(given: Iterable[str], takes: Collection[str]) -> None:
    """Refuse a misspelt argument of ``audit``: a given name that resembles an argument and that is
    not a parameter of the audited algorithm, rule or policy (``takes``).
    """
    known = _arguments()
    for name in given:
        near = MEANT.get(name) in known or similar(name, known, SURE_SIMILARITY)
        if near and name not in takes:
            raise unknown("argument", name, known)
