"""Horizons that a sweep on the command line varies."""

import pytest

from dpbandits.cli.config.compose import read_request
from dpbandits.errors import BadInput


@pytest.mark.parametrize("sweep", ["{horizon:[100]}", "[{horizon:[100]},{horizon:[200]}]"])
def test_a_horizon_beside_swept_ones_is_refused(sweep):
    with pytest.raises(BadInput, match="horizon=300: the sweep varies horizon"):
        read_request([f"sweep={sweep}", "horizon=300"], ())
