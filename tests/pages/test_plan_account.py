"""Plan's account and its noise of releases: what is left of a budget, and what keeps it."""

from concurrent.futures import wait
from dataclasses import replace
from datetime import date

import pytest

from dpcore.accounting import planner
from dpcore.accounting.account import KINDS, Account, fitted, model_rooms, rooms, state
from dpcore.accounting.answers import MECHANISMS, split
from dpcore.accounting.entries import from_link, to_link
from dpcore.accounting.events import TrainingPlan
from dpcore.controls.options import exactly
from dpcore.controls.plan import ENTRIES, QUESTION, SOLVE
from dpcore.evaluation.study import Study
from dpcore.figures.quality import ACCURACY
from dpcore.guarantee import PrivacyBudget, default_delta
from dpcore.questions.account import words
from dpcore.questions.account.usual import first_day, usual
from dpcore.questions.cost.question import LossQuestion
from dpcore.questions.cost.two_parts import Cost
from dpcore.questions.split import figure as split_figure
from dpcore.words import at_most, plain
from dpcore.work import jobs
from pages.shared.verbatim import verbatim
from tests.pages.shown import charts, notes, numbers, open_page, run, with_table
from tests.pages.shown import said_with_notes as said
from tests.pages.waiting import until

pytestmark = pytest.mark.slow("runs whole pages")

BUDGET = PrivacyBudget(3.0, 1e-5)
START = first_day(date.today())
TRAINING, WEEKLY = usual("training", START), usual("release", START)
QUARTERS = replace(TRAINING, count=4).days()


def opened(**link):
    return settled(open_page("plan", **link))


def settled(app):
    """Run again until what is computed in the background is on screen."""
    for name in ("account", "run", "setting curve", "model room"):
        if f"_kept_answer {name}" in app.session_state:
            task = app.session_state[f"_kept_answer {name}"][0]
            assert not wait([task.future], timeout=180.0).not_done
    return app.run()


def press(app, label):
    return settled(next(each for each in app.button if each.label == label).click().run())


def expect_account(app, entries, budget=BUDGET, people=10_000):
    """The page says what the library says of this account."""
    assert not app.exception
    assert not app.error
    result = state(Account(budget, tuple(entries)))
    more = rooms(result, [usual("training", START, people), WEEKLY])
    left = f" {words.left(more, result)}" if result.is_within else ""
    assert words.spent(result) + left in said(app)
    offers = {each.label for each in app.button if each.label.startswith("Fit to ")}
    assert offers == (set() if left else {f"Fit to ε = {plain(budget.epsilon)}"})
    shown = numbers(app)
    assert shown["ε of all entries"] == at_most(result.guarantee.bound)
    assert shown["ε left"] == words.remainder(result)
    assert shown["ε spent by today"] == at_most(result.spent_by(date.today()))
    told = f"proved · {result.guarantee.by} · zero-out · δ = {at_most(budget.delta)}"
    assert told in notes(app)
    one_more = any("one more may add less" in note for note in notes(app))
    assert one_more == any(room.count for room in more)


def test_the_first_view_says_what_is_left():
    app = opened()
    expect_account(app, [TRAINING])
    assert "account" not in app.query_params
    assert "n·δ = 0.1. Protected: one record blanked out (zero-out)." in said(app)
    _, left, today = (metric for metric in app.metric if metric.label.startswith("ε"))
    assert all(part in left.help and part in today.help for part in ("PLD", "zero-out", "δ = 10⁻⁵"))


def test_a_year_of_weekly_releases_and_four_trainings_takes_four_clicks():
    app = press(opened(), "Add weekly releases")
    for _ in range(3):
        press(app, "Add a training")
    later = [replace(TRAINING, first=day) for day in QUARTERS[1:]]
    expect_account(app, [TRAINING, WEEKLY, *later])
    assert from_link(app.query_params["account"]) == (TRAINING, WEEKLY, *later)
    # The link opens the same view, and going back the one before.
    expect_account(opened(account=app.query_params["account"]), [TRAINING, WEEKLY, *later])
    app.query_params["account"] = to_link([WEEKLY])
    expect_account(settled(app.run()), [WEEKLY])
    del app.query_params["account"]
    expect_account(settled(app.run()), [TRAINING])


def test_trainings_are_of_the_people_in_the_data():
    app = opened(people="400")
    few, budget = usual("training", START, 400), PrivacyBudget(3.0, default_delta(400))
    expect_account(app, [few], budget, 400)
    assert "account" not in app.query_params
    app = settled(opened().number_input(key="people").set_value(400).run())
    expect_account(app, [few], budget, 400)
    # Those that are added are of as many, and all follow another number.
    press(app, "Add a training")
    expect_account(app, [few, replace(few, first=QUARTERS[1])], budget, 400)
    settled(app.number_input(key="people").set_value(60_000).run())
    many = replace(TRAINING, records=60_000)
    budget = PrivacyBudget(3.0, default_delta(60_000))
    expect_account(app, [many, replace(many, first=QUARTERS[1])], budget, 60_000)


def test_a_training_of_more_records_than_people_is_warned_of_and_mended_by_a_click():
    link = to_link([TRAINING, replace(TRAINING, what="A part", records=300)])
    app = opened(account=link, people="400")
    (warning,) = app.warning
    assert "400 people, but the account counts “Training” with n = 10 000:" in warning.value
    press(app, "Count with n = 400")
    assert not app.warning
    few, part = from_link(app.query_params["account"])
    assert few == usual("training", START, 400)
    assert part.records == 300
    # The part stays one where the number of people changes, and the rest follows.
    settled(app.number_input(key="people").set_value(350).run())
    assert [entry.records for entry in from_link(app.query_params["account"])] == [350, 300]


def test_a_click_that_comes_with_an_older_address_adds_to_what_is_there():
    app = press(opened(account=to_link([TRAINING])), "Add a training")
    app.query_params["account"] = to_link([TRAINING])
    press(app, "Add a training")
    later = [replace(TRAINING, first=day) for day in QUARTERS[1:3]]
    expect_account(app, [TRAINING, *later])
    assert from_link(app.query_params["account"]) == (TRAINING, *later)


def test_all_entries_can_be_removed_and_others_added():
    app = press(opened(), "Remove all")
    assert app.query_params["account"] == "empty"
    opened(account="empty")
    press(app, "Add a release with Laplace noise")
    press(app, "Add a model of Explore")
    press(app, "Add what is already spent")
    expect_account(
        app,
        [
            *(usual(kind, START) for kind in ("laplace", "model")),
            usual("spent", date.today()),
        ],
    )


def test_the_budget_is_spread_over_all():
    app = press(press(opened(), "Add weekly releases"), "Spread the budget over all")
    shared = [replace(entry, noise=None, share=1.0) for entry in (TRAINING, WEEKLY)]
    expect_account(app, shared)
    (error,) = opened(account=to_link([TRAINING, shared[1]]), year_epsilon="0.5").error
    assert "The entries with a noise of their own spend" in error.value


def opened_box(**link):
    """The account with the box of its first entry open."""
    app = opened(**link)
    number = next(iter(app.session_state["_kept_account rows"]))
    app.session_state[f"entry {number}"] = True
    return app.run()


def field(app, name):
    """The key of a field of the first entry."""
    return f"entry {next(iter(app.session_state['_kept_account rows']))} {name}"


def test_an_entry_is_changed_in_its_box():
    app = opened_box()
    settled(app.number_input(key=field(app, "count")).set_value(3).run())
    expect_account(app, [replace(TRAINING, count=3)])
    settled(app.text_input(key=field(app, "noise")).set_value("1,5").run())
    expect_account(app, [replace(TRAINING, count=3, noise=1.5)])
    settled(app.text_input(key=field(app, "noise")).set_value("much").run())
    (error,) = app.error
    assert error.value.startswith("noise is 'much', but it must be a finite number")
    # What was there before still counts.
    assert numbers(app)["ε of all entries"] == at_most(
        state(Account(BUDGET, (replace(TRAINING, count=3, noise=1.5),))).guarantee.bound
    )
    settled(app.segmented_control(key=field(app, "way")).set_value("share").run())
    expect_account(app, [replace(TRAINING, count=3, noise=None, share=1.0)])
    # The browser tells that one box opens before it tells that the other closes.
    press(app, "Add weekly releases")
    for number in app.session_state["_kept_account rows"]:
        app.session_state[f"entry {number}"] = True
    run(app)


def test_a_model_is_changed_to_another_method_with_its_own_proof():
    model = usual("model", START)
    app = opened_box(account=to_link([replace(model, delta=1e-6)]))
    settled(app.selectbox(key=field(app, "method")).set_value("decision-tree").run())
    expect_account(app, [replace(model, method="decision-tree")])
    settled(app.selectbox(key=field(app, "method")).set_value("random-forest").run())
    expect_account(app, [replace(model, method="random-forest", delta=1e-7)])
    settled(app.selectbox(key="year_neighbour").set_value("add-remove").run())
    assert "random-forest has no proof under add-remove" in app.error[0].value


def test_the_budget_delta_and_neighbour_are_the_account_s():
    app = opened(account=to_link([WEEKLY]))
    settled(app.text_input(key="year_epsilon").set_value("1.5").run())
    expect_account(app, [WEEKLY], PrivacyBudget(1.5, 1e-5))
    settled(app.number_input(key="people").set_value(1_000_000).run())
    assert default_delta(1_000_000) == 1e-7
    expect_account(app, [WEEKLY], PrivacyBudget(1.5, 1e-7), 1_000_000)
    settled(app.select_slider(key="year_delta").set_value(1e-3).run())
    assert "That is large" in said(app)
    # Under add-remove a public size stands for the people.
    settled(app.selectbox(key="year_neighbour").set_value("add-remove").run())
    assert app.number_input(key="people").label == "Public size"


def test_a_budget_has_a_decimal_point_or_a_decimal_comma_and_what_is_none_is_refused():
    app = opened(account=to_link([WEEKLY]))
    for typed in ("2,5", " 2.50 "):
        settled(app.text_input(key="year_epsilon").set_value(typed).run())
        expect_account(app, [WEEKLY], PrivacyBudget(2.5, 1e-5))
        assert app.text_input(key="year_epsilon").value == typed
    for typed in ("2,500", "lots", "", "0", "-1", "inf", "1e9", "<b>"):
        settled(app.text_input(key="year_epsilon").set_value(typed).run())
        (error,) = app.error
        assert error.value.startswith("budget ε is")
        assert "<b" not in error.value.replace("\\<", "")
        assert ("could be 2.5 or 2500" in error.value) == (typed == "2,500")
        assert "ε left" not in numbers(app)


@pytest.mark.parametrize(
    "text", ["<script>", "release~A~0~2026-01-01~week~3", "release~~", ";" * 999, "x" * 20_000]
)
def test_a_hostile_account_in_the_link_is_refused_and_dropped(text):
    app = opened(account=text)
    (warning,) = app.warning
    assert warning.value.startswith("The link asks for an account that cannot be followed:")
    assert "<" not in warning.value.replace("\\<", "")
    assert "account" not in app.query_params
    expect_account(app, [TRAINING])


def test_an_account_over_budget_is_fitted_by_the_noise_of_its_last_entry():
    app = opened(year_epsilon="1.6", account=to_link([WEEKLY, TRAINING]))
    expect_account(app, [WEEKLY, TRAINING], PrivacyBudget(1.6, 1e-5))
    press(app, "Fit to ε = 1.6")
    result = from_link(app.query_params["account"])
    assert result == fitted(Account(PrivacyBudget(1.6, 1e-5), (WEEKLY, TRAINING)))
    assert result[0] == WEEKLY
    assert (result[1].noise or 0.0) > 2.0
    expect_account(app, result, PrivacyBudget(1.6, 1e-5))
    assert words.changed((WEEKLY, TRAINING), result) in said(app)
    press(app, "Add a training")
    assert "Set:" not in said(app)


# Noise of a release.


def test_the_noise_of_releases_is_told_by_every_mechanism_over_epsilon():
    link = {"ladder_releases": "52", "ladder_sensitivity": "2"}
    app = opened(question=str(QUESTION.text("release")), **link)
    shared = split(BUDGET, 52, "pld", 2.0)
    assert split_figure.releases(shared, BUDGET) in said(app)
    shown = numbers(app)
    assert shown["Noise σ"] == at_most(shared.portions[0].sigma, split_figure.DIGITS)
    assert shown["ε spent"] == at_most(shared.certified_epsilon, split_figure.DIGITS)
    assert shown["Classical σ"] == "none"
    assert charts(app) == {"ladder_figure"}
    table = with_table(app, "sigma_ladder").dataframe[0].value
    assert set(table["mechanism"]) == set(MECHANISMS)
    assert len(set(table["epsilon"])) == 13
    app = settled(app.text_input(key="ladder_epsilon").set_value("0.5").run())
    assert float(numbers(app)["Classical σ"]) > float(numbers(app)["Noise σ"])


def test_a_link_holds_the_budget_of_either_question():
    link = {"ladder_epsilon": "2", "ladder_people": "60000", "year_epsilon": "5"}
    app = opened(question=str(QUESTION.text("release")), **link)
    assert app.text_input(key="ladder_epsilon").value == "2"
    assert "n·δ = 0.06." in said(app)
    # Drawn unseen, as only what is drawn stays in the address.
    assert app.text_input(key="year_epsilon").value == "5"
    settled(app.segmented_control(key="question").set_value("account").run())
    expect_account(app, [TRAINING], PrivacyBudget(5.0, 1e-5))


def test_a_setting_is_added_to_the_account_unless_it_protects_someone_else():
    link = {"records": "60000", "sigma": "1.1", "solve": str(SOLVE.text("epochs"))}
    app = opened(question=str(QUESTION.text("run")), **link)
    run = TrainingPlan(1.1, 60_000, 256, 1, default_delta(60_000))
    plan = planner.solve("epochs", run, 3.0, "pld")
    press(app, "Add it to my account")
    result = replace(
        TRAINING,
        what="Found at n = 60000, δ = 1e-6",
        first=QUARTERS[1],
        noise=1.1,
        records=60_000,
        epochs=round(plan.value or 0),
        sampling="poisson",
    )
    expect_account(app, [TRAINING, result])
    app = opened(question=str(QUESTION.text("release")), ladder_neighbour="One record replaced")
    assert "Add it to my account" not in {button.label for button in app.button}


def test_the_example_says_so_and_goes_with_a_click():
    app = press(opened(), "Begin empty")
    assert app.query_params["account"] == "empty"
    app = press(press(opened(), "Add weekly releases"), "Remove the example")
    expect_account(app, [WEEKLY])
    # What a link names is no example.
    assert "An example" not in said(opened(account=to_link([TRAINING])))


def test_one_model_more_fits_and_any_larger_one_does_not():
    app = open_page("plan")
    app.session_state["model_room"] = True
    app = settled(settled(app.run()))
    result = model_rooms(state(Account(BUDGET, (TRAINING,))))
    assert [room.method for room in result] == list(KINDS)
    for room in result:
        assert room.entry is not None
        assert verbatim(words.noise(room.entry)) in said(app)
        more = Account(BUDGET, (TRAINING, room.entry))
        larger = replace(room.entry, epsilon=1.01 * (room.entry.epsilon or 0.0))
        assert state(more).is_within
        assert not state(replace(more, entries=(TRAINING, larger))).is_within
    app = settled(app.button(key="add model dpgd").click().run())
    kinds = [entry.kind for entry in from_link("".join(app.query_params[ENTRIES]))]
    assert kinds == ["training", "model"]


def test_one_model_more_says_what_it_loses_on_a_data_set(tmp_path, monkeypatch):
    monkeypatch.setenv("DPCORE_CACHE", str(tmp_path))
    app = open_page("plan", people="250", account=to_link([WEEKLY]))
    app.session_state["model_room"] = True
    app = settled(app.run())
    until(lambda: "Right for" in said(app), app)
    delta = default_delta(250)
    rooms_left = model_rooms(state(Account(PrivacyBudget(3.0, delta), (WEEKLY,))))
    more = [room.entry for room in rooms_left if room.entry is not None]
    models = tuple((str(one.method), one.epsilon or 0.0, one.delta or delta) for one in more)
    question = LossQuestion(Study(dataset="cohort", records=100), models)
    for _, row in jobs.Job(question.key).result().iterrows():
        lost = Cost.of(row, row["accuracy_baseline"], ACCURACY)
        right = f"Right for {ACCURACY.shown(row['accuracy'])} at ε = {exactly(row['epsilon'])}"
        words = f"{right}; {lost.without}. Of that {lost.parts}."
        assert any(verbatim(words) in each.value for each in app.markdown)
