"""What is said and drawn of a table's summary follows from its rows."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from dpcore.accounting.risk import gaussian_advantage, odds
from dpcore.datasets import load
from dpcore.guarantee import Adjacency, PrivacyBudget
from dpcore.questions.describe import figure, words
from dpcore.questions.describe.question import DRAWS, DescribeQuestion, DrawsQuestion
from dpcore.questions.describe.summary import TableSummary, numbers_of
from dpcore.questions.question import ask
from dpcore.summaries.counts import layers_for
from dpcore.summaries.estimates import BARS, HISTOGRAM, QUANTILES
from dpcore.summaries.study import TableStudy
from dpcore.summaries.table_lines import cell

STUDY = TableStudy(records=1_000, epsilons=(0.1, 1.0, 10.0), delta=1e-6)
ONLY = ("age", "sex", "smoker")
LAST = len(STUDY.epsilons) - 1


@pytest.fixture(scope="module")
def summary():
    question = DescribeQuestion(STUDY, by="admitted", only=ONLY)
    return TableSummary(question, ask(question))


@pytest.fixture(scope="module")
def draws():
    return ask(DrawsQuestion(STUDY, by="admitted", only=ONLY, column="age"))


def test_the_three_numbers_are_those_of_the_rows(summary):
    rows = summary.rows[summary.rows["epsilon"] == 1.0]
    error = 100.0 * rows["error"] / rows["width"]
    assert words.typical(summary, 1)[0] == pytest.approx(np.median(error))
    assert words.worst(summary, 1)[0] == pytest.approx(error.max())
    study = summary.question.study
    mu = study.mechanism(summary.question.measured(study.entry), 1.0).mu
    budget = PrivacyBudget(1.0, 1e-6)
    assert summary.odds_at(1) == odds(budget, Adjacency.ZERO_OUT, gaussian_advantage(mu))


def test_errors_fall_to_those_of_chance(summary):
    for number in summary.numbers:
        error = np.array(summary.errors(number, "all"))
        assert (np.diff(error) <= 1e-9).all()
        assert error[-1] >= summary.errors(number, "all", "sampling_error")[-1] - 1e-9


def test_the_names_of_numbers_are_known_without_the_records(summary):
    grouped = {f"admitted: {group}" for group in ("no", "yes")}
    assert {*numbers_of(STUDY.entry, ONLY), *grouped} == set(summary.numbers)


def test_the_picture_says_each_stop(summary):
    shown = figure.picture(summary, "age, mean")
    assert shown.stops == STUDY.epsilons
    assert [line.name for line in shown.panels[0].lines] == ["all", "admitted: no", "admitted: yes"]
    assert "age, mean" in shown.alt
    assert len(figure.picture(summary, "admitted: yes").panels[0].lines) == 1


def test_the_table_has_a_line_for_each_number_and_a_cell_for_each_group(summary):
    lines = list(words.lines(summary, 1))
    assert [line.heading for line in lines if not line.cells] == ["age, years", "sex", "smoker"]
    assert all(len(line.cells) == 3 for line in lines if line.cells)
    assert lines[0].cells[0].value == "1\u202f000"
    rows = summary.at(1)
    yes = rows[rows["number"] == "admitted: yes"].iloc[0]
    assert lines[0].cells[2].value == str(round(1_000 * yes["value"]))


@pytest.mark.parametrize(
    ("row", "shown"),
    [
        (("share", 0.5213, 0.492, 0.5512), ("52.1 %", "49.2 to 55.1")),
        (("mean", 57.46, 41.2, 70.9), ("57", "41 to 71")),
        (("mean", -0.001, -0.2, 0.2), ("0.00", "−0.20 to 0.20")),
        (("median", 12_345.0, 11_000.0, 13_000.0), ("12\u202f345", "11\u202f000 to 13\u202f000")),
    ],
)
def test_a_number_has_the_decimals_that_its_interval_tells(row, shown):
    statistic, value, low, high = row
    told = {"statistic": statistic, "value": value, "low": low, "high": high}
    found = cell(told | {"error": 1.0, "readable": False})
    assert (found.value, found.interval, found.readable) == (*shown, False)


def test_it_says_which_epsilon_keeps_shares_within_an_error(summary):
    def worst(of, place):
        rows = summary.at(place)
        return float(rows.loc[rows["statistic"] == "share", of].max())

    within = worst("noise_error_points", 1) + 1e-6
    assert summary.shares_within(within, by_noise=True) == 1.0
    assert "**ε = 1** " in words.reached(summary, within)
    assert "No ε here does" in words.reached(summary, 0.5 * worst("noise_error_points", LAST))
    assert "Chance alone" in words.reached(summary, worst("noise_error_points", LAST) + 1e-6)
    assert "it takes ε" in words.reached(summary, worst("error_points", 0) + 1.0)


@pytest.mark.parametrize("by_noise", [True, False])
def test_between_two_stops_the_epsilon_is_the_least_that_keeps_the_error(summary, by_noise):
    name = "noise_error" if by_noise else "error"

    def worst(epsilon):
        study = replace(STUDY, epsilons=(epsilon,))
        rows = ask(DescribeQuestion(study, by="admitted", only=ONLY))
        return 100.0 * float(rows.loc[rows["statistic"] == "share", name].max())

    wanted = (worst(0.1) * worst(1.0)) ** 0.5
    found = summary.shares_within(wanted, by_noise=by_noise)
    assert 0.1 < found < 1.0
    assert float(f"{found:.3g}") == found
    assert worst(found) <= wanted < worst(0.99 * found)


def test_what_is_too_noisy_is_counted_with_the_epsilon_that_would_do(summary):
    noisy = int((~summary.at(0)["readable"]).sum())
    assert noisy
    assert f"{noisy} numbers" in words.too_noisy(summary, 0)
    assert f"**{noisy}** of" in words.sentence(summary, 0, "age, mean")
    assert words.too_noisy(summary, LAST) == ""
    enough = summary.all_readable_from()
    assert enough in STUDY.epsilons[1:]


def test_quartiles_of_whole_numbers_lie_on_the_grid_and_their_intervals_hold_them(summary):
    ages = load("cohort", records=1_000).frame["age"]
    rows = summary.rows[(summary.rows["column"] == "age") & (summary.rows["group"] == "all")]
    cell = 82.0 / 4 ** layers_for(1_000)
    for statistic, order in QUANTILES.items():
        own = np.quantile(ages, order, method="inverted_cdf")
        told = rows[rows["statistic"] == statistic]
        assert np.all(abs(told["exact"] - own) <= cell)
        assert np.all((told["noise_low"] <= own) & (own <= told["noise_high"]))
    assert words.on_grid(summary) == words.GRID


def test_the_first_draw_is_the_one_of_the_table(summary, draws):
    first = draws[(draws["draw"] == 0) & (draws["statistic"] != HISTOGRAM)]
    names = ["epsilon", "statistic", "group"]
    both = summary.rows[summary.rows["column"] == "age"].merge(first, on=names)
    assert len(both) == 3 * 5 * 3
    for name in ("value", "low", "high", "exact"):
        np.testing.assert_array_equal(both[f"{name}_x"], both[f"{name}_y"])
    assert set(draws["draw"]) == set(range(DRAWS))


def test_a_cross_table_is_drawn_as_it_is_told_and_its_numbers_are_known_without_records():
    question = DescribeQuestion(STUDY, only=("sex", "smoker"), cross=("sex:smoker",))
    told = TableSummary(question, ask(question))
    drawn = ask(DrawsQuestion.of(question, "sex × smoker"))
    assert set(drawn["column"]) == {"sex × smoker"}
    first = drawn[drawn["draw"] == 0].merge(told.rows, on=["epsilon", "column", "level"])
    assert len(first) == 3 * 4
    np.testing.assert_array_equal(first["value_x"], first["value_y"])
    assert set(numbers_of(STUDY.entry, ONLY, ("sex:smoker",))) > set(told.numbers)
    lines = [line.heading for line in words.lines(told, 1)]
    assert lines[-5:] == [
        "sex × smoker",
        *(f"{a} × {b}" for a in ("female", "male") for b in ("no", "yes")),
    ]


def test_a_histogram_adds_up_and_is_true_without_noise(draws):
    bars = draws[draws["statistic"] == HISTOGRAM]
    sums = bars.groupby(["epsilon", "group"])[["value", "exact"]].sum()
    assert len(bars) == 3 * 3 * BARS
    np.testing.assert_allclose(sums, 1.0, atol=1e-9)
    off = (bars["value"] - bars["exact"]).abs().groupby(bars["epsilon"]).max()
    assert off[10.0] < 0.02 < off[0.1]


def test_the_pictures_of_draws_hold_them_and_the_truth(summary, draws):
    rows = draws[draws["epsilon"] == 1.0]
    strip = figure.draws(rows, summary, "age, median", dark=False).figure
    assert [len(trace.x) for trace in strip.data] == [3 * DRAWS, 3]
    bars = figure.histogram(rows, summary, "age", dark=True).figure
    assert [len(trace.x) for trace in bars.data] == [BARS, BARS]
    assert 18 < min(bars.data[0].x) < max(bars.data[0].x) < 100
    words_alone = pd.DataFrame(rows[rows["statistic"] != HISTOGRAM])
    assert figure.histogram(words_alone, summary, "age", dark=False) is None
