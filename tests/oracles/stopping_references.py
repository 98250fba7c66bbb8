"""Slow, simple stopping rules, written from Sajed & Sheffet 2019 alone. Tests compare the package
with them.

Each rule takes two functions: ``sample(t)`` returns the t-th sample, and ``noise(scale)`` draws a
Laplace variable. It returns the stopping time and the estimate, or the cap and None.
"""

import math


def nas(sample, noise, eps, a, beta, R, cap):
    """NAS, section 3: Hoeffding's radius with confidence 1 - beta / (2 t^2)."""
    samples = []
    total = 0.0
    for t in range(1, cap + 1):
        samples.append(sample(t))
        total += samples[-1]
        mean = total / t
        h = R * math.sqrt(2 / t * math.log(4 * t**2 / beta))
        if abs(mean) >= h * (1 + 1 / a):
            return t, mean
    return cap, None


def scales(R, eps):
    """Return the scales of the noise of the threshold, of the tests and of the estimate."""
    return 12 * R / eps, 12 * R / eps, 4 * R / eps


def private_bar(t, k, a, beta, R, sigma):
    """Return what the k-th test, after t samples, compares with the mean, without the noise: the
    radius h (1 + 1/a), and c.
    """
    h = R * math.sqrt(2 / t * math.log(16 * k**2 / beta))
    c = sigma[0] * math.log(4 / beta)
    c += sigma[1] * math.log(8 * k**2 / beta)
    c += sigma[2] / a * math.log(4 / beta)
    return h * (1 + 1 / a), c


def dp_nas(sample, noise, eps, a, beta, R, cap):
    """Algorithm 1, line by line."""
    sigma = scales(R, eps)
    B = noise(sigma[0])
    total = 0.0
    t = 0
    while t < cap:
        t += 1
        A = noise(sigma[1])
        total += sample(t)
        mean = total / t
        radius, c = private_bar(t, t, a, beta, R, sigma)
        if abs(mean) >= radius + (c + B + A) / t:
            return t, mean + noise(sigma[2]) / t
    return cap, None


def dp_nas_exp(sample, noise, eps, a, beta, R, cap):
    """Algorithm 2, line by line."""
    sigma = scales(R, eps)
    B = noise(sigma[0])
    total = 0.0
    k = 0
    t = 0
    while True:
        k += 1
        while t != 2**k:
            if t == cap:
                return cap, None
            t += 1
            total += sample(t)
        mean = total / t
        A = noise(sigma[1])
        radius, c = private_bar(t, k, a, beta, R, sigma)
        if abs(mean) >= radius + (c + B + A) / t:
            return t, mean + noise(sigma[2]) / t
