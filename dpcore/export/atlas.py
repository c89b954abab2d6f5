"""Atlas as code: the command line of its list of systems, and a model at work."""

from __future__ import annotations

from dpcore.controls.atlas import FILTERS, FORM, RUN
from dpcore.controls.control import Values
from dpcore.controls.options import exactly, written
from dpcore.evaluation.models import ModelStudy
from dpcore.questions.lines import TELLING, call, changed


def list_command(values: Values) -> str:
    """The command line of the list."""
    options = written(FILTERS, FILTERS.fields(values))
    return " ".join(["python -m dpcore methods", *options, "--json"])


def model_command(study: ModelStudy) -> str:
    """The command line that prints the table on screen."""
    epsilons = " ".join(map(exactly, study.epsilons))
    options = written((FORM, *RUN), vars(study))
    return " ".join(
        ["python -m dpcore model", *options, f"--dataset {study.dataset}", f"--epsilon {epsilons}"]
    )


def model_snippet(study: ModelStudy) -> str:
    """Python that computes the table on screen."""
    usual = ModelStudy(model=study.model)
    arguments = [repr(study.model), *changed(vars(study), vars(usual))]
    lines = call("study = dpcore.ModelStudy", arguments)
    beginning = ["import sys", "", "import dpcore", "", *TELLING]
    return "\n".join([*beginning, *lines, "table = dpcore.explore(study, progress=tell)"])
