"""PCA of a covariance with Gaussian noise (Dwork, Talwar, Thakurta and Zhang 2014; survey [28]).

Sensitivity and release are in `dpcore.models.covariance`. The noise is symmetric and the same in
every direction of Frobenius' geometry (off the diagonal its variance is half of that on it), so the
release is one Gaussian mechanism on S written as a vector of d(d + 1)/2 coordinates. The usual full
variance off the diagonal would be more noise than necessary.
"""

from __future__ import annotations

from functools import partial

from dpcore.guarantee import Adjacency, Edition, PrivacyBudget, Standing, Status
from dpcore.models import covariance
from dpcore.models.model import Model, NoisePlan, gaussian_noise
from dpcore.models.records import RecordShape


def plan(shape: RecordShape, budget: PrivacyBudget, adjacency: Adjacency) -> NoisePlan:
    moved = covariance.sensitivity(adjacency)
    return NoisePlan([gaussian_noise("second moments", moved, budget)], covariance.SETTINGS)


MODEL = Model(
    key="pca-gaussian",
    title="PCA, Gaussian covariance",
    system="SuLQ-PCA, Blum et al. [28] (survey III-A-2), in the form of Analyze Gauss",
    paper="Blum, Dwork, McSherry and Nissim 2005; Dwork, Talwar, Thakurta and Zhang 2014",
    idea="Blur the covariance matrix once, then take its leading directions.",
    editions={
        Edition.SOUND: Standing(
            claim=(
                "(ε, δ) by Gaussian noise on every entry of the second-moment matrix, for ε below "
                "1."
            ),
            proof=(
                "(ε, δ) by one Gaussian mechanism, at any ε, on second moments, sum and count "
                "together. Points are within the unit ball by public bounds."
            ),
            status=Status.PROVED,
        ),
    },
    measure=covariance.MEASURE,
    plan=plan,
    learn=partial(covariance.learn, covariance.symmetric),
    judge=covariance.judge,
    uses_labels=False,
)
