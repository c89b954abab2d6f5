"""Atlas without a browser: the first answer, each filter, one system, links that lead somewhere."""

import json
import shlex
from pathlib import Path

import pytest

from dpcore import systems
from dpcore.accounting.paper_003 import CLAIM, PRESETS
from dpcore.audit.study import TrialStudy
from dpcore.cli import main
from dpcore.erm.methods import method_named
from dpcore.guarantee import Status
from dpcore.models.systems import model_named
from dpcore.questions.question import ask
from dpcore.questions.verify.every import NOT_TRIED
from dpcore.questions.verify.question import VerifyQuestion
from dpcore.systems import Family, Place, Runnable
from dpcore.systems.standings import CLAIM_UNCHECKED
from dpcore.words import lowered, raised
from pages.atlas.cards import PRACTICE_NAMES, link_to_run
from pages.shared.badges import STATUS_COLOURS
from tests.pages.shown import open_page, said, with_table

pytestmark = pytest.mark.slow("runs whole pages")

SYSTEMS = systems.register()
ROUTES = [
    Runnable(Place.EXPLORE, "opera"),
    SYSTEMS["random-rkhs"].runs[0],
    SYSTEMS["functional-linear"].runs[0],
    Runnable(Place.PLAN, "chexpert-8"),
    Runnable(Place.TRAIN, "network-000"),
    Runnable(Place.TRAIN, "scaled"),
]


def opened(**link):
    return open_page("atlas", **link)


def numbers(app):
    return {metric.label: int(metric.value) for metric in app.metric}


def counted(*chosen):
    result = [systems.standing(each).label for each in chosen]
    return {
        "Systems": len(chosen),
        "Proved as printed": result.count("proved as printed"),
        "Conditions not met": result.count("conditions not met"),
        "Promises too much": result.count("promises too much"),
        "Implementations leak": sum(bool(each.leaks) for each in chosen),
    }


def test_the_first_view_counts_and_the_verdict_comes_first_in_every_row():
    app = opened()
    assert not app.warning
    assert numbers(app) == counted(*SYSTEMS.values())
    labels = [systems.standing(each).label for each in SYSTEMS.values()]
    # The chart's sentence counts the same, in the words of the numbers above it.
    for label in set(labels) - {"described only"}:
        assert f"{labels.count(label)} “{label}”" in said(app)
    rows = systems.selected()[:10]
    sentences = [text.value for text in app.markdown if "-background[" in text.value]
    for sentence, system in zip(sentences, rows, strict=True):
        result = systems.standing(system)
        assert result.verdict in sentence
        assert STATUS_COLOURS[str(result.status)] in sentence
        assert result.claim in app.button(key=f"open {system.key}").help
    assert rows[3].key == "adaptive-tcdp"
    assert CLAIM in sentences[3]


@pytest.mark.parametrize(
    ("link", "keeps"),
    [
        ({"paper": "003 Adaptive networks"}, lambda each: each.paper == "003"),
        ({"kind": "synthetic data"}, lambda each: each.family is Family.GENERATIVE),
        (
            {"verdict": "Promises too much"},
            lambda each: systems.standing(each).status is Status.CLAIM_NOT_SUPPORTED,
        ),
        ({"runnable": "true"}, systems.runs_here),
        ({"practice": "known to leak"}, lambda each: bool(each.leaks)),
        ({"failures": "true"}, lambda each: bool(each.breaks or each.leaks)),
        ({"search": "GAN pate-gan"}, lambda each: each.key == "pate-gan"),
        ({"search": "ABADI"}, lambda each: "Abadi" in each.source),
        ({"search": "paper 003"}, lambda each: each.paper == "003"),
    ],
)
def test_a_link_filters(link, keeps):
    app = opened(**link)
    assert not app.warning
    kept = [each for each in SYSTEMS.values() if keeps(each)]
    assert 0 < len(kept) < len(SYSTEMS)
    assert numbers(app) == counted(*kept)


def test_the_command_line_lists_the_same(capsys):
    app = opened(paper="001 Survey", practice="known to leak", search="NoisySGD")
    command = next(code.value for code in with_table(app, "atlas").code if "dpcore" in code.value)
    assert main(shlex.split(command)[3:]) == 0
    result = json.loads(capsys.readouterr().out)["systems"]
    assert len(result) == numbers(app)["Systems"]
    rows = [each.label.split("**")[1] for each in app.button if each.key.startswith("open ")]
    assert [entry["title"] for entry in result] == rows


@pytest.mark.parametrize("key", ["grpua", "pate-gan", "non-interactive", "dp-gd", "pate"])
def test_one_system_by_itself(key):
    app = opened(system=key)
    system = SYSTEMS[key]
    result = systems.standing(system)
    assert app.title[0].value == system.title
    shown = said(app)
    for text in (system.what, result.claim, result.proof, *system.breaks, *system.leaks):
        assert text in shown
    assert result.verdict in app.markdown[0].value
    assert result.label.capitalize() in app.markdown[1].value
    assert PRACTICE_NAMES[system.practice] in shown
    for work in system.literature:
        assert f"{work.title} ({work.year}), [{work.link_name}]({work.link})" in shown
    for run in system.runs:
        if run.place is Place.EXPLORE:
            assert all(limit in shown for limit in method_named(run.key).limits)


@pytest.mark.parametrize(
    ("key", "verdict"),
    [("naive-bayes", "Proved (our corrected version)"), ("opera", "Proved as printed")],
)
def test_a_proof_of_what_runs_here_is_no_proof_of_the_authors_claim(key, verdict):
    app = opened(system=key)
    badges = [text.value for text in app.markdown if "-badge[" in text.value]
    assert verdict in badges[0]
    unchecked = [text.value for text in app.markdown].count(CLAIM_UNCHECKED)
    assert unchecked == (verdict == "Proved (our corrected version)")
    # What is claimed and proved is said once, with its numbers where it is run.
    for text in (systems.standing(SYSTEMS[key]).claim, systems.standing(SYSTEMS[key]).proof):
        assert said(app).count(text) == 1


def test_a_model_runs_where_its_system_is_opened_in_the_form_that_is_chosen():
    app = opened(system="wishart-pca", form="PCA, δ = 0")
    printed, sound = (model_named(run.key) for run in SYSTEMS["wishart-pca"].runs)
    assert "Promises too much" in said(app)
    assert "Our corrected version: proved" in said(app)
    assert sound.standing.proof in said(app)
    app.selectbox(key="form").set_value(printed.key)
    assert printed.standing.proof in said(app.run())


def test_a_system_is_opened_by_its_title_and_shut_by_another_search():
    app = opened(system="smooth-forest")
    assert app.selectbox(key="system").value == "smooth-forest"
    app.text_input(key="search").set_value("pate-gan").run()
    assert "system" not in app.query_params
    assert numbers(app)["Systems"] == 1
    app.selectbox(key="system").set_value("grpua").run()
    assert app.title[0].value == "GRPUA"
    app.selectbox(key="kind").set_value("synthetic data").run()
    assert app.selectbox(key="system").value is None
    assert numbers(app)["Systems"] == 1
    # A link by key opens its system, from which another leads to one that runs.
    app = opened(system="pate-gan")
    app.button(key="relative pate-gan").click()
    assert app.run().title[0].value == SYSTEMS["noisy-marginals"].title


def test_nothing_found_is_said_and_undone():
    app = opened(search="qwertz", kind="synthetic data")
    assert app.info[0].value == systems.NOTHING_FOUND
    assert not app.metric
    next(button for button in app.button if button.label == "Clear the search").click()
    of_kind = [each for each in SYSTEMS.values() if each.family is Family.GENERATIVE]
    assert numbers(app.run()) == counted(*of_kind)


def test_a_hostile_link_is_told_and_followed_as_far_as_it_goes():
    app = opened(system="<script>", paper="009", leaf="-1", unknown="x", kind="synthetic data")
    (warning,) = app.warning
    for part in ("the system “script”", "the paper “009”", "a page of “-1”", "“unknown”"):
        assert part in warning.value
    assert numbers(app)["Systems"] == sum(
        each.family is Family.GENERATIVE for each in SYSTEMS.values()
    )


def test_paper_003_is_judged_in_two_clicks():
    app = opened()
    app.button(key="open adaptive-tcdp").click()
    app.run()
    assert CLAIM in app.markdown[0].value
    # The certified ε stands beside each claim: on the mean, and on the sum of both batches.
    table = app.table[0].value.set_index("what is stated")
    assert len(table) == sum(each.stated is not None for each in PRESETS.values())
    for key, result in (
        ("chexpert-2", ["0.00334: holds", "0.91: holds", "6.93: fails"]),
        ("chexpert-8", ["0.0169: holds", "29.6: fails", "157: fails"]),
        ("chexpert-2-epoch", ["0.00335: holds", "0.761: holds", "1.26: holds"]),
        ("chexpert-8-epoch", ["0.0168: holds", "5.35: holds", "46.1: fails"]),
        ("mnist-1.19-dpsgd", ["not judged", "0.865: holds", "not judged"]),
    ):
        assert list(table.loc[PRESETS[key].title]) == result


@pytest.mark.parametrize("run", ROUTES, ids=lambda run: f"{run.place} {run.key}")
def test_a_route_opens_its_page_with_what_it_says(run):
    to = link_to_run(run)
    app = open_page(Path(to.page).stem, **to.settings)
    # Every setting is one that the page has, with a value that it offers.
    assert not [each.value for each in app.warning if "The link asks" in each.value]


def decided(app):
    """The page once its trial is decided."""
    for _ in range(60):
        told = [each.value for each in app.markdown]
        if any("efuted" in each and "2\u202f000 outputs" in each for each in told) or any(
            each.startswith("Refuted") for each in told
        ):
            return app
        app.run()
    raise AssertionError(told)


def test_a_promise_is_on_trial_at_once_and_half_of_the_noise_is_caught():
    app = decided(opened())
    assert any("Not refuted: of OPERA" in each.value for each in app.markdown)
    half = decided(opened(tried_noise="Half"))
    assert any("Refuted at 99" in each.value for each in half.markdown)
    command = next(code.value for code in with_table(half, "trial").code if "dpcore" in code.value)
    assert "verify" in command
    assert "--method opera" in command
    assert "--noise-share 0.5" in command


def test_every_method_is_tried_when_asked_and_what_was_not_says_so(monkeypatch, tmp_path):
    monkeypatch.setenv("DPCORE_CACHE", str(tmp_path))
    app = opened(on_trial="All")
    assert not app.exception
    (shown,) = app.dataframe
    assert set(shown.value["verdict"]) == {NOT_TRIED}
    question = VerifyQuestion(TrialStudy(method="opera"))
    rows = ask(question)
    # As a job leaves it.
    (tmp_path / "jobs").mkdir(exist_ok=True)
    (tmp_path / f"jobs/{question.key}.csv").write_text(rows.to_csv(index=False))
    app = opened(on_trial="All")
    (shown,) = app.dataframe
    row = shown.value[shown.value["verdict"] != NOT_TRIED]
    best = rows.loc[rows["ratio"].idxmax()]
    assert row["attacked"].item() == lowered(best["attacked"], 3) < best["attacked"]
    assert row["proved"].item() == raised(best["proved"], 3) >= best["proved"]
