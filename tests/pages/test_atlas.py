"""Atlas without a browser: the first answer, each filter, one system, links that lead somewhere."""

import json
import re
import shlex
from pathlib import Path

import pytest

from dpcore import systems
from dpcore.accounting.presets import CLAIM, PRESETS
from dpcore.cli import main
from dpcore.guarantee import Status
from dpcore.methods import method_named
from dpcore.models.register import model_named
from dpcore.systems import Family, Place, Runnable
from dpcore.systems.standings import CLAIM_UNCHECKED
from pages.atlas.routes import route
from pages.atlas.texts import IN_FORMULAS, PRACTICE_NAMES
from pages.shared.texts import STATUS_COLOURS
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


@pytest.fixture(scope="module")
def first():
    return opened()


def opened(page="atlas", **link):
    return open_page(page, **link)


def numbers(app):
    return {metric.label: int(metric.value) for metric in app.metric}


def titles(app):
    """The titles of the rows."""
    return [each.label.split("**")[1] for each in app.button if each.key.startswith("open ")]


def counted(*chosen):
    result = [systems.standing(each).label for each in chosen]
    return {
        "Systems": len(chosen),
        "Proved as printed": result.count("proved as printed"),
        "Conditions not met": result.count("conditions not met"),
        "Promises too much": result.count("promises too much"),
        "Implementations leak": sum(bool(each.leaks) for each in chosen),
    }


def test_the_first_view_answers(first):
    assert not first.exception
    assert not first.warning
    assert numbers(first) == counted(*SYSTEMS.values())
    shown = said(first)
    assert "are described only, the others " in shown
    result = [systems.standing(each).label for each in SYSTEMS.values()]
    # The chart's sentence counts the same, in the words of the numbers above it.
    for label in set(result) - {"described only"}:
        assert result.count(label)
        assert f"{result.count(label)} “{label}”" in shown


def test_the_verdict_comes_first_in_every_row(first):
    rows = systems.selected()[:10]
    texts = [text.value for text in first.markdown]
    sentences = [text for text in texts if "-background[" in text]
    assert len(sentences) == len(rows)
    for sentence, system in zip(sentences, rows, strict=True):
        result = systems.standing(system)
        assert result.verdict in sentence
        assert STATUS_COLOURS[str(result.status)] in sentence
        button = first.button(key=f"open {system.key}")
        label = button.label
        assert label.startswith(f"**{system.title}** (")
        assert label.endswith(f"{max(work.year for work in system.literature)})")
        assert result.claim in button.help
    # The first rows are the papers' main claims, by the number that people know them by.
    assert [first.button(key=f"open {each.key}").label for each in rows[:4]] == [
        "**OPERA** (paper 000, 2020)",
        "**GRPUA** (paper 000, 2020)",
        "**Input perturbation** (paper 002, 2017)",
        "**Adaptive private deep learning** (paper 003, 2021)",
    ]
    assert CLAIM in sentences[3]


def test_the_first_screen_is_short(first):
    # Nine rows, the last half, are above the fold at 1280 x 800.
    shown = systems.selected()[:9]
    words = " ".join(f"{systems.standing(each).verdict} {each.title}" for each in shown)
    assert len(re.findall(r"[^\W\d_]{2,}", words)) <= 125
    assert 4 <= len([*first.sidebar.selectbox, *first.sidebar.toggle, *first.text_input]) <= 8


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
        ({"search": "bayes boosting"}, lambda each: each.family is Family.SUPERVISED),
        ({"search": "paper 003"}, lambda each: each.paper == "003"),
    ],
)
def test_a_link_filters(link, keeps):
    app = opened(**link)
    assert not app.exception
    assert not app.warning
    kept = [each for each in SYSTEMS.values() if keeps(each)]
    assert 0 < len(kept) < len(SYSTEMS)
    assert numbers(app) == counted(*kept)


def test_a_search_matches_where_words_begin():
    trees = SYSTEMS["random-decision-tree"]
    assert "Jagannathan" in trees.source
    result = titles(opened(search="gan"))
    for name in ("PATE-GAN", "GANobfuscator", "DPGAN"):
        assert name in result
    assert trees.title not in result
    assert trees.title in titles(opened(search="jaganna"))


def test_the_command_line_lists_the_same(capsys):
    app = opened(paper="001 Survey", practice="known to leak", search="NoisySGD")
    command = next(code.value for code in with_table(app, "atlas").code if "dpcore" in code.value)
    assert command.startswith("python -m dpcore ")
    assert main(shlex.split(command)[3:]) == 0
    result = json.loads(capsys.readouterr().out)["systems"]
    assert len(result) == numbers(app)["Systems"]
    assert [entry["title"] for entry in result] == titles(app)


def test_a_proved_corrected_version_has_a_badge_of_its_own():
    app = opened(system="grpua")
    badges = [text.value for text in app.markdown if "-badge[" in text.value]
    for badge, words in zip(
        badges,
        ("Promises too much", "Our corrected version: proved", "No implement"),
        strict=True,
    ):
        assert words in badge


def test_nothing_found_is_said_and_undone():
    app = opened(search="qwertz", kind="synthetic data")
    assert app.info[0].value == systems.NOTHING_FOUND
    assert not app.metric
    next(button for button in app.button if button.label == "Clear the search").click()
    of_kind = [each for each in SYSTEMS.values() if each.family is Family.GENERATIVE]
    assert numbers(app.run()) == counted(*of_kind)
    app.text_input(key="search").set_value("qwertz").run()
    next(button for button in app.button if button.label == "Show all systems").click()
    assert numbers(app.run()) == counted(*SYSTEMS.values())


@pytest.mark.parametrize("key", ["grpua", "pate-gan", "non-interactive", "dp-gd", "pate"])
def test_one_system_by_itself(key):
    app = opened(system=key)
    system = SYSTEMS[key]
    result = systems.standing(system)
    assert not app.exception
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
    next(button for button in app.button if button.label == "All systems").click()
    assert numbers(app.run()) == counted(*SYSTEMS.values())


@pytest.mark.parametrize(
    ("key", "verdict"),
    [
        ("naive-bayes", "Proved (our corrected version)"),
        ("noisy-sgd", "Proved (our corrected version)"),
        ("opera", "Proved as printed"),
    ],
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


FAILED = [
    key
    for key, system in SYSTEMS.items()
    if systems.standing(system).status is Status.CLAIM_NOT_SUPPORTED
]


@pytest.mark.parametrize("key", FAILED)
def test_a_failed_claim_is_told_plainly_and_its_formulas_are_a_click_away(key):
    app = opened(system=key)
    plain = SYSTEMS[key].in_plain
    assert plain.startswith("Claimed ")
    assert not set(plain) & set("∇√²λσρ()_^/")
    assert plain in [text.value for text in app.markdown]
    if key == "wishart-pca":  # its formulas stand once, where it is run
        return
    (box,) = (box for box in app.expander if box.label == IN_FORMULAS)
    inside = " ".join(text.value for text in box.markdown)
    for text in (systems.standing(SYSTEMS[key]).claim, *SYSTEMS[key].breaks):
        assert text in inside


def test_a_system_is_opened_by_its_title_and_shut_by_another_search():
    app = opened(system="smooth-forest")
    box = app.selectbox(key="system")
    assert box.value == "smooth-forest"
    assert SYSTEMS["sulq-pca"].title in box.options
    assert not set(SYSTEMS) & set(box.options)
    app.text_input(key="search").set_value("pate-gan").run()
    assert "system" not in app.query_params
    assert numbers(app)["Systems"] == 1
    app.selectbox(key="system").set_value("grpua").run()
    assert app.title[0].value == "GRPUA"
    app.selectbox(key="kind").set_value("synthetic data").run()
    assert app.selectbox(key="system").value is None
    assert not app.exception
    assert numbers(app)["Systems"] == 1
    app.selectbox(key="system").set_value("grpua").run()
    app.toggle(key="runnable").set_value(True).run()
    assert app.info[0].value == systems.NOTHING_FOUND


def test_a_model_runs_where_its_system_is_opened():
    app = opened(system="wishart-pca", form="PCA, δ = 0")
    assert not app.exception
    assert not app.warning
    shown = said(app)
    printed, sound = (model_named(run.key) for run in SYSTEMS["wishart-pca"].runs)
    # The verdict on the system stands above; what is run is the form that was chosen.
    assert "Promises too much" in shown
    assert sound.proof in shown
    app.selectbox(key="form").set_value(printed.key)
    assert printed.proof in said(app.run())


def test_a_relative_leads_to_the_system_that_runs():
    app = opened(system="pate-gan", paper="009")
    # A link by key opens its system, and is still told what fails.
    assert app.title[0].value == SYSTEMS["pate-gan"].title
    assert "the paper “009”" in app.warning[0].value
    app.button(key="relative pate-gan").click()
    assert app.run().title[0].value == SYSTEMS["noisy-marginals"].title


def test_a_hostile_link_is_told_and_followed_as_far_as_it_goes():
    app = opened(system="<script>", paper="009", leaf="-1", unknown="x", kind="synthetic data")
    assert not app.exception
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
    to = route(run)
    app = opened(Path(to.page).stem, **to.settings)
    assert not app.exception
    # Every setting is one that the page has, with a value that it offers.
    assert not [each.value for each in app.warning if "The link asks" in each.value]
