"""A release from the payment to the file: order, certificate, model, predictions, attack."""

from __future__ import annotations

import copy
import csv
import io
import json
import os
import pickle
import re
import time
from dataclasses import asdict, replace
from functools import cache, partial
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.special import expit

from dpcore.cli import main
from dpcore.errors import Cancelled, InvalidInput
from dpcore.release import attack as attacking
from dpcore.release import grid
from dpcore.release import release as releasing
from dpcore.release.attack import attack
from dpcore.release.certificate import About, Certificate, certificate, derived
from dpcore.release.certificate_html import DEPLOYMENT, html
from dpcore.release.check import check, problems_of
from dpcore.release.documents import TIERS, leaves
from dpcore.release.files import card
from dpcore.release.ledger import Ledger, Refused
from dpcore.release.model import ReleasedModel
from dpcore.release.plan import plan
from dpcore.release.prediction import NOISE, predict
from dpcore.release.release import Paid, release_model
from dpcore.release.rounded_gaussian import rounded_gaussians
from dpcore.release.table import read_for_release
from tests.typewritten import typewritten

COLUMNS = """person: one row each
number of persons: public
age: 18 to 90 years
sex: one of f, m; unknown: NA
smoker: one of no, yes
bmi: 10 to 60 kg; unknown: blank
predict ill: one of no, =yes"""
ABOUT = About("Risk <b>1", "A *model* of risk.", "Clinic", "Teaching", "Nowhere")


def data(count=300):
    draw = np.random.default_rng(0)
    lines = ["age,sex,smoker,bmi,ill,ignored"]
    for number in range(count):
        age, smoker = draw.uniform(10, 99), draw.choice(["no", "yes"])
        ill = "=yes" if age + 30 * (smoker == "yes") + draw.normal() * 10 > 70 else "no"
        bmi = "" if number % 9 == 0 else f"{draw.uniform(9, 61):.2f}"
        ill = "" if number % 50 == 7 else ill
        lines.append(f"{age:.2f},{draw.choice(['f', 'm', 'NA'])},{smoker},{bmi},{ill},x")
    return "\n".join(lines).encode()


@cache
def release_table():
    return read_for_release(COLUMNS, data(), "t.csv")


def outputs(model, *names):
    """What the model's ONNX says of the table's records, from texts and numbers."""
    onnxruntime = pytest.importorskip("onnxruntime")
    texts, frame = list(csv.DictReader(io.StringIO(data().decode()))), release_table().table.frame
    feed = {
        name: np.array([[row[name]] for row in texts], dtype=object) for name in ("sex", "smoker")
    } | {name: frame[name].to_numpy(dtype=float)[:, None] for name in ("age", "bmi")}
    session = onnxruntime.InferenceSession(model.to_onnx(), providers=["CPUExecutionProvider"])
    assert {"score", *names} == {each.name for each in session.get_outputs()}
    return [result[:, 0] for result in session.run(list(names), feed)]


def release_command(folder, *more, adjacency="zero-out", rows=100):
    """The command of a release in a folder with a ledger, a table and its description."""
    ledger_with(folder / "l.db", adjacency).close()
    (folder / "t.csv").write_bytes(data(rows))
    (folder / "columns.txt").write_text(COLUMNS)
    options = {
        **{"table": folder / "t.csv", "columns": folder / "columns.txt"},
        **{"ledger": folder / "l.db", "data-set": "clinic", "actor": "Dr. B"},
        **{"name": "A", "description": "B", "curator": "C", "intended-use": "D", "region": "E"},
        **{"epsilon": 3, "delta": 1e-6, "output": folder / "out"},
    }
    words = [str(word) for name, value in options.items() for word in (f"--{name}", value)]
    return ["release", "--accept-clipping", *words, *more]


def ledger_with(place, adjacency="zero-out", epsilon=10):
    ledger = Ledger.open(place)
    ledger.create(
        "clinic",
        person_unit="one patient",
        adjacency=adjacency,
        epsilon=epsilon,
        delta=1e-5,
        owner="Dr. A",
        accepts=("gaussian",),
    )
    return ledger


def released_from(ledger, **more):
    settings: dict[str, Any] = {"epsilon": 4.0, "delta": 1e-6, "steps": 12} | more
    return release_model(
        release_table(),
        about=ABOUT,
        ledger=ledger,
        data_set="clinic",
        actor="Dr. B",
        **settings,
    )


@pytest.fixture(scope="module")
def paid(tmp_path_factory):
    ledger = ledger_with(tmp_path_factory.mktemp("ledger") / "ledger.db")
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(releasing, "attack", partial(attack, runs=2_000))
        released = released_from(ledger, features="additive")
    yield ledger, released
    ledger.close()


def assert_paid_before_noise(place, name, make):
    """What draws the noise is `name` of `place`; the payment is there before, and stays."""
    ledger, drawn = ledger_with("memory"), []

    def draw(*_, **__):
        drawn.append(len(ledger.history("clinic")))
        raise MemoryError

    def full(*_, **__):
        raise OSError("full")

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(place, name, draw)
        with pytest.raises(Refused):
            make(ledger, epsilon=18.0)
        with pytest.raises(Cancelled):
            make(ledger, cancelled=lambda: True)
        with pytest.MonkeyPatch.context() as failing:
            failing.setattr(Ledger, "spend", full)
            with pytest.raises(OSError, match="full"):
                make(ledger)
        assert drawn == []
        with pytest.raises(MemoryError):
            make(ledger)
    assert drawn == [2]
    assert [entry.kind for entry in ledger.history("clinic")] == ["created", "spent"]


@pytest.mark.slow("releases models many times over")
def test_no_noise_is_drawn_before_the_payment_is_final():
    assert_paid_before_noise(releasing, "descend", released_from)


def in_a_fork(attempt):
    """What a forked process answers: its refusal."""
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        try:
            attempt()
        except InvalidInput as refused:
            os.write(writing, str(refused).encode())
        finally:
            os._exit(0)
    os.close(writing)
    os.waitpid(child, 0)
    with os.fdopen(reading, "rb") as answer:
        return answer.read().decode()


@pytest.mark.slow("releases models many times over")
def test_a_payment_is_for_one_training_and_can_be_stopped_until_it_is_made():
    ledger, table = ledger_with("memory"), release_table()
    made = plan(COLUMNS, 300, epsilon=4.0, delta=1e-6, steps=12)
    settings = {"about": ABOUT, "ledger": ledger, "data_set": "clinic", "actor": "Dr. B"}
    asked = iter([False, False, True])
    with pytest.raises(Cancelled):
        releasing.prepare(made, table, **settings, cancelled=lambda: next(asked))
    more = plan(COLUMNS, 301, epsilon=4.0, delta=1e-6)
    with pytest.raises(InvalidInput, match=r"300 records.*301"):
        releasing.prepare(more, table, **settings)
    other = plan(COLUMNS, 300, epsilon=4.0, delta=1e-6, adjacency="replace-one")
    with pytest.raises(InvalidInput, match="replace-one"):
        releasing.prepare(other, table, **settings)
    assert len(ledger.history("clinic")) == 1
    paid = releasing.pay(releasing.prepare(made, table, **settings), ledger)
    for same in (paid, copy.copy(paid), replace(paid), Paid(paid.prepared, paid.receipt)):
        assert "paid by another process" in in_a_fork(partial(releasing.train, same))
    told: list[float] = []
    halved = replace(made.mechanism, sigma=made.mechanism.sigma // 2)
    for forged in (made.at(8.0), replace(made, mechanism=halved)):
        changed = replace(paid.prepared, plan=forged)
        for wrong in (Paid(changed, paid.receipt), replace(paid, prepared=changed)):
            with pytest.raises(InvalidInput, match="paid for another plan"):
                releasing.train(wrong, progress=lambda share, _: told.append(share))
    assert told == []  # and the payment is still unused
    released = releasing.train(paid, progress=lambda share, _: told.append(share))
    assert (told[0], told[-1], len(told)) == (0.0, 1.0, 13)
    for copied in (paid, copy.copy(paid), replace(paid), Paid(paid.prepared, paid.receipt)):
        with pytest.raises(InvalidInput, match="one only"):
            releasing.train(copied)
    for way in (copy.deepcopy, pickle.dumps):
        with pytest.raises(TypeError, match="lock"):
            way(paid)
    text = released.certificate.to_yaml()
    assert "unused" in " ".join(check(text, ledger).problems)
    releasing.seal(released, ledger)
    assert check(text, ledger).problems == ()


def test_two_releases_are_two_payments_with_other_noise():
    first, second = (released_from(ledger_with("memory")).model.weights for _ in range(2))
    assert not set(first) & set(second)


def test_a_certificate_holds_with_and_without_the_ledger(paid):
    ledger, released = paid
    text, start = released.certificate.to_yaml(), time.process_time()
    alone = check(text)
    assert time.process_time() - start < 2.0
    assert (alone.problems, "looks right" in alone.warning) == ((), True)
    whole = check(text, ledger, released.model)
    assert (whole.problems, whole.warning, len(whole.checks)) == ((), "", 3)
    assert check(text + "# a remark\n").problems
    assert check(text.replace("facts:", "facts: {}\nfacts:", 1)).problems
    table = release_table().table
    right = np.sign(released.model.scores(table.frame)) == table.label
    assert right[table.label != 0].mean() > 0.7  # and it has learned


def _changed(value, draw):
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return value + int(draw.choice([-1, 1, 1000]))
    if isinstance(value, float):
        return float(np.nextafter(value, np.inf)) if draw.random() < 0.5 else value * 1.01 + 1e-9
    if isinstance(value, str) and value:
        place = int(draw.integers(len(value)))
        letter = "x" if value[place] != "x" else "y"
        return value[:place] + letter + value[place + 1 :]
    return "more"


def _set(document, path, value):
    *way, last = path.split(".")
    for name in way:
        document = document[int(name) if isinstance(document, list) else name]
    document[int(last) if isinstance(document, list) else last] = value


def test_numbers_are_made_anew_also_where_the_hash_was(paid):
    document = json.loads(json.dumps(dict(paid[1].certificate.document)))
    assert problems_of(Certificate(document)) == []
    for name, value in leaves(document).items():
        forged = copy.deepcopy(document)
        _set(forged, name, _changed(value, np.random.default_rng(1)))
        assert problems_of(Certificate(forged)), name
        if name.split(".")[0] in derived(document["facts"]):
            if isinstance(value, float):
                _set(forged, name, value * 0.999)
            forged["hash"] = Certificate(forged).hash
            assert problems_of(Certificate(forged)), name
    facts = copy.deepcopy(document["facts"])
    facts["mechanism"]["sigma"] //= 2
    assert any("above" in each for each in problems_of(certificate(facts)))


def test_no_right_number_hides_a_wrong_one(paid):
    document = json.loads(json.dumps(dict(paid[1].certificate.document)))
    told = document["registry"]["deployment"]["privacy_loss"]
    right = told["privacy_parameters"]["epsilon"]
    for hiding in ("privacy_parameters.epsilon", "more", ""):
        told["privacy_parameters"]["epsilon"] = right / 2 if "." in hiding else right
        told[hiding] = right
        document["hash"] = Certificate(document).hash
        assert check(Certificate(document).to_yaml()).problems, hiding
        del told[hiding]


def test_what_is_claimed_is_rounded_up(paid):
    facts = paid[1].certificate.document["facts"]
    asked = {"epsilon": 1.23456123, "delta": 1.23456123e-6}
    claim = derived({**facts, "budget": asked})["claim"]
    assert "(1.23457, 1.23457 × 10⁻⁶)-differentially private" in claim


@pytest.mark.slow("releases models many times over")
def test_a_full_rewrite_is_found_with_the_ledger_alone(paid):
    ledger, released = paid
    facts = json.loads(json.dumps(released.certificate.document["facts"]))
    for path, value in (
        ("about.intended_use", "Anything"),
        ("hashes.model", "0" * 64),
        ("attack.lower_bound", 0.0),
        ("mechanism.sigma", facts["mechanism"]["sigma"] + 1),
        ("ledger.entry", 1),
        ("ledger.chain_head", "0" * 64),
        ("ledger.data_set", "other"),
    ):
        rewritten = copy.deepcopy(facts)
        _set(rewritten, path, value)
        text = certificate(rewritten).to_yaml()
        assert check(text).problems == (), path
        assert check(text, ledger).problems, path
    for day in ("2000-01-01", "2999-01-01"):
        problems = check(certificate({**facts, "released": day}).to_yaml(), ledger).problems
        assert any("not between the payment" in each for each in problems)


@pytest.mark.parametrize("field", ["entry", "chain_head", "data_set", "actor", "person_unit"])
def test_no_problem_repeats_signs_that_steer_a_terminal(field, paid):
    ledger, released = paid
    facts = json.loads(json.dumps(released.certificate.document["facts"]))
    facts["ledger"][field] = "\x1b[2JThe certificate holds." + "\n" * 1_000
    told = " ".join(check(certificate(facts).to_yaml(), ledger).problems)
    assert told.isprintable()
    assert 0 < len(told) < 300


BEGIN = "format: dpcore certificate 1\n"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "format: other",
        "x" * 300_000,
        *(
            BEGIN + rest
            for rest in (
                "[1",
                "facts: 3\n",
                "facts: " + "[" * 30_000,
                "facts: 0x" + "f" * 30_000,
                "facts: 1" + ":59" * 10_000,
                "facts: [" + "1," * 19_000 + "]",
                "facts: !!python/object/apply:os.system ['true']\n",
                "? " * 19_000,
            )
        ),
    ],
    ids=lambda text: text[len(BEGIN) :][:20] or text[:20],
)
def test_what_is_no_certificate_is_refused_soon(text):
    start = time.process_time()
    (problem,) = check(text).problems
    assert time.process_time() - start < 2.0
    assert len(problem) < 200


def test_the_registrys_fields_are_all_there(paid):
    deployment = paid[1].certificate.document["registry"]["deployment"]
    assert leaves(deployment).keys() == TIERS.keys() == DEPLOYMENT.keys()
    with pytest.raises(InvalidInput, match="sector"):
        replace(ABOUT, sector="Magic")


def test_onnx_with_its_preparation_gives_the_same(paid):
    for model, names in ((paid[1].model, ("score", "risk")), (_plain_huber(), ("score",))):
        score, *risks = outputs(model, *names)
        scores = model.scores(release_table().table.frame)
        np.testing.assert_allclose(score, scores, rtol=0, atol=1e-6)
        for risk in risks:
            assert np.ptp(risk) > 0.1
            np.testing.assert_allclose(risk, expit(scores), rtol=0, atol=1e-6)


def test_onnx_takes_columns_that_are_called_as_its_own_parts():
    names = ("score", "risk", "v0", "v7", "c0", "c1")
    told = "".join(f"{name}: 0 to 1\n" for name in names) + "predict ill: one of no, yes"
    model = ReleasedModel(told, "plain", "logistic", (0.5, -1.0, 0.25, 2.0, 1.5, -0.5, 0.1))
    file = model.to_onnx()
    onnxruntime = pytest.importorskip("onnxruntime")
    session = onnxruntime.InferenceSession(file, providers=["CPUExecutionProvider"])
    feed = {name: np.array([[0.1 * place]]) for place, name in enumerate(names)}
    frame = pd.DataFrame({name: value[:, 0] for name, value in feed.items()})
    score, risk = session.run(["score_", "risk_"], feed)
    np.testing.assert_allclose(score[:, 0], model.scores(frame), rtol=1e-12)
    np.testing.assert_allclose(risk, 1.0 / (1.0 + np.exp(-score)), rtol=1e-6)


def _plain_huber():
    return ReleasedModel(COLUMNS, "plain", "huber", (0.5, -1.0, 0.25, 2.0, 1.5, -0.5, 0.1))


def test_a_model_survives_its_file_and_nothing_else_is_taken(paid):
    model = paid[1].model
    assert ReleasedModel.from_json(model.to_json()) == model
    plain = json.loads(model.to_json())
    rest = plain["weights"][1:]
    for change in (
        *({"format": "x"}, {"loss": "squared"}, {"features": "fine"}, {"more": 1}),
        *({"weights": each} for each in (rest, [0.0] * 100_000, 1.0)),
        *({"weights": [each, *rest]} for each in ("1", float("nan"), None, True, 1e300, 10**999)),
        *({"columns": 3}, {"columns": "age: 1 to 2\npredict risk: 0 to 1"}),
    ):
        with pytest.raises(InvalidInput) as refused:
            ReleasedModel.from_json(json.dumps(plain | change))
        assert len(str(refused.value)) < 300
    twice = model.to_json().replace('"weights"', '"weights": [0.0],\n "weights"')
    for text in (twice, "", "[]", "[" * 100_000, "1" * 5_000, '{"format": NaN}'):
        with pytest.raises(InvalidInput):
            ReleasedModel.from_json(text)


@pytest.mark.filterwarnings("error")
def test_the_largest_weights_give_a_number():
    for sign in (1.0, -1.0):
        model = ReleasedModel(COLUMNS, "plain", "logistic", (sign * 1e100,) * 7)
        rows = list(csv.reader(io.StringIO(predict(model, data(20), "t.csv"))))
        assert {0.0 <= float(row[1]) <= 1.0 for row in rows[1:]} == {True}


@pytest.mark.parametrize(
    ("line", "words"), [("x: 0 to 9", "x is a number"), ("x: one of a, b, c", "x is one of 3")]
)
def test_another_outcome_than_one_of_two_is_refused(line, words):
    with pytest.raises(InvalidInput, match=f"{words}.*one of two"):
        plan(f"age: 1 to 2\npredict {line}", 100, epsilon=1.0, delta=1e-6)


def test_predictions_are_per_record_and_no_formula():
    model = _plain_huber()
    lines = data(50).decode().replace(",ill,", ",other,").splitlines()
    rows = list(csv.reader(io.StringIO(predict(model, "\n".join(lines).encode(), "t.csv"))))
    assert rows[0] == ["row", "score", "ill", *NOISE]
    assert {row[2] for row in rows[1:]} == {"no", "'=yes"}
    few = "\n".join([lines[0], lines[9]]).encode()
    assert (
        next(csv.reader(io.StringIO(predict(model, few, "t.csv").splitlines()[1])))[1:]
        == rows[9][1:]
    )
    with pytest.raises(InvalidInput, match="bmi"):
        predict(model, b"age,sex,smoker\n1,f,no", "t.csv")


@pytest.mark.slow("releases models many times over")
@pytest.mark.parametrize(
    ("adjacency", "loss", "hidden"),
    [
        ("zero-out", "huber", 0),
        ("replace-one", "logistic", 0),
        ("zero-out", "logistic", 3),
        ("replace-one", "logistic", 3),
    ],
)
def test_the_attack_stays_below_the_proof_and_refutes_half_the_noise(adjacency, loss, hidden):
    asked = {"adjacency": adjacency, "loss": loss, "hidden": hidden}
    made = plan(COLUMNS, 300, epsilon=1.0, delta=1e-6, **asked)  # type: ignore[arg-type]
    mechanism, scorer = made.mechanism, made.path.scorer
    epsilon, mu = mechanism.epsilon(1e-6), mechanism.mu
    result = attack(mechanism, scorer, 1e-6, runs=20_000)
    assert 0.1 * epsilon < result.lower_bound < epsilon
    assert 0.5 * mu < result.mu_lower_bound < mu
    assert result.above(mechanism) == ""
    half = attack(
        mechanism, scorer, 1e-6, runs=20_000, draw=lambda sigma, n: rounded_gaussians(sigma // 2, n)
    )
    assert half.above(mechanism)
    assert half.mu_lower_bound > 1.3 * mu


def _longer(total):
    return lambda *sums: 2 * total(*sums)


def _quieter(descend):
    def with_half(signed, mechanism, path, draw):
        return descend(signed, replace(mechanism, sigma=mechanism.sigma // 2), path, draw)

    return with_half


@pytest.mark.parametrize(
    ("place", "name", "fault"), [(grid, "total", _longer), (attacking, "descend", _quieter)]
)
def test_nothing_is_paid_where_the_attack_finds_more_than_is_proved(
    place, name, fault, monkeypatch
):
    ledger = ledger_with("memory")
    monkeypatch.setattr(place, name, fault(getattr(place, name)))
    with pytest.raises(InvalidInput, match="nothing was paid"):
        released_from(ledger)
    assert len(ledger.history("clinic")) == 1


def test_nothing_is_paid_by_command_where_nothing_could_be_written(tmp_path, monkeypatch):
    command = release_command(tmp_path, "--steps", "12", adjacency="replace-one")
    for wrong in (("--region", ""), ("--risks", "maybe"), ("--hidden", "some")):
        assert main([*command, *wrong]) == 2
    assert not (tmp_path / "out").exists()

    def unwritten(_):
        raise OSError("no such operation set")

    with monkeypatch.context() as failing:
        failing.setattr(ReleasedModel, "to_onnx", unwritten)
        with pytest.raises(OSError, match="operation"):
            main(command)
    assert len(Ledger.open(tmp_path / "l.db").history("clinic")) == 1
    assert main(command) == 0
    assert main(command) == 2  # the folder is there
    assert [each.kind for each in Ledger.open(tmp_path / "l.db").history("clinic")] == [
        *("created", "spent", "attached")
    ]


def test_card_and_page_show_no_markup_of_strangers(paid):
    released = paid[1]
    assert "Risk \\<b\\>1" in released.card()
    told = replace(ABOUT, description="see https://x.example, $e$, a@b.example", name="$a$")
    facts = {**released.certificate.document["facts"], "about": asdict(told)}
    shown = card(released.model, certificate(facts))
    assert "see https\\://x\\.example, \\$e\\$" in shown
    assert "# \\$a\\$" in shown
    assert "a\\@b\\.example" in shown
    with pytest.raises(InvalidInput, match="printable"):
        replace(ABOUT, name="\u3164")
    page = released.certificate.to_html()
    assert "<b>" not in page
    assert "<script" not in page


def test_card_and_page_round_to_the_safe_side(paid):
    released, proof = paid[1], paid[1].certificate.document["proof"]
    result = paid[1].certificate.document["facts"]["attack"]
    card = typewritten(released.card())
    (shown,) = re.findall(r"Proved: ε ≤ (\S+) at δ = (\S+) .*; μ ≤ (\S+)\. Rounded", card)
    for text, exact in zip(shown, (proof["epsilon"], proof["delta"], proof["mu"]), strict=True):
        assert exact <= float(text) <= exact * 1.01
    row = r'<th scope="row" title="([^"]*)">[^<]*</th><td>([^<]*)</td>'
    rows = dict(re.findall(row, typewritten(released.certificate.to_html())))
    assert proof["mu"] <= float(rows["proof.mu"]) <= proof["mu"] * 1.01
    assert float(rows["proof.noise_multiplier"]) <= proof["noise_multiplier"]
    assert float(rows["facts.attack.mu_lower_bound"]) <= result["mu_lower_bound"]
    for number, point in enumerate(proof["profile"]):
        assert float(rows[f"proof.profile.{number}.delta"]) >= point["delta"]


def test_a_part_without_words_is_on_the_page_by_its_key(paid):
    document = json.loads(json.dumps(paid[1].certificate.document))
    document["facts"]["training"]['of "&x'] = "<i>"
    row = '<th scope="row" title="facts.training.of &quot;&amp;x">facts.training.of "&amp;x'
    assert f"{row}</th><td>&lt;i&gt;</td>" in html(document)
