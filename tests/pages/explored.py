"""What tests of Explore share: its first answer read, and fewer methods than there are."""

import re

from dpcore.controls.explore import CLOSER
from dpcore.erm.methods import FIRST
from dpcore.evaluation.clinic.counts import NAME, TreatedCounts
from dpcore.questions.cost.question import CostQuestion
from dpcore.questions.question import task
from dpcore.work import files, jobs
from dpcore.work.task import JobContext
from pages.explore.controls import every_method
from pages.explore.view import Pending, gather
from tests.pages.shown import open_page, picture, run
from tests.pages.waiting import until
from tests.typewritten import typewritten

COHORT = {"data": "Synthetic clinical cohort"}


def at(link):
    """Explore with its first answer."""
    return answered(open_page("explore", **link))


def answered(app):
    """The page once its first answer is there."""
    assert not app.exception
    until(lambda: app.get("bidi_component"), app, look_seconds=0.1)
    return app


def is_read(app):
    """Whether the records are read, and the page is about them."""
    return any("judged on " in text.value for text in app.main.caption)


def gathered(choice):
    """What the page shows once the first answer is computed."""
    contents = gather(choice)
    if isinstance(contents, Pending):
        for study in contents.first.studies.values():
            jobs.submit(task(study))
        contents = gather(choice)
    assert not isinstance(contents, Pending)
    return contents


def finished(app):
    """The page once all work has ended."""
    until(lambda: not app.get("progress"), app)
    return run(app)


def open_tab(app, tab):
    """The page with a tab open, as a reader opens it."""
    chip, tabs = next((chip, tabs) for chip, tabs in CLOSER.items() if tab in tabs)
    app.segmented_control(key="look_closer").set_value(chip)
    run(app)
    if len(tabs) > 1:
        app.pills(key="view").set_value(tab)
        run(app)
    return app


def only_methods(monkeypatch, *methods):
    """As if there were only these, and that of the rule: the others would have to be trained."""
    every = tuple(dict.fromkeys((FIRST, *methods)))
    monkeypatch.setattr("pages.explore.view.every_method", lambda *_: every)


def all_methods(monkeypatch):
    """As on the page, where a test file has only some."""
    monkeypatch.setattr("pages.explore.view.every_method", every_method)


def right_decisions(study, threshold):
    """Those of a study of one method and one ε, as they are shown."""
    counts = TreatedCounts.read(CostQuestion(study).answer(JobContext()).files[NAME])
    return f"{100 * counts.outcomes(threshold).right.mean():.1f} %"


def below_title(app):
    """The line that names the data, their number and what models are judged on."""
    return next(text.value for text in app.main.caption if "judged on " in text.value)


def sentence(app):
    """The sentence that answers first, at the ε of the page."""
    shown = picture(app)
    return shown["sentences"][shown["stop"]].replace("**", "")


def readings(app):
    """The big numbers of the first answer by their labels, at the ε of the page."""
    shown = picture(app)
    return {one["label"]: one["values"][shown["stop"]] for one in shown["readings"]}


def headline(app):
    """All that the first answer says and draws at any ε, without the other methods' thin lines."""
    shown = picture(app)
    (panel,) = shown["panels"]
    said = {name: shown[name] for name in ("sentences", "readings", "people", "guesses", "alt")}
    return said | {"line": panel["lines"][0]["texts"], "rules": panel["rules"]}


def figures(words):
    """The numbers in a sentence, without signs and percent."""
    return [float(one) for one in re.findall(r"\d+(?:\.\d+)?", typewritten(words))]


def leave(folder, key, outcome):
    """What a job gives, as a worker leaves it in the cache."""
    (folder / files.FOLDER).mkdir(exist_ok=True)
    for name, data in {"csv": files.text(outcome.rows).encode(), **outcome.files}.items():
        (folder / files.FOLDER / f"{key}.{name}").write_bytes(data)
    return outcome.rows
