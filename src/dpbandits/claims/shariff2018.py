"""Shariff & Sheffet 2018: Private LinUCB with Gaussian and with Wishart noise."""

from .claim import claim
from .statistics import Parts, Runs, ratio

HORIZONS = 10**4, 10**5, 10**6, 10**7  # at eps 1
LEVELS = 3.0, 10.0, 30.0, 100.0, 300.0, 1000.0, 3000.0, 10000.0  # at T = 1e6


@claim("SS1", "Shariff & Sheffet 2018, section 4 (the claim is ours)",
       "none; the paper prints no experiment", "ours", "shariff2018")  # fmt: skip
def gaussian_noise_beats_wishart_noise(runs: Runs) -> Parts:
    """At equal (eps, delta) Private LinUCB has less regret with Gaussian noise than with Wishart
    noise.

    Ten runs do not decide the claim at T = 1e4, nor for one theta at 1e5. At T = 1e6 the regret
    with Wishart noise is 1.4 times the regret with Gaussian noise at eps 1, and 4 times at eps
    1000. Wishart noise does not vanish as eps grows, since its degrees of freedom are at least d +
    2 for any eps. Gaussian noise vanishes, but above an eps of 1997 (delta .001) it gives less
    privacy than promised.
    """
    contextual = runs(env="contextual")
    for cases in (
        contextual(eps=1.0).each(horizon=HORIZONS, env_instance=range(5)),
        contextual.each(eps=LEVELS, horizon=[10**6], env_instance=range(5)),
    ):
        for case in cases:
            gaussian = case(noise="gaussian", calibration="printed")
            yield ratio(gaussian, case(noise="wishart", calibration="printed"), below=1)
