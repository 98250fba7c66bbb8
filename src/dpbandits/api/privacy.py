"""Audit privacy guarantees, and find the privacy budget that is needed for a given regret."""

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

# Some arguments of ``budget``: OF_RULES are only for stopping rules, and OF_SEARCH control the
# search. All others are keys of runs
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
    """Find the smallest privacy budget at which the mean regret is small enough. The goal is a
    number, or a multiple of the mean regret of a baseline.

    For stopping rules, the goal is a number of samples, or a multiple of the samples that are
    needed without privacy. With ``eps=[...]``, the function only computes the numbers of samples at
    these budgets.

    At each budget, the search adds runs until a test decides whether the mean regret is above or
    below the goal. The search bisects the range of budgets until the interval of the answer is as
    narrow as ``precision`` requires, or until ``runs`` runs at a budget do not decide. With
    probability 95 %, the interval contains the true answer (docs/comparing.md).

    >>> import dpbandits as dp
    >>> found = dp.budget("dp_se", "bernoulli_c2", 1e4, ratio=2, precision=2, runs=512)
    >>> bool(found.loc[0, "low"] <= found.loc[0, "budget"] <= found.loc[0, "high"])
    True

    The next example shows how many more samples an A/B test needs for privacy. The test decides
    whether the mean of an arm is 0.3 or 0.5.

    >>> given = {"mu0": 0.3, "mu1": 0.5, "eps": [0.5, 1.0, 2.0], "per_week": 1000, "runs": 50}
    >>> found = dp.budget(rule="dp_sprt", env=dp.bernoulli([0.3]), **given)
    >>> bool((found["samples"].diff().dropna() < 0).all())
    True

    Args:
        algo: an algorithm, or a list of algorithms, as in ``run``.
        rule: instead of ``algo``, a stopping rule or a list of rules, as in ``stop``.
        env: one environment.
        horizon: number of rounds, T.
        regret: the goal: the largest allowed mean regret at the horizon.
        samples: the goal for rules: the largest allowed mean number of samples.
        ratio: instead of ``regret``, the largest allowed ratio of the mean regret to the mean
            regret of the baseline. For rules, instead of ``samples``, the largest allowed ratio of
            the samples to the samples without privacy.
        quantile: for rules, the quantile of the number of samples to use in place of the mean.
        per_week: for rules, the number of users per week; answers are then also given in weeks.
        weeks: with ``eps=[...]`` and ``per_week``, the number of weeks after which runs are
            stopped; 26 by default.
        baseline: for ``ratio``, the name of an algorithm without privacy; None to compare each
            algorithm with itself without privacy.
        beats: instead of ``regret`` and ``ratio``, ``constant`` or ``uniform``. The answer is the
            smallest budget at which runs show, with probability 95 %, that the algorithm makes
            fewer mistakes on labelled data than the best constant action, or than uniform play.
        least: the smallest budget that is tried; .001 by default, and .1 with ``beats``.
        most: the largest budget that is tried; 1000 by default, and 100 with ``beats``.
        precision: the requested ratio of the upper to the lower end of the interval; 1.25 by
            default.
        runs: the largest number of runs at one budget; 2048 by default, and 200 with ``eps=[...]``.
        seed: as in ``run``.
        shuffle_arms: as in ``run``.
        assume: whether to run even if assumptions are violated that are needed only for regret
            bounds.
        jobs: number of workers.
        backend: ``threads``, ``processes`` or ``auto``.
        results: folder in which finished runs are stored and found.
        config_dir: as in ``run``.
        **parameters: parameters of the algorithm or rule. Rules also take ``arm``, ``cap``, keys
            that define a correct answer, such as ``mu0``, and ``eps=[...]``.

    Returns:
        For rules with ``eps=[...]``, a table with a row for each rule and budget. The first columns
        are the parameters in which rules of one name differ, and the keys that define a correct
        answer. ``samples`` is the mean number of samples, with its 95 % interval; ``slow`` is the
        90 % quantile, and ``weeks`` the mean in weeks. ``ended`` is the share of runs that ended
        before the cap, and ``wrong`` the share of runs with a wrong answer (blank if answers cannot
        be judged). ``agree`` is the share of runs whose answer equals the answer without privacy on
        the same rewards (blank for estimates). ``without_privacy`` is the mean number of samples
        without privacy, and ``free_ended`` the share of these runs that ended. ``answer`` is a
        sentence. A run that did not end counts with its rounds up to the cap. If a run did not end,
        the true mean is at least the value of ``samples``, and there is no interval.

        For algorithms, and for rules without ``eps``, a row for each algorithm or rule: ``algo`` or
        ``rule``, and the parameters in which algorithms of one name differ. ``budget`` is the
        budget that is needed, with its interval from ``low`` to ``high``, and ``reached`` says
        whether a budget reaches the goal. ``name`` is the name of the budget, ``eps`` or ``rho``.
        Further columns are ``env, horizon, goal, baseline``, the ``runs`` and ``seconds`` of the
        search, and the ``answer`` as a sentence. ``budget`` is the point between ``low`` and
        ``high`` at which the means cross the goal. With ``beats``, ``budget`` equals ``high``: the
        runs show that the algorithm makes fewer mistakes than the reference at ``high``, but more
        mistakes at ``low``. If the smallest tried budget reaches the goal, ``low`` is 0. If no
        budget reaches the goal, ``budget`` is blank.

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
    """Return the table of ``budget`` about algorithms or, if ``group`` is ``rule``, about rules.

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
    """Audit the privacy guarantee of an algorithm: replay the noise of its proof, and measure a
    lower bound on its privacy loss.

    The audit plays the algorithm on two sequences of rewards that differ in one reward, and
    searches for an event that distinguishes the two. docs/privacy_limits.md says what an audit
    proves.

    Args:
        algo: an algorithm, as in ``run``. If a function declares no ``rewards`` (see ``algorithm``)
            and does not truncate them, the verdict is *undecided*.
        rule: instead of ``algo``, a stopping rule.
        mechanism: instead of ``algo``, the name of a release (a private mechanism).
        policy: instead of ``algo``, an external policy: a class in plain Python for rewards in [0,
            1], as in ``run``. ``policy(arms=K, horizon=T, eps=eps, rng=generator)`` returns an
            object with ``choose() -> int`` and ``receive(arm, reward)``. Other names of ``choose``
            and ``receive`` are possible (docs/own_class.md). Instead of the two methods, the object
            may have a method ``play(pull)`` with its own loop, which calls ``pull(arm) -> reward``.
            The policy may also draw random numbers from the functions of ``numpy.random`` and
            ``random``; seeds that it sets take effect. The audit replays the noise of the policy.
            The audit samples the actions if a replay fails, or if the policy makes choices whose
            probabilities depend on rewards. The verdict is *consistent* only if every replay
            succeeded, else *VIOLATED* or *undecided*. A class with a ``GUARANTEE``, with
            ``REWARDS``, or with the budget rho is audited like an algorithm in a file.
        local: whether a policy promises local privacy, which protects the response of each user. A
            policy with local privacy adds noise to each reward as soon as it receives the reward.
            If ``local`` is false, the policy promises that the sequence of its actions is private.
            If a replay fails, the audit samples responses and actions.
        eps: the budget, or a list of budgets.
        rho: the budget, or a list of budgets, of a promise of rho-zCDP.
        horizon: the number of rounds of the games, or a list of numbers; None for several small
            numbers.
        exact: whether to compute the exact privacy loss of the actions instead
            (docs/exact_loss.md).
        arms: the number of arms of the games, or a list of numbers. None stands for several
            numbers, but for 2 in an exact loss.
        runs: the largest number of runs of a test on each of two neighbouring sequences of rewards;
            None for a number that is enough in most cases.
        confidence: the probability with which a measured loss is at most the true loss.
        seed: the seed of the audit. The seed and the arguments above determine a finding.
        max_time: seconds after which the audit stops, divided among the budgets. An unfinished row
            has the findings so far, and its verdict is *VIOLATED* or *undecided*.
        jobs: number of workers, -1 for one per core.
        results: folder in which findings from samples are stored; None to write nothing.
        config_dir: as in ``run``.
        **parameters: parameters of the algorithm or the policy. A rule also takes keys that define
            a correct answer, such as ``rel_error``.

    Returns:
        A row for each budget, and for local privacy a second row for the response of a user.
        ``measured`` is a lower confidence bound on the privacy loss, and ``promised`` is the
        promised loss, both in the ``unit`` eps (or mu for zCDP and RDP). ``detectable`` is the
        smallest true loss at which the runs would have refuted the promise, as a multiple of the
        promised loss. Further columns are the neighbouring sequences and the event; how many
        ``replays`` of the alignment were ``aligned``; and the horizons and numbers of arms that
        were ``tried``. The ``verdict`` is VIOLATED, MISALIGNED, undecided, consistent or proved
        (docs/privacy.md). With ``exact``, a row for each budget and horizon. The exact loss lies
        between ``low`` and ``high``.

    Raises:
        BadInput: the audit is not possible, an exact loss cannot be computed, or scikit-learn (for
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
    stores = results is not None and policy is None  # the audit of a policy refuses ``results``
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
    """Refuse a misspelt argument of ``audit``: a name that resembles an argument and is no
    parameter (``takes``) of the audited algorithm, rule or policy.
    """
    known = _arguments()
    for name in given:
        near = MEANT.get(name) in known or similar(name, known, SURE_SIMILARITY)
        if near and name not in takes:
            raise unknown("argument", name, known)
