"""The tab on what deciding by a model is worth: the numbers of the package, and no training."""

import pytest

from dpcore.controls.explore import EPSILONS
from dpcore.evaluation import jobs, work
from dpcore.evaluation.clinic.study import ClinicStudy
from dpcore.evaluation.clinic.task import decision_part, worth_from
from dpcore.evaluation.clinic.task import work as work_on
from dpcore.evaluation.study import Study
from dpcore.evaluation.task import JobContext
from dpcore.figures.words import plain
from tests.pages.explored import numbers, only_methods
from tests.pages.test_explore import COHORT, at, spoken

pytestmark = [pytest.mark.usefixtures("alone"), pytest.mark.slow("runs whole pages")]

LINK = COHORT | {"patients": "100", "view": "Net benefit", "focus": "OPERA", "runs": "10"}
STUDY = ClinicStudy(
    Study(dataset="cohort", records=100, methods=("opera",), epsilons=EPSILONS, runs=10)
)


@pytest.fixture(scope="module")
def judged():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("dpcore.evaluation.baselines._better", lambda *_: "linear model")
        return work_on(STUDY, JobContext()).rows


@pytest.fixture
def rows(judged):
    return decision_part(judged)


@pytest.fixture(autouse=True)
def one_method(monkeypatch):
    only_methods(monkeypatch, "opera")


@pytest.fixture
def counted(judged, tmp_path):
    """The job's result, as a worker leaves it."""
    folder = tmp_path / jobs.FOLDER
    folder.mkdir()
    (folder / f"{STUDY.key}.csv").write_text(judged.to_csv(index=False, na_rep=work.MISSING))


def shown(app):
    return {str(chart.key) for chart in app.get("plotly_chart")}


def row_at(rows, epsilon, threshold):
    return rows[(rows["epsilon"] == epsilon) & (rows["threshold"] == threshold)].iloc[0]


@pytest.mark.usefixtures("counted")
def test_the_numbers_are_those_of_the_package_and_follow_epsilon_and_threshold(rows):
    app = at(LINK)
    assert "net_benefit_figure" in shown(app)
    for epsilon, threshold in ((1.0, 0.5), (10.0, 0.5), (10.0, 0.2)):
        if epsilon != 1.0:
            app.number_input(key="epsilon").set_value(epsilon).run()
            app.slider(key="threshold").set_value(round(100 * threshold)).run()
            assert not app.exception
        row, told = row_at(rows, epsilon, threshold), numbers(app)
        assert told["Sensitivity"] == f"{100 * row['true_positive_rate']:.1f} %"
        assert told["Specificity"] == f"{100 * row['true_negative_rate']:.1f} %"
        assert told["Predictive value"] == f"{100 * row['predictive_value']:.1f} %"
        counts = f"{row['missed_per_1000']:.0f} · {row['false_per_1000']:.0f}"
        assert next(one.value for one in reversed(app.metric) if "alarms" in one.label) == counts
        benefit = plain(round(row["net_benefit"], 3))
        drawn_anew = f"Judged on {row['runs']} models drawn anew; the first screen has the exact"
        assert any(drawn_anew in caption.value for caption in app.caption)
        at_both = f"At ε = {plain(epsilon)} and a threshold of {100 * threshold:.0f} %"
        assert f"{at_both}, the net benefit of OPERA is {benefit}." in spoken(app)
    least = worth_from(rows, 0.2)
    assert least is not None
    assert f"treating everybody or nobody from ε = {plain(least)} on." in spoken(app)
    assert STUDY.key not in jobs._attempts


@pytest.mark.usefixtures("counted")
def test_costs_are_shown_once_both_are_given(rows):
    app = at(LINK | {"threshold": "20", "miss_cost": "900"})
    assert "Cost of wrong decisions" not in numbers(app)
    assert any("Give both costs" in caption.value for caption in app.caption)
    app.number_input(key="alarm_cost").set_value(100.0).run()
    assert not app.exception
    row = row_at(rows, 1.0, 0.2)
    cost = 900.0 * row["missed_per_1000"] + 100.0 * row["false_per_1000"]
    assert numbers(app)["Cost of wrong decisions"] == f"{cost:,.0f}"
    assert "By these costs one would act from a risk of 10 % on." in spoken(app)
    # Another ε than those of the grid is answered at the nearest, which is said.
    app.number_input(key="epsilon").set_value(1.1).run()
    assert numbers(app)["Cost of wrong decisions"] == f"{cost:,.0f}"
    assert any("Counted at ε = 1, the nearest below 1.1." in one.value for one in app.caption)


@pytest.mark.parametrize(
    ("name", "value"), [("threshold", "100"), ("threshold", "nan"), ("miss_cost", "-1")]
)
@pytest.mark.usefixtures("counted")
def test_a_hostile_link_is_answered_and_left_out(name, value):
    app = at(LINK | {name: value})
    assert f"“{value}”, but it must be a number from" in app.warning[0].value
    assert app.slider(key="threshold").value == 50


def test_a_model_gives_classes_and_says_so():
    link = {"methods": "Naive Bayes", "focus": "Naive Bayes"}
    assert "Naive Bayes gives classes, not risks." in spoken(at(LINK | link))


def test_nothing_is_counted_before_the_tab_is_open_nor_without_risks():
    closed = at(LINK | {"view": "Per 1,000"})
    assert not any("progress" in str(bar.key) for bar in closed.get("progress"))
    assert "net_benefit_figure" not in shown(closed)
    waiting = at(LINK)
    assert "Risks are being judged" in spoken(waiting)
    huber = at(LINK | {"loss": "Huber SVM"})
    assert "This needs risks, which only **logistic regression** gives." in spoken(huber)
