"""Types of the front door, for editors and checkers; `__init__.py` loads each name lazily."""

from dpcore.accounting.planner import Plan
from dpcore.accounting.risk import Odds
from dpcore.datasets import (
    Preparation,
    prepare,
)
from dpcore.deep.config import TrainingConfig
from dpcore.errors import InvalidInput
from dpcore.estimators import (
    ModelGuarantee,
    PrivateHuberSVC,
    PrivateLinearRegression,
    PrivateLogisticRegression,
)
from dpcore.evaluation.clinic.decision_curve import decisions
from dpcore.evaluation.models import ModelStudy
from dpcore.evaluation.study import Study
from dpcore.evaluation.training import TrainingStudy
from dpcore.front.account import account
from dpcore.front.experiments import cost, explore, load, report, train, vary
from dpcore.front.planning import plan
from dpcore.front.privacy import certify, delta, epsilon, risk, sigma
from dpcore.front.run import Run
from dpcore.guarantee import (
    Adjacency,
    Guarantee,
    PrivacyBudget,
    Status,
)
from dpcore.methods import describe
from dpcore.release.release import release_model

__version__: str
__all__ = [
    "Adjacency",
    "Guarantee",
    "InvalidInput",
    "ModelGuarantee",
    "ModelStudy",
    "Odds",
    "Plan",
    "Preparation",
    "PrivacyBudget",
    "PrivateHuberSVC",
    "PrivateLinearRegression",
    "PrivateLogisticRegression",
    "Run",
    "Status",
    "Study",
    "TrainingConfig",
    "TrainingStudy",
    "account",
    "certify",
    "cost",
    "decisions",
    "delta",
    "describe",
    "epsilon",
    "explore",
    "load",
    "plan",
    "prepare",
    "release_model",
    "report",
    "risk",
    "sigma",
    "train",
    "vary",
]
