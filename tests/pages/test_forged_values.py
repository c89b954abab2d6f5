"""Messages that no browser with this page sends leave every control as it was."""

from __future__ import annotations

from pathlib import Path

import pytest
from streamlit.proto.WidgetStates_pb2 import WidgetState, WidgetStates
from streamlit.testing.v1 import AppTest

APP = str(Path(__file__).resolve().parents[2] / "pages" / "main.py")
FORGED = {
    "a number": WidgetState(double_value=float("nan")),
    "a whole number": WidgetState(int_value=-5),
    "a switch": WidgetState(bool_value=True),
    "a text": WidgetState(string_value="[[["),
    "bytes": WidgetState(bytes_value=b"\0"),
}
"""Each is another kind than that of some control on the page."""


def drawn(app: AppTest) -> dict[str, object]:
    """The value of every field of the page, by its id."""
    fields = (*app.number_input, *app.text_input, *app.selectbox, *app.slider, *app.select_slider)
    return {field.proto.id: field.value for field in fields}


def sent(app: AppTest, ids: list[str], state: WidgetState) -> None:
    """Run the page with this state for all these controls."""
    message = WidgetStates()
    for name in ids:
        message.widgets.add().CopyFrom(state)
        message.widgets[-1].id = name
    app._run(message)


@pytest.mark.parametrize("kind", FORGED)
def test_a_value_of_another_kind_is_ignored(kind: str) -> None:
    app = AppTest.from_file(APP, default_timeout=180)
    app.switch_page("plan/plan.py").run()
    before, field = drawn(app), WidgetState.WhichOneof(FORGED[kind], "value")
    own = {"number_input": "double_value", "text_input": "string_value"}
    ids = [
        element.proto.id
        for element in (*app.number_input, *app.text_input, *app.select_slider)
        if own.get(element.type) != field
    ]
    assert ids
    sent(app, ids, FORGED[kind])
    assert not app.exception
    assert drawn(app) == before


def test_an_honest_value_is_heard_after_a_forged_one_and_after_an_empty_field() -> None:
    app = AppTest.from_file(APP, default_timeout=180)
    app.switch_page("plan/plan.py").run()
    number = app.number_input[0].proto.id
    other = app.number_input[0].proto.max / 2
    for state in (FORGED["a text"], WidgetState()):
        sent(app, [number], state)
        assert not app.exception
    sent(app, [number], WidgetState(double_value=other))
    assert app.number_input[0].value == pytest.approx(other)
