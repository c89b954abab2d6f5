"""Statements from elsewhere: as Opacus, OpenDP and abstracts write them, and as they were done."""

import json

import pytest

from dpcore.accounting.elsewhere import StatementStudy, as_done, read
from dpcore.accounting.events import Gaussian, Repeated
from dpcore.errors import InvalidInput
from dpcore.guarantee import Adjacency

STEPS = read("1.1, 0.01, 1000")


def made(name, module="measurements", **given):
    return {"__function__": name, "__module__": module, "__kwargs__": given, "__version__": "0.16"}


def noise(name, scale, kind="i32", reached=None):
    """A measurement as OpenDP 0.16 writes it."""
    domain = made("atom_domain", "domains", bounds=None, nan=None, T=kind)
    vector = made("vector_domain", "domains", atom_domain=domain, size=None)
    leaf = made(name, input_domain=vector, scale=scale, k=None, MO="MaxDivergence")
    if reached is None:
        return leaf
    return made("make_chain_mt", "combinators", measurement1=leaf, transformation0=reached)


INTEGERS = made("vector_domain", atom_domain=made("atom_domain", T="i32"))
CLAMP = made("make_clamp", input_domain=INTEGERS, bounds={"__tuple__": [-3, 10]})
SUM = made(
    "make_chain_tt",
    transformation1=made("make_sum", input_domain=INTEGERS),
    transformation0=CLAMP,
)
COUNT = made("make_count", "transformations", TO="i32")


def test_an_abstract_is_read_with_batch_records_and_epochs():
    (steps,) = read("1.1, 256/60000, 10 epochs")
    assert steps == ("gaussian", 1.1, 256 / 60_000, 2_350, 10)
    assert read("2") == (("gaussian", 2.0, 1.0, 1, 0),)
    study = StatementStudy(" laplace 2 ;1.1, .01, 5epochs")
    assert study.history == "laplace 2, 1, 1; 1.1, 0.01, 5 epochs"
    assert StatementStudy(study.history) == study


def test_a_state_of_opacus_is_read():
    state = {"history": [[1.1, 0.01, 1000], [0.9, 0.01, 20]], "mechanism": "prv"}
    assert StatementStudy(json.dumps(state)).history == "1.1, 0.01, 1000; 0.9, 0.01, 20"


@pytest.mark.parametrize(
    ("measurement", "distance", "history"),
    [
        (noise("make_laplace", 5.0, reached=SUM), None, "discrete-laplace 0.5, 1, 1"),
        (noise("make_geometric", 5.0, reached=COUNT), None, "discrete-laplace 5, 1, 1"),
        (noise("make_gaussian", 5.0, "f64"), 2.0, "2.5, 1, 1"),
        (
            made("make_fix_delta", measurement=noise("make_gaussian", 5.0, reached=COUNT)),
            None,
            "discrete-gaussian 5, 1, 1",
        ),
        (
            made("make_composition", measurements=[noise("make_laplace", 2.0, "f64")] * 2),
            None,
            "laplace 2, 1, 1; laplace 2, 1, 1",
        ),
        (
            made("make_chain_pm", measurement0=noise("make_gaussian", 2.0, "f32")),
            None,
            "2, 1, 1",
        ),
    ],
)
def test_a_measurement_of_opendp_is_read(measurement, distance, history):
    assert StatementStudy(json.dumps(measurement), distance).history == history


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", ("number of kinds of steps is 0",)),
        ("1.1, 2, 3", ("line 1: rate is 2", "at most 1")),
        ("1.1, 0.01, 10; 0, 0.01, 10", ("line 2: noise is 0", "at least 10⁻⁸")),
        ("1.1, 0.01, 10, 4", ("line 1 is '1.1, 0.01, 10, 4'", "noise, rate, steps")),
        ("laplace 1, 0.1, 10", ("line 1: rate is 0.1", "must be 1")),
        ("gauss 1", ("line 1: law is 'gauss'", "gaussian")),
        ("1, 1/0, 1", ("records is 0", "above 0")),
        ("1, 0.1, x epochs", ("epochs is 'x'", "whole number")),
        ('{"history": 3}', ("history is 3", "list")),
        ('{"history": [[1, 0.1]]}', ("history[0] is [1, 0.1]",)),
        ('{"history": [["a", 0.1, 1]]}', ("history[0]: noise is 'a'", "finite number")),
        ('{"history": [[1, 0.1, NaN]]}', ("history[0]: steps is nan",)),
        ('{"history": [[1, 0.1, 1]], "mechanism": "moments"}', ("mechanism is 'moments'", "prv")),
        ("{", ("the statement is '{'", "JSON")),
        ("[[1, 2]]", ("the statement is", "Opacus")),
        ("[" * 100_000, ("the statement is", "Opacus")),
        ('{"__function__": "make_noisy_max", "__kwargs__": {}}', ("make_noisy_max",)),
        ('{"__function__": "make_laplace", "__kwargs__": {}}', ("make_laplace: scale is None",)),
        ('{"__function__": "make_chain_mt", "__kwargs__": {}}', ("the statement is",)),
        *(
            (json.dumps(noise("make_laplace", 1.0, reached=reached)), ("distance is missing", name))
            for reached, name in (
                (made("make_mean"), "make_mean"),
                (made("make_chain_tt", transformation1=SUM, transformation0=COUNT), "make_chain"),
                (made("make_chain_tt", transformation1=COUNT, transformation0=CLAMP), "make_clamp"),
            )
        ),
        (
            json.dumps(
                made(
                    "make_chain_mt",
                    measurement1=noise("make_laplace", 1.0, reached=COUNT),
                    transformation0=COUNT,
                )
            ),
            ("measurement1 is 'make_chain_mt'",),
        ),
        (
            json.dumps(made("make_gaussian", scale=1.0, k=3)),
            ("make_gaussian: k is 3", "null"),
        ),
    ],
)
def test_bad_input_is_one_sentence(text, words):
    with pytest.raises(InvalidInput) as refused:
        StatementStudy(text)
    said = str(refused.value)
    assert said.endswith(".")
    assert all(word in said for word in words), said


@pytest.mark.parametrize("sampler", ["shuffled", "ordered"])
def test_a_record_of_disjoint_batches_counts_once_an_epoch(sampler):
    done = as_done(STEPS, sampler, "expected", Adjacency.ZERO_OUT)
    assert done.event.events == (Repeated(Gaussian(1.1), 10),)
    assert done.is_exact is (sampler == "ordered")
    assert "10 full steps" in done.why
    # 60 000/256 is 234.4: a loop that drops the last batch begins its tenth epoch after 2 106.
    odd = as_done(read("1, 256/60000, 2107"), sampler, "expected", Adjacency.ZERO_OUT)
    assert odd.event.events[0].count == 10
    assert not odd.is_exact
    said = as_done(read("1, 256/60000, 10 epochs"), sampler, "expected", Adjacency.ZERO_OUT)
    assert said.event.events[0].count == 10


@pytest.mark.parametrize(
    ("sampler", "division", "adjacency", "word"),
    [
        ("weighted", "expected", Adjacency.ZERO_OUT, "813"),
        ("poisson", "records", Adjacency.ADD_REMOVE, "819"),
        ("poisson", "actual", Adjacency.ADD_REMOVE, "size of each batch"),
        ("shuffled", "expected", Adjacency.ADD_REMOVE, "other batches"),
    ],
)
def test_what_no_theorem_covers_is_empty_and_says_why(sampler, division, adjacency, word):
    done = as_done(STEPS, sampler, division, adjacency)
    assert done.event is None
    assert word in done.why


def test_division_by_a_batch_that_tells_who_is_in_it_loses_what_sampling_gains():
    done = as_done(STEPS, "poisson", "actual", Adjacency.ZERO_OUT)
    assert done.event.events == (Repeated(Gaussian(1.1), 1_000),)
    # Batches of a fixed size tell nothing.
    assert not as_done(STEPS, "fixed", "actual", Adjacency.ZERO_OUT).why
