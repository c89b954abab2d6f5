"""What tests of Explore share: its first screen read, and fewer methods than there are."""

import re
from decimal import Decimal

from dpcore.evaluation import jobs, work
from dpcore.evaluation.exact_curves import closed_form
from dpcore.evaluation.splits import splits_of
from pages.explore.controls import every_method

_SWATCH = r':color\[■\]\{foreground="#\w{6}"\}'
_PARTS = re.compile(rf"\*\*(.+)\*\* .+ = {_SWATCH} (.+) simpler model {_SWATCH} (.+) privacy noise")


def only_methods(monkeypatch, *methods):
    """As if there were no others, most of which would have to be trained."""
    monkeypatch.setattr("pages.explore.view.every_method", lambda *_: methods)


def all_methods(monkeypatch):
    """As on the page, where a test file has only some."""
    monkeypatch.setattr("pages.explore.view.every_method", every_method)


def at_first(study):
    """The first row of a study's closed forms, on the splits of the first picture."""
    every = splits_of(study.dataset, study.records, study.preparation)
    return closed_form(study, every.at_once).iloc[0]


def below_title(app):
    """The line that names the data, their number and what models are judged on."""
    return next(text.value for text in app.main.caption if "judged on " in text.value)


def sentence(app):
    """The sentence that answers first, with usual spaces."""
    shown = next(text.value for text in app.main.markdown if "At ε = " in text.value)
    return shown.replace("\u00a0", " ")


def cost(app):
    """What privacy costs, and its two parts, as they are shown."""
    result = (_PARTS.match(text.value) for text in app.main.caption)
    total, form, noise = map(number, next(filter(None, result)).groups())
    return total, form, noise


def number(shown):
    """A number as it is shown, without its unit."""
    return Decimal(shown.split()[0].replace("−", "-").replace(",", ""))


def leave(folder, key, rows):
    """The result of a job, as a worker leaves it in the cache."""
    (folder / jobs.FOLDER).mkdir(exist_ok=True)
    (folder / jobs.FOLDER / f"{key}.csv").write_text(work._text(rows))
    return rows
