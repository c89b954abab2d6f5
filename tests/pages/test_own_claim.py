"""One's own claim on the page: numbers, a library's file, and outputs from elsewhere."""

import json

import numpy as np
import pytest

from dpcore.accounting.elsewhere import StatementStudy
from dpcore.audit.claim import read_worlds
from dpcore.questions.statement.question import StatementQuestion
from dpcore.questions.told import command
from pages.atlas.own import EXAMPLES
from tests.accounting.test_elsewhere import made, noise
from tests.pages.shown import charts, numbers, open_page, run, said, with_table
from tests.pages.waiting import until

pytestmark = [pytest.mark.usefixtures("alone"), pytest.mark.slow("runs whole pages")]
LINK = {"on_trial": "Your own"}


def test_it_opens_with_an_example_that_is_proved():
    app = open_page("atlas", **LINK)
    until(lambda: "Proved ε" in numbers(app), app)
    assert not app.warning
    assert numbers(app)["Proved ε"] == "1.52"
    assert numbers(app)["Claimed ε"] == "–"
    assert numbers(app)["Attackers' right guesses"] == "58 of 100"
    assert ":green-badge[proved]" in said(app)


def test_a_link_holds_all_numbers_of_a_verdict():
    link = {
        "own_history": "1.1, 256/60000, 10 epochs",
        "own_claimed": "0.8",
        "own_sampler": "Shuffled, one after another",
        "own_adjacency": "One record replaced",
    }
    app = open_page("atlas", **LINK, **link)
    until(lambda: "Proved ε" in numbers(app), app)
    assert ":orange-badge[cannot be proved]" in said(app)
    assert numbers(app)["Claimed ε"] == "0.8"
    assert "10 full steps" in said(app)
    study = StatementStudy(link["own_history"])
    question = StatementQuestion(study, claimed=0.8, sampler="shuffled", adjacency="replace-one")
    assert command(question) in [each.value for each in with_table(app, "statement").code]


def test_a_weighted_sampler_leaves_the_proof_empty():
    app = open_page("atlas", **LINK, own_sampler="By a weighted sampler", own_claimed="1")
    until(lambda: "Proved ε" in numbers(app), app)
    assert numbers(app)["Proved ε"] == "none"
    assert "813" in said(app)


def test_bad_steps_are_refused_in_one_sentence_without_markup():
    app = open_page("atlas", **LINK, own_history="**1**, 0.1, 5")
    (refusal,) = app.error
    assert "line 1: noise is" in refusal.value
    assert "**1**" not in refusal.value


def test_a_file_of_a_library_takes_the_place_of_the_steps():
    app = open_page("atlas", **LINK)
    state = {"history": [[2.0, 0.01, 100]], "mechanism": "rdp"}
    app.get("file_uploader")[0].set_value(("state.json", json.dumps(state).encode(), "text/json"))
    app = run(app)
    assert app.text_input(key="own_history").value == "2, 0.01, 100"


def test_a_float_sum_of_opendp_asks_how_far_one_record_moves_it():
    app = open_page("atlas", **LINK)
    measurement = noise("make_laplace", 40.0, "f64", reached=made("make_sum", T="f64"))
    app.get("file_uploader")[0].set_value(
        ("sum.json", json.dumps(measurement).encode(), "text/json")
    )
    app = run(app)
    (refusal,) = app.error
    distance = app.number_input(key="own_distance")
    assert distance.label.lower() in refusal.value
    assert "floats round" in refusal.value
    distance.set_value(10.0)
    app = run(app)
    until(lambda: "Proved ε" in numbers(app), app)
    assert not app.error
    assert app.text_input(key="own_history").value == "laplace 4, 1, 1"
    assert numbers(app)["Proved ε"] == "0.25"
    assert "1 step with Laplace scale 4, on all records" in said(app)
    # The same is in a link.
    linked = open_page("atlas", **LINK, own_history=json.dumps(measurement), own_distance="10")
    until(lambda: "Proved ε" in numbers(linked), linked)
    assert numbers(linked)["Proved ε"] == "0.25"


def test_examples_of_files_are_read():
    state, outputs = EXAMPLES
    assert StatementStudy(state).history == "1.1, 0.01, 1000"
    assert {name: len(scores) for name, scores in read_worlds(outputs).items()} == {
        "in": 1,
        "out": 1,
    }


def test_a_file_of_outputs_is_tried():
    app = open_page("atlas", **LINK, own_claimed="1")
    first, second = 1.9 * np.random.default_rng(0).normal(size=(2, 1_000)) + [[1.0], [0.0]]
    rows = [f"<b>in</b>,{a}\nout,{b}" for a, b in zip(first.tolist(), second.tolist(), strict=True)]
    data = "\n".join(["world,score", *rows]).encode()
    app.get("file_uploader")[0].set_value(("outputs.csv", data, "text/csv"))
    app = run(app)
    app.toggle(key="own_normal").set_value(True)
    app = run(app)
    assert ":red-badge[refuted]" in said(app)
    assert "1\u202f000 outputs" in said(app)
    assert "own_worlds" in charts(app)
    assert "<b>" not in str(app.get("plotly_chart")[0].proto)
