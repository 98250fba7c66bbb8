"""Policies that do not use the package: a private DP-SE in plain Python, and broken twins."""

import random

import numpy as np


class SoundDPSE:
    """Successive elimination by noisy sums of signs 2r - 1. Each reward is used in one sum, so it
    is eps-DP.

    One reward changes a sum by at most 2, so the scale of the noise is 2/eps.
    """

    def __init__(self, arms, horizon, eps, rng):
        self.active, self.eps, self.rng = list(range(arms)), eps, rng
        self.epoch = 0
        self.start()

    def start(self):
        self.epoch += 1
        self.length = 2**self.epoch
        self.sums, self.count = [0.0] * len(self.active), 0

    def choose(self):
        return self.active[self.count % len(self.active)]

    def receive(self, arm, reward):
        self.sums[self.active.index(arm)] += 2.0 * reward - 1.0
        self.count += 1
        if self.count == self.length * len(self.active):
            noisy = self.release(self.sums)
            best, width = max(noisy), 2.0 / self.eps + np.sqrt(self.length)
            self.active = [a for a, x in zip(self.active, noisy, strict=True) if x > best - width]
            self.start()

    def release(self, sums):
        return [x + self.rng.laplace(0.0, 2.0 / self.eps) for x in sums]


class LegacyDPSE(SoundDPSE):
    """The same with NumPy's global random numbers."""

    def release(self, sums):
        return np.array(sums) + np.random.laplace(0.0, 2.0 / self.eps, size=len(sums))


class StandardDPSE(SoundDPSE):
    """The same with Python's global random numbers: noise is the difference of two exponential
    variables.
    """

    def release(self, sums):
        rate = self.eps / 2.0
        return [x + (random.expovariate(rate) - random.expovariate(rate)) for x in sums]


class SharedNoise(SoundDPSE):
    """The same draw of noise for all arms, which cancels when arms are compared."""

    def release(self, sums):
        noise = np.random.laplace(0.0, 2.0 / self.eps)
        return [x + noise for x in sums]


class ScaleAsLocation(SoundDPSE):
    """The scale is passed as the location by mistake, so the scale is 1."""

    def release(self, sums):
        return [x + np.random.laplace(2.0 / self.eps) for x in sums]


class HalfTheNoise(SoundDPSE):
    """The noise is right only if a sum changes by at most 1."""

    def release(self, sums):
        return [x + self.rng.laplace(0.0, 1.0 / self.eps) for x in sums]


class SeedsOfNumpy(SoundDPSE):
    """Every epoch has a generator of its own, with a seed of its own."""

    def __init__(self, arms, horizon, eps, seed):
        self.seed = seed
        super().__init__(arms, horizon, eps, None)

    def release(self, sums):
        self.seed += 1
        self.rng = np.random.default_rng(self.seed)
        return super().release(sums)


class SameSeedAgain(SeedsOfNumpy):
    """Every sum has a generator of its own with the same seed, and so the same noise."""

    def release(self, sums):
        return [super(SeedsOfNumpy, self).release([x])[0] for x in sums if self.again()]

    def again(self):
        self.rng = np.random.default_rng(self.seed)
        return True


SOUND = SoundDPSE, LegacyDPSE, StandardDPSE
BROKEN = SharedNoise, ScaleAsLocation, HalfTheNoise


class LaplaceUsers:
    """Each user adds Laplace noise of scale 1/eps, so it is eps-LDP. The arm with the largest mean
    is played.
    """

    def __init__(self, arms, horizon, eps, rng):
        self.sums, self.pulls, self.eps, self.rng = [0.0] * arms, [0] * arms, eps, rng

    def choose(self):
        means = [s / n if n else np.inf for s, n in zip(self.sums, self.pulls, strict=True)]
        return int(np.argmax(means))

    def receive(self, arm, reward):
        self.sums[arm] += self.send(reward)
        self.pulls[arm] += 1

    def send(self, reward):
        return reward + self.rng.laplace(0.0, 1.0 / self.eps)


class BitUsers(LaplaceUsers):
    """Each user sends a bit by randomised response."""

    def send(self, reward):
        tanh = np.tanh(self.eps / 2.0)
        return float(random.random() < 0.5 + (reward - 0.5) * tanh)


class UnitScale(LaplaceUsers):
    """The scale is passed as the location by mistake."""

    def send(self, reward):
        return reward + np.random.laplace(1.0 / self.eps)


class LoudBits(BitUsers):
    """A bit is sent with three times the privacy level."""

    def __init__(self, arms, horizon, eps, rng):
        super().__init__(arms, horizon, 3.0 * eps, rng)


SOUND_USERS = LaplaceUsers, BitUsers
BROKEN_USERS = UnitScale, LoudBits


class HiddenNoise(SoundDPSE):
    """Its noise comes from a generator that was made when the module was imported."""

    hidden = np.random.default_rng(11)

    def release(self, sums):
        return [x + self.hidden.laplace(0.0, 2.0 / self.eps) for x in sums]


class InTurn:
    """It plays all arms in turn."""

    def __init__(self, arms, horizon, eps, rng):
        self.arms, self.t = arms, 0

    def choose(self):
        return self.t % self.arms

    def receive(self, arm, reward):
        self.t += 1


class TooFar(InTurn):
    """It chooses an arm that does not exist."""

    def choose(self):
        return self.arms


class Endless(InTurn):
    """It has its own loop, which never ends."""

    def play(self, pull):
        while True:
            pull(1)


class Brief(InTurn):
    """It stops after two rounds."""

    def play(self, pull):
        pull(0)
        pull(0)


def nothing(arms, horizon, eps, rng):
    """A function that returns no policy."""
