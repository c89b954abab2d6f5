import pytest

from dpcore.datasets.schema import Column


def test_a_number_without_bounds_or_without_a_reason_is_refused():
    with pytest.raises(ValueError, match="needs bounds"):
        Column("age", "number", "age")
    with pytest.raises(ValueError, match="reason"):
        Column("age", "number", "age", lower=0, upper=100)


@pytest.mark.parametrize(("lower", "upper"), [(1, 1), (2, 1), (0, float("inf")), (float("nan"), 1)])
def test_bounds_that_are_no_interval_are_refused(lower, upper):
    with pytest.raises(ValueError, match="interval"):
        Column("age", "number", "age", lower=lower, upper=upper, bounds_reason="because")


def test_a_logarithm_that_the_bounds_do_not_allow_is_refused():
    with pytest.raises(ValueError, match="log1p"):
        Column("gain", "number", "g", lower=-1, upper=1, bounds_reason="because", transform="log1p")


def test_a_yes_or_no_that_may_be_unknown_must_be_a_category():
    with pytest.raises(ValueError, match="category"):
        Column("smoker", "indicator", "smokes", missing_marks=("?",))


def test_a_category_without_levels_is_refused():
    with pytest.raises(ValueError, match="levels"):
        Column("sex", "category", "sex")
