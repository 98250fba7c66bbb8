"""Privacy guarantees of algorithms, as data."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from .alignments import Alignment
from .gaussian_dp import delta_of_noise, eps_of_noise

Curator = Callable[..., float]  # (rng, reward, eps)
Aligned = Alignment | None  # None if no alignment is declared
Values = Mapping[str, float]  # of an algorithm's parameters, by name

ONE_REWARD = "when one reward differs"
ANY_TWO_REWARDS = "between any two rewards"
ONE_ROUND = "when the contexts and the reward of one round differ"
ANY_TWO_ROUNDS = "between any two rounds"
ACTIONS = "all actions"
RESPONSE = "each user's response"
OTHER_ACTIONS = "the actions of all other rounds"
MESSAGE = "each user's message"
SUMS = "every sum that the server sees"
STOPPING = "stopping time and estimate"
STOPPING_AND_ANSWER = "all actions, stopping time and answer"
DELTA = 1e-6  # the delta at which conversions to (eps, delta)-DP are printed


def all_of_eps(values: Values) -> float:
    """The privacy loss is the parameter eps."""
    return values["eps"]


def nothing_hidden(values: Values) -> float:
    """The privacy loss is unbounded."""
    return math.inf


@dataclass(frozen=True)
class Gaussian:
    """What Gaussian or Skellam noise guarantees: concentrated or Renyi DP, without pure DP."""

    # the parameters that the guarantee consists of, in the order of its notation
    letters: tuple[str, ...]
    # the rho of zCDP as a function of the parameters: half of the squared ratio of sensitivity and
    # standard deviation
    rho: Callable[[Values], float]
    formula: str  # the eps of (eps, delta)-DP, for every delta in (0, 1)
    epsilon: Callable[[Values, float], float]  # this eps as a function of the parameters and delta
    source: str  # who proves the conversion

    def mu(self, values: Values) -> float:
        """The mu of Gaussian DP: the ratio of sensitivity and standard deviation."""
        return math.sqrt(2.0 * self.rho(values))

    def conversion(self, values: Values) -> str:
        """The conversion to (eps, delta)-DP, with a number if all parameters have a value."""
        known = values.keys() >= set(self.letters)
        number = f" = {self.epsilon(values, DELTA):.4g} at delta = {DELTA:g}" if known else ""
        return f"(eps', delta)-DP with eps' = {self.formula}{number} ({self.source})"


ZCDP = Gaussian(
    ("rho",),
    lambda values: values["rho"],
    "rho + 2 sqrt(rho ln(1/delta))",
    lambda values, delta: values["rho"] + 2.0 * math.sqrt(values["rho"] * math.log(1.0 / delta)),
    "Bun & Steinke 2016, Proposition 1.3",
)
RDP = Gaussian(
    ("order", "eps"),
    lambda values: values["eps"] / values["order"],
    "eps + ln(1/delta)/(order - 1)",
    lambda values, delta: values["eps"] + math.log(1.0 / delta) / (values["order"] - 1.0),
    "Mironov 2017, Proposition 3",
)


def skellam_rho(values: Values) -> float:
    """The rho for which Skellam noise has a Renyi divergence of at most a rho at every integer
    order a: what is more than a eps^2/2 is at most 3 eps/(2 s), and a is at least 2.
    """
    return values["eps"] ** 2 / 2.0 + 0.75 * values["eps"] / values["s"]


def of_integer_orders(values: Values, delta: float) -> float:
    """The eps of (eps, delta)-DP: the least a rho + ln(1/delta)/(a - 1) over integers a > 1."""
    rho, l = skellam_rho(values), math.log(1.0 / delta)
    best = math.floor(1.0 + math.sqrt(l / rho))
    return min(a * rho + l / (a - 1) for a in (max(best, 2), best + 1))


SKELLAM = Gaussian(
    ("eps", "s"),
    skellam_rho,
    "min over integers a > 1 of a rho + ln(1/delta)/(a - 1), rho = eps^2/2 + 3 eps/(4 s)",
    of_integer_orders,
    "Mironov 2017, Proposition 3",
)


@dataclass(frozen=True)
class ExactCurve(Gaussian):
    """The exact delta(eps) of Gaussian noise that was chosen for an (eps, delta): it may give less
    than what is promised, or more.
    """

    def conversion(self, values: Values) -> str:
        """The noise that is used, and its delta at the promised eps."""
        try:
            mu, eps, delta = self.mu(values), values["eps"], values["delta"]
        except KeyError:  # a parameter has no value, or several
            return f"delta(eps) = {self.formula}, mu that of the noise ({self.source})"
        if mu == math.inf:
            return "the noise is not Gaussian, its curve is not known"
        spent = delta_of_noise(mu, eps)
        kept = "" if spent <= delta * (1.0 + 1e-9) else ", which is NOT what is promised"
        return (
            f"the noise is mu-GDP with mu = {mu:.4g}: exactly ({eps:g}, {spent:.3g})-DP{kept}, "
            f"and ({self.epsilon(values, delta):.4g}, {delta:g})-DP ({self.source})"
        )


def exact_curve(mu: Callable[[Values], float]) -> ExactCurve:
    """The curve of noise whose mu is a function of the parameters, infinite for other noise."""
    return ExactCurve(
        ("eps", "delta"),
        lambda values: mu(values) ** 2 / 2.0,
        "Phi(mu/2 - eps/mu) - e^eps Phi(-mu/2 - eps/mu)",
        lambda values, delta: eps_of_noise(mu(values), delta),
        "Balle & Wang 2018, Theorem 8",
    )


@dataclass(frozen=True)
class Guarantee:
    """A guarantee of differential privacy, with its neighbouring relation and its source.

    In pure DP the probability of every event about ``hides`` changes by a factor of at most
    e^epsilon between two neighbouring sequences of rewards.

    Attributes:
        notion: ``global`` (a trusted curator sees the rewards, its output is private), ``local``
            (the response of each user is private), ``global zCDP``, ``global RDP``, ``joint DP``,
            ``local DP`` (the last two of contexts and rewards) or ``none``.
        epsilon: the privacy loss in nats as a function of the parameters by name; for local
            privacy ``eps`` is the level of the user.
        source: paper and theorem that prove it.
        mechanism: the release that it rests on, a name in ``audit/subjects/releases.py``, or None.
        hides: the output that an adversary observes.
        alignment: how its noise shifts when a reward changes, or None.
        gaussian: for zCDP and RDP, what the Gaussian noise guarantees.
        neighbours: the neighbouring relation.
        curator: for local privacy, the local randomizer ``curator(rng, reward, eps)``.
        of_contexts: whether the contexts of the changed round differ, too; its own action is then
            not protected.
    """

    notion: str
    epsilon: Callable[[Values], float]
    source: str
    mechanism: str | None = None
    hides: str = ACTIONS
    alignment: Aligned = None
    gaussian: Gaussian | None = None
    neighbours: str = ONE_REWARD
    curator: Curator | None = None
    of_contexts: bool = False

    @property
    def letters(self) -> tuple[str, ...]:
        """The parameters that the guarantee consists of, in the order of its notation."""
        return self.gaussian.letters if self.gaussian else ("eps",)

    def in_words(self, values: Values, rewards: str) -> str:
        """The guarantee as a phrase.

        Args:
            values: values of parameters; one that has none is printed as its name.
            rewards: the assumption on the rewards, in words.
        """
        if self.notion == "none":
            return "not private"
        loss = ", ".join(f"{values[x]:g}" if x in values else x for x in self.letters)
        loss = f"({loss})" if len(self.letters) > 1 else loss
        notion = self.notion if self.gaussian else f"{self.notion} DP"
        what = f"{loss}-{notion} of {self.hides} {self.neighbours}, for {rewards} ({self.source})"
        so = "" if isinstance(self.gaussian, ExactCurve) else "so "
        return f"{what}; {so}{self.gaussian.conversion(values)}" if self.gaussian else what


NOT_PRIVATE = Guarantee("none", nothing_hidden, "", hides="nothing", neighbours="")


def global_dp(
    source: str, mechanism: str | None = None, hides: str = ACTIONS, alignment: Aligned = None
) -> Guarantee:
    """Global DP: ``hides`` is eps-DP for sequences of rewards that differ in one reward."""
    return Guarantee("global", all_of_eps, source, mechanism, hides, alignment)


def gaussian_zcdp(
    source: str, mechanism: str | None = None, hides: str = ACTIONS, alignment: Aligned = None
) -> Guarantee:
    """Global zero-concentrated DP by Gaussian noise: ``hides`` is rho-zCDP, and sqrt(2 rho)-GDP,
    for sequences of rewards that differ in one reward.
    """
    return Guarantee("global zCDP", nothing_hidden, source, mechanism, hides, alignment, ZCDP)


def gaussian_rdp(
    source: str, mechanism: str | None = None, hides: str = ACTIONS, alignment: Aligned = None
) -> Guarantee:
    """Global Renyi DP by Gaussian noise: ``hides`` is (order, eps)-RDP, and sqrt(2 eps/order)-GDP,
    for sequences of rewards that differ in one reward.
    """
    return Guarantee("global RDP", nothing_hidden, source, mechanism, hides, alignment, RDP)


def skellam_rdp(
    source: str, mechanism: str | None = None, hides: str = ACTIONS, alignment: Aligned = None
) -> Guarantee:
    """Global Renyi DP of every integer order by Skellam noise, an integer counterpart of Gaussian
    noise, for sequences of rewards that differ in one reward. It depends on a granularity ``s``.
    """
    return Guarantee("global RDP", nothing_hidden, source, mechanism, hides, alignment, SKELLAM)


def local_dp(source: str, curator: Curator, alignment: Aligned = None) -> Guarantee:
    """Local DP: the output of ``curator(rng, reward, eps)`` is DP at the level of the user."""
    return Guarantee(
        "local", all_of_eps, source, None, RESPONSE, alignment, None, ANY_TWO_REWARDS, curator
    )


def joint_dp(source: str, mu: Callable[[Values], float], alignment: Aligned = None) -> Guarantee:
    """Joint (eps, delta)-DP of contexts and rewards by Gaussian noise of this mu, a function of the
    parameters; infinite for a choice of them with other noise.
    """
    return Guarantee(
        "joint DP", nothing_hidden, source, None, OTHER_ACTIONS, alignment, exact_curve(mu),
        ONE_ROUND, of_contexts=True,
    )  # fmt: skip


def message_dp(source: str, mu: Callable[[Values], float], alignment: Aligned = None) -> Guarantee:
    """Local (eps, delta)-DP of a user's message about contexts and reward; see ``joint_dp``."""
    return Guarantee(
        "local DP", nothing_hidden, source, None, MESSAGE, alignment, exact_curve(mu),
        ANY_TWO_ROUNDS, of_contexts=True,
    )  # fmt: skip
