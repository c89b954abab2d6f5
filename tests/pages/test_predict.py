"""The prediction page: what a model says of a person who leaves no trace, and of a file."""

from __future__ import annotations

import logging
import re
import time
from dataclasses import replace
from functools import partial

import pytest
from streamlit.runtime.state.safe_session_state import SafeSessionState

from dpcore.release import release
from dpcore.release.attack import attack
from dpcore.release.demonstration import released
from dpcore.release.model import ReleasedModel, read_model
from dpcore.release.prediction import outcomes
from pages.predict import certificate, controls
from pages.predict.controls import isolated_call
from pages.server import sign_in
from tests.pages.shown import open_page, run, said

COLUMNS = """age: 18 to 90 years
sex: one of f, m; unknown: NA
ever_smoked: one of no, yes_often
bmi: 10 to 60 kg/m²; unknown: blank
predict ill_again: one of no, <b>yes"""
MODEL = ReleasedModel(COLUMNS, "plain", "huber", (0.5, -1.0, 0.25, 2.0, 1.5, -0.5, 0.1))
NETWORK = ReleasedModel(
    COLUMNS, "plain", "logistic", tuple(0.3 * (each % 7) - 0.8 for each in range(23)), hidden=2
)
SECRET = 61.735194
pytestmark = [
    pytest.mark.usefixtures("uploads_in_one_process"),
    pytest.mark.slow("runs whole pages"),
]


@pytest.fixture(autouse=True)
def alone(tmp_path, monkeypatch):
    """No real data by accident, and no result from an earlier run."""
    monkeypatch.setenv("DPCORE_CACHE", str(tmp_path))
    monkeypatch.setattr(release, "attack", partial(attack, runs=500))


def opened(**link):
    return open_page("predict", **link)


def given(app, *files):
    app.file_uploader(key="predict_files").set_value([(*file, "") for file in files])
    return run(app)


def held(app):
    """All that the session holds, and its address."""
    state: object = app.session_state
    while isinstance(state, SafeSessionState):
        state = state._state
    return repr((state, dict(app.query_params)))


def test_the_demonstration_answers_and_leaves_nothing_of_a_person(caplog, tmp_path):
    caplog.set_level(logging.DEBUG)
    app = opened()
    assert "the model expects" in said(app)
    low, high = map(int, re.findall(r"; noise alone: (\d+) to (\d+)", said(app))[0])
    assert 0 <= low < high <= 100
    (age,) = (field for field in app.text_input if field.label == "age, 18 to 100 years")
    age.set_value(str(SECRET))
    run(app)
    assert str(SECRET) in held(app)
    assert "age: 61.7352 years" in app.get("plotly_chart")[0].proto.spec
    app.switch_page("learn/learn.py")
    run(app)
    assert "61.73" not in held(app)
    assert "61.73" not in caplog.text
    assert not [path for path in tmp_path.rglob("*") if path.is_file()]


def test_a_model_of_ones_own_makes_its_form_and_its_certificate_is_checked():
    app = opened(predict_model="Your file")
    assert "model.json" in said(app)
    given(app, ("model.json", b'{"format": 1, "x": ' + b"[" * 9_000))
    assert len(app.error) == 1
    given(app, ("model.json", MODEL.to_json().encode()))
    assert [field.label for field in app.text_input] == [
        "age, 18 to 90 years",
        "bmi, 10 to 60 kg/m²",
    ]
    assert [box.label for box in app.selectbox] == ["sex", "ever smoked"]
    assert app.selectbox[0].options == ["f", "m", "unknown"]
    # Nothing is told from values that nobody gave; an unknown one is one.
    assert "Still to fill in: age, sex and ever smoked." in said(app)
    assert not app.get("plotly_chart")
    app.text_input[0].set_value("50")
    app.selectbox[0].set_value("unknown")
    app.selectbox[1].set_value("yes_often")
    run(app)
    assert "bmi: unknown" in app.get("plotly_chart")[0].proto.spec
    assert r"ill again = \<b\>yes" in said(app)
    assert "No certificate" in said(app, "warning")
    given(app, ("Model.JSON", MODEL.to_json().encode()), ("certificate.yaml", b"format: none\n"))
    assert "Do not rely on the certificate" in said(app, "warning", "error")


def test_a_model_from_a_file_is_read_once_and_not_in_the_server(monkeypatch):
    asked: list[object] = []

    def isolated(name, call, *arguments):
        asked.append(call)
        return isolated_call(name, call, *arguments)

    monkeypatch.setattr(controls, "isolated_call", isolated)
    monkeypatch.setattr(ReleasedModel, "from_json", None)
    app = opened(predict_model="Your file")
    given(app, ("model.json", MODEL.to_json().encode()))
    assert len(app.text_input) == 2
    app.text_input[0].set_value("50")
    run(app)
    assert asked == [read_model]
    given(app, ("model.json", NETWORK.to_json().encode()))
    assert asked == [read_model, read_model]


def test_files_of_the_demonstration_are_said_to_be_of_made_up_patients():
    files = released().files()
    both = [(name, files[name]) for name in ("model.json", "certificate.yaml")]
    app = opened(predict_model="Your file")
    for chosen, cautions in (
        (both, [certificate.DEMONSTRATION]),
        (both[:1], [certificate.LIKE_DEMONSTRATION]),
        ([("model.json", MODEL.to_json().encode())], []),
    ):
        given(app, *chosen)
        assert [warning.value for warning in app.warning] == cautions


def test_a_value_beyond_what_the_model_knows_withdraws_the_answer_and_is_kept():
    app = opened()
    assert "the model expects" in said(app)
    (age,) = (field for field in app.text_input if field.label == "age, 18 to 100 years")
    age.set_value("130.5")
    run(app)
    assert "the model expects" not in said(app)
    assert not app.get("plotly_chart")
    # It stands in the form as it was typed, and so does all else.
    (age,) = (field for field in app.text_input if field.label == "age, 18 to 100 years")
    assert age.value == "130.5"
    (bmi,) = (field for field in app.text_input if field.label.startswith("bmi"))
    bmi.set_value("3")
    run(app)
    for part in ("age is 130.5, ", "18 to 100 years", "bmi is 3, ", "14 to 55 kg/m²"):
        assert part in app.error[0].value
    for field in app.text_input:
        if field.icon:
            field.set_value("50")
    run(app)
    assert "the model expects" in said(app)
    assert not app.error


def test_a_number_has_a_decimal_point_or_a_comma_and_what_is_none_has_no_answer():
    app = opened()

    def typing(typed):
        (bmi,) = (field for field in app.text_input if field.label.startswith("bmi"))
        bmi.set_value(typed)
        run(app)
        assert bmi.value == typed

    for typed in ("27,5", "27.5", " 27,50 "):
        typing(typed)
        assert "bmi: 27.5 kg" in app.get("plotly_chart")[0].proto.spec
    for typed in ("27,500", "27.500", "heavy"):
        typing(typed)
        told = "which is no number" if typed == "heavy" else "which could be 27.5 or 27500"
        assert f"bmi is '{typed}', {told}" in app.error[0].value
        assert not app.get("plotly_chart")
    # Beside decimal commas a point may part thousands.
    app = opened(predict_model="Your file")
    columns = COLUMNS.replace("18 to 90 years", "18 to 90 years; decimal comma")
    given(app, ("model.json", replace(MODEL, columns=columns).to_json().encode()))
    app.text_input[0].set_value("50.125")
    assert "'50.125', which could be 50.1250 or 50125" in run(app).error[0].value
    app.text_input[0].set_value("50.1250")
    assert not run(app).error


def test_a_network_answers_and_explains_in_the_same_way():
    app = opened(predict_model="Your file")
    given(app, ("model.json", NETWORK.to_json().encode()))
    app.text_input[0].set_value("50")
    app.selectbox[0].set_value("unknown")
    app.selectbox[1].set_value("yes_often")
    run(app)
    person = {"age": 50.0, "sex": None, "ever_smoked": "yes_often", "bmi": None}
    (risk,) = outcomes(NETWORK, [person])
    assert f"Of 100 people with these values, the model expects {100 * risk:.0f} " in said(app)
    assert "noise alone: not known" in said(app)


def test_a_file_is_predicted_and_gone_when_the_page_is_left():
    app = opened(predict_for="A CSV file")
    columns = "age,sex,systolic_pressure,bmi,hba1c,egfr,medicines,admissions_last_year"
    head = f"{columns},smoker,lives_alone\n"
    line = "61.735194,male,135,27,6.5,62,5,1,no,yes\n"
    field = app.file_uploader(key="predict_table")
    field.upload("new.csv", (head + line.replace("male", "secret")).encode())
    run(app)
    (error,) = app.error
    assert "line 2: sex must be one of female, male" in error.value
    assert "secret" not in error.value
    app.file_uploader(key="predict_table").upload("new.csv", (head + 3 * line).encode())
    run(app)
    assert "3 records: of" in said(app)
    assert app.get("download_button")
    assert "Batch(" in held(app)
    app.segmented_control(key="predict_for").set_value("one")
    assert "Batch(" not in held(run(app))
    app.segmented_control(key="predict_for").set_value("many")
    run(app).file_uploader(key="predict_table").upload("new.csv", (head + 3 * line).encode())
    assert "Batch(" in held(run(app))
    app.switch_page("learn/learn.py")
    assert "Batch(" not in held(run(app))
    assert "new.csv" not in held(app)


def configured(monkeypatch, **options):
    known = sign_in.st.get_option

    def option(name):
        return options.get(name.removeprefix("server."), known(name))

    monkeypatch.setattr(sign_in.st, "get_option", option)


def test_nobody_predicts_where_strangers_may_come(monkeypatch):
    configured(monkeypatch, address="0.0.0.0")
    app = opened()
    assert "server.address is '0.0.0.0'" in app.error[0].value
    assert not app.text_input


def test_whoever_signs_in_predicts_and_a_role_that_is_taken_away_is_gone(monkeypatch, tmp_path):
    section: dict[str, object] = {"clinic": {"client_id": "x"}, "cookie_secret": "x" * 31}
    claims: dict[str, object] = {}
    monkeypatch.setattr(sign_in, "get_secrets_auth_section", lambda: section)
    monkeypatch.setattr(type(sign_in.st.user), "to_dict", lambda _: claims)
    app = opened(predict_model="Your file")
    assert "its package is not installed" in app.error[0].value
    monkeypatch.setattr(sign_in, "is_authlib_installed", lambda: True)
    run(app)
    assert "at least 32" in app.error[0].value
    section["cookie_secret"] = "x" * 32
    asked: list[str | None] = []
    monkeypatch.setattr(sign_in.st, "login", asked.append)
    run(app)
    assert app.error[0].value.startswith("Sign in")
    next(each for each in app.button if each.label == "Sign in").click()
    run(app)
    assert asked == ["clinic"]
    claims |= {"is_logged_in": True, "email": "R@clinic.example", "email_verified": True}
    claims |= {"iat": time.time(), "exp": time.time() + 3_600}
    run(app)
    assert not app.error
    assert "r@clinic.example, reader" in said(app).replace("`", "")
    with monkeypatch.context() as patch:
        configured(patch, trustedUserHeaders={"X-User": "email"})
        run(app)
        assert "trustedUserHeaders is set" in app.error[0].value
    monkeypatch.setenv("DPCORE_ROLES", str(tmp_path / "roles.toml"))
    run(app)
    assert "cannot be read" in app.error[0].value
