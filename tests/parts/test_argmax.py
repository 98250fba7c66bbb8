"""The race of indices: the leader is the argmax in every round, also where it is not recomputed."""

import math

import numpy as np
import pytest
from tiers import every

from dpbandits.parts.indices import argmax, powers

STARTS = ((True, 0), (False, 0), (True, 10**6))
RACES = [
    (0.0, 0.5, bonus, noise, window, steady, played)
    for bonus in (0.0, 1.0, 30.0)
    for noise in (0.0, 0.1, 10.0)
    for window in (argmax.WINDOW, 0.2, 4.0)
    for steady, played in STARTS
] + [  # bonuses that are not square roots
    (shift, v / (1 + v), bonus, 0.1, window, True, played)
    for shift, v in ((math.log(2) / 4, 0.5), (0.0, 0.9), (2.0, 0.2))
    for bonus in (0.1, 0.5)
    for window, played in ((argmax.WINDOW, 0), (0.05, 0), (4.0, 0), (argmax.WINDOW, 10**6))
]


def indices_of(K, shift, power, width_decay):
    level = np.append(np.full(K, np.inf), [-np.inf] * (K % 2))
    return argmax.Indices(level, np.zeros(len(level)), shift, power, width_decay)


@pytest.mark.parametrize(
    ("shift", "power", "bonus", "noise", "window", "steady", "played"), every(13, RACES)
)
def test_the_leader_is_the_argmax_of_every_round(
    shift, power, bonus, noise, window, steady, played, monkeypatch
):
    """Indices are total/N + bonus ((ln t + shift)/N)^power.

    Totals are random walks with noise of the given size. In wide windows the end of a window
    matters. If N is not steady, every other pull brings nothing, as from a user who sends nothing.
    Some games start late: every arm has been played ``played`` times before.
    """
    monkeypatch.setattr(argmax, "WINDOW", window)
    rng = np.random.default_rng(6)
    K, kept = 4, 0
    N = np.full(K, float(played))
    S, total = 0.65 * N, 0.65 * N
    indices = indices_of(K, shift, power, power if steady else 1.0)
    if played:
        indices.level[:], indices.width[:] = 0.65, bonus / N**power
    start = K * played + 1
    stretch, last = argmax.Stretch(0, 0.0, -np.inf), 0
    for t in range(start, start + 4000):
        if t <= last and argmax.keeps_lead(stretch, total[stretch.arm], N[stretch.arm]):
            kept += 1
        else:
            if t > last:
                opened = argmax.new_window(indices, t)
                last = opened.last
            stretch = argmax.lead(indices, opened, t, total, N)
        a = stretch.arm
        with np.errstate(divide="ignore", invalid="ignore"):
            growth = (math.log(t) + shift) ** power
            index = np.where(N > 0, total / N + growth * bonus / N**power, np.inf)
        assert a == np.argmax(index)
        if steady or rng.random() < 0.5:
            S[a] += rng.random() < 0.8 - 0.1 * a
            N[a] += 1
            total[a] = S[a] + noise * rng.normal()
            indices.level[a] = total[a] / N[a]
            indices.width[a] = bonus / N[a] ** power
    assert kept > 250 or window > 1.0 or noise == 10.0 or bonus == 30.0


@pytest.mark.parametrize("window", [argmax.WINDOW, 0.2, 4.0])
@pytest.mark.parametrize("width_decay", [0.2, 0.5, 1.0])
def test_a_lead_is_kept_only_where_no_total_can_lose_it(window, width_decay, monkeypatch):
    """For each later round of a window, the total at which the leader's index equals the largest
    of the others does not keep the lead; one that is somewhat larger does."""
    monkeypatch.setattr(argmax, "WINDOW", window)
    rng = np.random.default_rng(8)
    for t in np.repeat([1, 20, 32, 40, 1000, 10**6], 40):
        power, n = rng.uniform(0.1, 0.9), math.ceil(t * 10 ** rng.uniform(-3, 0))
        indices = indices_of(3, 0.0, power, width_decay)
        indices.width[:3] = rng.choice([0.0, 0.1, 3.0], 3)
        indices.level[:3] = rng.normal(size=3)
        indices.level[0] += 10 + 10 * math.log(t)  # it leads
        total = np.array([indices.level[0] * n, 0.0, 0.0])
        window = argmax.new_window(indices, int(t))
        stretch, end = argmax.lead(indices, window, t, total, np.full(3, float(n))), window.last
        assert stretch.arm == 0
        for later in np.unique(np.linspace(t, end, 9).astype(int)):
            growth = math.log(later) ** power
            for N in {n, n + int(later - t)} if width_decay == 1.0 else {n + int(later - t)}:
                bonus = growth * indices.width[0] * n**width_decay * N ** (1.0 - width_decay)
                even = N * max(indices.level[1:] + growth * indices.width[1:]) - bonus
                assert not argmax.keeps_lead(stretch, even, float(N))
                slack = 100.0 * (1.0 + growth) * N
                assert argmax.keeps_lead(stretch, even + slack, float(N))


@pytest.mark.parametrize(("shift", "power"), [(0.0, 0.5), (math.log(2) / 4, 0.2), (2.0, 0.47)])
def test_growth_follows_its_formula(shift, power):
    for start in (1, 1000, 2**17, 10**7, 10**12):
        indices = indices_of(2, shift, power, power)
        window = argmax.new_window(indices, start)
        rounds = np.unique(np.linspace(start, 1.0003 * start + 20, 500).astype(int))
        found = np.array([argmax.growth(indices, window, t) for t in rounds.tolist()])
        assert np.allclose(found, (np.log(rounds) + shift) ** power, rtol=1e-15, atol=0)
        assert (np.diff(found) >= 0).all()
    if power == 0.5:
        return
    window = window._replace(cubic=(*window.cubic[:3], 0.0))  # a control: without its last term
    late = int(start * (1 + 0.99 * powers.CLOSE))
    assert abs(argmax.growth(indices, window, late) / (math.log(late) + shift) ** power - 1) > 1e-15
