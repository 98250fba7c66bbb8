"""The two privacy regimes of Azize & Basu 2022, Fig. 3."""

import numpy as np
import pytest

from dpbandits.theory.azize2022 import lower_bound_terms, privacy_threshold


def test_the_terms_of_the_lower_bound_meet_at_the_threshold():
    """kl/(6 gap) = .273 for .8 against .1."""
    threshold = privacy_threshold(0.1, 0.8)
    assert threshold == pytest.approx(0.273, abs=5e-4)
    information, privacy = lower_bound_terms([0.8, 0.1, 0.1, 0.1, 0.1], threshold, 1e7)
    assert information == pytest.approx(privacy)
    assert information == pytest.approx(np.log(1e7) * 4 * 0.7 / 1.1456, rel=1e-3)
    assert lower_bound_terms([0.8, 0.1], 0.1, 1e7)[1] > lower_bound_terms([0.8, 0.1], 1, 1e7)[1]
