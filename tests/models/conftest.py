"""Both kinds of neighbours, for every test that names them."""

from __future__ import annotations

import pytest

from dpcore.guarantee import Adjacency


@pytest.fixture(params=[Adjacency.ZERO_OUT, Adjacency.REPLACE_ONE])
def adjacency(request: pytest.FixtureRequest) -> Adjacency:
    return request.param
