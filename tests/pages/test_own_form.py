"""The form of a table of one's own: plain fields, a description from them, and back."""

from __future__ import annotations

import numpy as np
import pytest

from dpcore.datasets.own.form import Form
from dpcore.datasets.own.notation import read, write
from pages.shared import own_form, own_table
from tests.pages.explored import below_title, is_read
from tests.pages.shown import run, said
from tests.pages.test_explore_own import SUGGESTED, clinic, opened, pressed

pytestmark = [
    pytest.mark.usefixtures("alone", "uploads_in_one_process", "jobs_wait"),
    pytest.mark.slow("runs whole pages"),
]

CONFIRM = "Confirm and use these columns"
USUAL = read(SUGGESTED)


def draft(app):
    """The form on screen, and the version of its fields."""
    result: tuple[str, Form] = app.session_state["_kept_own_form_draft"]
    return result


def key(app, column, field):
    version, form = draft(app)
    place = [row.name for row in form.rows].index(column)
    return own_form.key_of(version, place, field)


def typed(app, column, **fields):
    """The page after texts were typed into the fields of a column."""
    for field, text in fields.items():
        app.text_input(key=key(app, column, field)).set_value(text).run()
        assert not app.exception
    return app


def ticked(app):
    return [box.label for box in app.checkbox if box.value]


def described(app):
    return read(app.text_area(key="own_columns").value)


def test_a_form_suggests_the_columns_and_one_button_confirms_them():
    app = opened(columns="", data=clinic())
    assert not is_read(app)
    assert app.text_area(key="own_columns").value == ""
    assert ticked(app) == ["age", "sex", "smoker", "bmi", "systolic"]
    pressed(app, CONFIRM)
    assert described(app) == USUAL
    assert app.query_params["own_columns"] == app.text_area(key="own_columns").value
    assert below_title(app).startswith("Your own table · 2 600 records")
    # The form shows what the words say, and may be left as it was.
    other = SUGGESTED.replace("70", "60")
    app.text_area(key="own_columns").set_value(other).run()
    pressed(app, "Change the columns")
    assert not is_read(app)
    assert app.text_input(key=key(app, "bmi", "highest")).value == "60"
    typed(app, "bmi", highest="50")
    # Nor does a slip in the words change what was typed.
    app.text_area(key="own_columns").set_value("fields: [").run()
    assert len(app.error) == 1
    assert app.text_input(key=key(app, "bmi", "highest")).value == "50"
    app.text_area(key="own_columns").set_value(other).run()
    assert is_read(pressed(app, "Change nothing"))


def test_a_form_that_lacks_something_says_what_and_changes_nothing():
    data = clinic().replace(b"outcome", b"result", 1).replace(b",1\n", b",2\n")
    app = pressed(opened(columns="", data=data), CONFIRM)
    assert [error.value for error in app.error] == [
        "No column is predicted, but one must be chosen."
    ]
    assert app.text_area(key="own_columns").value == ""
    (predicted,) = (box for box in app.selectbox if box.label == "What is predicted")
    predicted.set_value("result")
    pressed(app, CONFIRM)
    assert "result is used, but its lowest possible value must be" in app.error[0].value


def test_a_value_that_comes_with_the_button_is_not_lost():
    app = opened(columns="", data=clinic())
    app.text_input(key=key(app, "bmi", "lowest")).set_value("0,2")
    app.text_input(key=key(app, "bmi", "highest")).set_value("70.5")
    app.text_input(key=key(app, "patient", "highest")).set_value("2")
    pressed(app, CONFIRM)
    expected = read(
        f"person: patient, at most 2 rows\n{SUGGESTED}".replace("10 to 70", "0.2 to 70.5")
    )
    assert described(app) == expected
    # What is typed into an unused column and deleted does not count, nor what a used one lost.
    app = opened(columns="", data=clinic())
    assert "patient" in ticked(typed(app, "patient", highest="3"))
    assert "patient" not in ticked(typed(app, "patient", highest=""))
    assert "bmi" not in ticked(typed(app, "bmi", lowest="", highest=" "))


def test_a_row_is_refused_by_its_column_while_it_is_typed():
    app = typed(opened(columns="", data=clinic()), "bmi", lowest="12", highest="")
    assert not app.error  # it is still being typed
    pressed(typed(app, "bmi", highest="10,000"), CONFIRM)
    (error,) = app.error
    assert "highest is '10,000', which could be 10 or 10000" in error.value
    assert app.text_area(key="own_columns").value == ""
    typed(app, "bmi", lowest="70", highest="10")
    (error,) = app.error
    assert error.value.startswith("bmi has the range 70 to 10, but the first must be below")
    # Told once, also with the ways out that Confirm offers.
    assert len(pressed(app, CONFIRM).error) == 1
    pressed(app, "Write 10 to 70")
    assert not app.error
    assert is_read(app)
    assert described(app) == USUAL


def test_a_decimal_comma_is_suggested_and_shown():
    data = clinic().replace(b",", b";").replace(b".", b",")
    app = opened(columns="", data=data)
    assert app.selectbox(key=key(app, "bmi", "kind")).value == "number like 1,5"
    pressed(app, CONFIRM)
    assert is_read(app)
    app.text_area(key="own_columns").set_value(SUGGESTED).run()
    assert "bmi has a comma, but it must be a plain number such as 12.5" in app.error[0].value
    pressed(app, "Read bmi with a decimal comma")
    assert is_read(app)


def test_values_like_below_5_are_read_by_a_rule_that_a_person_chooses():
    app = opened(
        columns="", data=clinic().replace(b"systolic", b"CRP [mg/l]").replace(b",130,", b",<5,")
    )
    assert r"- **CRP \[mg/l\]**" not in said(app)
    pressed(app, CONFIRM)
    assert "choose whether that is read as 5" in app.error[0].value
    app.selectbox(key=key(app, "CRP [mg/l]", "beyond")).set_value("half")
    pressed(app, CONFIRM)
    assert not app.error
    assert is_read(app)
    assert [field.beyond for field in described(app).fields if "CRP" in field.name] == ["half"]  # type: ignore[attr-defined]


MANY, USED = 2_000, 500
WIDE = [f"{'flag' if place < USED - 1 else 'x'} {place}" for place in range(MANY - 1)]


def wide(rows=200):
    """Many columns, of which as many as may be described hold 0 and 1."""
    draw = np.random.default_rng(0)
    values = draw.integers(0, 9, (rows, MANY))
    values[:, [*range(USED - 1), -1]] %= 2
    lines = (",".join(map(str, row)) for row in values)
    return "\n".join([",".join([*WIDE, "died"]), *lines]).encode()


def test_500_columns_of_2000_are_described_a_page_at_a_time():
    app = opened(columns="", data=wide())
    assert [box.label for box in app.checkbox] == WIDE[: own_form.MAX_SHOWN]
    typed(app, WIDE[0], values="0, 1, 2")
    version, _ = draft(app)
    # What was typed is kept while others are on screen, and stands there again.
    app.text_input(key=f"own_find_{version}").set_value("x 1998").run()
    assert [box.label for box in app.checkbox] == ["x 1998"]
    typed(app, "x 1998", lowest="0", highest="9")
    assert ticked(app) == ["x 1998"]
    app.text_input(key=f"own_find_{version}").set_value("").run()
    assert app.text_input(key=key(app, WIDE[0], "values")).value == "0, 1, 2"
    pressed(app, CONFIRM)
    assert is_read(app)
    fields = {field.name: field for field in described(app).fields}  # type: ignore[attr-defined]
    assert len(fields) == USED + 1
    assert fields[WIDE[0]].levels == ("0", "1", "2")
    assert (fields["x 1998"].upper, fields[WIDE[1]].levels) == (9, ("0", "1"))
    # So long a text is no link.
    assert "own_columns" not in app.query_params
    assert own_table.OWN_TOO_LONG in [caption.value for caption in app.caption]


def test_a_description_is_opened_from_a_file():
    app = opened(columns="", data=clinic())
    text = write(USUAL).encode("utf-8-sig")
    app.file_uploader(key="own_description_0").upload("mine.yaml", text).run()
    assert described(app) == USUAL
    app.file_uploader(key="own_description_1").upload("mine.yaml", b"\xff\xfe\x00").run()
    assert [error.value for error in app.error] == [own_table.OWN_NO_TEXT]
    assert described(app) == USUAL


def with_panel(app):
    app.session_state["own_reading"] = True
    return run(app)


def read_rows(app):
    return app.dataframe[0].value.to_numpy().tolist()


def test_how_the_file_is_read_is_shown_and_chosen_by_hand():
    text = "Ward A, 2020; draft\n" + clinic(300).decode().replace(",", "|").replace("sex", "Größe")
    app = with_panel(opened(columns="", data=text.encode("cp850")))
    upload = app.session_state["_kept_own_form_draft"][0].rpartition("_")[0]
    app.selectbox(key=f"own_encoding_{upload}").set_value("cp850")
    app.selectbox(key=f"own_delimiter_{upload}").set_value("|")
    app.number_input(key=f"own_header_line_{upload}").set_value(2)
    run(app)
    assert read_rows(app)[0][:3] == ["p0", "53", "F"]
    names = [row.name for row in draft(app)[1].rows]
    assert names[:3] == ["patient", "age", "Größe"]
    pressed(app, CONFIRM)
    dialect = described(app).dialect  # type: ignore[attr-defined]
    assert (dialect.encoding, dialect.delimiter, dialect.header_line) == ("cp850", "|", 2)
    assert is_read(app)
