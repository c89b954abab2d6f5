"""A trial that is watched: it stops, goes on, and is drawn as it stands."""

from dataclasses import replace

import numpy as np
import pytest

from dpcore.audit.study import TrialStudy
from dpcore.errors import Cancelled
from dpcore.guarantee import Adjacency
from dpcore.progress import silent
from dpcore.questions.question import ask
from dpcore.questions.verify import figure
from dpcore.questions.verify.figure import DOTS, dots
from dpcore.questions.verify.question import LiveTrial, VerifyQuestion, usual_attack
from dpcore.questions.verify.words import NO_PROMISE, sentence, verdicts


def test_a_stopped_trial_goes_on_where_it_was_and_ends_as_one_that_was_not_stopped():
    study = TrialStudy(outputs=600)
    stopped, whole = LiveTrial(study), LiveTrial(study)

    def stop(share, _):
        if share > 0.2:
            raise Cancelled

    with pytest.raises(Cancelled):
        stopped.go(stop)
    assert stopped.last.runs < 600
    assert stopped.go(silent).lower_bound == whole.go(silent).lower_bound
    assert stopped.bounds == whole.bounds
    assert stopped.bounds[-1][0] == 600


def test_it_shows_the_attack_under_zero_out_and_the_tables_number():
    study = TrialStudy(outputs=400)
    live = LiveTrial(replace(study, attack=usual_attack(study)))
    live.go(silent)
    assert live.attack.adjacency is Adjacency.ZERO_OUT
    assert live.which == "Attack 2 of 3"
    (row,) = ask(VerifyQuestion(live.study)).to_dict("records")
    assert live.row["attacked"] == row["attacked"] > 0.0


@pytest.mark.parametrize("dark", [False, True])
def test_what_is_drawn_are_the_three_values_of_epsilon(dark):
    live = LiveTrial(TrialStudy("grpua", "published", epsilon=1.0))
    live.go(silent)
    row = live.row
    drawn = figure.rising(live.bounds, row, "GRPUA", 2_000, dark=dark)
    words = [each.text for each in drawn.figure.layout.annotations]
    assert [word.split(" ")[0] for word in words] == ["claimed", "proved"]
    assert list(drawn.figure.data[0].y) == [bound for _, bound in live.bounds]
    assert drawn.sentence.startswith("Refuted at 99 %: GRPUA loses")
    assert row["claimed"] < row["attacked"] < row["proved"]
    assert row["proved_by"] in drawn.detail
    worlds = figure.worlds(live.last.first, live.last.second, dark=dark)
    assert [len(trace.x) for trace in worlds.figure.data] == [DOTS, DOTS]
    table = figure.table(live.bounds, row)
    assert table["attacked"].iloc[-1] == row["attacked"]


def test_hits_stay_under_the_limit_of_the_promise_and_with_half_the_noise_they_do_not():
    def above(share):
        live = LiveTrial(TrialStudy(epsilon=1.0, noise_share=share))
        live.go(silent)
        allowed, found = figure.roc(live.last, is_normal=True).figure.data
        rates = np.linspace(0.05, 0.6, 12)
        return np.interp(rates, found.x, found.y) - np.interp(rates, allowed.x, allowed.y)

    # A share of 2 000, or of the few hundred that catch half of the noise.
    assert above(1.0).max() < 4.0 * np.sqrt(0.5 / 2_000)
    assert above(0.5).mean() > 0.05


def test_each_dot_stands_for_a_twentieth():
    scores = np.arange(2_000.0)
    assert dots(scores) == pytest.approx(np.arange(DOTS) * 100 + 50, abs=1.0)


def test_the_sentence_says_how_many_outputs_would_decide():
    live = LiveTrial(TrialStudy(epsilon=0.1, outputs=100))
    live.go(silent)
    told = sentence(live.row, "OPERA")
    assert told.startswith("Cannot be decided")
    assert "about 10\u202f235" in told  # 2 (2.33/.033)²


def test_several_trials_are_counted_in_one_sentence():
    row = {"verdict": "refuted", "ratio": 1.349, "method": "grpua"}
    other = {"verdict": "not refuted", "ratio": 0.3, "method": "opera"}
    told = verdicts([other, row, {"verdict": NO_PROMISE}])
    assert told.startswith("1 of 2 promises is refuted")
    assert "1.34 times the promised ε" in told
