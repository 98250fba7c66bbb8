"""Policies in plain Python, each with the verdict that an audit must give: private ones, and twins
that leak.

All are the successive elimination or the users of ``policies_elsewhere``. They differ in how they
make a noisy number.
"""

import math

import numpy as np
from policies_elsewhere import LaplaceUsers, SoundDPSE


class VectorScales(SoundDPSE):
    """The scales of the noise are given as an array."""

    factor = 1.0

    def release(self, sums):
        scales = np.full(len(sums), self.factor * 2.0 / self.eps)
        return list(np.array(sums) + self.rng.laplace(0.0, scales))


class VectorLocations(VectorScales):
    """The sums are the locations of the noise."""

    def release(self, sums):
        return list(self.rng.laplace(sums, self.factor * 2.0 / self.eps))


class InPlace(VectorScales):
    """Noise is added to an array in place."""

    def release(self, sums):
        noisy = np.array(sums)
        noisy += self.rng.laplace(0.0, self.factor * 2.0 / self.eps, size=len(sums))
        return noisy.tolist()


class ClippedRelease(SoundDPSE):
    """A noisy sum is clipped, which reveals no more than the noisy sum itself."""

    def release(self, sums):
        n = self.length
        return [float(np.clip(x, -n, n)) for x in super().release(sums)]


class ClippedNoise(SoundDPSE):
    """The noise is clipped before it is added."""

    def release(self, sums):
        b = 2.0 / self.eps
        return [x + np.clip(self.rng.laplace(0.0, b), -b, b) for x in sums]


class TruncatedNoise(SoundDPSE):
    """Noise that is too large is drawn again."""

    def release(self, sums):
        return [x + self.truncated(2.0 / self.eps) for x in sums]

    def truncated(self, scale):
        while True:
            noise = self.rng.laplace(0.0, scale)
            if abs(noise) <= scale:
                return noise


class ScaleOfLength(SoundDPSE):
    """The scale depends on the number of rewards, which is public, and is never too small."""

    def release(self, sums):
        scale = 2.0 / self.eps * (1.0 + 1.0 / self.length)
        return [x + self.rng.laplace(0.0, scale) for x in sums]


class ScaleOfData(SoundDPSE):
    """The scale depends on the sum."""

    def release(self, sums):
        n = self.length
        return [x + self.rng.laplace(0.0, (2.0 + 0.5 * abs(x) / n) / self.eps) for x in sums]


class TwoReleases(SoundDPSE):
    """Each sum is released twice, with half of the budget each."""

    share = 0.5

    def release(self, sums):
        scale = 2.0 / (self.share * self.eps)
        first = [x + self.rng.laplace(0.0, scale) for x in sums]
        second = [x + self.rng.laplace(0.0, scale) for x in sums]
        return [0.5 * (x + y) for x, y in zip(first, second, strict=True)]


class TwoWholeReleases(TwoReleases):
    """Each sum is released twice, with the whole budget each."""

    share = 1.0


class NoiseOfStart(SoundDPSE):
    """Noise is drawn at the start, and each draw is added to one sum."""

    def __init__(self, arms, horizon, eps, rng):
        self.noise = [rng.laplace(0.0, 2.0 / eps) for _ in range(arms * 12)]
        super().__init__(arms, horizon, eps, rng)

    def release(self, sums):
        return [x + self.noise.pop() for x in sums]


class NoiseReused(NoiseOfStart):
    """The noise from the start is added to the sums of every epoch."""

    def release(self, sums):
        return [x + noise for x, noise in zip(sums, self.noise, strict=False)]


class RandomSeed(SoundDPSE):
    """The seed of its generator is drawn at random."""

    def __init__(self, arms, horizon, eps, rng):
        own = np.random.default_rng(rng.integers(2**63))
        super().__init__(arms, horizon, eps, own)


class FixedSeed(SoundDPSE):
    """Its generator has a fixed seed."""

    def __init__(self, arms, horizon, eps, rng):
        super().__init__(arms, horizon, eps, np.random.default_rng(7))


class FixedGlobalSeed(SoundDPSE):
    """The global generator has a fixed seed."""

    def __init__(self, arms, horizon, eps, rng):
        np.random.seed(horizon)
        super().__init__(arms, horizon, eps, np.random)


class ExponentialMechanism(SoundDPSE):
    """After half of the rounds, the exponential mechanism chooses the arm that is played from then
    on.
    """

    factor = 1.0

    def __init__(self, arms, horizon, eps, rng):
        self.half = horizon // 2
        super().__init__(arms, horizon, eps, rng)

    def start(self):
        super().start()
        self.length = max(self.half // len(self.active), 1) if self.epoch == 1 else 10**9

    def receive(self, arm, reward):
        self.sums[self.active.index(arm)] += reward
        self.count += 1
        if self.count == self.length * len(self.active):
            scores = self.factor * self.eps * np.array(self.sums) / 2.0
            law = np.exp(scores - scores.max())
            self.active = [int(self.rng.choice(len(law), p=law / law.sum()))]
            self.start()


class FlippedBits(LaplaceUsers):
    """A reward is rounded to a bit, which is flipped with a probability that is public."""

    factor = 1.0

    def send(self, reward):
        bit = float(self.rng.random() < reward)
        truth = 1.0 / (1.0 + math.exp(-self.factor * self.eps))
        return bit if self.rng.random() < truth else 1.0 - bit


class ChosenBits(FlippedBits):
    """A bit is chosen by ``choice`` with two probabilities."""

    def send(self, reward):
        p = 0.5 + (reward - 0.5) * math.tanh(self.factor * self.eps / 2.0)
        return float(self.rng.choice([0, 1], p=[1.0 - p, p]))


class TruthOrLie(FlippedBits):
    """The bit or its opposite is chosen, with public probabilities."""

    def send(self, reward):
        bit = int(reward >= 0.5)
        truth = 1.0 / (1.0 + math.exp(-self.factor * self.eps))
        return float(self.rng.choice([bit, 1 - bit], p=[truth, 1.0 - truth]))


class BinomialBits(FlippedBits):
    def send(self, reward):
        return float(
            self.rng.binomial(1, 0.5 + (reward - 0.5) * math.tanh(self.factor * self.eps / 2.0))
        )


class TruthOrCoin(FlippedBits):
    """Either the bit is sent, or a fair coin in its place."""

    def send(self, reward):
        bit, e = int(reward >= 0.5), math.exp(self.factor * self.eps)
        truth = (e - 1.0) / (e + 1.0)
        return float(bit if self.rng.random() < truth else self.rng.integers(2))


class NoiseBeforeReward(LaplaceUsers):
    """All noise is drawn at the start, a number for each user."""

    def __init__(self, arms, horizon, eps, rng):
        super().__init__(arms, horizon, eps, rng)
        self.noise = rng.laplace(0.0, 1.0 / eps, size=horizon)
        self.t = -1

    def send(self, reward):
        self.t += 1
        return reward + self.noise[self.t]


class NoiseOfAllUsers(NoiseBeforeReward):
    """The same draw of noise for all users."""

    def send(self, reward):
        return reward + self.noise[0]


class HalfBitsHalfLaplace(TruthOrLie):
    """A fair coin decides whether a user sends a flipped bit or a reward with noise."""

    def send(self, reward):
        if self.rng.random() < 0.5:
            return super().send(reward)
        return reward + self.rng.laplace(0.0, 1.0 / self.eps)


class OftenNoisy(LaplaceUsers):
    """One response in ten has no noise."""

    def send(self, reward):
        return super().send(reward) if self.rng.random() < 0.9 else reward


class NoNoiseInside(LaplaceUsers):
    """A reward that is not 0 or 1 is sent without noise."""

    def send(self, reward):
        return 100.0 * reward if 0.0 < reward < 1.0 else super().send(reward)


class RawDecisions(LaplaceUsers):
    """Responses have noise, but arms are chosen by the rewards without noise."""

    def receive(self, arm, reward):
        self.send(reward)
        self.sums[arm] += reward
        self.pulls[arm] += 1


class SentTwice(LaplaceUsers):
    """Two responses with the whole budget each."""

    def send(self, reward):
        return (super().send(reward) + super().send(reward)) / 2.0


class InverseNoise(LaplaceUsers):
    """Laplace noise computed by the inverse of its distribution function, which the audit cannot
    follow.
    """

    def send(self, reward):
        u = self.rng.random() - 0.5
        return reward - np.sign(u) * np.log(1.0 - 2.0 * abs(u)) / self.eps


class LocatedUsers(LaplaceUsers):
    """The reward is the location of the noise; the sum is then scaled."""

    def send(self, reward):
        return 2.0 * self.rng.laplace(reward, self.factor / self.eps) / 2.0

    factor = 1.0


class RoundedUsers(LaplaceUsers):
    """A reward is rounded to a bit, to which noise is added."""

    def send(self, reward):
        return super().send(float(self.rng.random() < reward))


class TwoNoises(LaplaceUsers):
    """The first noise alone is too small."""

    def send(self, reward):
        return reward + self.rng.laplace(0.0, 0.7 / self.eps) + self.rng.laplace(0.0, 1 / self.eps)


class ThompsonOfBits(FlippedBits):
    """The server draws the means of the arms from Beta laws, given flipped bits."""

    def choose(self):
        both = zip(self.sums, self.pulls, strict=True)
        return int(np.argmax([self.rng.beta(1.0 + s, 1.0 + n - s) for s, n in both]))


class BatchesOfUsers(LaplaceUsers):
    """The server waits for four users."""

    size = 4

    def __init__(self, arms, horizon, eps, rng):
        super().__init__(arms, horizon, eps, rng)
        self.waiting = []

    def receive(self, arm, reward):
        self.waiting.append((arm, reward))
        if len(self.waiting) == self.size:
            for a, x in self.sent(self.waiting):
                super().receive(a, x)
            self.waiting = []


class NoiseOfBatches(BatchesOfUsers):
    """The server adds noise to sums of the raw rewards of four users, also of the same arm."""

    def sent(self, batch):
        return [(a, sum(x for b, x in batch if b == a) + 1.0) for a in {a for a, _ in batch}]


class NoiseInBatches(BatchesOfUsers):
    """Each of the four users adds noise before the server sums."""

    def sent(self, batch):
        return batch


def times(factor, *policies):
    """Return the same policies with their noise, or their eps, multiplied by a factor."""
    return [type(f"{x.__name__}Times{factor:g}", (x,), {"factor": factor}) for x in policies]


CONSISTENT = [
    VectorScales, VectorLocations, InPlace, ClippedRelease, ScaleOfLength, TwoReleases,
    NoiseOfStart, ExponentialMechanism,
]  # fmt: skip
LEAKING = [
    *times(0.3, VectorScales, VectorLocations, InPlace), ClippedNoise, TruncatedNoise,
    ScaleOfData, TwoWholeReleases, NoiseReused, FixedSeed, FixedGlobalSeed,
    *times(8.0, ExponentialMechanism),
]  # fmt: skip
OF_BITS = FlippedBits, ChosenBits, TruthOrLie, BinomialBits, TruthOrCoin
CONSISTENT_USERS = [*OF_BITS, NoiseBeforeReward, NoiseInBatches, LocatedUsers]
VIOLATING_USERS = [
    *times(4.0, *OF_BITS), OftenNoisy, NoNoiseInside, RawDecisions, SentTwice,
    *times(0.4, LocatedUsers),
]  # fmt: skip
UNDECIDED = [RandomSeed]  # sound; CONSISTENT where it can be followed
UNDECIDED_USERS = [InverseNoise, HalfBitsHalfLaplace, RoundedUsers, TwoNoises, ThompsonOfBits]
