"""Privacy guarantees of algorithms, as data."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

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
SHUFFLED = "the shuffled messages"
STOPPING = "stopping time and estimate"
STOPPING_AND_ANSWER = "all actions, stopping time and answer"
TINY = 1e-300  # smaller deltas are not printed as numbers
DELTA = 1e-6  # the delta at which conversions to (eps, delta)-DP are printed
DEFAULT_DELTA = 1e-5  # of policies with an oracle, where Gaussian noise is used


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
    of_orders: bool = False  # whether the guarantee is (order, order rho) for every integer order

    def loss(self, values: Values) -> str:
        """The guarantee in its notation; a parameter that has no value is printed as its name."""
        if self.of_orders:
            known = values.keys() >= set(self.letters)
            return f"(order, {f'{self.rho(values):.4g}' if known else 'rho'} order)"
        found = [f"{values[x]:g}" if x in values else x for x in self.letters]
        return f"({', '.join(found)})" if len(found) > 1 else found[0]

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
    of_orders=True,
)


@dataclass(frozen=True)
class ExactCurve(Gaussian):
    """The exact delta(eps) of Gaussian noise that was chosen for an (eps, delta): it may give less
    than what is promised, or more.
    """

    def broken(self, values: Values) -> str:
        """Why it does not give the promised (eps, delta), in words; empty if it does."""
        kept = delta_of_noise(self.mu(values), values["eps"]) <= values["delta"] * (1.0 + 1e-9)
        return "" if kept else "is NOT what is promised"

    def conversion(self, values: Values) -> str:
        """The noise that is used, and its delta at the promised eps."""
        try:
            mu, eps, delta, broken = (
                self.mu(values), values["eps"], values["delta"], self.broken(values)
            )  # fmt: skip
        except KeyError:  # a parameter has no value, or several
            return f"delta(eps) = {self.formula}, mu that of the noise ({self.source})"
        kept = f", which {broken}" if broken else ""
        found = delta_of_noise(
            mu, eps
        )  # the delta of Gaussian noise is above 0, its float may be 0
        exact = f"({eps:g}, {found:.3g})" if found > TINY else f"({eps:g}, less than {TINY:g})"
        return (
            f"the noise is mu-GDP with mu = {mu:.4g}: exactly {exact}-DP{kept}, "
            f"and ({self.epsilon(values, delta):.4g}, {delta:g})-DP ({self.source})"
        )


@dataclass(frozen=True)
class LimitedProof(ExactCurve):
    """Other noise, whose (eps, delta) is proved for an eps up to a limit."""

    limit: Callable[[Values], float] = all_of_eps

    def broken(self, values: Values) -> str:
        """As for Gaussian noise; a promise beyond the proof is none."""
        return "" if values["eps"] <= self.limit(values) else "is NOT proved"

    def conversion(self, values: Values) -> str:
        """For which eps it is proved."""
        try:
            limit, broken = f"{self.limit(values):.4g}", self.broken(values)
        except KeyError:  # a parameter has no value, or several
            limit, broken = "a limit", ""
        here = f", which {values['eps']:g} exceeds: it {broken}" if broken else ""
        return f"the proof {self.formula} up to an eps of {limit}{here}"


@dataclass(frozen=True)
class Approximate(ExactCurve):
    """(eps, delta)-DP of noise with a curve of its own, of which no mu is known."""

    delta: Callable[[Values, float], float] = lambda values, eps: 1.0  # at an eps
    noise: Callable[[Values], str] = str  # what is used, in words

    def broken(self, values: Values) -> str:
        """As for Gaussian noise."""
        kept = self.delta(values, values["eps"]) <= values["delta"] * (1.0 + 1e-9)
        return "" if kept else "is NOT what is promised"

    def conversion(self, values: Values) -> str:
        """The noise that is used, and its curve at the promised eps and around it."""
        if not values.keys() >= {*self.letters}:
            return f"delta(eps) = {self.formula} ({self.source})"
        eps = values["eps"]
        points = (f"({x:g}, {self.delta(values, x):.4g})" for x in (eps / 2.0, eps, 2.0 * eps))
        return f"with {self.noise(values)} exactly {', '.join(points)}-DP ({self.source})"


def limited_proof(words: str, limit: Callable[[Values], float]) -> LimitedProof:
    """The (eps, delta) of noise without a known curve, proved for an eps up to ``limit(values)``,
    a function of the parameters, of K and of T.
    """
    return LimitedProof(
        ("eps", "delta"), nothing_hidden, words, lambda values, delta: math.inf, "", limit=limit
    )


def exact_curve(mu: Callable[[Values], float]) -> ExactCurve:
    """The curve of noise whose mu is a function of the parameters."""
    return ExactCurve(
        ("eps", "delta"),
        lambda values: mu(values) ** 2 / 2.0,
        "Phi(mu/2 - eps/mu) - e^eps Phi(-mu/2 - eps/mu)",
        lambda values, delta: eps_of_noise(mu(values), delta),
        "Balle & Wang 2018, Theorem 8",
    )


@dataclass(frozen=True)
class OneRelease(ExactCurve):
    """Gaussian noise of the one release that a record enters, with the rho of zCDP for which
    rho + 2 sqrt(rho ln(1/delta)) is the promised eps, or half of it beside a pure release of the
    other half.
    """

    pure: float = 0.0  # the share of eps of the pure release

    def conversion(self, values: Values) -> str:
        """As for Gaussian noise; a pure release is named."""
        found = super().conversion(values)
        if not self.pure:
            return found
        try:
            mu, eps, delta = self.mu(values), values["eps"], values["delta"]
        except KeyError:  # a parameter has no value, or several
            return f"a pure release of eps/2, and noise with {found}"
        exact = delta_of_noise(mu, (1.0 - self.pure) * eps)
        return (
            f"a pure release of eps/2, and noise that is mu-GDP with mu = {mu:.4g}: together "
            f"({eps:g}, {exact:.3g})-DP ({self.source}), {exact:.3g} <= {delta:g}"
        )

    def broken(self, values: Values) -> str:
        """Nothing: the conversion of zCDP holds for every eps."""
        return ""

    def of_group(self, values: Values, m: int) -> tuple[float, float]:
        """The (eps, delta) of m records that one user owns: the rho of a group is m^2 rho."""
        rho, l = self.rho(values), math.log(1.0 / values["delta"])
        own = m * m * rho + 2.0 * m * math.sqrt(rho * l)
        return m * self.pure * values["eps"] + own, values["delta"]


@dataclass(frozen=True)
class Guarantee:
    """A guarantee of differential privacy, with its neighbouring relation and its source.

    In pure DP the probability of every event about ``hides`` changes by a factor of at most
    e^epsilon between two neighbouring sequences of rewards.

    Attributes:
        notion: ``global`` (a trusted curator sees the rewards, its output is private), ``local``
            (the response of each user is private), ``global zCDP``, ``global RDP``, ``joint DP``,
            ``pure joint``, ``local DP``, ``pure local`` (the last four of contexts and rewards) or
            ``none``.
        epsilon: the privacy loss in nats as a function of the parameters by name; for local
            privacy ``eps`` is the level of the user.
        source: paper and theorem that prove it.
        mechanism: the release that it rests on, a name in ``audit/targets/releases.py``, or None.
        hides: the output that an adversary observes.
        alignment: how its noise shifts when a reward changes, or None.
        gaussian: for zCDP and RDP, what the Gaussian noise guarantees.
        neighbours: the neighbouring relation.
        curator: for local privacy, the local randomizer ``curator(rng, reward, eps)``.
        of_contexts: whether the contexts of the changed round differ, too; its own action is then
            not protected.
        loss: ``epsilon`` as a formula.
        unless: the guarantees with other options: name of the option, its number, the guarantee.
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
    loss: str = "eps"
    unless: tuple[tuple[str, float, Guarantee], ...] = ()

    @property
    def letters(self) -> tuple[str, ...]:
        """The parameters that the guarantee consists of, in the order of its notation."""
        return self.gaussian.letters if self.gaussian else ("eps",)

    def at(self, values: Values) -> Guarantee:
        """The guarantee at these arguments, which is what a run prints, what decides which bounds
        apply, and what an audit expects.

        Args:
            values: the parameters by name, an option as its number; one that has no value, or
                several, is missing.
        """
        found = (other for name, x, other in self.unless if values.get(name) == x)
        return next(found, self)

    def of_group(self, values: Values, m: int) -> tuple[float, float]:
        """The (eps, delta) of m records that one user owns, by the triangle inequality: a pure eps
        becomes m eps, and (eps, delta) becomes (m eps, delta (e^(m eps) - 1)/(e^eps - 1)), unless
        the noise of the one release that holds a record gives less.
        """
        if self.gaussian is None:
            return m * self.epsilon(values), 0.0
        if isinstance(self.gaussian, OneRelease):
            return self.gaussian.of_group(values, m)
        eps, delta = values["eps"], values["delta"]
        if m * eps > 700.0:
            return math.inf, 1.0
        return m * eps, min(1.0, delta * math.expm1(m * eps) / math.expm1(eps))

    def in_words(self, values: Values, rewards: str) -> str:
        """The guarantee at these arguments as a phrase.

        Args:
            values: as for ``at``, with the number of arms K and the horizon T; a parameter that has
                no value is printed as its name.
            rewards: the assumption on the rewards, in words.
        """
        found = self.at(values)
        if found is not self:
            return found.in_words(values, rewards)
        if self.notion == "none":
            return "not private"
        if self.gaussian:
            loss = self.gaussian.loss(values)
        else:
            try:
                loss = f"{self.epsilon(values):g}"
            except KeyError:
                loss = self.loss
        notion = self.notion if self.gaussian else f"{self.notion} DP"
        what = f"{loss}-{notion} of {self.hides} {self.neighbours}, for {rewards} ({self.source})"
        so = "" if isinstance(self.gaussian, ExactCurve) else "so "
        return f"{what}; {so}{self.gaussian.conversion(values)}" if self.gaussian else what


NOT_PRIVATE = Guarantee("none", nothing_hidden, "", hides="nothing", neighbours="")


def global_dp(
    source: str,
    mechanism: str | None = None,
    hides: str = ACTIONS,
    alignment: Aligned = None,
    unless: tuple[tuple[str, float, Guarantee], ...] = (),
) -> Guarantee:
    """Global DP: ``hides`` is eps-DP for sequences of rewards that differ in one reward; ``unless``
    options promise something else (see ``Guarantee``).
    """
    return Guarantee("global", all_of_eps, source, mechanism, hides, alignment, unless=unless)


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


def gaussian_dp(source: str, mu: Callable[[Values], float], alignment: Aligned = None) -> Guarantee:
    """Global (eps, delta)-DP by Gaussian noise of this mu, a function of the parameters."""
    return Guarantee(
        "global DP", nothing_hidden, source, None, ACTIONS, alignment, exact_curve(mu)
    )  # fmt: skip


def shuffle_dp(
    source: str,
    curve: Approximate,
    mechanism: str | None = None,
    alignment: Aligned = None,
    unless: tuple[tuple[str, float, Guarantee], ...] = (),
) -> Guarantee:
    """(eps, delta)-DP of what a shuffler passes on to the server, if all users are honest."""
    return Guarantee(
        "DP", nothing_hidden, source, mechanism, SHUFFLED, alignment, curve, unless=unless
    )  # fmt: skip


def local_dp(source: str, curator: Curator, alignment: Aligned = None) -> Guarantee:
    """Local DP: the output of ``curator(rng, reward, eps)`` is DP at the level of the user."""
    return Guarantee(
        "local", all_of_eps, source, None, RESPONSE, alignment, None, ANY_TWO_REWARDS, curator
    )


def joint_dp(
    source: str,
    mu: Callable[[Values], float] | ExactCurve,
    alignment: Aligned = None,
    unless: tuple[tuple[str, float, Guarantee], ...] = (),
) -> Guarantee:
    """Joint (eps, delta)-DP of contexts and rewards by Gaussian noise of this mu, a function of the
    parameters, or by other noise, such as ``limited_proof``; ``unless`` options have others.
    """
    curve = mu if isinstance(mu, ExactCurve) else exact_curve(mu)
    return Guarantee(
        "joint DP", nothing_hidden, source, None, OTHER_ACTIONS, alignment, curve,
        ONE_ROUND, of_contexts=True, unless=unless,
    )  # fmt: skip


def message_dp(
    source: str,
    mu: Callable[[Values], float] | None,
    alignment: Aligned = None,
    mechanism: str | None = None,
) -> Guarantee:
    """Local (eps, delta)-DP of a user's message about contexts and reward (see ``joint_dp``), or
    with a ``mu`` of None pure eps-local DP.
    """
    if mu is None:
        return Guarantee(
            "pure local", all_of_eps, source, mechanism, MESSAGE, alignment,
            neighbours=ANY_TWO_ROUNDS, of_contexts=True,
        )  # fmt: skip
    return Guarantee(
        "local DP", nothing_hidden, source, mechanism, MESSAGE, alignment, exact_curve(mu),
        ANY_TWO_ROUNDS, of_contexts=True,
    )  # fmt: skip


def oracle_dp(source: str, has_bonus: bool = False, has_losses: bool = True) -> Guarantee:
    """Joint DP of a policy whose records enter one fit of an oracle each: pure eps of a logistic
    fit and, if the policy ``has_losses`` to choose from, (eps, delta) of ``loss=quadratic``. The
    bonus of a policy that ``has_bonus`` needs a Gaussian release beside a logistic fit, with half
    of eps for each.
    """

    def joint(pure: float) -> Guarantee:
        def mu(values: Values) -> float:
            eps, l = (1.0 - pure) * values["eps"], math.log(1.0 / values["delta"])
            return math.sqrt(2.0) * eps / (math.sqrt(l + eps) + math.sqrt(l))

        return joint_dp(source, OneRelease(**vars(exact_curve(mu)), pure=pure))

    quadratic = (("loss", 1.0, joint(0.0)),) if has_losses else ()
    if has_bonus:
        return replace(joint(0.5), unless=quadratic)
    return Guarantee(
        "pure joint", all_of_eps, source, None, OTHER_ACTIONS, neighbours=ONE_ROUND,
        of_contexts=True, unless=quadratic,
    )  # fmt: skip
