"""Both kinds of neighbours, for every test that names them."""

import pytest

from dpcore.guarantee import Adjacency


@pytest.fixture(params=[Adjacency.ZERO_OUT, Adjacency.REPLACE_ONE])
def adjacency(request):
    return request.param
