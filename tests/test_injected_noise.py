"""Fed with the noise of the slow reference, a kernel plays its rounds with its noise scales.

The kernels run as plain Python. Laplace noise is ``scale`` times a number fixed in advance, a bit
is decided by a uniform number fixed in advance; each scale and each probability is written down.
"""

import itertools
import sys
from dataclasses import dataclass, field

import numpy as np
import pytest
import references
from helpers import GLOBAL, LOCAL, Uniform, defaults, play, table

from dpbandits import curators, game, mechanisms, radii
from dpbandits.environments import laws, users

ARMS = 4
HORIZONS = {"dp_se": 20_000, "adap_ucb": 2500, "adap_klucb": 2500}
BUDGETS = (0.3, 1.0, 4.0, 20.0)
MIXED = (0.0, 0.2, 1.0, 2.0, 100.0)


@dataclass
class Played:
    """What a kernel or its reference did: arms, and what its noise was made of."""

    arms: np.ndarray = field(default_factory=lambda: np.zeros(0, int))
    scales: list[float] = field(default_factory=list)  # of Laplace noise
    chances: list[float] = field(default_factory=list)  # of a bit to be 1

    def __eq__(self, other):
        return np.array_equal(self.arms, other.arms) and all(
            len(x) == len(y) and np.allclose(x, y, rtol=1e-12, atol=1e-15)
            for x, y in ((self.scales, other.scales), (self.chances, other.chances))
        )


@dataclass
class Setting:
    """One game: rewards, users and noise fixed in advance."""

    name: str
    rewards: np.ndarray  # (T, K)
    eps: float
    levels: np.ndarray  # (T,), of the users of a local algorithm
    changes: dict
    laplaces: np.ndarray  # (T,), of scale 1
    uniforms: np.ndarray  # (T,)

    def noise(self, played):
        """A function from a scale to Laplace noise."""
        draws = itertools.cycle(self.laplaces)

        def draw(scale):
            played.scales.append(float(scale))
            return scale * next(draws)

        return draw

    def uniform(self, played):
        draws = itertools.cycle(self.uniforms)
        return lambda: Uniform(next(draws), played.chances)

    def users(self):
        T = len(self.levels)
        return users.Users(self.levels, np.tanh(self.levels / 2), np.ones(T), np.zeros(4))


def setting(name, eps, trial, levels=None, **changes):
    """A setting of an algorithm; ``levels`` are those of the users, by default all eps.

    Levels differ a little, so that no two arms of equal histories are told apart by rounding.
    """
    T = HORIZONS.get(name, 1200)
    rng = np.random.default_rng([trial, len(name)])
    means = np.linspace(0.9, 0.9 - 0.22 * (trial + 1), ARMS)
    if name in GLOBAL:
        rewards = (rng.random((T, ARMS)) < means).astype(float)
    elif name.endswith("s"):
        rewards = rng.normal(4 * means, 1.0, (T, ARMS))
    else:
        rewards = np.clip(means + rng.uniform(-0.3, 0.3, (T, ARMS)), 0, 1)
    return Setting(
        name=name,
        rewards=rewards,
        eps=eps,
        levels=rng.choice([eps] if levels is None else levels, T) * (1 + 0.01 * rng.random(T)),
        changes=changes | ({"beta": 1.0} if name == "dp_se" else {}),  # short epochs
        laplaces=rng.laplace(size=T),
        uniforms=rng.random(T),
    )


def replace(patch, original, new):
    """Put ``new`` in the place of a function, wherever the package calls it."""
    for name, module in list(sys.modules.items()):
        if name.startswith("dpbandits."):
            for bound, value in list(vars(module).items()):
                if value is original:
                    patch.setattr(module, bound, new)


def kernel_plays(given, faults=None):
    """What the kernel does; ``faults`` replace functions: from a function to what it becomes."""
    played = Played()
    noise, arrivals, exact = given.noise(played), itertools.count(), radii.kl_upper
    T = len(given.rewards)
    functions = {
        mechanisms.laplace: lambda rng, scale: noise(scale),
        users.arrival: lambda users, coins: next(arrivals),
        exact: lambda p, d: one_if_close(exact(p, d)),
    }
    for function, become in (faults or {}).items():
        functions[function] = become(functions.get(function, function))

    class Learner:
        random = staticmethod(given.uniform(played))

    with pytest.MonkeyPatch.context() as patch:
        for function, new in functions.items():
            replace(patch, function, new)
        pulls = play(
            given.name,
            table(given.rewards),
            T,
            eps=given.eps,
            checkpoints=np.arange(1, T + 1),
            plain=True,
            crowd=given,
            learner=Learner(),
            **given.changes,
        )
    played.arms = np.diff(pulls, axis=0, prepend=0).argmax(axis=1)
    return played


def reference_plays(given):
    """What the reference does."""
    played = Played()
    values = defaults(given.name) | given.changes
    if given.name in LOCAL:
        values |= {
            "eps_min": given.changes.get("eps_min", given.eps),
            "level": lambda t: given.levels[t - 1],
            "uniform": given.uniform(played),
        }
    else:
        values["eps"] = given.eps
    exact = references.kl_upper
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(references, "kl_upper", lambda p, d: one_if_close(exact(p, d)))
        arms = getattr(references, given.name)(
            references.table_reward(given.rewards),
            ARMS,
            len(given.rewards),
            given.noise(played),
            **values,
        )
    played.arms = np.array(arms)
    return played


def one_if_close(q):
    """Indices so close to 1 are ties, which rounding breaks in one way or the other."""
    return 1.0 if q > 1 - 1e-15 else q


@pytest.mark.parametrize("name", GLOBAL)
@pytest.mark.parametrize("eps", BUDGETS)
@pytest.mark.parametrize("trial", range(3))
def test_a_global_algorithm_is_its_reference(name, eps, trial):
    choices = ("whole", "split") if name == "dp_ucb" else (None,)
    for budget in choices:
        given = setting(name, eps, trial, **({"tree_budget": budget} if budget else {}))
        kernel, reference = kernel_plays(given), reference_plays(given)
        assert reference.scales and len(set(kernel.arms)) == ARMS
        assert kernel == reference


@pytest.mark.parametrize("name", LOCAL)
@pytest.mark.parametrize("eps", BUDGETS)
@pytest.mark.parametrize("trial", range(3))
def test_a_local_algorithm_is_its_reference(name, eps, trial):
    given = setting(name, eps, trial)
    kernel, reference = kernel_plays(given), reference_plays(given)
    sent = reference.scales + reference.chances
    assert len(sent) == len(given.rewards)  # the level of each user is at least eps
    assert kernel == reference


@pytest.mark.parametrize("name", LOCAL)
@pytest.mark.parametrize("eps_min", [0.2, 1.0])
@pytest.mark.parametrize("trial", range(3))
def test_a_local_algorithm_is_its_reference_in_a_mixed_population(name, eps_min, trial):
    given = setting(name, 1.0, trial, levels=MIXED, eps_min=eps_min)
    kernel, reference = kernel_plays(given), reference_plays(given)
    sent = reference.scales + reference.chances
    assert 0 < len(sent) == (given.levels >= eps_min).sum() < len(given.rewards)
    assert kernel == reference


def shared(noise):
    """Noise that is drawn once for each scale."""
    drawn = {}

    def draw(rng, scale):
        if scale not in drawn:
            drawn[scale] = noise(rng, scale)
        return drawn[scale]

    return draw


WITH_LAPLACE = [*GLOBAL, "heldp_ucb_l", "heldp_ucb_ls"]
WITH_BITS = ["heldp_ucb_b", "heldp_ucb_bs"]
# faults: the algorithms that would suffer, the function at fault, and what it becomes
FAULTS = {
    "half the noise": (
        WITH_LAPLACE,
        mechanisms.laplace,
        lambda noise: lambda rng, scale: noise(rng, scale / 2),
    ),
    "one draw for all arms": (GLOBAL, mechanisms.laplace, shared),
    "a level too few": (
        ["dp_ucb", "dp_ucb_bound"],
        mechanisms.tree_node_scale,
        lambda scale: lambda levels, sensitivity, eps: scale(levels - 1, sensitivity, eps),
    ),
    "a curator of Laplace noise 0.7/eps": (
        ["heldp_ucb_l", "heldp_ucb_ls"],
        curators.convert_to_laplace,
        lambda convert: lambda rng, r, eps: convert(rng, r, eps / 0.7),
    ),
    "tanh(eps) for tanh(eps/2)": (
        WITH_BITS,
        game.tanh_half_level,
        lambda tanh: lambda game, user: 2 * tanh(game, user) / (1 + tanh(game, user) ** 2),
    ),
    "bits that are not made unbiased": (
        WITH_BITS,
        curators.unbiased,
        lambda unbiased: lambda x, c: x,
    ),
    "no sigmoid": (
        ["heldp_ucb_ls", "heldp_ucb_bs"],
        laws.sigmoid,
        lambda sigmoid: lambda r: r,
    ),
    "users who should be silent": (
        LOCAL,
        game.privacy_level,
        lambda level: lambda game, user: 6 * level(game, user),
    ),
}
SUFFERING = [(fault, name) for fault, (names, _, _) in FAULTS.items() for name in names]


@pytest.mark.parametrize(("fault", "name"), SUFFERING, ids=map(" in ".join, SUFFERING))
def test_a_fault_is_seen(fault, name):
    """Controls: the comparison above tells a faulty kernel apart."""
    given = setting(name, 1.0, 1)
    if name in LOCAL:
        given = setting(name, 1.0, 1, levels=MIXED, eps_min=1.0)
    reference = reference_plays(given)
    _, function, become = FAULTS[fault]
    assert kernel_plays(given) == reference
    assert kernel_plays(given, {function: become}) != reference


@pytest.mark.parametrize("fault", ["a level too few", "bits that are not made unbiased"])
def test_a_fault_changes_what_is_played(fault):
    """The rounds alone, without the scales, tell as well."""
    [name, *_], function, become = FAULTS[fault]
    given = setting(name, 1.0, 1)
    right, wrong = kernel_plays(given), kernel_plays(given, {function: become})
    assert not np.array_equal(right.arms, wrong.arms)
