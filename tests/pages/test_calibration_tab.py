"""The tab on whether risks are right: the package's numbers, corrected too, and no training."""

from dataclasses import replace

import pytest

from dpcore.controls.explore import EPSILONS
from dpcore.evaluation import jobs, work
from dpcore.evaluation.clinic.rows import REFERENCE
from dpcore.evaluation.clinic.study import ClinicStudy
from dpcore.evaluation.clinic.task import calibration_part, decision_part
from dpcore.evaluation.clinic.task import work as judge
from dpcore.evaluation.study import Study
from dpcore.evaluation.task import JobContext
from dpcore.figures.calibration import correction, reliability_curve
from dpcore.figures.words import plain
from tests.pages.explored import numbers, only_methods
from tests.pages.test_explore import COHORT, at, spoken

pytestmark = [pytest.mark.usefixtures("alone"), pytest.mark.slow("runs whole pages")]

LINK = COHORT | {"patients": "100", "view": "Calibration", "focus": "OPERA", "runs": "10"}
STUDY = ClinicStudy(
    Study(dataset="cohort", records=100, methods=("opera",), epsilons=EPSILONS, runs=10)
)
CORRECTED = replace(STUDY, corrected=True)


@pytest.fixture(scope="module")
def results():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("dpcore.evaluation.baselines._better", lambda *_: "linear model")
        return {study.key: judge(study, JobContext()).rows for study in (STUDY, CORRECTED)}


@pytest.fixture(autouse=True)
def judged(results, tmp_path, monkeypatch):
    """The jobs' results, as a worker leaves them."""
    only_methods(monkeypatch, "opera")
    folder = tmp_path / jobs.FOLDER
    folder.mkdir()
    for key, rows in results.items():
        (folder / f"{key}.csv").write_text(rows.to_csv(index=False, na_rep=work.MISSING))


def test_numbers_curve_and_correction_are_those_of_the_package(results):
    app = at(LINK)
    for epsilon, study in ((1.0, STUDY), (10.0, STUDY), (10.0, CORRECTED)):
        if epsilon != 1.0:
            app.number_input(key="epsilon").set_value(epsilon).run()
        if study.corrected:
            app.toggle(key="corrected").set_value(True).run()
        assert not app.exception
        rows = calibration_part(results[study.key])
        model, without = rows[rows["epsilon"] == epsilon], rows[rows["method"] == REFERENCE]
        told, row = numbers(app), model.iloc[0]
        assert told["Slope"] == plain(round(row["calibration_slope"], 2))
        assert told["Intercept"] == plain(round(row["calibration_intercept"], 2))
        assert told["Calibration error"] == f"{100 * row['calibration_error']:.1f} %"
        drawn = reliability_curve(model, without, people="patients")
        assert drawn.sentence in spoken(app)
        assert ("Correcting the risks takes" in spoken(app)) == study.corrected
    assert correction(row) in spoken(app)
    (said,) = [text for text in app.markdown if text.value.startswith("Correcting the risks")]
    for word in ("ε = 10", "δ = 1e-5", "zero-out", "one Gaussian release of counts"):
        assert word in said.help
    assert not {STUDY.key, CORRECTED.key} & set(jobs._attempts)


def test_net_benefit_is_that_of_the_corrected_risks(results):
    app = at(LINK | {"view": "Net benefit", "corrected": "true", "threshold": "20"})
    assert not app.exception
    rows = decision_part(results[CORRECTED.key])
    row = rows[(rows["epsilon"] == 1.0) & (rows["threshold"] == 0.2)].iloc[0]
    assert numbers(app)["Sensitivity"] == f"{100 * row['true_positive_rate']:.1f} %"
    assert f"is {plain(round(row['net_benefit'], 3))}." in spoken(app)
    assert "Correcting the risks takes" in spoken(app)
    assert not any("as the model gives them" in caption.value for caption in app.caption)


def test_a_method_without_one_gaussians_curve_is_refused_in_the_engines_sentence():
    link = LINK | {"methods": "ObjPert", "focus": "ObjPert"}
    app = at(link | {"corrected": "true"})
    assert not app.exception
    assert "must be proved by the curve of one Gaussian, as DP-GD is" in spoken(app)
