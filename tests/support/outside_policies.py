"""Sixteen policies as users may write them: eight are eps-DP, and eight are not.

Unless their docstring says otherwise, they play the arms in turn for half of the rounds, and then
the arm that ``decide`` returns.
"""

import numpy as np


class Commit:
    """Explore, then commit. Each reward is added to one sum."""

    def __init__(self, arms, horizon, eps, rng):
        self.K, self.T, self.eps, self.rng = arms, horizon, eps, rng
        self.S, self.t, self.best = np.zeros(arms), 0, None
        self.begin()

    def begin(self):
        pass

    def choose(self):
        if self.t < max(self.T // 2, self.K):
            return self.t % self.K
        if self.best is None:
            self.best = int(self.decide())
        return self.best

    def receive(self, arm, reward):
        if self.best is None:
            self.S[arm] += reward
        self.t += 1


class ListOfNoise(Commit):
    scale = 1.0

    def decide(self):
        noise = [self.rng.laplace(0, self.scale / self.eps) for _ in range(self.K)]
        return np.argmax(self.S + np.array(noise))


class ListOfUnits(Commit):
    def decide(self):
        return np.argmax(
            self.S + np.asarray([self.rng.laplace() for _ in range(self.K)]) / self.eps
        )


class ArrayInAdvance(Commit):
    def begin(self):
        self.noise = self.rng.laplace(size=self.K)

    def decide(self):
        return np.argmax(self.S + self.noise / self.eps)


class SumsOfNoise(Commit):
    """The sums start with the noise in place of 0."""

    def begin(self):
        self.S = self.rng.laplace(0, 1 / self.eps, size=self.K)

    def decide(self):
        return np.argmax(self.S)


class TiesAtRandom(Commit):
    def decide(self):
        noisy = np.round(self.S + self.rng.laplace(0, 1 / self.eps, self.K))
        return self.rng.choice(np.flatnonzero(noisy == noisy.max()))


class InverseLaplace(Commit):
    def decide(self):
        u = self.rng.random(self.K) - 0.5
        return np.argmax(self.S - np.sign(u) * np.log(1 - 2 * np.abs(u)) / self.eps)


class FilledArray(Commit):
    """The noise is stored in an array of plain numbers."""

    def decide(self):
        noise = np.zeros(self.K)
        for a in range(self.K):
            noise[a] = self.rng.laplace(0, 1 / self.eps)
        return np.argmax(self.S + noise)


class GumbelEachRound(Commit):
    """The exponential mechanism in each round, with the budget eps/T each."""

    def choose(self):
        share = self.eps / (2 * self.T)
        return int(np.argmax(share * self.S + self.rng.gumbel(size=self.K)))


class ExponentialAlways(Commit):
    """Every fourth round uses the whole eps for the whole history."""

    def choose(self):
        if self.t % 4 < 3:
            return self.t % self.K
        p = np.exp(self.eps * (self.S - self.S.max()))
        return int(self.rng.choice(self.K, p=p / p.sum()))


class CoinsAlways(ExponentialAlways):
    """The same for two arms: a uniform number is compared with a probability."""

    def choose(self):
        if self.t % 4 < 3:
            return self.t % self.K
        lead = self.S[1] - self.S[0]
        return int(self.rng.random() < 1 / (1 + np.exp(-self.eps * lead)))


class NoNoiseOfManyArms(Commit):
    many = 5

    def decide(self):
        few = self.many > self.K
        return np.argmax(self.S + (self.rng.laplace(0, 1 / self.eps, self.K) if few else 0))


class NoNoiseLate(Commit):
    """The arms are compared again after every 8 rounds of each arm. After round 300 there is no
    noise.
    """

    def begin(self):
        self.left, self.leader = 8 * self.K, 0

    def choose(self):
        if self.left == 0:
            noise = self.rng.laplace(0, 1 / self.eps, self.K) if self.t < 300 else 0
            self.leader = int(np.argmax(self.S + noise))
            self.S, self.left = np.zeros(self.K), 32 * self.K
        return self.leader if self.left > 8 * self.K else self.left % self.K

    def receive(self, arm, reward):
        if self.left <= 8 * self.K:
            self.S[arm] += reward
        self.left, self.t = self.left - 1, self.t + 1


class OneNoise(Commit):
    """One draw of noise for all arms."""

    def decide(self):
        return np.argmax(self.S + self.rng.laplace(0, 1 / self.eps))


class HalfNoise(ListOfNoise):
    scale = 0.5


class LoudGumbel(Commit):
    def decide(self):
        return np.argmax(4 * self.eps * self.S + self.rng.gumbel(size=self.K))


class ArrayReused(Commit):
    """One array of noise for the sums of every fourth round."""

    def begin(self):
        self.noise, self.leader = self.rng.laplace(0, 1 / self.eps, size=self.K), 0

    def choose(self):
        if self.t % 4 == 3:
            self.leader = int(np.argmax(self.S + self.noise))
            return self.leader
        return self.t % self.K


FOLLOWED = [ListOfNoise, ListOfUnits, ArrayInAdvance, SumsOfNoise, TiesAtRandom]
NOT_FOLLOWED = {  # sound, with the draws that replays do not follow
    InverseLaplace: "uniform numbers that are transformed",
    FilledArray: "draws of noise",
    GumbelEachRound: "noise of the law gumbel",
}
BROKEN = [
    ExponentialAlways, CoinsAlways, NoNoiseOfManyArms, NoNoiseLate, OneNoise, HalfNoise, LoudGumbel,
    ArrayReused,
]  # fmt: skip
