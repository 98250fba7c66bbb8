"""Privacy guarantees of algorithms, as data that runs print and audits test."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from .alignments import Alignment
from .gaussian_dp import delta_of_noise, eps_of_noise

Curator = Callable[..., float]  # a function of (rng, reward, eps)
Aligned = Alignment | None  # None if no alignment is declared
Values = Mapping[str, float]  # the values of an algorithm's parameters, by name

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
SILOS = "the messages of each silo"
STOPPING = "stopping time and estimate"
STOPPING_AND_ANSWER = "all actions, stopping time and answer"
TINY = 1e-300  # smaller deltas are not printed as numbers
DELTA = 1e-6  # the delta at which conversions to (eps, delta)-DP are printed
DEFAULT_DELTA = 1e-5  # the delta of policies with an oracle, where Gaussian noise is used


def all_of_eps(values: Values) -> float:
    """Return the parameter eps, which is the privacy loss of a pure guarantee."""
    return values["eps"]


def nothing_hidden(values: Values) -> float:
    """Return infinity, which is the privacy loss if no pure DP is promised."""
    return math.inf


@dataclass(frozen=True)
class Gaussian:
    """A guarantee of zCDP or Renyi DP by Gaussian or Skellam noise, which gives no pure DP."""

    # the parameters that the guarantee consists of, in the order of its notation
    letters: tuple[str, ...]
    # the rho of zCDP as a function of the parameters: (sensitivity/standard deviation)^2/2
    rho: Callable[[Values], float]
    formula: str  # the eps of (eps, delta)-DP, for every delta in (0, 1)
    epsilon: Callable[[Values, float], float]  # this eps as a function of the parameters and delta
    source: str  # who proves the conversion
    of_orders: bool = False  # whether the guarantee is (order, order rho) for every integer order

    def loss(self, values: Values) -> str:
        """Return the parameters of the guarantee as text, such as ``(eps, delta)``.

        If a parameter has no value, its name is printed.
        """
        if self.of_orders:
            known = values.keys() >= set(self.letters)
            return f"(order, {f'{self.rho(values):.4g}' if known else 'rho'} order)"
        found = [f"{values[x]:g}" if x in values else x for x in self.letters]
        return f"({', '.join(found)})" if len(found) > 1 else found[0]

    def mu(self, values: Values) -> float:
        """Return the mu of Gaussian DP: the sensitivity divided by the standard deviation."""
        return math.sqrt(2.0 * self.rho(values))

    def of_group(self, values: Values, m: int) -> tuple[float, float]:
        """Compute an (eps, delta) for m records of one user, which are (m^2 rho)-zCDP."""
        return of_zcdp(m * m * self.rho(values), DELTA), DELTA

    def conversion(self, values: Values) -> str:
        """Return the conversion to (eps, delta)-DP as text, with numbers if all parameters have
        values.
        """
        known = values.keys() >= set(self.letters)
        number = f" = {self.epsilon(values, DELTA):.4g} at delta = {DELTA:g}" if known else ""
        return f"(eps', delta)-DP with eps' = {self.formula}{number} ({self.source})"


def of_zcdp(rho: float, delta: float) -> float:
    """Compute the eps of (eps, delta)-DP for rho-zCDP."""
    return rho + 2.0 * math.sqrt(rho * math.log(1.0 / delta))


ZCDP = Gaussian(
    ("rho",),
    lambda values: values["rho"],
    "rho + 2 sqrt(rho ln(1/delta))",
    lambda values, delta: of_zcdp(values["rho"], delta),
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
    """Compute a rho for Skellam noise: the Renyi divergence of integer order a is at most a rho.

    The divergence of order a is at most a eps^2/2 + 3 eps/(2 s). For a >= 2, the second term is at
    most a 3 eps/(4 s).
    """
    return values["eps"] ** 2 / 2.0 + 0.75 * values["eps"] / values["s"]


def of_integer_orders(values: Values, delta: float) -> float:
    """Compute the eps of (eps, delta)-DP for Skellam noise.

    The result is the minimum of a rho + ln(1/delta)/(a - 1) over the integers a > 1.
    """
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
    """The exact curve delta(eps) of Gaussian noise that a paper uses for a promised (eps, delta).

    The noise may give less privacy than the paper promises, or more.
    """

    def delta(self, values: Values, eps: float, /) -> float:
        """Return the least delta for which the noise is (eps, delta)-DP."""
        return delta_of_noise(self.mu(values), eps)

    def broken(self, values: Values) -> str:
        """Return a text, the end of a sentence, if the promised (eps, delta) does not hold, else
        "".
        """
        kept = self.delta(values, values["eps"]) <= values["delta"] * (1.0 + 1e-9)
        return "" if kept else "is NOT what is promised"

    def of_group(self, values: Values, m: int) -> tuple[float, float]:
        """Compute the (eps, delta) for m records of one user: m eps, and delta (e^(m eps) -
        1)/(e^eps - 1).
        """
        eps, delta = values["eps"], values["delta"]
        if m * eps > 700.0:
            return math.inf, 1.0
        return m * eps, min(1.0, delta * math.expm1(m * eps) / math.expm1(eps))

    def conversion(self, values: Values) -> str:
        """Return a text with the mu of the noise and its exact delta at the promised eps."""
        try:
            mu, eps, delta, broken = (
                self.mu(values), values["eps"], values["delta"], self.broken(values)
            )  # fmt: skip
        except KeyError:  # a parameter has no value or several values
            return f"delta(eps) = {self.formula}, mu that of the noise ({self.source})"
        kept = f", which {broken}" if broken else ""
        # the delta of Gaussian noise is positive, but as a float it may be 0
        found = self.delta(values, eps)
        exact = f"({eps:g}, {found:.3g})" if found > TINY else f"({eps:g}, less than {TINY:g})"
        return (
            f"the noise is mu-GDP with mu = {mu:.4g}: exactly {exact}-DP{kept}, "
            f"and ({self.epsilon(values, delta):.4g}, {delta:g})-DP ({self.source})"
        )


@dataclass(frozen=True)
class LimitedProof(ExactCurve):
    """A guarantee of (eps, delta)-DP that is proved for eps up to a limit.

    The exact curve delta(eps) of the noise is not known.
    """

    limit: Callable[[Values], float] = all_of_eps

    def broken(self, values: Values) -> str:
        """Return a text, the end of a sentence, if eps exceeds the limit of the proof, else ""."""
        return "" if values["eps"] <= self.limit(values) else "is NOT proved"

    def conversion(self, values: Values) -> str:
        """Return a text with the largest eps for which the guarantee is proved."""
        try:
            limit, broken = f"{self.limit(values):.4g}", self.broken(values)
        except KeyError:  # a parameter has no value or several values
            limit, broken = "a limit", ""
        here = f", which {values['eps']:g} exceeds: it {broken}" if broken else ""
        return f"the proof {self.formula} up to an eps of {limit}{here}"


@dataclass(frozen=True)
class Approximate(ExactCurve):
    """A guarantee of (eps, delta)-DP by noise that is not Gaussian; its delta(eps) is known."""

    # delta as a function of the parameters and of eps
    delta: Callable[[Values, float], float] = lambda values, eps: 1.0
    noise: Callable[[Values], str] = str  # the description of the noise, in words

    def conversion(self, values: Values) -> str:
        """Return a text with the noise and its delta at half, once and twice the promised eps."""
        if not values.keys() >= {*self.letters}:
            return f"delta(eps) = {self.formula} ({self.source})"
        eps = values["eps"]
        points = (f"({x:g}, {self.delta(values, x):.4g})" for x in (eps / 2.0, eps, 2.0 * eps))
        return f"with {self.noise(values)} exactly {', '.join(points)}-DP ({self.source})"


def limited_proof(words: str, limit: Callable[[Values], float]) -> LimitedProof:
    """Return a guarantee of (eps, delta)-DP that is proved for eps up to a limit.

    Args:
        words: a phrase for the proof.
        limit: ``limit(values)``, the largest eps for which the guarantee is proved, as a function
            of the parameters, K and T.
    """
    return LimitedProof(
        ("eps", "delta"), nothing_hidden, words, lambda values, delta: math.inf, "", limit=limit
    )


def exact_curve(mu: Callable[[Values], float]) -> ExactCurve:
    """Return the exact curve of Gaussian noise whose mu is a function of the parameters."""
    return ExactCurve(
        ("eps", "delta"),
        lambda values: mu(values) ** 2 / 2.0,
        "Phi(mu/2 - eps/mu) - e^eps Phi(-mu/2 - eps/mu)",
        lambda values, delta: eps_of_noise(mu(values), delta),
        "Balle & Wang 2018, Theorem 8",
    )


@dataclass(frozen=True)
class OneRelease(ExactCurve):
    """Gaussian noise in an algorithm that uses each record in one Gaussian release.

    The rho of zCDP is computed from the promised eps by rho + 2 sqrt(rho ln(1/delta)) = (1 -
    ``pure``) eps. If ``pure`` is positive, there is also a release with pure DP, whose loss is
    ``pure`` eps.
    """

    pure: float = 0.0  # the share of eps of the pure release

    def conversion(self, values: Values) -> str:
        """Return a text about the guarantees of the noise and of the pure release, if any."""
        found = super().conversion(values)
        if not self.pure:
            return found
        try:
            mu, eps, delta = self.mu(values), values["eps"], values["delta"]
        except KeyError:  # a parameter has no value or several values
            return f"a pure release of eps/2, and noise with {found}"
        exact = self.delta(values, (1.0 - self.pure) * eps)
        return (
            f"a pure release of eps/2, and noise that is mu-GDP with mu = {mu:.4g}: together "
            f"({eps:g}, {exact:.3g})-DP ({self.source}), {exact:.3g} <= {delta:g}"
        )

    def broken(self, values: Values) -> str:
        """Return an empty text, since the conversion of zCDP holds for every eps."""
        return ""

    def of_group(self, values: Values, m: int) -> tuple[float, float]:
        """Compute the (eps, delta) for m records of one user, which are (m^2 rho)-zCDP."""
        own = of_zcdp(m * m * self.rho(values), values["delta"])
        return m * self.pure * values["eps"] + own, values["delta"]


@dataclass(frozen=True)
class Guarantee:
    """A guarantee of differential privacy, with its neighbouring relation and its source.

    Under pure DP, the probabilities of an event about the output ``hides`` on two neighbouring
    sequences of rewards differ by a factor of at most e^epsilon.

    Attributes:
        notion: ``global`` (a trusted curator sees the rewards, its output is private), ``local``
            (the response of each user is private), ``global zCDP``, ``global RDP``, ``joint DP``,
            ``pure joint``, ``local DP``, ``pure local`` (these four protect contexts and rewards)
            or ``none``.
        epsilon: the privacy loss in nats, as a function of a mapping with the parameters. For local
            privacy, ``eps`` is the level of the user.
        source: the paper and the theorem that prove the guarantee.
        mechanism: the name, in ``audit/targets/releases.py``, of the release on which the guarantee
            is based, or None.
        hides: the output that an adversary observes.
        alignment: how the noise shifts when a reward changes, or None.
        gaussian: the guarantee by noise without pure DP, such as zCDP; None for pure DP.
        neighbours: the neighbouring relation.
        curator: for local privacy, the local randomizer ``curator(rng, reward, eps)``.
        of_contexts: whether neighbours also differ in the contexts of the changed round. The action
            in this round is then not protected.
        loss: ``epsilon`` as a formula.
        unless: the guarantees under other options. Each entry is a triple: the name of an option,
            the number of its value, and the guarantee for this value.
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
        """The parameters in the guarantee's notation, in their order, such as eps and delta."""
        return self.gaussian.letters if self.gaussian else ("eps",)

    def at(self, values: Values) -> Guarantee:
        """Return the guarantee at these arguments.

        A run prints this guarantee, an audit tests this guarantee, and the regret bounds that apply
        depend on it.

        Args:
            values: the parameters by name; the value of an option is a number. Parameters without a
                value, or with several values, are left out.
        """
        found = (other for name, x, other in self.unless if values.get(name) == x)
        return next(found, self)

    def of_group(self, values: Values, m: int) -> tuple[float, float]:
        """Compute the (eps, delta) of a user who contributes m records, by group privacy.

        A pure eps becomes m eps. For noise without pure DP see ``Gaussian.of_group`` and the
        classes that inherit from ``Gaussian``.
        """
        if self.gaussian is None:
            return m * self.epsilon(values), 0.0
        return self.gaussian.of_group(values, m)

    def in_words(self, values: Values, rewards: str) -> str:
        """Return the guarantee at these arguments as a phrase.

        Args:
            values: as for ``at``, with the number of arms K and the horizon T. If a parameter has
                no value, its name is printed.
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
    """Return global DP: eps-DP of the output ``hides`` for neighbours that differ in one reward.

    With an option in ``unless``, another guarantee holds (see ``Guarantee``).
    """
    return Guarantee("global", all_of_eps, source, mechanism, hides, alignment, unless=unless)


def gaussian_zcdp(
    source: str, mechanism: str | None = None, hides: str = ACTIONS, alignment: Aligned = None
) -> Guarantee:
    """Return global zero-concentrated DP by Gaussian noise.

    The output ``hides`` is rho-zCDP, and sqrt(2 rho)-GDP, for sequences of rewards that differ in
    one reward.
    """
    return Guarantee("global zCDP", nothing_hidden, source, mechanism, hides, alignment, ZCDP)


def gaussian_rdp(
    source: str, mechanism: str | None = None, hides: str = ACTIONS, alignment: Aligned = None
) -> Guarantee:
    """Return global Renyi DP by Gaussian noise.

    The output ``hides`` is (order, eps)-RDP, and sqrt(2 eps/order)-GDP, for sequences of rewards
    that differ in one reward.
    """
    return Guarantee("global RDP", nothing_hidden, source, mechanism, hides, alignment, RDP)


def skellam_rdp(
    source: str, mechanism: str | None = None, hides: str = ACTIONS, alignment: Aligned = None
) -> Guarantee:
    """Return global Renyi DP, for every integer order, by Skellam noise of granularity ``s``.

    Skellam noise is an integer counterpart of Gaussian noise. The guarantee is for sequences of
    rewards that differ in one reward.
    """
    return Guarantee("global RDP", nothing_hidden, source, mechanism, hides, alignment, SKELLAM)


def gaussian_dp(source: str, mu: Callable[[Values], float], alignment: Aligned = None) -> Guarantee:
    """Return global (eps, delta)-DP by Gaussian noise; ``mu`` is a function of the parameters."""
    return Guarantee("global DP", nothing_hidden, source, None, ACTIONS, alignment, exact_curve(mu))


def shuffle_dp(
    source: str,
    curve: Approximate,
    mechanism: str | None = None,
    alignment: Aligned = None,
    unless: tuple[tuple[str, float, Guarantee], ...] = (),
) -> Guarantee:
    """Return (eps, delta)-DP of the shuffled messages that the server receives.

    All users are assumed to follow the protocol.
    """
    return Guarantee(
        "DP", nothing_hidden, source, mechanism, SHUFFLED, alignment, curve, unless=unless
    )  # fmt: skip


def local_dp(source: str, curator: Curator, alignment: Aligned = None) -> Guarantee:
    """Return local DP: ``curator(rng, reward, eps)`` is eps-DP for the level eps of the user."""
    return Guarantee(
        "local", all_of_eps, source, None, RESPONSE, alignment, None, ANY_TWO_REWARDS, curator
    )


def joint_dp(
    source: str,
    mu: Callable[[Values], float] | ExactCurve,
    alignment: Aligned = None,
    unless: tuple[tuple[str, float, Guarantee], ...] = (),
) -> Guarantee:
    """Return joint (eps, delta)-DP of contexts and rewards.

    Args:
        source: the paper and the theorem that prove the guarantee.
        mu: the mu of Gaussian noise as a function of the parameters, or, for other noise, a curve
            such as ``limited_proof``.
        alignment: how the noise shifts when a round changes, or None.
        unless: the guarantees under other options (see ``Guarantee``).
    """
    curve = mu if isinstance(mu, ExactCurve) else exact_curve(mu)
    return Guarantee(
        "joint DP", nothing_hidden, source, None, OTHER_ACTIONS, alignment, curve,
        ONE_ROUND, of_contexts=True, unless=unless,
    )  # fmt: skip


def silo_dp(
    source: str,
    mu: Callable[[Values], float],
    alignment: Aligned = None,
    mechanism: str | None = None,
) -> Guarantee:
    """Return (eps, delta)-DP of the messages about contexts and rewards that each silo sends.

    The users of a silo trust only their silo; the other silos may collude. ``mu`` is the mu of
    Gaussian noise as a function of the parameters.
    """
    return Guarantee(
        "DP", nothing_hidden, source, mechanism, SILOS, alignment, exact_curve(mu), ONE_ROUND,
        of_contexts=True,
    )  # fmt: skip


def message_dp(
    source: str,
    mu: Callable[[Values], float] | None,
    alignment: Aligned = None,
    mechanism: str | None = None,
) -> Guarantee:
    """Return local (eps, delta)-DP of a user's message about contexts and reward.

    ``mu`` is the mu of Gaussian noise as a function of the parameters. If ``mu`` is None, the
    guarantee is pure eps-local DP.
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
    """Return joint DP of a policy that uses each record in one fit of an oracle.

    A logistic fit gives pure eps-DP. If ``has_losses`` is true, users can choose the loss, and
    ``loss=quadratic`` gives (eps, delta)-DP. If ``has_bonus`` is true, the policy computes a bonus
    from a Gaussian release in addition to the logistic fit, and each of the two uses half of eps.
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
